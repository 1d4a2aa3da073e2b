/* The mathematics is that of the prover's enclosure; nothing here calls it, on purpose. */
#include "proof/check_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proof/check_impl.h"

/* Added to every bound, relative and absolute: far more than all roundings together. */
static const double SPARE = 1e-9;

/* ---- making ---------------------------------------------------------------------------------- */

static double *take(ThProofBounds *b, size_t n)
{
    double *to = th_arena_take(b->arena, n, sizeof *to);
    b->failed |= !to;
    if (to)
        memset(to, 0, n * sizeof *to);
    return to;
}

static void take_all(ThProofBounds *b)
{
    const ThProofMap *f = b->f;
    size_t d = (size_t)b->d, hidden = (size_t)f->hidden, heads = (size_t)f->heads;
    size_t rows = 2 * d + heads + 2 + hidden;
    double **square[] = {&b->q, &b->kx, &b->ky, &b->hull, &b->work, &b->factor};
    double **row[] = {&b->c, &b->v, &b->w, &b->query, &b->key, &b->gap, &b->along_x, &b->along_y};
    double **wide[] = {&b->pre, &b->half, &b->slope};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        *square[i] = take(b, d * d);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        *row[i] = take(b, d);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        *wide[i] = take(b, hidden);
    b->spread = take(b, heads);
    b->g = take(b, rows * d);
    b->wide = take(b, rows * hidden); /* hidden ≥ d */
    b->cross = take(b, (size_t)b->n_shapes * (size_t)b->n_shapes * heads);
}

/* Gauss and Jordan's inverse of a symmetric positive matrix, which needs no pivoting. */
static bool invert(ThProofBounds *b, const double *from, double *to)
{
    int d = b->d;
    double *a = b->work;
    memcpy(a, from, (size_t)(d * d) * sizeof *a);
    for (int i = 0; i < d * d; i++)
        to[i] = i % (d + 1) == 0;
    for (int p = 0; p < d; p++) {
        double pivot = a[p * d + p];
        if (!(pivot > 1e-9))
            return false;
        for (int j = 0; j < d; j++) {
            a[p * d + j] /= pivot;
            to[p * d + j] /= pivot;
        }
        for (int i = 0; i < d; i++) {
            double by = i == p ? 0 : a[i * d + p];
            for (int j = 0; by != 0 && j < d; j++) {
                a[i * d + j] -= by * a[p * d + j];
                to[i * d + j] -= by * to[p * d + j];
            }
        }
    }
    return true;
}

bool th_proof_check_invert(ThProofBounds *b, const double *a, double *to)
{
    int d = b->d;
    double off = 0;
    if (!invert(b, a, to))
        return false;
    th_proof_check_times(a, to, b->work, d, d, d);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            off += fabs(b->work[i * d + j] - (i == j));
            if (a[i * d + j] != a[j * d + i])
                return false;
        }
    return off < 1e-10;
}

static void fill_heads(ThProofBounds *b, ThProofCheckShape *s)
{
    const ThProofMap *f = b->f;
    int d = b->d, size = d / f->heads;
    size_t square = (size_t)d * (size_t)d;
    double *value = b->wide;
    for (int i = 0; i < d * d; i++)
        b->kx[i] = s->a ? s->a[i] : i % (d + 1) == 0;
    th_proof_check_times(b->kx, f->query, s->query, d, d, d);
    th_proof_check_times(b->kx, f->key, s->key, d, d, d);
    th_proof_check_times(b->kx, f->value, value, d, d, d);
    for (int h = 0; h < f->heads; h++) {
        double *way = s->way + (size_t)h * square;
        memset(b->hull, 0, square * sizeof *b->hull);
        for (int i = 0; i < d; i++)
            memcpy(b->hull + i * d + h * size, value + i * d + h * size,
                   (size_t)size * sizeof *value);
        th_proof_check_times(b->hull, f->output, way, d, d, d);
        th_proof_check_centre(way, d, d);
        th_proof_check_outer(way, d, d, 1, s->spread + (size_t)h * square);
    }
}

/* b->work <- query_h key_hᵀ of two shapes, over the root of the heads' width. */
static void cross_product(ThProofBounds *b, const ThProofCheckShape *y, const ThProofCheckShape *x,
                          int h)
{
    int d = b->d, size = d / b->f->heads;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            b->work[i * d + j] =
                th_proof_check_inner(y->query + i * d + h * size, x->key + j * d + h * size, size) /
                sqrt(size);
}

static void fill_ranges(ThProofBounds *b, ThProofCheckShape *s)
{
    int d = b->d;
    for (int h = 0; h < b->f->heads; h++) {
        double square = 0;
        cross_product(b, s, s, h);
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) {
                b->kx[i * d + j] = (b->work[i * d + j] + b->work[j * d + i]) / 2;
                b->ky[i * d + j] = -b->kx[i * d + j];
                square += b->kx[i * d + j] * b->kx[i * d + j];
            }
        s->most[h] = fmax(0, th_proof_check_top(b, b->kx, sqrt(square)));
        s->least[h] = -fmax(0, th_proof_check_top(b, b->ky, sqrt(square)));
    }
}

static bool fill_shape(ThProofBounds *b, ThProofCheckShape *s, const double *a, ThError *err)
{
    size_t square = (size_t)b->d * (size_t)b->d, heads = (size_t)b->f->heads;
    *s = (ThProofCheckShape){.a = a, .stretch = 1};
    s->way = take(b, heads * square);
    s->spread = take(b, heads * square);
    s->query = take(b, square);
    s->key = take(b, square);
    s->least = take(b, heads);
    s->most = take(b, heads);
    s->inverse = a ? take(b, square) : NULL;
    if (b->failed)
        return th_fail(err, TH_ENOMEM, "out of memory for the sets of a certificate");
    fill_heads(b, s);
    fill_ranges(b, s);
    if (!a)
        return true;
    if (!th_proof_check_invert(b, a, s->inverse))
        return th_fail(err, TH_EVALUE, "a matrix is not symmetric and positive");
    memset(b->kx, 0, square * sizeof *b->kx);
    th_proof_check_outer(s->inverse, b->d, b->d, 1, b->kx);
    s->stretch = th_proof_check_norm(b, b->kx);
    return true;
}

static void fill_cross(ThProofBounds *b)
{
    int d = b->d, heads = b->f->heads, n = b->n_shapes;
    for (int i = 0; i < n * n * heads; i++) {
        cross_product(b, &b->shape[i / heads % n], &b->shape[i / heads / n], i % heads);
        memset(b->kx, 0, (size_t)(d * d) * sizeof *b->kx);
        th_proof_check_outer(b->work, d, d, 1, b->kx);
        b->cross[i] = th_proof_check_norm(b, b->kx);
    }
}

ThProofBounds *th_proof_bounds_new(const ThProofMap *f, const double *shape, int n, ThError *err)
{
    ThProofBounds *b = th_alloc(1, sizeof *b, err);
    if (!b || !(b->arena = th_arena_new(err))) {
        free(b);
        return NULL;
    }
    b->f = f;
    b->d = f->dim;
    b->n_shapes = shape ? n : 1;
    b->shape = th_arena_take(b->arena, (size_t)b->n_shapes, sizeof *b->shape);
    b->failed = !b->shape;
    take_all(b);
    bool ok = !b->failed || th_fail(err, TH_ENOMEM, "out of memory for the sets of a certificate");
    for (int i = 0; ok && i < b->n_shapes; i++)
        ok = fill_shape(b, &b->shape[i], shape ? shape + i * b->d * b->d : NULL, err);
    if (!ok) {
        th_proof_bounds_free(b);
        return NULL;
    }
    fill_cross(b);
    return b;
}

void th_proof_bounds_free(ThProofBounds *b)
{
    if (!b)
        return;
    th_arena_free(b->arena);
    free(b);
}

/* ---- what is asked --------------------------------------------------------------------------- */

double th_proof_bounds_image(ThProofBounds *b, const ThProofEllipsoid *x, const ThProofEllipsoid *y,
                             const ThProofEllipsoid *into)
{
    const ThProofMap *f = b->f;
    const ThProofCheckShape *s = &b->shape[into->shape];
    int d = b->d;
    double norm[4];
    th_proof_check_attend(b, x, y);
    th_proof_check_normalise(b, f->gain1, f->offset1);
    th_proof_check_feed(b);
    th_proof_check_normalise(b, f->gain2, f->offset2);
    for (int i = 0; i < d; i++)
        b->c[i] -= into->centre[i];
    if (s->a) {
        memcpy(b->work, s->inverse, (size_t)(d * d) * sizeof *b->work);
        th_proof_check_map(b, b->c, 1);
        th_proof_check_map(b, b->g, 2 * d + b->n_box);
        th_proof_check_map(b, b->q, d);
        th_proof_check_flip(b->q, d);
        th_proof_check_map(b, b->q, d);
    }
    th_proof_check_measure(b, norm);
    th_proof_check_gather(b, norm);
    double off = th_proof_check_size(b->c, d);
    if (off > 0)
        th_proof_check_outer(b->c, 1, d, 1 / off, b->hull);
    double sum = off + norm[0] + norm[1] + norm[2] + norm[3];
    double bound = fmin(th_proof_check_corner(b, b->c),
                        sqrt(fmax(0, th_proof_check_top(b, b->hull, 0)) * sum));
    return isfinite(sum) ? bound * (1 + SPARE) + SPARE : (double)INFINITY;
}

double th_proof_bounds_point(ThProofBounds *b, const double *v, const ThProofEllipsoid *into)
{
    const ThProofCheckShape *s = &b->shape[into->shape];
    int d = b->d;
    for (int i = 0; i < d; i++)
        b->v[i] = v[i] - into->centre[i];
    if (s->a)
        th_proof_check_times(b->v, s->inverse, b->w, 1, d, d);
    return th_proof_check_size(s->a ? b->w : b->v, d) * (1 + SPARE) + SPARE;
}

double th_proof_bounds_width(ThProofBounds *b, const double *v, int shape)
{
    const ThProofCheckShape *s = &b->shape[shape];
    if (s->a)
        th_proof_check_times(v, s->a, b->w, 1, b->d, b->d);
    return th_proof_check_size(s->a ? b->w : v, b->d) * (1 + SPARE) + SPARE;
}

double th_proof_bounds_stretch(ThProofBounds *b, int shape)
{
    return b->shape[shape].stretch * (1 + SPARE);
}
