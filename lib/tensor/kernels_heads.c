#include "tensor/kernels_heads.h"

#include <math.h>

#include "tensor/kernels_tile.h"

enum { LANE = TH_KERNEL_TILE_LANE, PANEL = TH_KERNEL_TILE_WIDE * LANE };

bool th_kernel_heads_pay(int width)
{
    return width % LANE == 0 && width <= TH_KERNEL_HEADS_WIDTH && th_kernel_tile_pays();
}

static inline int whole_vectors(int n)
{
    return (n + LANE - 1) / LANE * LANE;
}

int th_kernel_heads_weights(int rows, int keys)
{
    return whole_vectors(rows) * keys;
}

/* ---- transposing ---- */

/* to (width, ld): the rows of x, d apart, as columns, times `by`; zeros behind them. */
TH_KERNEL_TILE_REGISTERS static void turn(const ThKernelHeads *h, const float *x, float by,
                                          float *to)
{
    int ld = whole_vectors(h->rows);
    for (int i = 0; i < h->rows; i += LANE) {
        for (int c = 0; c < h->width; c += LANE) {
            ThKernelLane row[LANE];
#pragma GCC unroll 16
            for (int k = 0; k < LANE; k++)
                row[k] = i + k < h->rows ? by * *(const ThKernelLane *)(x + (i + k) * h->d + c)
                                         : (ThKernelLane){0};
            th_kernel_tile_transpose(row);
#pragma GCC unroll 16
            for (int k = 0; k < LANE; k++)
                *(ThKernelLane *)(to + (c + k) * ld + i) = row[k];
        }
    }
}

/* ---- products ---- */

/* to (keys, ld): products of the keys or values from x on with what turn has left. */
TH_KERNEL_TILE_REGISTERS static void with_keys(const ThKernelHeads *h, const float *x,
                                               const float *turned, float *to)
{
    int ld = whole_vectors(h->rows);
    ThKernelTile t = {.a = x,
                      .b = turned,
                      .c = to,
                      .a_row = 2 * h->d,
                      .a_step = 1,
                      .b_row = ld,
                      .c_row = ld,
                      .k = h->width,
                      .last = LANE};
    th_kernel_tile_panel(&t, h->keys, ld);
}

/* t's rows m times the columns of a head. */
static inline TH_KERNEL_TILE_INLINE void columns(const ThKernelHeads *h, ThKernelTile t, int m)
{
    t.last = LANE;
    for (int c = 0; c < h->width; c += PANEL, t.b += PANEL, t.c += PANEL)
        th_kernel_tile_panel(&t, m, h->width - c < PANEL ? h->width - c : PANEL);
}

/* to (rows): what each query gets of the keys or values from x on, by numbers w (keys, ld). */
TH_KERNEL_TILE_REGISTERS static void of_keys(const ThKernelHeads *h, const float *w, const float *x,
                                             float beta, float *to)
{
    columns(h,
            (ThKernelTile){.a = w,
                           .b = x,
                           .c = to,
                           .a_row = 1,
                           .a_step = whole_vectors(h->rows),
                           .b_row = 2 * h->d,
                           .c_row = h->d,
                           .k = h->keys,
                           .beta = beta},
            h->rows);
}

/* to (keys): what each key gets of the rows of x. */
TH_KERNEL_TILE_REGISTERS static void of_rows(const ThKernelHeads *h, const float *w, const float *x,
                                             float beta, float *to)
{
    columns(h,
            (ThKernelTile){.a = w,
                           .b = x,
                           .c = to,
                           .a_row = whole_vectors(h->rows),
                           .a_step = 1,
                           .b_row = h->d,
                           .c_row = 2 * h->d,
                           .k = h->rows,
                           .beta = beta},
            h->keys);
}

/* ---- weights ---- */

/* Queries before this one do not see key j. */
static inline TH_KERNEL_TILE_INLINE int sees_from(const ThKernelHeads *h, int j)
{
    return h->causal && j > h->first ? j - h->first : 0;
}

/* Logits (keys, ld) become weights, a lane of queries at a time. */
static inline TH_KERNEL_TILE_INLINE void softmax(const ThKernelHeads *h, float *w)
{
    int ld = whole_vectors(h->rows);
    float most[TH_KERNEL_HEADS_ROWS], sum[TH_KERNEL_HEADS_ROWS];
    for (int r = 0; r < ld; r++) {
        most[r] = w[r];
        sum[r] = 0;
    }
    for (int j = 1; j < h->keys; j++)
        for (int r = 0, from = sees_from(h, j); r < ld; r++) {
            float x = w[j * ld + r];
            most[r] = r >= from && x > most[r] ? x : most[r];
        }
    for (int j = 0; j < h->keys; j++)
        for (int r = 0, from = sees_from(h, j); r < ld; r++) {
            float x = w[j * ld + r] - most[r], e = expf(x > -80 ? x : -80);
            sum[r] += w[j * ld + r] = r >= from ? e : 0;
        }
    for (int r = 0; r < ld; r++)
        sum[r] = 1 / sum[r];
    for (int j = 0; j < h->keys; j++)
        for (int r = 0; r < ld; r++)
            w[j * ld + r] *= sum[r];
}

/* Gradients dw (keys, ld) of the weights become those of the logits, times the scale. */
static inline TH_KERNEL_TILE_INLINE void slopes(const ThKernelHeads *h, const float *restrict w,
                                                float *restrict dw)
{
    int ld = whole_vectors(h->rows);
    float mean[TH_KERNEL_HEADS_ROWS] = {0};
    for (int j = 0; j < h->keys; j++)
        for (int r = 0; r < ld; r++)
            mean[r] += w[j * ld + r] * dw[j * ld + r];
    for (int j = 0; j < h->keys; j++)
        for (int r = 0; r < ld; r++)
            dw[j * ld + r] = h->scale * w[j * ld + r] * (dw[j * ld + r] - mean[r]);
}

/* ---- the whole ---- */

TH_KERNEL_TILE_REGISTERS void th_kernel_heads_weigh(const ThKernelHeads *h, float *w)
{
    float turned[TH_KERNEL_HEADS_WIDTH * TH_KERNEL_HEADS_ROWS];
    turn(h, h->q, h->scale, turned);
    with_keys(h, h->kv, turned, w);
    softmax(h, w);
}

TH_KERNEL_TILE_REGISTERS void th_kernel_heads_mix(const ThKernelHeads *h, const float *w, float *y)
{
    of_keys(h, w, h->kv + h->d, 0, y);
}

TH_KERNEL_TILE_REGISTERS void th_kernel_heads_back(const ThKernelHeads *h,
                                                   const ThKernelHeadsBack *b)
{
    float turned[TH_KERNEL_HEADS_WIDTH * TH_KERNEL_HEADS_ROWS];
    turn(h, b->dy, 1, turned);
    with_keys(h, h->kv + h->d, turned, b->dw);
    of_rows(h, b->w, b->dy, b->beta_kv, b->dkv + h->d);
    slopes(h, b->w, b->dw);
    of_keys(h, b->dw, h->kv, b->beta_q, b->dq);
    of_rows(h, b->dw, h->q, b->beta_kv, b->dkv);
}
