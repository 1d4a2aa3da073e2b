/* counting.h - is a language one of C-RASP: do counts of positions, compared with each other, find
 * the state of its minimal machine (Yang and Chiang 2024).
 *
 * In every strongly connected component the number of times that each label was met is told modulo
 * the span of the cycles; where this tells states apart, the labels of their arcs become different
 * ones, and the counts of these are told again.  The language is in C-RASP if this ends with all
 * states of every component apart.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/text.h"

typedef struct {
    int decided; /* 1: it is; 0: not; -1: the numbers grew beyond 64 bits */
    int rounds;  /* the most that a component took: how deep counts of counts go in one */
    int p, q;    /* not: two states of one component that no counting tells apart */
} ThDfaCounting;

/* What a round tells of one component with several states. */
typedef struct {
    int n, labels, sums;
    const int *state;      /* (n) */
    const int *label;      /* (n, n_symbols): of what is counted, by used symbols */
    const bool *used;      /* (n_symbols): leads from some state of the component to one */
    const int64_t *weight; /* (sums, labels): of counts, in sums that are 0 along every cycle */
    const int64_t *value;  /* (sums, n): the sums on the way to a state from the first one */
} ThDfaCountingRound;
typedef bool ThDfaCountingVisit(void *context, const ThDfaCountingRound *r, ThError *err);

/* Calls `visit` with every round of every component, in order, until counting does not go on.  d is
 * minimal and complete.  Errors as below, and those of `visit`. */
bool th_dfa_counting_rounds(const ThDfa *d, ThDfaCountingVisit *visit, void *context,
                            ThDfaCounting *c, ThStop *stop, ThError *err);

/* d is minimal and complete.  Where counts decide, appends the sums that tell the states of the
 * first component with several states apart.  O((n_states n_symbols)^3) at worst; the usual
 * machine needs n_states n_symbols^2.  TH_ENOMEM, TH_EINTERRUPTED. */
bool th_dfa_counting(const ThDfa *d, char *const *symbol, ThDfaCounting *c, ThText *sums,
                     ThStop *stop, ThError *err);
