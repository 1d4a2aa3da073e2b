/* kernels_heads.h - one head of a few queries and all their keys, from products to products, in
 * wide registers: no more than the weights goes through memory.  Compiled like kernels.c.
 *
 * Weights are laid out by keys, so that lanes are queries: softmax needs no sums within a vector.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>

/* Queries of one call, and columns of a head, at most. */
enum { TH_KERNEL_HEADS_ROWS = 64, TH_KERNEL_HEADS_WIDTH = 128 };

typedef struct {
    const float *q, *kv; /* rows d apart; keys 2d apart, the value of each d further */
    int d, width, rows, keys;
    int first;   /* position of the first query, for causal */
    bool causal; /* query i sees keys 0 … first+i only */
    float scale;
} ThKernelHeads;

/* Is there something to gain for heads of this width, where th_kernel_is_wide? */
static inline bool th_kernel_heads_pay(int width)
{
    return width % 16 == 0 && width <= TH_KERNEL_HEADS_WIDTH;
}

/* Numbers that weights take: a row of whole vectors for each key. */
static inline int th_kernel_heads_weights(int rows, int keys)
{
    return (rows + 15) / 16 * 16 * keys;
}

/* w receives the weights, y (d apart) the values mixed by them. */
void th_kernel_heads_weigh(const ThKernelHeads *h, float *w);
void th_kernel_heads_mix(const ThKernelHeads *h, const float *w, float *y);

/* dq = beta_q dq + …, dkv the same, from the gradient dy of y.  dw has room for weights. */
typedef struct {
    const float *w, *dy;
    float *dw, *dq, *dkv;
    float beta_q, beta_kv;
} ThKernelHeadsBack;
void th_kernel_heads_back(const ThKernelHeads *h, const ThKernelHeadsBack *b);
