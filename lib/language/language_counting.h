/* language_counting.h - formulas that count as languages: those of C-RASP, and temporal logic
 * around them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"

/* Is it a formula that counts? */
bool th_language_is_counting(const ThLanguage *l);

/* View of its formula, as it was typed. */
const char *th_language_counting_formula(const ThLanguage *l);

/* Returns new: a program of RASP that defines an s-op of this name, true at the last position of
 * the words that the formula is true of.  TH_EVALUE where what is counted, or was true before, is
 * told by later positions. */
char *th_language_counting_program(const ThLanguage *l, const char *name, ThError *err);
