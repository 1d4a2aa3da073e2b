/* Losses: scaled sums over rows, so that shards of a batch add up. */
#include <math.h>

#include "tensor/kernels/kernels.h"
#include "tensor/tape/tape_impl.h"

typedef struct {
    const int *target;
    double scale;
} Loss;

/* ---- cross-entropy of a softmax ---- */

static void xent_forward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *z = th_tape_in(t, n, 0);
    size_t d = (size_t)z->cols, size = (size_t)z->rows * d;
    const float *said = z->value;
    float *p = n->saved = th_tape_take(t, size, sizeof *p);
    float *log_sum = th_tape_take(t, (size_t)z->rows, sizeof *log_sum);
    double total = 0;
    if (!p || !log_sum)
        return;
    memcpy(p, said, size * sizeof *p);
    th_kernel_softmax_rows(p, z->rows, z->cols, log_sum);
    for (int i = 0; i < z->rows; i++, said += d)
        if (l->target[i] >= 0)
            total += l->scale * ((double)log_sum[i] - (double)said[l->target[i]]);
    *(float *)n->value = (float)total;
}

static void xent_backward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *z = th_tape_in(t, n, 0);
    const float *p = n->saved;
    float beta, *dz = th_tape_grad_float(t, n, 0, &beta);
    if (!dz)
        return;
    for (int i = 0; i < z->rows; i++, p += z->cols, dz += z->cols) {
        bool scored = l->target[i] >= 0; /* what is not may hold anything, NaN as well */
        float by = (float)l->scale * *(const float *)n->grad;
        for (int j = 0; j < z->cols; j++)
            dz[j] = (scored ? by * p[j] : 0) + (beta == 0 ? 0 : dz[j]);
        if (scored)
            dz[l->target[i]] -= by;
    }
}

static void xent_forward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    int d = in->cols;
    double total = 0;
    for (int i = 0; i < in->rows; i++) {
        double most = z[i * d], sum = 0;
        for (int j = 1; j < d; j++)
            most = fmax(most, z[i * d + j]);
        for (int j = 0; j < d; j++)
            sum += exp(z[i * d + j] - most);
        if (l->target[i] >= 0)
            total += l->scale * (most + log(sum) - z[i * d + l->target[i]]);
    }
    *(double *)n->value = total;
}

static void xent_backward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    double *dz = th_tape_grad_double(t, n, 0);
    int d = in->cols;
    for (int i = 0; dz && i < in->rows; i++) {
        double most = z[i * d], sum = 0, by = l->scale * *(const double *)n->grad;
        for (int j = 1; j < d; j++)
            most = fmax(most, z[i * d + j]);
        for (int j = 0; j < d; j++)
            sum += exp(z[i * d + j] - most);
        for (int j = 0; l->target[i] >= 0 && j < d; j++)
            dz[i * d + j] += by * (exp(z[i * d + j] - most) / sum - (j == l->target[i]));
    }
}

static const ThOp op_xent = {"cross entropy", xent_forward, xent_backward, xent_forward_double,
                             xent_backward_double};

ThVar th_op_cross_entropy(ThTape *t, ThVar z, const int *target, int n, double scale)
{
    bool fits = !th_tape_failed(t) && n == th_tape_rows(t, z); /* else no targets, perhaps */
    for (int i = 0; i < n && fits; i++)
        fits = target[i] < th_tape_cols(t, z);
    if (!fits)
        return th_tape_fail(t, TH_EVALUE, "cross entropy: %d targets do not fit (%d,%d)", n,
                            th_tape_rows(t, z), th_tape_cols(t, z));
    Loss l = {target, scale};
    return th_tape_op(t, &op_xent, 1, 1, &z, 1, &l, sizeof l);
}

/* ---- binary cross-entropy of a sigmoid ---- */

static void bits_forward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const float *z = in->value;
    const int *target = l->target;
    float *p = n->saved = th_tape_take(t, th_tape_size(in), sizeof *p);
    double total = 0;
    if (!p)
        return;
    th_kernel_sigmoid(p, z, th_tape_size(in));
    for (int i = 0; i < in->rows; i++) {
        double sum = 0;
        for (int j = 0; j < in->cols; j++, z++, target++) {
            double x = (double)*z;
            if (*target >= 0)
                sum += fmax(x, 0) - x * *target + log1p(exp(-fabs(x)));
        }
        total += l->scale * sum;
    }
    *(float *)n->value = (float)total;
}

static void bits_backward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const float *p = n->saved;
    float beta, *dz = th_tape_grad_float(t, n, 0, &beta);
    size_t at = 0;
    for (int i = 0; dz && i < in->rows; i++) {
        float by = (float)l->scale * *(const float *)n->grad;
        for (int j = 0; j < in->cols; j++, at++) {
            float g = l->target[at] < 0 ? 0 : by * (p[at] - (float)l->target[at]);
            dz[at] = beta == 0 ? g : dz[at] + g;
        }
    }
}

static void bits_forward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    const int *target = l->target;
    double total = 0;
    for (int i = 0; i < in->rows; i++) {
        for (int j = 0; j < in->cols; j++, z++, target++) {
            double wrong = *target ? -*z : *z; /* log(1 + exp(wrong)), which may be large */
            if (*target >= 0)
                total += l->scale * (wrong > 0 ? wrong + log1p(exp(-wrong)) : log1p(exp(wrong)));
        }
    }
    *(double *)n->value = total;
}

static void bits_backward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    double *dz = th_tape_grad_double(t, n, 0);
    size_t at = 0;
    for (int i = 0; dz && i < in->rows; i++) {
        double by = l->scale * *(const double *)n->grad;
        for (int j = 0; j < in->cols; j++, at++)
            if (l->target[at] >= 0)
                dz[at] += by * (1 / (1 + exp(-z[at])) - l->target[at]);
    }
}

static const ThOp op_bits = {"binary cross entropy", bits_forward, bits_backward,
                             bits_forward_double, bits_backward_double};

ThVar th_op_binary_cross_entropy(ThTape *t, ThVar z, const int *target, int n, double scale)
{
    if (n != th_tape_rows(t, z))
        return th_tape_fail(t, TH_EVALUE, "binary cross entropy: %d targets do not fit (%d,%d)", n,
                            th_tape_rows(t, z), th_tape_cols(t, z));
    Loss l = {target, scale};
    return th_tape_op(t, &op_bits, 1, 1, &z, 1, &l, sizeof l);
}
