/* Attention that stops at the first key that matches, going outward from the query: geometric
 * (Csordás et al. 2022) or, backward alone, stick-breaking (Tan et al. 2024).  Both passes work on
 * a head of a string at a time; backward computes the probabilities again. */
#include <math.h>

#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/tape/tape_impl.h"

enum { Q, KV, SIDE, INPUTS };

/* One head of one string: n positions, which see each other. */
typedef struct {
    const ThOpGeometric *how;
    int n, d, width;
    size_t row, column; /* of the string's first position; of the head */
} Head;

static Head head_of(const ThTapeNode *node, int number)
{
    const ThOpGeometric *how = node->args;
    int string = number / how->heads;
    Head h = {.how = how, .d = node->cols, .width = node->cols / how->heads};
    h.n = th_tape_length(how->length, how->T, string);
    h.row = (size_t)string * (size_t)how->T;
    h.column = (size_t)(number % how->heads);
    return h;
}

/* Where position 0 has its query, or its result; its key; what it adds for keys behind it. */
static size_t query_at(const Head *h)
{
    return h->row * (size_t)h->d + h->column * (size_t)h->width;
}

static size_t key_at(const Head *h)
{
    return 2 * h->row * (size_t)h->d + h->column * (size_t)h->width;
}

static size_t side_at(const Head *h)
{
    return 2 * h->row * (size_t)h->how->heads + h->column;
}

/* ---- one query ------------------------------------------------------------------------------- */

/* The keys in the order in which query i comes to them, those ahead before those behind; returns
 * how many. */
static int in_order(const Head *h, int i, int *key)
{
    int n = 0;
    for (int far = 1; far < h->n; far++) {
        if (!h->how->causal && i + far < h->n)
            key[n++] = i + far;
        if (i - far >= 0)
            key[n++] = i - far;
    }
    return n;
}

/* a (n) <- what is left at a key, times its probability p. */
static void stop(const int *key, int n, const double *p, double *a)
{
    const double nothing = 1e-300;
    double left = 1;
    for (int k = 0; k < n; k++) {
        a[key[k]] = p[key[k]] * left;
        left *= 1 - p[key[k]];
        left = left < nothing ? 0 : left;
    }
}

/* g (n), the gradient of the weights a, becomes that of the logits: each moves its own weight, and
 * takes from all that come later. */
static void stop_back(const int *key, int n, const double *p, const double *a, double *g)
{
    double later = 0;
    for (int k = n - 1; k >= 0; k--) {
        int j = key[k];
        double own = g[j] * a[j];
        g[j] = own * (1 - p[j]) - p[j] * later;
        later += own;
    }
}

/* ---- fast ---- */

/* Memory for a head: T x T numbers each, and what one query needs. */
typedef struct {
    float *p, *a, *g;
    double *row; /* (3, T) */
    int *key;    /* (T) */
} Work;

static Work work(ThTape *t, int T, bool back)
{
    size_t n = (size_t)T, all = n * n;
    Work w = {.p = th_tape_take(t, (back ? 3 : 2) * all, sizeof *w.p),
              .row = th_tape_take(t, 3 * n, sizeof *w.row),
              .key = th_tape_take(t, n, sizeof *w.key)};
    w.a = w.p ? w.p + all : NULL;
    w.g = w.p ? w.a + all : NULL;
    return w;
}

/* What a query adds to its logits for keys behind it and ahead. */
static void add_sides(const Head *h, const float *side, float *p)
{
    for (int i = 0; side && i < h->n; i++) {
        const float *own = side + side_at(h) + (size_t)i * 2 * (size_t)h->how->heads;
        for (int j = 0; j < h->n; j++)
            p[i * h->n + j] += own[j > i ? h->how->heads : 0];
    }
}

/* w->p (n, n) <- the probabilities, w->a the weights. */
static void weigh(ThTape *t, const ThTapeNode *node, const Head *h, const Work *w)
{
    const ThTapeNode *side = th_tape_in(t, node, SIDE);
    const float *q = (const float *)th_tape_in(t, node, Q)->value + query_at(h);
    const float *k = (const float *)th_tape_in(t, node, KV)->value + key_at(h);
    size_t n = (size_t)h->n;
    th_blas_gemm_nt(&(ThBlasGemm){h->n, h->n, h->width, h->d, 2 * h->d, h->n, 0}, q, k, w->p);
    add_sides(h, side ? side->value : NULL, w->p);
    th_kernel_sigmoid(w->p, w->p, n * n);
    memset(w->a, 0, n * n * sizeof *w->a);
    for (int i = 0; i < h->n; i++) {
        double *p = w->row, *a = w->row + n;
        int keys = in_order(h, i, w->key);
        for (int j = 0; j < h->n; j++)
            p[j] = w->p[i * h->n + j];
        stop(w->key, keys, p, a);
        for (int c = 0; c < keys; c++)
            w->a[i * h->n + w->key[c]] = (float)a[w->key[c]];
    }
}

static void forward(ThTape *t, ThTapeNode *node)
{
    const ThOpGeometric *how = node->args;
    size_t T = (size_t)how->T;
    Work w = work(t, how->T, false);
    float *shown =
        th_tape_publish_weights(t, how->B * how->heads * how->T, how->T, how->tag, sizeof *shown);
    memset(node->value, 0, th_tape_size(node) * sizeof(float));
    for (int number = 0;
         w.p && w.row && w.key && number < how->B * how->heads && th_tape_goes_on(t); number++) {
        Head h = head_of(node, number);
        weigh(t, node, &h, &w);
        const float *v = (const float *)th_tape_in(t, node, KV)->value + key_at(&h) + h.d;
        th_blas_gemm_nn(&(ThBlasGemm){h.n, h.width, h.n, h.n, 2 * h.d, h.d, 0}, w.a, v,
                        (float *)node->value + query_at(&h));
        for (int i = 0; shown && i < h.n; i++)
            memcpy(shown + ((size_t)number * T + (size_t)i) * T, w.a + i * h.n,
                   (size_t)h.n * sizeof *shown);
    }
}

/* The gradient of the weights (n, n), in w->g, becomes that of the logits. */
static void weigh_back(const Head *h, const Work *w)
{
    size_t n = (size_t)h->n;
    for (int i = 0; i < h->n; i++) {
        double *p = w->row, *a = w->row + n, *g = a + n;
        float *to = w->g + i * h->n;
        int keys = in_order(h, i, w->key);
        for (int j = 0; j < h->n; j++) {
            p[j] = w->p[i * h->n + j];
            a[j] = w->a[i * h->n + j];
            g[j] = to[j];
        }
        stop_back(w->key, keys, p, a, g);
        memset(to, 0, n * sizeof *to);
        for (int c = 0; c < keys; c++)
            to[w->key[c]] = (float)g[w->key[c]];
    }
}

static void add_side_gradients(const Head *h, const float *g, float *side)
{
    for (int i = 0; side && i < h->n; i++) {
        float *own = side + side_at(h) + (size_t)i * 2 * (size_t)h->how->heads;
        for (int j = 0; j < h->n; j++)
            own[j > i ? h->how->heads : 0] += g[i * h->n + j];
    }
}

static void backward(ThTape *t, ThTapeNode *node)
{
    const ThOpGeometric *how = node->args;
    Work w = work(t, how->T, true);
    float *dq = th_tape_grad_float_zeroed(t, node, Q),
          *dkv = th_tape_grad_float_zeroed(t, node, KV);
    float *dside = node->in[SIDE] < 0 ? NULL : th_tape_grad_float_zeroed(t, node, SIDE);
    const float *q = th_tape_in(t, node, Q)->value, *kv = th_tape_in(t, node, KV)->value;
    for (int number = 0;
         w.p && w.row && w.key && dq && dkv && number < how->B * how->heads && th_tape_goes_on(t);
         number++) {
        Head h = head_of(node, number);
        int n = h.n, d = h.d, wide = h.width;
        const float *dy = (const float *)node->grad + query_at(&h), *k = kv + key_at(&h);
        weigh(t, node, &h, &w);
        th_blas_gemm_tn(&(ThBlasGemm){n, wide, n, n, d, 2 * d, 1}, w.a, dy, dkv + key_at(&h) + d);
        th_blas_gemm_nt(&(ThBlasGemm){n, n, wide, d, 2 * d, n, 0}, dy, k + d, w.g);
        weigh_back(&h, &w);
        th_blas_gemm_nn(&(ThBlasGemm){n, wide, n, n, 2 * d, d, 1}, w.g, k, dq + query_at(&h));
        th_blas_gemm_tn(&(ThBlasGemm){n, wide, n, n, d, 2 * d, 1}, w.g, q + query_at(&h),
                        dkv + key_at(&h));
        add_side_gradients(&h, w.g, dside);
    }
}

/* ---- reference ---- */

/* Probabilities and weights of query i. */
static int weigh_double(ThTape *t, const ThTapeNode *node, const Head *h, int i, int *key,
                        double *p, double *a)
{
    const double *q = th_tape_in_double(t, node, Q) + query_at(h) + (size_t)i * (size_t)h->d;
    const double *k = th_tape_in_double(t, node, KV) + key_at(h);
    const double *side = th_tape_in_double(t, node, SIDE);
    int keys = in_order(h, i, key);
    for (int j = 0; j < h->n; j++) {
        double x = side ? side[side_at(h) + (size_t)(i * 2 + (j > i)) * (size_t)h->how->heads] : 0;
        for (int c = 0; c < h->width; c++)
            x += q[c] * k[j * 2 * h->d + c];
        p[j] = 1 / (1 + exp(-x));
        a[j] = 0;
    }
    stop(key, keys, p, a);
    return keys;
}

/* What is done with a query, whose weights are a, probabilities p and keys in their order. */
typedef void EachQuery(ThTape *t, const ThTapeNode *node, const Head *h, int i, const int *key,
                       int keys, const double *p, const double *a, double *g);

static void for_each_query(ThTape *t, const ThTapeNode *node, EachQuery *each, double *shown)
{
    const ThOpGeometric *how = node->args;
    size_t T = (size_t)how->T;
    double *p = th_tape_take(t, 3 * T, sizeof *p), *a = p ? p + T : NULL;
    int *key = th_tape_take(t, T, sizeof *key);
    for (int number = 0; p && key && number < how->B * how->heads && th_tape_goes_on(t); number++) {
        Head h = head_of(node, number);
        for (int i = 0; i < h.n; i++) {
            int keys = weigh_double(t, node, &h, i, key, p, a);
            each(t, node, &h, i, key, keys, p, a, a + T);
            if (shown)
                memcpy(shown + ((size_t)number * T + (size_t)i) * T, a, (size_t)h.n * sizeof *a);
        }
    }
}

static void mix(ThTape *t, const ThTapeNode *node, const Head *h, int i, const int *key, int keys,
                const double *p TH_UNUSED, const double *a, double *g TH_UNUSED)
{
    const double *v = th_tape_in_double(t, node, KV) + key_at(h) + h->d;
    double *y = (double *)node->value + query_at(h) + (size_t)i * (size_t)h->d;
    for (int k = 0; k < keys; k++)
        for (int c = 0; c < h->width; c++)
            y[c] += a[key[k]] * v[key[k] * 2 * h->d + c];
}

static void mix_back(ThTape *t, const ThTapeNode *node, const Head *h, int i, const int *key,
                     int keys, const double *p, const double *a, double *g)
{
    size_t own = query_at(h) + (size_t)i * (size_t)h->d;
    const double *q = th_tape_in_double(t, node, Q) + own;
    const double *k = th_tape_in_double(t, node, KV) + key_at(h), *v = k + h->d;
    const double *dy = (const double *)node->grad + own;
    double *dq = th_tape_grad_double(t, node, Q) + own;
    double *dk = th_tape_grad_double(t, node, KV) + key_at(h), *dv = dk + h->d;
    double *dside = node->in[SIDE] < 0 ? NULL : th_tape_grad_double(t, node, SIDE) + side_at(h);
    for (int c = 0; c < keys; c++) {
        int j = key[c], row = j * 2 * h->d;
        g[j] = 0;
        for (int w = 0; w < h->width; w++) {
            g[j] += dy[w] * v[row + w];
            dv[row + w] += a[j] * dy[w];
        }
    }
    stop_back(key, keys, p, a, g);
    for (int c = 0; c < keys; c++) {
        int j = key[c], row = j * 2 * h->d;
        for (int w = 0; w < h->width; w++) {
            dq[w] += g[j] * k[row + w];
            dk[row + w] += g[j] * q[w];
        }
        if (dside)
            dside[(i * 2 + (j > i)) * h->how->heads] += g[j];
    }
}

static void forward_double(ThTape *t, ThTapeNode *node)
{
    const ThOpGeometric *how = node->args;
    double *shown =
        th_tape_publish_weights(t, how->B * how->heads * how->T, how->T, how->tag, sizeof *shown);
    memset(node->value, 0, th_tape_size(node) * sizeof(double));
    for_each_query(t, node, mix, shown);
}

static void backward_double(ThTape *t, ThTapeNode *node)
{
    for_each_query(t, node, mix_back, NULL);
}

static const ThOp op_geometric = {"geometric", forward, backward, forward_double, backward_double};

/* ---- the operation ---- */

static bool fits(ThTape *t, ThVar q, ThVar kv, ThVar side, const ThOpGeometric *how)
{
    int rows = th_tape_rows(t, q), d = th_tape_cols(t, q);
    bool sides =
        side < 0 || (th_tape_rows(t, side) == rows && th_tape_cols(t, side) == 2 * how->heads);
    bool ok = how->B > 0 && how->T > 0 && how->heads > 0 && d % how->heads == 0 &&
              rows == how->B * how->T && th_tape_rows(t, kv) == rows &&
              th_tape_cols(t, kv) == 2 * d && sides;
    for (int b = 0; ok && how->length && b < how->B; b++)
        ok = how->length[b] >= 0 && how->length[b] <= how->T;
    if (!ok)
        th_tape_fail(
            t, TH_EVALUE,
            "geometric attention: queries (%d,%d), keys (%d,%d), %d heads, %d strings of %d "
            "do not fit",
            rows, d, th_tape_rows(t, kv), th_tape_cols(t, kv), how->heads, how->B, how->T);
    return ok;
}

ThVar th_op_geometric_attention(ThTape *t, ThVar q, ThVar kv, ThVar side, const ThOpGeometric *how)
{
    if (th_tape_failed(t) || !fits(t, q, kv, side, how))
        return -1;
    return th_tape_op(t, &op_geometric, th_tape_rows(t, q), th_tape_cols(t, q),
                      (const ThVar[]){q, kv, side}, INPUTS, how, sizeof *how);
}
