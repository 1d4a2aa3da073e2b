/* The mathematics is that of the prover's enclosures; nothing here calls them, on purpose. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "proof/check/check_impl.h"

/* ---- small algebra --------------------------------------------------------------------------- */

void th_proof_check_times(const double *a, const double *b, double *out, int n, int k, int m)
{
    memset(out, 0, (size_t)n * (size_t)m * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const double by = a[(size_t)i * (size_t)k + (size_t)j];
            const double *restrict row = b + (size_t)j * (size_t)m;
            double *restrict to = out + (size_t)i * (size_t)m;
            for (int l = 0; by != 0 && l < m; l++)
                to[l] += by * row[l];
        }
}

double th_proof_check_inner(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void th_proof_check_centre(double *rows, int n, int d)
{
    for (int r = 0; r < n; r++, rows += d) {
        double mean = 0;
        for (int i = 0; i < d; i++)
            mean += rows[i] / d;
        for (int i = 0; i < d; i++)
            rows[i] -= mean;
    }
}

/* k <- R with RᵀR = k, an upper triangle, as all that is read of k; false: k is not positive. */
static bool factorise(double *k, int d)
{
    for (int p = 0; p < d; p++) {
        double *restrict row = k + (size_t)p * (size_t)d;
        double pivot = row[p], root = sqrt(pivot);
        if (!(pivot > 0))
            return false;
        for (int i = p + 1; i < d; i++) {
            double *restrict to = k + (size_t)i * (size_t)d, by = row[i] / pivot;
            for (int j = i; j < d; j++)
                to[j] -= by * row[j];
        }
        for (int j = 0; j < d; j++)
            row[j] = j < p ? 0 : row[j] / root;
    }
    return true;
}

/* An upper bound of the greatest eigenvalue of k, of which the upper half is given, without
 * negative ones.  Powers say about where it is; none is above t if t·1 - k has a factor, and none
 * above the root of all squares. */
static double top(ThProofCheckSet *s, double *k, int d)
{
    enum { POWERS = 16 };
    double *v = s->line, *w = s->sum, *t = s->factor;
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++)
            k[i * d + j] = k[j * d + i];
    double most = sqrt(th_proof_check_inner(k, k, d * d)), spare = 1e-12 * d * most;
    if (!(most > 0 && most < 1e100))
        return most == 0 ? 0 : HUGE_VAL;
    for (int i = 0; i < d; i++)
        w[i] = 1 + 0.3 * sin(i + 1.0);
    for (int p = 0; p < POWERS; p++) {
        for (int i = 0; i < d; i++)
            v[i] = w[i] / most;
        th_proof_check_times(v, k, w, 1, d, d);
    }
    double guess = th_proof_check_inner(v, w, d) / th_proof_check_inner(v, v, d);
    for (double by = 2e-4 * most; guess + by < most; by *= 2) {
        for (int i = 0; i < d * d; i++)
            t[i] = -k[i];
        for (int i = 0; i < d; i++)
            t[i * d + i] += guess + by;
        if (factorise(t, d))
            return guess + by + spare;
    }
    return most + spare;
}

/* out (cols, cols) += by · Σ rowᵀ row, the upper half. */
static void add_gram(const ThProofCheckSet *s, const double *rows, int n, int cols, double by,
                     double *out)
{
    for (int r = 0; r < n; r++, rows += s->d)
        for (int i = 0; i < cols; i++) {
            const double *restrict row = rows, scale = by * row[i];
            double *restrict to = out + (size_t)i * (size_t)cols;
            for (int j = i; scale != 0 && j < cols; j++)
                to[j] += scale * row[j];
        }
}

double th_proof_check_norm(ThProofCheckSet *s, const double *rows, int n, int cols)
{
    memset(s->gram, 0, (size_t)cols * (size_t)cols * sizeof *s->gram);
    add_gram(s, rows, n, cols, 1, s->gram);
    return n == 1 ? sqrt(th_proof_check_inner(rows, rows, cols)) : sqrt(top(s, s->gram, cols));
}

/* v <- v A⁻¹, where A = RᵀR */
static void solve(const double *r, int d, double *v)
{
    for (int p = 0; p < d; p++) {
        v[p] /= r[p * d + p];
        for (int j = p + 1; j < d; j++)
            v[j] -= r[p * d + j] * v[p];
    }
    for (int p = d - 1; p >= 0; p--)
        v[p] =
            (v[p] - th_proof_check_inner(r + p * d + p + 1, v + p + 1, d - p - 1)) / r[p * d + p];
}

/* That a is symmetric need not be asked: the inverse is that of its upper half. */
bool th_proof_check_invert(ThProofCheckSet *s, const double *a, double *to)
{
    int d = s->d;
    double off = 0;
    memcpy(s->factor, a, (size_t)(d * d) * sizeof *a);
    if (!factorise(s->factor, d))
        return false;
    for (int i = 0; i < d * d; i++)
        to[i] = i % (d + 1) == 0;
    for (int i = 0; i < d; i++)
        solve(s->factor, d, to + i * d);
    th_proof_check_times(a, to, s->gram, d, d, d);
    for (int i = 0; i < d * d; i++)
        off += fabs(s->gram[i] - (i % (d + 1) == 0));
    return off < 1e-10;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static double value_of(ThProofBend bend, double x)
{
    return (const double[]){1 / (1 + exp(-x)), tanh(x), fmax(0, x), 1 / sqrt(x)}[bend];
}

/* What a tangent misses is greatest at an end, or where the slope is the same again: of a sigmoid
 * at the mirror image of the point.  What a ReLU's chord misses is greatest at 0. */
ThProofLine th_proof_check_line(ThProofBend bend, double at, const double range[2],
                                const double loose[2])
{
    const double low = range[0], high = range[1], value = value_of(bend, at);
    const double chord = low >= 0 ? 1 : high <= 0 ? 0 : high / (high - low);
    const double slopes[] = {value * (1 - value), 1 - value * value, chord, -value / (2 * at)};
    const double place[] = {low, high, bend == TH_PROOF_RELU ? 0 : -at};
    double slope = slopes[bend], least = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        if (place[i] < low || place[i] > high)
            continue;
        double off = value_of(bend, place[i]) - value - slope * (place[i] - at);
        least = fmin(least, off);
        most = fmax(most, off);
    }
    least += fmin(slope * loose[0], slope * loose[1]);
    most += fmax(slope * loose[0], slope * loose[1]);
    double middle = value + (least + most) / 2;
    return (ThProofLine){
        middle, slope, (most - least) / 2,
        fmax(fabs(value_of(bend, low) - middle), fabs(value_of(bend, high) - middle))};
}

/* ---- sets ------------------------------------------------------------------------------------ */

ThProofCheckSet *th_proof_check_set_new(int d, int parts, int alone, int wide, ThError *err)
{
    enum { ROOMS = 9, STACKS = sizeof((ThProofCheckSet *)0)->stack / sizeof(double *) };
    enum { SIZES = sizeof((ThProofCheckSet *)0)->size / sizeof(double *) };
    size_t stack = (size_t)(1 + d) * (size_t)wide,
           rows = (size_t)(1 + parts * d + alone) * (size_t)d;
    ThProofCheckSet *s =
        th_alloc(1,
                 sizeof *s + (rows + (ROOMS + STACKS) * stack + (2 * SIZES + 2) * (size_t)wide) *
                                 sizeof *s->number,
                 err);
    if (!s)
        return NULL;
    double **room[ROOMS] = {&s->rest, &s->joint, &s->gram, &s->factor, &s->line,
                            &s->sum,  &s->half,  &s->at,   &s->slope};
    for (int i = 0; i < ROOMS + STACKS; i++)
        *(i < ROOMS ? room[i] : &s->stack[i - ROOMS]) = s->number + (size_t)i * stack;
    double *more = s->number + (ROOMS + STACKS) * stack;
    for (int i = 0; i < SIZES; i++) {
        s->size[i] = more + (size_t)i * (size_t)wide;
        s->sum_of[i] = more + (size_t)(SIZES + i) * (size_t)wide;
    }
    s->off = more + 2 * SIZES * (size_t)wide;
    s->most = s->off + wide;
    s->row = s->most + wide;
    s->d = d;
    s->n_part = parts * d;
    return s;
}

double *th_proof_check_row(const ThProofCheckSet *s, int generator)
{
    return s->row + (size_t)(1 + generator) * (size_t)s->d;
}

void th_proof_check_load(const ThProofEllipsoid *e, int d, double *rows)
{
    memcpy(rows, e->centre, (size_t)d * sizeof *rows);
    for (int i = 0; i < d * d; i++)
        rows[d + i] = e->radius * e->shape[i];
}

void th_proof_check_turn(ThProofCheckSet *s, const double *m)
{
    for (int i = -1; i < s->n; i++) {
        double *row = th_proof_check_row(s, i);
        th_proof_check_times(row, m, s->line, 1, s->d, s->d);
        memcpy(row, s->line, (size_t)s->d * sizeof *row);
    }
}

/* How many generators go together, from one on. */
static int together(const ThProofCheckSet *s, int from)
{
    return from < s->n_part ? s->d : 1;
}

void th_proof_check_widths(ThProofCheckSet *s, const double *m, int cols, double *to)
{
    memset(to, 0, (size_t)cols * sizeof *to);
    for (int i = 0, end; i < s->n; i = end) {
        end = i + together(s, i);
        memset(s->sum, 0, (size_t)cols * sizeof *s->sum);
        for (int r = i; r < end; r++) {
            const double *along = th_proof_check_row(s, r);
            if (m) {
                th_proof_check_times(along, m, s->line, 1, s->d, cols);
                along = s->line;
            }
            for (int k = 0; k < cols; k++)
                s->sum[k] += along[k] * along[k];
        }
        for (int k = 0; k < cols; k++)
            to[k] += sqrt(s->sum[k]);
    }
}

/* The least of three: the norms of parts, with the box around all that is alone; the box around
 * all; and an ellipsoid around all, for which any weights of what is in it will do. */
double th_proof_check_reach(ThProofCheckSet *s)
{
    int d = s->d;
    double total = 0, apart = 0, *box = s->at;
    memset(s->joint, 0, (size_t)(d * d) * sizeof *s->joint);
    memset(box, 0, (size_t)d * sizeof *box);
    th_proof_check_widths(s, NULL, d, s->half);
    for (int i = 0, n; i < s->n; i += n) {
        const double *rows = th_proof_check_row(s, i);
        n = together(s, i);
        double norm = th_proof_check_norm(s, rows, n, d);
        if (norm == 0)
            continue;
        total += norm;
        apart += n > 1 ? norm : 0;
        for (int k = 0; k < d; k++)
            box[k] += n > 1 ? 0 : fabs(rows[k]);
        for (int k = 0; k < d * d; k++)
            s->joint[k] += s->gram[k] / norm;
    }
    double square = total * top(s, s->joint, d);
    if (!isfinite(square))
        return HUGE_VAL;
    return fmin(fmin(apart + sqrt(th_proof_check_inner(box, box, d)),
                     sqrt(th_proof_check_inner(s->half, s->half, d))),
                sqrt(square));
}

double th_proof_check_distance(ThProofCheckSet *s, const ThProofEllipsoid *into)
{
    int d = s->d;
    double *off = th_proof_check_row(s, s->n++);
    for (int i = 0; i < d; i++)
        off[i] = s->row[i] - into->centre[i];
    th_proof_check_turn(s, into->inverse);
    return th_proof_check_reach(s) * (1 + TH_PROOF_SPARE) + TH_PROOF_SPARE;
}

void th_proof_check_gather(ThProofCheckSet *s, const double *rows, int n, double by)
{
    double size = by * sqrt(th_proof_check_inner(rows, rows, n * s->d));
    if (size == 0)
        return;
    add_gram(s, rows, n, s->d, by * by / size, s->rest);
    s->gathered += size;
}

void th_proof_check_settle(ThProofCheckSet *s, double *rows)
{
    int d = s->d;
    double trace = 0;
    for (int i = 0; i < d; i++)
        trace += s->rest[i * (d + 1)];
    for (int i = 0; i < d * d; i++)
        rows[i] = s->gathered * (s->rest[i] + (i % (d + 1) == 0 ? 1e-12 * trace : 0));
    if (trace != 0 && !factorise(rows, d))
        rows[0] = HUGE_VAL;
    memset(s->rest, 0, (size_t)(d * d) * sizeof *s->rest);
    s->gathered = 0;
}

void th_proof_check_blur(ThProofCheckSet *s, const double *off, double *rows)
{
    int d = s->d;
    double total = 0;
    if (s->unit == 0)
        return;
    memset(s->joint, 0, (size_t)(d * d) * sizeof *s->joint);
    for (int i = 0; i < d; i++)
        total += off[i];
    for (int i = 0; i < d; i++)
        s->joint[i * (d + 1)] = sqrt(total * off[i]);
    th_proof_check_gather(s, rows, d, 1);
    th_proof_check_gather(s, s->joint, d, 1);
    th_proof_check_settle(s, rows);
}
