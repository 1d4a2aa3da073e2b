/* What goes into a unit is kept as a value, a row of coefficients of the coordinates of the set,
 * and half a box; sigmoids become their tangents at the centre with what is missing of them,
 * products lose what is of second order to the box. */
#include "proof/check_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proof/check_impl.h"
#include "proof/map.h"

/* Added to every bound, relative and absolute: far more than all roundings together. */
static const double SPARE = 1e-9;

typedef struct {
    double at, box, *row; /* (dim) */
} Form;

enum { FORMS = 5 };

struct ThProofCheckImage {
    const ThProofCell *f;
    ThArena *arena;
    ThProofBounds *b;    /* room of the small algebra */
    const double *shape; /* (n, dim, dim), or NULL */
    double *identity;    /* (dim, dim) */
    double *inverse;     /* (n, dim, dim) */
    double *stretch;     /* (n): norms of the inverses */
    double *rows;        /* (gates width, dim): of the present set */
    double *gate;        /* (gates width) */
    double *at, *box;    /* (dim): what a symbol makes of it, with b->g as its rows */
    Form form[FORMS];
};

static const double *shape_of(const ThProofCheckImage *k, int i)
{
    return k->shape ? k->shape + (size_t)i * (size_t)(k->f->dim * k->f->dim) : k->identity;
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool take(ThProofCheckImage *k, size_t n)
{
    ThProofBounds *b = k->b = th_arena_take(k->arena, 1, sizeof *b);
    size_t d = (size_t)k->f->dim, wide = (size_t)k->f->gates * (size_t)k->f->width;
    if (!b)
        return false;
    *b = (ThProofBounds){.d = k->f->dim};
    const struct {
        double **to;
        size_t n;
    } each[] = {{&b->g, d * d},
                {&b->kx, d * d},
                {&b->hull, d * d},
                {&b->work, d * d},
                {&b->factor, d * d},
                {&b->c, d},
                {&b->v, d},
                {&b->w, d},
                {&b->gap, d},
                {&k->identity, d * d},
                {&k->rows, wide * d},
                {&k->gate, wide},
                {&k->at, d},
                {&k->box, d},
                {&k->inverse, n * d * d},
                {&k->stretch, n}};
    bool ok = true;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        ok &= (*each[i].to = th_arena_take(k->arena, each[i].n, sizeof(double))) != NULL;
    for (int i = 0; i < FORMS; i++)
        ok &= (k->form[i].row = th_arena_take(k->arena, d, sizeof(double))) != NULL;
    for (size_t i = 0; ok && i < d * d; i++)
        k->identity[i] = i % (d + 1) == 0;
    return ok;
}

static bool fill_shape(ThProofCheckImage *k, int i, ThError *err)
{
    int d = k->f->dim;
    double *inverse = k->inverse + (size_t)i * (size_t)(d * d);
    if (!th_proof_check_invert(k->b, shape_of(k, i), inverse))
        return th_fail(err, TH_EVALUE, "a matrix is not symmetric and positive");
    memset(k->b->kx, 0, (size_t)(d * d) * sizeof *k->b->kx);
    th_proof_check_outer(inverse, d, d, 1, k->b->kx);
    k->stretch[i] = th_proof_check_norm(k->b, k->b->kx);
    return true;
}

ThProofCheckImage *th_proof_check_image_new(const ThProofCell *f, const double *shape, int n,
                                            ThError *err)
{
    ThProofCheckImage *k = th_alloc(1, sizeof *k, err);
    if (!k || !(k->arena = th_arena_new(err))) {
        free(k);
        return NULL;
    }
    k->f = f;
    k->shape = shape;
    bool ok = take(k, (size_t)(shape ? n : 1)) ||
              th_fail(err, TH_ENOMEM, "out of memory for the sets of a certificate");
    for (int i = 0; ok && i < (shape ? n : 1); i++)
        ok = fill_shape(k, i, err);
    if (ok)
        return k;
    th_proof_check_image_free(k);
    return NULL;
}

void th_proof_check_image_free(ThProofCheckImage *k)
{
    if (!k)
        return;
    th_arena_free(k->arena);
    free(k);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static double reach_of(const ThProofCheckImage *k, const Form *f)
{
    return th_proof_check_size(f->row, k->f->dim) + f->box;
}

/* to <- by · a + plus · b */
static void combine(const ThProofCheckImage *k, Form *to, const Form *a, double by, const Form *b,
                    double plus)
{
    to->at = by * a->at + plus * b->at;
    to->box = fabs(by) * a->box + fabs(plus) * b->box;
    for (int i = 0; i < k->f->dim; i++)
        to->row[i] = by * a->row[i] + plus * b->row[i];
}

/* a <- a · b */
static void multiply(const ThProofCheckImage *k, Form *a, const Form *b)
{
    double second = reach_of(k, a) * reach_of(k, b);
    a->box = fabs(a->at) * b->box + fabs(b->at) * a->box + second;
    for (int i = 0; i < k->f->dim; i++)
        a->row[i] = a->at * b->row[i] + b->at * a->row[i];
    a->at *= b->at;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* a <- slope · (a - at) + value, off by what is between low and high. */
static void replace(const ThProofCheckImage *k, Form *a, double value, double slope,
                    const double range[2])
{
    a->at = value + (range[0] + range[1]) / 2;
    a->box = slope * a->box + (range[1] - range[0]) / 2;
    for (int i = 0; i < k->f->dim; i++)
        a->row[i] *= slope;
}

/* What the tangent misses is greatest at an end, or where the slope is that of the tangent again:
 * at the mirror image of the point. */
static void squash(const ThProofCheckImage *k, Form *a, double map(double))
{
    double at = a->at, by = reach_of(k, a), value = map(at), range[2] = {0, 0};
    double slope = map == logistic ? value * (1 - value) : 1 - value * value;
    const double place[3] = {at - by, at + by, -at};
    for (int i = 0; i < 3; i++) {
        double off = map(place[i]) - value - slope * (place[i] - at);
        if (i < 2 || fabs(2 * at) < by) {
            range[0] = fmin(range[0], off);
            range[1] = fmax(range[1], off);
        }
    }
    replace(k, a, value, slope, range);
}

static void rectify(const ThProofCheckImage *k, Form *a)
{
    double by = reach_of(k, a), lo = a->at - by, hi = a->at + by;
    double slope = lo >= 0 ? 1 : hi <= 0 ? 0 : hi / (hi - lo);
    const double range[2] = {0, lo < 0 && hi > 0 ? -slope * lo : 0};
    replace(k, a, slope * a->at, slope, range);
}

/* ---- one step -------------------------------------------------------------------------------- */

/* to <- what goes into gate g of unit j. */
static void take_gate(const ThProofCheckImage *k, Form *to, int g, int j, const double *x)
{
    size_t at = (size_t)g * (size_t)k->f->width + (size_t)j, d = (size_t)k->f->dim;
    to->at = k->gate[at] + x[at];
    to->box = 0;
    memcpy(to->row, k->rows + at * d, d * sizeof *to->row);
}

/* to <- number i of the state. */
static void take_own(const ThProofCheckImage *k, Form *to, int i, const ThProofEllipsoid *set)
{
    const double *a = shape_of(k, set->shape) + (size_t)i * (size_t)k->f->dim;
    to->at = set->centre[i];
    to->box = 0;
    for (int j = 0; j < k->f->dim; j++)
        to->row[j] = set->radius * a[j];
}

static void put(const ThProofCheckImage *k, int i, const Form *from)
{
    size_t d = (size_t)k->f->dim;
    k->at[i] = from->at;
    k->box[i] = from->box;
    memcpy(k->b->g + (size_t)i * d, from->row, d * sizeof *from->row);
}

static void step_gru(ThProofCheckImage *k, int j, const ThProofEllipsoid *set, const double *x)
{
    Form *f = k->form, *z = f, *r = f + 1, *u = f + 2, *h = f + 3;
    int n = 2 * k->f->width + j;
    take_gate(k, z, 0, j, x);
    squash(k, z, logistic);
    take_gate(k, r, 1, j, x);
    squash(k, r, logistic);
    take_gate(k, u, 2, j, x);
    u->at += k->f->candidate[j] - x[n];
    multiply(k, u, r);
    u->at += x[n];
    squash(k, u, tanh);
    take_own(k, h, j, set);
    combine(k, u, u, 1, h, -1);
    multiply(k, u, z);
    combine(k, h, h, 1, u, 1);
    put(k, j, h);
}

static void step_lstm(ThProofCheckImage *k, int j, const ThProofEllipsoid *set, const double *x)
{
    Form *f = k->form, *cell = f + 4;
    for (int g = 0; g < 4; g++) {
        take_gate(k, f + g, g, j, x);
        squash(k, f + g, g == 1 ? tanh : logistic);
    }
    take_own(k, cell, k->f->width + j, set);
    multiply(k, cell, f + 2);
    multiply(k, f, f + 1);
    combine(k, cell, cell, 1, f, 1);
    put(k, k->f->width + j, cell);
    squash(k, cell, tanh);
    multiply(k, cell, f + 3);
    put(k, j, cell);
}

static void step_linear(ThProofCheckImage *k, const ThProofEllipsoid *set, int symbol)
{
    int d = k->f->dim;
    th_proof_cell_apply(k->f, set->centre, symbol, k->gate, k->at);
    th_proof_check_times(k->f->transition + (size_t)symbol * (size_t)d * (size_t)d,
                         shape_of(k, set->shape), k->b->g, d, d, d);
    for (int i = 0; i < d * d; i++)
        k->b->g[i] *= set->radius;
    memset(k->box, 0, (size_t)d * sizeof *k->box);
}

/* k->at, k->box and the rows of b->g <- where a symbol takes a set. */
static void step(ThProofCheckImage *k, const ThProofEllipsoid *set, int symbol)
{
    const ThProofCell *f = k->f;
    const double *x = f->input + symbol * f->gates * f->width, *a = shape_of(k, set->shape);
    int wide = f->gates * f->width, d = f->dim;
    if (f->kind == TH_PROOF_LRNN) {
        step_linear(k, set, symbol);
        return;
    }
    th_proof_cell_gates(f, set->centre, k->gate);
    memset(k->rows, 0, (size_t)(wide * d) * sizeof *k->rows);
    for (int j = 0; j < wide; j++)
        for (int i = 0; i < f->width; i++)
            for (int m = 0; m < d; m++)
                k->rows[j * d + m] += set->radius * f->recurrent[i * wide + j] * a[i * d + m];
    for (int j = 0; j < f->width; j++) {
        if (f->kind == TH_PROOF_GRU)
            step_gru(k, j, set, x);
        else if (f->kind == TH_PROOF_LSTM)
            step_lstm(k, j, set, x);
        else {
            take_gate(k, k->form, 0, j, x);
            rectify(k, k->form);
            put(k, j, k->form);
        }
    }
}

double th_proof_check_image(ThProofCheckImage *k, const ThProofEllipsoid *from, int symbol,
                            const ThProofEllipsoid *into)
{
    ThProofBounds *b = k->b;
    int d = k->f->dim;
    double *inverse = k->inverse + (size_t)into->shape * (size_t)(d * d), total, corner = 0;
    step(k, from, symbol);
    th_proof_check_times(inverse, b->g, b->work, d, d, d);
    th_proof_check_flip(b->work, d);
    memset(b->hull, 0, (size_t)(d * d) * sizeof *b->hull);
    th_proof_check_outer(b->work, d, d, 1, b->hull);
    double norm = th_proof_check_norm(b, b->hull);
    for (int i = 0; i < d * d; i++)
        b->hull[i] /= norm > 0 ? norm : 1;
    for (int i = 0; i < d; i++)
        b->c[i] = k->at[i] - into->centre[i];
    th_proof_check_times(b->c, inverse, b->gap, 1, d, d); /* it is symmetric */
    double far = th_proof_check_size(b->gap, d);
    if (far > 0)
        th_proof_check_outer(b->gap, 1, d, 1 / far, b->hull);
    total = far + norm;
    for (int j = 0; j < d; j++) {
        double side = k->box[j] * th_proof_check_size(inverse + j * d, d), reach = 0;
        if (side > 0)
            th_proof_check_outer(inverse + j * d, 1, d, k->box[j] * k->box[j] / side, b->hull);
        for (int i = 0; i < d; i++)
            reach += fabs(inverse[j * d + i]) * k->box[i];
        corner += reach * reach;
        total += side;
    }
    double joint = sqrt(fmax(0, th_proof_check_top(b, b->hull, 0)) * total);
    double most = fmin(joint, far + norm + sqrt(corner));
    return isfinite(total) ? most * (1 + SPARE) + SPARE : HUGE_VAL;
}

double th_proof_check_image_distance(ThProofCheckImage *k, const double *v, int shape)
{
    int d = k->f->dim;
    th_proof_check_times(v, k->inverse + (size_t)shape * (size_t)(d * d), k->b->gap, 1, d, d);
    return th_proof_check_size(k->b->gap, d) * (1 + SPARE) + SPARE;
}

double th_proof_check_image_stretch(const ThProofCheckImage *k, int shape)
{
    return k->stretch[shape] * (1 + SPARE);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* to <- weight · (state - its mean), over a set. */
static void take_centred(ThProofCheckImage *k, Form *to, const double *weight,
                         const ThProofEllipsoid *set)
{
    int d = k->f->dim;
    double *w = k->b->v;
    memcpy(w, weight, (size_t)d * sizeof *w);
    th_proof_check_centre(w, 1, d);
    to->at = th_proof_check_inner(w, set->centre, d);
    to->box = 0;
    th_proof_check_times(w, shape_of(k, set->shape), to->row, 1, d, d);
    for (int i = 0; i < d; i++)
        to->row[i] *= set->radius;
}

/* scale[0] … scale[1]: what the layer norm before an lrnn's read-out multiplies with, by how long
 * the centred vectors of a set are. */
static void find_scale(ThProofCheckImage *k, const ThProofEllipsoid *set, double scale[2])
{
    ThProofBounds *b = k->b;
    int d = k->f->dim;
    memcpy(b->gap, set->centre, (size_t)d * sizeof *b->gap);
    th_proof_check_centre(b->gap, 1, d);
    memset(b->kx, 0, (size_t)(d * d) * sizeof *b->kx);
    th_proof_check_outer(shape_of(k, set->shape), d, d, 1, b->kx);
    double at = th_proof_check_size(b->gap, d), by = set->radius * th_proof_check_norm(b, b->kx);
    double near = fmax(0, at - by), far = at + by;
    scale[0] = 1 / sqrt(far * far / d + TH_PROOF_EPSILON);
    scale[1] = 1 / sqrt(near * near / d + TH_PROOF_EPSILON);
}

static double lead_linear(ThProofCheckImage *k, const ThProofEllipsoid *set, int right, int other)
{
    const ThProofCell *f = k->f;
    Form *unit = k->form;
    int d = f->dim, n = f->n_classes;
    double scale[2], lead = f->head_bias[right] - f->head_bias[other];
    find_scale(k, set, scale);
    for (int j = 0; j < d; j++) {
        double shift = f->inner_bias[j], w = f->head[j * n + right] - f->head[j * n + other];
        for (int i = 0; i < d; i++) {
            k->b->gap[i] = f->gain[i] * f->inner[i * d + j];
            shift += f->offset[i] * f->inner[i * d + j];
        }
        take_centred(k, unit, k->b->gap, set);
        double by = reach_of(k, unit), end = unit->at + (w > 0 ? -by : by);
        bool outwards = (end > 0) == (w < 0); /* the greatest scale makes it worst */
        lead += w * fmax(0, shift + end * scale[outwards]);
    }
    return lead;
}

double th_proof_check_image_lead(ThProofCheckImage *k, const ThProofEllipsoid *set, int right,
                                 int other)
{
    const ThProofCell *f = k->f;
    double lead = f->head_bias[right] - f->head_bias[other];
    if (f->kind == TH_PROOF_LRNN)
        return lead_linear(k, set, right, other) - SPARE;
    for (int j = 0; j < f->width; j++) {
        const double *row = shape_of(k, set->shape) + (size_t)j * (size_t)f->dim;
        double w = f->head[j * f->n_classes + right] - f->head[j * f->n_classes + other];
        double by = set->radius * th_proof_check_size(row, f->dim) * (1 + SPARE);
        lead += w * fmax(0, set->centre[j] + (w > 0 ? -by : by));
    }
    return lead - SPARE;
}
