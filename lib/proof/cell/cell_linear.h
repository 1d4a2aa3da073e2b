/* cell_linear.h - a cell whose steps are linear: what an lrnn of one layer does with each symbol.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/cell/cell.h"
#include "proof/map_impl.h"

/* Reads transitions, inputs, the start and the read-out; where that fails r->failed is set. */
void th_proof_cell_read_linear(ThProofReader *r, ThProofCell *f);

/* The logits that are read off a state. */
void th_proof_cell_linear_logits(const ThProofCell *f, const double *state, double *logits);
