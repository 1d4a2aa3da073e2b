/* Operations that move, join and add rows and columns.  What only moves numbers is one function for
 * both precisions. */

#include "tensor/kernels/kernels.h"
#include "tensor/tape/tape_impl.h"

/* Number i of x, whose numbers have the size `real`. */
static void *at(size_t real, const void *x, size_t i)
{
    const char *number = (const char *)x + i * real;
    void *writable;
    memcpy(&writable, &number, sizeof number);
    return writable;
}

static void copy(size_t real, void *y, const void *x, size_t n)
{
    memcpy(y, x, n * real);
}

static void clear(size_t real, void *y, size_t n)
{
    memset(y, 0, n * real);
}

/* y = by x, and y += by x. */
static void scale(size_t real, void *y, const void *x, double by, size_t n)
{
    const double *from = x;
    double *to = y;
    if (by == 1)
        copy(real, y, x, n);
    else if (real == sizeof(float))
        th_kernel_scale(y, x, (float)by, n);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = by * from[i];
}

static void add(size_t real, void *y, const void *x, double by, size_t n)
{
    const double *from = x;
    double *to = y;
    if (real == sizeof(float))
        th_kernel_add_scaled(y, x, (float)by, n);
    else
        for (size_t i = 0; i < n; i++)
            to[i] += by * from[i];
}

void th_tape_pass_back(ThTape *t, const ThTapeNode *n, int i, const void *dy)
{
    size_t real = th_tape_real(t);
    float beta;
    void *dx = th_tape_grad(t, n, i, &beta);
    if (dx && beta == 0)
        copy(real, dx, dy, th_tape_size(th_tape_in(t, n, i)));
    else if (dx)
        add(real, dx, dy, 1, th_tape_size(th_tape_in(t, n, i)));
}

/* The gradient of an input: zeros where none has arrived. */
static void *gradient(ThTape *t, const ThTapeNode *n, int i)
{
    size_t real = th_tape_real(t);
    float beta;
    void *dx = th_tape_grad(t, n, i, &beta);
    if (dx && beta == 0)
        clear(real, dx, th_tape_size(th_tape_in(t, n, i)));
    return dx;
}

/* ---- rows by index; and to an index, which is what is backward to that ---- */

typedef struct {
    const int *index;
    double scale;
} Rows;

static void rows_forward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    const Rows *r = n->args;
    const void *x = th_tape_in(t, n, 0)->value;
    size_t d = (size_t)n->cols;
    for (size_t i = 0; i < (size_t)n->rows; i++) {
        if (r->index[i] < 0)
            clear(real, at(real, n->value, i * d), d);
        else
            scale(real, at(real, n->value, i * d), at(real, x, (size_t)r->index[i] * d), r->scale,
                  d);
    }
}

/* Adds row i of x, times a number, to row index[i] of y. */
static void scatter(size_t real, const Rows *r, void *y, const void *x, int rows, size_t d)
{
    for (size_t i = 0; i < (size_t)rows; i++)
        if (r->index[i] >= 0)
            add(real, at(real, y, (size_t)r->index[i] * d), at(real, x, i * d), r->scale, d);
}

static void rows_backward(ThTape *t, ThTapeNode *n)
{
    void *dx = gradient(t, n, 0);
    if (dx)
        scatter(th_tape_real(t), n->args, dx, n->grad, n->rows, (size_t)n->cols);
}

static const ThOp op_rows = {"rows", rows_forward, rows_backward, rows_forward, rows_backward};

ThVar th_op_rows(ThTape *t, ThVar x, const int *index, int n, double scale)
{
    if (th_tape_failed(t)) /* then there may be no index */
        return -1;
    for (int i = 0; i < n; i++)
        if (index[i] >= th_tape_rows(t, x))
            return th_tape_fail(t, TH_EVALUE, "rows: row %d of %d", index[i], th_tape_rows(t, x));
    Rows r = {index, scale};
    return th_tape_op(t, &op_rows, n, th_tape_cols(t, x), &x, 1, &r, sizeof r);
}

static void scatter_forward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    const ThTapeNode *x = th_tape_in(t, n, 0);
    clear(real, n->value, th_tape_size(n));
    scatter(th_tape_real(t), n->args, n->value, x->value, x->rows, (size_t)n->cols);
}

static void scatter_backward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    const int *index = ((const Rows *)n->args)->index;
    size_t d = (size_t)n->cols, rows = (size_t)th_tape_in(t, n, 0)->rows;
    void *dx = gradient(t, n, 0);
    for (size_t i = 0; dx && i < rows; i++)
        if (index[i] >= 0)
            add(real, at(real, dx, i * d), at(real, n->grad, (size_t)index[i] * d), 1, d);
}

static const ThOp op_scatter = {"scatter", scatter_forward, scatter_backward, scatter_forward,
                                scatter_backward};

ThVar th_op_scatter(ThTape *t, ThVar x, const int *index, int n)
{
    if (th_tape_failed(t)) /* then there may be no index */
        return -1;
    for (int i = 0; i < th_tape_rows(t, x); i++)
        if (index[i] >= n)
            return th_tape_fail(t, TH_EVALUE, "scatter: row %d of %d", index[i], n);
    Rows r = {index, 1};
    return th_tape_op(t, &op_scatter, n, th_tape_cols(t, x), &x, 1, &r, sizeof r);
}

/* ---- a above b ---- */

static void stack_forward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    const ThTapeNode *a = th_tape_in(t, n, 0), *b = th_tape_in(t, n, 1);
    copy(real, n->value, a->value, th_tape_size(a));
    copy(real, at(real, n->value, th_tape_size(a)), b->value, th_tape_size(b));
}

static void stack_backward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    th_tape_pass_back(t, n, 0, n->grad);
    th_tape_pass_back(t, n, 1, at(real, n->grad, th_tape_size(th_tape_in(t, n, 0))));
}

static const ThOp op_stack = {"stack", stack_forward, stack_backward, stack_forward,
                              stack_backward};

ThVar th_op_stack(ThTape *t, ThVar a, ThVar b)
{
    if (th_tape_cols(t, a) != th_tape_cols(t, b))
        return th_tape_fail(t, TH_EVALUE, "stack: %d columns above %d", th_tape_cols(t, a),
                            th_tape_cols(t, b));
    return th_tape_op(t, &op_stack, th_tape_rows(t, a) + th_tape_rows(t, b), th_tape_cols(t, a),
                      (ThVar[]){a, b}, 2, NULL, 0);
}

/* ---- columns ---- */

static void columns_forward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    const ThTapeNode *a = th_tape_in(t, n, 0);
    size_t first = (size_t) * (const int *)n->args, d = (size_t)n->cols;
    for (size_t i = 0; i < (size_t)n->rows; i++)
        copy(real, at(real, n->value, i * d), at(real, a->value, i * (size_t)a->cols + first), d);
}

static void columns_backward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    const ThTapeNode *a = th_tape_in(t, n, 0);
    size_t first = (size_t) * (const int *)n->args, d = (size_t)n->cols;
    void *da = gradient(t, n, 0);
    for (size_t i = 0; da && i < (size_t)n->rows; i++)
        add(real, at(real, da, i * (size_t)a->cols + first), at(real, n->grad, i * d), 1, d);
}

static const ThOp op_columns = {"columns", columns_forward, columns_backward, columns_forward,
                                columns_backward};

ThVar th_op_columns(ThTape *t, ThVar a, int from, int n)
{
    if (from < 0 || n < 1 || from + n > th_tape_cols(t, a))
        return th_tape_fail(t, TH_EVALUE, "columns: %d from %d of %d", n, from, th_tape_cols(t, a));
    return th_tape_op(t, &op_columns, th_tape_rows(t, a), n, &a, 1, &from, sizeof from);
}

/* ---- side by side ---- */

static void beside_forward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    size_t first = 0, cols = (size_t)n->cols;
    for (int k = 0; k < n->n_in; k++) {
        const ThTapeNode *in = th_tape_in(t, n, k);
        size_t d = (size_t)in->cols;
        for (size_t i = 0; i < (size_t)n->rows; i++)
            copy(real, at(real, n->value, i * cols + first), at(real, in->value, i * d), d);
        first += d;
    }
}

static void beside_backward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    size_t first = 0, cols = (size_t)n->cols;
    for (int k = 0; k < n->n_in; k++) {
        size_t d = (size_t)th_tape_in(t, n, k)->cols;
        float beta;
        void *dx = th_tape_grad(t, n, k, &beta);
        for (size_t i = 0; dx && i < (size_t)n->rows; i++) {
            const void *dy = at(real, n->grad, i * cols + first);
            if (beta == 0)
                copy(real, at(real, dx, i * d), dy, d);
            else
                add(real, at(real, dx, i * d), dy, 1, d);
        }
        first += d;
    }
}

static const ThOp op_beside = {"beside", beside_forward, beside_backward, beside_forward,
                               beside_backward};

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
    return th_tape_op(t, &op_beside, n < 1 ? 0 : th_tape_rows(t, in[0]), cols, in, n, NULL, 0);
}

/* ---- another shape ---- */

static void reshape_forward(ThTape *t, ThTapeNode *n)
{
    size_t real = th_tape_real(t);
    copy(real, n->value, th_tape_in(t, n, 0)->value, th_tape_size(n));
}

static void reshape_backward(ThTape *t, ThTapeNode *n)
{
    th_tape_pass_back(t, n, 0, n->grad);
}

static const ThOp op_reshape = {"reshape", reshape_forward, reshape_backward, reshape_forward,
                                reshape_backward};

ThVar th_op_reshape(ThTape *t, ThVar a, int rows, int cols)
{
    if ((long long)rows * cols != (long long)th_tape_rows(t, a) * th_tape_cols(t, a))
        return th_tape_fail(t, TH_EVALUE, "reshape: (%d,%d) holds not as much as (%d,%d)", rows,
                            cols, th_tape_rows(t, a), th_tape_cols(t, a));
    return th_tape_op(t, &op_reshape, rows, cols, &a, 1, NULL, 0);
}

/* ---- without a gradient ---- */

static void no_backward(ThTape *t TH_UNUSED, ThTapeNode *n TH_UNUSED) {}

static const ThOp op_detach = {"detach", reshape_forward, no_backward, reshape_forward,
                               no_backward};

ThVar th_op_detach(ThTape *t, ThVar a)
{
    return th_tape_op(t, &op_detach, th_tape_rows(t, a), th_tape_cols(t, a), &a, 1, NULL, 0);
}

/* ---- a row to every row ---- */

static void add_row_forward(ThTape *t, ThTapeNode *n)
{
    memcpy(n->value, th_tape_in_float(t, n, 0), th_tape_size(n) * sizeof(float));
    th_kernel_bias(n->value, th_tape_in_float(t, n, 1), n->rows, n->cols);
}

static void add_row_backward(ThTape *t, ThTapeNode *n)
{
    float beta, *drow = th_tape_grad_float(t, n, 1, &beta);
    th_tape_pass_back(t, n, 0, n->grad);
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
    th_tape_pass_back(t, n, 0, dy);
    for (int i = 0; drow && i < n->rows; i++)
        for (int j = 0; j < n->cols; j++)
            drow[j] += dy[i * n->cols + j];
}

static const ThOp op_add_row = {"add row", add_row_forward, add_row_backward,
                                add_row_forward_double, add_row_backward_double};

ThVar th_op_add_row(ThTape *t, ThVar a, ThVar row)
{
    if (th_tape_rows(t, row) != 1 || th_tape_cols(t, row) != th_tape_cols(t, a))
        return th_tape_fail(t, TH_EVALUE, "add row: (%d,%d) does not fit %d columns",
                            th_tape_rows(t, row), th_tape_cols(t, row), th_tape_cols(t, a));
    return th_tape_op(t, &op_add_row, th_tape_rows(t, a), th_tape_cols(t, a), (ThVar[]){a, row}, 2,
                      NULL, 0);
}
