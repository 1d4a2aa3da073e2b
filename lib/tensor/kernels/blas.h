/* blas.h - matrix products.  The only file that knows OpenBLAS is blas.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"

/* c (m,n) = beta c + op(a) op(b), where op(a) is (m,k) and op(b) is (k,n); row-major, leading
 * dimensions in elements.  The letter after gemm says which operand is stored transposed:
 * nn: a (m,k), b (k,n);  nt: b is stored as (n,k);  tn: a is stored as (k,m). */
typedef struct {
    int m, n, k;
    int lda, ldb, ldc;
    float beta;
} ThBlasGemm;

void th_blas_gemm_nn(const ThBlasGemm *g, const float *a, const float *b, float *c);
void th_blas_gemm_nt(const ThBlasGemm *g, const float *a, const float *b, float *c);
void th_blas_gemm_tn(const ThBlasGemm *g, const float *a, const float *b, float *c);

/* One of the three that looks at the stop (which may be NULL) every tenth of a second or so, and
 * leaves c unfinished once it is set. */
typedef void ThBlasProduct(const ThBlasGemm *g, const float *a, const float *b, float *c);
void th_blas_gemm_stopping(ThBlasProduct *product, const ThBlasGemm *g, const float *a,
                           const float *b, float *c, ThStop *stop);

/* c = row + a b: each row of the product is added to `row` (n), NULL for none.  Stops likewise. */
void th_blas_gemm_on_row(const ThBlasGemm *g, const float *a, const float *b, const float *row,
                         float *c, ThStop *stop);
