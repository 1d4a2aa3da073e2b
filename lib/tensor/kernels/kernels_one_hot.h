/* kernels_one_hot.h - the loops of th_op_scan_one_hot.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* map[j] = the row of the greatest number in column j of m (n,n), or its column in row j.  best (n)
 * is scratch. */
TH_KERNEL(void, th_kernel_one_hot)(const float *m, int n, bool by_columns, int *map, float *best);

/* m becomes the gradient of m where dp is that of its softmax by columns, or by rows; scratch
 * (3n). */
TH_KERNEL(void, th_kernel_one_hot_back)
(float *m, const float *dp, int n, bool by_columns, float *scratch);

/* p (n,n) += x yᵀ + v wᵀ. */
TH_KERNEL(void, th_kernel_two_outer)(float *p, const float *const x[4], int n);
