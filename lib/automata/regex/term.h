/* term.h - regular expressions as values: equal ones are one number, and what is made of them
 * is simplified at once.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "base/text.h"

enum { TH_REGEX_TERM_NONE = 0, TH_REGEX_TERM_WORD = 1 }; /* no word; the empty word */

typedef enum {
    TH_REGEX_TERM_IS_NONE,
    TH_REGEX_TERM_IS_WORD,
    TH_REGEX_TERM_SET,
    TH_REGEX_TERM_CONCAT,
    TH_REGEX_TERM_UNION,
    TH_REGEX_TERM_STAR
} ThRegexTermKind;

typedef struct {
    bool nullable;
    size_t length; /* characters it takes, about; saturated */
} ThRegexTermInfo;

typedef struct {
    ThIntern term; /* kind, then children (terms) or, in a set, symbols in order: ints */
    ThRegexTermInfo *info;
    size_t info_cap;
    int *scratch;
    size_t scratch_cap;
    bool failed; /* memory ran out: all terms made since mean nothing */
} ThRegexTerms;

enum { TH_REGEX_TERM_LONG = 1 << 22 };

/* Makes *t ready: numbers 0 and 1 exist. */
bool th_regex_terms_begin(ThRegexTerms *t, ThError *err);
void th_regex_terms_free(ThRegexTerms *t);
TH_RELEASES_VALUE(th_regex_terms_free, ThRegexTerms)

/* A view of the children of a term, *n of them; lives until the next term is made. */
const int *th_regex_term_children(const ThRegexTerms *t, int term, int *n, ThRegexTermKind *kind);

int th_regex_term_symbol(ThRegexTerms *t, int symbol);
int th_regex_term_union(ThRegexTerms *t, int x, int y);
int th_regex_term_concat(ThRegexTerms *t, int x, int y);
int th_regex_term_star(ThRegexTerms *t, int x);

/* What a term repeats if it is a repetition x*: x; else -1. */
int th_regex_term_inside(const ThRegexTerms *t, int term);

/* Appends the pattern of a term; mentioned[a] is set for the symbols that it names. */
void th_regex_term_write(const ThRegexTerms *t, ThText *to, int term, char *const *symbol,
                         int n_symbols, bool *mentioned);
