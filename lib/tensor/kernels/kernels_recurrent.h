/* kernels_recurrent.h - the vector loops of recurrent layers: one position of all strings at once.
 *
 * Compiled like kernels.c.  Arrays of one call do not overlap, except that h_before and h_after may
 * be any two parts of one array.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* String b reads row index[b * stride] of x, whose rows are as wide as the gates. */
typedef struct {
    int B, H;
    const float *x;
    const int *index;
    size_t stride;
    float forget;          /* LSTM */
    const float *bias;     /* GRU: (H), added to the candidate's part of h wh */
    const float *h_before; /* (B,H) */
    const float *c_before; /* LSTM: (B,H) */
    float *h_after, *c_after;
    float *gate; /* (B,H), LSTM and GRU (B,4H): h wh first; what backward needs afterwards */
} ThKernelCell;

TH_KERNEL(void, th_kernel_rnn)(const ThKernelCell *c);
TH_KERNEL(void, th_kernel_rnn_tanh)(const ThKernelCell *c);
TH_KERNEL(void, th_kernel_lstm)(const ThKernelCell *c);
TH_KERNEL(void, th_kernel_gru)(const ThKernelCell *c); /* h wh in the first 3H columns */

/* Backward through the same position.  gate becomes the gradient before the activations (B,H) or
 * (B,4H); GRU: the first 3H columns for h wh, columns 3H… the candidate's for x.  dh is the
 * gradient of h_after; GRU leaves in it what h_before gets directly. */
typedef struct {
    int B, H;
    const float *bias;
    const float *h_before, *c_before, *h_after, *c_after;
    float *gate, *dh;
    float *dc; /* LSTM: gradient of c_after, then of c_before */
} ThKernelCellBack;

TH_KERNEL(void, th_kernel_rnn_back)(const ThKernelCellBack *c);
TH_KERNEL(void, th_kernel_rnn_tanh_back)(const ThKernelCellBack *c);
TH_KERNEL(void, th_kernel_lstm_back)(const ThKernelCellBack *c);
TH_KERNEL(void, th_kernel_gru_back)(const ThKernelCellBack *c);
