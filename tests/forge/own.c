#include "own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EMBEDDING,
    PAD,
    QUERY,
    KEY_VALUE,
    OUTPUT,
    RELATIVE,
    GAIN1,
    OFFSET1,
    UP,
    UP_BIAS,
    DOWN,
    DOWN_BIAS,
    GAIN2,
    OFFSET2,
    HEAD,
    HEAD_BIAS,
    CENTRES,
    NAMES
};
static const char *const names[NAMES] = {"embedding",
                                         "pad",
                                         "layer0.attention.query",
                                         "layer0.attention.key_value",
                                         "layer0.attention.output",
                                         "layer0.attention.relative",
                                         "layer0.norm1.gain",
                                         "layer0.norm1.offset",
                                         "layer0.feed_forward.up",
                                         "layer0.feed_forward.up_bias",
                                         "layer0.feed_forward.down",
                                         "layer0.feed_forward.down_bias",
                                         "layer0.norm2.gain",
                                         "layer0.norm2.offset",
                                         "head",
                                         "head_bias",
                                         "centres"};
enum { INPUT, INPUT_BIAS, RECURRENT, SECOND_BIAS };
static const char *const cell_names[] = {"input", "input_bias", "recurrent"};

const float *own_find(const ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    return i < 0 ? NULL : th_params_at(&m->params, i);
}

static bool read_linear(Own *o);

static bool read_hard(Own *o)
{
    const char *attention = th_option_text(&o->m->options, "attention");
    o->hard = true;
    o->average = strcmp(attention, "average") == 0;
    o->soft = strcmp(attention, "soft") == 0;
    o->weight[HEAD] = own_find(o->m, "head");
    o->weight[HEAD_BIAS] = own_find(o->m, "head_bias");
    return o->dim <= OWN_WIDE && th_option_int(&o->m->options, "hidden") <= OWN_HIDDEN;
}

bool own_read(Own *o, const ThModel *m)
{
    const char *kind = m->kind->name;
    *o = (Own){.m = m,
               .tree = strcmp(kind, "regulargpt") == 0,
               .linear = strcmp(kind, "lrnn") == 0,
               .dim = (int)th_option_int(&m->options, "dim"),
               .n_symbols = m->signature.n_symbols,
               .n_classes = m->signature.n_classes};
    if (strcmp(kind, "bare") == 0)
        return read_hard(o);
    o->shares = strcmp(kind, "transformer") == 0 && !th_option_flag(&m->options, "causal") &&
                strcmp(th_option_text(&m->options, "position"), "none") == 0;
    for (int i = 0; o->tree && i < NAMES; i++)
        o->weight[i] = own_find(m, names[i]);
    if (o->linear)
        return read_linear(o);
    for (int i = 0; !o->tree && i < 3; i++)
        o->weight[i] = own_find(m, cell_names[i]);
    if (!o->tree) {
        o->weight[SECOND_BIAS] =
            own_find(m, strcmp(kind, "gru") == 0 ? "candidate_bias" : "recurrent_bias");
        o->weight[HEAD] = own_find(m, "head");
        o->weight[HEAD_BIAS] = own_find(m, "head_bias");
    }
    return o->tree || o->shares || strcmp(kind, "gru") == 0 || strcmp(kind, "rnn") == 0;
}

/* to (m) = x (n) w, of columns from … of a matrix with `cols`. */
static void times(const double *x, const float *w, int n, int m, int from, int cols, double *to)
{
    for (int j = 0; j < m; j++) {
        to[j] = 0;
        for (int i = 0; i < n; i++)
            to[j] += x[i] * (double)w[i * cols + from + j];
    }
}

static void norm(double *x, const float *gain, const float *offset, int d)
{
    double mean = 0, square = 0;
    for (int i = 0; i < d; i++)
        mean += x[i] / d;
    for (int i = 0; i < d; i++)
        square += (x[i] - mean) * (x[i] - mean) / d;
    for (int i = 0; i < d; i++)
        x[i] = (double)gain[i] * (x[i] - mean) / sqrt(square + 1e-5) + (double)offset[i];
}

void own_leaf(const Own *o, int symbol, double *to)
{
    for (int i = 0; i < o->dim; i++)
        to[i] = sqrt(o->dim) * (double)o->weight[EMBEDDING][symbol * o->dim + i];
}

static void attend(const Own *o, const double *x, const double *y, bool masked, double *mixed)
{
    int d = o->dim, heads = (int)th_option_int(&o->m->options, "heads"), size = d / heads;
    double q[OWN_WIDE], kx[OWN_WIDE], ky[OWN_WIDE], vx[OWN_WIDE], vy[OWN_WIDE];
    times(y, o->weight[QUERY], d, d, 0, d, q);
    times(x, o->weight[KEY_VALUE], d, d, 0, 2 * d, kx);
    times(y, o->weight[KEY_VALUE], d, d, 0, 2 * d, ky);
    times(x, o->weight[KEY_VALUE], d, d, d, 2 * d, vx);
    times(y, o->weight[KEY_VALUE], d, d, d, 2 * d, vy);
    for (int h = 0; h < heads; h++) {
        double near = (double)o->weight[RELATIVE][2 * h];
        double far = (double)o->weight[RELATIVE][2 * h + 1];
        for (int k = h * size; k < (h + 1) * size; k++) {
            near += q[k] * ky[k] / sqrt(size);
            far += q[k] * kx[k] / sqrt(size);
        }
        double a = masked ? 0 : 1 / (1 + exp(near - far));
        for (int k = h * size; k < (h + 1) * size; k++)
            mixed[k] = (1 - a) * vy[k] + a * vx[k];
    }
}

void own_middle(const Own *o, const double *earlier, const double *later, double *u)
{
    int d = o->dim;
    double pad[OWN_WIDE], mixed[OWN_WIDE];
    for (int i = 0; i < d; i++)
        pad[i] = (double)o->weight[PAD][i];
    bool masked = !earlier && strcmp(th_option_text(&o->m->options, "missing"), "mask") == 0;
    attend(o, earlier ? earlier : pad, later, masked, mixed);
    times(mixed, o->weight[OUTPUT], d, d, 0, d, u);
    for (int i = 0; i < d; i++)
        u[i] += later[i];
    norm(u, o->weight[GAIN1], o->weight[OFFSET1], d);
}

void own_combine(const Own *o, const double *earlier, const double *later, double *to)
{
    int d = o->dim, wide = d * (int)th_option_int(&o->m->options, "hidden");
    double u[OWN_WIDE];
    own_middle(o, earlier, later, u);
    for (int i = 0; i < d; i++)
        to[i] = u[i] + (double)o->weight[DOWN_BIAS][i];
    for (int h = 0; h < wide; h++) {
        double p = (double)o->weight[UP_BIAS][h];
        for (int i = 0; i < d; i++)
            p += u[i] * (double)o->weight[UP][i * wide + h];
        for (int i = 0; p > 0 && i < d; i++)
            to[i] += p * (double)o->weight[DOWN][h * d + i];
    }
    norm(to, o->weight[GAIN2], o->weight[OFFSET2], d);
}

/* ---- recurrent networks ---------------------------------------------------------------------- */

/* to (m) = x (n) NAME + NAME_bias. */
static void affine(const Own *o, const char *name, const double *x, int n, int m, double *to)
{
    char bias[64];
    snprintf(bias, sizeof bias, "%s_bias", name);
    times(x, own_find(o->m, name), n, m, 0, m, to);
    for (int i = 0; i < m; i++)
        to[i] += (double)own_find(o->m, bias)[i];
}

/* Two of these, with ReLU between them. */
static void network(const Own *o, const char *first, const char *second, const double *x, int wide,
                    double *to)
{
    double up[OWN_LINEAR * OWN_LINEAR];
    affine(o, first, x, o->dim, wide, up);
    for (int i = 0; i < wide; i++)
        up[i] = fmax(0, up[i]);
    affine(o, second, up, wide, wide, to);
}

/* A block's columns lose their mean, and it is divided by the greatest p-norm of one; or those of a
 * norm greater than 1 are divided by it. */
static void bound_block(double *a, int size, double p, bool paper)
{
    double norm[OWN_LINEAR] = {0}, greatest = 0;
    for (int j = 0; j < size; j++) {
        double mean = 0;
        for (int i = 0; i < size && !paper; i++)
            mean += a[i * size + j] / size;
        for (int i = 0; i < size; i++) {
            a[i * size + j] -= mean;
            norm[j] += pow(fabs(a[i * size + j]), p);
        }
        norm[j] = pow(norm[j], 1 / p);
        greatest = fmax(greatest, norm[j]);
    }
    for (int i = 0; i < size * size; i++)
        a[i] /= paper ? fmax(1, norm[i % size]) : greatest > 0 ? greatest : 1;
}

/* x' = A x + v, A and v of the symbol (Fan et al. 2024). */
static bool read_linear(Own *o)
{
    int d = o->dim, size = (int)th_option_int(&o->m->options, "block");
    bool paper = strcmp(th_option_text(&o->m->options, "norm"), "paper") == 0;
    if (d > OWN_LINEAR || o->n_symbols > OWN_SYMBOLS || th_option_int(&o->m->options, "layers") > 1)
        return false;
    for (int s = 0; s < o->n_symbols; s++) {
        double u[OWN_LINEAR], block[OWN_LINEAR * OWN_LINEAR];
        for (int i = 0; i < d; i++)
            u[i] = (double)own_find(o->m, "embedding")[s * d + i];
        norm(u, own_find(o->m, "layer0.norm.gain"), own_find(o->m, "layer0.norm.offset"), d);
        network(o, "layer0.transition.up", "layer0.transition.blocks", u, d * size, block);
        network(o, "layer0.value.up", "layer0.value.down", u, d, o->added[s]);
        for (int b = 0; b < d / size; b++) {
            double *a = block + b * size * size;
            bound_block(a, size, th_option_real(&o->m->options, "p"), paper);
            for (int i = 0; i < size * size; i++)
                o->matrix[s][(b * size + i / size) * d + b * size + i % size] = a[i];
        }
    }
    return true;
}

void own_start(const Own *o, double *to)
{
    for (int i = 0; i < o->dim; i++)
        to[i] = o->linear ? (double)own_find(o->m, "layer0.start")[i] : 0;
}

static void step_linear(const Own *o, const double *state, int symbol, double *to)
{
    for (int i = 0; i < o->dim; i++) {
        to[i] = o->added[symbol][i];
        for (int k = 0; k < o->dim; k++)
            to[i] += o->matrix[symbol][i * o->dim + k] * state[k];
    }
}

/* Layer norm, and a head of two layers. */
static void linear_logits(const Own *o, const double *z, double *logit)
{
    double x[OWN_LINEAR], hidden[OWN_LINEAR];
    memcpy(x, z, (size_t)o->dim * sizeof *x);
    norm(x, own_find(o->m, "final_norm.gain"), own_find(o->m, "final_norm.offset"), o->dim);
    affine(o, "head", x, o->dim, o->dim, hidden);
    for (int i = 0; i < o->dim; i++)
        hidden[i] = fmax(0, hidden[i]);
    affine(o, "answer", hidden, o->dim, o->n_classes, logit);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

void own_step(const Own *o, const double *state, int symbol, double *to)
{
    int d = o->dim;
    if (o->linear) {
        step_linear(o, state, symbol, to);
        return;
    }
    bool gru = strcmp(o->m->kind->name, "gru") == 0;
    int wide = gru ? 3 * d : d;
    double p[3 * OWN_WIDE], x[3 * OWN_WIDE];
    times(state, o->weight[RECURRENT], d, wide, 0, wide, p);
    for (int i = 0; i < wide; i++)
        x[i] = (double)o->weight[INPUT][symbol * wide + i] + (double)o->weight[INPUT_BIAS][i];
    for (int i = 0; i < d; i++) {
        double second = (double)o->weight[SECOND_BIAS][i];
        if (gru) {
            double z = logistic(x[i] + p[i]), r = logistic(x[d + i] + p[d + i]);
            double n = tanh(x[2 * d + i] + r * (p[2 * d + i] + second));
            to[i] = (1 - z) * state[i] + z * n;
        } else
            to[i] = fmax(0, x[i] + p[i] + second);
    }
}

void own_logits(const Own *o, const double *z, double *logit)
{
    if (o->linear) {
        linear_logits(o, z, logit);
        return;
    }
    for (int c = 0; c < o->n_classes; c++) {
        logit[c] = (double)o->weight[HEAD_BIAS][c];
        for (int i = 0; i < o->dim; i++)
            logit[c] += (o->tree || o->hard ? z[i] : fmax(0, z[i])) *
                        (double)o->weight[HEAD][i * o->n_classes + c];
    }
}

/* The nearest centre of those for subtrees that lack symbols, or of the others. */
static void snap(const Own *o, bool edge, double *z)
{
    int n = (int)th_option_int(&o->m->options, "centres"), d = o->dim, near = -1;
    int whole = n - (int)th_option_int(&o->m->options, "edge_centres");
    double least = HUGE_VAL;
    for (int c = edge ? whole : 0; c < (edge ? n : whole); c++) {
        double square = 0;
        for (int i = 0; i < d; i++)
            square += pow(z[i] - (double)o->weight[CENTRES][c * d + i], 2);
        if (square < least) {
            least = square;
            near = c;
        }
    }
    for (int i = 0; near >= 0 && i < d; i++)
        z[i] = (double)o->weight[CENTRES][near * d + i];
}

/* z (1) <- the root of n vectors, level by level, the first alone where they are odd. */
static void grow(const Own *o, double *z, int n)
{
    int d = o->dim;
    bool edge = false;
    do {
        int odd = n % 2;
        double to[OWN_WIDE];
        edge |= odd;
        for (int i = 0; i < (n + odd) / 2; i++) {
            const double *later = z + (2 * i + 1 - odd) * d;
            own_combine(o, i == 0 && odd ? NULL : later - d, later, to);
            if (o->weight[CENTRES])
                snap(o, edge && i == 0, to);
            memcpy(z + i * d, to, (size_t)d * sizeof *z);
        }
        n = (n + odd) / 2;
    } while (n > 1);
}

int own_answer(const Own *o, const int *word, int length)
{
    int d = o->dim, best = 0;
    double logit[OWN_WIDE], *z = calloc((size_t)(o->tree ? length : 2) * (size_t)d, sizeof *z);
    if (o->hard)
        own_hard_vector(o, word, length, z);
    else if (o->shares)
        own_shares_vector(o, word, length, z);
    else
        own_start(o, z);
    for (int i = 0; !o->hard && !o->shares && i < length; i++)
        if (o->tree)
            own_leaf(o, word[i], z + i * d);
        else {
            own_step(o, z, word[i], z + d);
            memcpy(z, z + d, (size_t)d * sizeof *z);
        }
    if (o->tree)
        grow(o, z, length);
    own_logits(o, z, logit);
    for (int c = 1; c < o->n_classes; c++)
        best = logit[c] > logit[best] ? c : best;
    free(z);
    return best;
}
