/* star_free.h - temporal formulas of star-free languages.
 *
 * The levels of a cascade without groups are resets: what stands on one is what the last input that
 * is not the identity put there, so it is said by one `since` a tile (after Maler 2010).
 *
 *     char *formula = th_automaton_star_free(minimal, symbol, work, stop, &err);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* Returns new: a formula as th_automaton_ltl reads it, of the past inside of at most one operator
 * of the future, with definitions where it would be long; its automaton is the machine again, which
 * is checked.  d is minimal and complete; the alphabet has to be told to th_automaton_ltl, for the
 * formula need not mention every symbol.
 * Errors: TH_EVALUE where there are groups; TH_ELIMIT beyond `limit` sets or tuples of coordinates,
 * or where the formula has too many operators to be read; TH_ENOMEM, TH_EINTERRUPTED. */
char *th_automaton_star_free(const ThDfa *d, char *const *symbol, size_t limit, ThStop *stop,
                             ThError *err);

/* Returns new: the same, or by `counting` where counts tell the states of d apart, as a program of
 * RASP (B-RASP or C-RASP, language/program_formula.h) that defines an s-op of this name, true at
 * the last position of the words of class 1; name NULL: as a formula of the last position, with #
 * for counts.  Errors as above; TH_EVALUE where counts do not tell. */
char *th_automaton_program(const ThDfa *d, char *const *symbol, bool counting, const char *name,
                           size_t limit, ThStop *stop, ThError *err);
