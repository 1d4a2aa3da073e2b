/* operations.h - operations on languages that keep automata nondeterministic, and operations on
 * transducers.
 *
 * All return a new automaton without useless states, its states named q0, q1, …; alphabets are
 * united, the first one's symbols in front.  Operations on languages drop outputs.  TH_ELIMIT
 * beyond max_states states (0: no limit).
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#ifndef TH_AUTOMATA_OPERATIONS_OPERATIONS_H
#define TH_AUTOMATA_OPERATIONS_OPERATIONS_H

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

/* A symbol and the word that it stands for. */
typedef struct {
    const char *symbol;
    char **word; /* (n): names of symbols */
    int n;
} ThAutomatonSubstitution;

/* Replaces symbols by words; those without a substitution stay.  TH_EVALUE for a symbol that is not
 * in the alphabet or has two substitutions. */
ThAutomaton *th_automaton_homomorphism(const ThAutomaton *a, const ThAutomatonSubstitution *map,
                                       int n, ThAutomatonWork w, ThError *err);

/* The words that the substitution turns into words of a; its symbols are the alphabet. */
ThAutomaton *th_automaton_inverse(const ThAutomaton *a, const ThAutomatonSubstitution *map, int n,
                                  ThAutomatonWork w, ThError *err);

/* ---- transducers: relations of words; an automaton without outputs relates its words to
 * themselves.  A transition without an output writes nothing, an empty move reads nothing. ---- */

/* Reads by a, hands its outputs to b, writes b's outputs. */
ThAutomaton *th_automaton_compose(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                  ThError *err);

/* Swaps what is read and what is written. */
ThAutomaton *th_automaton_invert(const ThAutomaton *a, ThAutomatonWork w, ThError *err);

/* The words that can be read (or written) on the way to acceptance. */
ThAutomaton *th_automaton_project(const ThAutomaton *a, bool written, ThAutomatonWork w,
                                  ThError *err);

#endif
