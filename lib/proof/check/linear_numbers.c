/* A linear recurrence for proofs by its steps: what it is, and arithmetic on numbers with radii. */

#include <stdio.h>

#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/linear_impl.h"

typedef ThProofNumber Number;
typedef ThProofLinear Net;

double th_proof_linear_most(Number x)
{
    return fabs(x.at) + x.off;
}

bool th_proof_linear_is_zero(Number x)
{
    return x.at == 0 && x.off == 0;
}

/* Does a product with it round? */
bool th_proof_linear_is_sign(Number x)
{
    return fabs(x.at) == 1 && x.off == 0;
}

/* ---- the model ------------------------------------------------------------------------------- */

const float *th_proof_linear_weights(const Net *f, int layer, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "layer%d.%s", layer, name);
    return th_proof_chunk_weights(f->m, layer < 0 ? name : full);
}

static bool kind_of(const ThModel *m, ThProofLinearKind *kind)
{
    static const char *const names[] = {"lrnn", "pd_ssm", "deltaproduct"};
    for (int i = 0; i < 3; i++)
        if (strcmp(m->kind->name, names[i]) == 0) {
            *kind = (ThProofLinearKind)i;
            return true;
        }
    return false;
}

/* Are symbols one-hots, as in no model that was trained? */
static bool is_written(const ThModel *m)
{
    int dim = (int)th_option_int(&m->options, "dim");
    const float *row = th_proof_chunk_weights(m, "embedding");
    for (int a = 0; a < m->signature.n_symbols; a++, row += dim) {
        int ones = 0;
        for (int i = 0; i < dim; i++) {
            ones += (double)row[i] == 1;
            if ((double)row[i] != 0 && (double)row[i] != 1)
                return false;
        }
        if (ones != 1)
            return false;
    }
    return true;
}

bool th_proof_has_steps(const ThModel *m)
{
    static const char *const plain[] = {"convolution", "gate", "forget", "decoder"};
    ThProofLinearKind kind;
    if (!m->bound || !kind_of(m, &kind) || m->signature.target == TH_TARGET_BITS ||
        (kind == TH_PROOF_BLOCKS && strcmp(th_option_text(&m->options, "norm"), "paper") != 0))
        return false;
    for (int i = 0; kind == TH_PROOF_PRODUCTS && i < 4; i++)
        if (th_option_flag(&m->options, plain[i]))
            return false;
    return is_written(m);
}

static int greatest(int a, int b)
{
    return a > b ? a : b;
}

static void read_sizes(Net *f, const ThOptions *o)
{
    f->dim = (int)th_option_int(o, "dim");
    f->layers = (int)th_option_int(o, "layers");
    f->parts = 1;
    if (f->kind == TH_PROOF_BLOCKS) {
        f->part = f->block = (int)th_option_int(o, "block");
        f->parts = f->dim / f->block;
        f->power = th_option_real(o, "p");
        f->room = f->dim * f->block;
    } else if (f->kind == TH_PROOF_MAPS) {
        int n = (int)th_option_int(o, "state");
        f->by_columns = strcmp(th_option_text(o, "one_hot"), "column") == 0;
        f->parts = f->by_columns ? 1 : n;
        f->part = f->by_columns ? 2 * n : 2;
        f->dictionary = (int)th_option_int(o, "dictionary");
        f->room = greatest(n * n, greatest(4 * n, f->dictionary));
    } else {
        f->heads = (int)th_option_int(o, "heads");
        f->parts = f->dim;
        f->part = f->dim / f->heads;
        f->steps = (int)th_option_int(o, "steps");
        f->room = f->dim * (1 + 2 * f->steps) + f->steps * f->heads;
    }
    f->room = greatest(f->room, greatest(f->dim, f->n_classes));
}

ThProofLinear *th_proof_linear_new(const ThModel *m, double slack, ThError *err)
{
    Net size = {.m = m,
                .n_symbols = m->signature.n_symbols,
                .n_classes = m->signature.n_classes,
                .slack = slack};
    kind_of(m, &size.kind);
    read_sizes(&size, &m->options);
    size_t room = (size_t)size.room, state = (size_t)size.parts * (size_t)size.part;
    size_t dim = (size_t)size.dim, numbers = 3 * dim + 3 * room + state;
    size_t bytes = numbers * sizeof(Number) + (size_t)size.parts * sizeof(double);
    Net *f = th_alloc(1, sizeof *f + bytes, err);
    if (!f)
        return NULL;
    *f = size;
    f->x = f->number;
    f->u = f->x + dim;
    f->y = f->u + dim;
    f->wide = f->y + dim;
    f->wider = f->wide + room;
    f->extra = f->wider + room;
    f->after = f->extra + room;
    f->norm = (double *)(f->after + state);
    return f;
}

void th_proof_linear_start(const Net *f, double *to)
{
    const int size = f->parts * f->part;
    memset(to, 0, (size_t)(f->layers * size) * sizeof *to);
    for (int i = 0; i < f->layers; i++, to += size) {
        const float *start =
            f->kind == TH_PROOF_BLOCKS ? th_proof_linear_weights(f, i, "start") : NULL;
        for (int k = 0; start && k < size; k++)
            to[k] = (double)start[k];
        to[0] = f->kind == TH_PROOF_MAPS ? 1 : to[0];
    }
}

double th_proof_linear_size(const Net *f, const double *x, int n)
{
    const bool square = f->kind == TH_PROOF_PRODUCTS;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += square ? x[i] * x[i] : fabs(x[i]);
    return (square ? sqrt(sum) : sum) * TH_PROOF_WIDER;
}

/* ---- numbers --------------------------------------------------------------------------------- */

void th_proof_linear_hold(Net *f, double size)
{
    static const double most[] = {
        [TH_PROOF_IN_REALS] = HUGE_VAL, [TH_PROOF_IN_DOUBLE] = 1e140, [TH_PROOF_IN_FLOAT] = 1e15};
    f->sure = f->sure && size <= most[f->arithmetic];
}

/* A sum of n things of these magnitudes, some of which were products that round. */
double th_proof_linear_rounding(Net *f, int n, bool products, double size)
{
    int roundings = (n > 1 ? n : 0) + products;
    th_proof_linear_hold(f, size);
    return roundings ? th_proof_gamma(f->unit, roundings) * size + TH_PROOF_UNDERFLOW : 0;
}

/* y (to) <- x (from) times a matrix, with a bias where there is one.  Zeros and ones do not round.
 */
void th_proof_linear_times(Net *f, const Number *x, int from, const float *w, const float *bias,
                           int to, Number *y)
{
    for (int j = 0; j < to; j++) {
        double at = bias ? (double)bias[j] : 0, off = 0, size = fabs(at);
        int n = at != 0;
        bool products = false;
        for (int k = 0; k < from; k++) {
            double by = (double)w[k * to + j];
            if (by == 0 || th_proof_linear_is_zero(x[k]))
                continue;
            n++;
            products = products || !(fabs(by) == 1 || th_proof_linear_is_sign(x[k]));
            at += x[k].at * by;
            off += x[k].off * fabs(by);
            size += th_proof_linear_most(x[k]) * fabs(by);
        }
        y[j] = (Number){at, off + th_proof_linear_rounding(f, n, products, size)};
    }
}

Number th_proof_linear_add(Net *f, Number x, Number y)
{
    if (th_proof_linear_is_zero(x) || th_proof_linear_is_zero(y))
        return th_proof_linear_is_zero(x) ? y : x;
    double size = th_proof_linear_most(x) + th_proof_linear_most(y);
    th_proof_linear_hold(f, size);
    return (Number){x.at + y.at, x.off + y.off + f->unit * size};
}

void th_proof_linear_relu(Number *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i].at + x[i].off <= 0 ? (Number){0, 0} : (Number){fmax(0, x[i].at), x[i].off};
}

/* GELU's slope is at most 1.13; far from its bend it is ReLU, but for less than what is said. */
static void gelu(const Net *f, Number *x, int n)
{
    const double far = 12, rest = 1e-28;
    for (int i = 0; i < n; i++)
        if (x[i].at + x[i].off < -far)
            x[i] = (Number){0, rest};
        else if (x[i].at - x[i].off > far)
            x[i].off += rest;
        else
            x[i] = (Number){x[i].at * 0.5 * erfc(-x[i].at * M_SQRT1_2),
                            1.13 * x[i].off +
                                TH_PROOF_FUNCTION * f->unit * th_proof_linear_most(x[i]) +
                                TH_PROOF_UNDERFLOW};
}

/* A run's is 1 exactly where the rest is less than it can hold, and 0 where an exponential is; that
 * of 0 is a half. */
Number th_proof_linear_sigmoid(const Net *f, Number x)
{
    enum { WHOLE = 40, NOTHING = 750 };
    bool runs = f->arithmetic != TH_PROOF_IN_REALS, single = f->arithmetic == TH_PROOF_IN_FLOAT;
    if (th_proof_linear_is_zero(x))
        return (Number){0.5, 0};
    if (runs && x.at - x.off > WHOLE)
        return (Number){1, 0};
    if (runs && x.at + x.off < (single ? -WHOLE : -NOTHING))
        return (Number){0, 0};
    double low = x.at - x.off, high = x.at + x.off;
    double least = low < 0 ? exp(low) / (1 + exp(low)) : 1 / (1 + exp(-low));
    double top = high < 0 ? exp(high) / (1 + exp(high)) : 1 / (1 + exp(-high));
    if (low > WHOLE) /* what is lacking to 1 */
        return (Number){1, fmax(2 * exp(-low), 1e-300)};
    if (high < -WHOLE)
        return (Number){0, fmax(2 * exp(high), 1e-300)};
    double at = (least + top) / 2;
    return (Number){at, (top - least) / 2 + TH_PROOF_FUNCTION * f->unit / 2};
}

/* A run's factor is 1 exactly where the rest is less than it can hold, so that it rounds nothing.
 */
void th_proof_linear_silu(const Net *f, Number *x, int n)
{
    for (int i = 0; i < n; i++) {
        const Number whole = th_proof_linear_sigmoid(f, x[i]);
        if (f->arithmetic != TH_PROOF_IN_REALS && whole.at == 1 && whole.off == 0)
            continue;
        double share = th_proof_linear_sigmoid(f, (Number){x[i].at, 0}).at;
        if (!th_proof_linear_is_zero(x[i]))
            x[i] = (Number){x[i].at * share, 1.1 * x[i].off + TH_PROOF_FUNCTION * f->unit *
                                                                  th_proof_linear_most(x[i])};
    }
}

double th_proof_linear_length(const Number *x, int n, bool of_errors)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += of_errors ? x[i].off * x[i].off : x[i].at * x[i].at;
    return sqrt(sum);
}

/* x (n) <- x divided by the root of its squares times `share` plus a small number. */
void th_proof_linear_divide(Net *f, Number *x, int n, double share, double epsilon)
{
    double length = th_proof_linear_length(x, n, false) * sqrt(share),
           by = th_proof_linear_length(x, n, true) * sqrt(share);
    double root = sqrt(length * length + epsilon), least = fmax(sqrt(epsilon), root - by);
    const double gamma = th_proof_gamma(f->unit, n + 16);
    for (int i = 0; i < n; i++) {
        if (th_proof_linear_is_zero(x[i]))
            continue;
        th_proof_linear_hold(f, th_proof_linear_most(x[i]));
        double z = x[i].at / root, far = (x[i].off + fabs(z) * by) / least;
        x[i] = (Number){z, far + gamma * (fabs(z) + far) + TH_PROOF_UNDERFLOW};
    }
}

/* y <- a network of two layers at u, which has `hidden` units; `down` is its second one. */
void th_proof_linear_network(Net *f, int layer, const char *name, const char *down, int hidden,
                             int to, Number *y)
{
    const bool bends = f->kind == TH_PROOF_MAPS;
    const float *w[4];
    char full[64];
    for (int i = 0; i < 4; i++) {
        snprintf(full, sizeof full, "%s.%s%s", name, i < 2 ? "up" : down, i % 2 ? "_bias" : "");
        w[i] = th_proof_linear_weights(f, layer, full);
    }
    th_proof_linear_times(f, f->u, f->dim, w[0], w[1], hidden, f->wide);
    if (bends)
        gelu(f, f->wide, hidden);
    else
        th_proof_linear_relu(f->wide, hidden);
    th_proof_linear_times(f, f->wide, hidden, w[2], w[3], to, y);
}
