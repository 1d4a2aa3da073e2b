/* check_image.h - how the checker encloses what one step of a recurrent network makes of a set.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_PROOF_CHECK_IMAGE_H
#define TH_PROOF_CHECK_IMAGE_H

#include "proof/cell.h"
#include "proof/check_bounds.h"

/* Sets c + r A {|z| ≤ 1}: the matrices A, of which there are n, symmetric; NULL: one, the identity.
 */
typedef struct ThProofCheckImage ThProofCheckImage;

/* Returns new.  f and shape are borrowed.  TH_ENOMEM; TH_EVALUE where a matrix is not symmetric and
 * positive. */
ThProofCheckImage *th_proof_check_image_new(const ThProofCell *f, const double *shape, int n,
                                            ThError *err);
void th_proof_check_image_free(ThProofCheckImage *k); /* NULL is fine */

/* An upper bound of |A⁻¹ (next state - centre)| over a set and a symbol, A and centre being those
 * of `into`.  Not finite where there is none. */
double th_proof_check_image(ThProofCheckImage *k, const ThProofEllipsoid *from, int symbol,
                            const ThProofEllipsoid *into);

/* A lower bound of the lead of class `right` over another in the logits of a set. */
double th_proof_check_image_lead(ThProofCheckImage *k, const ThProofEllipsoid *set, int right,
                                 int other);

/* Upper bounds of |A⁻¹ v| and of the norm of A⁻¹. */
double th_proof_check_image_distance(ThProofCheckImage *k, const double *v, int shape);
double th_proof_check_image_stretch(const ThProofCheckImage *k, int shape);

#endif
