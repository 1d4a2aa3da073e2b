/* The fast version of attention where nothing but lengths and a causal mask modify it: a kernel of
 * its own for every head of some queries of a string. */

#include "tensor/ops/attention_impl.h"
#include "tensor/kernels/kernels_heads.h"
#include "tensor/kernels/level.h"

bool th_tape_attend_is_plain(const ThTapeAttend *f)
{
    return f->how.xl < 0 && f->how.biased == TH_TAPE_BIAS_NONE && !f->how.window &&
           !f->how.segment && !f->how.by_heads && !f->alone && f->dropout == 0 &&
           th_kernel_heads_pay(f->width) && th_kernel_is_wide();
}

/* Weights of a layer up to this many are kept for backward; to compute more of them again takes no
 * longer than to fetch them. */
enum { KEPT_WEIGHTS = 1 << 19 };

/* ---- parts ---- */

/* Queries of a string that are worked on together, of all heads. */
typedef struct {
    int b, row, rows; /* the string, and which of its queries */
    bool opens;       /* the first of the string */
} Part;

/* The next part, after *p; all zero gives the first.  False: there is none. */
static bool next_part(const ThTapeAttend *f, Part *p)
{
    for (p->row += p->rows; p->b < f->how.B; p->b++, p->row = 0) {
        int length = th_tape_attend_length(f, p->b), start = th_tape_attend_first(f, p->b);
        int from = start < 0 ? -start : 0, end = f->how.across ? f->queries : length - start;
        p->opens = p->row <= from;
        p->row = p->opens ? from : p->row;
        p->rows = length > 0 ? end - p->row : 0;
        p->rows = p->rows < TH_KERNEL_HEADS_ROWS ? p->rows : TH_KERNEL_HEADS_ROWS;
        if (p->rows > 0)
            return true;
    }
    return false;
}

/* The first head of a part; the next is f->width columns further. */
static ThKernelHeads heads_of(ThTape *t, const ThTapeNode *n, const Part *p)
{
    const ThTapeAttend *f = n->args;
    size_t d = (size_t)f->d, row = (size_t)p->b * (size_t)f->queries + (size_t)p->row;
    int first = th_tape_attend_first(f, p->b) + p->row, keys = th_tape_attend_length(f, p->b);
    bool cut = f->how.causal && first + p->rows < keys;
    return (ThKernelHeads){.q = th_tape_in_float(t, n, TH_TAPE_ATTEND_Q) + row * d,
                           .kv = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV) +
                                 2 * (size_t)p->b * (size_t)f->how.room * d,
                           .d = f->d,
                           .width = f->width,
                           .rows = p->rows,
                           .keys = cut ? first + p->rows : keys,
                           .first = first,
                           .causal = f->how.causal,
                           .scale = (float)f->scale};
}

/* True if a string has positions in no part. */
static bool has_gaps(const ThTapeAttend *f)
{
    for (int b = 0; f->how.length && b < f->how.B; b++)
        if (f->how.length[b] < f->how.T)
            return true;
    return false;
}

/* The rows of a string lie together, those of a head do not. */
static void fetch(const float *x, size_t n)
{
    enum { LINE = 16 };
    for (size_t i = 0; i < n; i += LINE)
        __builtin_prefetch(x + i, 0, 2);
}

/* ---- weights ---- */

/* Of one head of one string: its last part may have less than a vector more than its queries. */
static size_t weights_of_head(const ThTapeAttend *f)
{
    return (size_t)th_kernel_heads_weights(f->queries, 1) * (size_t)f->how.T +
           (size_t)th_kernel_heads_weights(1, f->how.T);
}

/* Where the weights of a head of a part are kept, or else computed. */
static float *weights_at(const ThTapeNode *n, const Part *p, int head, float *scratch)
{
    const ThTapeAttend *f = n->args;
    size_t before = (size_t)p->b * (size_t)f->how.heads + (size_t)head;
    size_t within = (size_t)p->row * (size_t)f->how.T;
    return n->saved ? (float *)n->saved + before * weights_of_head(f) + within : scratch;
}

static float *take_scratch(ThTape *t, const ThTapeAttend *f)
{
    int rows = f->queries < TH_KERNEL_HEADS_ROWS ? f->queries : TH_KERNEL_HEADS_ROWS;
    return th_tape_take(t, (size_t)th_kernel_heads_weights(rows, f->how.T), sizeof(float));
}

/* Lays weights where inspections look for them. */
static void show_weights(const ThTapeAttend *f, const Part *p, int head, const ThKernelHeads *h,
                         const float *w, float *published)
{
    size_t row = ((size_t)p->b * (size_t)f->how.heads + (size_t)head) * (size_t)f->queries;
    float *to = published + (row + (size_t)p->row) * (size_t)f->how.T;
    for (int i = 0; i < h->rows; i++, to += f->how.T)
        for (int j = 0; j < h->keys; j++)
            to[j] = w[th_kernel_heads_weights(h->rows, j) + i];
}

/* ---- the operation ---- */

void th_tape_attend_plain_forward(ThTape *t, ThTapeNode *n)
{
    const ThTapeAttend *f = n->args;
    size_t all = (size_t)f->how.B * (size_t)f->how.heads * weights_of_head(f);
    float *published = th_tape_attend_publish(t, f, sizeof *published), *y = n->value;
    if (th_tape_records(t) && all <= KEPT_WEIGHTS)
        n->saved = th_tape_take(t, all, sizeof(float));
    float *scratch = take_scratch(t, f);
    if (!scratch || th_tape_failed(t))
        return;
    if (has_gaps(f))
        memset(y, 0, th_tape_size(n) * sizeof *y);
    for (Part p = {0}; next_part(f, &p);) {
        ThKernelHeads h = heads_of(t, n, &p);
        float *to = y + (h.q - th_tape_in_float(t, n, TH_TAPE_ATTEND_Q));
        if (p.opens)
            fetch(h.kv, 2 * (size_t)h.keys * (size_t)f->d);
        for (int i = 0; i < f->how.heads && th_tape_goes_on(t); i++) {
            float *w = weights_at(n, &p, i, scratch);
            th_kernel_heads_weigh(&h, w);
            th_kernel_heads_mix(&h, w, to);
            if (published)
                show_weights(f, &p, i, &h, w, published);
            h.q += f->width;
            h.kv += f->width;
            to += f->width;
        }
    }
}

static float *gradient(ThTape *t, const ThTapeNode *n, int i, bool zeroed, float *beta)
{
    *beta = 1;
    return zeroed ? th_tape_grad_float_zeroed(t, n, i) : th_tape_grad_float(t, n, i, beta);
}

void th_tape_attend_plain_backward(ThTape *t, ThTapeNode *n)
{
    const ThTapeAttend *f = n->args;
    const float *q = th_tape_in_float(t, n, TH_TAPE_ATTEND_Q);
    const float *kv = th_tape_in_float(t, n, TH_TAPE_ATTEND_KV);
    float beta_kv, *scratch = take_scratch(t, f);
    ThKernelHeadsBack b = {.dw = take_scratch(t, f)};
    bool zeroed = has_gaps(f) || (f->how.causal && f->queries > TH_KERNEL_HEADS_ROWS);
    float *dq = gradient(t, n, TH_TAPE_ATTEND_Q, zeroed, &b.beta_q);
    float *dkv = gradient(t, n, TH_TAPE_ATTEND_KV, zeroed, &beta_kv);
    for (Part p = {0}; scratch && b.dw && dq && dkv && next_part(f, &p);) {
        ThKernelHeads h = heads_of(t, n, &p);
        b.beta_kv = p.opens ? beta_kv : 1;
        if (p.opens) {
            fetch(h.kv, 2 * (size_t)h.keys * (size_t)f->d);
            fetch(dkv + (h.kv - kv), 2 * (size_t)h.keys * (size_t)f->d);
        }
        for (int i = 0; i < f->how.heads && th_tape_goes_on(t); i++) {
            b.w = weights_at(n, &p, i, scratch);
            b.dy = (const float *)n->grad + (h.q - q);
            b.dq = dq + (h.q - q);
            b.dkv = dkv + (h.kv - kv);
            if (!n->saved)
                th_kernel_heads_weigh(&h, scratch);
            th_kernel_heads_back(&h, &b);
            h.q += f->width;
            h.kv += f->width;
        }
    }
}
