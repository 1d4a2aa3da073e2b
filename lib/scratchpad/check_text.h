/* check_text.h - does every line of a scratchpad follow from the one before?
 *
 * What a model has written is read back: a scratchpad of any kind and layout, and the first place
 * where it is not what its question and the lines before ask for.
 *
 *     ThPadCheckRules rules = {0};
 *     ThPadChecked c;
 *     if (th_pad_check(text, size, &rules, &c, &err) && c.slip != TH_PAD_SLIP_NONE)
 *         printf("%d:%d: %s\n", (int)c.line, (int)c.column, th_pad_slip_name(c.slip));
 *
 * Any bytes are read; time and memory are linear in their number (of products without steps, those
 * of GMP's multiplication).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "scratchpad/scratchpad.h"

typedef enum {
    TH_PAD_SLIP_NONE,      /* all is right */
    TH_PAD_SLIP_COPY,      /* what should have been copied is not the same */
    TH_PAD_SLIP_DIGIT,     /* a digit, or a number of SGD, is computed or read wrongly */
    TH_PAD_SLIP_CARRY,     /* a wrong carry */
    TH_PAD_SLIP_WRITE,     /* a wrong symbol written on a tape */
    TH_PAD_SLIP_MOVE,      /* the mark of the head is missing or in the wrong place */
    TH_PAD_SLIP_STATE,     /* a wrong state of a machine, wrong weights of SGD */
    TH_PAD_SLIP_EARLY_END, /* it ends, or gives its answer, before it is done */
    TH_PAD_SLIP_FORMAT     /* what cannot stand there at all */
} ThPadSlip;

const char *th_pad_slip_name(ThPadSlip slip); /* "none", "copy", …, "early end", "format" */

/* What a check is told; zero-initialised, nothing: all kinds and layouts, the usual rules. */
typedef struct ThPadCheckRules {
    const ThPadKind *kind;    /* NULL: recognised by the text */
    const char *style;        /* a word of the kind's option style= or variant=; NULL: any */
    const ThTm *machine;      /* whose rules are right; NULL: those that the scratchpad itself
                                     shows, which must be the same every time */
    bool answered;            /* a machine's run, however short, has its tape as the answer */
    const ThOptions *options; /* of th_pad_check_options; NULL: their defaults */
} ThPadCheckRules;

/* Sets *o to what the checks of all kinds can be told, at the defaults; freed by th_options_free.
 * False on TH_ENOMEM. */
bool th_pad_check_options(ThOptions *o, ThError *err);

/* True if a layout of a kind (NULL: of any kind) has this name. */
bool th_pad_style_known(const ThPadKind *kind, const char *style);

enum { TH_PAD_CHECK_SHOWN = 40 };

typedef struct ThPadChecked {
    const ThPadKind *kind; /* NULL: not recognised */
    const char *style;     /* constant; "" before a check has begun */
    ThPadSlip slip;
    size_t offset;       /* of the slip, in bytes */
    size_t line, column; /* of the slip, from 1; columns in characters.  Of verbose scratchpads
                            lines are those of the text, else what separators separate. */
    size_t lines;        /* lines in all */
    bool misprint;       /* right but for what the paper misprints */
    char expected[TH_PAD_CHECK_SHOWN], found[TH_PAD_CHECK_SHOWN]; /* "" : the end */
} ThPadChecked;

/* Checks text with or without <|BOS|> and <|EOS|>.  False on TH_ENOMEM only. */
bool th_pad_check(const char *text, size_t size, const ThPadCheckRules *rules, ThPadChecked *c,
                  ThError *err);
