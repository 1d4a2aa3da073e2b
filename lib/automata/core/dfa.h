/* dfa.h - the complete deterministic Moore machine, the form that everything counts and compares.
 *
 * Every state has exactly one successor per symbol and a class.  An acceptor has two classes,
 * 0 = reject and 1 = accept.  Transition tables are row-major: next[q * n_symbols + a].
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "base/stop.h"

typedef struct {
    int n_states, n_symbols, n_classes;
    int start;
    int *next;  /* (n_states, n_symbols) */
    int *label; /* (n_states), in 0 … n_classes-1 */
} ThDfa;

/* Returns new: all transitions 0, all classes 0.  n_states ≥ 1, n_symbols ≥ 0. */
ThDfa *th_dfa_new(int n_states, int n_symbols, int n_classes, ThError *err);
ThDfa *th_dfa_copy(const ThDfa *d, ThError *err);
void th_dfa_free(ThDfa *d); /* NULL is fine */
TH_RELEASES(th_dfa_free, ThDfa)

/* Returns new: both machines over the same symbols as one, the states of b (which may be NULL)
 * behind those of a; its maps are pairs of theirs.  All classes are 0. */
ThDfa *th_dfa_beside(const ThDfa *a, const ThDfa *b, ThError *err);

/* Which states (n_states) a number of symbols that `step` divides leads from to class `of`.
 * O(n_states^2 n_symbols step) at worst; TH_ENOMEM. */
bool th_dfa_leads_to(const ThDfa *d, int of, int step, bool *from, ThError *err);

/* The state after reading a word from state q, and the class of a word from the start. */
int th_dfa_walk(const ThDfa *d, int q, const int *word, size_t length);
int th_dfa_class(const ThDfa *d, const int *word, size_t length);

/* Returns new: the reachable states, numbered breadth first from the start (symbols in order). */
ThDfa *th_dfa_reachable(const ThDfa *d, ThError *err);

/* Returns new: the machine over n_symbols symbols, the i-th of which is symbol from[i] of d, or, if
 * from[i] = -1, leads to a sink of class 0. */
ThDfa *th_dfa_widen(const ThDfa *d, int n_symbols, const int *from, ThError *err);

/* Returns new: the reachable pairs of states of two acceptors over the same symbols.  A pair
 * accepts if accept[2 * class of a + class of b] is true: {0, 0, 0, 1} is the intersection.
 * TH_ELIMIT beyond max_states (0: no limit).  Linear in the size of the result. */
ThDfa *th_dfa_product(const ThDfa *a, const ThDfa *b, const bool accept[4], size_t max_states,
                      ThStop *stop, ThError *err);

/* Returns new: the minimal machine with the same class for every word, its states numbered
 * breadth first from the start (symbols in order), so that equal behaviour gives equal bytes.
 * O(n k log n): Hopcroft 1971. */
ThDfa *th_dfa_minimize(const ThDfa *d, ThStop *stop, ThError *err);

/* Returns new: the shortest word (first in symbol order among the shortest) that the two machines
 * put into different classes; *length gets its length.  If there is none, returns NULL with err
 * untouched and *length = -1; after an error *length is 0.  Both need the same symbols.  Nearly
 * linear in n_a + n_b: breadth-first search over pairs merged by union-find (Hopcroft and Karp
 * 1971). */
int *th_dfa_distinguish(const ThDfa *a, const ThDfa *b, int *length, ThStop *stop, ThError *err);
