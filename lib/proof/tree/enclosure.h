/* enclosure.h - where the map F of a model takes whole sets of vectors.
 *
 * x and y range over ellipsoids, c + r A z with |z| ≤ 1.  What F makes of them is enclosed in a set
 * of the form
 *
 *     centre + gx zx + gy zy + {e: e eᵀ ≤ q} + Σ box[j] b_j,   |b_j| ≤ 1
 *
 * in which zx and zy are the very vectors that say where in their ellipsoids x and y lie: so a
 * first-order form with a remainder.  Attention, both layer norms and ReLU each add to the
 * remainder what they differ from their linear parts by.
 *
 * All is computed in double precision, rounded to nearest; who compares the results with a radius
 * adds TH_PROOF_BUDGET, which is orders of magnitude more than what the roundings of some thousand
 * operations on numbers below a thousand can add up to.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/map.h"

/* Of every bound, relative and absolute. */
static const double TH_PROOF_BUDGET = 1e-9;

/* An ellipsoid; `shape` is the number of its matrix A. */
typedef struct {
    const double *centre; /* (dim) */
    double radius;
    int shape;
} ThProofBall;

typedef struct {
    int dim, n_box;
    double *centre;  /* (dim) */
    double *gx, *gy; /* (dim, dim): columns belong to the coordinates of zx and zy */
    double *q;       /* (dim, dim) */
    double *box;     /* (n_box, dim) */
} ThProofSet;

typedef struct ThProofEnclosure ThProofEnclosure;

/* Returns new: for ellipsoids of n_shapes ≥ 1 matrices A, shape (n_shapes, dim, dim) symmetric and
 * positive, which are copied; NULL: there is one, the identity.  f is borrowed.  TH_ENOMEM,
 * TH_ENUMERIC. */
ThProofEnclosure *th_proof_enclosure_new(const ThProofMap *f, const double *shape, int n_shapes,
                                         ThError *err);
void th_proof_enclosure_free(ThProofEnclosure *e); /* NULL is fine */

/* Returns a view that lives until the next call: a set with F(x, y) for all x and y of two balls; x
 * NULL: the earlier child is missing. */
const ThProofSet *th_proof_enclose(ThProofEnclosure *e, const ThProofBall *x, const ThProofBall *y);

/* Upper bounds of the spectral norms of the last set's gx and gy. */
void th_proof_norms(ThProofEnclosure *e, double *x, double *y);

/* The smallest r of which it is known that the last set lies in centre + r A {|z| ≤ 1} of a target,
 * budget included: not finite where numbers overflowed.  Uses the set up.  TH_ENOMEM, TH_ENUMERIC:
 * false. */
bool th_proof_reach(ThProofEnclosure *e, const ThProofBall *target, double *reach, ThError *err);

/* |A⁻¹ v|, and the largest factor by which A⁻¹ stretches. */
double th_proof_distance(const ThProofEnclosure *e, int shape, const double *v);
double th_proof_stretch(const ThProofEnclosure *e, int shape);
