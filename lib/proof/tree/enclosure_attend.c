/* Attention of two vectors, over sets: the weight of the earlier child is the sigmoid of a logit,
 * which is enclosed by its tangent and what it may differ from it by. */
#include <math.h>

#include "proof/tree/enclosure_impl.h"

/* ---- attention ---- */

/* What a logit and its sigmoid may be, given a centre and how far the logit goes from it: linearly,
 * and by its quadratic part, which lies in [low, high]. */
typedef struct {
    double at, linear, low, high;
} Logit;

/* weight = value + slope·(linear part of the logit) + something within ± half; and value +
 * something within ± spread, all in all. */
typedef struct {
    double value, slope, half, spread;
} Weight;

static Weight weight_of(const Logit *s)
{
    double value = th_proof_logistic(s->at), slope = value * (1 - value);
    double lo = s->at - s->linear + s->low, hi = s->at + s->linear + s->high;
    /* What the sigmoid differs from its tangent by is greatest or least at the ends, at the point
     * itself, where it is 0, or at the other point with the same slope. */
    double place[] = {lo, hi, -s->at > lo && -s->at < hi ? -s->at : s->at};
    double least = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        double off = th_proof_logistic(place[i]) - value - slope * (place[i] - s->at);
        least = fmin(least, off);
        most = fmax(most, off);
    }
    least += slope * s->low;
    most += slope * s->high;
    Weight w = {.value = value + (most + least) / 2, .slope = slope, .half = (most - least) / 2};
    w.spread = fmax(0, fmax(th_proof_logistic(hi) - w.value, w.value - th_proof_logistic(lo)));
    return w;
}

/* What head h adds, by x (a ball; radius 0 is a point) and y. */
typedef struct {
    const ThProofMatrix *x, *y;
    double rx, ry;
    double *along_x, *along_y; /* (dim): the linear part of the logit */
    Logit logit;
} Head;

/* Fills the head's logit from the query at the centre and what the keys differ by there. */
static void find_logit(const ThProofEnclosure *e, Head *w, int h, double bilinear)
{
    const ThProofMap *f = e->map;
    int d = f->dim, size = d / f->heads;
    double scale = 1 / sqrt(size);
    size_t at = (size_t)h * (size_t)size, block = at * (size_t)d;
    memset(w->along_x, 0, (size_t)d * sizeof *w->along_x);
    memset(w->along_y, 0, (size_t)d * sizeof *w->along_y);
    for (int k = 0; k < size; k++) {
        const double *kx = w->x->key + block + (size_t)(k * d), *ky = w->y->key + block + k * d;
        const double *qy = w->y->query + block + (size_t)(k * d);
        double q = e->q[at + k] * scale, gap = e->key_gap[at + k] * scale;
        for (int j = 0; j < d; j++) {
            w->along_x[j] += w->rx * q * kx[j];
            w->along_y[j] += w->ry * (gap * qy[j] - q * ky[j]);
        }
    }
    double both = w->rx * w->ry * bilinear, own = w->ry * w->ry;
    w->logit = (Logit){
        .at = th_proof_dot(e->q + at, e->key_gap + at, size) * scale + f->relative[h],
        .linear = th_proof_length(w->along_x, d) + th_proof_length(w->along_y, d),
        .low = -both - own * w->y->most[h],
        .high = both - own * w->y->least[h],
    };
}

/* g += by·m + column·rowᵀ, square. */
static void add_block(double *g, double by, const double *m, const double *column,
                      const double *row, int d)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            g[i * d + j] += by * m[i * d + j] + column[i] * row[j];
}

/* Adds a head to centre, blocks and box; returns how far its weight is from the centre's. */
static double add_head(ThProofEnclosure *e, Head *w, int h)
{
    int d = e->map->dim;
    size_t square = (size_t)d * (size_t)d;
    ThProofSet *s = &e->set;
    Weight a = weight_of(&w->logit);
    double *box = s->box + (size_t)s->n_box++ * (size_t)d;
    for (int i = 0; i < d; i++) {
        double gap = e->way_x[i] - e->way_y[i];
        s->centre[i] += e->way_y[i] + a.value * gap;
        box[i] = a.half * gap;
        e->key[i] = a.slope * gap;
    }
    add_block(s->gx, a.value * w->rx, w->x->through + (size_t)h * square, e->key, w->along_x, d);
    add_block(s->gy, (1 - a.value) * w->ry, w->y->through + (size_t)h * square, e->key, w->along_y,
              d);
    return a.spread;
}

/* q += the remainder of a head: how far its weight is from the centre's, times where the values of
 * x and of y lie.  The sum of ellipsoids of sizes s_i is enclosed by Σ s_i · Σ q_i / s_i; `total`
 * is the sum of all sizes.  The square is r² A Aᵀ …, its size r times that of A. */
static void add_remainder(double *q, double spread, double radius, const double *square,
                          double size, double total, int d)
{
    double by = spread * radius;
    if (by * size > 0)
        for (int i = 0; i < d * d; i++)
            q[i] += total * by / size * square[i];
}

static void attend(ThProofEnclosure *e, const ThProofBall *x, const ThProofBall *y)
{
    const ThProofMap *f = e->map;
    int d = f->dim, n = e->n_shapes;
    size_t square = (size_t)d * (size_t)d;
    const double *at_x = x ? x->centre : f->pad;
    Head w = {.x = &e->shape[x ? x->shape : 0],
              .y = &e->shape[y->shape],
              .rx = x ? x->radius : 0,
              .ry = y->radius,
              .along_x = e->along_x,
              .along_y = e->along_y};
    double total = 0;
    th_proof_row_times(y->centre, f->query, e->q, d, d);
    th_proof_row_times(at_x, f->key, e->key_gap, d, d);
    th_proof_row_times(y->centre, f->key, e->key, d, d);
    for (int i = 0; i < d; i++)
        e->key_gap[i] -= e->key[i];
    for (int h = 0; h < f->heads; h++) {
        th_proof_times_column(e->way + (size_t)h * square, at_x, e->way_x, d, d);
        th_proof_times_column(e->way + (size_t)h * square, y->centre, e->way_y, d, d);
        int pair = (x ? x->shape : 0) * n + y->shape;
        find_logit(e, &w, h, e->bilinear[pair * f->heads + h]);
        e->spread[h] = add_head(e, &w, h);
        total += e->spread[h] * (w.rx * w.x->size[h] + w.ry * w.y->size[h]);
    }
    for (int h = 0; h < f->heads; h++) {
        size_t at = (size_t)h * square;
        add_remainder(e->set.q, e->spread[h], w.rx, w.x->square + at, w.x->size[h], total, d);
        add_remainder(e->set.q, e->spread[h], w.ry, w.y->square + at, w.y->size[h], total, d);
    }
}

/* The earlier child is masked: the later one's values pass whole. */
static void pass_later(ThProofEnclosure *e, const ThProofBall *y)
{
    const ThProofMap *f = e->map;
    int d = f->dim;
    size_t square = (size_t)d * (size_t)d;
    memset(e->key, 0, (size_t)d * sizeof *e->key);
    for (int h = 0; h < f->heads; h++) {
        th_proof_times_column(e->way + (size_t)h * square, y->centre, e->way_y, d, d);
        for (int i = 0; i < d; i++)
            e->set.centre[i] += e->way_y[i];
        add_block(e->set.gy, y->radius, e->shape[y->shape].through + (size_t)h * square, e->key,
                  e->key, d);
    }
}

/* y itself and what attention adds to it, without the mean of their coordinates, which the layer
 * norm takes off. */
void th_proof_attend(ThProofEnclosure *e, const ThProofBall *x, const ThProofBall *y)
{
    int d = e->map->dim;
    size_t square = (size_t)d * (size_t)d * sizeof(double);
    ThProofSet *s = &e->set;
    memcpy(s->centre, y->centre, (size_t)d * sizeof *s->centre);
    th_proof_centre(s->centre, d, 1);
    memset(s->gx, 0, square);
    memset(s->q, 0, square);
    for (int i = 0; i < d * d; i++)
        s->gy[i] = y->radius * e->shape[y->shape].centred[i];
    s->n_box = 0;
    if (x || !e->map->mask)
        attend(e, x, y);
    else
        pass_later(e, y);
}
