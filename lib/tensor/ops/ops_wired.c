/* Layers of hidden units that read a few coordinates each, and write one. */

#include "tensor/kernels/kernels_wired.h"
#include "tensor/tape/tape_impl.h"

enum { X, UP, FROM, BIAS, DOWN, TO, INPUTS };
enum { L = TH_KERNEL_LANES };

typedef struct {
    bool gelu;
    int units, fan;
} Wires;

int th_op_wired_coordinate(double at, int n)
{
    return !(at > 0) ? 0 : at < n - 1 ? (int)(at + 0.5) : n - 1;
}

/* ---- fast ---- */

static bool read_wires(ThTape *t, ThTapeNode *n, ThKernelWires *w)
{
    const Wires *s = n->args;
    size_t reads = (size_t)s->units * (size_t)s->fan, units = (size_t)s->units;
    const float *from = th_tape_in_float(t, n, FROM), *to = th_tape_in_float(t, n, TO);
    if (!n->saved)
        n->saved = th_tape_take(t, reads + units, sizeof(int));
    int *at = n->saved;
    if (!at)
        return false;
    for (size_t i = 0; i < reads; i++)
        at[i] = th_op_wired_coordinate((double)from[i], n->cols);
    for (size_t i = 0; i < units; i++)
        at[reads + i] = th_op_wired_coordinate((double)to[i], n->cols);
    *w = (ThKernelWires){s->units,
                         s->fan,
                         at,
                         at + reads,
                         th_tape_in_float(t, n, UP),
                         th_tape_in_float(t, n, BIAS),
                         th_tape_in_float(t, n, DOWN),
                         s->gelu};
    return true;
}

/* Rows from … of x (rows, cols) as the lanes of a block (cols, L), the last ones of zeros; back. */
static void take_lanes(const float *x, int rows, int cols, int from, float *block)
{
    for (int i = 0; i < L; i++)
        for (int j = 0; j < cols; j++)
            block[j * L + i] = from + i < rows ? x[(ptrdiff_t)(from + i) * cols + j] : 0;
}

static void add_lanes(const float *block, int rows, int cols, int from, float *x)
{
    for (int i = 0; i < L && from + i < rows; i++)
        for (int j = 0; j < cols; j++)
            x[(ptrdiff_t)(from + i) * cols + j] += block[j * L + i];
}

static void forward(ThTape *t, ThTapeNode *n)
{
    size_t size = (size_t)n->cols * L;
    float *x = th_tape_take(t, size, sizeof *x), *y = th_tape_take(t, size, sizeof *y);
    ThKernelWires w;
    if (!x || !y || !read_wires(t, n, &w))
        return;
    memset(n->value, 0, th_tape_size(n) * sizeof *x);
    for (int from = 0; from < n->rows && th_tape_goes_on(t); from += L) {
        take_lanes(th_tape_in_float(t, n, X), n->rows, n->cols, from, x);
        memset(y, 0, size * sizeof *y);
        th_kernel_wired(&w, x, y);
        add_lanes(y, n->rows, n->cols, from, n->value);
    }
}

static void backward(ThTape *t, ThTapeNode *n)
{
    size_t size = (size_t)n->cols * L;
    float *x = th_tape_take(t, size, sizeof *x), *dy = th_tape_take(t, 2 * size, sizeof *dy);
    float *dx = th_tape_grad_float_zeroed(t, n, X);
    ThKernelWires w;
    ThKernelWiresBack d = {th_tape_grad_float_zeroed(t, n, UP),
                           th_tape_grad_float_zeroed(t, n, BIAS),
                           th_tape_grad_float_zeroed(t, n, DOWN), dy ? dy + size : NULL};
    if (!x || !dy || !dx || !d.up || !d.bias || !d.down || !read_wires(t, n, &w))
        return;
    for (int from = 0; from < n->rows && th_tape_goes_on(t); from += L) {
        take_lanes(th_tape_in_float(t, n, X), n->rows, n->cols, from, x);
        take_lanes(n->grad, n->rows, n->cols, from, dy);
        memset(d.x, 0, size * sizeof *d.x);
        th_kernel_wired_back(&w, x, dy, &d);
        add_lanes(d.x, n->rows, n->cols, from, dx);
    }
}

/* ---- reference ---- */

/* What unit h reads of row x. */
static double read_double(ThTape *t, const ThTapeNode *n, const double *x, int h)
{
    const Wires *s = n->args;
    const double *up = th_tape_in_double(t, n, UP), *from = th_tape_in_double(t, n, FROM);
    double z = th_tape_in_double(t, n, BIAS)[h];
    for (int f = h * s->fan; f < (h + 1) * s->fan; f++)
        z += up[f] * x[th_op_wired_coordinate(from[f], n->cols)];
    return z;
}

static void forward_double(ThTape *t, ThTapeNode *n)
{
    const Wires *s = n->args;
    const double *down = th_tape_in_double(t, n, DOWN), *to = th_tape_in_double(t, n, TO);
    memset(n->value, 0, th_tape_size(n) * sizeof *down);
    for (int i = 0; i < n->rows && th_tape_goes_on(t); i++) {
        const double *x = th_tape_in_double(t, n, X) + (ptrdiff_t)i * n->cols;
        double *y = (double *)n->value + (ptrdiff_t)i * n->cols;
        for (int h = 0; h < s->units; h++)
            y[th_op_wired_coordinate(to[h], n->cols)] +=
                down[h] *
                th_op_map_value(s->gelu ? TH_MAP_GELU : TH_MAP_RELU, read_double(t, n, x, h));
    }
}

static void unit_back(ThTape *t, ThTapeNode *n, int row, int h)
{
    const Wires *s = n->args;
    const double *up = th_tape_in_double(t, n, UP), *from = th_tape_in_double(t, n, FROM);
    const double *x = th_tape_in_double(t, n, X) + (ptrdiff_t)row * n->cols;
    double *dx = th_tape_grad_double(t, n, X) + (ptrdiff_t)row * n->cols;
    double z = read_double(t, n, x, h);
    ThOpMap f = s->gelu ? TH_MAP_GELU : TH_MAP_RELU;
    double a = th_op_map_value(f, z);
    int to = th_op_wired_coordinate(th_tape_in_double(t, n, TO)[h], n->cols);
    double g = ((const double *)n->grad)[(ptrdiff_t)row * n->cols + to];
    double dz = g * th_tape_in_double(t, n, DOWN)[h] * th_op_map_slope(f, z, a);
    th_tape_grad_double(t, n, DOWN)[h] += g * a;
    th_tape_grad_double(t, n, BIAS)[h] += dz;
    for (int i = h * s->fan; i < (h + 1) * s->fan; i++) {
        int at = th_op_wired_coordinate(from[i], n->cols);
        th_tape_grad_double(t, n, UP)[i] += dz * x[at];
        dx[at] += dz * up[i];
    }
}

static void backward_double(ThTape *t, ThTapeNode *n)
{
    const Wires *s = n->args;
    for (int i = 0; i < n->rows && th_tape_goes_on(t); i++)
        for (int h = 0; h < s->units; h++)
            unit_back(t, n, i, h);
}

static const ThOp op_wired = {"wired units", forward, backward, forward_double, backward_double};

/* ---- building ---- */

ThVar th_op_wired(ThTape *t, const ThOpWired *w)
{
    const ThVar in[INPUTS] = {w->x, w->up, w->from, w->bias, w->down, w->to};
    Wires s = {w->gelu, th_tape_rows(t, w->up), th_tape_cols(t, w->up)};
    if (th_tape_rows(t, w->from) != s.units || th_tape_cols(t, w->from) != s.fan ||
        th_tape_cols(t, w->bias) != s.units || th_tape_cols(t, w->down) != s.units ||
        th_tape_cols(t, w->to) != s.units)
        return th_tape_fail(t, TH_EVALUE, "wired units: operands do not fit %d units that read %d",
                            s.units, s.fan);
    return th_tape_op(t, &op_wired, th_tape_rows(t, w->x), th_tape_cols(t, w->x), in, INPUTS, &s,
                      sizeof s);
}
