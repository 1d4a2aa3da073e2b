/* optimizer_impl.h - what update rules share; included by lib/tensor/optimizer_*.c only.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tensor/optimizers/optimizer.h"

/* Adam on a run, with weight decay in the gradient (l2) or beside it (decoupled); its moments are
 * slots 0 and 1. */
void th_optimizer_run_adam(const ThOptimizerUpdate *u, const ThOptimizerRun *r, bool decoupled);

/* The orthogonal factor of x (rows, cols), near enough: five steps of the iteration of Newton and
 * Schulz with the quintic of Jordan et al. 2024, after which singular values lie around 1.  x is
 * used up; scratch has th_optimizer_orthogonal_scratch floats.  Returns where the result is, in x
 * or in scratch; unfinished where it was stopped (`stop` may be NULL).  x = 0 gives 0. */
float *th_optimizer_orthogonal(float *x, int rows, int cols, float *scratch, ThStop *stop);
size_t th_optimizer_orthogonal_scratch(int rows, int cols);
