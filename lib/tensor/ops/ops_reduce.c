/* Softmax, sums, and products with a row or a column. */
#include <math.h>

#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/tape/tape_impl.h"

/* ---- softmax ---- */

static void softmax_forward(ThTape *t, ThTapeNode *n)
{
    float *y = n->value;
    memcpy(y, th_tape_in_float(t, n, 0), th_tape_size(n) * sizeof *y);
    for (int i = 0; i < n->rows; i++)
        th_kernel_softmax(y + (size_t)i * (size_t)n->cols, n->cols);
}

static void softmax_backward(ThTape *t, ThTapeNode *n)
{
    float beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    if (dx)
        th_kernel_softmax_back(dx, n->grad, n->value, n->rows, n->cols, beta);
}

static void softmax_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *x = th_tape_in_double(t, n, 0);
    double *y = n->value;
    int d = n->cols;
    for (int i = 0; i < n->rows; i++) {
        double most = x[i * d], sum = 0;
        for (int j = 1; j < d; j++)
            most = fmax(most, x[i * d + j]);
        for (int j = 0; j < d; j++)
            sum += y[i * d + j] = exp(x[i * d + j] - most);
        for (int j = 0; j < d; j++)
            y[i * d + j] /= sum;
    }
}

static void softmax_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *y = n->value, *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    int d = n->cols;
    for (int i = 0; i < n->rows; i++) {
        double mean = 0;
        for (int j = 0; j < d; j++)
            mean += dy[i * d + j] * y[i * d + j];
        for (int j = 0; j < d; j++)
            dx[i * d + j] += y[i * d + j] * (dy[i * d + j] - mean);
    }
}

static const ThOp op_softmax = {"softmax", softmax_forward, softmax_backward,
                                softmax_forward_double, softmax_backward_double};

ThVar th_op_softmax(ThTape *t, ThVar a)
{
    return th_tape_op(t, &op_softmax, th_tape_rows(t, a), th_tape_cols(t, a), &a, 1, NULL, 0);
}

/* ---- sums ---- */

static void row_sums_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0);
    th_kernel_row_sums(n->value, a->value, a->rows, a->cols);
}

static void row_sums_backward(ThTape *t, ThTapeNode *n)
{
    size_t d = (size_t)th_tape_in(t, n, 0)->cols;
    const float *dy = n->grad;
    float beta, *da = th_tape_grad_float(t, n, 0, &beta);
    for (size_t i = 0; da && i < (size_t)n->rows; i++)
        for (size_t j = 0; j < d; j++)
            da[i * d + j] = (beta == 0 ? 0 : da[i * d + j]) + dy[i];
}

static void row_sums_forward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *a = in->value;
    double *y = n->value;
    for (int i = 0; i < n->rows; i++) {
        y[i] = 0;
        for (int j = 0; j < in->cols; j++)
            y[i] += a[i * in->cols + j];
    }
}

static void row_sums_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *dy = n->grad;
    double *da = th_tape_grad_double(t, n, 0);
    int d = th_tape_in(t, n, 0)->cols;
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < d; j++)
            da[i * d + j] += dy[i];
}

static const ThOp op_row_sums = {"row sums", row_sums_forward, row_sums_backward,
                                 row_sums_forward_double, row_sums_backward_double};

ThVar th_op_row_sums(ThTape *t, ThVar a)
{
    return th_tape_op(t, &op_row_sums, th_tape_rows(t, a), 1, &a, 1, NULL, 0);
}

static void column_sums_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0);
    th_kernel_column_sums(n->value, a->value, a->rows, a->cols, 0);
}

static void column_sums_backward(ThTape *t, ThTapeNode *n)
{
    int rows = th_tape_in(t, n, 0)->rows;
    float beta, *da = th_tape_grad_float(t, n, 0, &beta);
    if (da && beta == 0)
        memset(da, 0, (size_t)rows * (size_t)n->cols * sizeof *da);
    if (da)
        th_kernel_bias(da, n->grad, rows, n->cols);
}

static void column_sums_forward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *a = in->value;
    double *y = n->value;
    for (int j = 0; j < n->cols; j++)
        y[j] = 0;
    for (int i = 0; i < in->rows; i++)
        for (int j = 0; j < n->cols; j++)
            y[j] += a[i * n->cols + j];
}

static void column_sums_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *dy = n->grad;
    double *da = th_tape_grad_double(t, n, 0);
    for (int i = 0; i < th_tape_in(t, n, 0)->rows; i++)
        for (int j = 0; j < n->cols; j++)
            da[i * n->cols + j] += dy[j];
}

static const ThOp op_column_sums = {"column sums", column_sums_forward, column_sums_backward,
                                    column_sums_forward_double, column_sums_backward_double};

ThVar th_op_column_sums(ThTape *t, ThVar a)
{
    return th_tape_op(t, &op_column_sums, 1, th_tape_cols(t, a), &a, 1, NULL, 0);
}

ThVar th_op_sum(ThTape *t, ThVar a)
{
    return th_op_row_sums(t, th_op_column_sums(t, a));
}

ThVar th_op_mean(ThTape *t, ThVar a)
{
    double size = (double)th_tape_rows(t, a) * (double)th_tape_cols(t, a);
    return th_op_scale(t, th_op_sum(t, a), 1 / size);
}

/* ---- a ∘ row, a ∘ column ---- */

static void times_row_forward(ThTape *t, ThTapeNode *n)
{
    th_kernel_times_row(n->value, th_tape_in_float(t, n, 0), th_tape_in_float(t, n, 1), n->rows,
                        n->cols);
}

static void times_row_backward(ThTape *t, ThTapeNode *n)
{
    const float *dy = n->grad;
    size_t d = (size_t)n->cols;
    float beta, *drow = th_tape_grad_float(t, n, 1, &beta);
    if (drow)
        th_kernel_product_column_sums(drow, dy, th_tape_in_float(t, n, 0), n->rows, n->cols, beta);
    float *da = th_tape_grad_float(t, n, 0, &beta);
    const float *row = th_tape_in_float(t, n, 1);
    if (da && beta == 0)
        th_kernel_times_row(da, dy, row, n->rows, n->cols);
    for (size_t i = 0; da && beta != 0 && i < (size_t)n->rows; i++)
        th_kernel_add_product(da + i * d, dy + i * d, row, d);
}

/* Where the factor of an element stands: a row or a column counts for all others. */
static int factor_at(const ThTapeNode *by, int i, int j)
{
    return by->rows > 1 ? i : by->cols > 1 ? j : 0;
}

static void times_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, 0), *factor = th_tape_in_double(t, n, 1);
    double *y = n->value;
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            y[i * n->cols + j] = a[i * n->cols + j] * factor[factor_at(th_tape_in(t, n, 1), i, j)];
}

static void times_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, 0), *factor = th_tape_in_double(t, n, 1),
                 *dy = n->grad;
    double *da = th_tape_grad_double(t, n, 0), *dfactor = th_tape_grad_double(t, n, 1);
    for (int i = 0; i < n->rows; i++) {
        for (int j = 0; j < n->cols; j++) {
            int at = factor_at(th_tape_in(t, n, 1), i, j);
            da[i * n->cols + j] += dy[i * n->cols + j] * factor[at];
            dfactor[at] += dy[i * n->cols + j] * a[i * n->cols + j];
        }
    }
}

static const ThOp op_times_row = {"times row", times_row_forward, times_row_backward,
                                  times_forward_double, times_backward_double};

static ThVar times(ThTape *t, const ThOp *op, const ThVar in[2], int rows, int cols)
{
    if (th_tape_rows(t, in[1]) != rows || th_tape_cols(t, in[1]) != cols)
        return th_tape_fail(t, TH_EVALUE, "%s: (%d,%d) does not fit (%d,%d)", op->name,
                            th_tape_rows(t, in[1]), th_tape_cols(t, in[1]), th_tape_rows(t, in[0]),
                            th_tape_cols(t, in[0]));
    return th_tape_op(t, op, th_tape_rows(t, in[0]), th_tape_cols(t, in[0]), in, 2, NULL, 0);
}

ThVar th_op_times_row(ThTape *t, ThVar a, ThVar row)
{
    return times(t, &op_times_row, (ThVar[]){a, row}, 1, th_tape_cols(t, a));
}

static void times_column_forward(ThTape *t, ThTapeNode *n)
{
    th_kernel_times_column(n->value, th_tape_in_float(t, n, 0), th_tape_in_float(t, n, 1), n->rows,
                           n->cols);
}

static void times_column_backward(ThTape *t, ThTapeNode *n)
{
    const float *dy = n->grad, *column = th_tape_in_float(t, n, 1);
    size_t d = (size_t)n->cols;
    float beta, *dcolumn = th_tape_grad_float(t, n, 1, &beta);
    if (dcolumn)
        th_kernel_product_row_sums(dcolumn, dy, th_tape_in_float(t, n, 0), n->rows, n->cols, beta);
    float *da = th_tape_grad_float(t, n, 0, &beta);
    if (da && beta == 0)
        th_kernel_times_column(da, dy, column, n->rows, n->cols);
    for (size_t i = 0; da && beta != 0 && i < (size_t)n->rows; i++)
        th_kernel_add_scaled(da + i * d, dy + i * d, column[i], d);
}

static const ThOp op_times_column = {"times column", times_column_forward, times_column_backward,
                                     times_forward_double, times_backward_double};

ThVar th_op_times_column(ThTape *t, ThVar a, ThVar column)
{
    return times(t, &op_times_column, (ThVar[]){a, column}, th_tape_rows(t, a), 1);
}
