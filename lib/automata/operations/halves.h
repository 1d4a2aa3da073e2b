/* halves.h - languages whose words have another word of the same length in A behind them.
 *
 * Results are as in operations.h, and minimal; TH_ELIMIT beyond max_states states on the way.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/operations/operations.h"

/* The words w with ww in the language: a state is a map of states, n^n at most. */
ThAutomaton *th_automaton_root(const ThAutomaton *a, ThAutomatonWork w, ThError *err);

/* The words u with uv in the language for some v as long as u: a state is one of n, with the set of
 * states that acceptance is that far from, n 2^n at most. */
ThAutomaton *th_automaton_half(const ThAutomaton *a, ThAutomatonWork w, ThError *err);
