/* alphabets.h - bringing two automata to one alphabet.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/dfa.h"

/* Two lists of names as one without repetition, the first list in front. */
typedef struct {
    char **name; /* (n): views of the names given */
    int n;
    int *of[2]; /* the number in `name` of the i-th name of either list */
} ThAutomatonAlphabets;

/* Fills *u, to be freed also after a failure. */
bool th_automaton_alphabets(ThAutomatonAlphabets *u, char *const *a, int n_a, char *const *b,
                            int n_b, ThError *err);
void th_automaton_alphabets_free(ThAutomatonAlphabets *u);
TH_RELEASES_VALUE(th_automaton_alphabets_free, ThAutomatonAlphabets)

/* Returns new: d, over the list of this side, as a machine over all names; others lead to a sink of
 * class 0.  Consumes d, which may be NULL: then the result is, too. */
ThDfa *th_automaton_widen_take(const ThAutomatonAlphabets *u, int side, ThDfa *d, ThError *err);
