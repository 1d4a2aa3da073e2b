#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_blocks.h"

#define INLINE static inline __attribute__((always_inline))

/* |x|^power, where 0 counts as 1e-30. */
INLINE void powers(float *to, const float *x, float power, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = expf(power * logf(fabsf(x[i]) + 1e-30f));
}

INLINE void column_sums(float *to, const float *x, int k)
{
    for (int j = 0; j < k; j++)
        to[j] = 0;
    for (int i = 0; i < k; i++)
#pragma omp simd
        for (int j = 0; j < k; j++)
            to[j] += x[i * k + j];
}

INLINE int greatest(const float *x, int k)
{
    int at = 0;
    for (int j = 1; j < k; j++)
        at = x[j] > x[at] ? j : at;
    return at;
}

/* What the columns are multiplied by: the same for all of a block that is centred. */
INLINE void shares(float *to, const float *sums, const ThKernelBlocks *b, int k)
{
    float top = b->centred ? powf(sums[greatest(sums, k)] + 1e-30f, -1 / b->p) : 1;
    for (int j = 0; j < k; j++)
        to[j] = b->centred || !(sums[j] > 1) ? top : powf(sums[j], -1 / b->p);
}

/* Takes the means off the columns; `mean` is room for them. */
INLINE void centre(float *x, float *mean, int k)
{
    column_sums(mean, x, k);
    for (int i = 0; i < k; i++)
#pragma omp simd
        for (int j = 0; j < k; j++)
            x[i * k + j] -= mean[j] / (float)k;
}

/* What is alone in its column and longer than 1 is made 1 without rounding: products of many such
 * matrices stay what they are. */
INLINE void settle(float *y, const float *r, const float *sums, int k)
{
    for (int j = 0; j < k; j++) {
        int others = 0, at = 0;
        for (int i = 0; i < k; i++) {
            others += r[i * k + j] != 0;
            at = r[i * k + j] != 0 ? i : at;
        }
        if (others == 1 && sums[j] > 1)
            y[at * k + j] = copysignf(1, r[at * k + j]);
    }
}

INLINE void bound(const ThKernelBlocks *b, int k)
{
    float *share = b->scratch + k * k;
    for (size_t at = 0; at < b->n; at++) {
        const float *r = b->r + at * (size_t)(k * k);
        float *y = b->y + at * (size_t)(k * k), *sums = b->sums + at * (size_t)k;
        for (int i = 0; i < k * k; i++)
            y[i] = r[i];
        if (b->centred)
            centre(y, share, k);
        powers(b->scratch, y, b->p, k * k);
        column_sums(sums, b->scratch, k);
        shares(share, sums, b, k);
        for (int i = 0; i < k; i++)
#pragma omp simd
            for (int j = 0; j < k; j++)
                y[i * k + j] *= share[j];
        if (!b->centred)
            settle(y, r, sums, k);
    }
}

TH_KERNEL(void, th_kernel_bound_blocks)(const ThKernelBlocks *b)
{
    if (b->k == 8)
        bound(b, 8);
    else
        bound(b, b->k);
}

/* How much of the columns' own direction is taken off their gradients: of those that were made
 * smaller, Σ dy y; in a centred block the greatest made all smaller. */
INLINE void pulls(float *to, float *product, const float *dy, const float *y, const float *sums,
                  bool centred, int k)
{
    for (int i = 0; i < k * k; i++)
        product[i] = dy[i] * y[i];
    column_sums(to, product, k);
    float total = 0;
    for (int j = 0; j < k; j++)
        total += to[j];
    for (int j = 0; j < k; j++)
        to[j] = centred ? 0 : sums[j] > 1 ? to[j] : 0;
    if (centred)
        to[greatest(sums, k)] = total;
}

/* The slope of a column's norm at y, whose norm is 1, is sign(y) |y|^(p-1). */
INLINE void bound_back(const ThKernelBlocks *b, const float *dy, float *dr, float beta, int k)
{
    float *slope = b->scratch, *pull = slope + k * k, *share = pull + k, *g = share + k;
    for (size_t at = 0; at < b->n; at++) {
        size_t from = at * (size_t)(k * k);
        const float *y = b->y + from, *sums = b->sums + at * (size_t)k;
        pulls(pull, slope, dy + from, y, sums, b->centred, k);
        shares(share, sums, b, k);
        powers(slope, y, b->p - 1, k * k);
        for (int i = 0; i < k; i++) {
#pragma omp simd
            for (int j = 0; j < k; j++) {
                float along = copysignf(slope[i * k + j], y[i * k + j]);
                g[i * k + j] = (dy[from + (size_t)(i * k + j)] - pull[j] * along) * share[j];
            }
        }
        if (b->centred)
            centre(g, share, k);
        for (int i = 0; i < k * k; i++)
            dr[from + (size_t)i] = g[i] + (beta == 0 ? 0 : beta * dr[from + (size_t)i]);
    }
}

TH_KERNEL(void, th_kernel_bound_blocks_back)
(const ThKernelBlocks *b, const float *dy, float *dr, float beta)
{
    if (b->k == 8)
        bound_back(b, dy, dr, beta, 8);
    else
        bound_back(b, dy, dr, beta, b->k);
}
