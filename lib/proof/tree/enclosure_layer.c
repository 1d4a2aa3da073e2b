/* Layer norm and feed-forward layer over sets. */
#include <math.h>

#include "proof/tree/enclosure_impl.h"

/* ---- layer norm ---- */

/* How far the set reaches from its centre in the direction of a vector. */
static double width_toward(ThProofEnclosure *e, const ThProofSet *s, const double *a)
{
    int d = s->dim;
    th_proof_row_times(a, s->gx, e->q, d, d);
    th_proof_row_times(a, s->gy, e->key, d, d);
    th_proof_row_times(a, s->q, e->key_gap, d, d);
    double width = th_proof_length(e->q, d) + th_proof_length(e->key, d) +
                   sqrt(fmax(0, th_proof_dot(e->key_gap, a, d)));
    for (int j = 0; j < s->n_box; j++)
        width += fabs(th_proof_dot(s->box + (size_t)j * (size_t)d, a, d));
    return width;
}

/* One over the root of the mean square, along the set: its value and slope at the centre, the range
 * that is added to the linear part, and how far it gets from its value. */
typedef struct {
    double value, mean, centre, half, spread;
} Scale;

static Scale scale_of(ThProofEnclosure *e, double reach)
{
    const ThProofSet *s = &e->set;
    int d = s->dim;
    double size = th_proof_length(s->centre, d), mean = size * size / d + TH_PROOF_EPSILON;
    double along = width_toward(e, s, s->centre), inner = fmax(0, size - reach);
    double low = fmax(mean - 2 * along / d, inner * inner / d + TH_PROOF_EPSILON);
    double high = fmin(mean + (2 * along + reach * reach) / d,
                       (size + reach) * (size + reach) / d + TH_PROOF_EPSILON);
    double value = 1 / sqrt(mean), slope = -0.5 * value / mean;
    double off_low = 1 / sqrt(low) - value - slope * (low - mean);
    double off_high = 1 / sqrt(high) - value - slope * (high - mean);
    double most = fmax(off_low, off_high), least = slope * reach * reach / d;
    return (Scale){.value = value,
                   .mean = mean,
                   .centre = (most + least) / 2,
                   .half = (most - least) / 2,
                   .spread = fmax(1 / sqrt(low) - value, value - 1 / sqrt(high))};
}

/* m <- the linear part of the norm times m, (dim, cols): value (m - t tᵀm / (mean dim)). */
static void apply_slope(const Scale *k, const double *t, double *m, double *row, int d)
{
    th_proof_row_times(t, m, row, d, d);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            m[i * d + j] = k->value * (m[i * d + j] - t[i] * row[j] / (k->mean * d));
}

/* e->other <- an ellipsoid around the whole set, its centre taken off; returns the greatest
 * distance of the set from there. */
static double surround(ThProofEnclosure *e)
{
    ThProofSet *s = &e->set;
    int d = s->dim;
    double norm_x = th_proof_gram(e, s->gx, e->gram_x), norm_y = th_proof_gram(e, s->gy, e->gram_y);
    double norm_q = sqrt(th_proof_power_bound(s->q, d, e->scratch)), boxes = th_proof_box_total(s);
    double size_x = sqrt(th_proof_trace(e->gram_x, d)), size_y = sqrt(th_proof_trace(e->gram_y, d));
    double size_q = sqrt(th_proof_trace(s->q, d)), total = size_x + size_y + size_q + boxes;
    double corner = 0;
    for (int i = 0; i < d; i++) {
        double width = th_proof_width(s, i);
        corner += width * width;
    }
    for (int i = 0; i < d * d; i++)
        e->other[i] = (size_x > 0 ? total / size_x * e->gram_x[i] : 0) +
                      (size_y > 0 ? total / size_y * e->gram_y[i] : 0) +
                      (size_q > 0 ? total / size_q * s->q[i] : 0);
    th_proof_add_boxes(e, e->other, total);
    return fmin(norm_x + norm_y + norm_q + boxes, sqrt(corner));
}

/* q <- a sum of q and by·other, as ellipsoids add up. */
static void join(double *q, const double *other, double by, int d)
{
    double a = sqrt(fmax(0, th_proof_trace(q, d))), b = sqrt(by * th_proof_trace(other, d));
    for (int i = 0; i < d * d; i++)
        q[i] = (a > 0 ? (a + b) / a * q[i] : 0) + (b > 0 ? (a + b) / b * by * other[i] : 0);
}

/* The layer norm of centre + D is (value + slope·2t·D/dim + rest)(centre + D): linear in D, but for
 * `rest` along the centre, and for D times what the root gets from its value. */
void th_proof_normalise(ThProofEnclosure *e, const double *gain, const double *offset)
{
    ThProofSet *s = &e->set;
    int d = s->dim;
    Scale k = scale_of(e, surround(e));
    apply_slope(&k, s->centre, s->gx, e->q, d);
    apply_slope(&k, s->centre, s->gy, e->q, d);
    apply_slope(&k, s->centre, s->q, e->q, d);
    th_proof_transpose(s->q, d);
    apply_slope(&k, s->centre, s->q, e->q, d);
    join(s->q, e->other, k.spread * k.spread, d);
    for (int j = 0; j < s->n_box; j++) {
        double *box = s->box + (size_t)j * (size_t)d;
        double along = th_proof_dot(box, s->centre, d) / (k.mean * d);
        for (int i = 0; i < d; i++)
            box[i] = gain[i] * k.value * (box[i] - along * s->centre[i]);
    }
    double *box = s->box + (size_t)s->n_box++ * (size_t)d;
    for (int i = 0; i < d; i++) {
        box[i] = gain[i] * k.half * s->centre[i];
        s->centre[i] = gain[i] * s->centre[i] * (k.value + k.centre) + offset[i];
        for (int j = 0; j < d; j++) {
            s->gx[i * d + j] *= gain[i];
            s->gy[i * d + j] *= gain[i];
            s->q[i * d + j] *= gain[i] * gain[j];
        }
    }
}

/* ---- feed-forward layer ---- */

/* to (hidden) += the length of the set's block, seen by each hidden unit. */
static void add_widths(ThProofEnclosure *e, const double *block, double *to)
{
    int d = e->map->dim, wide = e->map->hidden;
    th_proof_transposed_multiply(e->map->up, block, e->wide, (ThProofSizes){wide, d, d});
    for (int k = 0; k < wide; k++)
        to[k] += th_proof_length(e->wide + (size_t)k * (size_t)d, d);
}

/* e->pre and e->half <- centre and half-width of what goes into each unit. */
static void find_inputs(ThProofEnclosure *e)
{
    const ThProofMap *f = e->map;
    const ThProofSet *s = &e->set;
    int d = f->dim, wide = f->hidden;
    th_proof_row_times(s->centre, f->up, e->pre, d, wide);
    memset(e->half, 0, (size_t)wide * sizeof *e->half);
    add_widths(e, s->gx, e->half);
    add_widths(e, s->gy, e->half);
    th_proof_transposed_multiply(f->up, s->q, e->wide, (ThProofSizes){wide, d, d});
    for (int k = 0; k < wide; k++) {
        double square = 0;
        for (int i = 0; i < d; i++)
            square += e->wide[k * d + i] * f->up[i * wide + k];
        e->half[k] += sqrt(fmax(0, square));
        e->pre[k] += f->up_bias[k];
    }
    for (int j = 0; j < s->n_box; j++) {
        th_proof_row_times(s->box + (size_t)j * (size_t)d, f->up, e->slope, d, wide);
        for (int k = 0; k < wide; k++)
            e->half[k] += fabs(e->slope[k]);
    }
}

/* The unit's output lies within slope·input + rise ± half; what it is at the centre in pre. */
static void bound_unit(ThProofEnclosure *e, int k)
{
    double at = e->pre[k], lo = at - e->half[k], hi = at + e->half[k];
    bool on = lo >= 0, off = hi <= 0;
    e->slope[k] = on ? 1 : off ? 0 : hi / (hi - lo);
    e->half[k] = on || off ? 0 : -e->slope[k] * lo / 2;
    e->pre[k] = e->slope[k] * at + e->half[k];
}

/* e->other <- the centred linear part of the layer with its residual connection. */
static void find_linear(ThProofEnclosure *e)
{
    const ThProofMap *f = e->map;
    int d = f->dim, wide = f->hidden;
    for (int i = 0; i < d; i++)
        for (int k = 0; k < wide; k++)
            e->wide[k * d + i] = f->up[i * wide + k] * e->slope[k];
    th_proof_transposed_multiply(f->down, e->wide, e->other, (ThProofSizes){d, wide, d});
    for (int i = 0; i < d; i++)
        e->other[i * d + i] += 1;
    th_proof_centre(e->other, d, d);
}

static void move_centre(ThProofEnclosure *e)
{
    const ThProofMap *f = e->map;
    double *centre = e->set.centre;
    th_proof_multiply_add(e->pre, f->down, centre, (ThProofSizes){1, f->hidden, f->dim});
    for (int i = 0; i < f->dim; i++)
        centre[i] += f->down_bias[i];
    th_proof_centre(centre, f->dim, 1);
}

static void add_unit_boxes(ThProofEnclosure *e)
{
    const ThProofMap *f = e->map;
    ThProofSet *s = &e->set;
    int d = f->dim;
    for (int k = 0; k < f->hidden; k++) {
        if (!(e->half[k] > 0))
            continue;
        double *box = s->box + (size_t)s->n_box++ * (size_t)d;
        for (int i = 0; i < d; i++)
            box[i] = e->half[k] * f->down[k * d + i];
        th_proof_centre(box, d, 1);
    }
}

void th_proof_feed_forward(ThProofEnclosure *e)
{
    find_inputs(e);
    for (int k = 0; k < e->map->hidden; k++)
        bound_unit(e, k);
    find_linear(e);
    move_centre(e);
    th_proof_change(e);
    add_unit_boxes(e);
}
