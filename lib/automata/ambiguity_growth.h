/* ambiguity_growth.h - does the number of ways grow without bound, and how fast? */
#ifndef TH_AMBIGUITY_GROWTH_H
#define TH_AMBIGUITY_GROWTH_H

#include "automata/ambiguity.h"

/* An automaton without empty moves; every state lies on the way from a start to acceptance. */
typedef struct {
    const ThAutomaton *a;
    size_t *by; /* of th_tuple_arcs */
    ThStop *stop;
} ThAmbiguitySubject;

/* Decides between exponential and polynomial growth and, where there is none, leaves out->kind;
 * fills degree, n_loops and part.  Errors and cost: th_automaton_ambiguity. */
bool th_ambiguity_growth(const ThAmbiguitySubject *s, ThAmbiguity *out, ThError *err);

#endif
