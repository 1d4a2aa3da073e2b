/* arithmetic.h - numbers as they are typed, and what is computed from them: 1e6, 2*(3+1), 10^6-1.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* An integer as it is typed: 1000000, 1_000_000, 1e6 or 10^6; false for anything else, and for what
 * 64 bits do not hold. */
bool th_integer_read(const char *text, long long *value);

/* The value of a text: numbers with + - * / % ^ and brackets, as they bind in arithmetic; ^ groups
 * from the right.  Whole numbers are exact, and a division that leaves no rest is one.  False for
 * anything else, for a whole number that 64 bits do not hold, and where an integer is wanted and
 * the value is none; a real is finite. */
bool th_integer_evaluate(const char *text, long long *value);
bool th_real_evaluate(const char *text, double *value);

/* The greatest common divisor; of 0 and b it is b. */
uint64_t th_common_divisor(uint64_t a, uint64_t b);
