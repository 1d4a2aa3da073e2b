/* State space models, one column of a string after another: no states are kept, backward computes
 * them again. */
#include <complex.h>

#include "tensor/kernels/kernels_space.h"
#include "tensor/tape/tape_impl.h"

enum { U, MODES, START };

/* What there is of every column: sizes in numbers. */
typedef struct {
    const ThOpStateSpace *s;
    int d;
    size_t apart; /* d n */
    bool rank_one;
    bool one_start; /* for all strings */
} Sizes;

static Sizes sizes_of(ThTape *t, const ThTapeNode *n)
{
    const ThOpStateSpace *s = n->args;
    const ThTapeNode *start = th_tape_in(t, n, START);
    int d = th_tape_in(t, n, U)->cols;
    return (Sizes){.s = s,
                   .d = d,
                   .apart = (size_t)d * (size_t)s->n,
                   .rank_one = th_tape_in(t, n, MODES)->cols == 10 * d * s->n,
                   .one_start = start && start->rows == 1};
}

/* Where the state of a column begins in `start`. */
static size_t start_at(const Sizes *z, int string, int column)
{
    return (z->one_start ? 0 : (size_t)string * 2 * z->apart) + (size_t)column * (size_t)z->s->n;
}

/* ---- fast ---- */

/* Numbers of scratch for one column: states, inputs, outputs or their gradients, and a state. */
static float *scratch(ThTape *t, const ThOpStateSpace *s)
{
    return th_tape_take(t, 2 * (size_t)s->n * ((size_t)s->T + 2) + 3 * (size_t)s->T, sizeof(float));
}

/* Runs one column, by scratch x. */
static ThKernelSpace run(ThTape *t, const ThTapeNode *n, int string, int column, float *x)
{
    Sizes z = sizes_of(t, n);
    size_t wide = (size_t)z.s->n;
    const float *start = th_tape_in_float(t, n, START), *u = th_tape_in_float(t, n, U);
    float *inputs = x + 2 * wide * ((size_t)z.s->T + 1);
    memset(x, 0, 2 * wide * sizeof *x);
    if (start) {
        start += start_at(&z, string, column);
        memcpy(x, start, wide * sizeof *x);
        memcpy(x + wide, start + z.apart, wide * sizeof *x);
    }
    u += (size_t)string * (size_t)z.s->T * (size_t)z.d + (size_t)column;
    for (int i = 0; i < z.s->T; i++)
        inputs[i] = u[(size_t)i * (size_t)z.d];
    ThKernelSpace k = {.T = th_tape_length(z.s->length, z.s->T, string),
                       .n = z.s->n,
                       .apart = z.apart,
                       .products = z.s->products,
                       .rank_one = z.rank_one,
                       .modes = th_tape_in_float(t, n, MODES) + (size_t)column * wide,
                       .u = inputs,
                       .x = x,
                       .y = inputs + z.s->T};
    th_kernel_space(&k);
    return k;
}

/* Puts a column's outputs, and states where they are wanted, into the result. */
static void deliver(ThTape *t, ThTapeNode *n, const ThKernelSpace *k, int string, int column)
{
    Sizes z = sizes_of(t, n);
    size_t wide = (size_t)k->n, at = (size_t)z.d + (size_t)column * wide;
    for (int i = 0; i < z.s->T; i++) {
        float *row = (float *)n->value + ((size_t)string * (size_t)z.s->T + (size_t)i) * n->cols;
        const float *x = k->x + 2 * wide * (size_t)(i < k->T ? i + 1 : k->T);
        row[column] = i < k->T ? k->y[i] : 0;
        if (z.s->states) {
            memcpy(row + at, x, wide * sizeof *x);
            memcpy(row + at + z.apart, x + wide, wide * sizeof *x);
        }
    }
}

static void forward(ThTape *t, ThTapeNode *n)
{
    const ThOpStateSpace *s = n->args;
    int d = th_tape_in(t, n, U)->cols;
    float *x = scratch(t, s);
    for (int p = 0; x && p < s->B * d && th_tape_goes_on(t); p++) {
        ThKernelSpace k = run(t, n, p / d, p % d, x);
        deliver(t, n, &k, p / d, p % d);
    }
}

typedef struct {
    float *u, *modes, *start;
} Gradients;

static void column_back(ThTape *t, const ThTapeNode *n, int string, int column, float *x,
                        const Gradients *to)
{
    Sizes z = sizes_of(t, n);
    size_t wide = (size_t)z.s->n, first = (size_t)string * (size_t)z.s->T;
    ThKernelSpace k = run(t, n, string, column, x);
    float *dy = k.y, *du = dy + z.s->T, *g = du + z.s->T;
    for (int i = 0; i < k.T; i++)
        dy[i] = ((const float *)n->grad)[(first + (size_t)i) * (size_t)n->cols + column];
    memset(g, 0, 2 * wide * sizeof *g);
    th_kernel_space_back(&(ThKernelSpaceBack){&k, dy, du, to->modes + (size_t)column * wide, g});
    for (int i = 0; i < k.T; i++)
        to->u[(first + (size_t)i) * (size_t)z.d + column] += du[i];
    float *start = to->start ? to->start + start_at(&z, string, column) : NULL;
    for (size_t j = 0; start && j < wide; j++) {
        start[j] += g[j];
        start[z.apart + j] += g[wide + j];
    }
}

static void backward(ThTape *t, ThTapeNode *n)
{
    const ThOpStateSpace *s = n->args;
    int d = th_tape_in(t, n, U)->cols;
    float *x = scratch(t, s);
    Gradients to = {th_tape_grad_float_zeroed(t, n, U), th_tape_grad_float_zeroed(t, n, MODES),
                    n->in[START] < 0 ? NULL : th_tape_grad_float_zeroed(t, n, START)};
    for (int p = 0; x && to.u && to.modes && p < s->B * d && th_tape_goes_on(t); p++)
        column_back(t, n, p / d, p % d, x, &to);
}

/* ---- reference ---- */

typedef double complex Number;

/* Number j of part k (a, b, c, w, v) of a column. */
static Number mode(ThTape *t, const ThTapeNode *n, int k, size_t j)
{
    size_t apart = sizes_of(t, n).apart;
    const double *part = th_tape_in_double(t, n, MODES) + 2 * (size_t)k * apart;
    return part[j] + (Number)I * part[apart + j];
}

/* Adds a conjugate gradient, whose real and imaginary parts are those by the parts of a number. */
static void add_number(double *to, size_t apart, size_t at, Number g)
{
    to[at] += creal(g);
    to[apart + at] += cimag(g);
}

/* The states of a column: x (T+1, n). */
static void run_double(ThTape *t, const ThTapeNode *n, int string, int column, Number *x)
{
    Sizes z = sizes_of(t, n);
    const double *start = th_tape_in_double(t, n, START), *u = th_tape_in_double(t, n, U);
    int N = z.s->n;
    size_t first = (size_t)column * (size_t)N, at = start_at(&z, string, column);
    for (int k = 0; k < N; k++)
        x[k] = start ? start[at + k] + (Number)I * start[at + z.apart + k] : 0;
    for (int i = 0; i < th_tape_length(z.s->length, z.s->T, string); i++) {
        const Number *old = x + i * N;
        double input = u[(string * z.s->T + i) * z.d + column], r = 0;
        for (int k = 0; z.rank_one && k < N; k++)
            r += 2 * creal(mode(t, n, 4, first + k) * old[k]);
        for (int k = 0; k < N; k++) {
            Number added = input * mode(t, n, 1, first + k);
            x[(i + 1) * N + k] = mode(t, n, 0, first + k) * old[k] + added +
                                 (z.s->products ? added * old[k] : 0) -
                                 (z.rank_one ? r * mode(t, n, 3, first + k) : 0);
        }
    }
}

static void forward_double(ThTape *t, ThTapeNode *n)
{
    Sizes z = sizes_of(t, n);
    int N = z.s->n, T = z.s->T;
    Number *x = th_tape_take(t, ((size_t)T + 1) * (size_t)N, sizeof *x);
    for (int p = 0; x && p < z.s->B * z.d && th_tape_goes_on(t); p++) {
        int string = p / z.d, column = p % z.d,
            length = th_tape_length(z.s->length, z.s->T, string);
        run_double(t, n, string, column, x);
        for (int i = 0; i < T; i++) {
            double *row = (double *)n->value + (string * T + i) * n->cols;
            row[column] = 0;
            for (int k = 0; k < N; k++) {
                size_t j = (size_t)column * (size_t)N + k;
                Number state = x[(i < length ? i + 1 : length) * N + k];
                row[column] += i < length ? 2 * creal(mode(t, n, 2, j) * state) : 0;
                if (z.s->states) {
                    row[z.d + j] = creal(state);
                    row[z.d + z.apart + j] = cimag(state);
                }
            }
        }
    }
}

/* Backwards through position i: g is the gradient of the state after it, then before it. */
static void step_back(ThTape *t, const ThTapeNode *n, size_t first, const Number *x, double u,
                      double dy, Number *g, double *du)
{
    Sizes z = sizes_of(t, n);
    int N = z.s->n;
    double *d = th_tape_grad_double(t, n, MODES), r = 0, dr = 0;
    for (int k = 0; k < N; k++) {
        g[k] += 2 * dy * conj(mode(t, n, 2, first + k));
        add_number(d + 4 * z.apart, z.apart, first + k, 2 * dy * conj(x[N + k]));
        if (z.rank_one) {
            r += 2 * creal(mode(t, n, 4, first + k) * x[k]);
            dr -= creal(conj(mode(t, n, 3, first + k)) * g[k]);
        }
    }
    for (int k = 0; k < N; k++) {
        Number a = mode(t, n, 0, first + k), b = mode(t, n, 1, first + k);
        Number factor = z.s->products ? 1 + x[k] : 1;
        add_number(d, z.apart, first + k, conj(x[k]) * g[k]);
        add_number(d + 2 * z.apart, z.apart, first + k, u * conj(factor) * g[k]);
        *du += creal(conj(b * factor) * g[k]);
        if (z.rank_one) {
            add_number(d + 6 * z.apart, z.apart, first + k, -r * g[k]);
            add_number(d + 8 * z.apart, z.apart, first + k, 2 * dr * conj(x[k]));
        }
        g[k] = conj(z.s->products ? a + u * b : a) * g[k] +
               (z.rank_one ? 2 * dr * conj(mode(t, n, 4, first + k)) : 0);
    }
}

static void backward_double(ThTape *t, ThTapeNode *n)
{
    Sizes z = sizes_of(t, n);
    int N = z.s->n, T = z.s->T;
    Number *x = th_tape_take(t, ((size_t)T + 2) * (size_t)N, sizeof *x);
    const double *u = th_tape_in_double(t, n, U), *dy = n->grad;
    double *du = th_tape_grad_double(t, n, U), *ds = th_tape_grad_double(t, n, START);
    for (int p = 0; x && p < z.s->B * z.d && th_tape_goes_on(t); p++) {
        int string = p / z.d, column = p % z.d;
        Number *g = x + (T + 1) * N;
        run_double(t, n, string, column, x);
        for (int k = 0; k < N; k++)
            g[k] = 0;
        for (int i = th_tape_length(z.s->length, z.s->T, string) - 1; i >= 0; i--) {
            int row = string * T + i;
            step_back(t, n, (size_t)column * (size_t)N, x + i * N, u[row * z.d + column],
                      dy[row * n->cols + column], g, &du[row * z.d + column]);
        }
        for (int k = 0; ds && k < N; k++)
            add_number(ds, z.apart, start_at(&z, string, column) + (size_t)k, g[k]);
    }
}

static const ThOp op_state_space = {"state space", forward, backward, forward_double,
                                    backward_double};

ThVar th_op_state_space(ThTape *t, ThVar u, ThVar modes, ThVar start, const ThOpStateSpace *s)
{
    int rows = th_tape_rows(t, u), d = th_tape_cols(t, u), numbers = th_tape_cols(t, modes);
    int size = d * s->n, starts = th_tape_rows(t, start);
    if (rows != s->B * s->T || (numbers != 6 * size && numbers != 10 * size))
        return th_tape_fail(t, TH_EVALUE,
                            "state space: (%d,%d) does not fit %d strings of %d and %d modes", rows,
                            d, s->B, s->T, numbers);
    if (start >= 0 && (th_tape_cols(t, start) != 2 * size || (starts != 1 && starts != s->B)))
        return th_tape_fail(t, TH_EVALUE,
                            "state space: the start (%d,%d) does not fit %d states of %d", starts,
                            th_tape_cols(t, start), s->B, 2 * size);
    return th_tape_op(t, &op_state_space, rows, d + (s->states ? 2 * size : 0),
                      (ThVar[]){u, modes, start}, 3, s, sizeof *s);
}
