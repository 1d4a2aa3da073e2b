/* kernels_attention.h - the vector loops of full attention: one head of one string at a time.
 * Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_TENSOR_KERNELS_ATTENTION_H
#define TH_TENSOR_KERNELS_ATTENTION_H

#include <stdbool.h>

/* Rows of a matrix of weights are padded to whole vectors: TH_KERNEL_LANES divides ld, ld ≥ keys.
 */
enum { TH_KERNEL_LANES = 16 };

typedef struct {
    int rows, keys, ld;
    int first;   /* position of row 0's query */
    bool causal; /* row i sees keys 0 … first+i only */
    float scale;
    const float *relative; /* (rows, 2 keys - 1) or NULL: row i adds its columns from
                              keys-1-first-i on */
} ThKernelHead;

/* w (rows, ld): products of queries and keys become weights, masked ones and padding 0. */
void th_kernel_attention(const ThKernelHead *h, float *w);

/* dw (rows, ld): gradients of weights w become those of the products; padding becomes 0. */
void th_kernel_attention_back(const ThKernelHead *h, const float *w, float *dw);

/* to (rows, 2 keys - 1): row i of dw (rows, ld) laid where relative was read; the rest is left. */
void th_kernel_attention_relative_back(const ThKernelHead *h, const float *dw, float *to);

#endif
