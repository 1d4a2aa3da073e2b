/* kernels_fourier.h - the gradients of causal convolutions of long strings by Fourier transforms,
 * two strings at a time as real and imaginary parts, sixteen columns at once; GSL's are of one
 * column, in double.  Compiled like kernels.c.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <stddef.h>

#include "tensor/kernels/dispatch.h"

/* u (B*T,d) and kernel (L,d): y_t = Σ_l kernel_l ∘ u_(t-l) within each string. */
typedef struct {
    int B, T, L, d, N; /* N: of th_kernel_fourier_size */
    const float *u, *kernel;
    const float *turn; /* (2N): cos 2πj/N and sin 2πj/N */
    float *room;       /* (th_kernel_fourier_room(N)) */
} ThKernelFourier;

/* The points of the transforms: a power of two of at least T+L-1. */
TH_KERNEL(int, th_kernel_fourier_size)(int T, int L);
TH_KERNEL(size_t, th_kernel_fourier_room)(int N);

/* Adds the gradients of u and kernel to du and dkernel, from that of y. */
TH_KERNEL(void, th_kernel_fourier)
(const ThKernelFourier *f, const float *dy, float *du, float *dkernel);
