#include "tensor/blas.h"

#include <cblas.h>
#include <stddef.h>

static void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, const ThBlasGemm *g, const float *a,
                 const float *b, float *c)
{
    if (g->m > 0 && g->n > 0)
        cblas_sgemm(CblasRowMajor, ta, tb, g->m, g->n, g->k, 1.0f, a, g->lda, b, g->ldb, g->beta, c,
                    g->ldc);
}

void th_blas_gemm_nn(const ThBlasGemm *g, const float *a, const float *b, float *c)
{
    gemm(CblasNoTrans, CblasNoTrans, g, a, b, c);
}

void th_blas_gemm_nt(const ThBlasGemm *g, const float *a, const float *b, float *c)
{
    gemm(CblasNoTrans, CblasTrans, g, a, b, c);
}

void th_blas_gemm_tn(const ThBlasGemm *g, const float *a, const float *b, float *c)
{
    gemm(CblasTrans, CblasNoTrans, g, a, b, c);
}

/* Rows of c in one call, which cannot be stopped.  Most products are small, and take one. */
static int rows_at_once(const ThBlasGemm *g)
{
    const double operations = 0x1p31; /* some 0.1 s */
    double row = 2.0 * g->n * g->k;
    if (row * g->m <= operations)
        return g->m;
    return row >= operations ? 1 : (int)(operations / row);
}

void th_blas_gemm_stopping(ThBlasProduct *product, const ThBlasGemm *g, const float *a,
                           const float *b, float *c, ThStop *stop)
{
    ptrdiff_t a_row = product == th_blas_gemm_tn ? 1 : g->lda;
    int step = stop ? rows_at_once(g) : g->m;
    for (int i = 0; i < g->m && !(step < g->m && *stop); i += step) {
        ThBlasGemm part = *g;
        part.m = g->m - i < step ? g->m - i : step;
        product(&part, a + i * a_row, b, c + (ptrdiff_t)i * g->ldc);
    }
}
