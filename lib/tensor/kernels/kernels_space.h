/* kernels_space.h - the loops of state space models and convolutions, see th_op_state_space and
 * th_op_convolve.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* The numbers of one column: of n complex numbers, real parts, and `apart` behind each its
 * imaginary part.  a, b and c lie 2 apart behind each other; then w and v, if rank_one. */
typedef struct {
    int T, n;
    size_t apart;
    bool products, rank_one;
    const float *modes, *u; /* u (T) */
    float *x, *y;           /* (T+1, 2n), of which the first row is given; (T) */
} ThKernelSpace;

TH_KERNEL(void, th_kernel_space)(const ThKernelSpace *s);

/* Its backward pass, after x is filled.  dmodes is added to, du (T) is written; g (2n) begins as
 * zeros and ends as the gradient of the first state. */
typedef struct {
    const ThKernelSpace *forward;
    const float *dy;
    float *du, *dmodes, *g;
} ThKernelSpaceBack;

TH_KERNEL(void, th_kernel_space_back)(const ThKernelSpaceBack *b);

/* y (T, d) = the causal convolution of u (T, d) with kernel (L, d); y is added to.  Backwards: du
 * and dkernel are added to. */
typedef struct {
    int T, L, d;
    const float *u, *kernel;
    float *y;
} ThKernelConvolve;

TH_KERNEL(void, th_kernel_convolve)(const ThKernelConvolve *c);
TH_KERNEL(void, th_kernel_convolve_back)
(const ThKernelConvolve *c, const float *dy, float *du, float *dkernel);
