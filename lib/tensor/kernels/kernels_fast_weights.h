/* kernels_fast_weights.h - the loops of th_op_fast_weights.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* What a head of a string reads at its first position, and how far behind is the same at the next
 * one.  Gradients lie in the same way. */
typedef struct {
    float *q, *k, *v, *rate, *keep, *time; /* rate, keep and time may be NULL */
} ThKernelFastRow;

typedef struct {
    int T, rows, cols, steps;         /* of the matrix */
    bool negative;                    /* decays are 2 exp(…) - 1 */
    size_t q, k, v, rate, keep, time; /* from position to position */
    size_t k_step, v_step, rate_step; /* from step to step of one */
    size_t y, decay_row;              /* from y to y; from row to row of decay */
    ThKernelFastRow in;
    const float *decay; /* (rows, cols), where there is `time` */
    float *out;         /* what is read */
    float *s; /* (T*steps + 1, rows, cols), of which the first is given; or, in place, that */
    bool in_place;
    float *states; /* (T, cols, rows), from position to position `state` numbers; or NULL */
    size_t state;
} ThKernelFastWeights;

TH_KERNEL(void, th_kernel_fast_weights)(const ThKernelFastWeights *w);

/* Its backward pass, after s is filled, not in place; gradients are added to.  g (rows, cols)
 * begins as zeros and ends as the gradient of the first matrix; scratch (rows*cols + 3 cols). */
typedef struct {
    const ThKernelFastWeights *forward;
    const float *dy; /* as forward->out */
    ThKernelFastRow to;
    float *ddecay, *g, *scratch;
} ThKernelFastWeightsBack;

TH_KERNEL(void, th_kernel_fast_weights_back)(const ThKernelFastWeightsBack *b);
