/* Operations that move, join and add rows and columns. */
#include <string.h>

#include "tensor/kernels.h"
#include "tensor/tape_impl.h"

static size_t size_of(const ThTapeNode *n)
{
    return (size_t)n->rows * (size_t)n->cols;
}

/* ---- rows by index ---- */

typedef struct {
    const int *index;
    double scale;
} Rows;

static void rows_forward(ThTape *t, ThTapeNode *n)
{
    const Rows *r = n->args;
    const float *x = th_tape_in_float(t, n, 0);
    float *y = n->value;
    size_t d = (size_t)n->cols;
    for (size_t i = 0; i < (size_t)n->rows; i++) {
        if (r->index[i] < 0)
            memset(y + i * d, 0, d * sizeof *y);
        else if (r->scale == 1)
            memcpy(y + i * d, x + (size_t)r->index[i] * d, d * sizeof *y);
        else
            th_kernel_scale(y + i * d, x + (size_t)r->index[i] * d, (float)r->scale, d);
    }
}

static void rows_backward(ThTape *t, ThTapeNode *n)
{
    const Rows *r = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const float *dy = n->grad;
    float beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    size_t d = (size_t)n->cols;
    if (!dx)
        return;
    if (beta == 0)
        memset(dx, 0, size_of(in) * sizeof *dx);
    for (size_t i = 0; i < (size_t)n->rows; i++)
        if (r->index[i] >= 0)
            th_kernel_add_scaled(dx + (size_t)r->index[i] * d, dy + i * d, (float)r->scale, d);
}

static void rows_forward_double(ThTape *t, ThTapeNode *n)
{
    const Rows *r = n->args;
    const double *x = th_tape_in_double(t, n, 0);
    double *y = n->value;
    int d = n->cols;
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < d; j++)
            y[i * d + j] = r->index[i] < 0 ? 0 : r->scale * x[r->index[i] * d + j];
}

static void rows_backward_double(ThTape *t, ThTapeNode *n)
{
    const Rows *r = n->args;
    const double *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    int d = n->cols;
    for (int i = 0; dx && i < n->rows; i++)
        for (int j = 0; r->index[i] >= 0 && j < d; j++)
            dx[r->index[i] * d + j] += r->scale * dy[i * d + j];
}

static const ThOp op_rows = {"rows", rows_forward, rows_backward, rows_forward_double,
                             rows_backward_double};

ThVar th_op_rows(ThTape *t, ThVar x, const int *index, int n, double scale)
{
    if (th_tape_failed(t))
        return -1;
    for (int i = 0; i < n; i++) {
        if (index[i] >= th_tape_rows(t, x)) {
            th_tape_fail(t, TH_EVALUE, "rows: row %d of %d", index[i], th_tape_rows(t, x));
            return -1;
        }
    }
    ThTapeNode *node = th_tape_node(t, &op_rows, n, th_tape_cols(t, x), &x, 1);
    Rows r = {index, scale};
    return node && th_tape_node_args(t, node, &r, sizeof r) ? th_tape_node_run(t, node) : -1;
}

/* ---- rows to an index: what is backward to rows by index ---- */

static void scatter_forward(ThTape *t, ThTapeNode *n)
{
    const int *index = ((const Rows *)n->args)->index;
    const ThTapeNode *x = th_tape_in(t, n, 0);
    float *y = n->value;
    size_t d = (size_t)n->cols;
    memset(y, 0, size_of(n) * sizeof *y);
    for (size_t i = 0; i < (size_t)x->rows; i++)
        if (index[i] >= 0)
            th_kernel_add(y + (size_t)index[i] * d, (const float *)x->value + i * d, d);
}

static void scatter_backward(ThTape *t, ThTapeNode *n)
{
    const int *index = ((const Rows *)n->args)->index;
    const ThTapeNode *x = th_tape_in(t, n, 0);
    const float *dy = n->grad;
    float beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    size_t d = (size_t)n->cols;
    for (size_t i = 0; dx && i < (size_t)x->rows; i++) {
        if (beta == 0)
            memset(dx + i * d, 0, d * sizeof *dx);
        if (index[i] >= 0)
            th_kernel_add(dx + i * d, dy + (size_t)index[i] * d, d);
    }
}

static void scatter_forward_double(ThTape *t, ThTapeNode *n)
{
    const int *index = ((const Rows *)n->args)->index;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *x = in->value;
    double *y = n->value;
    int d = n->cols;
    memset(y, 0, size_of(n) * sizeof *y);
    for (int i = 0; i < in->rows; i++)
        for (int j = 0; index[i] >= 0 && j < d; j++)
            y[index[i] * d + j] += x[i * d + j];
}

static void scatter_backward_double(ThTape *t, ThTapeNode *n)
{
    const int *index = ((const Rows *)n->args)->index;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    int d = n->cols;
    for (int i = 0; i < in->rows; i++)
        for (int j = 0; index[i] >= 0 && j < d; j++)
            dx[i * d + j] += dy[index[i] * d + j];
}

static const ThOp op_scatter = {"scatter", scatter_forward, scatter_backward,
                                scatter_forward_double, scatter_backward_double};

ThVar th_op_scatter(ThTape *t, ThVar x, const int *index, int n)
{
    if (th_tape_failed(t))
        return -1;
    for (int i = 0; i < th_tape_rows(t, x); i++) {
        if (index[i] >= n) {
            th_tape_fail(t, TH_EVALUE, "scatter: row %d of %d", index[i], n);
            return -1;
        }
    }
    ThTapeNode *node = th_tape_node(t, &op_scatter, n, th_tape_cols(t, x), &x, 1);
    Rows r = {index, 1};
    return node && th_tape_node_args(t, node, &r, sizeof r) ? th_tape_node_run(t, node) : -1;
}

/* ---- a above b ---- */

static void stack_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0), *b = th_tape_in(t, n, 1);
    memcpy(n->value, a->value, size_of(a) * sizeof(float));
    memcpy((float *)n->value + size_of(a), b->value, size_of(b) * sizeof(float));
}

static void pass_back(ThTape *t, const ThTapeNode *n, int input, const float *dy)
{
    float beta, *dx = th_tape_grad_float(t, n, input, &beta);
    size_t size = dx ? size_of(th_tape_in(t, n, input)) : 0;
    if (dx && beta == 0)
        memcpy(dx, dy, size * sizeof *dx);
    else if (dx)
        th_kernel_add(dx, dy, size);
}

static void stack_backward(ThTape *t, ThTapeNode *n)
{
    const float *dy = n->grad;
    pass_back(t, n, 0, dy);
    pass_back(t, n, 1, dy + size_of(th_tape_in(t, n, 0)));
}

static void stack_forward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0), *b = th_tape_in(t, n, 1);
    memcpy(n->value, a->value, size_of(a) * sizeof(double));
    memcpy((double *)n->value + size_of(a), b->value, size_of(b) * sizeof(double));
}

static void add_to_double(ThTape *t, const ThTapeNode *n, int input, const double *dy, double by)
{
    double *dx = th_tape_grad_double(t, n, input);
    size_t size = dx ? size_of(th_tape_in(t, n, input)) : 0;
    for (size_t i = 0; i < size; i++)
        dx[i] += by * dy[i];
}

static void stack_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *dy = n->grad;
    add_to_double(t, n, 0, dy, 1);
    add_to_double(t, n, 1, dy + size_of(th_tape_in(t, n, 0)), 1);
}

static const ThOp op_stack = {"stack", stack_forward, stack_backward, stack_forward_double,
                              stack_backward_double};

ThVar th_op_stack(ThTape *t, ThVar a, ThVar b)
{
    if (th_tape_failed(t))
        return -1;
    if (th_tape_cols(t, a) != th_tape_cols(t, b)) {
        th_tape_fail(t, TH_EVALUE, "stack: %d columns above %d", th_tape_cols(t, a),
                     th_tape_cols(t, b));
        return -1;
    }
    ThTapeNode *n = th_tape_node(t, &op_stack, th_tape_rows(t, a) + th_tape_rows(t, b),
                                 th_tape_cols(t, a), (ThVar[]){a, b}, 2);
    return n ? th_tape_node_run(t, n) : -1;
}

/* ---- columns ---- */

static void columns_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0);
    int from = *(const int *)n->args;
    for (int i = 0; i < n->rows; i++)
        memcpy((float *)n->value + (size_t)i * (size_t)n->cols,
               (const float *)a->value + (size_t)i * (size_t)a->cols + from,
               (size_t)n->cols * sizeof(float));
}

static void columns_backward(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0);
    int from = *(const int *)n->args;
    float beta, *da = th_tape_grad_float(t, n, 0, &beta);
    const float *dy = n->grad;
    if (!da)
        return;
    if (beta == 0)
        memset(da, 0, size_of(a) * sizeof *da);
    for (int i = 0; i < n->rows; i++)
        th_kernel_add(da + (size_t)i * (size_t)a->cols + from, dy + (size_t)i * (size_t)n->cols,
                      (size_t)n->cols);
}

static void columns_forward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0);
    int from = *(const int *)n->args;
    const double *x = a->value;
    double *y = n->value;
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            y[i * n->cols + j] = x[i * a->cols + from + j];
}

static void columns_backward_double(ThTape *t, ThTapeNode *n)
{
    const ThTapeNode *a = th_tape_in(t, n, 0);
    int from = *(const int *)n->args;
    const double *dy = n->grad;
    double *da = th_tape_grad_double(t, n, 0);
    for (int i = 0; da && i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            da[i * a->cols + from + j] += dy[i * n->cols + j];
}

static const ThOp op_columns = {"columns", columns_forward, columns_backward,
                                columns_forward_double, columns_backward_double};

ThVar th_op_columns(ThTape *t, ThVar a, int from, int n)
{
    if (th_tape_failed(t))
        return -1;
    if (from < 0 || n < 1 || from + n > th_tape_cols(t, a)) {
        th_tape_fail(t, TH_EVALUE, "columns: %d from %d of %d", n, from, th_tape_cols(t, a));
        return -1;
    }
    ThTapeNode *node = th_tape_node(t, &op_columns, th_tape_rows(t, a), n, &a, 1);
    return node && th_tape_node_args(t, node, &from, sizeof from) ? th_tape_node_run(t, node) : -1;
}

/* ---- side by side ---- */

static void beside_forward(ThTape *t, ThTapeNode *n)
{
    float *y = n->value;
    size_t from = 0, cols = (size_t)n->cols;
    for (int k = 0; k < n->n_in; k++) {
        const ThTapeNode *in = th_tape_in(t, n, k);
        const float *x = in->value;
        size_t width = (size_t)in->cols;
        for (size_t i = 0; i < (size_t)n->rows; i++)
            memcpy(y + i * cols + from, x + i * width, width * sizeof *y);
        from += width;
    }
}

static void beside_backward(ThTape *t, ThTapeNode *n)
{
    const float *dy = n->grad;
    size_t from = 0, cols = (size_t)n->cols;
    for (int k = 0; k < n->n_in; k++) {
        size_t width = (size_t)th_tape_in(t, n, k)->cols;
        float beta, *dx = th_tape_grad_float(t, n, k, &beta);
        for (size_t i = 0; dx && i < (size_t)n->rows; i++) {
            if (beta == 0)
                memcpy(dx + i * width, dy + i * cols + from, width * sizeof *dx);
            else
                th_kernel_add(dx + i * width, dy + i * cols + from, width);
        }
        from += width;
    }
}

static void beside_forward_double(ThTape *t, ThTapeNode *n)
{
    double *y = n->value;
    int from = 0;
    for (int k = 0; k < n->n_in; k++) {
        const ThTapeNode *in = th_tape_in(t, n, k);
        const double *x = in->value;
        for (int i = 0; i < n->rows; i++)
            for (int j = 0; j < in->cols; j++)
                y[i * n->cols + from + j] = x[i * in->cols + j];
        from += in->cols;
    }
}

static void beside_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *dy = n->grad;
    int from = 0;
    for (int k = 0; k < n->n_in; k++) {
        const ThTapeNode *in = th_tape_in(t, n, k);
        double *dx = th_tape_grad_double(t, n, k);
        for (int i = 0; i < n->rows; i++)
            for (int j = 0; j < in->cols; j++)
                dx[i * in->cols + j] += dy[i * n->cols + from + j];
        from += in->cols;
    }
}

static const ThOp op_beside = {"beside", beside_forward, beside_backward, beside_forward_double,
                               beside_backward_double};

ThVar th_op_beside(ThTape *t, const ThVar *in, int n)
{
    int cols = 0;
    if (n < 1 || n > TH_TAPE_MAX_INPUTS)
        th_tape_fail(t, TH_EVALUE, "beside: %d values, where 1 to %d can be", n,
                     TH_TAPE_MAX_INPUTS);
    for (int k = 0; k < n && !th_tape_failed(t); k++) {
        cols += th_tape_cols(t, in[k]);
        if (th_tape_rows(t, in[k]) != th_tape_rows(t, in[0]))
            th_tape_fail(t, TH_EVALUE, "beside: %d rows beside %d", th_tape_rows(t, in[k]),
                         th_tape_rows(t, in[0]));
    }
    ThTapeNode *node = th_tape_node(t, &op_beside, n < 1 ? 0 : th_tape_rows(t, in[0]), cols, in, n);
    return node ? th_tape_node_run(t, node) : -1;
}

/* ---- another shape ---- */

static void reshape_forward(ThTape *t, ThTapeNode *n)
{
    memcpy(n->value, th_tape_in_float(t, n, 0), size_of(n) * sizeof(float));
}

static void reshape_backward(ThTape *t, ThTapeNode *n)
{
    pass_back(t, n, 0, n->grad);
}

static void reshape_forward_double(ThTape *t, ThTapeNode *n)
{
    memcpy(n->value, th_tape_in_double(t, n, 0), size_of(n) * sizeof(double));
}

static void reshape_backward_double(ThTape *t, ThTapeNode *n)
{
    add_to_double(t, n, 0, n->grad, 1);
}

static const ThOp op_reshape = {"reshape", reshape_forward, reshape_backward,
                                reshape_forward_double, reshape_backward_double};

ThVar th_op_reshape(ThTape *t, ThVar a, int rows, int cols)
{
    if (th_tape_failed(t))
        return -1;
    if ((long long)rows * cols != (long long)th_tape_rows(t, a) * th_tape_cols(t, a)) {
        th_tape_fail(t, TH_EVALUE, "reshape: (%d,%d) holds not as much as (%d,%d)", rows, cols,
                     th_tape_rows(t, a), th_tape_cols(t, a));
        return -1;
    }
    ThTapeNode *n = th_tape_node(t, &op_reshape, rows, cols, &a, 1);
    return n ? th_tape_node_run(t, n) : -1;
}

/* ---- a row to every row ---- */

static void add_row_forward(ThTape *t, ThTapeNode *n)
{
    memcpy(n->value, th_tape_in_float(t, n, 0), size_of(n) * sizeof(float));
    th_kernel_bias(n->value, th_tape_in_float(t, n, 1), n->rows, n->cols);
}

static void add_row_backward(ThTape *t, ThTapeNode *n)
{
    float beta, *drow = th_tape_grad_float(t, n, 1, &beta);
    pass_back(t, n, 0, n->grad);
    if (drow)
        th_kernel_column_sums(drow, n->grad, n->rows, n->cols, beta);
}

static void add_row_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, 0), *row = th_tape_in_double(t, n, 1);
    double *y = n->value;
    for (int i = 0; i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            y[i * n->cols + j] = a[i * n->cols + j] + row[j];
}

static void add_row_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *dy = n->grad;
    double *drow = th_tape_grad_double(t, n, 1);
    add_to_double(t, n, 0, dy, 1);
    for (int i = 0; drow && i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            drow[j] += dy[i * n->cols + j];
}

static const ThOp op_add_row = {"add row", add_row_forward, add_row_backward,
                                add_row_forward_double, add_row_backward_double};

ThVar th_op_add_row(ThTape *t, ThVar a, ThVar row)
{
    if (th_tape_failed(t))
        return -1;
    if (th_tape_rows(t, row) != 1 || th_tape_cols(t, row) != th_tape_cols(t, a)) {
        th_tape_fail(t, TH_EVALUE, "add row: (%d,%d) does not fit %d columns", th_tape_rows(t, row),
                     th_tape_cols(t, row), th_tape_cols(t, a));
        return -1;
    }
    ThTapeNode *n =
        th_tape_node(t, &op_add_row, th_tape_rows(t, a), th_tape_cols(t, a), (ThVar[]){a, row}, 2);
    return n ? th_tape_node_run(t, n) : -1;
}
