/* kernels_impl.h - what the kernel files share, which include it before all else: with it they are
 * those of a level, see dispatch.h.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <math.h>
#include <stddef.h>

#ifndef TH_KERNEL_LEVEL
#define TH_KERNEL_LEVEL plain
#endif
#include "tensor/kernels/dispatch.h"

/* max(0, x) without a comparison: under -ffast-math a comparison may turn NaN into 0, and a model
 * that has diverged would go on with a finite loss. */
static inline float th_kernel_relu_of(float x)
{
    return 0.5f * (x + fabsf(x));
}

/* By the hyperbolic tangent, which cannot overflow and takes no division. */
static inline float th_kernel_sigmoid_of(float x)
{
    return 0.5f + 0.5f * tanhf(0.5f * x);
}

/* Moments of a parameter whose gradient has become zero decay without end, and arithmetic on
 * denormal numbers takes forty times as long.  What is dropped here moves no parameter: beside
 * eps 1e-8 it is nothing. */
static inline float th_tape_drop_tiny(float x)
{
    return fabsf(x) < 1e-36f ? 0 : x;
}

/* dx = dy gelu'(x), for kernels only. */
TH_KERNEL(void, th_kernel_gelu_back)(float *dx, const float *dy, const float *x, size_t n);
