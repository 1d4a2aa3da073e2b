/* tree.h - a regular expression as a tree; shared by its parser and its compiler.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"

typedef enum {
    TH_REGEX_WORD, /* the empty word */
    TH_REGEX_SET,  /* one of several symbols, or of all but several */
    TH_REGEX_CONCAT,
    TH_REGEX_UNION,
    TH_REGEX_AND,
    TH_REGEX_MINUS,
    TH_REGEX_NOT,
    TH_REGEX_REPEAT
} ThRegexKind;

enum { TH_REGEX_FOREVER = -1 };

typedef struct {
    ThRegexKind kind;
    int col;
    int first, last, next; /* children and the sibling behind, as indices of nodes; -1: none */
    size_t symbol, n;      /* TH_REGEX_SET: item[symbol] … item[symbol + n - 1] */
    bool negated;
    int least, most; /* TH_REGEX_REPEAT: most may be TH_REGEX_FOREVER */
} ThRegexNode;

/* Zero-initialised it is empty. */
typedef struct {
    ThRegexNode *node;
    size_t n, cap;
    int *item; /* symbols of the sets, as numbers in `symbol` */
    size_t n_items, item_cap;
    ThIntern symbol; /* names with their ends */
    int root;
} ThRegexTree;

/* Fills *t, which may hold symbols already; to be freed also after a failure. */
bool th_regex_parse(ThRegexTree *t, const char *pattern, ThError *err);
void th_regex_tree_free(ThRegexTree *t);
TH_RELEASES_VALUE(th_regex_tree_free, ThRegexTree)
