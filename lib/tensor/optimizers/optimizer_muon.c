/* Muon (Jordan et al. 2024): the momentum of a hidden matrix is replaced by its orthogonal factor,
 * so that a step moves all directions alike.  Everything else, embeddings, heads, biases and norms,
 * is left to Adam. */
#include <math.h>

#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/optimizers/optimizer_impl.h"

enum { STEPS = 5 };

/* The quintic a x + b x³ + c x⁵, by the same source: steep at 0, and near 1 between 0.7 and 1.2. */
static const float a = 3.4445f, b = -4.775f, c = 2.0315f;

/* With 0.2 √max(rows, cols) an element moves as far as by Adam (Liu et al. 2025); three times as
 * far is what small models on formal languages can take. */
static const double SCALE = 3 * 0.2;

static size_t square(int rows, int cols)
{
    size_t inner = (size_t)(rows < cols ? rows : cols);
    return inner * inner;
}

size_t th_optimizer_orthogonal_scratch(int rows, int cols)
{
    return (size_t)rows * (size_t)cols + 2 * square(rows, cols);
}

/* y = a x + (b s + c s²) x, where s = x xᵀ; or from the other side, where that is smaller. */
static void newton_schulz(const float *x, float *y, int rows, int cols, float *scratch,
                          ThStop *stop)
{
    size_t size = square(rows, cols);
    int k = rows < cols ? rows : cols, inner = rows < cols ? cols : rows;
    float *s = scratch, *p = scratch + size;
    bool wide = rows <= cols;
    th_blas_gemm_stopping(wide ? th_blas_gemm_nt : th_blas_gemm_tn,
                          &(ThBlasGemm){k, k, inner, cols, cols, k, 0}, x, x, s, stop);
    th_blas_gemm_stopping(th_blas_gemm_nn, &(ThBlasGemm){k, k, k, k, k, k, 0}, s, s, p, stop);
    th_kernel_scale(p, p, c, size);
    th_kernel_add_scaled(p, s, b, size);
    memcpy(y, x, (size_t)rows * (size_t)cols * sizeof *y);
    int ld = wide ? k : cols;
    th_blas_gemm_stopping(th_blas_gemm_nn,
                          &(ThBlasGemm){rows, cols, k, ld, wide ? cols : k, cols, a}, wide ? p : x,
                          wide ? x : p, y, stop);
}

float *th_optimizer_orthogonal(float *x, int rows, int cols, float *scratch, ThStop *stop)
{
    size_t n = (size_t)rows * (size_t)cols;
    float *y = scratch, *squares = scratch + n;
    th_kernel_scale(x, x, (float)(1 / (sqrt(th_kernel_sum_squares(x, n)) + 1e-7)), n);
    for (int step = 0; step < STEPS && !(stop && *stop); step++) {
        newton_schulz(x, y, rows, cols, squares, stop);
        float *next = x;
        x = y;
        y = next;
    }
    return x;
}

/* What the matrix moves along, to slot 1, which is of no other use to a hidden matrix. */
static void prepare(const ThOptimizerUpdate *u, const ThOptimizerRun *r)
{
    size_t cols = (size_t)r->cols, stride = (size_t)r->stride, row = cols * sizeof *r->scratch;
    float *x = r->scratch, *rest = x + (size_t)r->rows * cols;
    for (size_t i = 0; i < (size_t)r->rows; i++) {
        memcpy(r->slot[1] + i * stride, r->slot[0] + i * stride, row);
        th_kernel_momentum(x + i * cols, r->slot[1] + i * stride, r->g + i * stride,
                           (float)u->momentum, (float)u->clip, cols);
    }
    const float *step = th_optimizer_orthogonal(x, r->rows, r->cols, rest, u->stop);
    for (size_t i = 0; i < (size_t)r->rows; i++)
        memcpy(r->slot[1] + i * stride, step + i * cols, row);
}

static void update_hidden(const ThOptimizerUpdate *u, const ThOptimizerRun *r)
{
    size_t cols = (size_t)r->cols, stride = (size_t)r->stride;
    double longest = r->rows > r->cols ? r->rows : r->cols;
    float by = (float)(-u->rate * SCALE * sqrt(longest));
    float keep = (float)(1 - (r->decays ? u->rate * u->decay : 0));
    for (size_t i = 0; i < (size_t)r->rows; i++) {
        float *w = r->w + i * stride, *step = r->slot[1] + i * stride;
        th_kernel_momentum(r->scratch, r->slot[0] + i * stride, r->g + i * stride,
                           (float)u->momentum, (float)u->clip, cols);
        th_kernel_scale(w, w, keep, cols);
        th_kernel_add_scaled(w, step, by, cols);
        memset(step, 0, cols * sizeof *step);
    }
}

static void update(const ThOptimizerUpdate *u, const ThOptimizerRun *r)
{
    if (r->rows > 0)
        update_hidden(u, r);
    else
        th_optimizer_run_adam(u, r, true);
}

static size_t scratch(int rows, int cols)
{
    return (size_t)rows * (size_t)cols + th_optimizer_orthogonal_scratch(rows, cols);
}

const ThOptimizer th_optimizer_muon = {
    .name = "muon",
    .summary = "orthogonal steps of hidden matrices (momentum 0.95), AdamW for the rest",
    .source = "Jordan et al. 2024; scale by Liu et al. 2025, section 2.2, times 3",
    .slots = 2,
    .whole = true,
    .momentum = 0.95,
    .prepare = prepare,
    .update = update,
    .scratch = scratch,
};
