#include "tensor/blas.h"

#include <cblas.h>

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
