#include "proof/cell/cell_image.h"

#include <math.h>

#include "proof/matrix.h"

typedef struct {
    const double *a; /* (dim, dim) */
    double *inverse; /* (dim, dim) */
    double stretch;
    double *row; /* (layers, gates width, dim): what h adds to a gate, by coordinates of z */
    double *own; /* (dim): lengths of the rows of a */
} Shape;

struct ThProofCellImage {
    const ThProofCell *f;
    ThArena *arena;
    bool failed;
    Shape *shape;
    double *identity;
    double *centre, *g, *box;           /* what was found: (dim), (dim, dim), (dim) */
    double *gate;                       /* of all layers: at the centre, */
    double *row, *size, *loose;         /* and of one: (parts width, dim): how it moves with z, the
                                           lengths of these rows, and what it is off by beside */
    double *under;                      /* (gates width, dim) */
    double *v, *work, *other, *scratch; /* (dim); (dim, dim), scratch two of them */
};

static double *take(ThProofCellImage *e, size_t n)
{
    double *to = th_arena_take(e->arena, n, sizeof *to);
    e->failed |= !to;
    if (to)
        memset(to, 0, n * sizeof *to);
    return to;
}

static bool fill_shape(ThProofCellImage *e, Shape *s, const double *a, ThError *err)
{
    const ThProofCell *f = e->f;
    int d = f->dim, wide = f->gates * f->width;
    s->a = a;
    s->inverse = take(e, (size_t)d * (size_t)d);
    s->row = take(e, (size_t)f->layers * (size_t)wide * (size_t)d);
    s->own = take(e, (size_t)d);
    if (e->failed)
        return th_fail(err, TH_ENOMEM, "out of memory for sets of states");
    for (int k = 0; wide > 0 && k < f->layers; k++)
        th_proof_transposed_multiply(f->recurrent + k * f->width * wide, a + k * f->own * d,
                                     s->row + k * wide * d, (ThProofSizes){wide, f->width, d});
    for (int j = 0; j < d; j++)
        s->own[j] = th_proof_length(a + j * d, d);
    ThProofInverse to = {s->inverse, e->v, e->work, e->other};
    if (!th_proof_invert(a, d, &to, err))
        return false;
    s->stretch = 1 / e->v[0] * (1 + TH_PROOF_BUDGET);
    return true;
}

ThProofCellImage *th_proof_cell_image_new(const ThProofCell *f, const double *shape, int n,
                                          ThError *err)
{
    ThProofCellImage *e = th_alloc(1, sizeof *e, err);
    if (!e || !(e->arena = th_arena_new(err))) {
        th_proof_cell_image_free(e);
        return NULL;
    }
    size_t d = (size_t)f->dim, parts = (size_t)f->parts * (size_t)f->width;
    e->f = f;
    e->shape = th_arena_take(e->arena, (size_t)(shape ? n : 1), sizeof *e->shape);
    e->identity = take(e, d * d);
    e->centre = take(e, d);
    e->box = take(e, d);
    e->v = take(e, d);
    e->g = take(e, d * d);
    e->work = take(e, d * d);
    e->other = take(e, d * d);
    e->scratch = take(e, 2 * d * d);
    e->gate = take(e, th_proof_cell_room(f));
    e->row = take(e, parts * d);
    e->size = take(e, parts);
    e->loose = take(e, parts);
    e->under = take(e, parts * d);
    bool ok = !e->failed && e->shape;
    if (!ok)
        th_fail(err, TH_ENOMEM, "out of memory for sets");
    for (size_t i = 0; ok && i < d; i++)
        e->identity[i * d + i] = 1;
    for (int i = 0; ok && i < (shape ? n : 1); i++)
        ok = fill_shape(e, &e->shape[i], shape ? shape + (size_t)i * d * d : e->identity, err);
    return TH_KEEP_IF(ok, e, th_proof_cell_image_free);
}

void th_proof_cell_image_free(ThProofCellImage *e)
{
    if (!e)
        return;
    th_arena_free(e->arena);
    free(e);
}

/* ---- intervals ------------------------------------------------------------------------------- */

typedef struct {
    double lo, hi;
} Interval;

static Interval times(Interval a, Interval b)
{
    double p[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    return (Interval){fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                      fmax(fmax(p[0], p[1]), fmax(p[2], p[3]))};
}

static Interval plus(Interval a, Interval b)
{
    return (Interval){a.lo + b.lo, a.hi + b.hi};
}

static Interval minus(Interval a, Interval b)
{
    return (Interval){a.lo - b.hi, a.hi - b.lo};
}

static Interval around(double at, double by)
{
    return (Interval){at - by, at + by};
}

static Interval logistics(Interval x)
{
    return (Interval){th_proof_logistic(x.lo), th_proof_logistic(x.hi)};
}

static Interval tangents(Interval x)
{
    return (Interval){tanh(x.lo), tanh(x.hi)};
}

/* Of an even function that falls away from 0, with these values at both ends. */
static Interval peak(Interval x, double lo, double hi, double top)
{
    return (Interval){fmin(lo, hi), x.lo < 0 && x.hi > 0 ? top : fmax(lo, hi)};
}

static Interval logistic_slopes(Interval x)
{
    double a = th_proof_logistic(x.lo), b = th_proof_logistic(x.hi);
    return peak(x, a * (1 - a), b * (1 - b), 0.25);
}

static Interval tangent_slopes(Interval x)
{
    double a = tanh(x.lo), b = tanh(x.hi);
    return peak(x, 1 - a * a, 1 - b * b, 1);
}

/* ---- units ----------------------------------------------------------------------------------- */

/* What a unit of a layer sees of a set. */
typedef struct {
    ThProofCellImage *e;
    const Shape *s;
    const ThProofBall *from;
    int layer, j;
} Unit;

/* Number of what goes into gate k of the unit. */
static int part(const Unit *u, int k)
{
    return k * u->e->f->width + u->j;
}

/* Number of the unit's own in a state: of h, or of c. */
static int own(const Unit *u, bool cell)
{
    return u->layer * u->e->f->own + cell * u->e->f->width + u->j;
}

/* Range of what goes into gate k of the unit. */
static Interval gate(const Unit *u, int k)
{
    const ThProofCell *f = u->e->f;
    int at = part(u, k);
    return around(u->e->gate[u->layer * f->parts * f->width + at],
                  u->e->size[at] + u->e->loose[at]);
}

/* Range of number i of the state. */
static Interval number(const Unit *u, int i)
{
    return around(u->from->centre[i], u->from->radius * u->s->own[i]);
}

/* Output `to` moves with `by` times a row by a slope, and with a spread of it by a box. */
static void add(const Unit *u, int to, const double *row, double by, double size, Interval slope)
{
    int d = u->e->f->dim;
    double middle = (slope.lo + slope.hi) / 2 * by;
    for (int k = 0; k < d; k++)
        u->e->g[to * d + k] += middle * row[k];
    u->e->box[to] += (slope.hi - slope.lo) / 2 * by * size;
}

static void add_gate(const Unit *u, int to, int k, Interval slope)
{
    int at = part(u, k);
    add(u, to, u->e->row + at * u->e->f->dim, 1, u->e->size[at], slope);
    u->e->box[to] += fmax(fabs(slope.lo), fabs(slope.hi)) * u->e->loose[at];
}

static void add_own(const Unit *u, int to, int i, Interval slope)
{
    add(u, to, u->s->a + i * u->e->f->dim, u->from->radius, u->s->own[i], slope);
}

static void find_rnn(const Unit *u)
{
    Interval p = gate(u, 0);
    add_gate(u, own(u, false), 0,
             u->e->f->hyperbolic ? tangent_slopes(p) : (Interval){p.lo > 0, p.hi > 0});
}

static void find_gru(const Unit *u)
{
    const Interval one = {1, 1};
    const ThProofCell *f = u->e->f;
    int at = own(u, false);
    Interval z = logistics(gate(u, 0)), r = logistics(gate(u, 1));
    Interval w = plus(gate(u, 2), around(f->candidate[u->layer * f->width + u->j], 0));
    Interval inner = plus(gate(u, 3), times(r, w)), h = number(u, at);
    Interval down = times(z, tangent_slopes(inner));
    add_own(u, at, at, minus(one, z));
    add_gate(u, at, 0, times(logistic_slopes(gate(u, 0)), minus(tangents(inner), h)));
    add_gate(u, at, 1, times(down, times(logistic_slopes(gate(u, 1)), w)));
    add_gate(u, at, 2, times(down, r));
    add_gate(u, at, 3, down);
}

static void find_lstm(const Unit *u)
{
    int h = own(u, false), cell = own(u, true);
    Interval i = logistics(gate(u, 0)), g = tangents(gate(u, 1)), f = logistics(gate(u, 2)),
             o = logistics(gate(u, 3)), c = number(u, cell);
    Interval next = plus(times(f, c), times(i, g)), out = times(o, tangent_slopes(next));
    Interval slope[3] = {times(logistic_slopes(gate(u, 0)), g),
                         times(i, tangent_slopes(gate(u, 1))),
                         times(logistic_slopes(gate(u, 2)), c)};
    for (int k = 0; k < 3; k++) {
        add_gate(u, cell, k, slope[k]);
        add_gate(u, h, k, times(out, slope[k]));
    }
    add_own(u, cell, cell, f);
    add_own(u, h, cell, times(out, f));
    add_gate(u, h, 3, times(logistic_slopes(gate(u, 3)), tangents(next)));
}

/* Adds what the new h below, which is found, brings into the gates. */
static void add_below(const Unit *u)
{
    ThProofCellImage *e = u->e;
    const ThProofCell *f = e->f;
    int d = f->dim, n = f->width, wide = f->gates * n, from = (u->layer - 1) * f->own;
    const double *by = f->below + (u->layer - 1) * n * wide;
    th_proof_transposed_multiply(by, e->g + from * d, e->under, (ThProofSizes){wide, n, d});
    for (int j = 0; j < wide; j++) {
        int at = th_proof_cell_part(f, j);
        for (int k = 0; k < d; k++)
            e->row[at * d + k] += e->under[j * d + k];
        for (int i = 0; i < n; i++)
            e->loose[at] += fabs(by[i * wide + j]) * e->box[from + i];
    }
}

/* Fills e->row, e->size, e->loose for the unit's layer. */
static void find_parts(const Unit *u)
{
    ThProofCellImage *e = u->e;
    const ThProofCell *f = e->f;
    int d = f->dim, wide = f->gates * f->width, parts = f->parts * f->width;
    for (int i = 0; i < parts * d; i++)
        e->row[i] = i < wide * d ? u->from->radius * u->s->row[u->layer * wide * d + i] : 0;
    memset(e->loose, 0, (size_t)parts * sizeof *e->loose);
    if (u->layer > 0)
        add_below(u);
    for (int i = 0; i < parts; i++)
        e->size[i] = th_proof_length(e->row + i * d, d);
}

/* The image of an ellipsoid is one. */
static void find_lrnn(const Unit *u, int symbol)
{
    int d = u->e->f->dim;
    const double *a = u->e->f->transition + (size_t)symbol * (size_t)d * (size_t)d;
    th_proof_multiply(a, u->s->a, u->e->g, (ThProofSizes){d, d, d});
    for (int i = 0; i < d * d; i++)
        u->e->g[i] *= u->from->radius;
}

void th_proof_cell_image_find(ThProofCellImage *e, const ThProofBall *from, int symbol)
{
    static void (*const find[])(const Unit *) = {
        [TH_PROOF_RNN] = find_rnn, [TH_PROOF_LSTM] = find_lstm, [TH_PROOF_GRU] = find_gru};
    const ThProofCell *f = e->f;
    Unit u = {.e = e, .s = &e->shape[from->shape], .from = from};
    memset(e->g, 0, (size_t)(f->dim * f->dim) * sizeof *e->g);
    memset(e->box, 0, (size_t)f->dim * sizeof *e->box);
    th_proof_cell_apply(f, from->centre, symbol, e->gate, e->centre);
    if (f->kind == TH_PROOF_LRNN) {
        find_lrnn(&u, symbol);
        return;
    }
    for (; u.layer < f->layers; u.layer++) {
        find_parts(&u);
        for (u.j = 0; u.j < f->width; u.j++)
            find[f->kind](&u);
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

/* What a set looks like to the read-out of an lrnn: lengths of centred vectors, and their inverses
 * after the norm. */
typedef struct {
    ThProofCellImage *e;
    const ThProofBall *b;
    const Shape *s;
    Interval scale; /* 1 / √(mean square) */
} View;

/* Range of v·(x - mean of x) over the set. */
static Interval along(const View *w, const double *v)
{
    ThProofCellImage *e = w->e;
    int d = e->f->dim;
    double mean = 0, at = 0;
    for (int i = 0; i < d; i++)
        mean += v[i] / d;
    for (int i = 0; i < d; i++) {
        e->v[i] = v[i] - mean;
        at += e->v[i] * w->b->centre[i];
    }
    th_proof_row_times(e->v, w->s->a, e->scratch, d, d);
    return around(at, w->b->radius * th_proof_length(e->scratch, d));
}

static void find_scale(View *w)
{
    ThProofCellImage *e = w->e;
    const double *c = w->b->centre;
    int d = e->f->dim;
    double mean = 0, square = 0;
    for (int i = 0; i < d; i++)
        mean += c[i] / d;
    for (int i = 0; i < d; i++)
        square += (c[i] - mean) * (c[i] - mean);
    th_proof_multiply_transposed(w->s->a, w->s->a, e->other, (ThProofSizes){d, d, d});
    double reach = w->b->radius * sqrt(th_proof_power_bound(e->other, d, e->scratch));
    double least = fmax(0, sqrt(square) - reach), most = sqrt(square) + reach;
    w->scale = (Interval){1 / sqrt(most * most / d + TH_PROOF_EPSILON),
                          1 / sqrt(least * least / d + TH_PROOF_EPSILON)};
}

static double lead_lrnn(ThProofCellImage *e, const ThProofBall *b, int right, int other)
{
    const ThProofCell *f = e->f;
    int d = f->dim, n = f->n_classes;
    View w = {.e = e, .b = b, .s = &e->shape[b->shape]};
    double lead = f->head_bias[right] - f->head_bias[other];
    find_scale(&w);
    for (int k = 0; k < d; k++) {
        double by = f->head[k * n + right] - f->head[k * n + other], shift = f->inner_bias[k];
        for (int i = 0; i < d; i++) {
            e->work[i] = f->gain[i] * f->inner[i * d + k];
            shift += f->offset[i] * f->inner[i * d + k];
        }
        Interval hidden = plus(times(along(&w, e->work), w.scale), around(shift, 0));
        lead += by * fmax(0, by > 0 ? hidden.lo : hidden.hi);
    }
    return lead;
}

/* Of the units of a hidden layer in the head. */
static double lead_units(ThProofCellImage *e, const ThProofBall *b, int right, int other)
{
    const ThProofCell *f = e->f;
    int d = f->dim, n = f->n_classes;
    double lead = f->head_bias[right] - f->head_bias[other];
    for (int k = 0; k < f->units; k++) {
        double by = f->head[k * n + right] - f->head[k * n + other], at = f->inner_bias[k];
        for (int i = 0; i < d; i++) {
            e->v[i] = f->inner[i * f->units + k];
            at += e->v[i] * b->centre[i];
        }
        th_proof_row_times(e->v, e->shape[b->shape].a, e->scratch, d, d);
        Interval unit = around(at, b->radius * th_proof_length(e->scratch, d));
        lead += by * fmax(0, by > 0 ? unit.lo : unit.hi);
    }
    return lead;
}

double th_proof_cell_image_lead(ThProofCellImage *e, const ThProofBall *b, int right, int other)
{
    const ThProofCell *f = e->f;
    double lead = f->head_bias[right] - f->head_bias[other];
    if (f->kind == TH_PROOF_LRNN)
        return lead_lrnn(e, b, right, other) - TH_PROOF_BUDGET;
    if (f->units > 0)
        return lead_units(e, b, right, other) - TH_PROOF_BUDGET;
    for (int j = 0, first = f->dim - f->own; j < f->width; j++) {
        double half = b->radius * e->shape[b->shape].own[first + j];
        double w = f->head[j * f->n_classes + right] - f->head[j * f->n_classes + other];
        double end = b->centre[first + j] + (w > 0 ? -half : half);
        lead += w * (f->linear ? end : fmax(0, end));
    }
    return lead - TH_PROOF_BUDGET;
}

/* ---- what is asked --------------------------------------------------------------------------- */

const double *th_proof_cell_image_linear(const ThProofCellImage *e)
{
    return e->g;
}

double th_proof_cell_image_distance(ThProofCellImage *e, int shape, const double *v)
{
    int d = e->f->dim;
    th_proof_times_column(e->shape[shape].inverse, v, e->scratch, d, d);
    return th_proof_length(e->scratch, d);
}

double th_proof_cell_image_stretch(const ThProofCellImage *e, int shape)
{
    return e->shape[shape].stretch;
}

/* Of the box, seen through A⁻¹: adds its ellipsoid to e->other; returns the sum of its sides, and
 * *corner, the length of its half diagonal at most. */
static double add_box(ThProofCellImage *e, const double *inverse, double *corner)
{
    int d = e->f->dim;
    double total = 0, square = 0;
    for (int j = 0; j < d; j++) {
        double side = 0, reach = 0;
        for (int i = 0; i < d; i++) {
            e->v[i] = e->box[j] * inverse[i * d + j];
            reach += fabs(inverse[j * d + i]) * e->box[i];
        }
        side = th_proof_length(e->v, d);
        total += side;
        square += reach * reach;
        for (int i = 0; side > 0 && i < d; i++)
            for (int k = 0; k < d; k++)
                e->other[i * d + k] += e->v[i] * e->v[k] / side;
    }
    *corner = sqrt(square);
    return total;
}

double th_proof_cell_image_reach(ThProofCellImage *e, const ThProofBall *target)
{
    const double *inverse = e->shape[target->shape].inverse;
    int d = e->f->dim;
    ThProofSizes sizes = {d, d, d};
    double *off = e->scratch, corner;
    th_proof_multiply(inverse, e->g, e->work, sizes);
    th_proof_multiply_transposed(e->work, e->work, e->other, sizes);
    double norm = sqrt(th_proof_power_bound(e->other, d, e->scratch));
    for (int i = 0; i < d * d; i++)
        e->other[i] /= norm > 0 ? norm : 1;
    double total = norm + add_box(e, inverse, &corner);
    for (int i = 0; i < d; i++)
        e->v[i] = e->centre[i] - target->centre[i];
    th_proof_times_column(inverse, e->v, off, d, d);
    double far = th_proof_length(off, d);
    for (int i = 0; far > 0 && i < d; i++)
        for (int k = 0; k < d; k++)
            e->other[i * d + k] += off[i] * off[k] / far;
    double joint = sqrt(th_proof_power_bound(e->other, d, e->scratch) * (total + far));
    double bound = fmin(joint, far + norm + corner);
    return isfinite(total + far) ? bound * (1 + TH_PROOF_BUDGET) + TH_PROOF_BUDGET : HUGE_VAL;
}
