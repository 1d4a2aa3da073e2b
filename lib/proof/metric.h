/* metric.h - ellipsoids that a map's derivatives make smaller where they make balls larger.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"

/* The derivatives of F at the centres of x and y, whose product is `into`; x -1: there is none. */
typedef struct {
    int x, y, into;
    double *jx, *jy; /* (dim, dim) */
} ThProofSlope;

/* Fills shape (labels, dim, dim) with symmetric positive matrices A so that the slopes' greatest
 * stretch from the ellipsoids of x and y to that of `into` is small, and *stretch with an upper
 * bound of it.  mildness: how much of the identity stays in them.  TH_ENOMEM, TH_ENUMERIC,
 * TH_EINTERRUPTED. */
typedef struct {
    const ThProofSlope *slope;
    int n, labels, dim;
    double mildness;
} ThProofSlopes;
bool th_proof_metric(const ThProofSlopes *s, double *shape, double *stretch, ThStop *stop,
                     ThError *err);
