#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_scan.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- forward: y = A h + b at one position ---- */

INLINE void diagonal(float *restrict y, const float *a, const float *h, const float *b, int d)
{
    for (int j = 0; j < d; j++)
        y[j] = a[j] * h[j] + b[j];
}

INLINE void complex_numbers(float *restrict y, const float *a, const float *h, const float *b,
                            int d)
{
    int m = d / 2;
    for (int j = 0; j < m; j++) {
        y[j] = a[j] * h[j] - a[m + j] * h[m + j] + b[j];
        y[m + j] = a[j] * h[m + j] + a[m + j] * h[j] + b[m + j];
    }
}

INLINE void blocks(float *restrict y, const float *a, const float *h, const float *b, int d, int k)
{
    for (int from = 0; from < d; from += k) {
        for (int i = from; i < from + k; i++) {
            const float *row = a + (size_t)i * (size_t)k;
            float sum = 0;
            for (int j = 0; j < k; j++)
                sum += row[j] * h[from + j];
            y[i] = sum + b[i];
        }
    }
}

/* The same where `a` holds the columns of each block instead of its rows. */
INLINE void blocks_of_columns(float *restrict y, const float *a, const float *h, const float *b,
                              int d, int k)
{
    for (int from = 0; from < d; from += k) {
        for (int i = from; i < from + k; i++)
            y[i] = b[i];
        for (int j = from; j < from + k; j++) {
            const float *column = a + (size_t)j * (size_t)k;
#pragma omp simd
            for (int i = 0; i < k; i++)
                y[from + i] += column[i] * h[j];
        }
    }
}

INLINE const float *start_of(const ThKernelScan *s, int string)
{
    return s->start + (s->one_start ? 0 : (size_t)string * (size_t)s->d);
}

INLINE void walk(const ThKernelScan *s, ThKernelScanForm form, int k)
{
    size_t d = (size_t)s->d;
    for (int string = 0; th_kernel_scan_goes_on(s, string); string++) {
        const float *before = start_of(s, string);
        int length = s->length ? s->length[string] : s->T;
        for (int i = 0; i < s->T; i++) {
            size_t p = (size_t)string * (size_t)s->T + (size_t)i;
            const float *a = s->a + (size_t)s->a_row[p] * s->a_width;
            const float *b = s->b + (size_t)s->b_row[p] * d;
            float *y = s->h + p * d;
            if (i >= length)
                for (size_t j = 0; j < d; j++)
                    y[j] = before[j];
            else if (form == TH_SCAN_DIAGONAL)
                diagonal(y, a, before, b, s->d);
            else if (form == TH_SCAN_COMPLEX)
                complex_numbers(y, a, before, b, s->d);
            else if (s->columns)
                blocks_of_columns(y, a, before, b, s->d, k);
            else
                blocks(y, a, before, b, s->d, k);
            before = y;
        }
    }
}

/* Sizes that occur get loops of constant length. */
TH_KERNEL(void, th_kernel_scan)(const ThKernelScan *s)
{
    if (s->form == TH_SCAN_DIAGONAL)
        walk(s, TH_SCAN_DIAGONAL, 1);
    else if (s->form == TH_SCAN_COMPLEX)
        walk(s, TH_SCAN_COMPLEX, 1);
    else if (s->k == 8)
        walk(s, TH_SCAN_BLOCKS, 8);
    else if (s->k == 4)
        walk(s, TH_SCAN_BLOCKS, 4);
    else
        walk(s, TH_SCAN_BLOCKS, s->k);
}

/* ---- backward: da += g hᵀ, next = Aᵀ g at one position ---- */

INLINE void diagonal_back(const float *a, const float *h, const float *g, float *restrict da,
                          float *restrict next, int d)
{
    for (int j = 0; j < d; j++) {
        da[j] += g[j] * h[j];
        next[j] = a[j] * g[j];
    }
}

INLINE void complex_back(const float *a, const float *h, const float *g, float *restrict da,
                         float *restrict next, int d)
{
    int m = d / 2;
    for (int j = 0; j < m; j++) {
        float re = g[j], im = g[m + j];
        da[j] += re * h[j] + im * h[m + j];
        da[m + j] += im * h[j] - re * h[m + j];
        next[j] = a[j] * re + a[m + j] * im;
        next[m + j] = a[j] * im - a[m + j] * re;
    }
}

INLINE void blocks_back(const float *a, const float *h, const float *g, float *restrict da,
                        float *restrict next, int d, int k)
{
    for (int from = 0; from < d; from += k) {
        for (int j = 0; j < k; j++)
            next[from + j] = 0;
        for (int i = from; i < from + k; i++) {
            const float *row = a + (size_t)i * (size_t)k;
            float *drow = da + (size_t)i * (size_t)k, gi = g[i];
#pragma omp simd /* along the row: the compiler would take the sums over rows, and transpose */
            for (int j = 0; j < k; j++) {
                drow[j] += gi * h[from + j];
                next[from + j] += row[j] * gi;
            }
        }
    }
}

INLINE void add(float *to, const float *from, size_t n)
{
    for (size_t j = 0; j < n; j++)
        to[j] += from[j];
}

INLINE void zero(float *to, size_t n)
{
    for (size_t j = 0; j < n; j++)
        to[j] = 0;
}

INLINE void walk_back(const ThKernelScanBack *x, ThKernelScanForm form, int k)
{
    const ThKernelScan *s = x->forward;
    size_t d = (size_t)s->d;
    for (int string = 0; th_kernel_scan_goes_on(s, string); string++) {
        float *g = x->g, *next = x->next;
        int length = s->length ? s->length[string] : s->T;
        zero(g, d);
        for (int i = s->T - 1; i >= 0; i--) {
            size_t p = (size_t)string * (size_t)s->T + (size_t)i, at = (size_t)s->a_row[p];
            const float *before = i == 0 ? start_of(s, string) : s->h + (p - 1) * d;
            const float *a = s->a + at * s->a_width;
            float *da = x->da + at * s->a_width, *db = x->db + (size_t)s->b_row[p] * d;
            if (x->clear_a)
                zero(da, s->a_width);
            if (x->clear_b)
                zero(db, d);
            add(g, x->dy + p * d, d);
            if (i >= length)
                continue;
            add(db, g, d);
            if (form == TH_SCAN_DIAGONAL)
                diagonal_back(a, before, g, da, next, s->d);
            else if (form == TH_SCAN_COMPLEX)
                complex_back(a, before, g, da, next, s->d);
            else
                blocks_back(a, before, g, da, next, s->d, k);
            float *spent = g;
            g = next;
            next = spent;
        }
        if (x->dstart)
            add(x->dstart + (s->one_start ? 0 : (size_t)string * d), g, d);
    }
}

TH_KERNEL(void, th_kernel_scan_back)(const ThKernelScanBack *b)
{
    const ThKernelScan *s = b->forward;
    if (s->form == TH_SCAN_DIAGONAL)
        walk_back(b, TH_SCAN_DIAGONAL, 1);
    else if (s->form == TH_SCAN_COMPLEX)
        walk_back(b, TH_SCAN_COMPLEX, 1);
    else if (s->k == 8)
        walk_back(b, TH_SCAN_BLOCKS, 8);
    else if (s->k == 4)
        walk_back(b, TH_SCAN_BLOCKS, 4);
    else
        walk_back(b, TH_SCAN_BLOCKS, s->k);
}
