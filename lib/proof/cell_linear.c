#include "proof/cell_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "proof/map.h"

static void normalise(double *x, const double *gain, const double *offset, int d)
{
    double mean = 0, square = 0;
    for (int i = 0; i < d; i++)
        mean += x[i] / d;
    for (int i = 0; i < d; i++)
        square += (x[i] - mean) * (x[i] - mean) / d;
    for (int i = 0; i < d; i++)
        x[i] = gain[i] * (x[i] - mean) / sqrt(square + TH_PROOF_EPSILON) + offset[i];
}

/* Returns new: x (n, from) times a matrix (from, to) with its bias, NAME and NAME_bias. */
static double *linear(ThProofReader *r, const char *name, const double *x, int n, int from, int to)
{
    ThText bias = {0};
    th_text_printf(&bias, "%s_bias", name);
    double *w = th_proof_read_whole(r, name);
    double *b = bias.data ? th_proof_read_whole(r, bias.data) : NULL;
    double *y = th_alloc((size_t)n * (size_t)to, sizeof *y, r->err);
    r->failed |= !y || !w || !b;
    for (int i = 0; !r->failed && i < n * to; i++) {
        y[i] = b[i % to];
        for (int k = 0; k < from; k++)
            y[i] += x[i / to * from + k] * w[k * to + i % to];
    }
    th_text_free(&bias);
    free(w);
    free(b);
    return y;
}

/* Returns new: two layers with ReLU between them. */
static double *network(ThProofReader *r, const char *const name[2], const double *x, int n, int d,
                       int wide)
{
    double *up = linear(r, name[0], x, n, d, wide);
    for (int i = 0; !r->failed && i < n * wide; i++)
        up[i] = fmax(0, up[i]);
    double *y = linear(r, name[1], up, n, wide, wide);
    free(up);
    return y;
}

/* Makes a block small, as th_op_bound_blocks does. */
static void bound(double *a, int k, double p, bool centred)
{
    double most = 0;
    for (int j = 0; j < k; j++) {
        double mean = 0, sum = 0;
        for (int i = 0; centred && i < k; i++)
            mean += a[i * k + j] / k;
        for (int i = 0; i < k; i++) {
            a[i * k + j] -= mean;
            sum += pow(fabs(a[i * k + j]), p);
        }
        most = fmax(most, sum);
        for (int i = 0; !centred && sum > 1 && i < k; i++)
            a[i * k + j] *= pow(sum, -1 / p);
    }
    for (int i = 0; centred && most > 0 && i < k * k; i++)
        a[i] *= pow(most, -1 / p);
}

/* The blocks of all symbols (n_symbols, dim, block) become matrices. */
static void put_blocks(const ThOptions *o, ThProofCell *f, double *block)
{
    enum { CODE }; /* norm= */
    int k = (int)th_option_int(o, "block"), d = f->dim;
    for (int i = 0; i < f->n_symbols * d / k; i++) {
        double *a = block + (size_t)i * (size_t)(k * k);
        int symbol = i * k / d, at = i * k % d;
        bound(a, k, th_option_real(o, "p"), th_option_choice(o, "norm") == CODE);
        for (int m = 0; m < k * k; m++)
            f->transition[((size_t)symbol * (size_t)d + (size_t)(at + m / k)) * (size_t)d +
                          (size_t)(at + m % k)] = a[m];
    }
}

void th_proof_cell_read_linear(ThProofReader *r, ThProofCell *f)
{
    static const char *const transition[] = {"layer0.transition.up", "layer0.transition.blocks"};
    static const char *const value[] = {"layer0.value.up", "layer0.value.down"};
    int d = f->dim, n = f->n_symbols, wide = d * (int)th_option_int(&r->m->options, "block");
    double *x = th_proof_read_whole(r, "embedding");
    double *gain = th_proof_read_whole(r, "layer0.norm.gain");
    double *offset = th_proof_read_whole(r, "layer0.norm.offset");
    for (int i = 0; !r->failed && i < n; i++)
        normalise(x + i * d, gain, offset, d);
    double *block = network(r, transition, x, n, d, wide);
    f->input = network(r, value, x, n, d, d);
    f->transition = th_alloc((size_t)n * (size_t)d * (size_t)d, sizeof *f->transition, r->err);
    r->failed |= !f->transition;
    if (!r->failed)
        put_blocks(&r->m->options, f, block);
    f->start = th_proof_read_whole(r, "layer0.start");
    f->gain = th_proof_read_whole(r, "final_norm.gain");
    f->offset = th_proof_read_whole(r, "final_norm.offset");
    f->inner = th_proof_read_whole(r, "head");
    f->inner_bias = th_proof_read_whole(r, "head_bias");
    f->head = th_proof_read_whole(r, "answer");
    f->head_bias = th_proof_read_whole(r, "answer_bias");
    free(x);
    free(gain);
    free(offset);
    free(block);
}

void th_proof_cell_linear_logits(const ThProofCell *f, const double *state, double *logits)
{
    int d = f->dim, n = f->n_classes;
    double mean = 0, square = 0;
    memcpy(logits, f->head_bias, (size_t)n * sizeof *logits);
    for (int i = 0; i < d; i++)
        mean += state[i] / d;
    for (int i = 0; i < d; i++)
        square += (state[i] - mean) * (state[i] - mean) / d;
    for (int k = 0; k < d; k++) {
        double hidden = f->inner_bias[k];
        for (int i = 0; i < d; i++)
            hidden +=
                (f->gain[i] * (state[i] - mean) / sqrt(square + TH_PROOF_EPSILON) + f->offset[i]) *
                f->inner[i * d + k];
        for (int c = 0; hidden > 0 && c < n; c++)
            logits[c] += hidden * f->head[k * n + c];
    }
}
