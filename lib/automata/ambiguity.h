/* ambiguity.h - in how many ways a nondeterministic automaton accepts a word. */
#ifndef TH_AMBIGUITY_H
#define TH_AMBIGUITY_H

#include "automata/automaton.h"

typedef enum {
    TH_UNAMBIGUOUS,
    TH_FINITELY_AMBIGUOUS,     /* at most some fixed number of ways */
    TH_POLYNOMIALLY_AMBIGUOUS, /* like a power of the length */
    TH_EXPONENTIALLY_AMBIGUOUS
} ThAmbiguityKind;

typedef struct {
    ThAmbiguityKind kind;
    char *word; /* a shortest word that is accepted in two ways; NULL if there is none */
} ThAmbiguity;

/* Ways that differ in empty moves only count as one.  The criteria are those of Weber and Seidl
 * 1991 on pairs and triples of states: O(states³) memory.  TH_ELIMIT where there are more than
 * 2^24 of these.  word is freed by the caller. */
bool th_automaton_ambiguity(const ThAutomaton *a, ThStop *stop, ThAmbiguity *out, ThError *err);

#endif
