/* Causal convolutions of columns. */
#include <math.h>

#include "tensor/kernels/kernels_fourier.h"
#include "tensor/kernels/kernels_space.h"
#include "tensor/tape/tape_impl.h"

enum { U, KERNEL };

typedef struct {
    int B, T;
} Strings;

static ThKernelConvolve part(ThTape *t, const ThTapeNode *n, int string)
{
    const Strings *s = n->args;
    size_t from = (size_t)string * (size_t)s->T * (size_t)n->cols;
    return (ThKernelConvolve){.T = s->T,
                              .L = th_tape_in(t, n, KERNEL)->rows,
                              .d = n->cols,
                              .u = th_tape_in_float(t, n, U) + from,
                              .kernel = th_tape_in_float(t, n, KERNEL),
                              .y = (float *)n->value + from};
}

/* From so many positions and lags on transforms are faster than sums of products.  Values are sums
 * of products at any length: not even their rounding shows what comes later in the string. */
enum { LONG = 160 };

static bool is_long(const ThTape *t, const ThTapeNode *n)
{
    const Strings *s = n->args;
    return s->T >= LONG && th_tape_rows(t, n->in[KERNEL]) >= LONG;
}

/* False fails the tape. */
static bool arrange(ThTape *t, const ThTapeNode *n, ThKernelFourier *f)
{
    const Strings *s = n->args;
    int rows = th_tape_in(t, n, KERNEL)->rows, L = rows < s->T ? rows : s->T;
    int N = th_kernel_fourier_size(s->T, L);
    float *turn = th_tape_take(t, 2 * (size_t)N, sizeof *turn);
    float *room = th_tape_take(t, th_kernel_fourier_room(N), sizeof *room);
    for (int j = 0; turn && j < N; j++) {
        turn[j] = (float)cos(2 * acos(-1) * j / N);
        turn[N + j] = (float)sin(2 * acos(-1) * j / N);
    }
    *f = (ThKernelFourier){.B = s->B,
                           .T = s->T,
                           .L = L,
                           .d = n->cols,
                           .N = N,
                           .u = th_tape_in_float(t, n, U),
                           .kernel = th_tape_in_float(t, n, KERNEL),
                           .turn = turn,
                           .room = room};
    return turn && room;
}

static void forward(ThTape *t, ThTapeNode *n)
{
    memset(n->value, 0, th_tape_size(n) * sizeof(float));
    for (int b = 0; b < ((const Strings *)n->args)->B && th_tape_goes_on(t); b++) {
        ThKernelConvolve c = part(t, n, b);
        th_kernel_convolve(&c);
    }
}

static void backward(ThTape *t, ThTapeNode *n)
{
    const Strings *s = n->args;
    float *du = th_tape_grad_float_zeroed(t, n, U), *dk = th_tape_grad_float_zeroed(t, n, KERNEL);
    ThKernelFourier f;
    if (is_long(t, n)) {
        if (du && dk && arrange(t, n, &f))
            th_kernel_fourier(&f, n->grad, du, dk);
        return;
    }
    for (int b = 0; du && dk && b < s->B && th_tape_goes_on(t); b++) {
        ThKernelConvolve c = part(t, n, b);
        size_t from = (size_t)b * (size_t)s->T * (size_t)n->cols;
        th_kernel_convolve_back(&c, (const float *)n->grad + from, du + from, dk);
    }
}

static void forward_double(ThTape *t, ThTapeNode *n)
{
    const Strings *s = n->args;
    const double *u = th_tape_in_double(t, n, U), *k = th_tape_in_double(t, n, KERNEL);
    double *y = n->value;
    int L = th_tape_in(t, n, KERNEL)->rows, d = n->cols;
    for (int p = 0; p < n->rows && th_tape_goes_on(t); p++) {
        for (int j = 0; j < d; j++) {
            y[p * d + j] = 0;
            for (int l = 0; l <= p % s->T && l < L; l++)
                y[p * d + j] += k[l * d + j] * u[(p - l) * d + j];
        }
    }
}

static void backward_double(ThTape *t, ThTapeNode *n)
{
    const Strings *s = n->args;
    const double *u = th_tape_in_double(t, n, U), *k = th_tape_in_double(t, n, KERNEL);
    const double *dy = n->grad;
    double *du = th_tape_grad_double(t, n, U), *dk = th_tape_grad_double(t, n, KERNEL);
    int L = th_tape_in(t, n, KERNEL)->rows, d = n->cols;
    for (int p = 0; p < n->rows && th_tape_goes_on(t); p++) {
        for (int j = 0; j < d; j++) {
            for (int l = 0; l <= p % s->T && l < L; l++) {
                du[(p - l) * d + j] += dy[p * d + j] * k[l * d + j];
                dk[l * d + j] += dy[p * d + j] * u[(p - l) * d + j];
            }
        }
    }
}

static const ThOp op_convolve = {"convolve", forward, backward, forward_double, backward_double};

ThVar th_op_convolve(ThTape *t, ThVar u, ThVar kernel, int B, int T)
{
    int rows = th_tape_rows(t, u), d = th_tape_cols(t, u);
    if (rows != B * T || th_tape_cols(t, kernel) != d)
        return th_tape_fail(t, TH_EVALUE,
                            "convolve: (%d,%d) does not fit %d strings of %d and %d columns", rows,
                            d, B, T, th_tape_cols(t, kernel));
    Strings s = {B, T};
    return th_tape_op(t, &op_convolve, rows, d, (ThVar[]){u, kernel}, 2, &s, sizeof s);
}
