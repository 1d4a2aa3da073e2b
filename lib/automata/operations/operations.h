/* operations.h - operations on languages that keep automata nondeterministic.
 *
 * All return a new automaton without useless states, its states named q0, q1, …; alphabets are
 * united, the first one's symbols in front.  Operations on languages drop outputs.  TH_ELIMIT
 * beyond max_states states (0: no limit).
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"

typedef struct {
    size_t max_states;
    ThStop *stop;
} ThAutomatonWork;

ThAutomaton *th_automaton_concat(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                 ThError *err);
ThAutomaton *th_automaton_star(const ThAutomaton *a, ThAutomatonWork w, ThError *err);
ThAutomaton *th_automaton_reverse(const ThAutomaton *a, ThAutomatonWork w, ThError *err);

/* The beginnings and the ends of words of the language. */
ThAutomaton *th_automaton_prefixes(const ThAutomaton *a, ThAutomatonWork w, ThError *err);
ThAutomaton *th_automaton_suffixes(const ThAutomaton *a, ThAutomatonWork w, ThError *err);

/* All ways of interleaving a word of a with a word of b. */
ThAutomaton *th_automaton_shuffle(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                  ThError *err);

/* What is left of words of a once a word of b is taken from the end (or from the front). */
ThAutomaton *th_automaton_quotient(const ThAutomaton *a, const ThAutomaton *b, bool front,
                                   ThAutomatonWork w, ThError *err);

/* With a state named sink where a transition was missing; names and outputs stay. */
ThAutomaton *th_automaton_complete(const ThAutomaton *a, ThError *err);
