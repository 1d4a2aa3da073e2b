/* One application of F to two sets, step by step. */
#include <math.h>
#include <string.h>

#include "proof/check_impl.h"

/* Both children, as centres and generators, and what the heads make of them. */
enum { EARLIER, LATER, QUERY, KEY_EARLIER, KEY_LATER, VALUE_EARLIER, VALUE_LATER };

/* ---- attention ------------------------------------------------------------------------------- */

/* The weight of the earlier child in head h as a line; s->at, s->slope <- how the generators of x
 * and y move what goes into it. */
static ThProofLine weigh(ThProofCheckSet *s, const ThProofMap *f, int h)
{
    int d = s->d, size = d / f->heads, from = h * size;
    const double *query = s->stack[QUERY] + from, *near = s->stack[KEY_LATER] + from,
                 *far = s->stack[KEY_EARLIER] + from;
    double scale = 1 / sqrt(size);
    for (int i = 0, k = d; i < d; i++, k += d) {
        s->at[i] = scale * th_proof_check_inner(far + k, query, size);
        s->slope[i] = scale * (th_proof_check_inner(query + k, far, size) -
                               th_proof_check_inner(query + k, near, size) -
                               th_proof_check_inner(near + k, query, size));
    }
    double at = f->relative[h] + scale * (th_proof_check_inner(query, far, size) -
                                          th_proof_check_inner(query, near, size));
    double quadratic =
        scale * th_proof_check_norm(s, query + d, d, size) *
        (th_proof_check_norm(s, far + d, d, size) + th_proof_check_norm(s, near + d, d, size));
    double by = sqrt(th_proof_check_inner(s->at, s->at, d)) +
                sqrt(th_proof_check_inner(s->slope, s->slope, d)) + quadratic;
    const double range[] = {at - by, at + by}, loose[] = {-quadratic, quadratic};
    return th_proof_check_line(TH_PROOF_LOGISTIC, at, range, loose);
}

/* rows <- what the values of one row become through head h. */
static void through(const ThProofCheckSet *s, const ThProofMap *f, int h, const double *values,
                    double *to)
{
    int size = s->d / f->heads;
    th_proof_check_times(values + h * size, f->output + h * size * s->d, to, 1, size, s->d);
    th_proof_check_centre(to, 1, s->d);
}

/* A child's d generators += weight times what they become through head h, and slope·tilt gap. */
static void take_child(ThProofCheckSet *s, const ThProofMap *f, int h, int later, ThProofLine l)
{
    int d = s->d;
    const double *gap = th_proof_check_row(s, s->n), *tilt = later ? s->slope : s->at;
    double *values = s->stack[later ? VALUE_LATER : VALUE_EARLIER];
    double *way = s->stack[later ? LATER : EARLIER], weight = later ? 1 - l.value : l.value;
    for (int i = 1; i <= d; i++) {
        double *row = th_proof_check_row(s, later * d + i - 1), *to = way + i * d;
        through(s, f, h, values + i * d, to);
        for (int j = 0; j < d; j++)
            row[j] += weight * to[j] + l.slope * tilt[i - 1] * gap[j];
    }
    th_proof_check_gather(s, way + d, d, l.reach);
}

/* One head's share of the set. */
static void take_head(ThProofCheckSet *s, const ThProofMap *f, int h, ThProofLine l)
{
    double *gap = th_proof_check_row(s, s->n), *way = s->line;
    through(s, f, h, s->stack[VALUE_LATER], way);
    through(s, f, h, s->stack[VALUE_EARLIER], gap);
    for (int j = 0; j < s->d; j++) {
        gap[j] -= way[j];
        s->row[j] += way[j] + l.value * gap[j];
    }
    take_child(s, f, h, 0, l);
    take_child(s, f, h, 1, l);
    for (int j = 0; j < s->d; j++)
        gap[j] *= l.error;
    s->n++;
}

/* The set becomes y with what attention adds.  Where nothing earlier is masked, all weight is on
 * the later child. */
static void attend(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *x,
                   const ThProofEllipsoid *y)
{
    const ThProofEllipsoid pad = {.centre = f->pad, .shape = y->shape};
    const struct {
        int to, from;
        const double *by;
    } product[] = {{QUERY, LATER, f->query},
                   {KEY_EARLIER, EARLIER, f->key},
                   {KEY_LATER, LATER, f->key},
                   {VALUE_EARLIER, EARLIER, f->value},
                   {VALUE_LATER, LATER, f->value}};
    int d = s->d;
    size_t square = (size_t)d * (size_t)d;
    th_proof_check_load(x ? x : &pad, d, s->stack[EARLIER]);
    th_proof_check_load(y, d, s->stack[LATER]);
    for (size_t i = 0; i < sizeof product / sizeof *product; i++)
        th_proof_check_times(s->stack[product[i].from], product[i].by, s->stack[product[i].to],
                             1 + d, d, d);
    s->n = 3 * d;
    memset(s->row, 0, ((size_t)d + 3 * square) * sizeof *s->row);
    memcpy(s->row, s->stack[LATER], (size_t)d * sizeof *s->row);
    memcpy(th_proof_check_row(s, d), s->stack[LATER] + d, square * sizeof *s->row);
    th_proof_check_centre(s->row, 1 + 2 * d, d);
    for (int h = 0; h < f->heads; h++)
        take_head(s, f, h, x || !f->mask ? weigh(s, f, h) : (ThProofLine){0});
    th_proof_check_settle(s, th_proof_check_row(s, 2 * d));
}

/* ---- layer norm ------------------------------------------------------------------------------ */

/* One over the root of the mean square, a line in 2 centre·(v - centre) / d; what is quadratic lies
 * between 0 and reach² / d. */
static ThProofLine shrink(ThProofCheckSet *s)
{
    int d = s->d;
    double square = th_proof_check_inner(s->row, s->row, d), length = sqrt(square), along;
    double reach = th_proof_check_reach(s), least = fmax(0, length - reach), most = length + reach;
    double mean = square / d + TH_PROOF_EPSILON, quadratic = reach * reach / d;
    th_proof_check_widths(s, s->row, 1, &along);
    const double range[] = {
        fmax(mean - 2 * along / d, least * least / d + TH_PROOF_EPSILON),
        fmin(mean + 2 * along / d + quadratic, most * most / d + TH_PROOF_EPSILON)};
    return th_proof_check_line(TH_PROOF_INVERSE_ROOT, mean, range, (double[]){0, quadratic});
}

/* What the factor's differences do to the set is gathered with the rest. */
static void normalise(ThProofCheckSet *s, const double *gain, const double *offset)
{
    int d = s->d;
    ThProofLine l = shrink(s);
    double *rest = th_proof_check_row(s, 2 * d), *c = s->row, *extra;
    for (int i = 0, n; i < s->n; i += n) {
        n = i < s->n_part ? d : 1;
        th_proof_check_gather(s, th_proof_check_row(s, i), n, l.reach);
    }
    for (int i = 0; i < s->n; i++) {
        double *row = th_proof_check_row(s, i);
        double along = l.slope * 2 / d * th_proof_check_inner(row, c, d);
        for (int j = 0; j < d; j++)
            row[j] = l.value * row[j] + along * c[j];
    }
    th_proof_check_gather(s, rest, d, 1);
    th_proof_check_settle(s, rest);
    extra = th_proof_check_row(s, s->n++);
    for (int j = 0; j < d; j++) {
        extra[j] = l.error * c[j];
        for (int i = 0; i < s->n; i++)
            th_proof_check_row(s, i)[j] *= gain[j];
        c[j] = l.value * c[j] * gain[j] + offset[j];
    }
}

/* ---- feed-forward layer ---------------------------------------------------------------------- */

/* What hidden units add is a matrix where their lines are, and boxes for what these miss. */
static void feed(ThProofCheckSet *s, const ThProofMap *f)
{
    int d = s->d, n = f->hidden;
    double *both = s->stack[0], *wide = s->stack[1];
    th_proof_check_times(s->row, f->up, s->at, 1, d, n);
    th_proof_check_widths(s, f->up, n, s->half);
    for (int k = 0; k < n; k++) {
        double at = s->at[k] + f->up_bias[k];
        const double range[] = {at - s->half[k], at + s->half[k]}, none[] = {0, 0};
        ThProofLine l = th_proof_check_line(TH_PROOF_RELU, at, range, none);
        s->at[k] = l.value - l.slope * s->at[k];
        s->slope[k] = l.slope;
        s->half[k] = l.error;
    }
    for (int i = 0; i < d * n; i++)
        wide[i] = f->up[i] * s->slope[i % n];
    th_proof_check_times(wide, f->down, both, d, n, d);
    for (int i = 0; i < d; i++)
        both[i * (d + 1)] += 1;
    th_proof_check_turn(s, both);
    for (int k = 0; k < n; k++) {
        double *box = th_proof_check_row(s, s->n);
        for (int j = 0; j < d; j++) {
            s->row[j] += s->at[k] * f->down[k * d + j] + (k == 0 ? f->down_bias[j] : 0);
            box[j] = s->half[k] * f->down[k * d + j];
        }
        s->n += s->half[k] > 0;
    }
    th_proof_check_centre(s->row, 1 + s->n, d);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void th_proof_check_tree(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *x,
                         const ThProofEllipsoid *y)
{
    attend(s, f, x, y);
    normalise(s, f->gain1, f->offset1);
    feed(s, f);
    normalise(s, f->gain2, f->offset2);
}

double th_proof_check_tree_lead(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *e,
                                int right, int other)
{
    int d = s->d, n = f->n_classes;
    double width, *way = s->at;
    th_proof_check_load(e, d, s->row);
    s->n = d;
    for (int i = 0; i < d; i++)
        way[i] = f->head[i * n + right] - f->head[i * n + other];
    th_proof_check_widths(s, way, 1, &width);
    return f->head_bias[right] - f->head_bias[other] + th_proof_check_inner(s->row, way, d) -
           width * (1 + TH_PROOF_SPARE) - TH_PROOF_SPARE;
}
