/* rounding.h - what arithmetic loses.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <math.h>

/* Rounding to the nearest, relative: of floats; and of doubles, of which a bound has a good many
 * more than a run, for it carries a set along: all of its generators meet the same matrices. */
static const double TH_PROOF_FLOAT_UNIT = 0x1p-24, TH_PROOF_DOUBLE_UNIT = 0x1p-44;

/* What a product or sum can lose besides, where it underflows. */
static const double TH_PROOF_UNDERFLOW = 1e-30;

/* Bounds of what a sum of n products is off by in arithmetic that rounds by u, whatever their order
 * and with or without fused steps: γ = n u / (1 - n u) of the sum of their magnitudes (Higham 2002,
 * section 3.1; infinite where n u is no small number). */
static inline double th_proof_gamma(double u, double n)
{
    return n * u < 0.5 ? n * u / (1 - n * u) : (double)INFINITY;
}
