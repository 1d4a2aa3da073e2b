/* The mathematics is that of the prover's enclosures; nothing here calls them, on purpose. */

#include <gsl/gsl_blas.h>

#include "proof/check/check_impl.h"

/* ---- small algebra --------------------------------------------------------------------------- */

enum { SMALL = 1 << 10 /* products: what a call of BLAS costs is more */ };

void th_proof_check_block(const double *a, int apart, const double *b, double *out,
                          ThProofCheckSizes s)
{
    const size_t n = (size_t)s.n, k = (size_t)s.k, m = (size_t)s.m;
    if (n * k * m > SMALL) {
        gsl_matrix_const_view va = gsl_matrix_const_view_array_with_tda(a, n, k, (size_t)apart);
        gsl_matrix_const_view vb = gsl_matrix_const_view_array(b, k, m);
        gsl_matrix_view to = gsl_matrix_view_array(out, n, m);
        gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &va.matrix, &vb.matrix, 0, &to.matrix);
        return;
    }
    memset(out, 0, n * m * sizeof *out);
    for (int i = 0; i < s.n; i++)
        for (int j = 0; j < s.k; j++) {
            const double by = a[i * apart + j], *restrict row = b + j * s.m;
            double *restrict to = out + i * s.m;
            for (int l = 0; by != 0 && l < s.m; l++)
                to[l] += by * row[l];
        }
}

void th_proof_check_times(const double *a, const double *b, double *out, int n, int k, int m)
{
    th_proof_check_block(a, k, b, out, (ThProofCheckSizes){n, k, m});
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

/* The rows from p to end of what factorise makes; false: k is not positive. */
static bool factorise_rows(double *k, int d, int p, int end)
{
    for (; p < end; p++) {
        double *restrict row = k + p * d, by_root = 1 / sqrt(row[p]);
        if (!(row[p] > 0))
            return false;
        for (int j = 0; j < d; j++)
            row[j] = j < p ? 0 : row[j] * by_root;
        for (int i = p + 1; i < end; i++) {
            double *restrict to = k + i * d, by = row[i];
            for (int j = i; j < d; j++)
                to[j] -= by * row[j];
        }
    }
    return true;
}

/* k <- R with RᵀR = k, an upper triangle, as all that is read of k; false: k is not positive. */
static bool factorise(double *k, int d)
{
    enum { ROWS = 16 };
    const size_t size = (size_t)d;
    for (int p = 0, end; p < d; p = end) {
        end = p + ROWS < d ? p + ROWS : d;
        if (!factorise_rows(k, d, p, end))
            return false;
        if (end == d)
            break;
        const size_t left = size - (size_t)end;
        gsl_matrix_const_view done =
            gsl_matrix_const_view_array_with_tda(k + p * d + end, (size_t)(end - p), left, size);
        gsl_matrix_view rest = gsl_matrix_view_array_with_tda(k + end * (d + 1), left, left, size);
        gsl_blas_dsyrk(CblasUpper, CblasTrans, -1, &done.matrix, 1, &rest.matrix);
    }
    return true;
}

/* k, of which the upper half is given, gets the lower one.  Returns about where its greatest
 * eigenvalue is, and not above it: k has no negative ones. */
static double guess_top(ThProofCheckSet *s, double *k, int d)
{
    enum { POWERS = 16 };
    double *v = s->line, *w = s->sum;
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++)
            k[i * d + j] = k[j * d + i];
    double most = sqrt(th_proof_check_inner(k, k, d * d));
    if (!(most > 0 && most < 1e100))
        return most == 0 ? 0 : HUGE_VAL;
    for (int i = 0; i < d; i++)
        w[i] = 1 + 0.3 * sin(i + 1.0);
    for (int p = 0; p < POWERS; p++) {
        for (int i = 0; i < d; i++)
            v[i] = w[i] / most;
        th_proof_check_times(v, k, w, 1, d, d);
    }
    return th_proof_check_inner(v, w, d) / th_proof_check_inner(v, v, d);
}

/* An upper bound of that eigenvalue, near a guess: none is above t if t·1 - k has a factor, and
 * none above the root of all squares. */
static double top(ThProofCheckSet *s, const double *k, int d, double guess)
{
    double *t = s->factor;
    double most = sqrt(th_proof_check_inner(k, k, d * d)), spare = 1e-12 * d * most;
    if (!(most > 0 && most < 1e100))
        return most == 0 ? 0 : HUGE_VAL;
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

/* out (cols, cols) += by · Σ rowᵀ row, the upper half; of rows that are s->d apart. */
static void add_gram(const ThProofCheckSet *s, const double *rows, int n, int cols, double by,
                     double *out)
{
    if (n * cols * cols > SMALL) {
        const size_t size = (size_t)cols;
        gsl_matrix_const_view from =
            gsl_matrix_const_view_array_with_tda(rows, (size_t)n, size, (size_t)s->d);
        gsl_matrix_view to = gsl_matrix_view_array(out, size, size);
        gsl_blas_dsyrk(CblasUpper, CblasTrans, by, &from.matrix, 1, &to.matrix);
        return;
    }
    for (int r = 0; r < n; r++, rows += s->d)
        for (int i = 0; i < cols; i++) {
            const double *restrict row = rows, scale = by * row[i];
            double *restrict to = out + (size_t)i * (size_t)cols;
            for (int j = i; scale != 0 && j < cols; j++)
                to[j] += scale * row[j];
        }
}

/* out (d, d) += Σ rowᵀ row / |row| over all generators that are alone, the upper half.  Returns
 * Σ |row|. */
static double add_alone(const ThProofCheckSet *s, double *out)
{
    int d = s->d, n = 0;
    double total = 0;
    for (int i = s->n_part; i < s->n; i++) {
        const double *row = th_proof_check_row(s, i);
        double length = sqrt(th_proof_check_inner(row, row, d)), by = 1 / sqrt(length);
        total += length;
        for (int j = 0; length != 0 && j < d; j++)
            s->line[n * d + j] = by * row[j];
        n += length != 0;
        if (n == d || i == s->n - 1) {
            add_gram(s, s->line, n, d, 1, out);
            n = 0;
        }
    }
    return total;
}

double th_proof_check_norm(ThProofCheckSet *s, const double *rows, int n, int cols)
{
    memset(s->gram, 0, (size_t)cols * (size_t)cols * sizeof *s->gram);
    add_gram(s, rows, n, cols, 1, s->gram);
    return sqrt(top(s, s->gram, cols, guess_top(s, s->gram, cols)));
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
    int d = s->d;
    for (int i = -1, n; i < s->n; i += n) {
        double *rows = th_proof_check_row(s, i);
        n = s->n - i < d ? s->n - i : d;
        th_proof_check_times(rows, m, s->line, n, d, d);
        memcpy(rows, s->line, (size_t)n * (size_t)d * sizeof *rows);
    }
}

/* to (cols) += how far n generators reach, which are one part, or all alone. */
static void add_widths(ThProofCheckSet *s, const double *rows, bool part, int n, int cols,
                       double *to)
{
    memset(s->sum, 0, (size_t)cols * sizeof *s->sum);
    for (int r = 0; r < n; r++)
        for (int k = 0; k < cols; k++) {
            double along = rows[r * cols + k];
            s->sum[k] += part ? along * along : fabs(along);
        }
    for (int k = 0; k < cols; k++)
        to[k] += part ? sqrt(s->sum[k]) : s->sum[k];
}

void th_proof_check_widths(ThProofCheckSet *s, const double *m, int cols, double *to)
{
    int d = s->d;
    memset(to, 0, (size_t)cols * sizeof *to);
    for (int i = 0, n; i < s->n; i += n) {
        const double *rows = th_proof_check_row(s, i);
        n = s->n - i < d ? s->n - i : d;
        if (m)
            th_proof_check_times(rows, m, s->line, n, d, cols);
        add_widths(s, m ? s->line : rows, i < s->n_part, n, cols, to);
    }
}

/* How far an ellipsoid around a sum reaches, of which s->joint is the Gram matrix and total the sum
 * of weights; it need not be known where it is no less than `most`. */
static double around(ThProofCheckSet *s, double total, double most)
{
    double guess = guess_top(s, s->joint, s->d);
    if (total * guess > most * most)
        return most;
    double square = total * top(s, s->joint, s->d, guess);
    return isfinite(square) ? sqrt(square) : HUGE_VAL;
}

/* The least of three: an ellipsoid around the parts, for which any weights of them will do, with
 * the box around all that is alone; the box around all; and an ellipsoid around all. */
double th_proof_check_reach(ThProofCheckSet *s)
{
    int d = s->d;
    double total = 0, box = 0, beside = 0;
    memset(s->joint, 0, (size_t)(d * d) * sizeof *s->joint);
    for (int i = 0; i < s->n_part; i += d) {
        memset(s->gram, 0, (size_t)(d * d) * sizeof *s->gram);
        add_gram(s, th_proof_check_row(s, i), d, d, 1, s->gram);
        double norm = sqrt(guess_top(s, s->gram, d));
        for (int k = 0; norm != 0 && k < d * d; k++)
            s->joint[k] += s->gram[k] / norm;
        total += norm;
    }
    memset(s->at, 0, (size_t)d * sizeof *s->at);
    for (int i = s->n_part; i < s->n; i++)
        for (int k = 0; k < d; k++)
            s->at[k] += fabs(th_proof_check_row(s, i)[k]);
    th_proof_check_widths(s, NULL, d, s->half);
    box = sqrt(th_proof_check_inner(s->half, s->half, d));
    beside = sqrt(th_proof_check_inner(s->at, s->at, d));
    if (!isfinite(box) || !isfinite(total))
        return HUGE_VAL;
    double apart = around(s, total, box - beside) + beside;
    return around(s, total + add_alone(s, s->joint), apart < box ? apart : box);
}

double th_proof_check_distance(ThProofCheckSet *s, const ThProofEllipsoid *into)
{
    int d = s->d;
    double *off = th_proof_check_row(s, s->n++);
    for (int i = 0; i < d; i++)
        off[i] = s->row[i] - into->centre[i];
    if (!into->round)
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

void th_proof_check_gram(ThProofCheckSet *s, const double *rows, double *to)
{
    memset(to, 0, (size_t)(s->d * s->d) * sizeof *to);
    add_gram(s, rows, s->d, s->d, 1, to);
}

void th_proof_check_gather_gram(ThProofCheckSet *s, const double *gram, double by)
{
    int d = s->d;
    double trace = 0;
    for (int i = 0; i < d; i++)
        trace += gram[i * (d + 1)];
    double size = by * sqrt(trace);
    if (size == 0)
        return;
    for (int i = 0; i < d * d; i++)
        s->rest[i] += by * by / size * gram[i];
    s->gathered += size;
}

void th_proof_check_gather_all(ThProofCheckSet *s, double by)
{
    int d = s->d;
    for (int i = 0; i < s->n_part; i += d)
        th_proof_check_gather(s, th_proof_check_row(s, i), d, by);
    memset(s->gram, 0, (size_t)(d * d) * sizeof *s->gram);
    s->gathered += by * add_alone(s, s->gram);
    for (int k = 0; k < d * d; k++)
        s->rest[k] += by * s->gram[k];
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
    for (int i = 0; i < d; i++)
        total += off[i];
    th_proof_check_gather(s, rows, d, 1);
    for (int i = 0; total != 0 && i < d; i++)
        s->rest[i * (d + 1)] += off[i]; /* rows √(total off), whose size is total */
    s->gathered += total;
    th_proof_check_settle(s, rows);
}
