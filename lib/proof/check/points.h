/* points.h - what a run of a map of two vectors rounds, of many pairs of points at once.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/map.h"

typedef struct ThProofPoints ThProofPoints;

/* Returns new: room for up to `most` pairs of points of the map, which is borrowed.  TH_ENOMEM. */
ThProofPoints *th_proof_points_new(const ThProofMap *f, int most, ThError *err);
void th_proof_points_free(ThProofPoints *p); /* NULL is fine */
TH_RELEASES(th_proof_points_free, ThProofPoints)

/* All (n, dim), borrowed. */
typedef struct {
    const double *x, *y, *z; /* z: near F(x, y) */
    int n;
    bool missing; /* there is no earlier child; x holds the map's pad */
    bool leaves;  /* y, and x where it is one, are embedded symbols, which a run rounds, too */
} ThProofPointRows;

/* off (n) <- how far F(x, y) can be from z in a run whose roundings are `unit`, relative, at most:
 * a Euclidean distance; infinite or NaN where there is no bound. */
void th_proof_points_off(ThProofPoints *p, const ThProofPointRows *r, double unit, double *off);
