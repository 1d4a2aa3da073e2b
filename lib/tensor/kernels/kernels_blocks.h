/* kernels_blocks.h - the loops of th_op_bound_blocks.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* n blocks of k rows and columns, row by row. */
typedef struct {
    size_t n;
    int k;
    float p;
    bool centred;
    const float *r;
    float *y, *sums, *scratch; /* sums (n,k): Σ|r|^p of the columns; scratch (2k+2,k) */
} ThKernelBlocks;

TH_KERNEL(void, th_kernel_bound_blocks)(const ThKernelBlocks *b);

/* Adds to dr, or sets it where beta is 0. */
TH_KERNEL(void, th_kernel_bound_blocks_back)
(const ThKernelBlocks *b, const float *dy, float *dr, float beta);
