/* Attention as it is written in papers: one query after the other, every key asked whether it is
 * seen. */
#include <math.h>

#include "tensor/ops/attention_impl.h"

/* One query of one head of one string. */
typedef struct {
    int b, head, i;          /* i: its position, negative before the string */
    const double *q, *u, *v; /* (width) */
    const double *k, *r;     /* rows of the string's keys, 2d apart; of distance 0, d apart */
    const double *bias;      /* of key 0; NULL: none */
    size_t number;           /* of all queries of all heads */
} Query;

static Query query(ThTape *t, const ThTapeNode *n, int b, int head, int row)
{
    const ThTapeAttend *f = n->args;
    size_t d = (size_t)f->d, column = (size_t)head * (size_t)f->width;
    const double *u = th_tape_in_double(t, n, TH_TAPE_ATTEND_U),
                 *v = th_tape_in_double(t, n, TH_TAPE_ATTEND_V);
    const double *r = th_tape_in_double(t, n, TH_TAPE_ATTEND_XL);
    const double *bias = th_tape_in_double(t, n, TH_TAPE_ATTEND_BIAS);
    int i = th_tape_attend_first(f, b) + row;
    return (Query){
        .b = b,
        .head = head,
        .i = i,
        .number =
            ((size_t)b * (size_t)f->how.heads + (size_t)head) * (size_t)f->queries + (size_t)row,
        .q = th_tape_in_double(t, n, TH_TAPE_ATTEND_Q) +
             ((size_t)b * (size_t)f->queries + (size_t)row) * d + column,
        .u = u ? u + column : NULL,
        .v = v ? v + column : NULL,
        .k = th_tape_in_double(t, n, TH_TAPE_ATTEND_KV) + 2 * (size_t)b * (size_t)f->how.room * d +
             column,
        .r = r ? r + (size_t)(f->reach - 1) * d + column : NULL,
        .bias =
            bias && i >= 0 && i < f->how.T ? bias + th_tape_attend_bias_at(f, b, head, i) : NULL};
}

static bool same_segment(const ThTapeAttend *f, int b, int i, int j)
{
    const int *segment = f->how.segment ? f->how.segment + (size_t)b * (size_t)f->how.T : NULL;
    int from = i < j ? i : j, to = i < j ? j : i;
    for (int k = from; segment && k < to; k++)
        if (segment[k] != segment[k + 1])
            return false;
    return true;
}

static bool sees(const ThTapeAttend *f, const Query *p, int j)
{
    int length = th_tape_attend_length(f, p->b),
        window = f->how.window ? f->how.window[p->head] : 0;
    if (f->how.across)
        return j < length;
    if (p->i < 0 || p->i >= length || j >= length || (f->how.causal && j > p->i))
        return false;
    return (window == 0 || abs(p->i - j) < window) && same_segment(f, p->b, p->i, j);
}

static double logit(const ThTapeAttend *f, const Query *p, int j)
{
    const double *k = p->k + 2 * j * f->d, *r = p->r ? p->r + (j - p->i) * f->d : NULL;
    double sum = 0;
    for (int c = 0; c < f->width; c++)
        sum += r ? (p->q[c] + p->u[c]) * k[c] + (p->q[c] + p->v[c]) * r[c] : p->q[c] * k[c];
    return f->scale * sum + (p->bias ? p->bias[j] : 0);
}

void th_tape_attend_weights(double *w, int n)
{
    double most = -HUGE_VAL, sum = 0;
    for (int j = 0; j < n; j++)
        most = fmax(most, w[j]);
    for (int j = 0; j < n; j++) {
        w[j] = w[j] > -HUGE_VAL ? exp(w[j] - most) : 0;
        sum += w[j];
    }
    for (int j = 0; j < n && sum > 0; j++)
        w[j] /= sum;
}

static void weights(const ThTapeAttend *f, const Query *p, double *w)
{
    for (int j = 0; j < f->how.T; j++)
        w[j] = sees(f, p, j) ? logit(f, p, j) : -HUGE_VAL;
    th_tape_attend_weights(w, f->how.T);
}

/* The loop over strings, heads and queries that both directions share: calls `each` with the
 * weights of one query and the offset of its row in q. */
typedef void EachQuery(ThTape *t, const ThTapeNode *n, const Query *p, size_t row, const double *w);

static void for_each_query(ThTape *t, const ThTapeNode *n, EachQuery *each, double *published)
{
    const ThTapeAttend *f = n->args;
    double *w = th_tape_take(t, (size_t)f->how.T, sizeof *w);
    int rows = f->how.B * f->how.heads * f->queries;
    for (int row = 0; w && row < rows && th_tape_goes_on(t); row++) {
        int b = row / (f->how.heads * f->queries), head = row / f->queries % f->how.heads;
        Query p = query(t, n, b, head, row % f->queries);
        weights(f, &p, w);
        each(t, n, &p, (size_t)(p.q - th_tape_in_double(t, n, TH_TAPE_ATTEND_Q)), w);
        if (published)
            memcpy(published + (size_t)row * (size_t)f->how.T, w, (size_t)f->how.T * sizeof *w);
    }
}

static void mix_values(ThTape *t TH_UNUSED, const ThTapeNode *n, const Query *p, size_t row,
                       const double *w)
{
    const ThTapeAttend *f = n->args;
    double *y = (double *)n->value + row;
    for (int c = 0; c < f->width; c++) {
        y[c] = 0;
        for (int j = 0; j < f->how.T; j++)
            y[c] += w[j] * th_tape_attend_kept(f, p->number, j) * p->k[2 * j * f->d + f->d + c];
    }
}

void th_tape_attend_forward_double(ThTape *t, ThTapeNode *n)
{
    for_each_query(t, n, mix_values, th_tape_attend_publish(t, n->args, sizeof(double)));
}

/* The gradients of one query's relative products with key j; ds is that of the logit before it is
 * scaled. */
static void relative_back(ThTape *t, const ThTapeNode *n, const Query *p, size_t row, int j,
                          double ds)
{
    const ThTapeAttend *f = n->args;
    size_t d = (size_t)f->d, head = row % d;
    size_t at = (size_t)(f->reach - 1 + j - p->i) * d + head;
    const double *k = p->k + 2 * j * f->d, *r = th_tape_in_double(t, n, TH_TAPE_ATTEND_XL) + at;
    double *dq = th_tape_grad_double(t, n, TH_TAPE_ATTEND_Q) + row;
    double *du = th_tape_grad_double(t, n, TH_TAPE_ATTEND_U) + head;
    double *dv = th_tape_grad_double(t, n, TH_TAPE_ATTEND_V) + head;
    double *dr = th_tape_grad_double(t, n, TH_TAPE_ATTEND_XL) + at;
    for (int c = 0; c < f->width; c++) {
        dq[c] += ds * r[c];
        du[c] += ds * k[c];
        dv[c] += ds * r[c];
        dr[c] += ds * (p->q[c] + p->v[c]);
    }
}

static void query_back(ThTape *t, const ThTapeNode *n, const Query *p, size_t row, const double *w)
{
    const ThTapeAttend *f = n->args;
    const double *dy = (const double *)n->grad + row;
    double *dq = th_tape_grad_double(t, n, TH_TAPE_ATTEND_Q) + row, mean = 0;
    double *dkv = th_tape_grad_double(t, n, TH_TAPE_ATTEND_KV) +
                  (p->k - th_tape_in_double(t, n, TH_TAPE_ATTEND_KV));
    double *dbias = f->bias_learns && p->bias ? th_tape_grad_double(t, n, TH_TAPE_ATTEND_BIAS) +
                                                    th_tape_attend_bias_at(f, p->b, p->head, p->i)
                                              : NULL;
    for (int j = 0; j < f->how.T; j++)
        for (int c = 0; c < f->width; c++)
            mean +=
                w[j] * th_tape_attend_kept(f, p->number, j) * dy[c] * p->k[2 * j * f->d + f->d + c];
    for (int j = 0; j < f->how.T; j++) {
        if (w[j] == 0)
            continue;
        const double *k = p->k + 2 * j * f->d, *value = k + f->d;
        double *dk = dkv + 2 * j * f->d, dw = 0, kept = th_tape_attend_kept(f, p->number, j);
        for (int c = 0; c < f->width; c++)
            dw += kept * dy[c] * value[c];
        double slope = w[j] * (dw - mean), ds = f->scale * slope;
        for (int c = 0; c < f->width; c++) {
            dk[f->d + c] += w[j] * kept * dy[c];
            dk[c] += ds * (p->q[c] + (p->u ? p->u[c] : 0));
            dq[c] += ds * k[c];
        }
        if (p->r)
            relative_back(t, n, p, row, j, ds);
        if (dbias)
            dbias[j] += slope;
    }
}

void th_tape_attend_backward_double(ThTape *t, ThTapeNode *n)
{
    for_each_query(t, n, query_back, NULL);
}
