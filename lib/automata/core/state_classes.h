/* state_classes.h - what the classes of a machine mean, when it was made from an automaton whose
 * states accept, have outputs or have transitions with outputs.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

/* Class 0 rejects and has no outputs: a sink has it.  Zero-initialised it is empty. */
typedef struct {
    int n_classes, n_symbols;
    int *of_state; /* (n_states) */
    int *row;      /* (n_classes, 2 + n_symbols): accept, Moore output, Mealy output by symbol */
} ThAutomatonClasses;

/* Sorts the states of a into classes; *c is to be freed also after a failure. */
bool th_automaton_classes_of(ThAutomatonClasses *c, const ThAutomaton *a, ThError *err);
void th_automaton_classes_free(ThAutomatonClasses *c);
TH_RELEASES_VALUE(th_automaton_classes_free, ThAutomatonClasses)

/* Returns new: the complete machine of a deterministic automaton with class[q] for state q and 0
 * for the sink.  TH_EVALUE if a is nondeterministic. */
ThDfa *th_automaton_classes_dfa(const ThAutomaton *a, const int *label, int n_classes,
                                ThError *err);

/* Returns new: the automaton of a machine: its reachable states that can still reach a class other
 * than 0 (and the start), named q0, q1, … breadth first.  outputs of `names` (an automaton, or NULL
 * for none) are copied; symbol is borrowed. */
ThAutomaton *th_automaton_classes_automaton(const ThDfa *d, const ThAutomatonClasses *c,
                                            char *const *symbol, const ThAutomaton *names,
                                            ThError *err);
