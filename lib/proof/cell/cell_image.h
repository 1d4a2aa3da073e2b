/* cell_image.h - where one step of a recurrent network takes a whole set of states.
 *
 * By the mean value theorem: every unit's output differs from that at the centre by slopes times
 * what goes into it, and over a set the slopes lie in intervals.  Their middles make a linear map,
 * what they spread around them a box; where the step is linear it is all there is.  Rounding is
 * covered by TH_PROOF_BUDGET, as in enclosure.h.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/cell/cell.h"
#include "proof/tree/enclosure.h"

typedef struct ThProofCellImage ThProofCellImage;

/* Returns new: for ellipsoids of n matrices, shape (n, dim, dim) symmetric and positive, which are
 * borrowed as f is; NULL: there is one, the identity.  TH_ENOMEM, TH_ENUMERIC. */
ThProofCellImage *th_proof_cell_image_new(const ThProofCell *f, const double *shape, int n,
                                          ThError *err);
void th_proof_cell_image_free(ThProofCellImage *e); /* NULL is fine */

/* Finds where a symbol takes a set. */
void th_proof_cell_image_find(ThProofCellImage *e, const ThProofBall *from, int symbol);

/* Of what was found: the linear part (dim, dim), a view; and the smallest r of which it is known
 * that it lies in centre + r A {|z| <= 1} of a target, budget included. */
const double *th_proof_cell_image_linear(const ThProofCellImage *e);
double th_proof_cell_image_reach(ThProofCellImage *e, const ThProofBall *target);

/* By how much, at least, the logit of class `right` leads that of `other` everywhere in a set,
 * budget included. */
double th_proof_cell_image_lead(ThProofCellImage *e, const ThProofBall *b, int right, int other);

/* |A⁻¹ v|, and the largest factor by which A⁻¹ stretches. */
double th_proof_cell_image_distance(ThProofCellImage *e, int shape, const double *v);
double th_proof_cell_image_stretch(const ThProofCellImage *e, int shape);
