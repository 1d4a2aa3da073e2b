/* Full attention of every position to every position of its string. */
#include <math.h>
#include <string.h>

#include "tensor/blas.h"
#include "tensor/kernels.h"
#include "tensor/kernels_attention.h"
#include "tensor/tape_impl.h"

enum { Q, KV, U, V, XL };

/* Weights of a layer up to this many are kept for backward, which else computes them again. */
enum { KEPT_WEIGHTS = 1 << 24 };

typedef struct {
    ThOpAttention how;
    int queries;  /* a string: T, or 1 where only last positions ask */
    int d, width; /* of the vectors, of one head */
    double scale; /* 1/√width */
} Full;

static int first_query(const Full *f)
{
    return f->how.T - f->queries;
}

/* Room for the weights in the shape that inspections read, (B*heads*queries, T); NULL unless they
 * are wanted. */
static void *publish(ThTape *t, const Full *f, size_t real)
{
    size_t rows = (size_t)f->how.B * (size_t)f->how.heads * (size_t)f->queries;
    if (!th_tape_keeps_attention(t))
        return NULL;
    void *memory = th_tape_take(t, rows * (size_t)f->how.T, real);
    if (memory)
        th_tape_publish(t, memory, (int)rows, f->how.T, "attention", f->how.tag);
    return memory;
}

/* ---- fast ---- */

/* Memory that every head of every string uses again. */
typedef struct {
    float *w, *dw;               /* (queries, ld) */
    float *qu, *qv, *du, *dv;    /* (queries, width): q + u, q + v, their gradients */
    float *relative, *drelative; /* (queries, 2T-1) */
} Scratch;

static int row_length(const Full *f)
{
    return (f->how.T + TH_KERNEL_LANES - 1) / TH_KERNEL_LANES * TH_KERNEL_LANES;
}

static bool take_scratch(ThTape *t, const Full *f, Scratch *s)
{
    size_t weights = (size_t)f->queries * (size_t)row_length(f);
    size_t vectors = (size_t)f->queries * (size_t)f->width;
    size_t relative = (size_t)f->queries * (size_t)(2 * f->how.T - 1);
    s->w = th_tape_take(t, 2 * weights, sizeof(float));
    s->qu = th_tape_take(t, f->how.xl >= 0 ? 4 * vectors : 0, sizeof(float));
    s->relative = th_tape_take(t, f->how.xl >= 0 ? 2 * relative : 0, sizeof(float));
    if (!s->w || !s->qu || !s->relative)
        return false;
    s->dw = s->w + weights;
    if (f->how.xl < 0)
        return true;
    s->qv = s->qu + vectors;
    s->du = s->qv + vectors;
    s->dv = s->du + vectors;
    s->drelative = s->relative + relative;
    memset(s->drelative, 0, relative * sizeof(float));
    return true;
}

/* Where the block of one head begins: element offsets of q, of kv, and of the head's columns. */
typedef struct {
    size_t q, kv, head;
} Block;

static Block block(const Full *f, int b, int head)
{
    size_t d = (size_t)f->d, column = (size_t)head * (size_t)f->width;
    return (Block){(size_t)b * (size_t)f->queries * d + column,
                   2 * (size_t)b * (size_t)f->how.T * d + column, column};
}

static ThKernelHead head_of(const Full *f, const Scratch *s)
{
    return (ThKernelHead){.rows = f->queries,
                          .keys = f->how.T,
                          .ld = row_length(f),
                          .first = first_query(f),
                          .causal = f->how.causal,
                          .scale = (float)f->scale,
                          .relative = f->how.xl >= 0 ? s->relative : NULL};
}

static void add_to_rows(const Full *f, const float *q, const float *row, float *to)
{
    size_t width = (size_t)f->width;
    for (size_t i = 0; i < (size_t)f->queries; i++) {
        memcpy(to + i * width, q + i * (size_t)f->d, width * sizeof *to);
        th_kernel_add(to + i * width, row, width);
    }
}

static void weights(ThTape *t, const ThTapeNode *n, const Scratch *s, Block at, float *w)
{
    const Full *f = n->args;
    const float *q = th_tape_in_float(t, n, Q) + at.q, *k = th_tape_in_float(t, n, KV) + at.kv;
    int T = f->how.T, ld = row_length(f), ld_q = f->d;
    if (f->how.xl >= 0) {
        add_to_rows(f, q, th_tape_in_float(t, n, U) + at.head, s->qu);
        add_to_rows(f, q, th_tape_in_float(t, n, V) + at.head, s->qv);
        th_blas_gemm_nt(
            &(ThBlasGemm){f->queries, 2 * T - 1, f->width, f->width, f->d, 2 * T - 1, 0}, s->qv,
            th_tape_in_float(t, n, XL) + at.head, s->relative);
        q = s->qu;
        ld_q = f->width;
    }
    th_blas_gemm_nt(&(ThBlasGemm){f->queries, T, f->width, ld_q, 2 * f->d, ld, 0}, q, k, w);
    ThKernelHead h = head_of(f, s);
    th_kernel_attention(&h, w);
}

/* The node's saved memory: (B, heads, queries, ld), or NULL. */
static void keep_weights(ThTape *t, ThTapeNode *n)
{
    const Full *f = n->args;
    size_t all = (size_t)n->rows * (size_t)f->how.heads * (size_t)row_length(f);
    if (th_tape_records(t) && all <= KEPT_WEIGHTS)
        n->saved = th_tape_take(t, all, sizeof(float));
}

static float *kept(const ThTapeNode *n, int b, int head)
{
    const Full *f = n->args;
    size_t which = (size_t)b * (size_t)f->how.heads + (size_t)head;
    return (float *)n->saved + which * (size_t)f->queries * (size_t)row_length(f);
}

static void copy_weights(const Full *f, const float *w, float *to)
{
    for (size_t i = 0; i < (size_t)f->queries; i++)
        memcpy(to + i * (size_t)f->how.T, w + i * (size_t)row_length(f),
               (size_t)f->how.T * sizeof *to);
}

static void attention_forward(ThTape *t, ThTapeNode *n)
{
    const Full *f = n->args;
    const float *kv = th_tape_in_float(t, n, KV);
    float *published = publish(t, f, sizeof(float)), *y = n->value;
    Scratch s;
    keep_weights(t, n);
    if (!take_scratch(t, f, &s) || th_tape_failed(t))
        return;
    for (int b = 0; b < f->how.B; b++) {
        for (int head = 0; head < f->how.heads; head++) {
            Block at = block(f, b, head);
            float *w = n->saved ? kept(n, b, head) : s.w;
            weights(t, n, &s, at, w);
            th_blas_gemm_nn(
                &(ThBlasGemm){f->queries, f->width, f->how.T, row_length(f), 2 * f->d, f->d, 0}, w,
                kv + at.kv + f->d, y + at.q);
            if (published) {
                copy_weights(f, w, published);
                published += (size_t)f->queries * (size_t)f->how.T;
            }
        }
    }
}

typedef struct {
    float *q, *kv, *u, *v, *xl;
    float beta_q, beta_kv;
} Gradients;

static Gradients gradients(ThTape *t, const ThTapeNode *n)
{
    Gradients g;
    g.q = th_tape_grad_float(t, n, Q, &g.beta_q);
    g.kv = th_tape_grad_float(t, n, KV, &g.beta_kv);
    g.u = th_tape_grad_float_zeroed(t, n, U);
    g.v = th_tape_grad_float_zeroed(t, n, V);
    g.xl = th_tape_grad_float_zeroed(t, n, XL);
    return g;
}

/* dq and dk of one head from the gradient of the products in s->dw. */
static void products_back(ThTape *t, const ThTapeNode *n, const Scratch *s, Block at,
                          const Gradients *g)
{
    const Full *f = n->args;
    const float *q = th_tape_in_float(t, n, Q) + at.q, *k = th_tape_in_float(t, n, KV) + at.kv;
    int T = f->how.T, ld = row_length(f), d = f->d;
    th_blas_gemm_nn(&(ThBlasGemm){f->queries, f->width, T, ld, 2 * d, d, g->beta_q}, s->dw, k,
                    g->q + at.q);
    th_blas_gemm_tn(&(ThBlasGemm){T, f->width, f->queries, ld, d, 2 * d, g->beta_kv}, s->dw, q,
                    g->kv + at.kv);
}

/* The same with relative positions; du and dv are the column sums of the two parts of dq. */
static void relative_back(ThTape *t, const ThTapeNode *n, const Scratch *s, Block at,
                          const Gradients *g)
{
    const Full *f = n->args;
    const float *k = th_tape_in_float(t, n, KV) + at.kv, *r = th_tape_in_float(t, n, XL) + at.head;
    int T = f->how.T, ld = row_length(f), d = f->d, width = f->width, span = 2 * T - 1;
    ThKernelHead h = head_of(f, s);
    th_kernel_attention_relative_back(&h, s->dw, s->drelative);
    th_blas_gemm_nn(&(ThBlasGemm){f->queries, width, T, ld, 2 * d, width, 0}, s->dw, k, s->du);
    th_blas_gemm_nn(&(ThBlasGemm){f->queries, width, span, span, d, width, 0}, s->drelative, r,
                    s->dv);
    th_blas_gemm_tn(&(ThBlasGemm){T, width, f->queries, ld, width, 2 * d, g->beta_kv}, s->dw, s->qu,
                    g->kv + at.kv);
    th_blas_gemm_tn(&(ThBlasGemm){span, width, f->queries, span, width, d, 1}, s->drelative, s->qv,
                    g->xl + at.head);
    th_kernel_column_sums(g->u + at.head, s->du, f->queries, width, 1);
    th_kernel_column_sums(g->v + at.head, s->dv, f->queries, width, 1);
    for (size_t i = 0; i < (size_t)f->queries; i++) {
        float *dq = g->q + at.q + i * (size_t)d;
        if (g->beta_q == 0)
            memset(dq, 0, (size_t)width * sizeof *dq);
        th_kernel_add(dq, s->du + i * (size_t)width, (size_t)width);
        th_kernel_add(dq, s->dv + i * (size_t)width, (size_t)width);
    }
}

/* s->qu and s->qv hold the last head whose weights were computed. */
static const float *weights_again(ThTape *t, const ThTapeNode *n, const Scratch *s, int b, int head)
{
    const Full *f = n->args;
    Block at = block(f, b, head);
    if (!n->saved) {
        weights(t, n, s, at, s->w);
        return s->w;
    }
    if (f->how.xl >= 0) {
        const float *q = th_tape_in_float(t, n, Q) + at.q;
        add_to_rows(f, q, th_tape_in_float(t, n, U) + at.head, s->qu);
        add_to_rows(f, q, th_tape_in_float(t, n, V) + at.head, s->qv);
    }
    return kept(n, b, head);
}

static void head_back(ThTape *t, const ThTapeNode *n, const Scratch *s, Block at, const float *w,
                      const Gradients *g)
{
    const Full *f = n->args;
    const float *v = th_tape_in_float(t, n, KV) + at.kv + f->d, *dy = (const float *)n->grad + at.q;
    int T = f->how.T, ld = row_length(f), d = f->d;
    th_blas_gemm_tn(&(ThBlasGemm){T, f->width, f->queries, ld, d, 2 * d, g->beta_kv}, w, dy,
                    g->kv + at.kv + d);
    th_blas_gemm_nt(&(ThBlasGemm){f->queries, T, f->width, d, 2 * d, ld, 0}, dy, v, s->dw);
    ThKernelHead h = head_of(f, s);
    th_kernel_attention_back(&h, w, s->dw);
    if (f->how.xl >= 0)
        relative_back(t, n, s, at, g);
    else
        products_back(t, n, s, at, g);
}

static void attention_backward(ThTape *t, ThTapeNode *n)
{
    const Full *f = n->args;
    Gradients g = gradients(t, n);
    Scratch s;
    if (!take_scratch(t, f, &s) || th_tape_failed(t))
        return;
    for (int b = 0; b < f->how.B; b++)
        for (int head = 0; head < f->how.heads; head++)
            head_back(t, n, &s, block(f, b, head), weights_again(t, n, &s, b, head), &g);
}

/* ---- reference ---- */

/* One query of one head of one string. */
typedef struct {
    int i;                   /* its position */
    const double *q, *u, *v; /* (width) */
    const double *k, *r; /* rows of the string's keys, 2d apart; of the relative ones, d apart */
} Query;

static Query query(ThTape *t, const ThTapeNode *n, int b, int head, int row)
{
    const Full *f = n->args;
    Block at = block(f, b, head);
    const double *u = th_tape_in_double(t, n, U), *v = th_tape_in_double(t, n, V);
    const double *r = th_tape_in_double(t, n, XL);
    return (Query){first_query(f) + row,
                   th_tape_in_double(t, n, Q) + at.q + row * f->d,
                   u ? u + at.head : NULL,
                   v ? v + at.head : NULL,
                   th_tape_in_double(t, n, KV) + at.kv,
                   r ? r + at.head : NULL};
}

static double logit(const Full *f, const Query *p, int j)
{
    const double *k = p->k + 2 * j * f->d;
    const double *r = p->r ? p->r + (f->how.T - 1 + j - p->i) * f->d : NULL;
    double sum = 0;
    for (int c = 0; c < f->width; c++)
        sum += r ? (p->q[c] + p->u[c]) * k[c] + (p->q[c] + p->v[c]) * r[c] : p->q[c] * k[c];
    return f->scale * sum;
}

static void weights_double(const Full *f, const Query *p, double *w)
{
    double most = -HUGE_VAL, sum = 0;
    int seen = f->how.causal ? p->i + 1 : f->how.T;
    for (int j = 0; j < seen; j++) {
        w[j] = logit(f, p, j);
        most = fmax(most, w[j]);
    }
    for (int j = 0; j < f->how.T; j++) {
        w[j] = j < seen ? exp(w[j] - most) : 0;
        sum += w[j];
    }
    for (int j = 0; j < seen; j++)
        w[j] /= sum;
}

/* The loop over strings, heads and queries that both directions share: calls `each` with the
 * weights of one query and the offset of its row in q. */
typedef void EachQuery(ThTape *t, const ThTapeNode *n, const Query *p, size_t row, const double *w);

static void for_each_query(ThTape *t, const ThTapeNode *n, EachQuery *each, double *published)
{
    const Full *f = n->args;
    double *w = th_tape_take(t, (size_t)f->how.T, sizeof *w);
    int rows = f->how.B * f->how.heads * f->queries;
    for (int row = 0; w && row < rows; row++) {
        int b = row / (f->how.heads * f->queries), head = row / f->queries % f->how.heads;
        Query p = query(t, n, b, head, row % f->queries);
        weights_double(f, &p, w);
        each(t, n, &p, (size_t)(p.q - th_tape_in_double(t, n, Q)), w);
        if (published)
            memcpy(published + (size_t)row * (size_t)f->how.T, w, (size_t)f->how.T * sizeof *w);
    }
}

static void mix_values(ThTape *t, const ThTapeNode *n, const Query *p, size_t row, const double *w)
{
    const Full *f = n->args;
    double *y = (double *)n->value + row;
    (void)t;
    for (int c = 0; c < f->width; c++) {
        y[c] = 0;
        for (int j = 0; j < f->how.T; j++)
            y[c] += w[j] * p->k[2 * j * f->d + f->d + c];
    }
}

static void attention_forward_double(ThTape *t, ThTapeNode *n)
{
    for_each_query(t, n, mix_values, publish(t, n->args, sizeof(double)));
}

static void query_back(ThTape *t, const ThTapeNode *n, const Query *p, size_t row, const double *w)
{
    const Full *f = n->args;
    const double *dy = (const double *)n->grad + row;
    double *dq = th_tape_grad_double(t, n, Q) + row;
    double *dkv = th_tape_grad_double(t, n, KV) + (p->k - th_tape_in_double(t, n, KV));
    double *du = th_tape_grad_double(t, n, U), *dv = th_tape_grad_double(t, n, V);
    double *dr = th_tape_grad_double(t, n, XL), mean = 0;
    size_t head = row % (size_t)f->d;
    for (int j = 0; j < f->how.T; j++)
        for (int c = 0; c < f->width; c++)
            mean += w[j] * dy[c] * p->k[2 * j * f->d + f->d + c];
    for (int j = 0; j < f->how.T; j++) {
        const double *k = p->k + 2 * j * f->d, *value = k + f->d;
        double *dk = dkv + 2 * j * f->d, dw = 0;
        for (int c = 0; c < f->width; c++)
            dw += dy[c] * value[c];
        double ds = f->scale * w[j] * (dw - mean);
        for (int c = 0; c < f->width; c++) {
            dk[f->d + c] += w[j] * dy[c];
            dk[c] += ds * (p->q[c] + (p->u ? p->u[c] : 0));
            dq[c] += ds * k[c];
        }
        size_t at = (size_t)(f->how.T - 1 + j - p->i) * (size_t)f->d;
        for (int c = 0; p->r && c < f->width; c++) {
            dq[c] += ds * p->r[at + (size_t)c];
            du[head + (size_t)c] += ds * k[c];
            dv[head + (size_t)c] += ds * p->r[at + (size_t)c];
            dr[head + at + (size_t)c] += ds * (p->q[c] + p->v[c]);
        }
    }
}

static void attention_backward_double(ThTape *t, ThTapeNode *n)
{
    for_each_query(t, n, query_back, NULL);
}

/* ---- the operation ---- */

static const ThOp op_attention = {"attention", attention_forward, attention_backward,
                                  attention_forward_double, attention_backward_double};

static bool fits(ThTape *t, ThVar q, ThVar kv, const ThOpAttention *how)
{
    int d = th_tape_cols(t, q), rows = th_tape_rows(t, q), positions = how->B * how->T;
    bool shapes = positions > 0 && (rows == positions || rows == how->B) &&
                  th_tape_rows(t, kv) == positions && th_tape_cols(t, kv) == 2 * d;
    bool relative = how->xl < 0 ||
                    (th_tape_rows(t, how->xl) == 2 * how->T - 1 && th_tape_cols(t, how->xl) == d &&
                     th_tape_rows(t, how->u) == 1 && th_tape_cols(t, how->u) == d &&
                     th_tape_rows(t, how->v) == 1 && th_tape_cols(t, how->v) == d);
    if (shapes && relative && how->heads > 0 && d % how->heads == 0)
        return true;
    th_tape_fail(t, TH_EVALUE,
                 "attention: queries (%d,%d), keys (%d,%d), %d heads, %d strings of %d do not fit",
                 rows, d, th_tape_rows(t, kv), th_tape_cols(t, kv), how->heads, how->B, how->T);
    return false;
}

ThVar th_op_attention(ThTape *t, ThVar q, ThVar kv, const ThOpAttention *how)
{
    if (th_tape_failed(t) || !fits(t, q, kv, how))
        return -1;
    Full f = {.how = *how, .queries = th_tape_rows(t, q) / how->B, .d = th_tape_cols(t, q)};
    f.width = f.d / how->heads;
    f.scale = 1 / sqrt(f.width);
    bool relative = how->xl >= 0;
    ThVar in[] = {q, kv, relative ? how->u : -1, relative ? how->v : -1, relative ? how->xl : -1};
    ThTapeNode *n = th_tape_node(t, &op_attention, th_tape_rows(t, q), f.d, in, 5);
    return n && th_tape_node_args(t, n, &f, sizeof f) ? th_tape_node_run(t, n) : -1;
}
