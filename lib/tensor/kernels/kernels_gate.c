#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_gate.h"

TH_KERNEL(void, th_kernel_gate)
(float *y, const float *g, const float *open, const float *shut, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = g[i] * open[i] + (1 - g[i]) * shut[i];
}

TH_KERNEL(void, th_kernel_gate_back)(const ThKernelGateBack *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float dy = b->dy[i], g = b->g[i], dz = dy * (b->open[i] - b->shut[i]) * g * (1 - g);
        float dopen = g * dy, dshut = dy - dopen;
        b->dz[i] = dz + (b->beta[0] > 0 ? b->dz[i] : 0);
        b->dopen[i] = dopen + (b->beta[1] > 0 ? b->dopen[i] : 0);
        b->dshut[i] = dshut + (b->beta[2] > 0 ? b->dshut[i] : 0);
    }
}

TH_KERNEL(void, th_kernel_gated_half)(float *y, const float *x, int n, int d)
{
    for (int i = 0; i < n; i++, y += d, x += 2 * d)
        for (int j = 0; j < d; j++)
            y[j] = x[j] * th_kernel_sigmoid_of(x[d + j]);
}

TH_KERNEL(void, th_kernel_gated_half_back)
(float *dx, const float *dy, const float *x, int n, int d, float beta)
{
    for (int i = 0; i < n; i++, dx += 2 * d, dy += d, x += 2 * d) {
        for (int j = 0; j < d; j++) {
            float g = th_kernel_sigmoid_of(x[d + j]), da = g * dy[j], db = x[j] * da * (1 - g);
            dx[j] = da + (beta == 0 ? 0 : beta * dx[j]);
            dx[d + j] = db + (beta == 0 ? 0 : beta * dx[d + j]);
        }
    }
}
