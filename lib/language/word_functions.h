/* word_functions.h - functions of words that papers ask for: languages and tasks are made of them.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <gmp.h>

#include "base/rng.h"

/* Writes f(w), n symbols, too; `to` does not overlap w. */
typedef void ThLanguageFunction(const int *w, int n, int *to);
void th_language_same(const int *w, int n, int *to);
void th_language_reversed(const int *w, int n, int *to);
void th_language_odds_first(const int *w, int n, int *to); /* the 1st, 3rd, … then the 2nd, … */
void th_language_sorted(const int *w, int n, int *to);

/* Sets x to the number whose bits stand in w, the lowest first. */
void th_language_number(mpz_t x, const int *w, int n);

/* Sets x to a uniform number of 0 … most, exactly; most ≥ 0. */
void th_language_uniform_number(mpz_t x, const mpz_t most, ThRng *r);
