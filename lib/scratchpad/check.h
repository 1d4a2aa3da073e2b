/* check.h - does every line of a scratchpad follow from the one before?
 *
 * What a model has written is read back: a scratchpad of any kind and layout, and the first place
 * where it is not what its question and the lines before ask for.
 *
 *     ThPadCheckRules rules = th_pad_check_rules();
 *     ThPadChecked c;
 *     if (th_pad_check(text, size, &rules, &c, &err) && c.slip != TH_PAD_SLIP_NONE)
 *         … c.line, c.column, th_pad_slip_name(c.slip) …
 *
 * Any bytes are read; time and memory are linear in their number (of products without steps, those
 * of GMP's multiplication).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_SCRATCHPAD_CHECK_H
#define TH_SCRATCHPAD_CHECK_H

#include "scratchpad/scratchpad.h"
#include "scratchpad/sgd.h"

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

/* Where the sources contradict each other: either way, or one of them. */
typedef enum { TH_PAD_CARRY_EITHER, TH_PAD_CARRY_LINE, TH_PAD_CARRY_FOLD } ThPadFinalCarry;
typedef enum { TH_PAD_FLUSH_EITHER, TH_PAD_FLUSH_DIGIT, TH_PAD_FLUSH_ONCE } ThPadFlush;

typedef struct ThPadCheckRules {
    const ThPadKind *kind; /* NULL: recognised by the text */
    const char *style;     /* a word of the kind's option style= or variant=; NULL: any */
    ThPadFinalCarry final_carry;
    ThPadFlush flush;
    ThPadSgdStrict strict; /* of SGD: see sgd.h */
    double rate, scale;    /* see sgd.h */
    int tolerance;         /* tokens by which numbers of SGD may differ */
    const ThTm *machine;   /* whose rules are right; NULL: those that the scratchpad itself shows,
                                  which must be the same every time */
    long long steps;       /* of a machine that does not stop; 0: any */
    int ngram, answer;     /* of copies: see the options of that kind */
} ThPadCheckRules;

/* Either way everywhere; of SGD hidden, rate 0.5, hundredths, tolerance 2. */
ThPadCheckRules th_pad_check_rules(void);

enum { TH_PAD_CHECK_SHOWN = 40 };

typedef struct ThPadChecked {
    const ThPadKind *kind; /* NULL: not recognised */
    const char *style;     /* constant; "" where a kind has one only */
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

#endif
