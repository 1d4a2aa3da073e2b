/* number.h - exact quotients and exact sums of floats.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 ThRaspWide;
__extension__ typedef unsigned __int128 ThRaspUWide;

/* The float nearest to a / b, ties to even; b is not 0. */
double th_rasp_ratio(int64_t a, int64_t b);

/* The float nearest to a · 2^e / b, ties to even; |a| < 2^126, b > 0, and the result is finite. */
double th_rasp_wide_ratio(ThRaspWide a, int e, uint64_t b);

/* A sum of floats that never rounds: a fixed-point number wide enough for all of them.
 * Zero-initialised it is 0. */
enum { TH_RASP_SUM_LIMBS = 67 };
typedef struct {
    int64_t limb[TH_RASP_SUM_LIMBS + 1]; /* of 32 bits, the rest is carries to come */
    unsigned added;                      /* since carries were last passed on */
} ThRaspSum;
void th_rasp_sum_add(ThRaspSum *s, double x); /* x is finite */
void th_rasp_sum_add_int(ThRaspSum *s, int64_t i);
double th_rasp_sum_mean(ThRaspSum *s,
                        uint64_t count); /* the float nearest to the sum / count; count ≥ 1 */
