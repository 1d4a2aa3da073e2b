/* Functions of one number and of two, by their tables; products with rows and columns. */
#include <math.h>

#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/tape/tape_impl.h"

/* Elements that a gradient which is added to takes at a time, on the stack. */
enum { RUN = 256 };

static size_t run_length(size_t from, size_t size)
{
    return size - from < RUN ? size - from : RUN;
}

/* ---- the table of functions of one number ---- */

static double relu(double x)
{
    return x > 0 ? x : 0;
}

static double relu_slope(double x, double y TH_UNUSED)
{
    return x > 0;
}

static double normal_share(double x)
{
    return 0.5 * (1 + erf(x * M_SQRT1_2));
}

static double gelu(double x)
{
    return x * normal_share(x);
}

static double gelu_slope(double x, double y TH_UNUSED)
{
    return normal_share(x) + x * exp(-0.5 * x * x) / sqrt(2 * M_PI);
}

static double sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

static double sigmoid_slope(double x TH_UNUSED, double y)
{
    return y * (1 - y);
}

static double tanh_slope(double x TH_UNUSED, double y)
{
    return 1 - y * y;
}

static double silu(double x)
{
    return x * sigmoid(x);
}

static double silu_slope(double x, double y TH_UNUSED)
{
    return sigmoid(x) * (1 + x * (1 - sigmoid(x)));
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double softplus_slope(double x, double y TH_UNUSED)
{
    return sigmoid(x);
}

static double exp_slope(double x TH_UNUSED, double y)
{
    return y;
}

static double log_slope(double x, double y TH_UNUSED)
{
    return 1 / x;
}

static double sqrt_slope(double x TH_UNUSED, double y)
{
    return 0.5 / y;
}

static double square(double x)
{
    return x * x;
}

static double square_slope(double x, double y TH_UNUSED)
{
    return 2 * x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double reciprocal_slope(double x TH_UNUSED, double y)
{
    return -y * y;
}

static double abs_slope(double x, double y TH_UNUSED)
{
    return (double)(x > 0) - (double)(x < 0);
}

static double sin_slope(double x, double y TH_UNUSED)
{
    return cos(x);
}

static double cos_slope(double x, double y TH_UNUSED)
{
    return -sin(x);
}

typedef struct {
    const char *name;
    double (*value)(double x);
    double (*slope)(double x, double y); /* y is the value at x */
} Map;

static const Map maps[TH_TAPE_MAPS] = {
    [TH_MAP_RELU] = {"relu", relu, relu_slope},
    [TH_MAP_GELU] = {"gelu", gelu, gelu_slope},
    [TH_MAP_SIGMOID] = {"sigmoid", sigmoid, sigmoid_slope},
    [TH_MAP_TANH] = {"tanh", tanh, tanh_slope},
    [TH_MAP_SILU] = {"silu", silu, silu_slope},
    [TH_MAP_SOFTPLUS] = {"softplus", softplus, softplus_slope},
    [TH_MAP_EXP] = {"exp", exp, exp_slope},
    [TH_MAP_LOG] = {"log", log, log_slope},
    [TH_MAP_SQRT] = {"sqrt", sqrt, sqrt_slope},
    [TH_MAP_SQUARE] = {"square", square, square_slope},
    [TH_MAP_RECIPROCAL] = {"reciprocal", reciprocal, reciprocal_slope},
    [TH_MAP_ABS] = {"abs", fabs, abs_slope},
    [TH_MAP_SIN] = {"sin", sin, sin_slope},
    [TH_MAP_COS] = {"cos", cos, cos_slope},
};

const char *th_op_map_name(ThOpMap f)
{
    return maps[f].name;
}

double th_op_map_value(ThOpMap f, double x)
{
    return maps[f].value(x);
}

double th_op_map_slope(ThOpMap f, double x, double y)
{
    return maps[f].slope(x, y);
}

static ThOpMap map_of(const ThTapeNode *n)
{
    return *(const ThOpMap *)n->args;
}

static void map_forward(ThTape *t, ThTapeNode *n)
{
    ThOpMap f = map_of(n);
    const float *x = th_tape_in_float(t, n, 0);
    float *y = n->value;
    if (th_kernel_map(f)->forward)
        th_kernel_map(f)->forward(y, x, th_tape_size(n));
    else
        for (size_t i = 0; i < th_tape_size(n); i++)
            y[i] = (float)maps[f].value((double)x[i]);
}

static void map_slopes(ThOpMap f, float *dx, const float *dy, const float *x, const float *y,
                       size_t n)
{
    if (th_kernel_map(f)->back)
        th_kernel_map(f)->back(dx, dy, x, y, n);
    else
        for (size_t i = 0; i < n; i++)
            dx[i] = dy[i] * (float)maps[f].slope((double)x[i], (double)y[i]);
}

static void map_backward(ThTape *t, ThTapeNode *n)
{
    ThOpMap f = map_of(n);
    const float *x = th_tape_in_float(t, n, 0), *y = n->value, *dy = n->grad;
    float part[RUN], beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    if (dx && beta == 0)
        map_slopes(f, dx, dy, x, y, th_tape_size(n));
    for (size_t i = 0; dx && beta != 0 && i < th_tape_size(n); i += RUN) {
        map_slopes(f, part, dy + i, x + i, y + i, run_length(i, th_tape_size(n)));
        th_kernel_add(dx + i, part, run_length(i, th_tape_size(n)));
    }
}

static void map_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *x = th_tape_in_double(t, n, 0);
    double *y = n->value;
    for (size_t i = 0; i < th_tape_size(n); i++)
        y[i] = maps[map_of(n)].value(x[i]);
}

static void map_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *x = th_tape_in_double(t, n, 0), *y = n->value, *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    for (size_t i = 0; i < th_tape_size(n); i++)
        dx[i] += dy[i] * maps[map_of(n)].slope(x[i], y[i]);
}

static const ThOp op_map = {"map", map_forward, map_backward, map_forward_double,
                            map_backward_double};

ThVar th_op_map(ThTape *t, ThVar a, ThOpMap f)
{
    return th_tape_op(t, &op_map, th_tape_rows(t, a), th_tape_cols(t, a), &a, 1, &f, sizeof f);
}

ThVar th_op_relu(ThTape *t, ThVar a)
{
    return th_op_map(t, a, TH_MAP_RELU);
}

/* ---- the table of functions of two numbers ---- */

typedef struct {
    const char *name;
    double (*value)(double a, double b);
    double (*slope[2])(double a, double b);
} Zip;

static double one(double a TH_UNUSED, double b TH_UNUSED)
{
    return 1;
}

static double minus_one(double a TH_UNUSED, double b TH_UNUSED)
{
    return -1;
}

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double first(double a, double b TH_UNUSED)
{
    return a;
}

static double second(double a TH_UNUSED, double b)
{
    return b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double divide_by_a(double a TH_UNUSED, double b)
{
    return 1 / b;
}

static double divide_by_b(double a, double b)
{
    return -a / (b * b);
}

static const Zip zips[TH_TAPE_ZIPS] = {
    [TH_ZIP_ADD] = {"add", add, {one, one}},
    [TH_ZIP_SUBTRACT] = {"subtract", subtract, {one, minus_one}},
    [TH_ZIP_MULTIPLY] = {"multiply", multiply, {second, first}},
    [TH_ZIP_DIVIDE] = {"divide", divide, {divide_by_a, divide_by_b}},
};

const char *th_op_zip_name(ThOpZip f)
{
    return zips[f].name;
}

static ThOpZip zip_of(const ThTapeNode *n)
{
    return *(const ThOpZip *)n->args;
}

static void zip_forward(ThTape *t, ThTapeNode *n)
{
    const ThKernelZip *k = th_kernel_zip(zip_of(n));
    const float *a = th_tape_in_float(t, n, 0), *b = th_tape_in_float(t, n, 1);
    float *y = n->value;
    if (k->forward)
        k->forward(y, a, b, th_tape_size(n));
    else
        for (size_t i = 0; i < th_tape_size(n); i++)
            y[i] = (float)zips[zip_of(n)].value((double)a[i], (double)b[i]);
}

/* dx = dy times the slope by one of the operands. */
static void zip_slopes(ThOpZip f, int operand, float *dx, const float *dy, const ThKernelPair *at,
                       size_t n)
{
    const ThKernelZip *k = th_kernel_zip(f);
    if (k->forward && k->back[operand])
        k->back[operand](dx, dy, at, n);
    else if (k->forward)
        memcpy(dx, dy, n * sizeof *dx);
    else
        for (size_t i = 0; i < n; i++)
            dx[i] = dy[i] * (float)zips[f].slope[operand]((double)at->a[i], (double)at->b[i]);
}

static void zip_back_one(ThTape *t, ThTapeNode *n, int operand)
{
    ThOpZip f = zip_of(n);
    const ThKernelZip *k = th_kernel_zip(f);
    const float *a = th_tape_in_float(t, n, 0), *b = th_tape_in_float(t, n, 1), *y = n->value,
                *dy = n->grad;
    if (operand == 0 && k->forward && !k->back[0] && th_tape_pass_gradient(t, n, 0))
        return;
    float part[RUN], beta, *dx = th_tape_grad_float(t, n, operand, &beta);
    if (!dx)
        return;
    if (beta == 0) {
        zip_slopes(f, operand, dx, dy, &(ThKernelPair){a, b, y}, th_tape_size(n));
        return;
    }
    if (k->forward && !k->back[operand]) {
        th_kernel_add(dx, dy, th_tape_size(n));
        return;
    }
    for (size_t i = 0; i < th_tape_size(n); i += RUN) {
        size_t length = run_length(i, th_tape_size(n));
        zip_slopes(f, operand, part, dy + i, &(ThKernelPair){a + i, b + i, y + i}, length);
        th_kernel_add(dx + i, part, length);
    }
}

static void zip_backward(ThTape *t, ThTapeNode *n)
{
    zip_back_one(t, n, 1);
    zip_back_one(t, n, 0); /* which may take the gradient away */
}

static void zip_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, 0), *b = th_tape_in_double(t, n, 1);
    double *y = n->value;
    for (size_t i = 0; i < th_tape_size(n); i++)
        y[i] = zips[zip_of(n)].value(a[i], b[i]);
}

static void zip_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, 0), *b = th_tape_in_double(t, n, 1), *dy = n->grad;
    for (int operand = 0; operand < 2; operand++) {
        double *dx = th_tape_grad_double(t, n, operand);
        for (size_t i = 0; i < th_tape_size(n); i++)
            dx[i] += dy[i] * zips[zip_of(n)].slope[operand](a[i], b[i]);
    }
}

static const ThOp op_zip = {"zip", zip_forward, zip_backward, zip_forward_double,
                            zip_backward_double};

ThVar th_op_zip(ThTape *t, ThVar a, ThVar b, ThOpZip f)
{
    if (th_tape_rows(t, a) != th_tape_rows(t, b) || th_tape_cols(t, a) != th_tape_cols(t, b))
        return th_tape_fail(t, TH_EVALUE, "%s: (%d,%d) does not fit (%d,%d)", zips[f].name,
                            th_tape_rows(t, a), th_tape_cols(t, a), th_tape_rows(t, b),
                            th_tape_cols(t, b));
    return th_tape_op(t, &op_zip, th_tape_rows(t, a), th_tape_cols(t, a), (ThVar[]){a, b}, 2, &f,
                      sizeof f);
}

ThVar th_op_add(ThTape *t, ThVar a, ThVar b)
{
    return th_op_zip(t, a, b, TH_ZIP_ADD);
}

ThVar th_op_subtract(ThTape *t, ThVar a, ThVar b)
{
    return th_op_zip(t, a, b, TH_ZIP_SUBTRACT);
}

ThVar th_op_multiply(ThTape *t, ThVar a, ThVar b)
{
    return th_op_zip(t, a, b, TH_ZIP_MULTIPLY);
}

ThVar th_op_divide(ThTape *t, ThVar a, ThVar b)
{
    return th_op_zip(t, a, b, TH_ZIP_DIVIDE);
}

/* ---- by a + plus ---- */

typedef struct {
    double by, plus;
} Affine;

static void affine_forward(ThTape *t, ThTapeNode *n)
{
    const Affine *a = n->args;
    const float *x = th_tape_in_float(t, n, 0);
    if (a->plus == 0)
        th_kernel_scale(n->value, x, (float)a->by, th_tape_size(n));
    else
        th_kernel_affine(n->value, x, (float)a->by, (float)a->plus, th_tape_size(n));
}

static void affine_backward(ThTape *t, ThTapeNode *n)
{
    float by = (float)((const Affine *)n->args)->by;
    float part[RUN], beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    const float *dy = n->grad;
    if (dx && beta == 0)
        th_kernel_scale(dx, dy, by, th_tape_size(n));
    for (size_t i = 0; dx && beta != 0 && i < th_tape_size(n); i += RUN) {
        th_kernel_scale(part, dy + i, by, run_length(i, th_tape_size(n)));
        th_kernel_add(dx + i, part, run_length(i, th_tape_size(n)));
    }
}

static void affine_forward_double(ThTape *t, ThTapeNode *n)
{
    const Affine *a = n->args;
    const double *x = th_tape_in_double(t, n, 0);
    double *y = n->value;
    for (size_t i = 0; i < th_tape_size(n); i++)
        y[i] = a->by * x[i] + a->plus;
}

static void affine_backward_double(ThTape *t, ThTapeNode *n)
{
    const Affine *a = n->args;
    const double *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    for (size_t i = 0; i < th_tape_size(n); i++)
        dx[i] += a->by * dy[i];
}

static const ThOp op_affine = {"affine", affine_forward, affine_backward, affine_forward_double,
                               affine_backward_double};

ThVar th_op_affine(ThTape *t, ThVar a, double by, double plus)
{
    Affine args = {by, plus};
    return th_tape_op(t, &op_affine, th_tape_rows(t, a), th_tape_cols(t, a), &a, 1, &args,
                      sizeof args);
}

ThVar th_op_scale(ThTape *t, ThVar a, double by)
{
    return th_op_affine(t, a, by, 0);
}
