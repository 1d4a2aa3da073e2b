#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_attention.h"

static inline int seen_from(const ThKernelHead *h, int row)
{
    int from = h->first + row - h->window + 1;
    return h->window > 0 && from > 0 ? from : 0;
}

static inline int seen_to(const ThKernelHead *h, int row)
{
    int at = h->first + row, to = h->keys;
    if (h->causal)
        to = at + 1;
    else if (h->window > 0)
        to = at + h->window;
    return to < h->keys ? to : h->keys;
}

TH_KERNEL(int, th_kernel_attention_from)(const ThKernelHead *h, int row)
{
    return seen_from(h, row);
}

TH_KERNEL(int, th_kernel_attention_to)(const ThKernelHead *h, int row)
{
    return seen_to(h, row);
}

/* Where row i of the relative products starts. */
static size_t relative_at(const ThKernelHead *h, int row)
{
    size_t keys = (size_t)h->keys;
    return (size_t)row * (2 * keys - 1) + keys - 1 - (size_t)(h->first + row);
}

static int whole_vectors(int n)
{
    return (n + TH_KERNEL_LANES - 1) / TH_KERNEL_LANES * TH_KERNEL_LANES;
}

/* Softmax of w[from … to), whole vectors; the others of w[0 … width) become 0.  Padding holds a
 * harmless logit until the exponentials are taken. */
static inline __attribute__((always_inline)) void softmax_row(float *w, int from, int to, int width,
                                                              float scale)
{
    int start = from / TH_KERNEL_LANES * TH_KERNEL_LANES, padded = whole_vectors(to);
    float most = w[from], sum = 0;
    for (int j = start; j < from; j++)
        w[j] = w[from];
    for (int j = to; j < padded; j++)
        w[j] = w[from];
    for (int j = start; j < padded; j++)
        most = w[j] > most ? w[j] : most;
    for (int j = start; j < padded; j++) {
        float x = scale * (w[j] - most);
        w[j] = expf(x > -80 ? x : -80);
    }
    for (int j = 0; j < from; j++)
        w[j] = 0;
    for (int j = to; j < width; j++)
        w[j] = 0;
    for (int j = start; j < padded; j++)
        sum += w[j];
    float inverse = 1 / sum;
    for (int j = start; j < padded; j++)
        w[j] *= inverse;
}

static inline __attribute__((always_inline)) void attention_rows(const ThKernelHead *h, float *w,
                                                                 bool windows)
{
    for (int i = 0; i < h->rows; i++) {
        float *row = w + (size_t)i * (size_t)h->ld;
        int from = windows ? seen_from(h, i) : 0, to = seen_to(h, i);
        if (h->relative) {
            const float *relative = h->relative + relative_at(h, i);
            for (int j = from; j < to; j++)
                row[j] += relative[j];
        }
        if (h->bias) {
            const float *bias = h->bias + (ptrdiff_t)i * h->bias_step;
            for (int j = from; j < to; j++)
                row[j] = h->scale * row[j] + bias[j];
        }
        softmax_row(row, from, to, whole_vectors(h->keys), h->bias ? 1 : h->scale);
    }
}

/* Short rows without windows are worth loops that need not ask for them. */
TH_KERNEL(void, th_kernel_attention)(const ThKernelHead *h, float *w)
{
    if (h->window > 0)
        attention_rows(h, w, true);
    else
        attention_rows(h, w, false);
}

TH_KERNEL(void, th_kernel_attention_back)(const ThKernelHead *h, const float *w, float *dw)
{
    for (int i = 0; i < h->rows; i++) {
        const float *restrict p = w + (size_t)i * (size_t)h->ld;
        float *restrict d = dw + (size_t)i * (size_t)h->ld;
        int width = whole_vectors(h->keys);
        float dot = 0;
        for (int j = h->keys; j < width; j++)
            d[j] = 0;
        for (int j = 0; j < width; j++)
            dot += p[j] * d[j];
        for (int j = 0; j < width; j++)
            d[j] = h->scale * p[j] * (d[j] - dot);
    }
}

TH_KERNEL(void, th_kernel_attention_relative_back)
(const ThKernelHead *h, const float *dw, float *to)
{
    for (int i = 0; i < h->rows; i++) {
        const float *restrict d = dw + (size_t)i * (size_t)h->ld;
        float *restrict row = to + relative_at(h, i);
        for (int j = 0; j < h->keys; j++)
            row[j] = d[j];
    }
}

TH_KERNEL(void, th_kernel_attention_bias_back)(const ThKernelHead *h, const float *dw, float *dbias)
{
    float by = 1 / h->scale;
    for (int i = 0; i < h->rows; i++) {
        const float *restrict d = dw + (size_t)i * (size_t)h->ld;
        float *restrict to = dbias + (ptrdiff_t)i * h->bias_step;
        int end = seen_to(h, i);
        for (int j = seen_from(h, i); j < end; j++)
            to[j] += by * d[j];
    }
}

/* ---- a narrow window ---- */

/* Eight numbers that are worked on at once; the compiler cuts them where registers are shorter. */
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int EightInts __attribute__((vector_size(32)));

/* *to: the sums of neighbours, those of u in the first half of each half. */
static inline __attribute__((always_inline)) void fold(Eight *to, const Eight *u, const Eight *v)
{
    *to = TH_KERNEL_SHUFFLE(EightInts, *u, *v, 0, 2, 8, 10, 4, 6, 12, 14) +
          TH_KERNEL_SHUFFLE(EightInts, *u, *v, 1, 3, 9, 11, 5, 7, 13, 15);
}

/* to[i] = row i of a · row i of b, for eight rows, lda and ldb apart. */
static inline __attribute__((always_inline)) void
eight_dots(const float *a, size_t lda, const float *b, size_t ldb, int width, float *to)
{
    Eight sum[8], low, high;
    int c = 0;
    for (int i = 0; i < 8; i++)
        sum[i] = (Eight){0};
    for (; c + 8 <= width; c += 8)
        for (size_t i = 0; i < 8; i++)
            sum[i] += *(const Eight *)(a + i * lda + c) * *(const Eight *)(b + i * ldb + c);
    for (int i = 0; i < 4; i++)
        fold(&sum[i], &sum[2 * i], &sum[2 * i + 1]);
    fold(&low, &sum[0], &sum[1]);
    fold(&high, &sum[2], &sum[3]);
    *(Eight *)to = TH_KERNEL_SHUFFLE(EightInts, low, high, 0, 1, 2, 3, 8, 9, 10, 11) +
                   TH_KERNEL_SHUFFLE(EightInts, low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    for (; c < width; c++)
        for (size_t i = 0; i < 8; i++)
            to[i] += a[i * lda + (size_t)c] * b[i * ldb + (size_t)c];
}

static inline __attribute__((always_inline)) void dots(const float *a, size_t lda, const float *b,
                                                       size_t ldb, int width, int n, float *to)
{
    size_t i = 0;
    for (; i + 8 <= (size_t)n; i += 8)
        eight_dots(a + i * lda, lda, b + i * ldb, ldb, width, to + i);
    for (; i < (size_t)n; i++) {
        float sum = 0;
        for (int c = 0; c < width; c++)
            sum += a[i * lda + (size_t)c] * b[i * ldb + (size_t)c];
        to[i] = sum;
    }
}

/* n weights, w_step apart, of as many rows, x_step apart. */
typedef struct {
    const float *w, *x;
    ptrdiff_t w_step, x_step;
    int n;
} Mix;

/* to += by * the weighted sum of the rows, in so many Eights of columns from c on. */
static inline __attribute__((always_inline)) void add_eights(float *to, float by, const Mix *m,
                                                             int c, int eights)
{
    Eight sum[2] = {{0}};
    const float *w = m->w, *x = m->x + c;
    ptrdiff_t next = m->x_step;
    int k = 0;
    for (; k + 4 <= m->n; k += 4, w += 4 * m->w_step, x += 4 * next)
        for (int j = 0; j < eights; j++) {
            const float *at = x + 8 * j;
            sum[j] += (w[0] * *(const Eight *)at + w[m->w_step] * *(const Eight *)(at + next)) +
                      (w[2 * m->w_step] * *(const Eight *)(at + 2 * next) +
                       w[3 * m->w_step] * *(const Eight *)(at + 3 * next));
        }
    for (; k < m->n; k++, w += m->w_step, x += next)
        for (int j = 0; j < eights; j++)
            sum[j] += *w * *(const Eight *)(x + 8 * j);
    for (int j = 0; j < eights; j++)
        *(Eight *)(to + c + 8 * j) += by * sum[j];
}

static inline __attribute__((always_inline)) void add_mix(float *to, float by, const Mix *m,
                                                          int width)
{
    int c = 0;
    for (; c + 16 <= width; c += 16)
        add_eights(to, by, m, c, 2);
    if (c + 8 <= width) {
        add_eights(to, by, m, c, 1);
        c += 8;
    }
    for (; c < width; c++)
        for (ptrdiff_t k = 0; k < m->n; k++)
            to[c] += by * m->w[k * m->w_step] * m->x[k * m->x_step + c];
}

/* Keys that a row sees, counted from the first that it could see: o stands for key at-back+o. */
typedef struct {
    int back, n;
} Reach;

static Reach reach_of(const ThKernelHead *h)
{
    return (Reach){h->window - 1, h->causal ? h->window : 2 * h->window - 1};
}

static int clamp(int x, int most)
{
    return x < 0 ? 0 : x < most ? x : most;
}

/* The rows from … to-1 for which there is a key o, and the key of row 0. */
typedef struct {
    int from, to, key;
} Diagonal;

static Diagonal diagonal(const ThKernelHead *h, Reach r, int o)
{
    int key = h->first - r.back + o;
    return (Diagonal){clamp(-key, h->rows), clamp(h->keys - key, h->rows), key};
}

/* Row o of to (n, rows): products of the rows of x, d apart, with the keys or values kv. */
static inline __attribute__((always_inline)) void band_products(const ThKernelHead *h,
                                                                const ThKernelBand *b,
                                                                const float *x, const float *kv,
                                                                float *to)
{
    Reach r = reach_of(h);
    for (int o = 0; o < r.n; o++, to += h->rows) {
        Diagonal g = diagonal(h, r, o);
        for (int i = 0; i < g.from; i++)
            to[i] = 0;
        if (g.from < g.to)
            dots(x + (ptrdiff_t)g.from * b->d, (size_t)b->d,
                 kv + (ptrdiff_t)(g.key + g.from) * b->row, (size_t)b->row, b->width, g.to - g.from,
                 to + g.from);
        for (int i = g.to; i < h->rows; i++)
            to[i] = 0;
    }
}

/* The logits of products; those of keys that are not there are too small to count. */
static inline __attribute__((always_inline)) void band_logits(const ThKernelHead *h, Reach r,
                                                              float *w)
{
    const float none = -1e30f;
    for (int o = 0; o < r.n; o++, w += h->rows) {
        Diagonal g = diagonal(h, r, o);
        for (int i = 0; i < h->rows; i++)
            w[i] = i < g.from || i >= g.to ? none : h->scale * w[i];
        for (ptrdiff_t i = g.from; h->bias && i < g.to; i++)
            w[i] += h->bias[i * h->bias_step + g.key + i];
    }
}

enum { ROWS_AT_ONCE = 64 };

/* Softmax over the n rows of w, each column by itself, of up to ROWS_AT_ONCE columns. */
static inline __attribute__((always_inline)) void softmax_columns(float *w, int n, size_t ld,
                                                                  int cols)
{
    float most[ROWS_AT_ONCE], sum[ROWS_AT_ONCE];
    for (int i = 0; i < cols; i++) {
        most[i] = w[i];
        sum[i] = 0;
    }
    for (size_t o = 1; o < (size_t)n; o++)
        for (int i = 0; i < cols; i++)
            most[i] = w[o * ld + (size_t)i] > most[i] ? w[o * ld + (size_t)i] : most[i];
    for (size_t o = 0; o < (size_t)n; o++) {
        float *row = w + o * ld;
        for (int i = 0; i < cols; i++) {
            float x = row[i] - most[i], e = expf(x > -80 ? x : -80);
            row[i] = x > -1e29f ? e : 0;
            sum[i] += row[i];
        }
    }
    for (int i = 0; i < cols; i++)
        sum[i] = 1 / sum[i];
    for (size_t o = 0; o < (size_t)n; o++)
        for (int i = 0; i < cols; i++)
            w[o * ld + (size_t)i] *= sum[i];
}

TH_KERNEL(void, th_kernel_band_weights)(const ThKernelHead *h, const ThKernelBand *b, float *w)
{
    Reach r = reach_of(h);
    band_products(h, b, b->q, b->kv, w);
    band_logits(h, r, w);
    for (int i = 0; i < h->rows; i += ROWS_AT_ONCE)
        softmax_columns(w + i, r.n, (size_t)h->rows, clamp(h->rows - i, ROWS_AT_ONCE));
}

/* What row i does with the keys or values kv that it sees, its weights being w (n, rows). */
static Mix of_keys(const ThKernelHead *h, const ThKernelBand *b, const float *kv, const float *w,
                   int i)
{
    Reach r = reach_of(h);
    int at = h->first + i, from = clamp(r.back - at, r.n), to = clamp(h->keys - at + r.back, r.n);
    return (Mix){.w = w + (ptrdiff_t)from * h->rows + i,
                 .x = kv + (ptrdiff_t)(at - r.back + from) * b->row,
                 .w_step = h->rows,
                 .x_step = b->row,
                 .n = to - from};
}

/* What key j gets from the rows x, d apart, that see it. */
static Mix of_rows(const ThKernelHead *h, const ThKernelBand *b, const float *x, const float *w,
                   int j)
{
    Reach r = reach_of(h);
    int sum = j - h->first + r.back; /* of row and o */
    int from = clamp(sum - h->rows + 1, r.n), to = clamp(sum + 1, r.n);
    return (Mix){.w = w + (ptrdiff_t)from * h->rows + sum - from,
                 .x = x + (ptrdiff_t)(sum - from) * b->d,
                 .w_step = h->rows - 1,
                 .x_step = -(ptrdiff_t)b->d,
                 .n = to - from};
}

static void mix_values(const ThKernelHead *h, const ThKernelBand *b, const float *w, float *y)
{
    for (int i = 0; i < h->rows; i++) {
        Mix m = of_keys(h, b, b->kv + b->value, w, i);
        float *to = y + (ptrdiff_t)i * b->d;
        for (int c = 0; c < b->width; c++)
            to[c] = 0;
        add_mix(to, 1, &m, b->width);
    }
}

TH_KERNEL(void, th_kernel_band)(const ThKernelHead *h, const ThKernelBand *b, float *w, float *y)
{
    TH_KERNEL_OWN(th_kernel_band_weights)(h, b, w);
    mix_values(h, b, w, y);
}

/* ds: gradients of the weights become those of the logits. */
static inline __attribute__((always_inline)) void band_slopes(const ThKernelHead *h, Reach r,
                                                              const float *w, float *ds)
{
    size_t ld = (size_t)h->rows;
    for (int i = 0; i < h->rows; i += ROWS_AT_ONCE, w += ROWS_AT_ONCE, ds += ROWS_AT_ONCE) {
        float mean[ROWS_AT_ONCE] = {0};
        int cols = clamp(h->rows - i, ROWS_AT_ONCE);
        for (size_t o = 0; o < (size_t)r.n; o++)
            for (int c = 0; c < cols; c++)
                mean[c] += w[o * ld + (size_t)c] * ds[o * ld + (size_t)c];
        for (size_t o = 0; o < (size_t)r.n; o++)
            for (int c = 0; c < cols; c++)
                ds[o * ld + (size_t)c] = w[o * ld + (size_t)c] * (ds[o * ld + (size_t)c] - mean[c]);
    }
}

static void add_to_bias(const ThKernelHead *h, const float *ds, float *dbias)
{
    Reach r = reach_of(h);
    for (int o = 0; o < r.n; o++, ds += h->rows) {
        Diagonal g = diagonal(h, r, o);
        for (ptrdiff_t i = g.from; i < g.to; i++)
            dbias[i * h->bias_step + g.key + i] += ds[i];
    }
}

TH_KERNEL(void, th_kernel_band_back)
(const ThKernelHead *h, const ThKernelBand *b, const float *w, const ThKernelBandBack *g)
{
    Reach r = reach_of(h);
    float *ds = g->scratch;
    band_products(h, b, g->dy, b->kv + b->value, ds);
    band_slopes(h, r, w, ds);
    if (g->dbias)
        add_to_bias(h, ds, g->dbias);
    for (int i = 0; i < h->rows; i++) {
        Mix m = of_keys(h, b, b->kv, ds, i);
        add_mix(g->dq + (ptrdiff_t)i * b->d, h->scale, &m, b->width);
    }
    int end = clamp(h->first + h->rows - r.back + r.n - 1, h->keys);
    for (int j = clamp(h->first - r.back, h->keys); j < end; j++) {
        float *to = g->dkv + (ptrdiff_t)j * b->row;
        Mix keys = of_rows(h, b, b->q, ds, j), values = of_rows(h, b, g->dy, w, j);
        add_mix(to, h->scale, &keys, b->width);
        add_mix(to + b->value, 1, &values, b->width);
    }
}

/* ---- one query ---- */

TH_KERNEL(void, th_kernel_dots)
(const float *x, const float *rows, int ld, int width, int n, float *to)
{
    dots(x, 0, rows, (size_t)ld, width, n, to);
}

TH_KERNEL(void, th_kernel_one_query)
(const ThKernelHead *h, const ThKernelBand *b, float *w, float *y)
{
    int from = seen_from(h, 0), n = seen_to(h, 0) - from;
    const float *key = b->kv + (ptrdiff_t)from * b->row;
    dots(b->q, 0, key, (size_t)b->row, b->width, n, w);
    for (int k = 0; h->relative && k < n; k++)
        w[k] += h->relative[relative_at(h, 0) + (size_t)(from + k)];
    for (int k = 0; k < n; k++)
        w[k] = h->scale * w[k] + (h->bias ? h->bias[from + k] : 0);
    softmax_row(w, 0, n, h->ld, 1);
    for (int c = 0; c < b->width; c++)
        y[c] = 0;
    Mix m = {.w = w, .x = key + b->value, .w_step = 1, .x_step = b->row, .n = n};
    add_mix(y, 1, &m, b->width);
}

/* ---- rotations ---- */

/* The columns of a pair are `apart` from each other, pairs `step`. */
static inline __attribute__((always_inline)) void turn_block(const ThKernelTurn *r, float *x,
                                                             int apart, int step)
{
    float way = r->back ? -1 : 1;
    for (int p = 0; p < r->pairs; p++) {
        float c = (float)r->cosine[p], s = way * (float)r->sine[p];
        float a = x[p * step], b = x[p * step + apart];
        x[p * step] = c * a - s * b;
        x[p * step + apart] = s * a + c * b;
    }
}

TH_KERNEL(void, th_kernel_turn)(const ThKernelTurn *r, float *x)
{
    for (int block = 0; block < r->blocks; block++, x += r->width)
        if (r->neighbours)
            turn_block(r, x, 1, 2);
        else
            turn_block(r, x, r->pairs, 1);
}
