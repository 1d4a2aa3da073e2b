/* What the layers of linear recurrences make of their states: blocks, maps and corrections. */

#include <stdio.h>

#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/linear_impl.h"

typedef ThProofNumber Number;
typedef ThProofLinear Net;

/* ---- blocks ---------------------------------------------------------------------------------- */

/* What a p-norm of a column of these n by n numbers, or a quotient by it, may be off by: powers go
 * by logarithms, which are rounded in proportion to what they are. */
static double norm_error(Net *f, const Number *a, int n)
{
    double most = 1;
    for (int i = 0; i < n * n; i++)
        most = fmax(most, th_proof_linear_most(a[i]));
    th_proof_linear_hold(f, sqrt(n * pow(most, f->power)));
    return (TH_PROOF_FUNCTION + n + 4 * log(fmin(most, 1e300))) * f->unit;
}

/* Bounds of the p-norm of a column of n numbers. */
static void column_norm(const Net *f, const Number *a, int n, double error, double range[2])
{
    range[0] = range[1] = 0;
    for (int i = 0; i < n; i++, a += n) {
        range[0] += pow(fmax(0, fabs(a->at) - a->off), f->power);
        range[1] += pow(th_proof_linear_most(*a), f->power);
    }
    range[0] = pow(range[0], 1 / f->power) * (1 - error);
    range[1] = pow(range[1], 1 / f->power) * (1 + error);
}

/* A column is divided by what is in a range, which a run may take for off by its roundings. */
static void divide_column(Number *a, int n, double error, const double range[2])
{
    double by = (range[0] + range[1]) / 2, apart = (range[1] - range[0]) / 2;
    for (int i = 0; i < n; i++, a += n)
        if (!th_proof_linear_is_zero(*a))
            *a = (Number){a->at / by, (a->off + fabs(a->at / by) * apart) / range[0] +
                                          error * th_proof_linear_most(*a) / range[0]};
}

/* What is alone in its column and longer than 1 becomes 1, without rounding; a run may take for 1
 * what is next to it. */
static bool is_alone(Number *a, int n, double error)
{
    int at = -1, others = 0;
    for (int i = 0; i < n; i++) {
        others += !th_proof_linear_is_zero(a[i * n]);
        at = th_proof_linear_is_zero(a[i * n]) ? at : i;
    }
    if (others > 1)
        return false;
    if (at >= 0 && fabs(a[at * n].at) - a[at * n].off > 1 + error)
        a[at * n] = (Number){a[at * n].at > 0 ? 1 : -1, 0};
    return at < 0 || th_proof_linear_most(a[at * n]) <= 1;
}

static void bound_columns(Net *f, Number *a, int n)
{
    double range[2], error = norm_error(f, a, n);
    bool runs = f->arithmetic != TH_PROOF_IN_REALS;
    for (int j = 0; j < n; j++) {
        if (is_alone(a + j, n, runs ? error : 0))
            continue;
        column_norm(f, a + j, n, error, range);
        if (range[1] <= 1)
            continue;
        range[0] = fmax(1, range[0]);
        divide_column(a + j, n, error, range);
    }
}

/* The greatest column sum: the norm in which a block's radius is. */
static double block_norm(const Number *a, int n)
{
    double most_of = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        int terms = 0;
        for (int i = 0; i < n; i++) {
            sum += fabs(a[i * n + j].at);
            terms += a[i * n + j].at != 0;
        }
        most_of = fmax(most_of, terms > 1 ? sum * TH_PROOF_WIDER : sum);
    }
    return most_of;
}

static void move_block(Net *f, const Number *a, const Number *v, const double *before,
                       double radius, Number *after)
{
    const int n = f->block;
    for (int i = 0; i < n; i++) {
        double at = v[i].at, off = v[i].off, size = th_proof_linear_most(v[i]);
        int terms = !th_proof_linear_is_zero(v[i]);
        bool products = false;
        for (int j = 0; j < n; j++) {
            double far = fabs(before[j]) + radius;
            if (th_proof_linear_is_zero(a[i * n + j]) || far == 0)
                continue;
            terms++;
            products = products || !(th_proof_linear_is_sign(a[i * n + j]) ||
                                     (fabs(before[j]) == 1 && radius == 0));
            at += a[i * n + j].at * before[j];
            off += a[i * n + j].off * far;
            size += th_proof_linear_most(a[i * n + j]) * far;
        }
        after[i] = (Number){at, off + th_proof_linear_rounding(f, terms, products, size)};
    }
}

static void lrnn_layer(Net *f, int layer, const double *before, const double *radius)
{
    const int n = f->block, d = f->dim;
    th_proof_linear_network(f, layer, "transition", "blocks", d * n, d * n, f->wider);
    memcpy(f->extra, f->wider, (size_t)(d * n) * sizeof *f->extra);
    th_proof_linear_network(f, layer, "value", "down", d, d, f->y);
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
    th_proof_linear_times(f, f->u, f->dim, th_proof_linear_weights(f, layer, "select"), NULL,
                          f->dictionary, f->wide);
    th_proof_number_softmax(f->wide, f->dictionary, f->unit, f->extra);
    th_proof_linear_times(f, f->extra, f->dictionary,
                          th_proof_linear_weights(f, layer, "dictionary"), NULL, n * n, f->wider);
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

static Sent sent(const Net *f, int n, const int *map, const double *before, const double *radius,
                 int i)
{
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
    double off = hypot(re.off, im.off), added = th_proof_linear_most(re) + th_proof_linear_most(im);
    off += far * (size.off + 2 * pi * phase.off + (still ? 0 : 2 * TH_PROOF_FUNCTION * f->unit));
    th_proof_linear_hold(f, far + added);
    if (far + added > 0 && (!still || added > 0 || z.from > 1))
        off += th_proof_gamma(f->unit, n + 8) * (far + added) + TH_PROOF_UNDERFLOW;
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
    th_proof_linear_network(f, layer, "size", "down", 2 * n, n, f->extra);
    th_proof_linear_network(f, layer, "phase", "down", 2 * n, n, f->extra + n);
    for (int i = 0; i < 2 * n; i++)
        f->extra[i] = th_proof_linear_sigmoid(f, f->extra[i]);
    th_proof_linear_times(f, f->u, f->dim, th_proof_linear_weights(f, layer, "input"), NULL, 2 * n,
                          f->extra + 2 * n);
    f->norm[0] = 1; /* no size is above 1 */
    for (int i = 0; i < n; i++)
        turn(f, i, sent(f, n, map, before, radius, i));
}

/* ---- corrections ----------------------------------------------------------------------------- */

/* What a correction is off by: x <- x - β (k·x - v) k, of an x within `far` of nothing. */
static double correction_off(Net *f, const Number *k, Number v, Number rate, double far)
{
    const int n = f->part;
    double length = th_proof_linear_length(k, n, false), by = th_proof_linear_length(k, n, true),
           whole = length + by;
    double move = rate.at * (2 * by * length + by * by) + rate.off * whole * whole;
    double write =
        rate.off * th_proof_linear_most(v) * whole + rate.at * (v.off * whole + fabs(v.at) * by);
    double size =
        far + th_proof_linear_most(rate) * whole * (whole * far + th_proof_linear_most(v));
    th_proof_linear_hold(f, size);
    return move * far + write + th_proof_gamma(f->unit, n + 8) * size + TH_PROOF_UNDERFLOW;
}

static void correct(const Net *f, const Number *k, Number v, Number rate, double *x, double *norm)
{
    const int n = f->part;
    double sum = -v.at, length = th_proof_linear_length(k, n, false);
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
        size = th_proof_linear_size(f, x, n) + norm * radius + off;
        if (th_proof_linear_length(k, n, false) + th_proof_linear_length(k, n, true) == 0 ||
            (size == 0 && th_proof_linear_is_zero(v)))
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
    const float *gain = th_proof_linear_weights(f, layer, "read.gain");
    for (int row = 0; row < f->dim; row++) {
        const Number *q = f->wider + row / n * n, *x = f->after + row * n;
        double at = 0, off = 0, size = 0, by = 0, most_q = 0;
        for (int i = 0; i < n; i++) {
            at += q[i].at * x[i].at;
            size += th_proof_linear_most(q[i]) * th_proof_linear_most(x[i]);
            off += q[i].off * th_proof_linear_most(x[i]);
            by += x[i].off * x[i].off;
            most_q += th_proof_linear_most(q[i]) * th_proof_linear_most(q[i]);
        }
        double far = sqrt(by) * TH_PROOF_WIDER + f->norm[row] * radius[row];
        size += sqrt(most_q) * far;
        th_proof_linear_hold(f, size);
        off += sqrt(most_q) * far + th_proof_gamma(f->unit, n + 4) * size + TH_PROOF_UNDERFLOW;
        f->wide[row] = (Number){at, off};
    }
    for (int head = 0; head < f->heads; head++)
        th_proof_linear_divide(f, f->wide + head * n, n, 1.0 / n, TH_PROOF_EPSILON);
    for (int row = 0; row < f->dim; row++) {
        double by = (double)gain[row % n];
        f->wide[row] = (Number){f->wide[row].at * by, f->wide[row].off * fabs(by)};
        th_proof_linear_hold(f, fmax(fabs(by), th_proof_linear_most(f->wide[row])));
        f->wide[row].off += f->unit * th_proof_linear_most(f->wide[row]) + TH_PROOF_UNDERFLOW;
    }
}

static void delta_layer(Net *f, int layer, const double *before, const double *radius)
{
    const int n = f->part, d = f->dim, wide = f->steps * d;
    const bool both = strcmp(th_option_text(&f->m->options, "eigenvalues"), "signed") == 0;
    Number *rates = f->wider + d + 2 * wide;
    th_proof_linear_times(f, f->u, d, th_proof_linear_weights(f, layer, "query"), NULL, d,
                          f->wider);
    th_proof_linear_times(f, f->u, d, th_proof_linear_weights(f, layer, "key"), NULL, wide,
                          f->wider + d);
    th_proof_linear_times(f, f->u, d, th_proof_linear_weights(f, layer, "value"), NULL, wide,
                          f->wider + d + wide);
    th_proof_linear_silu(f, f->wider, d + 2 * wide);
    th_proof_linear_times(f, f->u, d, th_proof_linear_weights(f, layer, "rate"), NULL,
                          f->steps * f->heads, rates);
    for (int i = 0; i < f->steps * f->heads; i++) {
        Number share = th_proof_linear_sigmoid(f, rates[i]);
        rates[i] = (Number){both ? 2 * share.at : share.at, both ? 2 * share.off : share.off};
    }
    for (int i = 0; i < d + wide; i += n)
        th_proof_linear_divide(f, f->wider + i, n, 1, 1e-6);
    for (int i = 0; i < d; i++) {
        f->wider[i].at /= sqrt(n);
        f->wider[i].off = f->wider[i].off / sqrt(n) + f->unit * 4 * fabs(f->wider[i].at);
    }
    for (int row = 0; row < d; row++)
        walk_row(f, row, before + row * n, radius[row]);
    read_heads(f, layer, radius);
    th_proof_linear_times(f, f->wide, d, th_proof_linear_weights(f, layer, "output"), NULL, d,
                          f->y);
}

/* ---- layers ---------------------------------------------------------------------------------- */

void th_proof_linear_embed(Net *f, int symbol)
{
    const float *row = th_proof_linear_weights(f, -1, "embedding") + symbol * f->dim;
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

static void norm_of(Net *f, int layer, const char *name, const Number *x, Number *y)
{
    char gain[64], offset[64];
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    const float *by = th_proof_linear_weights(f, layer, gain);
    for (int i = 0; i < f->dim; i++)
        th_proof_linear_hold(f, fmax(fabs((double)by[i]), 2 * th_proof_linear_most(x[i])));
    th_proof_number_norm(x, f->dim, f->unit, by, th_proof_linear_weights(f, layer, offset), y);
    for (int i = 0; i < f->dim; i++)
        th_proof_linear_hold(f, th_proof_linear_most(y[i]));
}

/* f->y <- what pd_ssm reads of its state, and of its input. */
static void read_state(Net *f, int layer, const double *radius)
{
    const float *skip = th_proof_linear_weights(f, layer, "skip");
    const int n = f->part * f->parts / 2;
    for (int i = 0; i < 2 * n; i++)
        f->wide[i % 2 * n + i / 2] = known(f, i, radius);
    th_proof_linear_times(f, f->wide, 2 * n, th_proof_linear_weights(f, layer, "output"),
                          th_proof_linear_weights(f, layer, "output_bias"), f->dim, f->y);
    for (int i = 0; i < f->dim; i++) {
        double by = (double)skip[i];
        Number more = {f->u[i].at * by, f->u[i].off * fabs(by)};
        bool exact = fabs(by) == 0 || fabs(by) == 1;
        more.off += exact ? 0 : f->unit * th_proof_linear_most(more) + TH_PROOF_UNDERFLOW;
        th_proof_linear_hold(f, th_proof_linear_most(more));
        f->y[i] = th_proof_linear_add(f, f->y[i], more);
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
        f->x[i] = layer < f->layers - 1 ? th_proof_linear_add(f, f->x[i], f->y[i]) : f->y[i];
}

/* The number that all units of the read-out read, or -1: they read several. */
static int one_read(const Net *f, const float *head)
{
    int one = -1;
    for (int k = 0; k < f->dim; k++)
        for (int u = 0; u < f->dim; u++)
            if ((double)head[k * f->dim + u] != 0 && !th_proof_linear_is_zero(f->u[k])) {
                if (one >= 0 && one != k)
                    return -1;
                one = k;
            }
    return one;
}

/* What units that read one number x add to a logit where it is x. */
static double units_at(const Net *f, const float *head, const float *bias, const float *answer,
                       double x)
{
    double sum = 0;
    for (int u = 0; u < f->dim; u++)
        sum += fmax(0, x * (double)head[u] + (double)bias[u]) * (double)answer[u * f->n_classes];
    return sum;
}

/* A logit of units that all read f->u[one]: a line between the places where they bend, whose range
 * is that of these and of the ends.  What each rounds counts apart. */
static Number read_one(Net *f, int one, const float *head, const float *bias, const float *answer,
                       double more)
{
    const Number x = f->u[one];
    double end[] = {x.at - x.off, x.at + x.off}, low = HUGE_VAL, high = -HUGE_VAL;
    double off = 0, size = fabs(more), at;
    int n = more != 0;
    head += one * f->dim;
    for (int u = -2; u < f->dim; u++) {
        double a = u < 0 ? 1 : (double)head[u], b = u < 0 ? 0 : (double)bias[u];
        at = u < 0 ? end[u + 2] : -b / a;
        if (at >= end[0] && at <= end[1]) {
            double sum = units_at(f, head, bias, answer, at);
            low = fmin(low, sum);
            high = fmax(high, sum);
        }
        double by = u < 0 ? 0 : fabs((double)answer[u * f->n_classes]);
        double most = fmax(0, fmax(a * end[0], a * end[1]) + b);
        double lost = th_proof_linear_rounding(f, (a != 0) + (b != 0), a != 0,
                                               fabs(a) * th_proof_linear_most(x) + fabs(b));
        off += by * (most + lost > 0 ? lost : 0);
        size += by * (most + lost);
        n += by > 0 && most + lost > 0;
    }
    off += (high - low) / 2 + size * 1e-12;
    return (Number){(low + high) / 2 + more, off + th_proof_linear_rounding(f, n, true, size)};
}

void th_proof_linear_read(Net *f)
{
    const float *head = th_proof_linear_weights(f, -1, "head");
    const float *answer = th_proof_linear_weights(f, -1, "answer"),
                *more = th_proof_linear_weights(f, -1, "answer_bias");
    const Number *from = f->x;
    int one = -1;
    if (f->kind != TH_PROOF_MAPS) {
        norm_of(f, -1, "final_norm", f->x, f->u);
        one = one_read(f, head);
        th_proof_linear_times(f, f->u, f->dim, head, th_proof_linear_weights(f, -1, "head_bias"),
                              f->dim, f->y);
        th_proof_linear_relu(f->y, f->dim);
        from = f->y;
    }
    th_proof_linear_times(f, from, f->dim, answer, more, f->n_classes, f->wide);
    for (int c = 0; one >= 0 && c < f->n_classes; c++) {
        Number z = read_one(f, one, head, th_proof_linear_weights(f, -1, "head_bias"), answer + c,
                            (double)more[c]);
        f->wide[c] = z.off < f->wide[c].off ? z : f->wide[c];
    }
    for (int c = 0; c < f->n_classes; c++)
        f->wide[c].off = f->wide[c].off * TH_PROOF_WIDER + f->slack + TH_PROOF_SPARE;
}
