/* check_bounds.h - how the checker encloses what F makes of two sets.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_PROOF_CHECK_BOUNDS_H
#define TH_PROOF_CHECK_BOUNDS_H

#include "proof/map.h"

/* Sets c + r A {|z| ≤ 1}: the matrices A, of which there are n, symmetric; NULL: one, the identity.
 */
typedef struct ThProofBounds ThProofBounds;

/* Returns new.  f and shape are borrowed.  TH_ENOMEM; TH_EVALUE where a matrix is not symmetric and
 * positive. */
ThProofBounds *th_proof_bounds_new(const ThProofMap *f, const double *shape, int n, ThError *err);
void th_proof_bounds_free(ThProofBounds *b); /* NULL is fine */

typedef struct {
    const double *centre;
    double radius;
    int shape;
} ThProofEllipsoid;

/* An upper bound of |A⁻¹ (F(x, y) - centre)| over all x and y of two sets, x NULL: nothing, A and
 * centre being those of `into`.  Not finite where there is none. */
double th_proof_bounds_image(ThProofBounds *b, const ThProofEllipsoid *x, const ThProofEllipsoid *y,
                             const ThProofEllipsoid *into);

/* Upper bounds of |A⁻¹ (v - centre)| for a vector v, of |A v|, and of the norm of A⁻¹. */
double th_proof_bounds_point(ThProofBounds *b, const double *v, const ThProofEllipsoid *into);
double th_proof_bounds_width(ThProofBounds *b, const double *v, int shape);
double th_proof_bounds_stretch(ThProofBounds *b, int shape);

#endif
