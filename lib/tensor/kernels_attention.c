#include "tensor/kernels_attention.h"

#include <math.h>
#include <stddef.h>

#include "tensor/clones.h"

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

int th_kernel_attention_from(const ThKernelHead *h, int row)
{
    return seen_from(h, row);
}

int th_kernel_attention_to(const ThKernelHead *h, int row)
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
        softmax_row(row, from, to, h->ld, h->bias ? 1 : h->scale);
    }
}

/* Short rows without windows are worth loops that need not ask for them. */
TH_KERNEL_CLONES void th_kernel_attention(const ThKernelHead *h, float *w)
{
    if (h->window > 0)
        attention_rows(h, w, true);
    else
        attention_rows(h, w, false);
}

TH_KERNEL_CLONES void th_kernel_attention_back(const ThKernelHead *h, const float *w, float *dw)
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

TH_KERNEL_CLONES void th_kernel_attention_relative_back(const ThKernelHead *h, const float *dw,
                                                        float *to)
{
    for (int i = 0; i < h->rows; i++) {
        const float *restrict d = dw + (size_t)i * (size_t)h->ld;
        float *restrict row = to + relative_at(h, i);
        for (int j = 0; j < h->keys; j++)
            row[j] = d[j];
    }
}

TH_KERNEL_CLONES void th_kernel_attention_bias_back(const ThKernelHead *h, const float *dw,
                                                    float *dbias)
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

static inline __attribute__((always_inline)) float dot(const float *restrict a,
                                                       const float *restrict b, int n)
{
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static inline __attribute__((always_inline)) void add_times(float *restrict y, float by,
                                                            const float *restrict x, int n)
{
    for (int j = 0; j < n; j++)
        y[j] += by * x[j];
}

static inline __attribute__((always_inline)) void
band_logits(const ThKernelHead *h, const ThKernelBand *b, float *w, int width)
{
    size_t d = (size_t)b->d;
    for (int i = 0; i < h->rows; i++) {
        const float *q = b->q + (size_t)i * d;
        float *row = w + (size_t)i * (size_t)h->ld;
        int from = seen_from(h, i), n = seen_to(h, i) - from;
        for (int k = 0; k < n; k++)
            row[k] = h->scale * dot(q, b->kv + 2 * (size_t)(from + k) * d, width);
        for (int k = 0; h->relative && k < n; k++)
            row[k] += h->scale * h->relative[relative_at(h, i) + (size_t)(from + k)];
        for (int k = 0; h->bias && k < n; k++)
            row[k] += h->bias[(ptrdiff_t)i * h->bias_step + from + k];
    }
}

TH_KERNEL_CLONES void th_kernel_band_weights(const ThKernelHead *h, const ThKernelBand *b, float *w)
{
    if (b->width == 16)
        band_logits(h, b, w, 16);
    else if (b->width == 32)
        band_logits(h, b, w, 32);
    else
        band_logits(h, b, w, b->width);
    for (int i = 0; i < h->rows; i++)
        softmax_row(w + (size_t)i * (size_t)h->ld, 0, seen_to(h, i) - seen_from(h, i), h->ld, 1);
}

TH_KERNEL_CLONES void th_kernel_dots(const float *x, const float *rows, int ld, int width, int n,
                                     float *to)
{
    for (int j = 0; j < n; j++)
        to[j] = dot(x, rows + (size_t)j * (size_t)ld, width);
}

static inline __attribute__((always_inline)) void
band_mix(const ThKernelHead *h, const ThKernelBand *b, const float *w, float *y, int width)
{
    size_t d = (size_t)b->d;
    for (int i = 0; i < h->rows; i++) {
        int from = seen_from(h, i), n = seen_to(h, i) - from;
        float *to = y + (size_t)i * d;
        for (int c = 0; c < width; c++)
            to[c] = 0;
        for (int k = 0; k < n; k++)
            add_times(to, w[(size_t)i * (size_t)h->ld + (size_t)k],
                      b->kv + 2 * (size_t)(from + k) * d + d, width);
    }
}

static TH_KERNEL_CLONES void mix_values(const ThKernelHead *h, const ThKernelBand *b,
                                        const float *w, float *y)
{
    if (b->width == 16)
        band_mix(h, b, w, y, 16);
    else if (b->width == 32)
        band_mix(h, b, w, y, 32);
    else
        band_mix(h, b, w, y, b->width);
}

void th_kernel_band(const ThKernelHead *h, const ThKernelBand *b, float *w, float *y)
{
    th_kernel_band_weights(h, b, w);
    mix_values(h, b, w, y);
}

/* One query: the three gradients of every key in one loop. */
static inline __attribute__((always_inline)) void
band_row_back(const ThKernelHead *h, const ThKernelBand *b, const float *w,
              const ThKernelBandBack *g, int i, int width)
{
    size_t d = (size_t)b->d, at = (size_t)i * d;
    int from = seen_from(h, i), n = seen_to(h, i) - from;
    const float *q = b->q + at, *dy = g->dy + at;
    float *ds = g->scratch, mean = 0;
    for (int k = 0; k < n; k++) {
        ds[k] = dot(dy, b->kv + 2 * (size_t)(from + k) * d + d, width);
        mean += w[k] * ds[k];
    }
    for (int k = 0; k < n; k++)
        ds[k] = w[k] * (ds[k] - mean);
    for (int k = 0; g->dbias && k < n; k++)
        g->dbias[(ptrdiff_t)i * h->bias_step + from + k] += ds[k];
    for (int k = 0; k < n; k++) {
        size_t key = 2 * (size_t)(from + k) * d;
        add_times(g->dq + at, h->scale * ds[k], b->kv + key, width);
        add_times(g->dkv + key, h->scale * ds[k], q, width);
        add_times(g->dkv + key + d, w[k], dy, width);
    }
}

TH_KERNEL_CLONES void th_kernel_band_back(const ThKernelHead *h, const ThKernelBand *b,
                                          const float *w, const ThKernelBandBack *back)
{
    for (int i = 0; i < h->rows; i++) {
        const float *row = w + (size_t)i * (size_t)h->ld;
        if (b->width == 16)
            band_row_back(h, b, row, back, i, 16);
        else if (b->width == 32)
            band_row_back(h, b, row, back, i, 32);
        else
            band_row_back(h, b, row, back, i, b->width);
    }
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

TH_KERNEL_CLONES void th_kernel_turn(const ThKernelTurn *r, float *x)
{
    for (int block = 0; block < r->blocks; block++, x += r->width) {
        if (r->neighbours)
            turn_block(r, x, 1, 2);
        else
            turn_block(r, x, r->pairs, 1);
    }
}
