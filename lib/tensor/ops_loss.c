/* Losses: scaled sums over rows, so that shards of a batch add up. */
#include <math.h>
#include <string.h>

#include "tensor/kernels.h"
#include "tensor/tape_impl.h"

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
    float *p = n->saved = th_tape_take(t, size, sizeof *p);
    double total = 0;
    if (!p)
        return;
    memcpy(p, z->value, size * sizeof *p);
    for (int i = 0; i < z->rows; i++) {
        float *row = p + (size_t)i * d;
        float right = l->target[i] < 0 ? 0 : row[l->target[i]];
        float log_sum = th_kernel_softmax(row, z->cols);
        if (l->target[i] >= 0)
            total += (double)log_sum - (double)right;
    }
    *(float *)n->value = (float)(l->scale * total);
}

static void xent_backward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *z = th_tape_in(t, n, 0);
    const float *p = n->saved;
    float beta, *dz = th_tape_grad_float(t, n, 0, &beta);
    float by = (float)l->scale * *(const float *)n->grad;
    if (!dz)
        return;
    for (int i = 0; i < z->rows; i++) {
        for (int j = 0; j < z->cols; j++) {
            size_t at = (size_t)i * (size_t)z->cols + (size_t)j;
            float g = l->target[i] < 0 ? 0 : by * (p[at] - (j == l->target[i] ? 1.0f : 0.0f));
            dz[at] = beta == 0 ? g : dz[at] + g;
        }
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
            total += most + log(sum) - z[i * d + l->target[i]];
    }
    *(double *)n->value = l->scale * total;
}

static void xent_backward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    double *dz = th_tape_grad_double(t, n, 0), by = l->scale * *(const double *)n->grad;
    int d = in->cols;
    for (int i = 0; dz && i < in->rows; i++) {
        double most = z[i * d], sum = 0;
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
    if (th_tape_failed(t))
        return -1;
    bool fits = n == th_tape_rows(t, z);
    for (int i = 0; i < n && fits; i++)
        fits = target[i] < th_tape_cols(t, z);
    if (!fits) {
        th_tape_fail(t, TH_EVALUE, "cross entropy: %d targets do not fit (%d,%d)", n,
                     th_tape_rows(t, z), th_tape_cols(t, z));
        return -1;
    }
    ThTapeNode *node = th_tape_node(t, &op_xent, 1, 1, &z, 1);
    Loss l = {target, scale};
    return node && th_tape_node_args(t, node, &l, sizeof l) ? th_tape_node_run(t, node) : -1;
}

/* ---- binary cross-entropy of a sigmoid ---- */

static void bits_forward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const float *z = in->value;
    size_t size = (size_t)in->rows * (size_t)in->cols;
    float *p = n->saved = th_tape_take(t, size, sizeof *p);
    double total = 0;
    if (!p)
        return;
    th_kernel_sigmoid(p, z, size);
    for (size_t i = 0; i < size; i++) {
        double x = (double)z[i];
        total += fmax(x, 0) - x * l->target[i] + log1p(exp(-fabs(x)));
    }
    *(float *)n->value = (float)(l->scale * total);
}

static void bits_backward(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const float *p = n->saved;
    float beta, *dz = th_tape_grad_float(t, n, 0, &beta);
    float by = (float)l->scale * *(const float *)n->grad;
    for (size_t i = 0; dz && i < (size_t)in->rows * (size_t)in->cols; i++) {
        float g = by * (p[i] - (float)l->target[i]);
        dz[i] = beta == 0 ? g : dz[i] + g;
    }
}

static void bits_forward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    double total = 0;
    for (size_t i = 0; i < (size_t)in->rows * (size_t)in->cols; i++) {
        double wrong = l->target[i] ? -z[i] : z[i]; /* log(1 + exp(wrong)), which may be large */
        total += wrong > 0 ? wrong + log1p(exp(-wrong)) : log1p(exp(wrong));
    }
    *(double *)n->value = l->scale * total;
}

static void bits_backward_double(ThTape *t, ThTapeNode *n)
{
    const Loss *l = n->args;
    const ThTapeNode *in = th_tape_in(t, n, 0);
    const double *z = in->value;
    double *dz = th_tape_grad_double(t, n, 0), by = l->scale * *(const double *)n->grad;
    for (size_t i = 0; dz && i < (size_t)in->rows * (size_t)in->cols; i++)
        dz[i] += by * (1 / (1 + exp(-z[i])) - l->target[i]);
}

static const ThOp op_bits = {"binary cross entropy", bits_forward, bits_backward,
                             bits_forward_double, bits_backward_double};

ThVar th_op_binary_cross_entropy(ThTape *t, ThVar z, const int *target, double scale)
{
    ThTapeNode *node = th_tape_node(t, &op_bits, 1, 1, &z, 1);
    Loss l = {target, scale};
    return node && th_tape_node_args(t, node, &l, sizeof l) ? th_tape_node_run(t, node) : -1;
}
