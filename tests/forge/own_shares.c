/* own_shares.c - a transformer of which every position sees all, and nothing tells them apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own.h"

static const float *part(const Own *o, int layer, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "layer%d.%s", layer, name);
    return own_find(o->m, full);
}

/* to (n, m) = x (n, d) w + bias, NULL: none. */
static void product(const double *x, const float *w, const float *bias, int n, int d, int m,
                    double *to)
{
    for (int i = 0; i < n * m; i++) {
        to[i] = bias ? (double)bias[i % m] : 0;
        for (int k = 0; k < d; k++)
            to[i] += x[i / m * d + k] * (double)w[k * m + i % m];
    }
}

/* x <- layer norm of x + y. */
static void sum_norm(const Own *o, int layer, const char *name, double *x, const double *y, int n)
{
    char gain[24], offset[24];
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    int d = o->dim;
    for (int i = 0; i < n; i++) {
        double mean = 0, square = 0, *row = x + i * d;
        for (int k = 0; k < d; k++)
            mean += (row[k] += y[i * d + k]) / d;
        for (int k = 0; k < d; k++)
            square += (row[k] - mean) * (row[k] - mean) / d;
        for (int k = 0; k < d; k++)
            row[k] = (double)part(o, layer, gain)[k] * (row[k] - mean) / sqrt(square + 1e-5) +
                     (double)part(o, layer, offset)[k];
    }
}

/* mixed (n, d) <- what heads take of n positions. */
static void look(const Own *o, const double *query, const double *both, int n, double *mixed)
{
    int d = o->dim, heads = (int)th_option_int(&o->m->options, "heads"), width = d / heads;
    double *score = calloc((size_t)n, sizeof *score);
    memset(mixed, 0, (size_t)(n * d) * sizeof *mixed);
    for (int i = 0; i < n * heads; i++) {
        int at = i / heads * d + i % heads * width;
        double sum = 0, most = -HUGE_VAL;
        for (int j = 0; j < n; j++) {
            score[j] = 0;
            for (int k = 0; k < width; k++)
                score[j] += query[at + k] * both[j * 2 * d + i % heads * width + k] / sqrt(width);
            most = fmax(most, score[j]);
        }
        for (int j = 0; j < n; j++)
            sum += score[j] = exp(score[j] - most);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < width; k++)
                mixed[at + k] += score[j] / sum * both[j * 2 * d + d + i % heads * width + k];
    }
    free(score);
}

void own_shares_vector(const Own *o, const int *word, int length, double *to)
{
    int d = o->dim, n = length, layers = (int)th_option_int(&o->m->options, "layers");
    int hidden = d * (int)th_option_int(&o->m->options, "mlp_ratio");
    size_t rows = (size_t)n;
    double *x = calloc(rows * (size_t)(6 * d + hidden), sizeof *x), *query = x + n * d;
    double *both = query + n * d, *mixed = both + 2 * n * d, *sum = mixed + n * d,
           *unit = sum + n * d;
    for (int i = 0; i < n * d; i++)
        x[i] = sqrt(d) * (double)own_find(o->m, "embedding")[word[i / d] * d + i % d];
    for (int l = 0; l < layers; l++) {
        product(x, part(o, l, "attention.query"), part(o, l, "attention.query_bias"), n, d, d,
                query);
        product(x, part(o, l, "attention.key_value"), part(o, l, "attention.key_value_bias"), n, d,
                2 * d, both);
        look(o, query, both, n, mixed);
        product(mixed, part(o, l, "attention.output"), part(o, l, "attention.output_bias"), n, d, d,
                sum);
        sum_norm(o, l, "norm1", x, sum, n);
        product(x, part(o, l, "feed_forward.up"), part(o, l, "feed_forward.up_bias"), n, d, hidden,
                unit);
        for (int i = 0; i < n * hidden; i++)
            unit[i] = unit[i] > 0 ? unit[i] : 0;
        product(unit, part(o, l, "feed_forward.down"), part(o, l, "feed_forward.down_bias"), n,
                hidden, d, sum);
        sum_norm(o, l, "norm2", x, sum, n);
    }
    memcpy(to, x + (n - 1) * d, (size_t)d * sizeof *to);
    free(x);
}
