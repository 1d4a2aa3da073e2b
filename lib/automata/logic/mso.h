/* mso.h - first-order and monadic second-order logic on words, as automata (Büchi 1960, Elgot 1961,
 * Trakhtenbrot 1962).
 *
 *     Qa(x) Q'w0'(x)               the letter at a position
 *     x < y  <= = != >= >  x + 1   the order of positions
 *     first(x) last(x)
 *     x in X, X(x)                 a position in a set
 *     true false (x) !x   x & y   x | y   x -> y, from the right   x <-> y
 *     exists x Y. …  forall x Y. … of positions (small) and sets (capital), as far as it reaches
 *
 * A word is accepted if the sentence is true of it, the empty one, too: exists x. … is false of it.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

/* Returns new: the minimal automaton of a sentence.  The alphabet is as th_automaton_ltl's.  Every
 * part becomes an automaton over letters with one bit a variable; a quantifier erases one, and a
 * negation around it may cost an exponential each.
 * Errors: TH_EPARSE with line 1 and the column; TH_ELIMIT where the automaton of a part has more
 * than max_states (0: no limit) or 2^26 transitions. */
ThAutomaton *th_automaton_mso(const char *sentence, char *const *alphabet, int n, size_t max_states,
                              ThStop *stop, ThError *err);
