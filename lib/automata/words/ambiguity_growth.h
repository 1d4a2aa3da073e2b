/* ambiguity_growth.h - does the number of ways grow without bound, and how fast?
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/words/ambiguity.h"

/* An automaton without empty moves; every state lies on the way from a start to acceptance. */
typedef struct {
    const ThAutomaton *a;
    size_t *by; /* of th_words_tuple_arcs */
    ThStop *stop;
} ThWordsAmbiguitySubject;

/* Decides between exponential and polynomial growth and, where there is none, leaves out->kind;
 * fills degree, n_loops and part.  Errors and cost: th_automaton_ambiguity. */
bool th_words_ambiguity_growth(const ThWordsAmbiguitySubject *s, ThWordsAmbiguity *out,
                               ThError *err);
