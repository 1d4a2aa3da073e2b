/* cascade.h - the levels of a star-free language's cascade as formulas of the past.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/logic/formula.h"

/* Fill an empty *f with what is true at the last position of exactly the non-empty words of class
 * 1; letters are d's symbols.  *f is to be freed in any case.  The first takes the levels of the
 * cascade, of which each is in the tile where its last reset put it; errors as
 * th_automaton_star_free.  The second is shorter, and for machines that never come back to a state
 * that they left; TH_EVALUE for others. */
bool th_automaton_formula_cascade(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                                  size_t limit, ThStop *stop, ThError *err);
bool th_automaton_formula_ordered(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                                  ThError *err);

/* The one that fits. */
bool th_automaton_formula_of(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                             size_t limit, ThStop *stop, ThError *err);
