/* Matrices that positions write to and read from, one string and head after another; backward
 * computes the matrices again. */
#include <math.h>

#include "tensor/kernels/kernels_fast_weights.h"
#include "tensor/tape/tape_impl.h"

enum { Q, K, V, RATE, KEEP, TIME, DECAY, START, INPUTS };

/* Numbers in the matrices of all heads. */
static size_t state_of(const ThOpFastWeights *w)
{
    return (size_t)w->heads * (size_t)w->rows * (size_t)w->cols;
}

static size_t start_at(const ThTapeNode *start, const ThOpFastWeights *w, int string, int head)
{
    return (start->rows == 1 ? 0 : (size_t)string * state_of(w)) +
           (size_t)head * (size_t)w->rows * (size_t)w->cols;
}

/* ---- fast ---- */

/* A head of the first position of a string, where the values or gradients of inputs are `base`. */
static ThKernelFastRow row_of(ThTape *t, const ThTapeNode *n, float *const *base, int string,
                              int head)
{
    const ThOpFastWeights *w = n->args;
    int wide[INPUTS] = {w->rows, w->rows, w->cols, 1, 1, w->cols};
    float *at[INPUTS] = {NULL};
    for (int i = Q; i <= TIME; i++)
        if (base[i])
            at[i] = base[i] + (size_t)string * (size_t)w->T * th_tape_in(t, n, i)->cols +
                    (size_t)head * (size_t)wide[i];
    return (ThKernelFastRow){at[Q], at[K], at[V], at[RATE], at[KEEP], at[TIME]};
}

static size_t cols_of(ThTape *t, const ThTapeNode *n, int input)
{
    const ThTapeNode *in = th_tape_in(t, n, input);
    return in ? (size_t)in->cols : 0;
}

/* A string's head; s is scratch, and gets the first matrix. */
static ThKernelFastWeights head_of(ThTape *t, const ThTapeNode *n, int string, int head, float *s)
{
    const ThOpFastWeights *w = n->args;
    const ThTapeNode *start = th_tape_in(t, n, START);
    float *base[INPUTS];
    for (int i = 0; i < INPUTS; i++)
        base[i] = th_tape_in(t, n, i) ? th_tape_in(t, n, i)->value : NULL;
    const float *from = start ? base[START] + start_at(start, w, string, head) : NULL;
    for (int i = 0; i < w->rows; i++)
        for (int c = 0; c < w->cols; c++)
            s[i * w->cols + c] = from ? from[c * w->rows + i] : 0;
    size_t heads = (size_t)w->heads;
    float *out = (float *)n->value + (size_t)string * (size_t)w->T * n->cols;
    return (ThKernelFastWeights){
        .T = th_tape_length(w->length, w->T, string),
        .rows = w->rows,
        .cols = w->cols,
        .steps = w->steps,
        .negative = w->negative,
        .q = cols_of(t, n, Q),
        .k = cols_of(t, n, K),
        .v = cols_of(t, n, V),
        .rate = cols_of(t, n, RATE),
        .keep = cols_of(t, n, KEEP),
        .time = cols_of(t, n, TIME),
        .k_step = heads * (size_t)w->rows,
        .v_step = heads * (size_t)w->cols,
        .rate_step = heads,
        .y = (size_t)n->cols,
        .decay_row = heads * (size_t)w->cols,
        .in = row_of(t, n, base, string, head),
        .decay = base[DECAY] ? base[DECAY] + (size_t)head * (size_t)w->cols : NULL,
        .out = out + (size_t)head * (size_t)w->cols,
        .s = s,
        .states = w->states ? out + heads * (size_t)w->cols +
                                  (size_t)head * (size_t)w->rows * (size_t)w->cols
                            : NULL,
        .state = (size_t)n->cols};
}

static void forward(ThTape *t, ThTapeNode *n)
{
    const ThOpFastWeights *w = n->args;
    float *s = th_tape_take(t, (size_t)(w->rows + 1) * (size_t)w->cols, sizeof *s);
    if (w->length)
        memset(n->value, 0, th_tape_size(n) * sizeof *s);
    for (int p = 0; s && p < w->B * w->heads && th_tape_goes_on(t); p++) {
        ThKernelFastWeights k = head_of(t, n, p / w->heads, p % w->heads, s);
        k.in_place = true;
        th_kernel_fast_weights(&k);
    }
}

typedef struct {
    float *of[INPUTS], *g, *scratch;
} Gradients;

static void head_back(ThTape *t, const ThTapeNode *n, int string, int head, float *s,
                      const Gradients *to)
{
    const ThOpFastWeights *w = n->args;
    size_t size = (size_t)w->rows * (size_t)w->cols;
    ThKernelFastWeights k = head_of(t, n, string, head, s);
    th_kernel_fast_weights(&k);
    memset(to->g, 0, size * sizeof *to->g);
    th_kernel_fast_weights_back(&(ThKernelFastWeightsBack){
        .forward = &k,
        .dy = (const float *)n->grad + (k.out - (const float *)n->value),
        .to = row_of(t, n, to->of, string, head),
        .ddecay = to->of[DECAY] ? to->of[DECAY] + (size_t)head * (size_t)w->cols : NULL,
        .g = to->g,
        .scratch = to->scratch});
    if (!to->of[START])
        return;
    float *start = to->of[START] + start_at(th_tape_in(t, n, START), w, string, head);
    for (int i = 0; i < w->rows; i++)
        for (int c = 0; c < w->cols; c++)
            start[c * w->rows + i] += to->g[i * w->cols + c];
}

static void backward(ThTape *t, ThTapeNode *n)
{
    const ThOpFastWeights *w = n->args;
    size_t size = (size_t)w->rows * (size_t)w->cols, steps = (size_t)w->T * (size_t)w->steps;
    float *s = th_tape_take(t, (steps + 3) * size + 4 * (size_t)w->cols, sizeof *s);
    Gradients to = {.g = s + (steps + 1) * size + (size_t)w->cols};
    to.scratch = to.g + size;
    for (int i = 0; i < INPUTS; i++)
        to.of[i] = n->in[i] < 0 ? NULL : th_tape_grad_float_zeroed(t, n, i);
    for (int p = 0; s && p < w->B * w->heads && th_tape_goes_on(t); p++)
        head_back(t, n, p / w->heads, p % w->heads, s, &to);
}

/* ---- reference ---- */

/* Where a head's numbers of a position and step are in an input, or in its gradient. */
static size_t place(ThTape *t, const ThTapeNode *n, int input, int row, int step, int head)
{
    const ThOpFastWeights *w = n->args;
    int wide = input == Q || input == K ? w->rows : input == V || input == TIME ? w->cols : 1;
    return (size_t)row * cols_of(t, n, input) + (size_t)((step * w->heads + head) * wide);
}

static const double *at_double(ThTape *t, const ThTapeNode *n, int input, int row, int step,
                               int head)
{
    const double *x = th_tape_in_double(t, n, input);
    return x ? x + place(t, n, input, row, step, head) : NULL;
}

static double *grad_at(ThTape *t, const ThTapeNode *n, int input, int row, int step, int head)
{
    double *g = th_tape_grad_double(t, n, input);
    return g ? g + place(t, n, input, row, step, head) : NULL;
}

/* What element (i,c) of a head is multiplied by at a position. */
static double kept(ThTape *t, const ThTapeNode *n, int row, int head, int i, int c)
{
    const ThOpFastWeights *w = n->args;
    const double *time = at_double(t, n, TIME, row, 0, head),
                 *decay = th_tape_in_double(t, n, DECAY);
    const double *keep = at_double(t, n, KEEP, row, 0, head);
    if (!time)
        return keep ? *keep : 1;
    double e = exp(time[c] * decay[(i * w->heads + head) * w->cols + c]);
    return w->negative ? 2 * e - 1 : e;
}

/* r = Σ k s - v, or less v alone, for column c. */
static double error_of(ThTape *t, const ThTapeNode *n, const double *s, int row, int step, int head,
                       int c)
{
    const ThOpFastWeights *w = n->args;
    const double *k = at_double(t, n, K, row, step, head);
    double r = -at_double(t, n, V, row, step, head)[c];
    for (int i = 0; th_tape_in(t, n, RATE) && i < w->rows; i++)
        r += k[i] * s[i * w->cols + c];
    return r;
}

/* The matrices of a head: s (T (steps+1) + 1, rows, cols), after the decay and after every step. */
static void run_double(ThTape *t, const ThTapeNode *n, int string, int head, double *s)
{
    const ThOpFastWeights *w = n->args;
    const ThTapeNode *start = th_tape_in(t, n, START);
    int size = w->rows * w->cols;
    for (int i = 0; i < size; i++)
        s[i] = start ? ((const double *)start->value)[start_at(start, w, string, head) +
                                                      (size_t)(i % w->cols * w->rows + i / w->cols)]
                     : 0;
    for (int p = 0; p < th_tape_length(w->length, w->T, string); p++) {
        int row = string * w->T + p;
        for (int i = 0; i < size; i++)
            s[size + i] = s[i] * kept(t, n, row, head, i / w->cols, i % w->cols);
        s += size;
        for (int step = 0; step < w->steps; step++, s += size) {
            const double *rate = at_double(t, n, RATE, row, step, head);
            const double *k = at_double(t, n, K, row, step, head);
            for (int i = 0; i < size; i++)
                s[size + i] = s[i] - (rate ? *rate : 1) * k[i / w->cols] *
                                         error_of(t, n, s, row, step, head, i % w->cols);
        }
    }
}

static double *matrices(ThTape *t, const ThTapeNode *n, size_t more)
{
    const ThOpFastWeights *w = n->args;
    size_t size = (size_t)w->rows * (size_t)w->cols;
    return th_tape_take(t, ((size_t)w->T * ((size_t)w->steps + 1) + 1) * size + more,
                        sizeof(double));
}

static void forward_double(ThTape *t, ThTapeNode *n)
{
    const ThOpFastWeights *w = n->args;
    int size = w->rows * w->cols, wide = w->heads * w->cols;
    double *s = matrices(t, n, 0);
    memset(n->value, 0, th_tape_size(n) * sizeof *s);
    for (int h = 0; s && h < w->B * w->heads && th_tape_goes_on(t); h++) {
        int string = h / w->heads, head = h % w->heads;
        run_double(t, n, string, head, s);
        for (int p = 0; p < th_tape_length(w->length, w->T, string); p++) {
            int row = string * w->T + p;
            const double *after = s + (p + 1) * (w->steps + 1) * size;
            const double *q = at_double(t, n, Q, row, 0, head);
            double *y = (double *)n->value + (size_t)row * (size_t)n->cols;
            for (int i = 0; i < size; i++) {
                y[head * w->cols + i % w->cols] += q[i / w->cols] * after[i];
                if (w->states)
                    y[wide + head * size + i % w->cols * w->rows + i / w->cols] = after[i];
            }
        }
    }
}

/* g, the gradient of the matrix after a step, becomes that of s, which was before it. */
static void step_back_double(ThTape *t, const ThTapeNode *n, const double *s, double *g, int row,
                             int step, int head)
{
    const ThOpFastWeights *w = n->args;
    const double *k = at_double(t, n, K, row, step, head),
                 *r = at_double(t, n, RATE, row, step, head);
    double *dk = grad_at(t, n, K, row, step, head), *dv = grad_at(t, n, V, row, step, head);
    double *drate = grad_at(t, n, RATE, row, step, head), rate = r ? *r : 1;
    for (int c = 0; c < w->cols; c++) {
        double error = error_of(t, n, s, row, step, head, c), dwrite = 0;
        for (int i = 0; i < w->rows; i++) {
            dwrite -= k[i] * g[i * w->cols + c];
            dk[i] -= rate * error * g[i * w->cols + c];
        }
        dv[c] -= rate * dwrite;
        if (drate)
            *drate += error * dwrite;
        for (int i = 0; drate && i < w->rows; i++) {
            dk[i] += rate * dwrite * s[i * w->cols + c];
            g[i * w->cols + c] += rate * dwrite * k[i];
        }
    }
}

static void decay_back_double(ThTape *t, const ThTapeNode *n, const double *s, double *g, int row,
                              int head)
{
    const ThOpFastWeights *w = n->args;
    const double *time = at_double(t, n, TIME, row, 0, head),
                 *decay = th_tape_in_double(t, n, DECAY);
    double *dtime = grad_at(t, n, TIME, row, 0, head), *ddecay = th_tape_grad_double(t, n, DECAY);
    double *dkeep = grad_at(t, n, KEEP, row, 0, head);
    for (int i = 0; i < w->rows * w->cols; i++) {
        int c = i % w->cols, at = (i / w->cols * w->heads + head) * w->cols + c;
        double slope = g[i] * s[i];
        if (time) {
            slope *= exp(time[c] * decay[at]) * (w->negative ? 2 : 1);
            dtime[c] += slope * decay[at];
            ddecay[at] += slope * time[c];
        } else if (dkeep) {
            *dkeep += slope;
        }
        g[i] *= kept(t, n, row, head, i / w->cols, c);
    }
}

static void position_back(ThTape *t, ThTapeNode *n, const double *s, double *g, int row, int head)
{
    const ThOpFastWeights *w = n->args;
    int size = w->rows * w->cols;
    const double *dy = (const double *)n->grad + (size_t)row * (size_t)n->cols + head * w->cols;
    const double *q = at_double(t, n, Q, row, 0, head), *after = s + (w->steps + 1) * size;
    double *dq = grad_at(t, n, Q, row, 0, head);
    for (int i = 0; i < size; i++) {
        dq[i / w->cols] += after[i] * dy[i % w->cols];
        g[i] += q[i / w->cols] * dy[i % w->cols];
    }
    for (int step = w->steps - 1; step >= 0; step--)
        step_back_double(t, n, s + (step + 1) * size, g, row, step, head);
    decay_back_double(t, n, s, g, row, head);
}

static void backward_double(ThTape *t, ThTapeNode *n)
{
    const ThOpFastWeights *w = n->args;
    int size = w->rows * w->cols;
    double *s = matrices(t, n, (size_t)size), *dstart = th_tape_grad_double(t, n, START);
    double *g = s ? s + (w->T * (w->steps + 1) + 1) * size : NULL;
    for (int h = 0; s && h < w->B * w->heads && th_tape_goes_on(t); h++) {
        int string = h / w->heads, head = h % w->heads;
        run_double(t, n, string, head, s);
        memset(g, 0, (size_t)size * sizeof *g);
        for (int p = th_tape_length(w->length, w->T, string) - 1; p >= 0; p--)
            position_back(t, n, s + p * (w->steps + 1) * size, g, string * w->T + p, head);
        for (int i = 0; dstart && i < size; i++)
            dstart[start_at(th_tape_in(t, n, START), w, string, head) +
                   (size_t)(i % w->cols * w->rows + i / w->cols)] += g[i];
    }
}

static const ThOp op_fast_weights = {"fast weights", forward, backward, forward_double,
                                     backward_double};

/* ---- building ---- */

static bool fits(ThTape *t, const ThVar *in, const ThOpFastWeights *w)
{
    const int k = w->heads * w->rows, v = w->heads * w->cols, n = w->B * w->T;
    const int wanted[INPUTS][2] = {{n, k},
                                   {n, w->steps * k},
                                   {n, w->steps * v},
                                   {n, w->steps * w->heads},
                                   {n, w->heads},
                                   {n, v},
                                   {w->rows, v},
                                   {th_tape_rows(t, in[START]) == 1 ? 1 : w->B, w->rows * v}};
    for (int i = 0; i < INPUTS; i++) {
        int rows = th_tape_rows(t, in[i]), cols = th_tape_cols(t, in[i]);
        if (in[i] >= 0 ? rows == wanted[i][0] && cols == wanted[i][1] : i > V)
            continue;
        th_tape_fail(t, TH_EVALUE, "fast weights: operand %d is (%d,%d), not (%d,%d)", i, rows,
                     cols, wanted[i][0], wanted[i][1]);
        return false;
    }
    return true;
}

ThVar th_op_fast_weights(ThTape *t, const ThOpFastWeights *w)
{
    const ThVar in[INPUTS] = {w->q, w->k, w->v, w->rate, w->keep, w->time, w->decay, w->start};
    if (th_tape_failed(t) || !fits(t, in, w))
        return -1;
    int cols = w->heads * w->cols + (w->states ? (int)state_of(w) : 0);
    return th_tape_op(t, &op_fast_weights, w->B * w->T, cols, in, INPUTS, w, sizeof *w);
}
