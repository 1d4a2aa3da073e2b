#include "tensor/kernels_attention.h"

#include <math.h>
#include <stddef.h>

#include "tensor/clones.h"

static int seen(const ThKernelHead *h, int row)
{
    int visible = h->first + row + 1;
    return h->causal && visible < h->keys ? visible : h->keys;
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

/* Softmax of the first n of w[0 … width), whole vectors; the others become 0.  Padding holds a
 * harmless logit until the exponentials are taken. */
static inline void softmax_row(float *w, int n, int width, float scale)
{
    int padded = whole_vectors(n);
    float most = w[0], sum = 0;
    for (int j = n; j < padded; j++)
        w[j] = w[0];
    for (int j = 0; j < padded; j++)
        most = w[j] > most ? w[j] : most;
    for (int j = 0; j < padded; j++) {
        float x = scale * (w[j] - most);
        w[j] = expf(x > -80 ? x : -80);
    }
    for (int j = n; j < width; j++)
        w[j] = 0;
    for (int j = 0; j < padded; j++)
        sum += w[j];
    float inverse = 1 / sum;
    for (int j = 0; j < padded; j++)
        w[j] *= inverse;
}

TH_KERNEL_CLONES void th_kernel_attention(const ThKernelHead *h, float *w)
{
    for (int i = 0; i < h->rows; i++) {
        float *row = w + (size_t)i * (size_t)h->ld;
        int n = seen(h, i);
        if (h->relative) {
            const float *relative = h->relative + relative_at(h, i);
            for (int j = 0; j < n; j++)
                row[j] += relative[j];
        }
        softmax_row(row, n, h->ld, h->scale);
    }
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
