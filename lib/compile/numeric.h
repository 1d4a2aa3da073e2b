/* numeric.h - values that are told from a sum of numbers: how a comparison or a difference of
 * counts is computed without a unit for every pair of values.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "compile/observe.h"

/* Which of its values a base (of TH_COMPILE_TOKENS …) has in a row, from 0. */
int th_compile_value(const ThCompileObserved *o, int base, int row);

/* The number that a base has in a row: what a head averages, a position, a value that is a number;
 * NAN where it is none. */
double th_compile_number(const ThCompileObserved *o, int base, int row);

/* weight (n_bases) <- factors of the numbers of a column's bases, of the sum of which the column is
 * a function, whose value changes as seldom as any; all 0: there are none, or a unit for each tuple
 * of values is less.  TH_ENOMEM. */
bool th_compile_numeric(const ThCompileObserved *o, const ThCompileColumn *c, double *weight,
                        ThError *err);
