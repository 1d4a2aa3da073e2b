#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_fourier.h"

#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))

/* Sixteen columns at a time: a point of a transform is that many complex numbers. */
enum { LANE = 16 };
typedef float Lane __attribute__((vector_size(LANE * sizeof(float)), aligned(sizeof(float))));
typedef struct {
    Lane re, im;
} Point;

TH_KERNEL(int, th_kernel_fourier_size)(int T, int L)
{
    int n = 4;
    while (n < T + L - 1)
        n *= 2;
    return n;
}

/* The kernel's transform, those of two strings and their gradients, and the sum of the kernel's. */
enum { KERNEL, STRINGS, BACK, SUM, ROOMS };

TH_KERNEL(size_t, th_kernel_fourier_room)(int N)
{
    return (size_t)N * ROOMS * sizeof(Point) / sizeof(float);
}

INLINE Point *room_of(const ThKernelFourier *f, int which)
{
    return (Point *)f->room + (size_t)which * (size_t)f->N;
}

/* a times c + i s. */
INLINE void turn(Point *to, const Point *a, float c, float s)
{
    Lane re = a->re * c - a->im * s;
    to->im = a->re * s + a->im * c;
    to->re = re;
}

/* Four points, a quarter of n apart, of which number r then belongs to the frequencies 4m + r. */
INLINE void four(Point *x, int q, const float *w, int N, int j)
{
    Point a = x[0], b = x[q], c = x[2 * q], e = x[3 * q], y[3];
    Lane p = a.re + c.re, pi = a.im + c.im, m = a.re - c.re, mi = a.im - c.im;
    Lane r = b.re + e.re, ri = b.im + e.im, o = b.re - e.re, oi = b.im - e.im;
    x[0] = (Point){p + r, pi + ri};
    y[0] = (Point){m + oi, mi - o};
    y[1] = (Point){p - r, pi - ri};
    y[2] = (Point){m - oi, mi + o};
#pragma GCC unroll 3
    for (int k = 1; k < 4; k++)
        turn(x + k * q, y + k - 1, w[k * j], -w[N + k * j]);
}

/* What undoes it, but for a factor of four. */
INLINE void four_back(Point *x, int q, const float *w, int N, int j)
{
    Point a = x[0], y[3] = {{{0}, {0}}};
#pragma GCC unroll 3
    for (int k = 1; k < 4; k++)
        turn(y + k - 1, x + k * q, w[k * j], w[N + k * j]);
    Lane p = a.re + y[1].re, pi = a.im + y[1].im, m = a.re - y[1].re, mi = a.im - y[1].im;
    Lane r = y[0].re + y[2].re, ri = y[0].im + y[2].im, o = y[0].re - y[2].re,
         oi = y[0].im - y[2].im;
    x[0] = (Point){p + r, pi + ri};
    x[q] = (Point){m - oi, mi + o};
    x[2 * q] = (Point){p - r, pi - ri};
    x[3 * q] = (Point){m + oi, mi - o};
}

INLINE void pairs(Point *x, int N)
{
    for (int i = 0; i < N; i += 2) {
        Point a = x[i], b = x[i + 1];
        x[i] = (Point){a.re + b.re, a.im + b.im};
        x[i + 1] = (Point){a.re - b.re, a.im - b.im};
    }
}

/* The frequencies come in an order of their own, which `inverse` takes; that is times N. */
INLINE void transform(const ThKernelFourier *f, Point *x)
{
    int n = f->N;
    for (; n >= 4; n /= 4)
        for (int i = 0; i < f->N; i += n)
            for (int j = 0; j < n / 4; j++)
                four(x + i + j, n / 4, f->turn, f->N, j * (f->N / n));
    if (n == 2)
        pairs(x, f->N);
}

INLINE void inverse(const ThKernelFourier *f, Point *x)
{
    int n = f->N, least = 4;
    while (n >= 4)
        n /= 4;
    if (n == 2) {
        pairs(x, f->N);
        least = 8;
    }
    for (n = least; n <= f->N; n *= 4)
        for (int i = 0; i < f->N; i += n)
            for (int j = 0; j < n / 4; j++)
                four_back(x + i + j, n / 4, f->turn, f->N, j * (f->N / n));
}

/* The others stay zero. */
INLINE void take(Lane *to, const float *from, int cols)
{
    *to = (Lane){0};
    if (cols == LANE)
        *to = *(const Lane *)from;
    for (int c = 0; cols < LANE && c < cols; c++)
        (*to)[c] = from[c];
}

/* Some columns of n rows, d apart, of one string or two, and zeros up to N. */
INLINE void load(const ThKernelFourier *f, Point *to, const float *a, const float *b, int n,
                 int cols)
{
    for (int i = 0; i < f->N; i++) {
        to[i] = (Point){{0}, {0}};
        if (i < n)
            take(&to[i].re, a + (ptrdiff_t)i * f->d, cols);
        if (i < n && b)
            take(&to[i].im, b + (ptrdiff_t)i * f->d, cols);
    }
}

/* Adds x/N, the real parts and where b is there the imaginary ones. */
INLINE void store(const ThKernelFourier *f, float *a, float *b, const Point *x, int n, int cols)
{
    float by = 1 / (float)f->N;
    for (int i = 0; i < n; i++, a += f->d, b += b ? f->d : 0) {
        for (int c = 0; c < cols; c++)
            a[c] += by * x[i].re[c];
        for (int c = 0; b && c < cols; c++)
            b[c] += by * x[i].im[c];
    }
}

/* to = keep to + a b, with side 1, or conj(a) b with side -1. */
INLINE void products(const ThKernelFourier *f, Point *to, const Point *a, const Point *b,
                     float side, float keep)
{
    for (int i = 0; i < f->N; i++) {
        Lane re = a[i].re * b[i].re - side * (a[i].im * b[i].im);
        Lane im = a[i].re * b[i].im + side * (a[i].im * b[i].re);
        to[i] = (Point){re + keep * to[i].re, im + keep * to[i].im};
    }
}

/* Two strings, or the last: of all of them the columns from `at` on. */
INLINE void backward(const ThKernelFourier *f, const float *dy, float *du, ptrdiff_t at, bool two,
                     int cols)
{
    ptrdiff_t next = at + (ptrdiff_t)f->T * f->d;
    Point *x = room_of(f, STRINGS), *dx = room_of(f, BACK);
    load(f, x, f->u + at, two ? f->u + next : NULL, f->T, cols);
    load(f, dx, dy + at, two ? dy + next : NULL, f->T, cols);
    transform(f, x);
    transform(f, dx);
    products(f, room_of(f, SUM), x, dx, -1, 1);
    products(f, dx, room_of(f, KERNEL), dx, -1, 0);
    inverse(f, dx);
    store(f, du + at, two ? du + next : NULL, dx, f->T, cols);
}

/* The gradients of two kernels are the real part of one product, for their strings are real. */
TH_KERNEL(void, th_kernel_fourier)
(const ThKernelFourier *f, const float *dy, float *du, float *dkernel)
{
    ptrdiff_t string = (ptrdiff_t)f->T * f->d;
    for (int j = 0; j < f->d; j += LANE) {
        int cols = f->d - j < LANE ? f->d - j : LANE;
        load(f, room_of(f, KERNEL), f->kernel + j, NULL, f->L, cols);
        transform(f, room_of(f, KERNEL));
        load(f, room_of(f, SUM), NULL, NULL, 0, cols);
        for (int b = 0; b < f->B; b += 2)
            backward(f, dy, du, b * string + j, b + 1 < f->B, cols);
        inverse(f, room_of(f, SUM));
        store(f, dkernel + j, NULL, room_of(f, SUM), f->L, cols);
    }
}
