#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_elementwise.h"

#include "tensor/kernels/kernels.h"

/* Both loops of a function: its value in terms of x, and its slope in terms of x and of the value
 * y. */
#define LOOPS(name, value, slope)                                                                  \
    static void name##_forward(float *to, const float *from, size_t n)                             \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            float x = from[i];                                                                     \
            to[i] = (value);                                                                       \
        }                                                                                          \
    }                                                                                              \
    static void name##_back(float *dx, const float *dy, const float *at, const float *values,      \
                            size_t n)                                                              \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            float x = at[i], y = values[i];                                                        \
            (void)x;                                                                               \
            (void)y;                                                                               \
            dx[i] = dy[i] * (slope);                                                               \
        }                                                                                          \
    }

LOOPS(tanh, tanhf(x), 1 - y * y)
LOOPS(softplus, th_kernel_relu_of(x) + log1pf(expf(-fabsf(x))), th_kernel_sigmoid_of(x))
LOOPS(silu, x *th_kernel_sigmoid_of(x), th_kernel_sigmoid_of(x) * (1 + x - y))
LOOPS(exp, expf(x), y)
LOOPS(log, logf(x), 1 / x)
LOOPS(sqrt, sqrtf(x), 0.5f / y)
LOOPS(square, x *x, 2 * x)
LOOPS(reciprocal, 1 / x, -y *y)
LOOPS(sin, sinf(x), cosf(x))
LOOPS(cos, cosf(x), -sinf(x))

static void sigmoid_back(float *dx, const float *dy, const float *x, const float *y, size_t n)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * (y[i] * (1 - y[i]));
}

static void relu_back(float *dx, const float *dy, const float *x, const float *y, size_t n)
{
    (void)x;
    TH_KERNEL_OWN(th_kernel_relu_back)(dx, dy, y, n);
}

static void gelu_back(float *dx, const float *dy, const float *x, const float *y, size_t n)
{
    (void)y;
    TH_KERNEL_OWN(th_kernel_gelu_back)(dx, dy, x, n);
}

static void abs_forward(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = fabsf(x[i]);
}

static void abs_back(float *dx, const float *dy, const float *x, const float *y, size_t n)
{
    (void)y;
    for (size_t i = 0; i < n; i++)
        dx[i] = x[i] > 0 ? dy[i] : x[i] < 0 ? -dy[i] : 0;
}

static const ThKernelMap maps[TH_TAPE_MAPS] = {
    [TH_MAP_RELU] = {TH_KERNEL_OWN(th_kernel_relu), relu_back},
    [TH_MAP_GELU] = {TH_KERNEL_OWN(th_kernel_gelu), gelu_back},
    [TH_MAP_SIGMOID] = {TH_KERNEL_OWN(th_kernel_sigmoid), sigmoid_back},
    [TH_MAP_TANH] = {tanh_forward, tanh_back},
    [TH_MAP_SILU] = {silu_forward, silu_back},
    [TH_MAP_SOFTPLUS] = {softplus_forward, softplus_back},
    [TH_MAP_EXP] = {exp_forward, exp_back},
    [TH_MAP_LOG] = {log_forward, log_back},
    [TH_MAP_SQRT] = {sqrt_forward, sqrt_back},
    [TH_MAP_SQUARE] = {square_forward, square_back},
    [TH_MAP_RECIPROCAL] = {reciprocal_forward, reciprocal_back},
    [TH_MAP_ABS] = {abs_forward, abs_back},
    [TH_MAP_SIN] = {sin_forward, sin_back},
    [TH_MAP_COS] = {cos_forward, cos_back},
};

TH_KERNEL(const ThKernelMap *, th_kernel_map)(ThOpMap f)
{
    return &maps[f];
}

/* ---- two operands ---- */

static void add_forward(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

static void subtract_forward(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] - b[i];
}

static void negate(float *dx, const float *dy, const ThKernelPair *at, size_t n)
{
    (void)at;
    TH_KERNEL_OWN(th_kernel_scale)(dx, dy, -1, n);
}

static void multiply_forward(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] * b[i];
}

static void multiply_back_a(float *dx, const float *dy, const ThKernelPair *at, size_t n)
{
    multiply_forward(dx, dy, at->b, n);
}

static void multiply_back_b(float *dx, const float *dy, const ThKernelPair *at, size_t n)
{
    multiply_forward(dx, dy, at->a, n);
}

static void divide_forward(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] / b[i];
}

static void divide_back_a(float *dx, const float *dy, const ThKernelPair *at, size_t n)
{
    divide_forward(dx, dy, at->b, n);
}

static void divide_back_b(float *dx, const float *dy, const ThKernelPair *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = -dy[i] * at->y[i] / at->b[i];
}

static const ThKernelZip zips[TH_TAPE_ZIPS] = {
    [TH_ZIP_ADD] = {add_forward, {NULL, NULL}},
    [TH_ZIP_SUBTRACT] = {subtract_forward, {NULL, negate}},
    [TH_ZIP_MULTIPLY] = {multiply_forward, {multiply_back_a, multiply_back_b}},
    [TH_ZIP_DIVIDE] = {divide_forward, {divide_back_a, divide_back_b}},
};

TH_KERNEL(const ThKernelZip *, th_kernel_zip)(ThOpZip f)
{
    return &zips[f];
}

TH_KERNEL(void, th_kernel_momentum)
(float *x, float *m, const float *g, float momentum, float clip, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = th_tape_drop_tiny(momentum * m[i] + clip * g[i]);
        x[i] = clip * g[i] + momentum * m[i];
    }
}

/* ---- rows and columns ---- */

TH_KERNEL(void, th_kernel_affine)(float *y, const float *x, float by, float plus, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = by * x[i] + plus;
}

TH_KERNEL(void, th_kernel_add_product)(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a[i] * b[i];
}

TH_KERNEL(void, th_kernel_times_row)(float *y, const float *a, const float *row, int n, int d)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)d;
        for (int j = 0; j < d; j++)
            y[at + j] = a[at + j] * row[j];
    }
}

TH_KERNEL(void, th_kernel_times_column)(float *y, const float *a, const float *column, int n, int d)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)d;
        float by = column[i];
        for (int j = 0; j < d; j++)
            y[at + j] = a[at + j] * by;
    }
}

TH_KERNEL(void, th_kernel_product_column_sums)
(float *sum, const float *a, const float *b, int n, int d, float beta)
{
    for (int j = 0; j < d; j++)
        sum[j] = beta == 0 ? 0 : beta * sum[j];
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)d;
        for (int j = 0; j < d; j++)
            sum[j] += a[at + j] * b[at + j];
    }
}

static inline float dot(const float *a, const float *b, int d)
{
    float sum = 0;
    for (int j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

TH_KERNEL(void, th_kernel_product_row_sums)
(float *sum, const float *a, const float *b, int n, int d, float beta)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)d;
        float product = dot(a + at, b + at, d);
        sum[i] = beta == 0 ? product : beta * sum[i] + product;
    }
}

TH_KERNEL(void, th_kernel_row_sums)(float *sum, const float *a, int n, int d)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)d;
        float total = 0;
        for (int j = 0; j < d; j++)
            total += a[at + j];
        sum[i] = total;
    }
}

TH_KERNEL(void, th_kernel_softmax_back)
(float *dx, const float *dy, const float *y, int n, int d, float beta)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)d;
        float mean = dot(dy + at, y + at, d);
        if (beta == 0)
            for (int j = 0; j < d; j++)
                dx[at + j] = y[at + j] * (dy[at + j] - mean);
        else
            for (int j = 0; j < d; j++)
                dx[at + j] = beta * dx[at + j] + y[at + j] * (dy[at + j] - mean);
    }
}
