/* counts.h - languages whose states counting tells apart, as formulas of counts.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/logic/formula.h"

/* Fills an empty *f with what is true at the last position of exactly the non-empty words of class
 * 1, made of letters and sums of counts that are compared with numbers (C-RASP, Yang and Chiang
 * 2024); letters are d's symbols, d is minimal.  TH_EVALUE, with two states that no counting tells
 * apart, for other languages; TH_ELIMIT where numbers are too large; TH_ENOMEM, TH_EINTERRUPTED. */
bool th_automaton_formula_counting(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                                   ThStop *stop, ThError *err);
