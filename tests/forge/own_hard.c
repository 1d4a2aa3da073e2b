/* own_hard.c - a bare Transformer with hard attention, or with a softmax. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own.h"

/* to (m) = x (n) NAME + NAME_bias of a layer. */
static void affine(const Own *o, int layer, const char *name, const double *x, int n, int m,
                   double *to)
{
    char matrix[64], bias[64];
    snprintf(matrix, sizeof matrix, "layer%d.%s", layer, name);
    snprintf(bias, sizeof bias, "layer%d.%s_bias", layer, name);
    const float *w = own_find(o->m, matrix), *b = own_find(o->m, bias);
    for (int j = 0; j < m; j++)
        to[j] = (double)b[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; x[i] != 0 && j < m; j++)
            to[j] += x[i] * (double)w[i * m + j];
}

/* to (width) <- the latest value before position i whose score is greatest, the beginning seeing
 * itself; or the mean of all of those up to i. */
static void look(const Own *o, const double *query, const double *kv, int i, int width, double *to)
{
    int winners = 0, keys = o->average || i == 0 ? i + 1 : i;
    double greatest = -HUGE_VAL;
    for (int j = 0; j < keys; j++) {
        const double *key = kv + j * 2 * o->dim;
        double score = 0;
        for (int c = 0; c < width; c++)
            score += query[c] * key[c];
        bool anew = score > greatest || !o->average;
        if (score < greatest)
            continue;
        greatest = score;
        winners = anew ? 1 : winners + 1;
        for (int c = 0; c < width; c++)
            to[c] = (anew ? 0 : to[c]) + key[o->dim + c];
    }
    for (int c = 0; c < width; c++)
        to[c] /= winners;
}

/* to (width) <- values up to position i, by a softmax of their scores. */
static void weigh(const double *query, const double *kv, int i, int d, int width, double *to)
{
    double greatest = -HUGE_VAL, total = 0;
    for (int turn = 0; turn < 2; turn++) {
        memset(to, 0, (size_t)width * sizeof *to);
        for (int j = 0; j <= i; j++) {
            double score = 0;
            for (int c = 0; c < width; c++)
                score += query[c] * kv[j * 2 * d + c] / sqrt(width);
            greatest = turn ? greatest : fmax(greatest, score);
            total += turn ? exp(score - greatest) : 0;
            for (int c = 0; turn && c < width; c++)
                to[c] += exp(score - greatest) * kv[j * 2 * d + d + c];
        }
    }
    for (int c = 0; c < width; c++)
        to[c] /= total;
}

static void layer(const Own *o, int at, int n, double *x, double *kv)
{
    int d = o->dim, heads = (int)th_option_int(&o->m->options, "heads");
    int hidden = (int)th_option_int(&o->m->options, "hidden");
    double query[OWN_WIDE], mixed[OWN_WIDE], to[OWN_WIDE], up[OWN_HIDDEN];
    for (int i = 0; i < n; i++)
        affine(o, at, "attention.key_value", x + i * d, d, 2 * d, kv + i * 2 * d);
    for (int i = 0; i < n; i++) {
        double *own = x + i * d;
        affine(o, at, "attention.query", own, d, d, query);
        for (int h = 0, c = 0; h < heads; h++, c += d / heads)
            if (o->soft)
                weigh(query + c, kv + c, i, d, d / heads, mixed + c);
            else
                look(o, query + c, kv + c, i, d / heads, mixed + c);
        affine(o, at, "attention.output", mixed, d, d, to);
        for (int c = 0; c < d; c++)
            own[c] += to[c];
        affine(o, at, "feed_forward.up", own, d, hidden, up);
        for (int u = 0; u < hidden; u++)
            up[u] = fmax(0, up[u]);
        affine(o, at, "feed_forward.down", up, hidden, d, to);
        for (int c = 0; c < d; c++)
            own[c] += to[c];
    }
}

void own_hard_vector(const Own *o, const int *word, int length, double *to)
{
    int d = o->dim, n = length + 1;
    double *x = calloc((size_t)n * (size_t)d, 3 * sizeof *x);
    const float *e = own_find(o->m, "embedding");
    for (int i = 0; i < n * d; i++)
        x[i] = (double)e[(i < d ? o->n_symbols : word[i / d - 1]) * d + i % d];
    const float *position = o->soft ? own_find(o->m, "position") : NULL;
    for (int i = 0; position && i < n * d; i++)
        x[i] += (double)position[i];
    for (int i = 0; i < (int)th_option_int(&o->m->options, "layers"); i++)
        layer(o, i, n, x, x + n * d);
    memcpy(to, x + length * d, (size_t)d * sizeof *to);
    free(x);
}
