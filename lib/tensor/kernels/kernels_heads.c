#include "tensor/kernels/kernels_heads.h"

#include "tensor/kernels/kernels_tile.h"

enum { LANE = TH_KERNEL_TILE_LANE, PANEL = TH_KERNEL_TILE_WIDE * LANE };

static inline int whole_vectors(int n)
{
    return (n + LANE - 1) / LANE * LANE;
}

/* ---- transposing ---- */

/* to (width, ld): the rows of x, d apart, as columns, times `by`; zeros behind them. */
static void turn(const ThKernelHeads *h, const float *x, float by, float *to)
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
static void with_keys(const ThKernelHeads *h, const float *x, const float *turned, float *to)
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
static void of_keys(const ThKernelHeads *h, const float *w, const float *x, float beta, float *to)
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
static void of_rows(const ThKernelHeads *h, const float *w, const float *x, float beta, float *to)
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

typedef int Bits __attribute__((vector_size(LANE * sizeof(int)), aligned(4)));

/* Stays where bits are set, and becomes `no` elsewhere. */
static inline TH_KERNEL_TILE_INLINE void keep(ThKernelLane *x, const Bits *bits,
                                              const ThKernelLane *no)
{
    *x = (ThKernelLane)((*bits & (Bits)*x) | (~*bits & (Bits)*no));
}

/* e to the power of x, at most 0: 2^n e^r with |r| at most ln(2)/2.  The polynomial, fitted here,
 * is 3e-9 off. */
static inline TH_KERNEL_TILE_INLINE void raise_e(ThKernelLane *x)
{
    const float log2_of_e = 1.44269504f, ln2 = 0.693147181f;
    const ThKernelLane least = (ThKernelLane){0} - 80;
    const Bits within = *x > least;
    keep(x, &within, &least);
    Bits n = __builtin_convertvector(*x * log2_of_e - 0.5f, Bits);
    ThKernelLane r = *x - ln2 * __builtin_convertvector(n, ThKernelLane);
    ThKernelLane of_r = 0.00836878042f + 0.00138144675f * r;
    of_r = 0.499999934f + r * (0.166665201f + r * (0.0416683942f + r * of_r));
    of_r = 1 + r * (1 + r * of_r);
    *x = (ThKernelLane)((Bits)of_r + n * (1 << 23));
}

static inline TH_KERNEL_TILE_INLINE ThKernelLane *at(float *w, int ld, int j)
{
    return (ThKernelLane *)(w + j * ld);
}

/* Queries before this one do not see key j. */
static inline TH_KERNEL_TILE_INLINE int sees_from(const ThKernelHeads *h, int j)
{
    return h->causal && j > h->first ? j - h->first : 0;
}

/* What the logits of a lane of queries are raised by becomes their weights, ld apart for each key.
 * The first `all` keys are seen by each of the queries, those from `some` on by none, and one
 * between by those that are further behind the first query than it is behind the first such key. */
static void weigh_lane(float *w, int ld, const float *most, int keys, int all, int some)
{
    const Bits query = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const ThKernelLane top = *(const ThKernelLane *)most, none = {0};
    ThKernelLane sum = {0};
    for (int j = 0; j < some; j++) {
        const Bits sees = query > j - all;
        ThKernelLane x = *at(w, ld, j) - top;
        if (j >= all) /* what is not seen may be above the top */
            keep(&x, &sees, &none);
        raise_e(&x);
        if (j >= all)
            keep(&x, &sees, &none);
        *at(w, ld, j) = x;
        sum += x;
    }
    const ThKernelLane share = 1 / sum;
    for (int j = 0; j < some; j++)
        *at(w, ld, j) *= share;
    for (int j = some; j < keys; j++)
        *at(w, ld, j) = none;
}

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

/* Logits (keys, ld) become weights. */
static void softmax(const ThKernelHeads *h, float *w)
{
    int ld = whole_vectors(h->rows);
    float most[TH_KERNEL_HEADS_ROWS];
    for (int r = 0; r < ld; r++)
        most[r] = w[r];
    for (int j = 1; j < h->keys; j++)
        for (int r = 0, from = sees_from(h, j); r < ld; r++) {
            float x = w[j * ld + r];
            most[r] = r >= from && x > most[r] ? x : most[r];
        }
    for (int r = 0; r < ld; r += LANE) {
        int all = h->causal ? least(h->first + r + 1, h->keys) : h->keys;
        weigh_lane(w + r, ld, most + r, h->keys, all, least(all + LANE - 1, h->keys));
    }
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

void th_kernel_heads_weigh(const ThKernelHeads *h, float *w)
{
    float turned[TH_KERNEL_HEADS_WIDTH * TH_KERNEL_HEADS_ROWS];
    turn(h, h->q, h->scale, turned);
    with_keys(h, h->kv, turned, w);
    softmax(h, w);
}

void th_kernel_heads_mix(const ThKernelHeads *h, const float *w, float *y)
{
    of_keys(h, w, h->kv + h->d, 0, y);
}

void th_kernel_heads_back(const ThKernelHeads *h, const ThKernelHeadsBack *b)
{
    float turned[TH_KERNEL_HEADS_WIDTH * TH_KERNEL_HEADS_ROWS];
    turn(h, b->dy, 1, turned);
    with_keys(h, h->kv + h->d, turned, b->dw);
    of_rows(h, b->w, b->dy, b->beta_kv, b->dkv + h->d);
    slopes(h, b->w, b->dw);
    of_keys(h, b->dw, h->kv, b->beta_q, b->dq);
    of_rows(h, b->dw, h->q, b->beta_kv, b->dkv);
}
