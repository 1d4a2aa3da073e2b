/* kernels_wired.h - the loops of th_op_wired.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stdbool.h>

#include "tensor/kernels/dispatch.h"

typedef struct {
    int units, fan;
    const int *from, *to;          /* (units, fan), (units): coordinates */
    const float *up, *bias, *down; /* (units, fan), (units), (units) */
    bool gelu;
} ThKernelWires;

/* y += what all units write for x; both (coordinates, lanes). */
TH_KERNEL(void, th_kernel_wired)(const ThKernelWires *w, const float *x, float *y);

/* Adds to the gradients of the weights and of x, given that of y. */
typedef struct {
    float *up, *bias, *down, *x;
} ThKernelWiresBack;
TH_KERNEL(void, th_kernel_wired_back)
(const ThKernelWires *w, const float *x, const float *dy, const ThKernelWiresBack *d);
