/* Accounts of what states get of a mass of 1: see th_op_give. */

#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/tape/tape_impl.h"

enum { ACCOUNT, STATE, P };
enum { LEFT, PAID, N_TOTALS }; /* columns of an account, behind those of states */

/* ---- some of what is left ---- */

static void give_forward(ThTape *t, ThTapeNode *n)
{
    const float *x = th_tape_in_float(t, n, STATE), *p = th_tape_in_float(t, n, P);
    const int *of = n->args;
    size_t d = (size_t)n->cols - N_TOTALS;
    float *a = n->value;
    memcpy(a, th_tape_in_float(t, n, ACCOUNT), (size_t)n->rows * (size_t)n->cols * sizeof *a);
    for (size_t i = 0; i < (size_t)n->rows; i++, a += n->cols) {
        if (of[i] < 0)
            continue;
        float left = a[d + LEFT], mass = p ? left * p[of[i]] : 0;
        if (p)
            th_kernel_add_scaled(a, x + i * d, mass, d);
        a[d + LEFT] = left - mass;
        a[d + PAID] += left;
    }
}

/* Of a row that gave p of what was left: *dx, and the return value is that of p.  da, that of the
 * account behind, becomes that of the account before: what mass brings where it is given counts
 * as p, and what it brings later as 1 - p. */
static float give_row_back(float *da, const float *x, float left, float p, float *dx, size_t d)
{
    float brings = 0;
    th_kernel_product_row_sums(&brings, da, x, 1, (int)d, 0);
    th_kernel_add_scaled(dx, da, left * p, d);
    float more = brings - da[d + LEFT];
    da[d + LEFT] += p * more;
    return left * more;
}

static void give_backward(ThTape *t, ThTapeNode *n)
{
    const float *a = th_tape_in_float(t, n, ACCOUNT), *x = th_tape_in_float(t, n, STATE);
    const float *p = th_tape_in_float(t, n, P);
    const int *of = n->args;
    size_t d = (size_t)n->cols - N_TOTALS, cols = (size_t)n->cols;
    float *dx = x ? th_tape_grad_float_zeroed(t, n, STATE) : NULL;
    float *dp = p ? th_tape_grad_float_zeroed(t, n, P) : NULL, *da = n->grad;
    if ((x && !dx) || (p && !dp))
        return;
    for (size_t i = 0; i < (size_t)n->rows; i++, da += cols) {
        if (of[i] < 0)
            continue;
        if (p)
            dp[of[i]] +=
                give_row_back(da, x + i * d, a[i * cols + d + LEFT], p[of[i]], dx + i * d, d);
        da[d + LEFT] += da[d + PAID];
    }
    if (th_tape_pass_gradient(t, n, ACCOUNT))
        return;
    float *before = th_tape_grad_float_zeroed(t, n, ACCOUNT);
    if (before)
        th_kernel_add(before, n->grad, (size_t)n->rows * cols);
}

static void give_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *was = th_tape_in_double(t, n, ACCOUNT), *x = th_tape_in_double(t, n, STATE);
    const double *p = th_tape_in_double(t, n, P);
    const int *of = n->args;
    int d = n->cols - N_TOTALS;
    double *now = n->value;
    for (int i = 0; i < n->rows; i++, was += n->cols, now += n->cols) {
        double mass = p && of[i] >= 0 ? was[d + LEFT] * p[of[i]] : 0;
        for (int j = 0; j < d; j++)
            now[j] = was[j] + (p ? mass * x[i * d + j] : 0);
        now[d + LEFT] = was[d + LEFT] - mass;
        now[d + PAID] = was[d + PAID] + (of[i] < 0 ? 0 : was[d + LEFT]);
    }
}

static void give_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, ACCOUNT), *x = th_tape_in_double(t, n, STATE);
    const double *p = th_tape_in_double(t, n, P), *dnow = n->grad;
    double *da = th_tape_grad_double(t, n, ACCOUNT), *dx = th_tape_grad_double(t, n, STATE);
    double *dp = th_tape_grad_double(t, n, P);
    const int *of = n->args;
    int d = n->cols - N_TOTALS;
    for (int i = 0; i < n->rows; i++, a += n->cols, da += n->cols, dnow += n->cols) {
        for (int j = 0; j < n->cols; j++)
            da[j] += dnow[j];
        if (of[i] < 0)
            continue;
        da[d + LEFT] += dnow[d + PAID];
        double dmass = -dnow[d + LEFT];
        for (int j = 0; p && j < d; j++) {
            dmass += dnow[j] * x[i * d + j];
            dx[i * d + j] += dnow[j] * a[d + LEFT] * p[of[i]];
        }
        if (p) {
            da[d + LEFT] += dmass * p[of[i]];
            dp[of[i]] += dmass * a[d + LEFT];
        }
    }
}

static const ThOp op_give = {"give", give_forward, give_backward, give_forward_double,
                             give_backward_double};

/* ---- all of it ---- */

static void settle_forward(ThTape *t, ThTapeNode *n)
{
    const float *a = th_tape_in_float(t, n, ACCOUNT), *x = th_tape_in_float(t, n, STATE);
    size_t d = (size_t)n->cols;
    float *y = n->value;
    for (int i = 0; i < n->rows; i++, a += d + N_TOTALS, x += d, y += d) {
        memcpy(y, a, d * sizeof *y);
        th_kernel_add_scaled(y, x, a[d + LEFT], d);
    }
}

static void settle_backward(ThTape *t, ThTapeNode *n)
{
    const float *a = th_tape_in_float(t, n, ACCOUNT), *x = th_tape_in_float(t, n, STATE);
    const float *dy = n->grad;
    float *da = th_tape_grad_float_zeroed(t, n, ACCOUNT),
          *dx = th_tape_grad_float_zeroed(t, n, STATE);
    size_t d = (size_t)n->cols;
    for (int i = 0; da && dx && i < n->rows; i++, a += d + N_TOTALS, x += d, dy += d) {
        th_kernel_add(da, dy, d);
        th_kernel_product_row_sums(da + d + LEFT, dy, x, 1, (int)d, 1);
        th_kernel_add_scaled(dx, dy, a[d + LEFT], d);
        da += d + N_TOTALS;
        dx += d;
    }
}

static void settle_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, ACCOUNT), *x = th_tape_in_double(t, n, STATE);
    double *y = n->value;
    for (int i = 0, d = n->cols; i < n->rows; i++, a += d + N_TOTALS)
        for (int j = 0; j < d; j++)
            y[i * d + j] = a[j] + a[d + LEFT] * x[i * d + j];
}

static void settle_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, ACCOUNT), *x = th_tape_in_double(t, n, STATE);
    const double *dy = n->grad;
    double *da = th_tape_grad_double(t, n, ACCOUNT), *dx = th_tape_grad_double(t, n, STATE);
    for (int i = 0, d = n->cols; i < n->rows; i++, a += d + N_TOTALS, da += d + N_TOTALS)
        for (int j = 0; j < d; j++) {
            da[j] += dy[i * d + j];
            da[d + LEFT] += dy[i * d + j] * x[i * d + j];
            dx[i * d + j] += dy[i * d + j] * a[d + LEFT];
        }
}

static const ThOp op_settle = {"settle", settle_forward, settle_backward, settle_forward_double,
                               settle_backward_double};

/* ---- making them ---- */

/* of: as th_op_give has it, not copied. */
static ThVar make(ThTape *t, const ThOp *op, const ThVar in[3], int more, const int *of)
{
    int rows = th_tape_rows(t, in[0]), d = th_tape_cols(t, in[0]) - N_TOTALS;
    if (in[1] >= 0 && (th_tape_rows(t, in[1]) != rows || th_tape_cols(t, in[1]) != d))
        return th_tape_fail(t, TH_EVALUE, "%s: states (%d,%d) for accounts of (%d,%d)", op->name,
                            th_tape_rows(t, in[1]), th_tape_cols(t, in[1]), rows, d);
    ThTapeNode *n = th_tape_node(t, op, rows, d + more, in, 3);
    if (!n)
        return -1;
    n->args = of;
    return th_tape_node_run(t, n);
}

ThVar th_op_give(ThTape *t, ThVar account, ThVar p, const int *of, ThVar state)
{
    return make(t, &op_give, (ThVar[]){account, p < 0 ? -1 : state, p}, N_TOTALS, of);
}

ThVar th_op_settle(ThTape *t, ThVar account, ThVar state)
{
    return make(t, &op_settle, (ThVar[]){account, state, -1}, 0, NULL);
}
