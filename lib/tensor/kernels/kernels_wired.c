#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_wired.h"

enum { L = TH_KERNEL_LANES };

/* What unit h reads. */
static inline void read_unit(const ThKernelWires *w, int h, const float *x, float *z)
{
    for (int i = 0; i < L; i++)
        z[i] = w->bias[h];
    for (int f = h * w->fan; f < (h + 1) * w->fan; f++) {
        const float *from = x + (ptrdiff_t)w->from[f] * L;
        for (int i = 0; i < L; i++)
            z[i] += w->up[f] * from[i];
    }
}

static inline float cumulative(float z)
{
    return 0.5f * (1 + erff(z * 0.70710678f));
}

/* A loop of its own for GELU: only so does the compiler make vectors of it. */
static inline void activate_only(bool gelu, float *z)
{
    if (!gelu) {
        for (int i = 0; i < L; i++)
            z[i] = z[i] > 0 ? z[i] : 0;
        return;
    }
#pragma omp simd
    for (int i = 0; i < L; i++)
        z[i] *= cumulative(z[i]);
}

TH_KERNEL(void, th_kernel_wired)(const ThKernelWires *w, const float *x, float *y)
{
    float z[L];
    for (int h = 0; h < w->units; h++) {
        float *to = y + (ptrdiff_t)w->to[h] * L;
        read_unit(w, h, x, z);
        activate_only(w->gelu, z);
        for (int i = 0; i < L; i++)
            to[i] += w->down[h] * z[i];
    }
}

/* z becomes the activations and slope (L) what they change by. */
static inline void activate(bool gelu, float *z, float *slope)
{
    for (int i = 0; gelu && i < L; i++) {
        slope[i] = cumulative(z[i]) + z[i] * 0.39894228f * expf(-0.5f * z[i] * z[i]);
        z[i] *= cumulative(z[i]);
    }
    for (int i = 0; !gelu && i < L; i++) {
        slope[i] = z[i] > 0 ? 1 : 0;
        z[i] = z[i] > 0 ? z[i] : 0;
    }
}

TH_KERNEL(void, th_kernel_wired_back)
(const ThKernelWires *w, const float *x, const float *dy, const ThKernelWiresBack *d)
{
    float z[L], dz[L];
    for (int h = 0; h < w->units; h++) {
        const float *g = dy + (ptrdiff_t)w->to[h] * L;
        float down = 0, bias = 0;
        read_unit(w, h, x, z);
        activate(w->gelu, z, dz);
        for (int i = 0; i < L; i++) {
            down += g[i] * z[i];
            dz[i] *= g[i] * w->down[h];
            bias += dz[i];
        }
        d->down[h] += down;
        d->bias[h] += bias;
        for (int f = h * w->fan; f < (h + 1) * w->fan; f++) {
            ptrdiff_t at = (ptrdiff_t)w->from[f] * L;
            float up = 0;
            for (int i = 0; i < L; i++) {
                up += dz[i] * x[at + i];
                d->x[at + i] += dz[i] * w->up[f];
            }
            d->up[f] += up;
        }
    }
}
