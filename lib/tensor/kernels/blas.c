#include "tensor/kernels/blas.h"

#include <cblas.h>

#include "tensor/kernels/kernels_gemm.h"
#include "tensor/kernels/level.h"

static void gemm(bool ta, bool tb, const ThBlasGemm *g, const float *a, const float *b,
                 const float *row, float *c)
{
    ThKernelGemm own = {.m = g->m,
                        .n = g->n,
                        .k = g->k,
                        .a_row = ta ? 1 : g->lda,
                        .a_step = ta ? g->lda : 1,
                        .b_row = tb ? 1 : g->ldb,
                        .b_step = tb ? g->ldb : 1,
                        .c_row = g->ldc,
                        .a = a,
                        .b = b,
                        .c = c,
                        .row = row,
                        .beta = g->beta};
    if (th_kernel_is_wide() && th_kernel_gemm_pays(&own))
        th_kernel_gemm(&own);
    else if (g->m > 0 && g->n > 0) {
        for (int i = 0; row && i < g->m; i++)
            memcpy(c + (ptrdiff_t)i * g->ldc, row, (size_t)g->n * sizeof *c);
        cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                    g->m, g->n, g->k, 1.0f, a, g->lda, b, g->ldb, row ? 1 : g->beta, c, g->ldc);
    }
}

void th_blas_gemm_nn(const ThBlasGemm *g, const float *a, const float *b, float *c)
{
    gemm(false, false, g, a, b, NULL, c);
}

void th_blas_gemm_nt(const ThBlasGemm *g, const float *a, const float *b, float *c)
{
    gemm(false, true, g, a, b, NULL, c);
}

void th_blas_gemm_tn(const ThBlasGemm *g, const float *a, const float *b, float *c)
{
    gemm(true, false, g, a, b, NULL, c);
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

static void in_parts(bool ta, bool tb, const ThBlasGemm *g, const float *a, const float *b,
                     const float *row, float *c, ThStop *stop)
{
    ptrdiff_t a_row = ta ? 1 : g->lda;
    int step = stop ? rows_at_once(g) : g->m;
    for (int i = 0; i < g->m && !(step < g->m && *stop); i += step) {
        ThBlasGemm part = *g;
        part.m = g->m - i < step ? g->m - i : step;
        gemm(ta, tb, &part, a + i * a_row, b, row, c + (ptrdiff_t)i * g->ldc);
    }
}

void th_blas_gemm_stopping(ThBlasProduct *product, const ThBlasGemm *g, const float *a,
                           const float *b, float *c, ThStop *stop)
{
    in_parts(product == th_blas_gemm_tn, product == th_blas_gemm_nt, g, a, b, NULL, c, stop);
}

void th_blas_gemm_on_row(const ThBlasGemm *g, const float *a, const float *b, const float *row,
                         float *c, ThStop *stop)
{
    in_parts(false, false, g, a, b, row, c, stop);
}
