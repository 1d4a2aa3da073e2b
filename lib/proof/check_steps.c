/* One application of F to two sets, step by step. */
#include <math.h>
#include <string.h>

#include "proof/check_impl.h"

/* ---- attention ------------------------------------------------------------------------------- */

static double logistic(double s)
{
    return 1 / (1 + exp(-s));
}

/* A weight's line value + slope·s, and the error of the line; and of the value alone. */
typedef struct {
    double value, slope, error, reach;
} Line;

/* s goes linearly by `linear` about `at`, and by something in [down, up] on top. */
static Line line_of(double at, double linear, double down, double up)
{
    double from = at - linear + down, to = at + linear + up, value = logistic(at);
    double slope = value * (1 - value), low = 0, high = 0, place[3] = {from, to, -at};
    for (int i = 0; i < 3; i++) {
        if (place[i] < from || place[i] > to)
            continue;
        double off = logistic(place[i]) - (value + slope * (place[i] - at));
        low = fmin(low, off);
        high = fmax(high, off);
    }
    low += slope * down;
    high += slope * up;
    Line l = {value + (low + high) / 2, slope, (high - low) / 2, 0};
    l.reach = fmax(0, fmax(logistic(to) - l.value, l.value - logistic(from)));
    return l;
}

/* Generators of the block from row `first` on += by · way row + tilt[i] · gap. */
static void add_rows(ThProofBounds *b, int first, double by, const double *way, double slope,
                     const double *tilt)
{
    int d = b->d;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            b->g[(size_t)(first + i) * (size_t)d + (size_t)j] +=
                by * way[i * d + j] + slope * tilt[i] * b->gap[j];
}

/* What a vector becomes through head h. */
static void through(const ThProofBounds *b, const double *v, int h, double *out)
{
    const ThProofMap *f = b->f;
    int d = b->d, size = d / f->heads;
    memset(out, 0, (size_t)d * sizeof *out);
    for (int k = h * size; k < (h + 1) * size; k++) {
        double value = 0;
        for (int i = 0; i < d; i++)
            value += v[i] * f->value[i * d + k];
        for (int j = 0; j < d; j++)
            out[j] += value * f->output[k * d + j];
    }
    th_proof_check_centre(out, 1, d);
}

/* The line of head h for query and keys at the centres. */
static Line head_line(ThProofBounds *b, int h, const ThProofEllipsoid *x, const ThProofEllipsoid *y,
                      double rx)
{
    const ThProofMap *f = b->f;
    int d = b->d, size = d / f->heads, from = h * size, kx = x ? x->shape : 0;
    const ThProofCheckShape *sx = &b->shape[kx], *sy = &b->shape[y->shape];
    double scale = 1 / sqrt(size), ry = y->radius;
    for (int i = 0; i < d; i++) {
        double other = th_proof_check_inner(sy->key + i * d + from, b->query + from, size);
        double own = th_proof_check_inner(sy->query + i * d + from, b->key + from, size);
        b->along_x[i] =
            rx * scale * th_proof_check_inner(sx->key + i * d + from, b->query + from, size);
        b->along_y[i] = ry * scale * (own - other);
    }
    double at = scale * th_proof_check_inner(b->query + from, b->key + from, size) + f->relative[h];
    double cross = rx * ry * b->cross[(kx * b->n_shapes + y->shape) * f->heads + h];
    return line_of(at, th_proof_check_size(b->along_x, d) + th_proof_check_size(b->along_y, d),
                   -cross - ry * ry * sy->most[h], cross - ry * ry * sy->least[h]);
}

/* One head's share of the set, before the remainders. */
static void take_head(ThProofBounds *b, int h, const ThProofEllipsoid *x, const ThProofEllipsoid *y,
                      const double *earlier)
{
    int d = b->d;
    size_t square = (size_t)d * (size_t)d;
    double rx = x ? x->radius : 0;
    Line l = {0};
    through(b, y->centre, h, b->v);
    memset(b->gap, 0, (size_t)d * sizeof *b->gap);
    if (earlier) {
        l = head_line(b, h, x, y, rx);
        through(b, earlier, h, b->gap);
        for (int j = 0; j < d; j++)
            b->gap[j] -= b->v[j];
        for (int j = 0; j < d; j++)
            b->g[(size_t)(2 * d + b->n_box) * (size_t)d + (size_t)j] = l.error * b->gap[j];
        b->n_box++;
        add_rows(b, 0, rx * l.value, b->shape[x ? x->shape : 0].way + (size_t)h * square, l.slope,
                 b->along_x);
    }
    for (int j = 0; j < d; j++)
        b->c[j] += b->v[j] + l.value * b->gap[j];
    add_rows(b, d, y->radius * (1 - l.value), b->shape[y->shape].way + (size_t)h * square, l.slope,
             b->along_y);
    b->spread[h] = l.reach;
}

/* The ellipsoid of the remainders: a sum of ellipsoids with matrices E_i and sizes s_i = √tr E_i is
 * inside that of (Σ s_i) Σ E_i / s_i. */
static void take_remainders(ThProofBounds *b, const ThProofEllipsoid *x, const ThProofEllipsoid *y)
{
    int d = b->d, heads = b->f->heads;
    size_t square = (size_t)d * (size_t)d;
    double total = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 * heads; i++) {
            const ThProofEllipsoid *e = i < heads ? x : y;
            int h = i % heads;
            if (!e)
                continue;
            const double *spread = b->shape[e->shape].spread + (size_t)h * square;
            double by = b->spread[h] * e->radius,
                   size = by * sqrt(th_proof_check_diagonal(spread, d));
            if (pass == 0)
                total += size;
            for (size_t k = 0; pass == 1 && size > 0 && k < square; k++)
                b->q[k] += total / size * by * by * spread[k];
        }
}

void th_proof_check_attend(ThProofBounds *b, const ThProofEllipsoid *x, const ThProofEllipsoid *y)
{
    const ThProofMap *f = b->f;
    int d = b->d;
    size_t square = (size_t)d * (size_t)d;
    const double *earlier = x ? x->centre : f->mask ? NULL : f->pad;
    memcpy(b->c, y->centre, (size_t)d * sizeof *b->c);
    memset(b->g, 0, 2 * square * sizeof *b->g);
    memset(b->q, 0, square * sizeof *b->q);
    b->n_box = 0;
    const double *a = b->shape[y->shape].a;
    for (int i = 0; i < d * d; i++)
        b->g[square + (size_t)i] = y->radius * (a ? a[i] : i % (d + 1) == 0);
    th_proof_check_centre(b->c, 1, d);
    th_proof_check_centre(b->g + square, d, d);
    th_proof_check_times(y->centre, f->query, b->query, 1, d, d);
    th_proof_check_times(y->centre, f->key, b->gap, 1, d, d);
    th_proof_check_times(earlier ? earlier : y->centre, f->key, b->key, 1, d, d);
    for (int i = 0; i < d; i++)
        b->key[i] -= b->gap[i];
    for (int h = 0; h < f->heads; h++)
        take_head(b, h, x, y, earlier);
    take_remainders(b, x, y);
}

/* ---- layer norm ------------------------------------------------------------------------------ */

static const double *box(const ThProofBounds *b, int j)
{
    return b->g + (size_t)(2 * b->d + j) * (size_t)b->d;
}

/* Half the width of the set in the direction v. */
static double half_width(const ThProofBounds *b, const double *v)
{
    int d = b->d;
    double part[2] = {0}, boxes = 0, form = 0;
    for (int i = 0; i < 2 * d; i++) {
        double along = th_proof_check_inner(b->g + (size_t)i * (size_t)d, v, d);
        part[i / d] += along * along;
    }
    for (int j = 0; j < b->n_box; j++)
        boxes += fabs(th_proof_check_inner(box(b, j), v, d));
    for (int i = 0; i < d; i++)
        form += v[i] * th_proof_check_inner(b->q + i * d, v, d);
    return sqrt(part[0]) + sqrt(part[1]) + sqrt(fmax(0, form)) + boxes;
}

double th_proof_check_corner(const ThProofBounds *b, const double *off)
{
    int d = b->d;
    double square = 0;
    for (int i = 0; i < d; i++) {
        double part[2] = {0}, width = (off ? fabs(off[i]) : 0) + sqrt(fmax(0, b->q[i * d + i]));
        for (int r = 0; r < 2 * d; r++)
            part[r / d] +=
                b->g[(size_t)r * (size_t)d + (size_t)i] * b->g[(size_t)r * (size_t)d + (size_t)i];
        for (int j = 0; j < b->n_box; j++)
            width += fabs(box(b, j)[i]);
        width += sqrt(part[0]) + sqrt(part[1]);
        square += width * width;
    }
    return sqrt(square);
}

void th_proof_check_measure(ThProofBounds *b, double norm[4])
{
    int d = b->d;
    size_t square = (size_t)d * (size_t)d;
    memset(b->kx, 0, square * sizeof *b->kx);
    memset(b->ky, 0, square * sizeof *b->ky);
    th_proof_check_outer(b->g, d, d, 1, b->kx);
    th_proof_check_outer(b->g + square, d, d, 1, b->ky);
    norm[0] = th_proof_check_norm(b, b->kx);
    norm[1] = th_proof_check_norm(b, b->ky);
    norm[2] = th_proof_check_norm(b, b->q);
    norm[3] = 0;
    for (int j = 0; j < b->n_box; j++)
        norm[3] += th_proof_check_size(box(b, j), d);
}

/* b->hull <- Σ parts / their sizes + Σ box boxᵀ / |box|, for the sizes given. */
void th_proof_check_gather(ThProofBounds *b, const double size[3])
{
    int d = b->d;
    for (int i = 0; i < d * d; i++)
        b->hull[i] = (size[0] > 0 ? b->kx[i] / size[0] : 0) +
                     (size[1] > 0 ? b->ky[i] / size[1] : 0) + (size[2] > 0 ? b->q[i] / size[2] : 0);
    for (int j = 0; j < b->n_box; j++) {
        double length = th_proof_check_size(box(b, j), d);
        if (length > 0)
            th_proof_check_outer(box(b, j), 1, d, 1 / length, b->hull);
    }
}

/* rows <- scale (row - along·c), along being the row's share of the centre. */
static void project(const ThProofBounds *b, double *rows, int n, double scale, double mean)
{
    int d = b->d;
    for (int r = 0; r < n; r++, rows += d) {
        double along = th_proof_check_inner(rows, b->c, d) / (mean * d);
        for (int i = 0; i < d; i++)
            rows[i] = scale * (rows[i] - along * b->c[i]);
    }
}

/* q <- a sum of ellipsoids, that of q and `far` times that around the whole set. */
static void widen(ThProofBounds *b, double total, double far)
{
    int d = b->d;
    double own = sqrt(fmax(0, th_proof_check_diagonal(b->q, d)));
    double rest = far * sqrt(total * th_proof_check_diagonal(b->hull, d));
    for (int i = 0; i < d * d; i++)
        b->q[i] = (own > 0 ? (own + rest) / own * b->q[i] : 0) +
                  (rest > 0 ? (own + rest) / rest * far * far * total * b->hull[i] : 0);
}

/* 1/√s where s is the mean square, over what s can be: a line in the set's coordinates, and what
 * it leaves. */
typedef struct {
    double root, mean, shift, error, far;
} Root;

static Root root_of(const ThProofBounds *b, double reach)
{
    int d = b->d;
    double length = th_proof_check_size(b->c, d), mean = length * length / d + TH_PROOF_EPSILON;
    double toward = half_width(b, b->c), least = fmax(0, length - reach);
    double low = fmax(mean - 2 * toward / d, least * least / d + TH_PROOF_EPSILON);
    double high = fmin(mean + (2 * toward + reach * reach) / d,
                       (length + reach) * (length + reach) / d + TH_PROOF_EPSILON);
    double root = 1 / sqrt(mean), slope = -root / (2 * mean);
    double above = fmax(1 / sqrt(low) - root - slope * (low - mean),
                        1 / sqrt(high) - root - slope * (high - mean));
    double under = slope * reach * reach / d;
    double far = fmax(1 / sqrt(low) - root, root - 1 / sqrt(high));
    return (Root){root, mean, (above + under) / 2, (above - under) / 2, far};
}

void th_proof_check_normalise(ThProofBounds *b, const double *gain, const double *offset)
{
    int d = b->d;
    double norm[4];
    th_proof_check_measure(b, norm);
    double size[3] = {sqrt(th_proof_check_diagonal(b->kx, d)),
                      sqrt(th_proof_check_diagonal(b->ky, d)),
                      sqrt(fmax(0, th_proof_check_diagonal(b->q, d)))};
    th_proof_check_gather(b, size);
    Root r =
        root_of(b, fmin(norm[0] + norm[1] + norm[2] + norm[3], th_proof_check_corner(b, NULL)));
    project(b, b->g, 2 * d + b->n_box, r.root, r.mean);
    project(b, b->q, d, r.root, r.mean);
    th_proof_check_flip(b->q, d);
    project(b, b->q, d, r.root, r.mean);
    widen(b, size[0] + size[1] + size[2] + norm[3], r.far);
    double *extra = b->g + (size_t)(2 * d + b->n_box++) * (size_t)d;
    for (int i = 0; i < d; i++)
        extra[i] = r.error * b->c[i];
    for (int k = 0; k < 2 * d + b->n_box; k++)
        for (int i = 0; i < d; i++)
            b->g[(size_t)k * (size_t)d + (size_t)i] *= gain[i];
    for (int i = 0; i < d; i++) {
        b->c[i] = b->c[i] * (r.root + r.shift) * gain[i] + offset[i];
        for (int j = 0; j < d; j++)
            b->q[i * d + j] *= gain[i] * gain[j];
    }
}

/* ---- feed-forward layer ---------------------------------------------------------------------- */

/* b->half <- half-widths of the inputs of the hidden units. */
static void input_widths(ThProofBounds *b)
{
    const ThProofMap *f = b->f;
    int d = b->d, n = f->hidden;
    double *sum = b->slope;
    memset(b->half, 0, (size_t)n * sizeof *b->half);
    th_proof_check_times(b->g, f->up, b->wide, 2 * d + b->n_box, d, n);
    for (int part = 0; part < 2; part++) {
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int i = part * d; i < (part + 1) * d; i++)
            for (int k = 0; k < n; k++)
                sum[k] += b->wide[(size_t)i * (size_t)n + (size_t)k] *
                          b->wide[(size_t)i * (size_t)n + (size_t)k];
        for (int k = 0; k < n; k++)
            b->half[k] += sqrt(sum[k]);
    }
    for (int i = 2 * d; i < 2 * d + b->n_box; i++)
        for (int k = 0; k < n; k++)
            b->half[k] += fabs(b->wide[(size_t)i * (size_t)n + (size_t)k]);
    th_proof_check_times(b->q, f->up, b->wide, d, d, n);
    for (int k = 0; k < n; k++) {
        double form = 0;
        for (int i = 0; i < d; i++)
            form += f->up[i * n + k] * b->wide[i * n + k];
        b->half[k] += sqrt(fmax(0, form));
    }
}

void th_proof_check_map(ThProofBounds *b, double *rows, int n)
{
    th_proof_check_times(rows, b->work, b->wide, n, b->d, b->d);
    memcpy(rows, b->wide, (size_t)n * (size_t)b->d * sizeof *rows);
}

/* b->work <- 1 + up diag(slope) down, centred: what a row is multiplied by. */
static void linear_part(ThProofBounds *b)
{
    const ThProofMap *f = b->f;
    int d = b->d, n = f->hidden;
    for (int i = 0; i < d; i++)
        for (int k = 0; k < n; k++)
            b->wide[i * n + k] = f->up[i * n + k] * b->slope[k];
    th_proof_check_times(b->wide, f->down, b->work, d, n, d);
    for (int i = 0; i < d; i++)
        b->work[i * d + i] += 1;
    th_proof_check_centre(b->work, d, d);
}

void th_proof_check_feed(ThProofBounds *b)
{
    const ThProofMap *f = b->f;
    int d = b->d, n = f->hidden;
    th_proof_check_times(b->c, f->up, b->pre, 1, d, n);
    input_widths(b);
    for (int k = 0; k < n; k++) {
        double at = b->pre[k] + f->up_bias[k], lo = at - b->half[k], hi = at + b->half[k];
        b->slope[k] = lo >= 0 ? 1 : hi > 0 ? hi / (hi - lo) : 0;
        b->half[k] = lo < 0 && hi > 0 ? -lo * b->slope[k] / 2 : 0;
        b->pre[k] = b->slope[k] * at + b->half[k];
    }
    linear_part(b);
    th_proof_check_map(b, b->g, 2 * d + b->n_box);
    th_proof_check_map(b, b->q, d);
    th_proof_check_flip(b->q, d);
    th_proof_check_map(b, b->q, d);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < d; j++)
            b->c[j] += b->pre[k] * f->down[k * d + j];
        if (b->half[k] == 0)
            continue;
        double *to = b->g + (size_t)(2 * d + b->n_box++) * (size_t)d;
        for (int j = 0; j < d; j++)
            to[j] = b->half[k] * f->down[k * d + j];
        th_proof_check_centre(to, 1, d);
    }
    for (int j = 0; j < d; j++)
        b->c[j] += f->down_bias[j];
    th_proof_check_centre(b->c, 1, d);
}
