/* sequential.h - transducers that write one word for a word: functions; and those of them that can
 * write while they read, without knowing what follows.
 *
 *     ThAutomatonTwofold two;
 *     bool function = th_automaton_twofold(t, NULL, work, &two, &err) && !two.found;
 *     ThAutomaton *s = function ? th_automaton_sequential(t, work, &err) : NULL;
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/operations/operations.h"

/* A word that a transducer writes two different words for, as numbers of symbols and outputs. */
typedef struct {
    bool found;
    int *word, *out[2];
    int n, n_out[2];
} ThAutomatonTwofold;

/* Looks for a word for which two different words are written; of two transducers with the same
 * names, `u` not NULL, one by each.  Of pairs of states that read the same, what one has written
 * more than the other is followed (Béal, Carton, Prieur and Sakarovitch 2003): a pair with two such
 * delays, or one that is no word, is on the way to a word of the kind, so two of each are enough.
 * *two is to be freed in any case.  TH_EVALUE where t has no outputs; TH_ELIMIT beyond max_states
 * pairs with a delay; TH_ENOMEM, TH_EINTERRUPTED.  Quadratic in the transitions. */
bool th_automaton_twofold(const ThAutomaton *t, const ThAutomaton *u, ThAutomatonWork w,
                          ThAutomatonTwofold *two, ThError *err);
void th_automaton_twofold_free(ThAutomatonTwofold *two);
TH_RELEASES_VALUE(th_automaton_twofold_free, ThAutomatonTwofold)

/* Returns new: a transducer of the same function with one start, at most one transition for a
 * symbol in a state, and empty moves only in chains that write what a transition writes besides, or
 * at the end; it writes as early as it can (Choffrut; Mohri 1997).  TH_EVALUE, with a word, where t
 * is no function, or has to remember longer and longer words, which is told from pairs of states in
 * polynomial time (Weber and Klemm 1995); TH_ELIMIT, TH_ENOMEM, TH_EINTERRUPTED.  There may be
 * exponentially many states. */
ThAutomaton *th_automaton_sequential(const ThAutomaton *t, ThAutomatonWork w, ThError *err);
