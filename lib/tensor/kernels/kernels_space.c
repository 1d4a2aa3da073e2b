#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_space.h"

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

TH_KERNEL(void, th_kernel_space)(const ThKernelSpace *s)
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

TH_KERNEL(void, th_kernel_space_back)(const ThKernelSpaceBack *z)
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

/* Eight rows of sixteen columns are added up in registers.  What does not fill them, at the ends of
 * a string and behind the last sixteen columns, goes row by row.  Rows of `a` are taken some at a
 * time for all tiles: sixteen columns of them, and of the rows of x beside them, stay in the
 * nearest cache. */
enum { LANE = 16, TILE = 8, SOME = 64 };
typedef float Lane __attribute__((vector_size(LANE * sizeof(float)), aligned(sizeof(float))));

/* Sums of products of rows `d` apart: row t of `to` gets Σ a_m x_(m dx + t dt), m < n.  a_0 is row
 * `first` of all that other tiles take, too. */
typedef struct {
    float *to;
    const float *a, *x;
    int n, dx, dt, first;
} Products;

INLINE void lane(const Products *p, ptrdiff_t d)
{
    Lane sum[TILE];
#pragma GCC unroll 8
    for (int t = 0; t < TILE; t++)
        sum[t] = *(const Lane *)(p->to + t * d);
    for (int m = 0; m < p->n; m++) {
        Lane a = *(const Lane *)(p->a + m * d);
        const float *x = p->x + m * p->dx * d;
#pragma GCC unroll 8
        for (int t = 0; t < TILE; t++)
            sum[t] += a * *(const Lane *)(x + t * p->dt * d);
    }
#pragma GCC unroll 8
    for (int t = 0; t < TILE; t++)
        *(Lane *)(p->to + t * d) = sum[t];
}

/* y += a x, row by row. */
INLINE void row(float *restrict y, const float *a, const float *x, size_t d)
{
    for (size_t j = 0; j < d; j++)
        y[j] += a[j] * x[j];
}

INLINE int least(int a, int b)
{
    return a < b ? a : b;
}

/* What is computed: y, or with dy given du and dkernel. */
typedef struct {
    const ThKernelConvolve *c;
    const float *dy;
    float *du, *dkernel;
    ptrdiff_t d;
    int lags;
} Work;

typedef Products TileOf(const Work *w, int i);

/* The tiles of `rows` rows. */
INLINE void sweep(const Work *w, int rows, TileOf *tile_of)
{
    ptrdiff_t d = w->d, done = 0;
    for (; done + LANE <= d; done += LANE) {
        for (int from = 0; from < w->c->T; from += SOME) {
            for (int i = 0; i + TILE <= rows; i += TILE) {
                Products p = tile_of(w, i);
                int skip = from > p.first ? from - p.first : 0;
                p.n = least(p.n, from + SOME - p.first) - skip;
                p.to += done;
                p.a += skip * d + done;
                p.x += skip * p.dx * d + done;
                if (p.n > 0)
                    lane(&p, d);
            }
        }
    }
    for (int i = 0; done < d && i + TILE <= rows; i += TILE) {
        Products p = tile_of(w, i);
        for (int m = 0; m < p.n; m++)
            for (int t = 0; t < TILE; t++)
                row(p.to + t * d + done, p.a + m * d + done, p.x + (m * p.dx + t * p.dt) * d + done,
                    (size_t)(d - done));
    }
}

/* Lags that all rows of a tile of y have, and of du, and the first position that all rows of a tile
 * of dkernel have; 0 where rows are missing. */
INLINE int lags_of_y(const Work *w, int i)
{
    return i + TILE <= w->c->T ? least(i + 1, w->c->L) : 0;
}

INLINE int lags_of_du(const Work *w, int i)
{
    return i + TILE <= w->c->T ? least(w->lags, w->c->T - i - (TILE - 1)) : 0;
}

INLINE int first_of_dkernel(const Work *w, int l)
{
    return l + TILE <= w->lags ? l + TILE - 1 : w->c->T;
}

INLINE Products tile_of_y(const Work *w, int i)
{
    return (Products){.to = w->c->y + i * w->d,
                      .a = w->c->kernel,
                      .x = w->c->u + i * w->d,
                      .n = lags_of_y(w, i),
                      .dx = -1,
                      .dt = 1};
}

INLINE Products tile_of_du(const Work *w, int i)
{
    return (Products){.to = w->du + i * w->d,
                      .a = w->c->kernel,
                      .x = w->dy + i * w->d,
                      .n = lags_of_du(w, i),
                      .dx = 1,
                      .dt = 1};
}

INLINE Products tile_of_dkernel(const Work *w, int l)
{
    int first = first_of_dkernel(w, l);
    return (Products){.to = w->dkernel + l * w->d,
                      .a = w->dy + first * w->d,
                      .x = w->c->u + (TILE - 1) * w->d,
                      .n = w->c->T - first,
                      .dx = 1,
                      .dt = -1,
                      .first = first};
}

TH_KERNEL(void, th_kernel_convolve)(const ThKernelConvolve *c)
{
    size_t d = (size_t)c->d;
    Work w = {.c = c, .d = c->d, .lags = least(c->L, c->T)};
    sweep(&w, c->T, tile_of_y);
    for (int t = 0; t < c->T; t++)
        for (int l = lags_of_y(&w, t / TILE * TILE); l <= t && l < c->L; l++)
            row(c->y + t * d, c->kernel + l * d, c->u + (t - l) * d, d);
}

TH_KERNEL(void, th_kernel_convolve_back)
(const ThKernelConvolve *c, const float *dy, float *du, float *dkernel)
{
    size_t d = (size_t)c->d;
    Work w = {c, dy, du, dkernel, c->d, least(c->L, c->T)};
    sweep(&w, c->T, tile_of_du);
    for (int t = 0; t < c->T; t++)
        for (int l = lags_of_du(&w, t / TILE * TILE); l < w.lags && t + l < c->T; l++)
            row(du + t * d, c->kernel + l * d, dy + (t + l) * d, d);
    sweep(&w, w.lags, tile_of_dkernel);
    for (int l = 0; l < w.lags; l++)
        for (int i = l; i < first_of_dkernel(&w, l / TILE * TILE); i++)
            row(dkernel + l * d, dy + i * d, c->u + (i - l) * d, d);
}
