#include "tensor/kernels_space.h"

#include "tensor/clones.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- state space models ---- */

enum { READ_B = 2, READ_C = 4, W = 6, V = 8 }; /* places in modes, in units of `apart` */

/* 2 Re Σ p x, of complex numbers. */
INLINE float real_product(const float *p, size_t apart, const float *x, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += p[k] * x[k] - p[apart + k] * x[n + k];
    return 2 * sum;
}

/* to = a x + u b, or a x + u b (1 + x). */
INLINE void move(const ThKernelSpace *s, const float *x, float *restrict to, float u)
{
    int n = s->n;
    size_t im = s->apart;
    const float *a = s->modes, *b = a + READ_B * im;
    for (int k = 0; k < n; k++) {
        float re = s->products ? 1 + x[k] : 1, i = s->products ? x[n + k] : 0;
        to[k] = a[k] * x[k] - a[im + k] * x[n + k] + u * (b[k] * re - b[im + k] * i);
        to[n + k] = a[k] * x[n + k] + a[im + k] * x[k] + u * (b[k] * i + b[im + k] * re);
    }
}

TH_KERNEL_CLONES void th_kernel_space(const ThKernelSpace *s)
{
    size_t n = (size_t)s->n, im = s->apart;
    for (int i = 0; i < s->T; i++) {
        const float *x = s->x + 2 * n * (size_t)i, *w = s->modes + W * im;
        float *to = s->x + 2 * n * (size_t)(i + 1);
        move(s, x, to, s->u[i]);
        if (s->rank_one) {
            float r = real_product(s->modes + V * im, im, x, s->n);
            for (size_t k = 0; k < n; k++) {
                to[k] -= w[k] * r;
                to[n + k] -= w[im + k] * r;
            }
        }
        s->y[i] = real_product(s->modes + READ_C * im, im, to, s->n);
    }
}

/* Adds the gradient of 2 Re Σ p x, which is `by`, to those of p and x. */
INLINE void real_product_back(const float *p, size_t apart, const float *x, int n, float by,
                              float *restrict dp, float *restrict dx)
{
    for (int k = 0; k < n; k++) {
        dp[k] += 2 * by * x[k];
        dp[apart + k] -= 2 * by * x[n + k];
        dx[k] += 2 * by * p[k];
        dx[n + k] -= 2 * by * p[apart + k];
    }
}

/* g becomes the gradient of the state before; returns that of u. */
INLINE float move_back(const ThKernelSpaceBack *z, const float *x, float u)
{
    const ThKernelSpace *s = z->forward;
    int n = s->n;
    size_t im = s->apart;
    const float *a = s->modes, *b = a + READ_B * im;
    float du = 0, *g = z->g, *da = z->dmodes, *db = da + READ_B * im;
    for (int k = 0; k < n; k++) {
        float re = s->products ? 1 + x[k] : 1, i = s->products ? x[n + k] : 0;
        float gr = g[k], gi = g[n + k], br = gr * re + gi * i, bi = gi * re - gr * i;
        da[k] += gr * x[k] + gi * x[n + k];
        da[im + k] += gi * x[k] - gr * x[n + k];
        db[k] += u * br;
        db[im + k] += u * bi;
        du += b[k] * br + b[im + k] * bi;
        float pr = s->products ? a[k] + u * b[k] : a[k];
        float pi = s->products ? a[im + k] + u * b[im + k] : a[im + k];
        g[k] = pr * gr + pi * gi;
        g[n + k] = pr * gi - pi * gr;
    }
    return du;
}

/* The gradient of r = 2 Re Σ v x; w gets its own. */
INLINE float rank_one_back(const ThKernelSpaceBack *z, const float *x)
{
    const ThKernelSpace *s = z->forward;
    int n = s->n;
    size_t im = s->apart;
    const float *w = s->modes + W * im, *g = z->g;
    float r = real_product(s->modes + V * im, im, x, n), dr = 0, *dw = z->dmodes + W * im;
    for (int k = 0; k < n; k++) {
        dr -= w[k] * g[k] + w[im + k] * g[n + k];
        dw[k] -= r * g[k];
        dw[im + k] -= r * g[n + k];
    }
    return dr;
}

TH_KERNEL_CLONES void th_kernel_space_back(const ThKernelSpaceBack *z)
{
    const ThKernelSpace *s = z->forward;
    size_t n = (size_t)s->n, im = s->apart;
    for (int i = s->T - 1; i >= 0; i--) {
        const float *x = s->x + 2 * n * (size_t)i;
        real_product_back(s->modes + READ_C * im, im, x + 2 * n, s->n, z->dy[i],
                          z->dmodes + READ_C * im, z->g);
        float dr = s->rank_one ? rank_one_back(z, x) : 0;
        z->du[i] = move_back(z, x, s->u[i]);
        if (s->rank_one)
            real_product_back(s->modes + V * im, im, x, s->n, dr, z->dmodes + V * im, z->g);
    }
}

/* ---- convolutions ---- */

TH_KERNEL_CLONES void th_kernel_convolve(const ThKernelConvolve *c)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->T; i++) {
        float *restrict y = c->y + (size_t)i * d;
        for (int l = 0; l <= i && l < c->L; l++) {
            const float *k = c->kernel + (size_t)l * d, *u = c->u + (size_t)(i - l) * d;
            for (size_t j = 0; j < d; j++)
                y[j] += k[j] * u[j];
        }
    }
}

TH_KERNEL_CLONES void th_kernel_convolve_back(const ThKernelConvolve *c, const float *dy, float *du,
                                              float *dkernel)
{
    size_t d = (size_t)c->d;
    for (int i = 0; i < c->T; i++) {
        const float *g = dy + (size_t)i * d;
        for (int l = 0; l <= i && l < c->L; l++) {
            const float *k = c->kernel + (size_t)l * d, *u = c->u + (size_t)(i - l) * d;
            float *restrict dk = dkernel + (size_t)l * d, *restrict to = du + (size_t)(i - l) * d;
            for (size_t j = 0; j < d; j++) {
                dk[j] += g[j] * u[j];
                to[j] += g[j] * k[j];
            }
        }
    }
}
