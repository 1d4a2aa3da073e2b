#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels.h"

#include <stdbool.h>

static const float NORM_EPS = 1e-5f;

TH_KERNEL(void, th_kernel_add)(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

TH_KERNEL(void, th_kernel_multiply)(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] *= x[i];
}

TH_KERNEL(void, th_kernel_add_scaled)(float *y, const float *x, float s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += s * x[i];
}

TH_KERNEL(void, th_kernel_scale)(float *y, const float *x, float s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = s * x[i];
}

TH_KERNEL(double, th_kernel_sum_squares)(const float *x, size_t n)
{
    double total = 0;
    for (size_t from = 0; from < n; from += 4096) {
        size_t to = from + 4096 < n ? from + 4096 : n;
        float part = 0;
        for (size_t i = from; i < to; i++)
            part += x[i] * x[i];
        total += (double)part;
    }
    return total;
}

TH_KERNEL(void, th_kernel_bias)(float *y, const float *bias, int n, int d)
{
    for (int i = 0; i < n; i++) {
        float *row = y + (size_t)i * (size_t)d;
        for (int j = 0; j < d; j++)
            row[j] += bias[j];
    }
}

/* So many columns are added up in registers. */
enum { LANE = 16, OUTER = 4 * LANE };
typedef float Lane __attribute__((vector_size(LANE * sizeof(float)), aligned(4)));

/* As many rows as a register has numbers fill so many registers as there are columns. */
static inline void narrow_sums(float *sum, const float *x, int n, int d)
{
    float part[LANE * LANE] = {0};
    for (int i = 0; i < n; i += LANE, x += LANE * d)
        for (int k = 0; k < (n - i < LANE ? n - i : LANE) * d; k++)
            part[k] += x[k];
    for (int k = 0; k < LANE * d; k++)
        sum[k % d] += part[k];
}

static inline __attribute__((always_inline)) void some_sums(float *sum, const float *x, int n,
                                                            int d)
{
    Lane part[OUTER / LANE] = {{0}};
    for (int i = 0; i < n; i++, x += d)
#pragma GCC unroll 4
        for (int j = 0; j < OUTER / LANE; j++)
            part[j] += ((const Lane *)x)[j];
    for (int j = 0; j < OUTER / LANE; j++)
        ((Lane *)sum)[j] += part[j];
}

TH_KERNEL(void, th_kernel_column_sums)(float *sum, const float *x, int n, int d, float beta)
{
    int from = 0;
    for (int j = 0; j < d; j++)
        sum[j] = beta == 0 ? 0 : beta * sum[j];
    for (; from + OUTER <= d; from += OUTER)
        some_sums(sum + from, x + from, n, d);
    if (d < LANE)
        narrow_sums(sum, x, n, d);
    else
        for (int i = 0; i < n && from < d; i++)
            for (int j = from; j < d; j++)
                sum[j] += x[(size_t)i * (size_t)d + (size_t)j];
}

static inline __attribute__((always_inline)) void
outer_columns(const ThKernelOuter *o, const float *x, const float *dy, float *y)
{
    Lane sum[OUTER / LANE] = {{0}};
    for (int p = 0; p < o->k; p++, x += o->x_cols, dy += o->d)
#pragma GCC unroll 4
        for (int j = 0; j < OUTER / LANE; j++)
            sum[j] += *x * ((const Lane *)dy)[j];
#pragma GCC unroll 4
    for (int j = 0; j < OUTER / LANE; j++)
        ((Lane *)y)[j] = o->beta == 0 ? sum[j] : sum[j] + o->beta * ((Lane *)y)[j];
}

static inline void outer_column(const ThKernelOuter *o, const float *x, const float *dy, float *y)
{
    float sum = 0;
    for (int p = 0; p < o->k; p++)
        sum += x[p * o->x_cols] * dy[p * o->d];
    *y = sum + (o->beta == 0 ? 0 : o->beta * *y);
}

TH_KERNEL(void, th_kernel_outer)(const ThKernelOuter *o, float *y)
{
    for (int i = 0; i < o->n; i++, y += o->d) {
        int j = 0;
        for (; j + OUTER <= o->d; j += OUTER)
            outer_columns(o, o->x + i, o->dy + j, y + j);
        for (; j < o->d; j++)
            outer_column(o, o->x + i, o->dy + j, y + j);
    }
}

TH_KERNEL(void, th_kernel_relu)(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = th_kernel_relu_of(x[i]);
}

TH_KERNEL(void, th_kernel_relu_back)(float *dx, const float *dy, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = y[i] > 0 ? dy[i] : 0;
}

/* The normal distribution function at z, of which `power` is exp(-z^2/2), as its derivative wants
 * it too: power times a polynomial in 1/(1 + p |z|), of the form of Hastings' formulas, fitted
 * here; at most 1e-8 off. */
static inline __attribute__((always_inline)) float normal_below(float z, float power)
{
    float t = 1 / (1 + 0.38890873f * fabsf(z));
    float sum = 0.379855650f + t * (-0.259018149f + t * 0.053661993f);
    float tail = power * t * (0.150791796f + t * (0.195420561f + t * (-0.0207118416f + t * sum)));
    return z < 0 ? tail : 1 - tail;
}

TH_KERNEL(void, th_kernel_gelu)(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * normal_below(x[i], expf(-0.5f * x[i] * x[i]));
}

TH_KERNEL(void, th_kernel_gelu_back)(float *dx, const float *dy, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float power = expf(-0.5f * x[i] * x[i]);
        dx[i] = dy[i] * (normal_below(x[i], power) + 0.39894228f * x[i] * power);
    }
}

TH_KERNEL(void, th_kernel_gelu_slope)(float *y, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float z = x[i], power = expf(-0.5f * z * z), below = normal_below(z, power);
        y[i] = z * below;
        x[i] = below + 0.39894228f * z * power;
    }
}

TH_KERNEL(void, th_kernel_sigmoid)(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = 0.5f + 0.5f * tanhf(0.5f * x[i]); /* cannot overflow */
}

static inline __attribute__((always_inline)) float softmax(float *x, int n)
{
    float most = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int i = 0; i < n; i++)
        x[i] = expf(x[i] - most);
    for (int i = 0; i < n; i++)
        sum += x[i];
    float inverse = 1 / sum;
    for (int i = 0; i < n; i++)
        x[i] *= inverse;
    return most + logf(sum);
}

TH_KERNEL(float, th_kernel_softmax)(float *x, int n)
{
    return softmax(x, n);
}

/* Rows that do not fill registers are worked on as columns, so many at a time. */
enum { NARROW = 16, COLUMNS = 64 };

static inline __attribute__((always_inline)) void softmax_columns(float *x, int n, int d,
                                                                  float *log_sum)
{
    float e[NARROW][COLUMNS], most[COLUMNS], sum[COLUMNS] = {0};
    if (d < 1)
        return; /* there is no such row, which not every compiler sees */
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < d; j++)
            e[j][i] = i < n ? x[i * d + j] : 0;
    for (int i = 0; i < COLUMNS; i++)
        most[i] = e[0][i];
    for (int j = 1; j < d; j++)
        for (int i = 0; i < COLUMNS; i++)
            most[i] = e[j][i] > most[i] ? e[j][i] : most[i];
    for (int j = 0; j < d; j++)
        for (int i = 0; i < COLUMNS; i++)
            sum[i] += e[j][i] = expf(e[j][i] - most[i]);
    for (int i = 0; i < COLUMNS; i++) {
        most[i] += logf(sum[i]);
        sum[i] = 1 / sum[i];
    }
    for (int i = 0; i < n; i++) {
        log_sum[i] = most[i];
        for (int j = 0; j < d; j++)
            x[i * d + j] = e[j][i] * sum[i];
    }
}

TH_KERNEL(void, th_kernel_softmax_rows)(float *x, int n, int d, float *log_sum)
{
    int step = d > NARROW ? 1 : COLUMNS;
    for (int i = 0; i < n; i += step, x += step * d)
        if (d > NARROW)
            log_sum[i] = softmax(x, d);
        else
            softmax_columns(x, n - i < COLUMNS ? n - i : COLUMNS, d, log_sum + i);
}

enum { NORM_PART = 256 }; /* numbers that are added up in single precision */

/* Both moments come from centred values, which keeps the variance exact when the mean is large. */
static inline __attribute__((always_inline)) void norm_rows(const ThKernelLayerNorm *l, bool sum,
                                                            int d)
{
    for (int i = 0; i < l->n; i++) {
        size_t at = (size_t)i * (size_t)d;
        const float *restrict a = l->a + at, *restrict b = sum ? l->b + at : NULL;
        float *restrict y = l->y + at;
        double total = 0, squares = 0;
        for (int from = 0; from < d; from += NORM_PART) {
            int end = d - from < NORM_PART ? d : from + NORM_PART;
            float part = 0;
            for (int j = from; j < end; j++)
                part += a[j] + (sum ? b[j] : 0);
            total += (double)part;
        }
        float mean = l->mean[i] = (float)total / (float)d;
        for (int from = 0; from < d; from += NORM_PART) {
            int end = d - from < NORM_PART ? d : from + NORM_PART;
            float part = 0;
            for (int j = from; j < end; j++) {
                float centred = a[j] + (sum ? b[j] : 0) - mean;
                part += centred * centred;
            }
            squares += (double)part;
        }
        float rstd = l->rstd[i] = 1 / sqrtf((float)squares / (float)d + NORM_EPS);
        for (int j = 0; j < d; j++)
            y[j] = (a[j] + (sum ? b[j] : 0) - mean) * rstd * l->gain[j] + l->offset[j];
    }
}

/* Widths that occur get loops of constant length. */
TH_KERNEL(void, th_kernel_layer_norm)(const ThKernelLayerNorm *l)
{
    if (l->b)
        norm_rows(l, true, l->d);
    else if (l->d == 64)
        norm_rows(l, false, 64);
    else if (l->d == 128)
        norm_rows(l, false, 128);
    else
        norm_rows(l, false, l->d);
}

/* A row of the gradient of a or b: to = beta to + dx. */
static inline __attribute__((always_inline)) void put_norm_back(const ThKernelLayerNormBack *l,
                                                                size_t i, float *restrict to,
                                                                float beta, const float moment[2],
                                                                bool sum, int d)
{
    const ThKernelLayerNorm *f = l->forward;
    const float *restrict a = f->a + i * (size_t)d, *restrict b = sum ? f->b + i * (size_t)d : NULL;
    const float *restrict dy = l->dy + i * (size_t)d, *restrict gain = f->gain;
    float middle = f->mean[i], rstd = f->rstd[i], mean = moment[0], project = moment[1];
    for (int j = 0; j < d; j++) {
        float normal = (a[j] + (sum ? b[j] : 0) - middle) * rstd;
        float dx = rstd * (dy[j] * gain[j] - mean - normal * project);
        to[j] = dx + (beta == 0 ? 0 : beta * to[j]);
    }
}

static inline __attribute__((always_inline)) void norm_rows_back(const ThKernelLayerNormBack *l,
                                                                 bool sum, int d)
{
    const ThKernelLayerNorm *f = l->forward;
    float *restrict dgain = l->dgain, *restrict doffset = l->doffset;
    const float *restrict gain = f->gain;
    for (size_t i = 0; i < (size_t)f->n; i++) {
        size_t at = i * (size_t)d;
        const float *restrict a = f->a + at, *restrict b = sum ? f->b + at : NULL;
        const float *restrict dy = l->dy + at;
        float mean = 0, project = 0, middle = f->mean[i], rstd = f->rstd[i];
        for (int j = 0; j < d; j++) {
            float g = dy[j] * gain[j], normal = (a[j] + (sum ? b[j] : 0) - middle) * rstd;
            mean += g;
            project += g * normal;
            dgain[j] += dy[j] * normal;
            doffset[j] += dy[j];
        }
        const float moment[] = {mean / (float)d, project / (float)d};
        put_norm_back(l, i, l->da + at, l->beta_a, moment, sum, d);
        if (sum)
            put_norm_back(l, i, l->db + at, l->beta_b, moment, sum, d);
    }
}

TH_KERNEL(void, th_kernel_layer_norm_back)(const ThKernelLayerNormBack *l)
{
    if (l->forward->b)
        norm_rows_back(l, true, l->forward->d);
    else if (l->forward->d == 64)
        norm_rows_back(l, false, 64);
    else if (l->forward->d == 128)
        norm_rows_back(l, false, 128);
    else
        norm_rows_back(l, false, l->forward->d);
}

TH_KERNEL(void, th_kernel_adam)
(const ThKernelAdam *a, float *w, float *m, float *v, const float *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float x = g[i] * a->clip + a->l2 * w[i];
        m[i] = th_tape_drop_tiny(a->beta1 * m[i] + (1 - a->beta1) * x);
        v[i] = th_tape_drop_tiny(a->beta2 * v[i] + (1 - a->beta2) * x * x);
        float step = m[i] * a->correct1 / (sqrtf(v[i] * a->correct2) + a->eps);
        w[i] -= a->rate * step + a->decay * w[i];
    }
}

/* Box and Muller 1958: two numbers from the two ends of a word.  The sine is written as a cosine,
 * because the pair of both on one angle would not become vector code. */
TH_KERNEL(void, th_kernel_normals)(float *first, float *second, const uint64_t *bits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float u = (float)(int32_t)((bits[i] >> 40) + 1) * 0x1p-24f;
        float angle = (float)(int32_t)(bits[i] & 0xffffff) * (6.2831853f * 0x1p-24f);
        float radius = sqrtf(-2 * logf(u));
        first[i] = radius * cosf(angle);
        second[i] = radius * cosf(angle - 1.5707963f);
    }
}

/* ---- window attention ---- */

static inline __attribute__((always_inline)) float dot(const float *restrict a,
                                                       const float *restrict b, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline __attribute__((always_inline)) void add_times(float *restrict y, float s,
                                                            const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

static inline __attribute__((always_inline)) void window_logits(const ThKernelWindow *a, int width)
{
    float by = 1 / sqrtf((float)width);
    int d = width * a->heads;
    for (int i = 0; i < a->n; i++) {
        const float *q = a->q + (size_t)a->query[i] * (size_t)d;
        const int *keys = a->key + (size_t)i * (size_t)a->C;
        float *w = a->weight + (size_t)i * (size_t)(a->heads * a->C);
        for (int k = 0; k < a->C; k++) {
            int row = keys[k];
            const float *key = row < 0 ? q : a->kv + (size_t)row * 2 * (size_t)d;
            for (int h = 0; h < a->heads; h++)
                w[h * a->C + k] = row < 0 ? -1e30f
                                          : by * dot(q + h * width, key + h * width, width) +
                                                a->bias[h * a->C + k];
        }
    }
}

static inline __attribute__((always_inline)) void window_mix(const ThKernelWindow *a, int width)
{
    int d = width * a->heads;
    for (int i = 0; i < a->n; i++) {
        const int *keys = a->key + (size_t)i * (size_t)a->C;
        const float *w = a->weight + (size_t)i * (size_t)(a->heads * a->C);
        float *y = a->y + (size_t)i * (size_t)d;
        for (int j = 0; j < d; j++)
            y[j] = 0;
        for (int k = 0; k < a->C; k++) {
            int row = keys[k];
            if (row < 0)
                continue;
            const float *value = a->kv + (size_t)row * 2 * (size_t)d + d;
            for (int h = 0; h < a->heads; h++)
                add_times(y + h * width, w[h * a->C + k], value + h * width, width);
        }
    }
}

static inline void window_softmax(const ThKernelWindow *a)
{
    size_t rows = (size_t)a->n * (size_t)a->heads;
    int C = a->C;
    for (size_t i = 0; i < rows; i++) {
        float *w = a->weight + i * (size_t)C;
        float most = w[0];
        for (int k = 1; k < C; k++)
            most = w[k] > most ? w[k] : most;
        for (int k = 0; k < C; k++)
            w[k] -= most;
    }
    for (size_t i = 0; i < rows * (size_t)C; i++)
        a->weight[i] = expf(a->weight[i]);
    for (size_t i = 0; i < rows; i++) {
        float *w = a->weight + i * (size_t)C;
        float sum = 0;
        for (int k = 0; k < C; k++)
            sum += w[k];
        for (int k = 0; k < C; k++)
            w[k] /= sum;
    }
}

/* Widths that occur get loops of constant length. */
TH_KERNEL(void, th_kernel_window)(const ThKernelWindow *a)
{
    int width = a->d / a->heads;
    if (width == 16)
        window_logits(a, 16);
    else if (width == 32)
        window_logits(a, 32);
    else
        window_logits(a, width);
    window_softmax(a);
    if (width == 16)
        window_mix(a, 16);
    else if (width == 32)
        window_mix(a, 32);
    else
        window_mix(a, width);
}

/* One head of one node and one key: all three gradients in one loop. */
static inline __attribute__((always_inline)) void
window_back_key(const float *restrict q, const float *restrict dy, const float *restrict key,
                float *restrict dq, float *restrict dkey, float *restrict dvalue, float slope,
                float weight, int width)
{
    for (int j = 0; j < width; j++) {
        dq[j] += slope * key[j];
        dkey[j] += slope * q[j];
        dvalue[j] += weight * dy[j];
    }
}

static inline __attribute__((always_inline)) void window_back(const ThKernelWindowBack *b,
                                                              int width)
{
    const ThKernelWindow *a = b->forward;
    int d = width * a->heads, C = a->C;
    float by = 1 / sqrtf((float)width);
    for (int i = 0; i < a->n; i++) {
        size_t at = (size_t)a->query[i] * (size_t)d;
        const int *keys = a->key + (size_t)i * (size_t)C;
        const float *weights = a->weight + (size_t)i * (size_t)(a->heads * C);
        for (int h = 0; h < a->heads; h++) {
            const float *w = weights + h * C, *dy = b->dy + (size_t)i * (size_t)d + h * width;
            float mean = 0;
            for (int k = 0; k < C; k++) {
                size_t from = (size_t)(keys[k] < 0 ? 0 : keys[k]) * 2 * (size_t)d;
                b->scratch[k] =
                    keys[k] < 0 ? 0 : dot(dy, a->kv + from + (size_t)(d + h * width), width);
                mean += w[k] * b->scratch[k];
            }
            for (int k = 0; k < C; k++) {
                if (keys[k] < 0)
                    continue;
                size_t from = (size_t)keys[k] * 2 * (size_t)d + (size_t)(h * width);
                float slope = w[k] * (b->scratch[k] - mean);
                b->dbias[h * C + k] += slope;
                window_back_key(a->q + at + h * width, dy, a->kv + from, b->dq + at + h * width,
                                b->dkv + from, b->dkv + from + d, by * slope, w[k], width);
            }
        }
    }
}

TH_KERNEL(void, th_kernel_window_back)(const ThKernelWindowBack *b)
{
    int width = b->forward->d / b->forward->heads;
    if (width == 16)
        window_back(b, 16);
    else if (width == 32)
        window_back(b, 32);
    else
        window_back(b, width);
}
