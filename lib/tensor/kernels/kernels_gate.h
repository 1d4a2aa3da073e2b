/* kernels_gate.h - the loops of gates, see th_op_gate and th_op_gated_half.  Compiled like
 * kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* y = g open + (1 - g) shut, and its gradients, which are added up where beta is not 0: of the z
 * that g is the sigmoid of, of open and of shut. */
typedef struct {
    float *dz, *dopen, *dshut;
    float beta[3];
    const float *g, *dy, *open, *shut;
} ThKernelGateBack;
TH_KERNEL(void, th_kernel_gate)
(float *y, const float *g, const float *open, const float *shut, size_t n);
TH_KERNEL(void, th_kernel_gate_back)(const ThKernelGateBack *b, size_t n);

/* y (n,d) = a sigmoid(b), where a row of x (n,2d) is a row of a and one of b; dx = beta dx + …. */
TH_KERNEL(void, th_kernel_gated_half)(float *y, const float *x, int n, int d);
TH_KERNEL(void, th_kernel_gated_half_back)
(float *dx, const float *dy, const float *x, int n, int d, float beta);
