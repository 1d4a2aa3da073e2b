/* Attention over a few listed keys: the sliding dilated attention of RegularGPT (Chi et al. 2023,
 * Eq. 1), where a query sees C positions at distances 0, s, 2s, … */
#include <math.h>

#include "tensor/kernels/kernels.h"
#include "tensor/ops/attention_impl.h"

enum { Q, KV, BIAS };

typedef struct {
    const int *query, *key;
    int C, heads, tag;
} Args;

static void window_forward(ThTape *t, ThTapeNode *n)
{
    const Args *a = n->args;
    ThKernelWindow *w = n->saved = th_tape_take(t, 1, sizeof *w);
    if (!w)
        return;
    *w = (ThKernelWindow){.q = th_tape_in_float(t, n, Q),
                          .kv = th_tape_in_float(t, n, KV),
                          .bias = th_tape_in_float(t, n, BIAS),
                          .query = a->query,
                          .key = a->key,
                          .y = n->value,
                          .n = n->rows,
                          .C = a->C,
                          .heads = a->heads,
                          .d = n->cols};
    w->weight = th_tape_take(t, (size_t)n->rows * (size_t)(a->heads * a->C), sizeof(float));
    if (w->weight)
        th_kernel_window(w);
    if (w->weight && th_tape_keeps_named(t))
        th_tape_publish(t, w->weight, n->rows * a->heads, a->C, "attention", a->tag);
}

static void window_backward(ThTape *t, ThTapeNode *n)
{
    const Args *a = n->args;
    ThKernelWindowBack b = {.forward = n->saved, .dy = n->grad};
    b.dq = th_tape_grad_float_zeroed(t, n, Q);
    b.dkv = th_tape_grad_float_zeroed(t, n, KV);
    b.dbias = th_tape_grad_float_zeroed(t, n, BIAS);
    b.scratch = th_tape_take(t, (size_t)a->C, sizeof(float));
    if (b.dq && b.dkv && b.dbias && b.scratch)
        th_kernel_window_back(&b);
}

static void window_forward_double(ThTape *t, ThTapeNode *n)
{
    const Args *a = n->args;
    const double *q = th_tape_in_double(t, n, Q), *kv = th_tape_in_double(t, n, KV);
    const double *bias = th_tape_in_double(t, n, BIAS);
    int d = n->cols, width = d / a->heads, C = a->C;
    double *w = n->saved = th_tape_take(t, (size_t)n->rows * (size_t)(a->heads * C), sizeof *w);
    double *y = n->value;
    if (!w)
        return;
    memset(y, 0, (size_t)n->rows * (size_t)d * sizeof *y);
    for (int i = 0; i < n->rows * a->heads && th_tape_goes_on(t); i++) {
        int node = i / a->heads, h = i % a->heads;
        const double *from = q + a->query[node] * d + h * width;
        for (int k = 0; k < C; k++) {
            int row = a->key[node * C + k];
            double s = 0;
            for (int j = 0; row >= 0 && j < width; j++)
                s += from[j] * kv[row * 2 * d + h * width + j];
            w[i * C + k] = row < 0 ? -HUGE_VAL : s / sqrt(width) + bias[h * C + k];
        }
        th_tape_attend_weights(w + i * C, C);
        for (int k = 0; k < C; k++) {
            int row = a->key[node * C + k];
            for (int j = 0; row >= 0 && j < width; j++)
                y[node * d + h * width + j] += w[i * C + k] * kv[row * 2 * d + d + h * width + j];
        }
    }
    if (th_tape_keeps_named(t))
        th_tape_publish(t, w, n->rows * a->heads, C, "attention", a->tag);
}

static void window_backward_double(ThTape *t, ThTapeNode *n)
{
    const Args *a = n->args;
    const double *q = th_tape_in_double(t, n, Q), *kv = th_tape_in_double(t, n, KV), *w = n->saved;
    const double *dy = n->grad;
    double *dq = th_tape_grad_double(t, n, Q), *dkv = th_tape_grad_double(t, n, KV);
    double *dbias = th_tape_grad_double(t, n, BIAS);
    int d = n->cols, width = d / a->heads, C = a->C;
    for (int i = 0; dq && dkv && dbias && i < n->rows * a->heads; i++) {
        int node = i / a->heads, h = i % a->heads, at = a->query[node] * d + h * width;
        const double *g = dy + node * d + h * width;
        double mean = 0;
        for (int k = 0; k < C; k++) {
            int row = a->key[node * C + k];
            for (int j = 0; row >= 0 && j < width; j++)
                mean += w[i * C + k] * g[j] * kv[row * 2 * d + d + h * width + j];
        }
        for (int k = 0; k < C; k++) {
            int row = a->key[node * C + k], from = row * 2 * d + h * width;
            double dw = 0;
            if (row < 0)
                continue;
            for (int j = 0; j < width; j++)
                dw += g[j] * kv[from + d + j];
            double ds = w[i * C + k] * (dw - mean);
            dbias[h * C + k] += ds;
            for (int j = 0; j < width; j++) {
                dq[at + j] += ds * kv[from + j] / sqrt(width);
                dkv[from + j] += ds * q[at + j] / sqrt(width);
                dkv[from + d + j] += w[i * C + k] * g[j];
            }
        }
    }
}

static const ThOp op_window = {"window attention", window_forward, window_backward,
                               window_forward_double, window_backward_double};

ThVar th_op_window_attention(ThTape *t, ThVar q, ThVar kv, ThVar bias, const ThOpWindowShape *s)
{
    int d = th_tape_cols(t, q);
    if (th_tape_cols(t, kv) != 2 * d || s->heads < 1 || d % s->heads != 0 ||
        th_tape_rows(t, bias) != s->heads || th_tape_cols(t, bias) != s->C)
        return th_tape_fail(t, TH_EVALUE, "window attention: shapes do not fit %d columns", d);
    Args a = {s->query, s->key, s->C, s->heads, s->tag};
    return th_tape_op(t, &op_window, s->n, d, (ThVar[]){q, kv, bias}, 3, &a, sizeof a);
}
