/* random_automaton.h - random acceptors of a size, for experiments that want many.
 *
 *     ThAutomatonDraw d = {.states = 5, .deterministic = true, .arcs = 1, .accepting = 0.5};
 *     ThAutomaton *a = th_automaton_random(&d, symbol, n_symbols, &err);
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"

/* Transitions that an automaton drawn may have room for, at most: states × symbols, and once more
 * × states where it is nondeterministic. */
enum { TH_AUTOMATON_MOST_DRAWN = 100000000 };

typedef struct {
    int states; /* at least 1 */
    bool deterministic;
    double arcs;      /* transitions a state and symbol in the mean: 0 … 1, or 0 … states where
                         nondeterministic (Tabakov and Vardi 2005 call it the density) */
    double accepting; /* share of the states that accept, 0 … 1 */
    uint64_t seed;
} ThAutomatonDraw;

/* Returns new: an acceptor with exactly so many states q0, q1, …, the first of which is the start,
 * all of them reachable from it.  The number of transitions is arcs × states × symbols, that of
 * accepting states accepting × states, both rounded, and which they are depends on the seed only.
 * First a tree that reaches every state is drawn, where each state hangs on one of those before it;
 * then as many of the other transitions as are wanted, each set of them being as likely as any
 * other, and in a deterministic automaton each target.  symbol (n_symbols, at least 1) is borrowed
 * and copied.
 * Errors: TH_EVALUE where so few transitions reach no states - 1 others, or more are wanted than
 * there are, or a symbol is there twice or none at all; TH_ELIMIT beyond TH_AUTOMATON_MOST_DRAWN.
 */
ThAutomaton *th_automaton_random(const ThAutomatonDraw *d, char *const *symbol, int n_symbols,
                                 ThError *err);
