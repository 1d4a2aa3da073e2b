/* reset.h - words that bring every state of a machine to the same one (synchronizing words).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

typedef struct {
    int *word; /* (length); NULL: there is none */
    int length;
    int state;     /* where it leads from everywhere */
    bool shortest; /* and no shorter word does; among the shortest the first in order */
    int apart[2];  /* where there is none: two states that no word brings together */
} ThDfaReset;

/* Finds a reset word of all states of d, those that cannot be reached too: a shortest one by
 * searching sets of states breadth first, as long as there are no more than max_sets of them, and
 * then one that merges the nearest two states again and again (Eppstein 1990), which may be longer.
 * O(max_sets · states · symbols), or O(states^3 + states^2 symbols).  r->word is freed by the
 * caller.  Errors: TH_ELIMIT beyond 4,096 states, TH_ENOMEM, TH_EINTERRUPTED. */
bool th_dfa_reset_word(const ThDfa *d, size_t max_sets, ThStop *stop, ThDfaReset *r, ThError *err);
