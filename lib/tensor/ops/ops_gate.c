/* Gates: one that chooses between two values, and one that lets a value through. */

#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/kernels/kernels_gate.h"
#include "tensor/tape/tape_impl.h"

enum { Z, OPEN, SHUT };

static void gate_forward(ThTape *t, ThTapeNode *n)
{
    float *g = n->saved = th_tape_take(t, th_tape_size(n), sizeof *g);
    if (!g)
        return;
    th_kernel_map(TH_MAP_SIGMOID)->forward(g, th_tape_in_float(t, n, Z), th_tape_size(n));
    th_kernel_gate(n->value, g, th_tape_in_float(t, n, OPEN), th_tape_in_float(t, n, SHUT),
                   th_tape_size(n));
}

static void gate_backward(ThTape *t, ThTapeNode *n)
{
    ThKernelGateBack b = {.g = n->saved,
                          .dy = n->grad,
                          .open = th_tape_in_float(t, n, OPEN),
                          .shut = th_tape_in_float(t, n, SHUT)};
    b.dz = th_tape_grad_float(t, n, Z, &b.beta[Z]);
    b.dopen = th_tape_grad_float(t, n, OPEN, &b.beta[OPEN]);
    b.dshut = th_tape_grad_float(t, n, SHUT, &b.beta[SHUT]);
    if (b.dz && b.dopen && b.dshut)
        th_kernel_gate_back(&b, th_tape_size(n));
}

static void gate_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *z = th_tape_in_double(t, n, Z), *open = th_tape_in_double(t, n, OPEN);
    const double *shut = th_tape_in_double(t, n, SHUT);
    double *y = n->value, *g = n->saved = th_tape_take(t, th_tape_size(n), sizeof *g);
    for (size_t i = 0; g && i < th_tape_size(n); i++) {
        g[i] = th_op_map_value(TH_MAP_SIGMOID, z[i]);
        y[i] = g[i] * open[i] + (1 - g[i]) * shut[i];
    }
}

static void gate_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *open = th_tape_in_double(t, n, OPEN), *shut = th_tape_in_double(t, n, SHUT);
    const double *g = n->saved, *dy = n->grad;
    double *dz = th_tape_grad_double(t, n, Z), *dopen = th_tape_grad_double(t, n, OPEN);
    double *dshut = th_tape_grad_double(t, n, SHUT);
    for (size_t i = 0; i < th_tape_size(n); i++) {
        dz[i] += dy[i] * (open[i] - shut[i]) * g[i] * (1 - g[i]);
        dopen[i] += dy[i] * g[i];
        dshut[i] += dy[i] * (1 - g[i]);
    }
}

static const ThOp op_gate = {"gate", gate_forward, gate_backward, gate_forward_double,
                             gate_backward_double};

ThVar th_op_gate(ThTape *t, ThVar z, ThVar open, ThVar shut)
{
    int rows = th_tape_rows(t, z), cols = th_tape_cols(t, z);
    ThVar in[] = {z, open, shut};
    for (int i = 1; i < 3; i++)
        if (th_tape_rows(t, in[i]) != rows || th_tape_cols(t, in[i]) != cols || in[i] == z ||
            open == shut)
            return th_tape_fail(t, TH_EVALUE,
                                "gate: three values of one shape, not (%d,%d) and (%d,%d)", rows,
                                cols, th_tape_rows(t, in[i]), th_tape_cols(t, in[i]));
    return th_tape_op(t, &op_gate, rows, cols, in, 3, NULL, 0);
}

/* ---- half of the columns ---- */

static void half_forward(ThTape *t, ThTapeNode *n)
{
    th_kernel_gated_half(n->value, th_tape_in_float(t, n, 0), n->rows, n->cols);
}

static void half_backward(ThTape *t, ThTapeNode *n)
{
    float beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    if (dx)
        th_kernel_gated_half_back(dx, n->grad, th_tape_in_float(t, n, 0), n->rows, n->cols, beta);
}

static void half_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *x = th_tape_in_double(t, n, 0);
    double *y = n->value;
    for (int i = 0, d = n->cols; i < n->rows; i++, x += 2 * d, y += d)
        for (int j = 0; j < d; j++)
            y[j] = x[j] * th_op_map_value(TH_MAP_SIGMOID, x[d + j]);
}

static void half_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *x = th_tape_in_double(t, n, 0), *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    for (int i = 0, d = n->cols; i < n->rows; i++, x += 2 * d, dx += 2 * d, dy += d) {
        for (int j = 0; j < d; j++) {
            double g = th_op_map_value(TH_MAP_SIGMOID, x[d + j]);
            dx[j] += dy[j] * g;
            dx[d + j] += dy[j] * x[j] * g * (1 - g);
        }
    }
}

static const ThOp op_gated_half = {"gated half", half_forward, half_backward, half_forward_double,
                                   half_backward_double};

ThVar th_op_gated_half(ThTape *t, ThVar x)
{
    int cols = th_tape_cols(t, x);
    if (cols % 2 != 0)
        return th_tape_fail(t, TH_EVALUE, "gated half: %d columns have no half", cols);
    return th_tape_op(t, &op_gated_half, th_tape_rows(t, x), cols / 2, &x, 1, NULL, 0);
}
