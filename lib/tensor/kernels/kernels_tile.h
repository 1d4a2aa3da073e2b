/* kernels_tile.h - small products that are added up in wide registers; included by
 * lib/tensor/kernels/kernels_gemm.c and kernels_heads.c only, which are compiled for the level v4
 * of x86-64 and called only where th_kernel_is_wide says so.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tensor/kernels/dispatch.h"

#if defined(__clang__)
#define TH_KERNEL_TILE_INLINE                                                                      \
    __attribute__((unused)) /* it only looks for mistakes: a minute less */
#else
#define TH_KERNEL_TILE_INLINE __attribute__((always_inline))
#endif
/* Not inline: there would be a hundred of it.  Older registers would wait for the wide ones. */
#define TH_KERNEL_TILE_APART __attribute__((noinline, unused))

/* Up to SUMS lanes are added up in registers at a time: in tiles of six rows of four lanes, or of
 * more rows of fewer. */
enum { TH_KERNEL_TILE_LANE = 16, TH_KERNEL_TILE_WIDE = 4, TH_KERNEL_TILE_SUMS = 24 };
typedef float ThKernelLane
    __attribute__((vector_size(TH_KERNEL_TILE_LANE * sizeof(float)), aligned(4)));
typedef int ThKernelLaneInts __attribute__((vector_size(TH_KERNEL_TILE_LANE * sizeof(int))));

/* ---- transposing ---- */

/* Number j of two rows, `by` apart, of a square, where blocks of by times by numbers beside the
 * diagonal change places. */
#define TH_KERNEL_TILE_UPPER(by, j) ((j) & (by) ? TH_KERNEL_TILE_LANE + (j) - (by) : (j))
#define TH_KERNEL_TILE_LOWER(by, j) ((j) & (by) ? TH_KERNEL_TILE_LANE + (j) : (j) + (by))
#define TH_KERNEL_TILE_FOUR(half, by, j)                                                           \
    half(by, j), half(by, j + 1), half(by, j + 2), half(by, j + 3)
#define TH_KERNEL_TILE_ALL(half, by)                                                               \
    TH_KERNEL_TILE_FOUR(half, by, 0), TH_KERNEL_TILE_FOUR(half, by, 4),                            \
        TH_KERNEL_TILE_FOUR(half, by, 8), TH_KERNEL_TILE_FOUR(half, by, 12)
#define TH_KERNEL_TILE_SWAP(by)                                                                    \
    static inline TH_KERNEL_TILE_INLINE void swap_blocks_##by(ThKernelLane *row)                   \
    {                                                                                              \
        _Pragma("GCC unroll 16") for (int i = 0; i < TH_KERNEL_TILE_LANE; i++)                     \
        {                                                                                          \
            if (i & by)                                                                            \
                continue;                                                                          \
            ThKernelLane a = row[i], b = row[i + by];                                              \
            row[i] = TH_KERNEL_SHUFFLE(ThKernelLaneInts, a, b,                                     \
                                       TH_KERNEL_TILE_ALL(TH_KERNEL_TILE_UPPER, by));              \
            row[i + by] = TH_KERNEL_SHUFFLE(ThKernelLaneInts, a, b,                                \
                                            TH_KERNEL_TILE_ALL(TH_KERNEL_TILE_LOWER, by));         \
        }                                                                                          \
    }
TH_KERNEL_TILE_SWAP(8)
TH_KERNEL_TILE_SWAP(4)
TH_KERNEL_TILE_SWAP(2)
TH_KERNEL_TILE_SWAP(1)

/* The rows of a square become its columns. */
static inline TH_KERNEL_TILE_INLINE void th_kernel_tile_transpose(ThKernelLane *row)
{
    swap_blocks_8(row);
    swap_blocks_4(row);
    swap_blocks_2(row);
    swap_blocks_1(row);
}

/* ---- multiplying ---- */

/* c = beta c + a b, or each row of c the numbers `row` more than a b, with k terms to a sum; `last`
 * columns of the last lane count. */
typedef struct {
    const float *a, *b, *row; /* row: or NULL */
    float *c;
    ptrdiff_t a_row, a_step, b_row, c_row;
    int k, last;
    float beta;
} ThKernelTile;

/* The columns that do not fill a lane. */
static TH_KERNEL_TILE_APART void th_kernel_tile_put(float *c, const float *sum, const float *was,
                                                    float beta, int n)
{
    for (int j = 0; j < n; j++)
        c[j] = sum[j] + (beta == 0 ? 0 : beta * was[j]);
}

/* Asks for what comes after the sums: their places in c, and the next rows of a. */
static inline TH_KERNEL_TILE_INLINE void th_kernel_tile_fetch(const ThKernelTile *t, int rows,
                                                              int lanes)
{
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < lanes; j++)
            __builtin_prefetch(t->c + i * t->c_row + TH_KERNEL_TILE_LANE * j, 1);
    for (int i = rows; t->a_step == 1 && i < 2 * rows; i++)
        for (int p = 0; p < t->k; p += TH_KERNEL_TILE_LANE)
            __builtin_prefetch(t->a + i * t->a_row + p);
}

static inline TH_KERNEL_TILE_INLINE void th_kernel_tile_multiply(const ThKernelTile *t, int rows,
                                                                 int lanes)
{
    ThKernelLane sum[TH_KERNEL_TILE_SUMS], b[TH_KERNEL_TILE_WIDE];
#pragma GCC unroll 24
    for (int i = 0; i < rows * lanes; i++)
        sum[i] = (ThKernelLane){0};
    th_kernel_tile_fetch(t, rows, lanes);
#pragma GCC unroll 1
    for (int p = 0; p < t->k; p++) {
#pragma GCC unroll 4
        for (int j = 0; j < lanes; j++)
            b[j] = *(const ThKernelLane *)(t->b + p * t->b_row + TH_KERNEL_TILE_LANE * j);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            float a = t->a[i * t->a_row + p * t->a_step];
#pragma GCC unroll 4
            for (int j = 0; j < lanes; j++)
                sum[i * lanes + j] += a * b[j];
        }
    }
    const float *all = t->row ? t->row : t->c;
    const float beta = t->row ? 1 : t->beta;
    ptrdiff_t step = t->row ? 0 : t->c_row;
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < lanes; j++) {
            ThKernelLane *c = (ThKernelLane *)(t->c + i * t->c_row + TH_KERNEL_TILE_LANE * j);
            const float *was = all + i * step + TH_KERNEL_TILE_LANE * j;
            if (j == lanes - 1 && t->last < TH_KERNEL_TILE_LANE) {
                ThKernelLane rest = sum[i * lanes + j];
                th_kernel_tile_put((float *)c, (const float *)&rest, was, beta, t->last);
            } else
                *c = beta == 0 ? sum[i * lanes + j]
                               : sum[i * lanes + j] + beta * *(const ThKernelLane *)was;
        }
}

/* The tiles of so many rows that fit into m. */
static inline TH_KERNEL_TILE_INLINE void th_kernel_tile_some(ThKernelTile *t, int *m, int rows,
                                                             int lanes)
{
    for (; *m >= rows; *m -= rows, t->a += rows * t->a_row, t->c += rows * t->c_row)
        th_kernel_tile_multiply(t, rows, lanes);
}

/* m rows of so many lanes: the tallest tiles first, which have enough sums to hide how long each
 * takes. */
static inline TH_KERNEL_TILE_INLINE void th_kernel_tile_rows(ThKernelTile t, int m, int lanes)
{
    th_kernel_tile_some(&t, &m, lanes == 1 ? 16 : lanes == 2 ? 12 : lanes == 3 ? 8 : 6, lanes);
    if (lanes == 1)
        th_kernel_tile_some(&t, &m, 8, lanes);
    th_kernel_tile_some(&t, &m, 4, lanes);
    th_kernel_tile_some(&t, &m, 2, lanes);
    th_kernel_tile_some(&t, &m, 1, lanes);
}

/* m rows of n columns, one to sixty-four. */
static inline TH_KERNEL_TILE_INLINE void th_kernel_tile_panel(const ThKernelTile *t, int m, int n)
{
    if (n > 3 * TH_KERNEL_TILE_LANE)
        th_kernel_tile_rows(*t, m, 4);
    else if (n > 2 * TH_KERNEL_TILE_LANE)
        th_kernel_tile_rows(*t, m, 3);
    else if (n > TH_KERNEL_TILE_LANE)
        th_kernel_tile_rows(*t, m, 2);
    else
        th_kernel_tile_rows(*t, m, 1);
}
