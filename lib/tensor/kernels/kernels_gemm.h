/* kernels_gemm.h - products in which one matrix is small, as the weights of a narrow layer are.
 * OpenBLAS copies both operands to an order of its own, which costs as much as a product with an
 * inner dimension of 64; here the large one is read where it lies, 1.1 to 1.5 times as fast, and
 * weights of any size that few rows are multiplied with 1.2 to 5 times.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* c (m,n) = beta c + a b, or with `row` (n) a b, to each row of which it is added.  Elements are
 * a[i*a_row + p*a_step], b[p*b_row + j*b_step] and c[i*c_row + j]. */
typedef struct {
    int m, n, k;
    ptrdiff_t a_row, a_step, b_row, b_step, c_row;
    const float *a, *b, *row; /* row: or NULL */
    float *c;
    float beta;
} ThKernelGemm;

/* Does it pay for these sizes and strides?  To be asked where th_kernel_is_wide. */
bool th_kernel_gemm_pays(const ThKernelGemm *g);

/* Each number is a sum in the order of p, the same whatever m and n are, but for rows of up to
 * eight by columns whose terms lie behind each other. */
void th_kernel_gemm(const ThKernelGemm *g);
