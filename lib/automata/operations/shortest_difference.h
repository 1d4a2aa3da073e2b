/* shortest_difference.h - whether two automata are equivalent, and where they differ.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"

/* Where two automata differ: a word, and what each side makes of it. */
typedef struct {
    bool equivalent;
    bool by_output;     /* both are transducers: their outputs count too */
    char *word;         /* the shortest, first in order; NULL if equivalent */
    bool accepted[2];   /* the word by each side */
    const char *out[2]; /* its last output by each side, views of the automata, or NULL */
} ThAutomatonDifference;

/* Compares the languages of two automata, and where both are transducers the last outputs as well
 * (TH_EVALUE if one of these is nondeterministic).  Alphabets are united, the first one's symbols
 * before the second one's others; the order of words follows.  d->word is freed by the caller. */
bool th_automaton_compare(const ThAutomaton *a, const ThAutomaton *b, size_t max_states,
                          ThStop *stop, ThAutomatonDifference *d, ThError *err);
