/* ltl.h - linear temporal logic over finite words, past and future, as automata.
 *
 * A word satisfies a formula if the formula is true at its first position; the empty word satisfies
 * none, but by `empty`.  From tight to loose:
 *
 *     a 'w0' true false first last (x)
 *     !x X N (next: strong, weak) F G (some, every position from here on)
 *        Y Z (previous: strong, weak) P H (some, every position up to here)
 *     x U y, x R y (until, release), x S y, x T y (since, trigger), from the right
 *     x & y    x | y    x -> y, from the right    x <-> y
 *
 * NAME = …; in front names a formula, of two small letters or digits at least.  `empty` is true of
 * the empty word only, and with it in a formula that word is judged, too.
 *
 * A letter is a character that is no capital, a digit too; a name in single quotes is a letter of
 * that name.  Past and future may be mixed.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

/* Returns new: the automaton of a formula, nondeterministic: its states are what was true of the
 * past and what is foretold of the future, 2^(temporal operators) at most; deterministic where the
 * formula speaks of the past only, and backwards so where it speaks of the future only.  The
 * alphabet is `alphabet` (n of them, may be NULL for n = 0) and the letters that are mentioned
 * besides, in order of appearance. Errors: TH_EPARSE with line 1 and the column; TH_ELIMIT beyond
 * max_states (0: no limit) or 20 operators of the future. */
ThAutomaton *th_automaton_ltl(const char *formula, char *const *alphabet, int n, size_t max_states,
                              ThStop *stop, ThError *err);
