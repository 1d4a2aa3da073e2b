/* Products with parameter matrices, with and without an activation. */

#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/tape/tape_impl.h"

typedef enum { IDENTITY, RELU, GELU } Activation;

enum { X, W, BIAS };

static Activation activation(const ThTapeNode *n)
{
    return *(const Activation *)n->args;
}

/* ---- fast ---- */

/* Rows that are worked on together, through product and activation, so that they are still in the
 * cache for the next. */
static int rows_at_once(const ThTapeNode *n)
{
    return n->cols <= 64 ? 768 : 384;
}

static int rows_from(const ThTapeNode *n, int i)
{
    return n->rows - i < rows_at_once(n) ? n->rows - i : rows_at_once(n);
}

/* For backward gelu leaves its slopes. */
static void forward_rows(ThTape *t, const ThTapeNode *n, int i)
{
    const ThTapeNode *x = th_tape_in(t, n, X);
    int rows = rows_from(n, i);
    size_t at = (size_t)i * (size_t)n->cols, size = (size_t)rows * (size_t)n->cols;
    float *y = (float *)n->value + at, *z = n->saved ? (float *)n->saved + at : y;
    th_blas_gemm_on_row(&(ThBlasGemm){rows, n->cols, x->cols, x->cols, n->cols, n->cols, 0},
                        (const float *)x->value + (size_t)i * (size_t)x->cols,
                        th_tape_in_float(t, n, W), th_tape_in_float(t, n, BIAS), z,
                        th_tape_stop(t));
    if (activation(n) == RELU)
        th_kernel_relu(y, z, size);
    else if (n->saved)
        th_kernel_gelu_slope(y, z, size);
    else if (activation(n) == GELU)
        th_kernel_gelu(y, z, size);
}

static void linear_forward(ThTape *t, ThTapeNode *n)
{
    if (activation(n) == GELU && th_tape_records(t))
        n->saved = th_tape_take(t, th_tape_size(n), sizeof(float));
    for (int i = 0; i < n->rows && th_tape_goes_on(t); i += rows_at_once(n))
        forward_rows(t, n, i);
}

/* Where gradients go, and whether there are some already. */
typedef struct {
    float *x, *w, *bias;
    float beta_x, beta_w, beta_bias;
} Gradients;

/* From the gradient of the rows of n's value to that of what the activation got. */
static void activation_back(const ThTapeNode *n, int i, float *dy)
{
    size_t at = (size_t)i * (size_t)n->cols, size = (size_t)rows_from(n, i) * (size_t)n->cols;
    if (activation(n) == RELU)
        th_kernel_relu_back(dy, dy, (const float *)n->value + at, size);
    else if (activation(n) == GELU)
        th_kernel_multiply(dy, (const float *)n->saved + at, size);
}

static void backward_rows(ThTape *t, const ThTapeNode *n, int i, const Gradients *g)
{
    const ThTapeNode *x = th_tape_in(t, n, X);
    int rows = rows_from(n, i);
    size_t at = (size_t)i * (size_t)x->cols;
    float *dy = (float *)n->grad + (size_t)i * (size_t)n->cols;
    activation_back(n, i, dy);
    if (g->bias)
        th_kernel_column_sums(g->bias, dy, rows, n->cols, i == 0 ? g->beta_bias : 1);
    if (g->w)
        th_blas_gemm_stopping(th_blas_gemm_tn,
                              &(ThBlasGemm){x->cols, n->cols, rows, x->cols, n->cols, n->cols,
                                            i == 0 ? g->beta_w : 1},
                              (const float *)x->value + at, dy, g->w, th_tape_stop(t));
    if (g->x)
        th_blas_gemm_stopping(
            th_blas_gemm_nt,
            &(ThBlasGemm){rows, x->cols, n->cols, n->cols, n->cols, x->cols, g->beta_x}, dy,
            th_tape_in_float(t, n, W), g->x + at, th_tape_stop(t));
}

static void linear_backward(ThTape *t, ThTapeNode *n)
{
    Gradients g;
    g.bias = th_tape_grad_float(t, n, BIAS, &g.beta_bias);
    g.w = th_tape_keep_product(t, n, X, W) ? NULL : th_tape_grad_float(t, n, W, &g.beta_w);
    g.x = th_tape_grad_float(t, n, X, &g.beta_x);
    for (int i = 0; i < n->rows && th_tape_goes_on(t); i += rows_at_once(n))
        backward_rows(t, n, i, &g);
}

/* ---- reference ---- */

static double activate(Activation a, double z)
{
    return a == IDENTITY ? z : th_op_map_value(a == RELU ? TH_MAP_RELU : TH_MAP_GELU, z);
}

static double slope(Activation a, double z)
{
    ThOpMap f = a == RELU ? TH_MAP_RELU : TH_MAP_GELU;
    return a == IDENTITY ? 1 : th_op_map_slope(f, z, th_op_map_value(f, z));
}

static void linear_forward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *in = th_tape_in(t, n, X);
    const double *x = in->value, *w = th_tape_in_double(t, n, W),
                 *bias = th_tape_in_double(t, n, BIAS);
    size_t cols = (size_t)n->cols, inner = (size_t)in->cols;
    double *y = n->value;
    double *z = n->saved = th_tape_take(t, (size_t)n->rows * cols, sizeof *z);
    for (size_t i = 0; z && i < (size_t)n->rows && th_tape_goes_on(t); i++) {
        for (size_t j = 0; j < cols; j++)
            z[i * cols + j] = bias ? bias[j] : 0;
        for (size_t k = 0; k < inner; k++) {
            double factor = x[i * inner + k];
            for (size_t j = 0; j < cols; j++)
                z[i * cols + j] += factor * w[k * cols + j];
        }
        for (size_t j = 0; j < cols; j++)
            y[i * cols + j] = activate(activation(n), z[i * cols + j]);
    }
}

static void linear_backward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *in = th_tape_in(t, n, X);
    const double *x = in->value, *w = th_tape_in_double(t, n, W), *z = n->saved, *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, X), *dw = th_tape_grad_double(t, n, W);
    double *db = th_tape_grad_double(t, n, BIAS);
    size_t cols = (size_t)n->cols, inner = (size_t)in->cols;
    for (size_t i = 0; i < (size_t)n->rows && th_tape_goes_on(t); i++) {
        for (size_t j = 0; j < cols; j++) {
            double dz = dy[i * cols + j] * slope(activation(n), z[i * cols + j]);
            if (db)
                db[j] += dz;
            for (size_t k = 0; k < inner; k++) {
                dw[k * cols + j] += x[i * inner + k] * dz;
                dx[i * inner + k] += dz * w[k * cols + j];
            }
        }
    }
}

static const ThOp op_linear = {"linear", linear_forward, linear_backward, linear_forward_double,
                               linear_backward_double};

static ThVar linear(ThTape *t, const ThVar in[3], Activation a)
{
    if (th_tape_cols(t, in[X]) != th_tape_rows(t, in[W]) ||
        (in[BIAS] >= 0 && th_tape_cols(t, in[BIAS]) != th_tape_cols(t, in[W])))
        return th_tape_fail(t, TH_EVALUE, "linear: (%d,%d) does not fit (%d,%d)",
                            th_tape_rows(t, in[X]), th_tape_cols(t, in[X]), th_tape_rows(t, in[W]),
                            th_tape_cols(t, in[W]));
    return th_tape_op(t, &op_linear, th_tape_rows(t, in[X]), th_tape_cols(t, in[W]), in, 3, &a,
                      sizeof a);
}

ThVar th_op_linear(ThTape *t, ThVar x, ThVar w, ThVar b)
{
    return linear(t, (ThVar[]){x, w, b}, IDENTITY);
}

ThVar th_op_linear_relu(ThTape *t, ThVar x, ThVar w, ThVar b)
{
    return linear(t, (ThVar[]){x, w, b}, RELU);
}

ThVar th_op_linear_gelu(ThTape *t, ThVar x, ThVar w, ThVar b)
{
    return linear(t, (ThVar[]){x, w, b}, GELU);
}

/* ---- x wᵀ ---- */

static void transposed_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *x = th_tape_in(t, n, X);
    th_blas_gemm_stopping(th_blas_gemm_nt,
                          &(ThBlasGemm){n->rows, n->cols, x->cols, x->cols, x->cols, n->cols, 0},
                          x->value, th_tape_in_float(t, n, W), n->value, th_tape_stop(t));
}

static void transposed_backward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *x = th_tape_in(t, n, X);
    float beta, *dw = th_tape_grad_float(t, n, W, &beta);
    if (dw)
        th_blas_gemm_stopping(
            th_blas_gemm_tn,
            &(ThBlasGemm){n->cols, x->cols, n->rows, n->cols, x->cols, x->cols, beta}, n->grad,
            x->value, dw, th_tape_stop(t));
    float *dx = th_tape_grad_float(t, n, X, &beta);
    if (dx)
        th_blas_gemm_stopping(
            th_blas_gemm_nn,
            &(ThBlasGemm){n->rows, x->cols, n->cols, n->cols, x->cols, x->cols, beta}, n->grad,
            th_tape_in_float(t, n, W), dx, th_tape_stop(t));
}

static void transposed_forward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *in = th_tape_in(t, n, X);
    const double *x = in->value, *w = th_tape_in_double(t, n, W);
    double *y = n->value;
    size_t cols = (size_t)n->cols, inner = (size_t)in->cols;
    for (size_t i = 0; i < (size_t)n->rows && th_tape_goes_on(t); i++) {
        for (size_t j = 0; j < cols; j++) {
            double sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum += x[i * inner + k] * w[j * inner + k];
            y[i * cols + j] = sum;
        }
    }
}

static void transposed_backward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *in = th_tape_in(t, n, X);
    const double *x = in->value, *w = th_tape_in_double(t, n, W), *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, X), *dw = th_tape_grad_double(t, n, W);
    size_t cols = (size_t)n->cols, inner = (size_t)in->cols;
    for (size_t i = 0; i < (size_t)n->rows && th_tape_goes_on(t); i++) {
        for (size_t j = 0; j < cols; j++) {
            for (size_t k = 0; k < inner; k++) {
                dx[i * inner + k] += dy[i * cols + j] * w[j * inner + k];
                dw[j * inner + k] += dy[i * cols + j] * x[i * inner + k];
            }
        }
    }
}

static const ThOp op_transposed = {"linear transposed", transposed_forward, transposed_backward,
                                   transposed_forward_double, transposed_backward_double};

ThVar th_op_linear_transposed(ThTape *t, ThVar x, ThVar w)
{
    if (th_tape_cols(t, x) != th_tape_cols(t, w))
        return th_tape_fail(t, TH_EVALUE, "linear transposed: %d columns do not fit %d",
                            th_tape_cols(t, x), th_tape_cols(t, w));
    return th_tape_op(t, &op_transposed, th_tape_rows(t, x), th_tape_rows(t, w), (ThVar[]){x, w}, 2,
                      NULL, 0);
}
