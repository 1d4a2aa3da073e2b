/* Blocks of matrices made small, so that products of many stay bounded. */
#include <math.h>

#include "tensor/kernels/kernels_blocks.h"
#include "tensor/tape/tape_impl.h"

typedef struct {
    int k;
    double p;
    bool centred;
} Bound;

static size_t blocks_of(const ThTapeNode *n)
{
    const Bound *how = n->args;
    return th_tape_size(n) / ((size_t)how->k * (size_t)how->k);
}

/* ---- fast ---- */

static bool arrange(ThTape *t, const ThTapeNode *n, ThKernelBlocks *b)
{
    const Bound *how = n->args;
    size_t k = (size_t)how->k;
    *b = (ThKernelBlocks){.n = blocks_of(n),
                          .k = how->k,
                          .p = (float)how->p,
                          .centred = how->centred,
                          .r = th_tape_in_float(t, n, 0),
                          .y = n->value,
                          .sums = n->saved,
                          .scratch = th_tape_take(t, (2 * k + 2) * k, sizeof(float))};
    return b->scratch != NULL;
}

static void bound_forward(ThTape *t, ThTapeNode *n)
{
    const Bound *how = n->args;
    ThKernelBlocks b;
    n->saved = th_tape_take(t, blocks_of(n) * (size_t)how->k, sizeof(float));
    if (n->saved && arrange(t, n, &b))
        th_kernel_bound_blocks(&b);
}

static void bound_backward(ThTape *t, ThTapeNode *n)
{
    ThKernelBlocks b;
    float beta, *dr = th_tape_grad_float(t, n, 0, &beta);
    if (dr && arrange(t, n, &b))
        th_kernel_bound_blocks_back(&b, n->grad, dr, beta);
}

/* ---- reference ---- */

/* A column of a block, at x, x + k, …: its p-norm, that of one number without rounding. */
static double norm_of(const double *x, const Bound *how)
{
    double sum = 0, all = 0, top = 0;
    for (int i = 0; i < how->k; i++) {
        double size = fabs(x[i * how->k]);
        sum += pow(size, how->p);
        all += size;
        top = fmax(top, size);
    }
    return all == top ? top : pow(sum, 1 / how->p);
}

static double mean_of(const double *x, int k)
{
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += x[i * k];
    return sum / k;
}

/* The greatest norm of a column, and which it is. */
static double widest(const double *x, const Bound *how, int *which)
{
    double most = -1;
    *which = 0;
    for (int j = 0; j < how->k; j++) {
        double norm = norm_of(x + j, how);
        if (norm > most) {
            most = norm;
            *which = j;
        }
    }
    return fmax(most, 1e-25);
}

/* y is the block r with its means taken off, or r. */
static void shift(double *y, const double *r, const Bound *how)
{
    int k = how->k;
    for (int j = 0; j < k; j++) {
        double mean = how->centred ? mean_of(r + j, k) : 0;
        for (int i = 0; i < k; i++)
            y[i * k + j] = r[i * k + j] - mean;
    }
}

static void bound_forward_double(ThTape *t, ThTapeNode *n)
{
    const Bound *how = n->args;
    int k = how->k, which;
    const double *r = th_tape_in_double(t, n, 0);
    double *y = n->value;
    for (size_t at = 0; at < blocks_of(n); at++, r += k * k, y += k * k) {
        shift(y, r, how);
        double top = how->centred ? widest(y, how, &which) : 0;
        for (int j = 0; j < k; j++) {
            double by = how->centred ? top : fmax(1, norm_of(y + j, how));
            for (int i = 0; i < k; i++)
                y[i * k + j] /= by;
        }
    }
}

/* Takes what changes the norm of column j off the gradient of the columns from `first` on, which
 * were divided by it. */
static void project(double *g, const double *y, const double *dy, const Bound *how, int j,
                    int first, int end)
{
    int k = how->k;
    double along = 0;
    for (int c = first; c < end; c++)
        for (int i = 0; i < k; i++)
            along += dy[i * k + c] * y[i * k + c];
    for (int i = 0; i < k; i++)
        g[i * k + j] -= along * copysign(pow(fabs(y[i * k + j]), how->p - 1), y[i * k + j]);
}

static void block_back(double *dr, double *g, const double *r, const double *y, const double *dy,
                       const Bound *how)
{
    int k = how->k, which;
    shift(g, r, how);
    double top = widest(g, how, &which);
    for (int j = 0; j < k; j++) {
        double by = how->centred ? top : fmax(1, norm_of(r + j, how));
        for (int i = 0; i < k; i++)
            g[i * k + j] = dy[i * k + j];
        if (!how->centred && by > 1)
            project(g, y, dy, how, j, j, j + 1);
        else if (how->centred && j == which)
            project(g, y, dy, how, j, 0, k);
        for (int i = 0; i < k; i++)
            g[i * k + j] /= by;
        double mean = how->centred ? mean_of(g + j, k) : 0;
        for (int i = 0; i < k; i++)
            dr[i * k + j] += g[i * k + j] - mean;
    }
}

static void bound_backward_double(ThTape *t, ThTapeNode *n)
{
    const Bound *how = n->args;
    size_t size = (size_t)how->k * (size_t)how->k;
    const double *r = th_tape_in_double(t, n, 0), *y = n->value, *dy = n->grad;
    double *dr = th_tape_grad_double(t, n, 0), *g = th_tape_take(t, size, sizeof *g);
    for (size_t at = 0; g && dr && at < blocks_of(n); at++)
        block_back(dr + at * size, g, r + at * size, y + at * size, dy + at * size, how);
}

static const ThOp op_bound = {"bound blocks", bound_forward, bound_backward, bound_forward_double,
                              bound_backward_double};

ThVar th_op_bound_blocks(ThTape *t, ThVar a, int k, double p, bool centred)
{
    int cols = th_tape_cols(t, a);
    if (k < 1 || cols % (k * k) != 0 || !(p >= 1))
        return th_tape_fail(t, TH_EVALUE, "bound blocks: %d columns, blocks of %d, p %g", cols, k,
                            p);
    Bound how = {k, p, centred};
    return th_tape_op(t, &op_bound, th_tape_rows(t, a), cols, &a, 1, &how, sizeof how);
}
