/* relate.h - what the languages of two automata have in common.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

/* Words are the shortest, first in order (symbols of a before others of b); NULL where there is
 * none. */
typedef struct {
    bool known; /* false where there are more than max_states pairs of states: nothing is filled */
    char *only[2]; /* a word of a that is none of b, and one of b that is none of a */
    char *both;    /* a word of both */
} ThAutomatonRelation;

/* Compares two languages; outputs do not matter.  Pairs of states are explored only until there is
 * a word of each kind.  r is freed by the caller, also after a failure. */
bool th_automaton_relate(const ThAutomaton *a, const ThAutomaton *b, size_t max_states,
                         ThStop *stop, ThAutomatonRelation *r, ThError *err);
void th_automaton_relation_free(ThAutomatonRelation *r);
TH_RELEASES_VALUE(th_automaton_relation_free, ThAutomatonRelation)
