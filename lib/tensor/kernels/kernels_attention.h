/* kernels_attention.h - the vector loops of attention: one head of one run of positions at a time.
 * Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>

#include "tensor/kernels/dispatch.h"

/* Rows of a matrix of weights are padded to whole vectors: TH_KERNEL_LANES divides ld, ld ≥ keys.
 */

typedef struct {
    int rows, keys, ld;
    int first;   /* position of row 0's query */
    bool causal; /* row i sees keys 0 … first+i only */
    int window;  /* not 0: only those nearer than this */
    float scale;
    const float *relative; /* (rows, 2 keys - 1) or NULL: row i adds its columns from
                              keys-1-first-i on */
    const float *bias; /* or NULL: row i adds bias[i*bias_step + j] to the scaled logit of key j */
    int bias_step;
} ThKernelHead;

/* Row i sees the keys from … to-1. */
TH_KERNEL(int, th_kernel_attention_from)(const ThKernelHead *h, int row);
TH_KERNEL(int, th_kernel_attention_to)(const ThKernelHead *h, int row);

/* w (rows, ld): products of queries and keys become weights, masked ones and padding 0. */
TH_KERNEL(void, th_kernel_attention)(const ThKernelHead *h, float *w);

/* dw (rows, ld): gradients of weights w become those of the products; padding becomes 0. */
TH_KERNEL(void, th_kernel_attention_back)(const ThKernelHead *h, const float *w, float *dw);

/* to (rows, 2 keys - 1): row i of dw (rows, ld) laid where relative was read; the rest is left. */
TH_KERNEL(void, th_kernel_attention_relative_back)
(const ThKernelHead *h, const float *dw, float *to);

/* Adds to the gradient of the bias, laid out as h->bias, from the gradients dw of the products. */
TH_KERNEL(void, th_kernel_attention_bias_back)
(const ThKernelHead *h, const float *dw, float *dbias);

/* ---- a narrow window: no matrix products
 * ---------------------------------------------------------
 *
 * Row i sees n keys at most, the first of which may lie before the first, the last behind the last
 * that there is.  Weights are (n, rows): one row for each distance, so that all queries are worked
 * on together.  No relative positions. */
typedef struct {
    const float *q, *kv; /* the first query, d apart; the first key */
    int width, d;
    int row, value; /* keys are so far apart, and values so far behind their keys */
} ThKernelBand;

TH_KERNEL(void, th_kernel_band_weights)(const ThKernelHead *h, const ThKernelBand *b, float *w);
TH_KERNEL(void, th_kernel_band)
(const ThKernelHead *h, const ThKernelBand *b, float *w, float *y); /* y: d apart */

/* ---- a single query ---- */

/* Row 0 of the weights begins with the first key that it sees; ld ≥ the keys that it sees. */
TH_KERNEL(void, th_kernel_one_query)
(const ThKernelHead *h, const ThKernelBand *b, float *w, float *y);

/* to[j] = x·row j of `rows`, which are ld apart. */
TH_KERNEL(void, th_kernel_dots)
(const float *x, const float *rows, int ld, int width, int n, float *to);

/* The gradients dq, dkv and dbias are added to; they are laid out as what they belong to. */
typedef struct {
    const float *dy;
    float *dq, *dkv, *dbias; /* dbias may be NULL */
    float *scratch;          /* (n, rows) */
} ThKernelBandBack;
TH_KERNEL(void, th_kernel_band_back)
(const ThKernelHead *h, const ThKernelBand *b, const float *w, const ThKernelBandBack *back);

/* ---- rotations ---- */

/* One row: in every block of `width` columns pair p turns by its angle, or back; columns p and
 * pairs + p of the block, or neighbours. */
typedef struct {
    const double *cosine, *sine; /* (pairs) */
    int pairs, blocks, width;
    bool neighbours, back;
} ThKernelTurn;
TH_KERNEL(void, th_kernel_turn)(const ThKernelTurn *r, float *x);
