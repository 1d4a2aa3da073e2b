#include "proof/tree/enclosure.h"

#include <math.h>

#include "proof/tree/enclosure_impl.h"

/* ---- making ---- */

static double *take(ThProofEnclosure *e, size_t n)
{
    double *to = th_arena_take(e->arena, n, sizeof *to);
    e->failed |= !to;
    if (to)
        memset(to, 0, n * sizeof *to);
    return to;
}

static void take_room(ThProofEnclosure *e)
{
    size_t d = (size_t)e->map->dim, wide = (size_t)e->map->hidden;
    double **square[] = {&e->gram_x, &e->gram_y, &e->work, &e->other,
                         &e->set.gx, &e->set.gy, &e->set.q};
    double **row[] = {&e->q,     &e->key,     &e->key_gap, &e->way_x,
                      &e->way_y, &e->along_x, &e->along_y, &e->set.centre};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        *square[i] = take(e, d * d);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        *row[i] = take(e, d);
    double **hidden[] = {&e->slope, &e->rise, &e->half, &e->pre};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        *hidden[i] = take(e, wide);
    e->scratch = take(e, 2 * d * d);
    e->spread = take(e, (size_t)e->map->heads);
    e->wide = take(e, wide * d);
    size_t boxes = (size_t)e->map->heads + 2 + wide;
    e->wide_q = take(e, (wide > boxes ? wide : boxes) * d);
    e->set.dim = e->map->dim;
    e->set.box = take(e, boxes * d);
}

/* O_h = P (V_h W_h)ᵀ from the columns V_h of the values and the rows W_h of the outputs. */
static void find_ways(ThProofEnclosure *e)
{
    const ThProofMap *f = e->map;
    int d = f->dim, size = d / f->heads;
    e->way = take(e, (size_t)f->heads * (size_t)d * (size_t)d);
    for (int h = 0; h < f->heads && !e->failed; h++) {
        double *way = e->way + (size_t)h * (size_t)d * (size_t)d;
        for (int i = 0; i < d; i++)
            for (int o = 0; o < d; o++)
                for (int k = h * size; k < (h + 1) * size; k++)
                    way[o * d + i] += f->value[i * d + k] * f->output[k * d + o];
        th_proof_centre(way, d, d);
    }
}

static void take_shape(ThProofEnclosure *e, ThProofMatrix *s)
{
    size_t d = (size_t)e->map->dim, heads = (size_t)e->map->heads;
    double **square[] = {&s->a, &s->inverse, &s->query, &s->key, &s->centred};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        *square[i] = take(e, d * d);
    s->through = take(e, heads * d * d);
    s->square = take(e, heads * d * d);
    double **row[] = {&s->size, &s->least, &s->most};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        *row[i] = take(e, heads);
}

/* The range of the quadratic form zᵀ Qᵀ K z of head h over the unit ball. */
static bool quadratic_range(ThProofEnclosure *e, ThProofMatrix *s, int h, ThError *err)
{
    int d = e->map->dim, size = d / e->map->heads;
    const double *query = s->query + (size_t)h * (size_t)size * (size_t)d,
                 *key = s->key + (size_t)h * (size_t)size * (size_t)d;
    th_proof_transposed_multiply(query, key, e->work, (ThProofSizes){d, size, d});
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            e->other[i * d + j] = (e->work[i * d + j] + e->work[j * d + i]) / 2 / sqrt(size);
    if (!th_proof_eigen(e->other, d, e->q, NULL, err))
        return false;
    s->least[h] = fmin(0, e->q[0]);
    s->most[h] = fmax(0, e->q[d - 1]);
    return true;
}

static bool fill_shape(ThProofEnclosure *e, ThProofMatrix *s, const double *a, ThError *err)
{
    const ThProofMap *f = e->map;
    int d = f->dim;
    size_t square = (size_t)d * (size_t)d;
    ThProofSizes sizes = {d, d, d};
    s->identity = !a;
    for (int i = 0; i < d * d; i++)
        s->a[i] = a ? a[i] : i % (d + 1) == 0;
    memcpy(s->centred, s->a, square * sizeof *s->a);
    th_proof_centre(s->centred, d, d);
    th_proof_transposed_multiply(f->query, s->a, s->query, sizes);
    th_proof_transposed_multiply(f->key, s->a, s->key, sizes);
    ThProofInverse to = {s->inverse, e->q, e->work, e->other};
    bool ok = th_proof_invert(s->a, d, &to, err);
    s->stretch = ok ? 1 / e->q[0] * (1 + TH_PROOF_BUDGET) : 0;
    for (int h = 0; ok && h < f->heads; h++) {
        double *through = s->through + (size_t)h * square, *two = s->square + (size_t)h * square;
        th_proof_multiply(e->way + (size_t)h * square, s->a, through, sizes);
        th_proof_multiply_transposed(through, through, two, sizes);
        s->size[h] = sqrt(th_proof_trace(two, d));
        ok = quadratic_range(e, s, h, err);
    }
    return ok;
}

/* A bound of the norm of query by key of head h for two shapes. */
static double bilinear_norm(ThProofEnclosure *e, const ThProofMatrix *x, const ThProofMatrix *y,
                            int h)
{
    int d = e->map->dim, size = d / e->map->heads;
    size_t at = (size_t)h * (size_t)size * (size_t)d;
    th_proof_transposed_multiply(y->query + at, x->key + at, e->work, (ThProofSizes){d, size, d});
    th_proof_multiply_transposed(e->work, e->work, e->other, (ThProofSizes){d, d, d});
    return sqrt(th_proof_power_bound(e->other, d, e->scratch) / size);
}

static void fill_bilinear(ThProofEnclosure *e)
{
    int n = e->n_shapes, heads = e->map->heads;
    for (int i = 0; i < n * n * heads; i++) {
        const ThProofMatrix *x = &e->shape[i / heads / n], *y = &e->shape[i / heads % n];
        e->bilinear[i] = bilinear_norm(e, x, y, i % heads);
    }
}

ThProofEnclosure *th_proof_enclosure_new(const ThProofMap *f, const double *shape, int n_shapes,
                                         ThError *err)
{
    ThProofEnclosure *e = th_alloc(1, sizeof *e, err);
    if (!e || !(e->arena = th_arena_new(err))) {
        th_proof_enclosure_free(e);
        return NULL;
    }
    e->map = f;
    e->n_shapes = n_shapes;
    e->shape = th_arena_take(e->arena, (size_t)n_shapes, sizeof *e->shape);
    e->bilinear = take(e, (size_t)n_shapes * (size_t)n_shapes * (size_t)f->heads);
    e->failed |= !e->shape;
    take_room(e);
    find_ways(e);
    for (int i = 0; i < n_shapes && !e->failed; i++)
        take_shape(e, &e->shape[i]);
    bool ok = !e->failed || th_fail(err, TH_ENOMEM, "out of memory for the sets of a proof");
    size_t square = (size_t)f->dim * (size_t)f->dim;
    for (int i = 0; ok && i < n_shapes; i++)
        ok = fill_shape(e, &e->shape[i], shape ? shape + (size_t)i * square : NULL, err);
    if (!ok) {
        th_proof_enclosure_free(e);
        return NULL;
    }
    fill_bilinear(e);
    return e;
}

void th_proof_enclosure_free(ThProofEnclosure *e)
{
    if (!e)
        return;
    th_arena_free(e->arena);
    free(e);
}

/* ---- what the steps share ---- */

void th_proof_centre(double *a, int n, int cols)
{
    for (int j = 0; j < cols; j++) {
        double mean = 0;
        for (int i = 0; i < n; i++)
            mean += a[i * cols + j] / n;
        for (int i = 0; i < n; i++)
            a[i * cols + j] -= mean;
    }
}

double th_proof_gram(ThProofEnclosure *e, const double *g, double *gram)
{
    int d = e->map->dim;
    th_proof_multiply_transposed(g, g, gram, (ThProofSizes){d, d, d});
    return sqrt(th_proof_power_bound(gram, d, e->scratch));
}

double th_proof_box_total(const ThProofSet *s)
{
    double total = 0;
    for (int j = 0; j < s->n_box; j++)
        total += th_proof_length(s->box + (size_t)j * (size_t)s->dim, s->dim);
    return total;
}

double th_proof_width(const ThProofSet *s, int i)
{
    int d = s->dim;
    const double *x = s->gx + (size_t)i * (size_t)d, *y = s->gy + (size_t)i * (size_t)d;
    double width = th_proof_length(x, d) + th_proof_length(y, d);
    width += sqrt(fmax(0, s->q[i * d + i]));
    for (int j = 0; j < s->n_box; j++)
        width += fabs(s->box[j * d + i]);
    return width;
}

void th_proof_add_boxes(ThProofEnclosure *e, double *to, double by)
{
    const ThProofSet *s = &e->set;
    int d = s->dim;
    for (int j = 0; j < s->n_box; j++) {
        const double *from = s->box + (size_t)j * (size_t)d;
        double length = th_proof_length(from, d), scale = length > 0 ? sqrt(by / length) : 0;
        for (int i = 0; i < d; i++)
            e->wide_q[j * d + i] = scale * from[i];
    }
    th_proof_transposed_multiply(e->wide_q, e->wide_q, e->work, (ThProofSizes){d, s->n_box, d});
    for (int i = 0; s->n_box > 0 && i < d * d; i++)
        to[i] += e->work[i];
}

/* m <- e->other · m. */
static void apply_linear(ThProofEnclosure *e, double *m)
{
    int d = e->map->dim;
    th_proof_multiply(e->other, m, e->work, (ThProofSizes){d, d, d});
    memcpy(m, e->work, (size_t)d * (size_t)d * sizeof *m);
}

void th_proof_change(ThProofEnclosure *e)
{
    ThProofSet *s = &e->set;
    int d = s->dim;
    apply_linear(e, s->gx);
    apply_linear(e, s->gy);
    apply_linear(e, s->q);
    th_proof_transpose(s->q, d);
    apply_linear(e, s->q);
    th_proof_multiply_transposed(s->box, e->other, e->wide_q, (ThProofSizes){s->n_box, d, d});
    memcpy(s->box, e->wide_q, (size_t)s->n_box * (size_t)d * sizeof *s->box);
}

const ThProofSet *th_proof_enclose(ThProofEnclosure *e, const ThProofBall *x, const ThProofBall *y)
{
    const ThProofMap *f = e->map;
    th_proof_attend(e, x, y);
    th_proof_normalise(e, f->gain1, f->offset1);
    th_proof_feed_forward(e);
    th_proof_normalise(e, f->gain2, f->offset2);
    return &e->set;
}

/* ---- containment ---- */

double th_proof_distance(const ThProofEnclosure *e, int shape, const double *v)
{
    const ThProofMatrix *s = &e->shape[shape];
    int d = e->map->dim;
    th_proof_times_column(s->inverse, v, e->way_x, d, d);
    return th_proof_length(e->way_x, d);
}

double th_proof_stretch(const ThProofEnclosure *e, int shape)
{
    return e->shape[shape].stretch;
}

void th_proof_norms(ThProofEnclosure *e, double *x, double *y)
{
    *x = th_proof_gram(e, e->set.gx, e->gram_x);
    *y = th_proof_gram(e, e->set.gy, e->gram_y);
}

/* The set as the target's matrix sees it. */
static void change_metric(ThProofEnclosure *e, const ThProofMatrix *shape)
{
    ThProofSet *s = &e->set;
    int d = s->dim;
    if (shape->identity)
        return;
    memcpy(e->other, shape->inverse, (size_t)d * (size_t)d * sizeof *e->other);
    th_proof_change(e);
}

/* to += a·aᵀ/|a| or a/norm for a block that is not zero. */
static void add_part(double *to, const double *a, double norm, int n)
{
    if (norm > 0)
        for (int i = 0; i < n; i++)
            to[i] += a[i] / norm;
}

bool th_proof_reach(ThProofEnclosure *e, const ThProofBall *target, double *reach, ThError *err)
{
    ThProofSet *s = &e->set;
    int d = s->dim;
    const ThProofMatrix *shape = &e->shape[target->shape];
    for (int i = 0; i < d; i++)
        e->key[i] = s->centre[i] - target->centre[i];
    th_proof_times_column(shape->inverse, e->key, e->way_y, d, d);
    change_metric(e, shape);
    double off = th_proof_length(e->way_y, d), corner = 0;
    double norm_x = th_proof_gram(e, s->gx, e->gram_x), norm_y = th_proof_gram(e, s->gy, e->gram_y);
    double norm_q = sqrt(th_proof_power_bound(s->q, d, e->scratch)), boxes = th_proof_box_total(s);
    for (int i = 0; i < d; i++) {
        double width = fabs(e->way_y[i]) + th_proof_width(s, i);
        corner += width * width;
        for (int j = 0; j < d; j++)
            e->other[i * d + j] = off > 0 ? e->way_y[i] * e->way_y[j] / off : 0;
    }
    add_part(e->other, e->gram_x, norm_x, d * d);
    add_part(e->other, e->gram_y, norm_y, d * d);
    add_part(e->other, s->q, norm_q, d * d);
    th_proof_add_boxes(e, e->other, 1);
    *reach = HUGE_VAL;
    double sum = off + norm_x + norm_y + norm_q + boxes;
    if (!isfinite(sum) || !isfinite(corner))
        return true;
    if (!th_proof_eigen(e->other, d, e->q, NULL, err))
        return false;
    double bound = fmin(sqrt(corner), sqrt(fmax(0, e->q[d - 1]) * sum));
    *reach = bound * (1 + TH_PROOF_BUDGET) + TH_PROOF_BUDGET;
    return true;
}
