/* kernels.h - the vector loops behind the fast operations.
 *
 * kernels.c is compiled with -O3 -ffast-math, so that loops over expf become vector code; no
 * comparison here may depend on NaN or infinity.  They must reach the loss by arithmetic.  Each
 * loop is compiled for several processors and chosen when the program starts.  Arrays may be
 * unaligned; x and y of one call may be the same array unless said otherwise.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/kernels/dispatch.h"

/* y += x, y *= x, y += s x, y = s x; returns Σ x², which is not finite if an x is not. */
TH_KERNEL(void, th_kernel_add)(float *y, const float *x, size_t n);
TH_KERNEL(void, th_kernel_multiply)(float *y, const float *x, size_t n);
TH_KERNEL(void, th_kernel_add_scaled)(float *y, const float *x, float s, size_t n);
TH_KERNEL(void, th_kernel_scale)(float *y, const float *x, float s, size_t n);
TH_KERNEL(double, th_kernel_sum_squares)(const float *x, size_t n);

/* Rows of a matrix (n,d). */
TH_KERNEL(void, th_kernel_bias)(float *y, const float *bias, int n, int d); /* y += bias */
TH_KERNEL(void, th_kernel_column_sums)(float *sum, const float *x, int n, int d, float beta);

/* Rows y (n,d) = beta y + xᵀ dy, where k rows of dy have d numbers each, those of x x_cols, of
 * which the first n count.  Each number is the sum in the order of the rows, and then added. */
typedef struct {
    const float *x, *dy;
    int n, d, k, x_cols;
    float beta;
} ThKernelOuter;
TH_KERNEL(void, th_kernel_outer)(const ThKernelOuter *o, float *y);

/* y = max(0, x). */
TH_KERNEL(void, th_kernel_relu)(float *y, const float *x, size_t n);

/* dx = dy where y > 0, else 0. */
TH_KERNEL(void, th_kernel_relu_back)(float *dx, const float *dy, const float *y, size_t n);

/* The exact gelu and its derivative at x. */
TH_KERNEL(void, th_kernel_gelu)(float *y, const float *x, size_t n);
TH_KERNEL(void, th_kernel_gelu_slope)(float *y, float *x, size_t n); /* x becomes the derivatives */

TH_KERNEL(void, th_kernel_sigmoid)(float *y, const float *x, size_t n);

/* Softmax of one row in place; returns the logarithm of the sum of exponentials.  The same of n
 * rows of d numbers, with log_sum (n). */
TH_KERNEL(float, th_kernel_softmax)(float *x, int n);
TH_KERNEL(void, th_kernel_softmax_rows)(float *x, int n, int d, float *log_sum);

/* Standard normal numbers from words of random bits, two a word; first and second have n each. */
TH_KERNEL(void, th_kernel_normals)(float *first, float *second, const uint64_t *bits, size_t n);

/* Layer normalisation of a + b (b may be NULL): y (n,d) receives the result, mean and rstd (n) the
 * rows' means and reciprocal deviations. */
typedef struct {
    const float *a, *b, *gain, *offset;
    float *y, *mean, *rstd;
    int n, d;
} ThKernelLayerNorm;
TH_KERNEL(void, th_kernel_layer_norm)(const ThKernelLayerNorm *l);

/* Its backward pass: da = beta da + …, the same for db if there is b; dgain and doffset are added
 * to.  Normalised rows are computed once more, which is faster than to write and read them. */
typedef struct {
    const ThKernelLayerNorm *forward;
    const float *dy;
    float *da, *db, *dgain, *doffset;
    float beta_a, beta_b;
} ThKernelLayerNormBack;
TH_KERNEL(void, th_kernel_layer_norm_back)(const ThKernelLayerNormBack *l);

/* One step of Adam on n numbers.  g is multiplied by `clip` first and l2·w added to it; `decay` is
 * the decoupled weight decay (AdamW), already multiplied by the learning rate. */
typedef struct {
    float rate, beta1, beta2, eps, clip, l2, decay;
    float correct1, correct2; /* 1/(1-β₁ᵗ), 1/(1-β₂ᵗ) */
} ThKernelAdam;
TH_KERNEL(void, th_kernel_adam)
(const ThKernelAdam *a, float *w, float *m, float *v, const float *g, size_t n);

/* Attention over C listed keys, see th_op_window_attention: q (·,d), kv (·,2d), bias (heads,C),
 * query (n), key (n,C); weight (n,heads,C) and y (n,d) are written. */
typedef struct {
    const float *q, *kv, *bias;
    const int *query, *key;
    float *weight, *y;
    int n, C, heads, d;
} ThKernelWindow;
TH_KERNEL(void, th_kernel_window)(const ThKernelWindow *a);

/* Its backward pass: dq, dkv and dbias are added to; scratch (C). */
typedef struct {
    const ThKernelWindow *forward;
    const float *dy;
    float *dq, *dkv, *dbias, *scratch;
} ThKernelWindowBack;
TH_KERNEL(void, th_kernel_window_back)(const ThKernelWindowBack *b);
