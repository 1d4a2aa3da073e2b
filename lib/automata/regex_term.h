/* regex_term.h - regular expressions as values: equal ones are one number, and what is made of them
 * is simplified at once. */
#ifndef TH_REGEX_TERM_H
#define TH_REGEX_TERM_H

#include "base/intern.h"
#include "base/text.h"

enum { TH_TERM_NONE = 0, TH_TERM_WORD = 1 }; /* no word; the empty word */

typedef enum {
    TH_IS_NONE,
    TH_IS_WORD,
    TH_IS_SET,
    TH_IS_CONCAT,
    TH_IS_UNION,
    TH_IS_STAR
} ThTermKind;

typedef struct {
    bool nullable;
    size_t length; /* characters it takes, about; saturated */
} ThTermInfo;

typedef struct {
    ThIntern term; /* kind, then children (terms) or, in a set, symbols in order: ints */
    ThTermInfo *info;
    size_t info_cap;
    int *scratch;
    size_t scratch_cap;
    bool failed; /* memory ran out: all terms made since mean nothing */
} ThTerms;

enum { TH_TERM_LONG = 1 << 22 };

/* Makes *t ready: numbers 0 and 1 exist. */
bool th_terms_begin(ThTerms *t, ThError *err);
void th_terms_free(ThTerms *t);

/* A view of the children of a term, *n of them; lives until the next term is made. */
const int *th_term_children(const ThTerms *t, int term, int *n, ThTermKind *kind);

int th_term_symbol(ThTerms *t, int symbol);
int th_term_union(ThTerms *t, int x, int y);
int th_term_concat(ThTerms *t, int x, int y);
int th_term_star(ThTerms *t, int x);

/* What a term repeats if it is a repetition x*: x; else -1. */
int th_term_inside(const ThTerms *t, int term);

/* Appends the pattern of a term; mentioned[a] is set for the symbols that it names. */
void th_term_write(const ThTerms *t, ThText *to, int term, char *const *symbol, int n_symbols,
                   bool *mentioned);

#endif
