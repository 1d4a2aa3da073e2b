/* union.h - bringing two automata to one alphabet. */
#ifndef TH_UNION_H
#define TH_UNION_H

#include "automata/dfa.h"
#include "base/error.h"

/* Two lists of names as one without repetition, the first list in front. */
typedef struct {
    char **name; /* (n): views of the names given */
    int n;
    int *of[2]; /* the number in `name` of the i-th name of either list */
} ThUnion;

/* Fills *u, to be freed also after a failure. */
bool th_union(ThUnion *u, char *const *a, int n_a, char *const *b, int n_b, ThError *err);
void th_union_free(ThUnion *u);

/* Returns new: d, over the list of this side, as a machine over all names; others lead to a sink of
 * class 0.  Consumes d, which may be NULL: then the result is, too. */
ThDfa *th_union_widen_take(const ThUnion *u, int side, ThDfa *d, ThError *err);

#endif
