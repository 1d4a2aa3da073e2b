/* kernels_elementwise.h - the vector loops behind the elementwise operations, reductions and
 * products with rows and columns.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stddef.h>

#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/dispatch.h"

/* y = f(x), and dx = dy f'(x), where y = f(x).  NULL: the function has no kernel of its own. */
typedef struct {
    void (*forward)(float *y, const float *x, size_t n);
    void (*back)(float *dx, const float *dy, const float *x, const float *y, size_t n);
} ThKernelMap;
TH_KERNEL(const ThKernelMap *, th_kernel_map)(ThOpMap f);

/* Operands and result of a function of two numbers. */
typedef struct {
    const float *a, *b, *y;
} ThKernelPair;

/* y = f(a, b), and the gradients of a and of b; NULL: dy itself. */
typedef struct {
    void (*forward)(float *y, const float *a, const float *b, size_t n);
    void (*back[2])(float *dx, const float *dy, const ThKernelPair *at, size_t n);
} ThKernelZip;
TH_KERNEL(const ThKernelZip *, th_kernel_zip)(ThOpZip f);

/* y = by x + plus; y += a ∘ b. */
TH_KERNEL(void, th_kernel_affine)(float *y, const float *x, float by, float plus, size_t n);
TH_KERNEL(void, th_kernel_add_product)(float *y, const float *a, const float *b, size_t n);

/* Matrices (n,d).  y = a ∘ row, y = a ∘ column; Σ over rows or columns of a ∘ b are written as
 * sum = beta sum + …, sum being (d) or (n). */
TH_KERNEL(void, th_kernel_times_row)(float *y, const float *a, const float *row, int n, int d);
TH_KERNEL(void, th_kernel_times_column)
(float *y, const float *a, const float *column, int n, int d);
TH_KERNEL(void, th_kernel_product_column_sums)
(float *sum, const float *a, const float *b, int n, int d, float beta);
TH_KERNEL(void, th_kernel_product_row_sums)
(float *sum, const float *a, const float *b, int n, int d, float beta);
TH_KERNEL(void, th_kernel_row_sums)(float *sum, const float *a, int n, int d);

/* Nesterov's momentum: m = momentum m + clip g, x = clip g + momentum m. */
TH_KERNEL(void, th_kernel_momentum)
(float *x, float *m, const float *g, float momentum, float clip, size_t n);

/* dx = beta dx + y ∘ (dy - Σ dy ∘ y), row by row: backward through a softmax. */
TH_KERNEL(void, th_kernel_softmax_back)
(float *dx, const float *dy, const float *y, int n, int d, float beta);
