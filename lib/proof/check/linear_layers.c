#include <stdio.h>

#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/linear_impl.h"

typedef ThProofNumber Number;
typedef ThProofLinear Net;

/* What a function of libm, of its vectors or of the program's own may be off by, in roundings. */
enum { FUNCTION = 16 };

static double most(Number x)
{
    return fabs(x.at) + x.off;
}

static bool is_zero(Number x)
{
    return x.at == 0 && x.off == 0;
}

/* Does a product with it round? */
static bool is_sign(Number x)
{
    return fabs(x.at) == 1 && x.off == 0;
}

/* ---- the model ------------------------------------------------------------------------------- */

static const float *weights(const Net *f, int layer, const char *name)
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
        const float *start = f->kind == TH_PROOF_BLOCKS ? weights(f, i, "start") : NULL;
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

/* A sum of n things of these magnitudes, some of which were products that round. */
static double rounding(const Net *f, int n, bool products, double size)
{
    int roundings = (n > 1 ? n : 0) + products;
    return roundings ? th_proof_gamma(f->unit, roundings) * size + TH_PROOF_UNDERFLOW : 0;
}

/* y (to) <- x (from) times a matrix, with a bias where there is one.  Zeros and ones do not round.
 */
static void linear(const Net *f, const Number *x, int from, const float *w, const float *bias,
                   int to, Number *y)
{
    for (int j = 0; j < to; j++) {
        double at = bias ? (double)bias[j] : 0, off = 0, size = fabs(at);
        int n = at != 0;
        bool products = false;
        for (int k = 0; k < from; k++) {
            double by = (double)w[k * to + j];
            if (by == 0 || is_zero(x[k]))
                continue;
            n++;
            products = products || !(fabs(by) == 1 || is_sign(x[k]));
            at += x[k].at * by;
            off += x[k].off * fabs(by);
            size += most(x[k]) * fabs(by);
        }
        y[j] = (Number){at, off + rounding(f, n, products, size)};
    }
}

static Number add(const Net *f, Number x, Number y)
{
    if (is_zero(x) || is_zero(y))
        return is_zero(x) ? y : x;
    return (Number){x.at + y.at, x.off + y.off + f->unit * (most(x) + most(y))};
}

static void relu(Number *x, int n)
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
                            1.13 * x[i].off + FUNCTION * f->unit * most(x[i]) + TH_PROOF_UNDERFLOW};
}

/* A run's is 1 exactly where the rest is less than it can hold, and 0 where an exponential is; that
 * of 0 is a half. */
static Number sigmoid(const Net *f, Number x)
{
    enum { WHOLE = 40, NOTHING = 750 };
    bool runs = f->arithmetic != TH_PROOF_IN_REALS, single = f->arithmetic == TH_PROOF_IN_FLOAT;
    if (is_zero(x))
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
    return (Number){at, (top - least) / 2 + FUNCTION * f->unit / 2};
}

static void silu(const Net *f, Number *x, int n)
{
    for (int i = 0; i < n; i++) {
        double share = sigmoid(f, (Number){x[i].at, 0}).at;
        if (!is_zero(x[i]))
            x[i] = (Number){x[i].at * share, 1.1 * x[i].off + FUNCTION * f->unit * most(x[i])};
    }
}

static double length_of(const Number *x, int n, bool of_errors)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += of_errors ? x[i].off * x[i].off : x[i].at * x[i].at;
    return sqrt(sum);
}

/* x (n) <- x divided by the root of its squares times `share` plus a small number. */
static void divide(const Net *f, Number *x, int n, double share, double epsilon)
{
    double length = length_of(x, n, false) * sqrt(share), by = length_of(x, n, true) * sqrt(share);
    double root = sqrt(length * length + epsilon), least = fmax(sqrt(epsilon), root - by);
    const double gamma = th_proof_gamma(f->unit, n + 16);
    for (int i = 0; i < n; i++) {
        if (is_zero(x[i]))
            continue;
        double z = x[i].at / root, far = (x[i].off + fabs(z) * by) / least;
        x[i] = (Number){z, far + gamma * (fabs(z) + far) + TH_PROOF_UNDERFLOW};
    }
}

/* y <- a network of two layers at u, which has `hidden` units; `down` is its second one. */
static void network(Net *f, int layer, const char *name, const char *down, int hidden, int to,
                    Number *y)
{
    const bool bends = f->kind == TH_PROOF_MAPS;
    const float *w[4];
    char full[64];
    for (int i = 0; i < 4; i++) {
        snprintf(full, sizeof full, "%s.%s%s", name, i < 2 ? "up" : down, i % 2 ? "_bias" : "");
        w[i] = weights(f, layer, full);
    }
    linear(f, f->u, f->dim, w[0], w[1], hidden, f->wide);
    if (bends)
        gelu(f, f->wide, hidden);
    else
        relu(f->wide, hidden);
    linear(f, f->wide, hidden, w[2], w[3], to, y);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Bounds of the p-norm of a column of n numbers. */
static void column_norm(const Net *f, const Number *a, int n, double range[2])
{
    range[0] = range[1] = 0;
    for (int i = 0; i < n; i++, a += n) {
        range[0] += pow(fmax(0, fabs(a->at) - a->off), f->power);
        range[1] += pow(most(*a), f->power);
    }
    range[0] = pow(range[0], 1 / f->power) * (1 - FUNCTION * f->unit);
    range[1] = pow(range[1], 1 / f->power) * (1 + FUNCTION * f->unit);
}

/* A column is divided by what is in a range, which a run may take for off by its roundings. */
static void divide_column(const Net *f, Number *a, int n, const double range[2])
{
    double by = (range[0] + range[1]) / 2, apart = (range[1] - range[0]) / 2;
    for (int i = 0; i < n; i++, a += n)
        if (!is_zero(*a))
            *a = (Number){a->at / by, (a->off + fabs(a->at / by) * apart) / range[0] +
                                          FUNCTION * f->unit * most(*a) / range[0]};
}

/* What is alone in its column and longer than 1 becomes 1, without rounding. */
static bool is_alone(Number *a, int n)
{
    int at = -1, others = 0;
    for (int i = 0; i < n; i++) {
        others += !is_zero(a[i * n]);
        at = is_zero(a[i * n]) ? at : i;
    }
    if (others > 1)
        return false;
    if (at >= 0 && fabs(a[at * n].at) - a[at * n].off > 1)
        a[at * n] = (Number){a[at * n].at > 0 ? 1 : -1, 0};
    return at < 0 || most(a[at * n]) <= 1;
}

static void bound_columns(const Net *f, Number *a, int n)
{
    double range[2];
    for (int j = 0; j < n; j++) {
        if (is_alone(a + j, n))
            continue;
        column_norm(f, a + j, n, range);
        if (range[1] <= 1)
            continue;
        range[0] = fmax(1, range[0]);
        divide_column(f, a + j, n, range);
    }
}

/* The greatest column sum: the norm in which a block's radius is. */
static double block_norm(const Number *a, int n)
{
    double most_of = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += fabs(a[i * n + j].at);
        most_of = fmax(most_of, sum);
    }
    return most_of;
}

static void move_block(Net *f, const Number *a, const Number *v, const double *before,
                       double radius, Number *after)
{
    const int n = f->block;
    for (int i = 0; i < n; i++) {
        double at = v[i].at, off = v[i].off, size = most(v[i]);
        int terms = !is_zero(v[i]);
        bool products = false;
        for (int j = 0; j < n; j++) {
            double far = fabs(before[j]) + radius;
            if (is_zero(a[i * n + j]) || far == 0)
                continue;
            terms++;
            products =
                products || !(is_sign(a[i * n + j]) || (fabs(before[j]) == 1 && radius == 0));
            at += a[i * n + j].at * before[j];
            off += a[i * n + j].off * far;
            size += most(a[i * n + j]) * far;
        }
        after[i] = (Number){at, off + rounding(f, terms, products, size)};
    }
}

static void lrnn_layer(Net *f, int layer, const double *before, const double *radius)
{
    const int n = f->block, d = f->dim;
    network(f, layer, "transition", "blocks", d * n, d * n, f->wider);
    memcpy(f->extra, f->wider, (size_t)(d * n) * sizeof *f->extra);
    network(f, layer, "value", "down", d, d, f->y);
    for (int k = 0; k < f->parts; k++) {
        Number *a = f->extra + k * n * n;
        bound_columns(f, a, n);
        f->norm[k] = block_norm(a, n);
        move_block(f, a, f->y + k * n, before + k * n, radius[k], f->after + k * n);
    }
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* The greatest number of each column, or row, which must be so for sure. */
static void choose_map(Net *f, int layer, int n, int *map)
{
    linear(f, f->u, f->dim, weights(f, layer, "select"), NULL, f->dictionary, f->wide);
    th_proof_number_softmax(f->wide, f->dictionary, f->unit, f->extra);
    linear(f, f->extra, f->dictionary, weights(f, layer, "dictionary"), NULL, n * n, f->wider);
    const int along = f->by_columns ? n : 1, next = f->by_columns ? 1 : n;
    for (int j = 0; j < n; j++) {
        const Number *a = f->wider + j * next;
        int best = 0;
        for (int i = 1; i < n; i++)
            best = a[i * along].at > a[best * along].at ? i : best;
        for (int i = 0; i < n; i++)
            f->sure = f->sure && (i == best || a[i * along].at + a[i * along].off <
                                                   a[best * along].at - a[best * along].off);
        map[j] = best;
    }
}

/* What a map sends to a complex number, and how far that can be from what it should be. */
typedef struct {
    double re, im, radius;
    int from; /* how many numbers that are not 0 */
    bool own; /* it was its own before */
} Sent;

static Sent sent(const Net *f, const int *map, const double *before, const double *radius, int i)
{
    const int n = f->part * f->parts / 2;
    const bool runs = f->arithmetic != TH_PROOF_IN_REALS;
    Sent z = {.own = f->by_columns || map[i] == i};
    for (int j = 0; j < n; j++) {
        if (f->by_columns ? map[j] != i : map[i] != j)
            continue;
        double of = radius[f->by_columns ? 0 : j];
        z.re += before[2 * j];
        z.im += before[2 * j + 1];
        z.radius = fmax(z.radius, of);
        z.from += before[2 * j] != 0 || before[2 * j + 1] != 0 || (of > 0 && runs);
    }
    return z;
}

/* A number that is turned by e^(2πi phase), made shorter, and added to. */
static void turn(Net *f, int i, Sent z)
{
    const double pi = 3.14159265358979323846;
    const int n = f->part * f->parts / 2;
    Number size = f->extra[i], phase = f->extra[n + i], re = f->extra[2 * n + i],
           im = f->extra[3 * n + i];
    const bool runs = f->arithmetic != TH_PROOF_IN_REALS;
    const bool still = size.at == 1 && phase.at == 0 && !(runs && size.off + phase.off > 0);
    double far = hypot(z.re, z.im) + z.radius, c = size.at * cos(2 * pi * phase.at),
           s = still ? 0 : size.at * sin(2 * pi * phase.at);
    double off = hypot(re.off, im.off), added = most(re) + most(im);
    off += far * (size.off + 2 * pi * phase.off + (still ? 0 : 2 * FUNCTION * f->unit));
    if (far + added > 0 && (!still || added > 0 || z.from > 1))
        off += th_proof_gamma(f->unit, n + 8) * (far + added);
    off += z.own ? 0 : z.radius;
    if (!f->by_columns)
        f->norm[i] = z.own ? fmin(1, size.at + size.off) : 0;
    f->after[2 * i] = (Number){c * z.re - s * z.im + re.at, off};
    f->after[2 * i + 1] = (Number){c * z.im + s * z.re + im.at, off};
}

static void pd_ssm_layer(Net *f, int layer, const double *before, const double *radius)
{
    const int n = f->part * f->parts / 2;
    int map[1024];
    choose_map(f, layer, n, map);
    network(f, layer, "size", "down", 2 * n, n, f->extra);
    network(f, layer, "phase", "down", 2 * n, n, f->extra + n);
    for (int i = 0; i < 2 * n; i++)
        f->extra[i] = sigmoid(f, f->extra[i]);
    linear(f, f->u, f->dim, weights(f, layer, "input"), NULL, 2 * n, f->extra + 2 * n);
    f->norm[0] = 1; /* no size is above 1 */
    for (int i = 0; i < n; i++)
        turn(f, i, sent(f, map, before, radius, i));
}

/* ---- corrections ----------------------------------------------------------------------------- */

/* What a correction is off by: x <- x - β (k·x - v) k, of an x within `far` of nothing. */
static double correction_off(const Net *f, const Number *k, Number v, Number rate, double far)
{
    const int n = f->part;
    double length = length_of(k, n, false), by = length_of(k, n, true), whole = length + by;
    double move = rate.at * (2 * by * length + by * by) + rate.off * whole * whole;
    double write = rate.off * most(v) * whole + rate.at * (v.off * whole + fabs(v.at) * by);
    double size = far + most(rate) * whole * (whole * far + most(v));
    return move * far + write + th_proof_gamma(f->unit, n + 8) * size;
}

static void correct(const Net *f, const Number *k, Number v, Number rate, double *x, double *norm)
{
    const int n = f->part;
    double sum = -v.at, length = length_of(k, n, false);
    for (int i = 0; i < n; i++)
        sum += k[i].at * x[i];
    for (int i = 0; i < n; i++)
        x[i] -= rate.at * sum * k[i].at;
    *norm *= fmax(1, fabs(1 - rate.at * length * length));
}

/* One row of a head's matrix: `part` numbers at `before`. */
static void walk_row(Net *f, int row, const double *before, double radius)
{
    const int n = f->part, head = row / n, d = f->dim;
    const Number *all = f->wider, *rates = all + d * (1 + 2 * f->steps);
    double *x = (double *)f->wide, off = 0, norm = 1, size;
    memcpy(x, before, (size_t)n * sizeof *x);
    for (int s = 0; s < f->steps; s++) {
        const Number *k = all + d * (1 + s) + head * n;
        Number v = all[d * (1 + f->steps + s) + row], rate = rates[s * f->heads + head];
        double now = 1;
        size = th_proof_linear_size(f, x, n) + radius + off;
        if (length_of(k, n, false) + length_of(k, n, true) == 0 || (size == 0 && is_zero(v)))
            continue;
        double more = correction_off(f, k, v, rate, size);
        correct(f, k, v, rate, x, &now);
        off = now * off + more;
        norm *= now;
    }
    for (int i = 0; i < n; i++)
        f->after[row * n + i] = (Number){x[i], off / sqrt(n)};
    f->norm[row] = norm;
}

/* f->wide <- what heads read of their matrices, as an RMS norm leaves it. */
static void read_heads(Net *f, int layer, const double *radius)
{
    const int n = f->part;
    const float *gain = weights(f, layer, "read.gain");
    for (int row = 0; row < f->dim; row++) {
        const Number *q = f->wider + row / n * n, *x = f->after + row * n;
        double at = 0, off = 0, size = 0, by = 0, most_q = 0;
        for (int i = 0; i < n; i++) {
            at += q[i].at * x[i].at;
            size += most(q[i]) * most(x[i]);
            off += q[i].off * most(x[i]);
            by += x[i].off * x[i].off;
            most_q += most(q[i]) * most(q[i]);
        }
        double far = sqrt(by) * TH_PROOF_WIDER + f->norm[row] * radius[row];
        off += sqrt(most_q) * far + th_proof_gamma(f->unit, n + 4) * (size + sqrt(most_q) * far);
        f->wide[row] = (Number){at, off};
    }
    for (int head = 0; head < f->heads; head++)
        divide(f, f->wide + head * n, n, 1.0 / n, TH_PROOF_EPSILON);
    for (int row = 0; row < f->dim; row++) {
        double by = (double)gain[row % n];
        f->wide[row].at *= by;
        f->wide[row].off = f->wide[row].off * fabs(by) + f->unit * most(f->wide[row]);
    }
}

static void delta_layer(Net *f, int layer, const double *before, const double *radius)
{
    const int n = f->part, d = f->dim, wide = f->steps * d;
    const bool both = strcmp(th_option_text(&f->m->options, "eigenvalues"), "signed") == 0;
    Number *rates = f->wider + d + 2 * wide;
    linear(f, f->u, d, weights(f, layer, "query"), NULL, d, f->wider);
    linear(f, f->u, d, weights(f, layer, "key"), NULL, wide, f->wider + d);
    linear(f, f->u, d, weights(f, layer, "value"), NULL, wide, f->wider + d + wide);
    silu(f, f->wider, d + 2 * wide);
    linear(f, f->u, d, weights(f, layer, "rate"), NULL, f->steps * f->heads, rates);
    for (int i = 0; i < f->steps * f->heads; i++) {
        Number share = sigmoid(f, rates[i]);
        rates[i] = (Number){both ? 2 * share.at : share.at, both ? 2 * share.off : share.off};
    }
    for (int i = 0; i < d + wide; i += n)
        divide(f, f->wider + i, n, 1, 1e-6);
    for (int i = 0; i < d; i++) {
        f->wider[i].at /= sqrt(n);
        f->wider[i].off = f->wider[i].off / sqrt(n) + f->unit * 4 * fabs(f->wider[i].at);
    }
    for (int row = 0; row < d; row++)
        walk_row(f, row, before + row * n, radius[row]);
    read_heads(f, layer, radius);
    linear(f, f->wide, d, weights(f, layer, "output"), NULL, d, f->y);
}

/* ---- layers ---------------------------------------------------------------------------------- */

void th_proof_linear_embed(Net *f, int symbol)
{
    const float *row = weights(f, -1, "embedding") + symbol * f->dim;
    f->sure = true;
    for (int i = 0; i < f->dim; i++)
        f->x[i] = (Number){(double)row[i], 0};
}

/* A state as it is known: what is handed on of its radius counts, too. */
static Number known(const Net *f, int i, const double *radius)
{
    Number x = f->after[i];
    return (Number){x.at, x.off + f->norm[i / f->part] * radius[i / f->part]};
}

static void norm_of(const Net *f, int layer, const char *name, const Number *x, Number *y)
{
    char gain[64], offset[64];
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    th_proof_number_norm(x, f->dim, f->unit, weights(f, layer, gain), weights(f, layer, offset), y);
}

/* f->y <- what pd_ssm reads of its state, and of its input. */
static void read_state(Net *f, int layer, const double *radius)
{
    const float *skip = weights(f, layer, "skip");
    const int n = f->part * f->parts / 2;
    for (int i = 0; i < 2 * n; i++)
        f->wide[i % 2 * n + i / 2] = known(f, i, radius);
    linear(f, f->wide, 2 * n, weights(f, layer, "output"), weights(f, layer, "output_bias"), f->dim,
           f->y);
    for (int i = 0; i < f->dim; i++) {
        double by = (double)skip[i];
        Number more = {f->u[i].at * by, f->u[i].off * fabs(by)};
        more.off += fabs(by) == 0 || fabs(by) == 1 ? 0 : f->unit * most(more);
        f->y[i] = add(f, f->y[i], more);
    }
}

void th_proof_linear_layer(Net *f, int layer, const double *before)
{
    const double *radius = f->radius + layer * f->parts;
    if (f->kind == TH_PROOF_MAPS) {
        memcpy(f->u, f->x, (size_t)f->dim * sizeof *f->u);
        pd_ssm_layer(f, layer, before, radius);
        read_state(f, layer, radius);
        norm_of(f, layer, "norm", f->y, f->x);
        return;
    }
    norm_of(f, layer, "norm", f->x, f->u);
    if (f->kind == TH_PROOF_BLOCKS) {
        lrnn_layer(f, layer, before, radius);
        for (int i = 0; i < f->dim; i++)
            f->y[i] = known(f, i, radius);
    } else
        delta_layer(f, layer, before, radius);
    for (int i = 0; i < f->dim; i++)
        f->x[i] = layer < f->layers - 1 ? add(f, f->x[i], f->y[i]) : f->y[i];
}

void th_proof_linear_read(Net *f)
{
    const float *head = weights(f, -1, "head");
    const Number *from = f->x;
    if (f->kind != TH_PROOF_MAPS) {
        norm_of(f, -1, "final_norm", f->x, f->u);
        linear(f, f->u, f->dim, head, weights(f, -1, "head_bias"), f->dim, f->y);
        relu(f->y, f->dim);
        from = f->y;
    }
    linear(f, from, f->dim, weights(f, -1, "answer"), weights(f, -1, "answer_bias"), f->n_classes,
           f->wide);
    for (int c = 0; c < f->n_classes; c++)
        f->wide[c].off = f->wide[c].off * TH_PROOF_WIDER + f->slack + TH_PROOF_SPARE;
}
