/* scratchpad.h - Turing Programs: computations written out as text for a model to learn.
 *
 * A scratchpad is a question, lines that are each the one before copied with a small change, and an
 * answer.  A kind of scratchpad is one file with one constant ThPadKind, and one line in
 * kinds.def; a ThPad is a kind with its options: it writes scratchpads of given operands or
 * draws them, and knows the tokens that they are made of.
 *
 *     ThPad *p = th_pad_new(th_pad_kind("addition"), &options, NULL, &err);
 *     ThPadExample e = {0};
 *     for (uint64_t i = 0; ok && i < n; i++) {
 *         ThRng r = th_rng(seed, "scratchpad", i);
 *         ok = th_pad_draw(p, NULL, &r, &e, &err) && use(e.text.data, e.text.size);
 *     }
 *     th_pad_example_free(&e);
 *
 * Source: Hou et al. 2024, "Universal Length Generalization with Turing Programs".
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/intern.h"
#include "base/option.h"
#include "turing/tm_machine.h"

#define TH_PAD_BOS "<|BOS|>"
#define TH_PAD_EOS "<|EOS|>"
#define TH_PAD_SEP "<|SEP|>"

/* One scratchpad, without <|BOS|> and <|EOS|>.  Zero-initialised it is empty; writing another into
 * it keeps its memory. */
typedef struct {
    ThText text;
    size_t question; /* bytes of the question, with the separator behind it */
    size_t answer;   /* where the answer begins */
} ThPadExample;

void th_pad_example_free(ThPadExample *e); /* leaves *e zero-initialised */
TH_RELEASES_VALUE(th_pad_example_free, ThPadExample)

typedef struct ThPad ThPad;

/* What is to be written out, as it would be typed. */
typedef struct {
    const char *const *text; /* (n) */
    int n;
    int wrong; /* the operand that an error is about, from 0 */
} ThPadOperands;

struct ThPadChecking;
struct ThPadChecked;

/* A token of a text. */
typedef struct {
    const char *s;
    size_t n;
} ThPadPiece;

typedef struct {
    const char *name, *summary, *source; /* source: paper and section */
    const char *detail;                  /* paragraphs separated by an empty line */
    const char *example;                 /* commands; lines "#> …" are what they print */
    const char *operand[3];              /* what is written out, by name; ends with NULL */
    const ThOptionSpec *options;         /* ends with a NULL name */
    const char *layout; /* which of them, a choice, says how the text is laid out */
    const char *size;   /* which of them, a range, says how large what is drawn is */
    /* What a check is told besides the text; kinds share rows of the same name.  NULL: nothing. */
    const ThOptionSpec *check_options;
    bool takes_machine;
    bool own_ends;       /* its texts begin and end with tokens of their own */
    bool answers_only;   /* only answers are scored unless it is said otherwise */
    bool bars;           /* | ends a line, as <|SEP|> does */
    const char *padding; /* the token that fills up contexts; NULL: none */
    int context;         /* tokens of the paper's training context */
    /* Checks options against each other and sets p->words, p->separator and p->token. */
    bool (*init)(ThPad *p, ThError *err);
    /* Writes the scratchpad of the operands into e; r: where a layout draws something. */
    bool (*write)(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err);
    /* As th_pad_draw; sizes are never NULL. */
    bool (*draw)(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err);
    /* As th_pad_most, without <|BOS|> and <|EOS|>. */
    size_t (*most)(const ThPad *p, size_t size);
    /* True if a text, by how it begins, is one of this kind; the first kind to say so has it. */
    bool (*recognise)(const struct ThPadChecking *k);
    /* Compares each line with what the lines before ask for: sets c->style, and c->slip if there
     * is one.  False on TH_ENOMEM only. */
    bool (*check)(const struct ThPadChecking *k, struct ThPadChecked *c, ThError *err);
    /* Sets place (n) to the place, from 1, that each token of a text without marks stands for, 0
     * for none: the same place wherever it is written, growing along the question, which has all;
     * at most n, whatever the text, and behind the question whatever comes later.  layout: the
     * number of the layout's name in its option, or -1 where the text has to tell.  NULL: there are
     * no places. */
    void (*places)(int layout, const ThPadPiece *token, size_t n, int *place);
    /* TH_EUSAGE where texts by these options have places that their questions have not; NULL: all
     * have them. */
    bool (*places_fit)(const ThPad *p, ThError *err);
    const char *const *misprints; /* texts that the paper prints wrongly, up to NULL; NULL: none */
} ThPadKind;

struct ThPad {
    const ThPadKind *kind;
    ThOptions options;     /* of kind->options */
    ThTm *machine;         /* own; NULL unless kind->takes_machine */
    bool words;            /* tokens are words between blanks, else characters */
    bool spaced;           /* they are characters between which marks stand (hints=) */
    const char *separator; /* between lines */
    int line_end;          /* its token */
    int source;            /* a line is made from the one so many lines before it */
    int answer;            /* the token behind whose last place the answer stands */
    int numbers, near;     /* tokens before `numbers` that are so near are the same in an answer */
    ThIntern token;        /* the vocabulary; token i is number i */
    int byte[256];         /* token of a character, or -1 */
    int bos, eos;          /* -1: the kind has its own_ends */
    int padding;           /* token of kind->padding, or -1 */
    int *of_machine;       /* tokens of a machine's symbols, of those under the head, of states */
};

const ThPadKind *const *th_pad_kinds(size_t *n); /* the registry, in manual order */
const ThPadKind *th_pad_kind(const char *name);  /* view, or NULL */

/* Returns new.  Of options (initialised from any table; NULL: none) those that the kind knows are
 * taken over.  m is copied; NULL unless kind->takes_machine.  Errors: TH_EUSAGE for options that do
 * not fit together, TH_EVALUE for a machine that cannot be written so, TH_ENOMEM. */
ThPad *th_pad_new(const ThPadKind *kind, const ThOptions *options, const ThTm *m, ThError *err);
ThPad *th_pad_copy_of(const ThPad *p, ThError *err); /* returns new */
void th_pad_free(ThPad *p);                          /* NULL is fine */
TH_RELEASES(th_pad_free, ThPad)

/* Writes the scratchpad of given operands.  Errors: TH_EVALUE with the column in operand o->wrong,
 * TH_ELIMIT for more than 2^30 characters, TH_ENOMEM. */
bool th_pad_write(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err);

/* Draws one; it depends on *r only.  Its size is drawn from a range: the digits of each operand
 * that has no length of its own, points, cells of the tape, letters.  NULL: the range of the
 * options. */
bool th_pad_draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err);

ThRange th_pad_sizes(const ThPad *p); /* the range of the options */

/* Tokens, with <|BOS|> and <|EOS|>, that a scratchpad drawn of a size has at most. */
size_t th_pad_most(const ThPad *p, int size);

/* Number of tokens; view of a token's text. */
int th_pad_tokens(const ThPad *p);
const char *th_pad_token(const ThPad *p, int id, size_t *size);

/* Tokens of a scratchpad of this kind with <|BOS|> and <|EOS|> around it (where it has them):
 * (re)allocates *id (*cap), sets *n, and *question to how many of them are the question's (with
 * <|BOS|>).  Linear. Errors: TH_EVALUE for text that has no tokens, TH_ENOMEM. */
bool th_pad_encode(const ThPad *p, const ThPadExample *e, int **id, size_t *cap, size_t *n,
                   size_t *question, ThError *err);

/* Appends the text of n tokens; of words, with blanks between them. */
void th_pad_decode(const ThPad *p, const int *id, size_t n, ThText *t);

/* Whether the texts of n and m tokens, from behind the question on, end in the same answer. */
bool th_pad_same_answer(const ThPad *p, const int *a, size_t n, const int *b, size_t m);

/* Line i of a scratchpad behind its question, from 0, without separators: sets *at and *size, or
 * returns false past the last line before the answer.  *from: 0 at first, kept between calls. */
bool th_pad_example_line(const ThPad *p, const ThPadExample *e, size_t *from, size_t *at,
                         size_t *size);
