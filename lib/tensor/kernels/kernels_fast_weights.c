#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_fast_weights.h"

#define INLINE static inline __attribute__((always_inline))

/* Numbers a side of a matrix in which loops have constant length. */
enum { SQUARE = 16 };

/* to = the decayed matrix `from`; they may be the same. */
INLINE void decayed(const ThKernelFastWeights *w, size_t p, const float *from, float *to, int rows,
                    int cols)
{
    float by = w->negative ? 2 : 1, less = w->negative ? 1 : 0,
          keep = w->in.time ? 1 : w->in.keep[p * w->keep];
    for (int i = 0; i < rows; i++) {
        const float *decay = w->decay + (size_t)i * w->decay_row, *x = from + i * cols;
        const float *time = w->in.time ? w->in.time + p * w->time : NULL;
        float *y = to + i * cols;
        if (!w->in.time)
            for (int c = 0; c < cols; c++)
                y[c] = keep * x[c];
        else
#pragma omp simd
            for (int c = 0; c < cols; c++)
                y[c] = x[c] * (by * expf(time[c] * decay[c]) - less);
    }
}

/* r = Σ_i k_i s_i - v, or less v alone. */
INLINE void surprise(const float *k, const float *v, const float *s, bool erase, float *restrict r,
                     int rows, int cols)
{
    for (int c = 0; c < cols; c++)
        r[c] = -v[c];
    for (int i = 0; erase && i < rows; i++)
        for (int c = 0; c < cols; c++)
            r[c] += k[i] * s[i * cols + c];
}

INLINE void walk(const ThKernelFastWeights *w, int rows, int cols, float *restrict r)
{
    size_t size = (size_t)rows * (size_t)cols;
    float *s = w->s;
    for (size_t p = 0; p < (size_t)w->T; p++) {
        const float *from = s;
        for (int step = 0; step < w->steps; step++) {
            const float *k = w->in.k + p * w->k + (size_t)step * w->k_step;
            float rate = w->in.rate ? w->in.rate[p * w->rate + (size_t)step * w->rate_step] : 1;
            float *to = w->in_place ? s : s + size;
            if (step == 0 && (w->in.time || w->in.keep)) {
                decayed(w, p, from, to, rows, cols);
                from = to;
            }
            surprise(k, w->in.v + p * w->v + (size_t)step * w->v_step, from, w->in.rate, r, rows,
                     cols);
            for (int i = 0; i < rows; i++) {
                float share = rate * k[i];
#pragma omp simd
                for (int c = 0; c < cols; c++)
                    to[i * cols + c] = from[i * cols + c] - share * r[c];
            }
            from = s = to;
        }
        float *y = w->out + p * w->y;
        const float *q = w->in.q + p * w->q;
        for (int c = 0; c < cols; c++)
            r[c] = 0;
        for (int i = 0; i < rows; i++)
            for (int c = 0; c < cols; c++)
                r[c] += q[i] * s[i * cols + c];
        for (int c = 0; c < cols; c++)
            y[c] = r[c];
        for (int i = 0; w->states && i < rows * cols; i++)
            w->states[p * w->state + (size_t)i] = s[i % rows * cols + i / rows];
    }
}

TH_KERNEL(void, th_kernel_fast_weights)(const ThKernelFastWeights *w)
{
    float fixed[SQUARE];
    if (w->rows == SQUARE && w->cols == SQUARE)
        walk(w, SQUARE, SQUARE, fixed);
    else
        walk(w, w->rows, w->cols,
             w->s + (size_t)w->rows * (size_t)w->cols *
                        (w->in_place ? 1 : (size_t)(w->T * w->steps) + 1));
}

/* ---- backward ---- */

/* Adds to dx what x gets where Σ_c of row i of m, times y_c, counts by_i: the sums of the rows. */
INLINE void add_row_products(float *restrict dx, const float *m, const float *y, float by, int rows,
                             int cols)
{
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int c = 0; c < cols; c++)
            sum += m[i * cols + c] * y[c];
        dx[i] += by * sum;
    }
}

/* g += x yᵀ. */
INLINE void add_outer(float *restrict g, const float *x, const float *y, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
#pragma omp simd
        for (int c = 0; c < cols; c++)
            g[i * cols + c] += x[i] * y[c];
}

/* Through step `step` at position p, which found the matrix m. */
INLINE void step_back(const ThKernelFastWeightsBack *b, size_t p, int step, const float *m,
                      int rows, int cols)
{
    const ThKernelFastWeights *w = b->forward;
    size_t at_k = p * w->k + (size_t)step * w->k_step, at_v = p * w->v + (size_t)step * w->v_step;
    const float *k = w->in.k + at_k;
    float *r = b->scratch + rows * cols, *dr = r + cols, *dk = b->to.k + at_k, *dv = b->to.v + at_v;
    surprise(k, w->in.v + at_v, m, w->in.rate, r, rows, cols);
    for (int c = 0; c < cols; c++)
        dr[c] = 0;
    for (int i = 0; i < rows; i++)
#pragma omp simd
        for (int c = 0; c < cols; c++)
            dr[c] -= k[i] * b->g[i * cols + c];
    float rate = 1;
    if (w->in.rate) {
        size_t at = p * w->rate + (size_t)step * w->rate_step;
        rate = w->in.rate[at];
        float sum = 0;
        for (int c = 0; c < cols; c++) {
            sum += r[c] * dr[c];
            dr[c] *= rate;
        }
        b->to.rate[at] += sum;
    }
    add_row_products(dk, b->g, r, -rate, rows, cols);
    for (int c = 0; c < cols; c++)
        dv[c] -= dr[c];
    if (w->in.rate) {
        add_row_products(dk, m, dr, 1, rows, cols);
        add_outer(b->g, k, dr, rows, cols);
    }
}

/* Through one row i of the decay of position p; x is the row that it found. */
INLINE void decay_row_back(const ThKernelFastWeightsBack *b, size_t p, int i, const float *x,
                           float *g, int cols)
{
    const ThKernelFastWeights *w = b->forward;
    const float *decay = w->decay + (size_t)i * w->decay_row, *time = w->in.time + p * w->time;
    float *dtime = b->to.time + p * w->time, *ddecay = b->ddecay + (size_t)i * w->decay_row;
    float by = w->negative ? 2 : 1, less = w->negative ? 1 : 0;
#pragma omp simd
    for (int c = 0; c < cols; c++) {
        float e = by * expf(time[c] * decay[c]), slope = g[c] * x[c] * e;
        dtime[c] += slope * decay[c];
        ddecay[c] += slope * time[c];
        g[c] *= e - less;
    }
}

/* Through the decay of position p, which found the matrix m. */
INLINE void decay_back(const ThKernelFastWeightsBack *b, size_t p, const float *m, int rows,
                       int cols)
{
    const ThKernelFastWeights *w = b->forward;
    if (w->in.time) {
        for (int i = 0; i < rows; i++)
            decay_row_back(b, p, i, m + i * cols, b->g + i * cols, cols);
        return;
    }
    float kept = w->in.keep[p * w->keep], sum = 0;
    for (int i = 0; i < rows * cols; i++) {
        sum += b->g[i] * m[i];
        b->g[i] *= kept;
    }
    b->to.keep[p * w->keep] += sum;
}

INLINE void walk_back(const ThKernelFastWeightsBack *b, int rows, int cols)
{
    const ThKernelFastWeights *w = b->forward;
    size_t size = (size_t)rows * (size_t)cols;
    for (size_t p = (size_t)w->T; p-- > 0;) {
        const float *first = w->s + p * (size_t)w->steps * size;
        const float *dy = b->dy + p * w->y;
        add_row_products(b->to.q + p * w->q, first + (size_t)w->steps * size, dy, 1, rows, cols);
        add_outer(b->g, w->in.q + p * w->q, dy, rows, cols);
        bool decays = w->in.time || w->in.keep;
        for (int step = w->steps - 1; step >= 0; step--) {
            const float *m = first + (size_t)step * size;
            if (step == 0 && decays && w->in.rate) {
                decayed(w, p, m, b->scratch, rows, cols);
                m = b->scratch;
            }
            step_back(b, p, step, m, rows, cols);
        }
        if (decays)
            decay_back(b, p, first, rows, cols);
    }
}

TH_KERNEL(void, th_kernel_fast_weights_back)(const ThKernelFastWeightsBack *b)
{
    const ThKernelFastWeights *w = b->forward;
    if (w->rows == SQUARE && w->cols == SQUARE)
        walk_back(b, SQUARE, SQUARE);
    else
        walk_back(b, w->rows, w->cols);
}
