/* nfa.h - automata made by numbers: states and arcs come as a construction finds them, and names at
 * the end.
 *
 *     ThNfa n = {.max_states = limit};
 *     int p = th_nfa_state(&n, TH_NFA_START, &err), q = th_nfa_state(&n, TH_NFA_ACCEPT, &err);
 *     th_nfa_arc(&n, (ThAutomatonArc){p, a, q, TH_AUTOMATON_NO_OUTPUT}, &err);
 *     ThAutomaton *result = th_nfa_finish(&n, &names, good, &err);
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"

enum { TH_NFA_START = 1, TH_NFA_ACCEPT = 2 };

typedef struct {
    unsigned char *mark; /* (n_states): TH_NFA_START, TH_NFA_ACCEPT or both */
    size_t n_states, state_cap;
    ThAutomatonArc *arc;
    size_t n_arcs, arc_cap;
    size_t max_states; /* 0: no limit */
} ThNfa;

/* The number of a new state; -1 and TH_ENOMEM, or TH_ELIMIT beyond max_states. */
int th_nfa_state(ThNfa *n, int mark, ThError *err);
bool th_nfa_arc(ThNfa *n, ThAutomatonArc arc, ThError *err);

/* Adds the states and arcs of an automaton; *offset gets the number of its first state.  symbol
 * (a->n_symbols) renumbers symbols, NULL: as they are; marks are kept, outputs are dropped. */
bool th_nfa_add(ThNfa *n, const ThAutomaton *a, const int *symbol, int *offset, ThError *err);

/* What numbers of symbols and outputs mean. */
typedef struct {
    char *const *symbol, *const *output;
    int n_symbols, n_outputs;
} ThNfaNames;

/* Returns new: the automaton, without states that are of no use, its states named q0, q1, … in
 * order; the names are borrowed and copied.  NULL where `good` is false: making it has failed.  *n
 * is empty afterwards in any case. */
ThAutomaton *th_nfa_finish(ThNfa *n, const ThNfaNames *names, bool good, ThError *err);
