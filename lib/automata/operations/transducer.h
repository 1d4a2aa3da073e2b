/* transducer.h - substitutions and operations on transducers; results are as in operations.h.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/operations/operations.h"

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

/* Relations of words: an automaton without outputs relates its words to themselves.  A transition
 * without an output writes nothing, an empty move reads nothing. */

/* Reads by a, hands its outputs to b, writes b's outputs. */
ThAutomaton *th_automaton_compose(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                  ThError *err);

/* Swaps what is read and what is written. */
ThAutomaton *th_automaton_invert(const ThAutomaton *a, ThAutomatonWork w, ThError *err);

/* The words that can be read (or written) on the way to acceptance. */
ThAutomaton *th_automaton_project(const ThAutomaton *a, bool written, ThAutomatonWork w,
                                  ThError *err);
