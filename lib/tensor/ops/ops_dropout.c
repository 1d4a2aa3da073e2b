/* Dropout (Srivastava et al. 2014), inverted: what is kept is scaled up, so that nothing changes
 * where nothing is dropped. */

#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/tape/tape_impl.h"

typedef struct {
    double rate;
    ThRng *rng;
} Dropout;

/* Both precisions draw the same: an element is dropped where 32 random bits are below the rate. */
static bool dropped(const Dropout *d, uint64_t *bits, size_t i)
{
    *bits = i % 2 == 0 ? th_rng_next(d->rng) : *bits >> 32;
    return (double)(*bits & 0xffffffff) < d->rate * 0x1p32;
}

static void dropout_forward(ThTape *t, ThTapeNode *n)
{
    const Dropout *d = n->args;
    float *factor = n->saved = th_tape_take(t, th_tape_size(n), sizeof *factor);
    uint64_t bits = 0;
    for (size_t i = 0; factor && i < th_tape_size(n); i++)
        factor[i] = dropped(d, &bits, i) ? 0 : (float)(1 / (1 - d->rate));
    if (factor)
        th_kernel_zip(TH_ZIP_MULTIPLY)
            ->forward(n->value, th_tape_in_float(t, n, 0), factor, th_tape_size(n));
}

static void dropout_backward(ThTape *t, ThTapeNode *n)
{
    const float *factor = n->saved, *dy = n->grad;
    float beta, *dx = th_tape_grad_float(t, n, 0, &beta);
    if (dx && beta == 0)
        th_kernel_zip(TH_ZIP_MULTIPLY)->forward(dx, dy, factor, th_tape_size(n));
    else if (dx)
        th_kernel_add_product(dx, dy, factor, th_tape_size(n));
}

static void dropout_forward_double(ThTape *t, ThTapeNode *n)
{
    const Dropout *d = n->args;
    const double *x = th_tape_in_double(t, n, 0);
    double *factor = n->saved = th_tape_take(t, th_tape_size(n), sizeof *factor);
    double *y = n->value;
    uint64_t bits = 0;
    for (size_t i = 0; factor && i < th_tape_size(n); i++) {
        factor[i] = dropped(d, &bits, i) ? 0 : 1 / (1 - d->rate);
        y[i] = factor[i] * x[i];
    }
}

static void dropout_backward_double(ThTape *t, ThTapeNode *n)
{
    const double *factor = n->saved, *dy = n->grad;
    double *dx = th_tape_grad_double(t, n, 0);
    for (size_t i = 0; i < th_tape_size(n); i++)
        dx[i] += factor[i] * dy[i];
}

static const ThOp op_dropout = {"dropout", dropout_forward, dropout_backward,
                                dropout_forward_double, dropout_backward_double};

ThVar th_op_dropout(ThTape *t, ThVar a, double rate, ThRng *r)
{
    if (th_tape_failed(t) || rate == 0 || !r)
        return th_tape_failed(t) ? -1 : a;
    if (!(rate > 0 && rate < 1))
        return th_tape_fail(t, TH_EVALUE, "dropout: a rate of %g is not in 0 … 1", rate);
    Dropout d = {rate, r};
    return th_tape_op(t, &op_dropout, th_tape_rows(t, a), th_tape_cols(t, a), &a, 1, &d, sizeof d);
}
