/* The fast version of attention: matrix products, one head of one run of positions at a time, with
 * vector loops between them; a narrow window needs no products. */

#include "tensor/ops/attention_impl.h"
#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_attention.h"

/* Queries of a causal run that are worked on together; keys behind the last of them are left out.
 */
enum { CAUSAL_ROWS = 64 };

/* A window this many times narrower than a string is a matter of single keys. */
enum { NARROW = 4 };

/* Weights of a layer up to this many are kept for backward, which else computes them again. */
enum { KEPT_WEIGHTS = 1 << 24 };

/* ---- runs ---- */

/* A run of positions that may see each other, all of one string: a string, or a segment of it.
 * Runs are worked on one by one, so lengths and segments cost nothing.  The queries of a long run
 * come in several parts: a causal one skips the keys that none of its queries sees, and between
 * parts the work can be stopped. */
typedef struct {
    int b;
    int from, keys; /* its positions, from … from+keys-1 of the string */
    int row, rows;  /* its queries among the string's */
    int first;      /* position of the first of them, counted from `from` */
    int left;       /* queries of the run behind these */
} Run;

static int rows_at_once(const ThTapeAttend *f)
{
    const long long operations = 1LL << 28; /* of one product; some 0.03 s */
    long long rows = operations / ((long long)f->how.T * f->width);
    int most = f->how.causal && f->queries > CAUSAL_ROWS ? CAUSAL_ROWS : f->queries;
    return rows >= most ? most : rows > 0 ? (int)rows : 1;
}

static int run_end(const ThTapeAttend *f, const Run *r)
{
    const int *segment = f->how.segment ? f->how.segment + (size_t)r->b * (size_t)f->how.T : NULL;
    int end = th_tape_attend_length(f, r->b);
    for (int i = r->from + 1; segment && i < end; i++)
        if (segment[i] != segment[i - 1])
            return i;
    return end;
}

/* The next queries of a run, of which there are left. */
static bool take_queries(const ThTapeAttend *f, Run *r)
{
    int most = rows_at_once(f);
    r->rows = r->left < most ? r->left : most;
    r->left -= r->rows;
    return r->rows > 0;
}

/* The next run with a query in it, after *r; all zero gives the first.  False: there is none. */
static bool next_run(const ThTapeAttend *f, Run *r)
{
    r->row += r->rows;
    r->first += r->rows;
    while (!take_queries(f, r)) {
        r->from += r->keys;
        r->keys = 0;
        while (r->b < f->how.B && r->from >= th_tape_attend_length(f, r->b)) {
            r->b++;
            r->from = 0;
        }
        if (r->b >= f->how.B)
            return false;
        int end = run_end(f, r), start = th_tape_attend_first(f, r->b);
        r->keys = end - r->from;
        r->row = r->from > start ? r->from - start : 0;
        r->left = f->how.across ? f->queries : end - start - r->row;
        r->first = start + r->row - r->from;
    }
    return true;
}

/* Keys up to the last one that a query of this part sees. */
static int keys_seen(const ThTapeAttend *f, const Run *r)
{
    int end = r->first + r->rows;
    return f->how.causal && end < r->keys ? end : r->keys;
}

/* True if a string can have positions in no run. */
static bool has_gaps(const ThTapeAttend *f)
{
    return f->how.length || f->how.segment;
}

/* True if runs and their parts differ, and with them what of a row is written. */
static bool uneven(const ThTapeAttend *f)
{
    return has_gaps(f) || rows_at_once(f) < f->queries;
}

/* ---- memory ---- */

/* Keys that a query of a head sees at most where its window is so narrow that single keys are
 * cheaper than products; else 0. */
static int band(const ThTapeAttend *f, int head)
{
    bool apart = f->how.window && f->how.xl < 0 && !f->alone && f->dropout == 0;
    int window = apart ? f->how.window[head] : 0;
    int most = f->how.causal ? window : 2 * window - 1;
    return window > 0 && window <= f->how.T / NARROW ? most : 0;
}

static size_t whole_vectors(size_t n)
{
    return (n + TH_KERNEL_LANES - 1) / TH_KERNEL_LANES * TH_KERNEL_LANES;
}

/* Weights that a query of a head has. */
static int row_length(const ThTapeAttend *f, int head)
{
    int few = band(f, head);
    return few > 0 ? few : (int)whole_vectors((size_t)f->how.T);
}

/* Weights of one string's heads before `head`. */
static size_t weights_before(const ThTapeAttend *f, int head)
{
    size_t n = 0;
    for (int h = 0; h < head; h++)
        n += whole_vectors((size_t)row_length(f, h) * (size_t)f->queries);
    return n;
}

/* Memory that every head of every run uses again. */
typedef struct {
    size_t string;               /* weights of a string */
    float *w, *dw;               /* (rows at once, ld) */
    float *qu, *qv, *du, *dv;    /* (rows at once, width): q + u, q + v, their gradients */
    float *relative, *drelative; /* (rows at once, 2T-1) */
    size_t relatives;
} Scratch;

static bool take_scratch(ThTape *t, const ThTapeAttend *f, Scratch *s)
{
    size_t rows = (size_t)rows_at_once(f);
    size_t weights = rows * whole_vectors((size_t)f->how.T), vectors = rows * (size_t)f->width;
    s->string = weights_before(f, f->how.heads);
    s->relatives = rows * (size_t)(2 * f->how.T - 1);
    s->w = th_tape_take(t, 2 * weights, sizeof(float));
    s->qu = th_tape_take(t, f->how.xl >= 0 ? 4 * vectors : 0, sizeof(float));
    s->relative = th_tape_take(t, f->how.xl >= 0 ? 2 * s->relatives : 0, sizeof(float));
    if (!s->w || !s->qu || !s->relative)
        return false;
    s->dw = s->w + weights;
    if (f->how.xl < 0)
        return true;
    s->qv = s->qu + vectors;
    s->du = s->qv + vectors;
    s->dv = s->du + vectors;
    s->drelative = s->relative + s->relatives;
    memset(s->drelative, 0, s->relatives * sizeof(float));
    return true;
}

/* One head of one run: what the kernels want to know of it, and element offsets of its first query
 * in q, of its first key in kv, of the head's columns, of the relative position of its last key to
 * its first query, and of its first query in the head's weights. */
typedef struct {
    const Run *run;
    int head;
    size_t q, kv, column, xl, weight;
    ThKernelHead h;
} Block;

/* Where the bias of the block's first query and key is; the next query's is *step further. */
static size_t bias_at(const ThTapeAttend *f, const Block *at, int *step)
{
    const Run *r = at->run;
    if (f->how.biased == TH_TAPE_BIAS_DISTANCE) {
        *step = -1;
        return th_tape_attend_bias_at(f, r->b, at->head, r->first);
    }
    *step = f->bias_reach;
    return th_tape_attend_bias_at(f, r->b, at->head, r->from + r->first) + (size_t)r->from;
}

/* Where the first key of a head of a run is. */
static size_t key_at(const ThTapeAttend *f, const Run *r, int head)
{
    size_t string = (size_t)r->b, room = (size_t)f->how.room, first = (size_t)r->from;
    if (f->how.by_heads)
        return ((string * (size_t)f->how.heads + (size_t)head) * room + first) * (size_t)f->kv_row;
    return (string * room + first) * (size_t)f->kv_row + (size_t)head * (size_t)f->width;
}

static Block block(ThTape *t, const ThTapeNode *n, const Scratch *s, const Run *r, int head)
{
    const ThTapeAttend *f = n->args;
    size_t d = (size_t)f->d, column = (size_t)head * (size_t)f->width;
    size_t row = (size_t)r->b * (size_t)f->queries + (size_t)r->row;
    int keys = keys_seen(f, r);
    size_t cut = f->how.xl >= 0 ? (size_t)(f->reach - keys) : 0;
    Block at = {.run = r,
                .head = head,
                .q = row * d + column,
                .kv = key_at(f, r, head),
                .column = column,
                .xl = cut * d + column,
                .h = {.rows = r->rows,
                      .keys = keys,
                      .ld = row_length(f, head),
                      .first = r->first,
                      .causal = f->how.causal,
                      .window = f->how.window ? f->how.window[head] : 0,
                      .scale = (float)f->scale,
                      .relative = f->how.xl >= 0 ? s->relative : NULL}};
    at.weight = (size_t)r->row * (size_t)at.h.ld;
    if (f->how.biased != TH_TAPE_BIAS_NONE)
        at.h.bias = th_tape_in_float(t, n, TH_TAPE_ATTEND_BIAS) + bias_at(f, &at, &at.h.bias_step);
    return at;
}

/* ---- forward ---- */

static void add_to_rows(const ThTapeAttend *f, const Block *at, const float *q, const float *row,
                        float *to)
{
    size_t width = (size_t)f->width;
    for (size_t i = 0; i < (size_t)at->run->rows; i++) {
        memcpy(to + i * width, q + i * (size_t)f->d, width * sizeof *to);
        th_kernel_add(to + i * width, row, width);
    }
}

static void products(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at, float *w)
{
    const ThTapeAttend *f = n->args;
    const float *q = th_tape_in_float(t, n, TH_TAPE_ATTEND_Q) + at->q;
    const float *k = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) + at->kv;
    int rows = at->run->rows, keys = at->h.keys, span = 2 * keys - 1, ld_q = f->d;
    if (f->how.xl >= 0) {
        add_to_rows(f, at, q, th_tape_in_float(t, n, TH_TAPE_ATTEND_U) + at->column, s->qu);
        add_to_rows(f, at, q, th_tape_in_float(t, n, TH_TAPE_ATTEND_V) + at->column, s->qv);
        th_blas_gemm_nt(&(ThBlasGemm){rows, span, f->width, f->width, f->d, span, 0}, s->qv,
                        th_tape_in_float(t, n, TH_TAPE_ATTEND_XL) + at->xl, s->relative);
        q = s->qu;
        ld_q = f->width;
    }
    th_blas_gemm_nt(&(ThBlasGemm){rows, keys, f->width, ld_q, f->kv_row, at->h.ld, 0}, q, k, w);
    th_kernel_attention(&at->h, w);
}

/* The node's saved memory: for every string the weights of its heads; or NULL. */
static void keep_weights(ThTape *t, ThTapeNode *n)
{
    const ThTapeAttend *f = n->args;
    size_t all = (size_t)f->how.B * weights_before(f, f->how.heads);
    if (th_tape_records(t) && all <= KEPT_WEIGHTS)
        n->saved = th_tape_take(t, all, sizeof(float));
}

static float *kept(const ThTapeNode *n, const Scratch *s, const Block *at)
{
    const ThTapeAttend *f = n->args;
    size_t head = f->how.window ? weights_before(f, at->head)
                                : (size_t)at->head * (size_t)f->queries * (size_t)at->h.ld;
    return (float *)n->saved + (size_t)at->run->b * s->string + head + at->weight;
}

/* Where the weight of key j of row i is in a block. */
static size_t weight_at(const ThTapeAttend *f, const Block *at, int i, int j)
{
    const ThKernelHead *h = &at->h;
    int from = th_kernel_attention_from(h, i);
    if (band(f, at->head) > 0)
        return (size_t)(j - h->first - i + h->window - 1) * (size_t)h->rows + (size_t)i;
    return (size_t)i * (size_t)h->ld + (size_t)(f->alone ? j - from : j);
}

/* Lays the weights of a block where inspections look for them. */
static void show_weights(const ThTapeAttend *f, const Block *at, const float *w, float *published)
{
    const ThKernelHead *h = &at->h;
    const Run *r = at->run;
    size_t row = ((size_t)r->b * (size_t)f->how.heads + (size_t)at->head) * (size_t)f->queries;
    for (int i = 0; i < r->rows; i++) {
        size_t to = (row + (size_t)(r->row + i)) * (size_t)f->how.T + (size_t)r->from;
        for (int j = th_kernel_attention_from(h, i); j < th_kernel_attention_to(h, i); j++)
            published[to + (size_t)j] = w[weight_at(f, at, i, j)];
    }
}

static ThKernelBand band_of(ThTape *t, const ThTapeNode *n, const Block *at)
{
    const ThTapeAttend *f = n->args;
    return (ThKernelBand){.q = th_tape_in_float(t, n, TH_TAPE_ATTEND_Q) + at->q,
                          .kv = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) + at->kv,
                          .width = f->width,
                          .d = f->d,
                          .row = f->kv_row,
                          .value = f->value};
}

/* The relative products of a query that is alone, to s->relative, and q + u for those with keys. */
static void relative_products(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at,
                              ThKernelBand *b)
{
    const ThTapeAttend *f = n->args;
    int keys = at->h.keys, first = keys - 1 - at->run->first;
    const float *r =
        th_tape_in_float(t, n, TH_TAPE_ATTEND_XL) + at->xl + (size_t)first * (size_t)f->d;
    add_to_rows(f, at, b->q, th_tape_in_float(t, n, TH_TAPE_ATTEND_U) + at->column, s->qu);
    add_to_rows(f, at, b->q, th_tape_in_float(t, n, TH_TAPE_ATTEND_V) + at->column, s->qv);
    th_kernel_dots(s->qv, r, f->d, f->width, keys, s->relative + first);
    b->q = s->qu;
}

/* Row i of a block as one of its own. */
static void one_forward(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *all, int i,
                        float *w)
{
    const ThTapeAttend *f = n->args;
    Run run = *all->run;
    Block at = *all;
    at.run = &run;
    at.q += (size_t)i * (size_t)f->d;
    at.h.first = run.first += i;
    at.h.rows = run.rows = 1;
    if (at.h.bias)
        at.h.bias += (ptrdiff_t)i * at.h.bias_step;
    ThKernelBand b = band_of(t, n, &at);
    if (f->how.xl >= 0)
        relative_products(t, n, s, &at, &b);
    th_kernel_one_query(&at.h, &b, w + (size_t)i * (size_t)at.h.ld, (float *)n->value + at.q);
}

/* The weights of a block, or their gradient, without those that are dropped: to, which may be w. */
static const float *drop(const ThTapeAttend *f, const Block *at, const float *w, float *to)
{
    const Run *r = at->run;
    size_t row = ((size_t)r->b * (size_t)f->how.heads + (size_t)at->head) * (size_t)f->queries;
    for (int i = 0; f->dropout > 0 && i < r->rows; i++)
        for (int j = 0; j < at->h.keys; j++)
            to[i * at->h.ld + j] =
                w[i * at->h.ld + j] *
                (float)th_tape_attend_kept(f, row + (size_t)(r->row + i), r->from + j);
    return f->dropout > 0 ? to : w;
}

static void head_forward(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at,
                         float *w)
{
    const ThTapeAttend *f = n->args;
    float *y = (float *)n->value + at->q;
    if (f->alone) {
        for (int i = 0; i < at->run->rows; i++)
            one_forward(t, n, s, at, i, w);
        return;
    }
    if (band(f, at->head) > 0) {
        ThKernelBand b = band_of(t, n, at);
        th_kernel_band(&at->h, &b, w, y);
        return;
    }
    products(t, n, s, at, w);
    th_blas_gemm_nn(
        &(ThBlasGemm){at->run->rows, f->width, at->h.keys, at->h.ld, f->kv_row, f->d, 0},
        drop(f, at, w, s->dw), th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) + at->kv + f->value, y);
}

void th_tape_attend_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeAttend *f = n->args;
    float *published = th_tape_attend_publish(t, f, sizeof(float));
    Scratch s;
    keep_weights(t, n);
    if (!take_scratch(t, f, &s) || th_tape_failed(t))
        return;
    if (has_gaps(f))
        memset(n->value, 0, th_tape_size(n) * sizeof(float));
    for (Run r = {0}; next_run(f, &r);) {
        for (int head = 0; head < f->how.heads && th_tape_goes_on(t); head++) {
            Block at = block(t, n, &s, &r, head);
            float *w = n->saved ? kept(n, &s, &at) : s.w;
            head_forward(t, n, &s, &at, w);
            if (published)
                show_weights(f, &at, w, published);
        }
    }
}

/* ---- backward ---- */

typedef struct {
    float *q, *kv, *u, *v, *xl, *bias;
    float beta_q, beta_kv;
} Gradients;

static float *zeroed(ThTape *t, const ThTapeNode *n, int i, float *beta)
{
    *beta = 1;
    return th_tape_grad_float_zeroed(t, n, i);
}

static Gradients gradients(ThTape *t, const ThTapeNode *n)
{
    const ThTapeAttend *f = n->args;
    bool add = uneven(f) || f->how.window;
    Gradients g = {0};
    g.q = (add ? zeroed : th_tape_grad_float)(t, n, TH_TAPE_ATTEND_Q, &g.beta_q);
    g.kv = (add ? zeroed : th_tape_grad_float)(t, n, TH_TAPE_ATTEND_KV, &g.beta_kv);
    g.u = th_tape_grad_float_zeroed(t, n, TH_TAPE_ATTEND_U);
    g.v = th_tape_grad_float_zeroed(t, n, TH_TAPE_ATTEND_V);
    g.xl = th_tape_grad_float_zeroed(t, n, TH_TAPE_ATTEND_XL);
    if (f->bias_learns)
        g.bias = th_tape_grad_float_zeroed(t, n, TH_TAPE_ATTEND_BIAS);
    return g;
}

/* dq and dk of one head from the gradient of the products in s->dw. */
static void products_back(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at,
                          const Gradients *g)
{
    const ThTapeAttend *f = n->args;
    const float *q = th_tape_in_float(t, n, TH_TAPE_ATTEND_Q) + at->q;
    const float *k = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) + at->kv;
    int rows = at->run->rows, keys = at->h.keys, ld = at->h.ld, d = f->d;
    th_blas_gemm_nn(&(ThBlasGemm){rows, f->width, keys, ld, 2 * d, d, g->beta_q}, s->dw, k,
                    g->q + at->q);
    th_blas_gemm_tn(&(ThBlasGemm){keys, f->width, rows, ld, d, 2 * d, g->beta_kv}, s->dw, q,
                    g->kv + at->kv);
}

/* The same with relative positions; du and dv are the column sums of the two parts of dq. */
static void relative_back(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at,
                          const Gradients *g)
{
    const ThTapeAttend *f = n->args;
    const float *k = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) + at->kv;
    const float *r = th_tape_in_float(t, n, TH_TAPE_ATTEND_XL) + at->xl;
    int rows = at->run->rows, keys = at->h.keys, span = 2 * keys - 1;
    int ld = at->h.ld, d = f->d, width = f->width;
    if (uneven(f))
        memset(s->drelative, 0, (size_t)rows * (size_t)span * sizeof(float));
    th_kernel_attention_relative_back(&at->h, s->dw, s->drelative);
    th_blas_gemm_nn(&(ThBlasGemm){rows, width, keys, ld, 2 * d, width, 0}, s->dw, k, s->du);
    th_blas_gemm_nn(&(ThBlasGemm){rows, width, span, span, d, width, 0}, s->drelative, r, s->dv);
    th_blas_gemm_tn(&(ThBlasGemm){keys, width, rows, ld, width, 2 * d, g->beta_kv}, s->dw, s->qu,
                    g->kv + at->kv);
    th_blas_gemm_tn(&(ThBlasGemm){span, width, rows, span, width, d, 1}, s->drelative, s->qv,
                    g->xl + at->xl);
    th_kernel_column_sums(g->u + at->column, s->du, rows, width, 1);
    th_kernel_column_sums(g->v + at->column, s->dv, rows, width, 1);
    for (size_t i = 0; i < (size_t)rows; i++) {
        float *dq = g->q + at->q + i * (size_t)d;
        if (g->beta_q == 0)
            memset(dq, 0, (size_t)width * sizeof *dq);
        th_kernel_add(dq, s->du + i * (size_t)width, (size_t)width);
        th_kernel_add(dq, s->dv + i * (size_t)width, (size_t)width);
    }
}

/* s->qu and s->qv hold the last block whose weights were computed. */
static const float *weights_again(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at)
{
    const ThTapeAttend *f = n->args;
    if (!n->saved) {
        products(t, n, s, at, s->w);
        return s->w;
    }
    if (f->how.xl >= 0) {
        const float *q = th_tape_in_float(t, n, TH_TAPE_ATTEND_Q) + at->q;
        add_to_rows(f, at, q, th_tape_in_float(t, n, TH_TAPE_ATTEND_U) + at->column, s->qu);
        add_to_rows(f, at, q, th_tape_in_float(t, n, TH_TAPE_ATTEND_V) + at->column, s->qv);
    }
    return kept(n, s, at);
}

static void products_head_back(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at,
                               const Gradients *g)
{
    const ThTapeAttend *f = n->args;
    const float *w = weights_again(t, n, s, at), *dy = (const float *)n->grad + at->q;
    const float *v = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) + at->kv + f->d;
    int rows = at->run->rows, keys = at->h.keys, ld = at->h.ld, d = f->d;
    th_blas_gemm_tn(&(ThBlasGemm){keys, f->width, rows, ld, d, 2 * d, g->beta_kv},
                    drop(f, at, w, s->dw), dy, g->kv + at->kv + d);
    th_blas_gemm_nt(&(ThBlasGemm){rows, keys, f->width, d, 2 * d, ld, 0}, dy, v, s->dw);
    drop(f, at, s->dw, s->dw);
    th_kernel_attention_back(&at->h, w, s->dw);
    if (g->bias) {
        int step;
        size_t bias = bias_at(f, at, &step);
        th_kernel_attention_bias_back(&at->h, s->dw, g->bias + bias);
    }
    if (f->how.xl >= 0)
        relative_back(t, n, s, at, g);
    else
        products_back(t, n, s, at, g);
}

static void band_back(ThTape *t, const ThTapeNode *n, const Scratch *s, const Block *at,
                      const Gradients *g)
{
    const ThTapeAttend *f = n->args;
    ThKernelBand b = band_of(t, n, at);
    const float *w = n->saved ? kept(n, s, at) : s->w;
    if (!n->saved)
        th_kernel_band_weights(&at->h, &b, s->w);
    int step;
    ThKernelBandBack back = {.dy = (const float *)n->grad + at->q,
                             .dq = g->q + at->q,
                             .dkv = g->kv + at->kv,
                             .dbias = g->bias ? g->bias + bias_at(f, at, &step) : NULL,
                             .scratch = s->dw};
    th_kernel_band_back(&at->h, &b, w, &back);
}

void th_tape_attend_backward(ThTape *t, ThTapeNode *n)
{
    const ThTapeAttend *f = n->args;
    Gradients g = gradients(t, n);
    Scratch s;
    if (!take_scratch(t, f, &s) || th_tape_failed(t))
        return;
    for (Run r = {0}; next_run(f, &r);) {
        for (int head = 0; head < f->how.heads && th_tape_goes_on(t); head++) {
            Block at = block(t, n, &s, &r, head);
            (band(f, head) > 0 ? band_back : products_head_back)(t, n, &s, &at, &g);
        }
    }
}
