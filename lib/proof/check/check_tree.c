/* One application of F to two sets, step by step.
 *
 * A run does not compute F but something near it.  What each step rounds, in arithmetic of which a
 * number is off by s->unit at most, is bounded from the ranges of the set at that step, and becomes
 * a part of the set, which later steps spread as they spread the rest: a running error analysis
 * (Higham 2002, section 3.3) for all of the set at once.  Exponentials may be off by eight units
 * (four ulps), sums be made in any order, and products be fused with them or not. */

#include "proof/check/check_impl.h"

/* The centres of both children, and what the heads make of them. */
enum { EARLIER, LATER, QUERY, KEY_EARLIER, KEY_LATER, VALUE_EARLIER, VALUE_LATER, VECTORS };

/* ---- sizes ----------------------------------------------------------------------------------- */

/* s->most (d) <- the same of the set. */
static void measure_set(ThProofCheckSet *s)
{
    th_proof_check_widths(s, NULL, s->d, s->most);
    for (int j = 0; j < s->d; j++)
        s->most[j] += fabs(s->row[j]);
}

/* to (cols) <- the sums of magnitudes from (n) in a product with m (n, cols). */
static void through_sizes(const double *from, const double *m, double *to, int n, int cols)
{
    memset(to, 0, (size_t)cols * sizeof *to);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < cols; j++)
            to[j] += from[i] * fabs(m[i * cols + j]);
}

/* s->off becomes what taking the mean off numbers of at most s->most leaves of it, with its own
 * rounding; and that comes to the set. */
static void blur_centred(ThProofCheckSet *s)
{
    int d = s->d;
    double mean = 0, error = 0, gamma = th_proof_check_gamma(s, d + 4);
    for (int j = 0; j < d; j++) {
        mean += s->most[j] / d;
        error += s->off[j] / d;
    }
    for (int j = 0; j < d; j++)
        s->off[j] += error + gamma * (mean + s->most[j]) + TH_PROOF_UNDERFLOW;
    th_proof_check_blur(s, s->off, th_proof_check_row(s, 2 * d));
}

/* ---- what the heads make of a shape --------------------------------------------------------- */

typedef struct {
    const double *centre;
    double radius;
    const ThProofCheckWays *ways;
} Child;

/* to <- what the values of n rows become through head h. */
static void through(const ThProofMap *f, int h, const double *values, double *to, int n)
{
    int d = f->dim, size = d / f->heads;
    th_proof_check_block(values + h * size, d, f->output + h * size * d, to,
                         (ThProofCheckSizes){n, size, d});
    th_proof_check_centre(to, n, d);
}

/* to (d) <- the lengths of the columns. */
static void widths_of(const double *rows, int d, double *to)
{
    memset(to, 0, (size_t)d * sizeof *to);
    for (int i = 0; i < d * d; i++)
        to[i % d] += rows[i] * rows[i];
    for (int j = 0; j < d; j++)
        to[j] = sqrt(to[j]);
}

ThProofCheckWays *th_proof_check_ways_new(const ThProofMap *f, ThError *err)
{
    size_t d = (size_t)f->dim, heads = (size_t)f->heads;
    ThProofCheckWays *w = th_alloc(
        1, sizeof *w + ((3 + 2 * heads) * d * d + 4 * d + 2 * heads) * sizeof *w->number, err);
    if (!w)
        return NULL;
    double **square[] = {&w->value, &w->query, &w->key}, *at = w->number;
    double **row[] = {&w->width, &w->query_width, &w->key_width, &w->value_width};
    for (int i = 0; i < 3; i++, at += d * d)
        *square[i] = at;
    for (int i = 0; i < 4; i++, at += d)
        *row[i] = at;
    w->way = at;
    w->gram = at + heads * d * d;
    w->query_norm = w->gram + heads * d * d;
    w->key_norm = w->query_norm + heads;
    return w;
}

void th_proof_check_ways(ThProofCheckSet *s, const ThProofMap *f, const double *shape,
                         ThProofCheckWays *w)
{
    int d = s->d, size = d / f->heads;
    w->shape = shape;
    th_proof_check_times(shape, f->query, w->query, d, d, d);
    th_proof_check_times(shape, f->key, w->key, d, d, d);
    th_proof_check_times(shape, f->value, w->value, d, d, d);
    widths_of(shape, d, w->width);
    widths_of(w->query, d, w->query_width);
    widths_of(w->key, d, w->key_width);
    widths_of(w->value, d, w->value_width);
    for (int h = 0; h < f->heads; h++) {
        double *way = w->way + (size_t)h * (size_t)(d * d);
        through(f, h, w->value, way, d);
        th_proof_check_gram(s, way, w->gram + (size_t)h * (size_t)(d * d));
        w->query_norm[h] = th_proof_check_norm(s, w->query + h * size, d, size);
        w->key_norm[h] = th_proof_check_norm(s, w->key + h * size, d, size);
    }
}

/* ---- attention ------------------------------------------------------------------------------- */

/* Of a weight 1 / (1 + e^x): two exponentials of eight units, each of which counts by a quarter, a
 * sum, a division. */
enum { WEIGHT_ROUNDINGS = 8 };

/* How far the difference of a run's two scores in head h can be off. */
static double round_score(const ThProofCheckSet *s, const ThProofMap *f, int h)
{
    int d = s->d, size = d / f->heads, from = h * size;
    const double gamma = th_proof_check_gamma(s, d), more = th_proof_check_gamma(s, size + 6);
    double off = 0, all = 0;
    for (int j = from; j < from + size; j++) {
        double q = s->size[QUERY][j], k = s->size[KEY_LATER][j] + s->size[KEY_EARLIER][j];
        double q_off = gamma * s->sum_of[QUERY][j];
        double k_off = gamma * (s->sum_of[KEY_LATER][j] + s->sum_of[KEY_EARLIER][j]);
        off += q * k_off + k * q_off + q_off * k_off;
        all += (q + q_off) * (k + k_off);
    }
    return (off + more * all) / sqrt(size) + more * 2 * f->relative_size[h] + TH_PROOF_UNDERFLOW;
}

/* The weight of the earlier child in head h as a line; s->at, s->slope <- how the generators of x
 * and y move what goes into it. */
static ThProofLine weigh(ThProofCheckSet *s, const ThProofMap *f, int h, const Child *x,
                         const Child *y)
{
    int d = s->d, size = d / f->heads, from = h * size;
    const double *query = s->stack[QUERY] + from, *near = s->stack[KEY_LATER] + from,
                 *far = s->stack[KEY_EARLIER] + from;
    double scale = 1 / sqrt(size);
    for (int i = 0; i < d; i++) {
        const double *far_by = x->ways->key + i * d + from, *near_by = y->ways->key + i * d + from;
        const double *query_by = y->ways->query + i * d + from;
        s->at[i] = scale * x->radius * th_proof_check_inner(far_by, query, size);
        s->slope[i] = scale * y->radius *
                      (th_proof_check_inner(query_by, far, size) -
                       th_proof_check_inner(query_by, near, size) -
                       th_proof_check_inner(near_by, query, size));
    }
    double at = f->relative[h] + scale * (th_proof_check_inner(query, far, size) -
                                          th_proof_check_inner(query, near, size));
    double quadratic = scale * y->radius * y->ways->query_norm[h] *
                       (x->radius * x->ways->key_norm[h] + y->radius * y->ways->key_norm[h]);
    quadratic += round_score(s, f, h);
    double by = sqrt(th_proof_check_inner(s->at, s->at, d)) +
                sqrt(th_proof_check_inner(s->slope, s->slope, d)) + quadratic;
    const double range[] = {at - by, at + by}, loose[] = {-quadratic, quadratic};
    ThProofLine l = th_proof_check_line(TH_PROOF_LOGISTIC, at, range, loose);
    l.error += WEIGHT_ROUNDINGS * s->unit + TH_PROOF_UNDERFLOW;
    l.reach += WEIGHT_ROUNDINGS * s->unit + TH_PROOF_UNDERFLOW;
    return l;
}

/* A child's d generators += weight times what they become through head h, and slope·tilt gap. */
static void take_child(ThProofCheckSet *s, int h, const Child *c, bool later, ThProofLine l)
{
    int d = s->d;
    const double *gap = th_proof_check_row(s, s->n), *tilt = later ? s->slope : s->at;
    const double *way = c->ways->way + (size_t)h * (size_t)(d * d);
    double weight = c->radius * (later ? 1 - l.value : l.value);
    for (int i = 0; i < d; i++, way += d) {
        double *row = th_proof_check_row(s, later * d + i), by = l.slope * tilt[i];
        for (int j = 0; j < d; j++)
            row[j] += weight * way[j] + by * gap[j];
    }
    th_proof_check_gather_gram(s, c->ways->gram + (size_t)h * (size_t)(d * d), l.reach * c->radius);
}

/* What a run rounds of head h's values, of their mean and of what becomes of it: to s->off, and the
 * magnitudes of the sums to s->most. */
static void round_head(ThProofCheckSet *s, const ThProofMap *f, int h, ThProofLine l)
{
    enum { ROUNDINGS = 8 }; /* that weights do not add up to one, two products and their sum */
    int d = s->d, size = d / f->heads;
    double gamma = th_proof_check_gamma(s, d), more = th_proof_check_gamma(s, d + 2);
    double earlier = fabs(l.value) + l.reach, later = fabs(1 - l.value) + l.reach;
    for (int j = h * size; j < (h + 1) * size; j++) {
        double all = earlier * s->size[VALUE_EARLIER][j] + later * s->size[VALUE_LATER][j];
        double off =
            gamma * (earlier * s->sum_of[VALUE_EARLIER][j] + later * s->sum_of[VALUE_LATER][j]) +
            ROUNDINGS * s->unit * all;
        for (int k = 0; k < d; k++) {
            double by = fabs(f->output[j * d + k]);
            s->off[k] += (off + more * (all + off)) * by;
            s->most[k] += (all + off) * by;
        }
    }
}

/* One head's share of the set. */
static void take_head(ThProofCheckSet *s, const ThProofMap *f, int h, const Child *x,
                      const Child *y, ThProofLine l)
{
    double *gap = th_proof_check_row(s, s->n), *later = s->line;
    through(f, h, s->stack[VALUE_LATER], later, 1);
    through(f, h, s->stack[VALUE_EARLIER], gap, 1);
    for (int j = 0; j < s->d; j++) {
        gap[j] -= later[j];
        s->row[j] += later[j] + l.value * gap[j];
    }
    round_head(s, f, h, l);
    take_child(s, h, x, false, l);
    take_child(s, h, y, true, l);
    for (int j = 0; j < s->d; j++)
        gap[j] *= l.error;
    s->n++;
}

/* The vectors of both children and what the heads make of them: in s->stack the centres, in s->size
 * the greatest magnitudes, and in s->sum_of those of the sums that products are. */
static void take_vectors(ThProofCheckSet *s, const ThProofMap *f, const Child *x, const Child *y)
{
    const struct {
        int from;
        const double *by, *width;
    } vector[VECTORS] = {[EARLIER] = {EARLIER, NULL, x->ways->width},
                         [LATER] = {LATER, NULL, y->ways->width},
                         [QUERY] = {LATER, f->query, y->ways->query_width},
                         [KEY_EARLIER] = {EARLIER, f->key, x->ways->key_width},
                         [KEY_LATER] = {LATER, f->key, y->ways->key_width},
                         [VALUE_EARLIER] = {EARLIER, f->value, x->ways->value_width},
                         [VALUE_LATER] = {LATER, f->value, y->ways->value_width}};
    int d = s->d;
    memcpy(s->stack[EARLIER], x->centre, (size_t)d * sizeof *x->centre);
    memcpy(s->stack[LATER], y->centre, (size_t)d * sizeof *y->centre);
    for (int i = 0; i < VECTORS; i++) {
        int from = vector[i].from;
        double radius = from == EARLIER ? x->radius : y->radius;
        if (vector[i].by)
            th_proof_check_times(s->stack[from], vector[i].by, s->stack[i], 1, d, d);
        for (int j = 0; j < d; j++)
            s->size[i][j] = fabs(s->stack[i][j]) + radius * vector[i].width[j];
        if (vector[i].by)
            through_sizes(s->size[from], vector[i].by, s->sum_of[i], d, d);
    }
}

/* The set becomes y with what attention adds.  Where nothing earlier is masked, all weight is on
 * the later child. */
static void attend(ThProofCheckSet *s, const ThProofMap *f, const Child *x, const Child *y,
                   bool masked)
{
    int d = s->d;
    const ThProofLine none = {0};
    double *rows = th_proof_check_row(s, d);
    take_vectors(s, f, x, y);
    memset(s->off, 0, (size_t)d * sizeof *s->off);
    memcpy(s->most, s->size[LATER], (size_t)d * sizeof *s->most);
    s->n = 3 * d;
    memset(s->row, 0, (size_t)(1 + 3 * d) * (size_t)d * sizeof *s->row);
    memcpy(s->row, y->centre, (size_t)d * sizeof *s->row);
    for (int i = 0; i < d * d; i++)
        rows[i] = y->radius * y->ways->shape[i];
    th_proof_check_centre(s->row, 1, d);
    th_proof_check_centre(rows, d, d);
    for (int h = 0; h < f->heads; h++)
        take_head(s, f, h, x, y, masked ? none : weigh(s, f, h, x, y));
    th_proof_check_settle(s, th_proof_check_row(s, 2 * d));
    for (int j = 0; j < d; j++)
        s->off[j] += 2 * s->unit * s->most[j];
    blur_centred(s);
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
    th_proof_check_gather_all(s, l.reach);
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
    measure_set(s);
    for (int j = 0; j < d; j++)
        s->off[j] = th_proof_check_gamma(s, d / 2 + 10) * (s->most[j] + fabs(offset[j])) +
                    TH_PROOF_UNDERFLOW;
    th_proof_check_blur(s, s->off, rest);
}

/* ---- feed-forward layer ---------------------------------------------------------------------- */

/* s->size[0], s->size[1] (hidden) <- how far what goes into a unit can be off, and then, with the
 * ranges known, what it can be at most: each unit's own rounding counts by its weights. */
static void round_inputs(ThProofCheckSet *s, const ThProofMap *f)
{
    measure_set(s);
    through_sizes(s->most, f->up, s->size[0], s->d, f->hidden);
    for (int k = 0; k < f->hidden; k++)
        s->size[0][k] = th_proof_check_gamma(s, s->d + 2) * (s->size[0][k] + fabs(f->up_bias[k])) +
                        TH_PROOF_UNDERFLOW;
}

/* s->off, s->most <- of the sum, when s->size[1] has the units' greatest values. */
static void round_sums(ThProofCheckSet *s, const ThProofMap *f)
{
    int d = s->d;
    double gamma = th_proof_check_gamma(s, f->hidden + 4);
    for (int j = 0; j < d; j++) {
        s->most[j] += fabs(f->down_bias[j]);
        s->off[j] = gamma * s->most[j];
    }
    for (int k = 0; k < f->hidden; k++)
        for (int j = 0; s->size[1][k] > 0 && j < d; j++) {
            double by = fabs(f->down[k * d + j]);
            s->off[j] += (s->size[0][k] + gamma * s->size[1][k]) * by;
            s->most[j] += s->size[1][k] * by;
        }
}

/* What hidden units add is a matrix where their lines are, and boxes for what these miss. */
static void feed(ThProofCheckSet *s, const ThProofMap *f)
{
    int d = s->d, n = f->hidden, on = 0;
    double *both = s->stack[0], *wide = s->stack[1], *narrow = s->stack[2];
    round_inputs(s, f);
    th_proof_check_times(s->row, f->up, s->at, 1, d, n);
    th_proof_check_widths(s, f->up, n, s->half);
    for (int k = 0; k < n; k++) {
        double at = s->at[k] + f->up_bias[k], by = s->half[k] + s->size[0][k];
        const double range[] = {at - by, at + by}, none[] = {0, 0};
        s->size[1][k] = fmax(0, range[1]);
        ThProofLine l = th_proof_check_line(TH_PROOF_RELU, at, range, none);
        s->at[k] = l.value - l.slope * s->at[k];
        s->slope[k] = l.slope;
        s->half[k] = l.error;
    }
    round_sums(s, f);
    for (int k = 0; k < n; k++) {
        if (s->slope[k] == 0)
            continue;
        memcpy(narrow + on * d, f->down + k * d, (size_t)d * sizeof *narrow);
        for (int i = 0; i < d; i++)
            wide[i * n + on] = f->up[i * n + k] * s->slope[k];
        on++;
    }
    th_proof_check_block(wide, n, narrow, both, (ThProofCheckSizes){d, on, d});
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
    measure_set(s); /* what large numbers left of each other */
    for (int j = 0; j < d; j++)
        s->most[j] += s->off[j];
    th_proof_check_centre(s->row, 1 + s->n, d);
    blur_centred(s);
}

void th_proof_check_leaf(const ThProofCheckSet *s, double *shape, ThProofEllipsoid *e)
{
    enum { ROUNDINGS = 3 };
    double total = 0;
    for (int i = 0; i < s->d; i++)
        total += fabs(e->centre[i]);
    for (int i = 0; i < s->d; i++)
        shape[i * (s->d + 1)] = sqrt(total * fabs(e->centre[i]));
    e->shape = shape;
    e->radius = ROUNDINGS * s->unit;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The child that an ellipsoid is; what is not known of its shape yet is made in *own. */
static bool child_of(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *e,
                     const ThProofEllipsoid *shape, ThProofCheckWays **own, Child *c)
{
    *c = (Child){e->centre, e->radius, shape->ways};
    if (c->ways)
        return true;
    c->ways = *own = th_proof_check_ways_new(f, NULL);
    if (*own)
        th_proof_check_ways(s, f, shape->shape, *own);
    return *own != NULL;
}

void th_proof_check_tree(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *x,
                         const ThProofEllipsoid *y)
{
    ThProofCheckWays *own[2] = {0};
    const ThProofEllipsoid pad = {.centre = f->pad};
    Child earlier, later;
    if (child_of(s, f, y, y, &own[0], &later) &&
        child_of(s, f, x ? x : &pad, x ? x : &(ThProofEllipsoid){.ways = later.ways}, &own[1],
                 &earlier)) {
        attend(s, f, &earlier, &later, !x && f->mask);
        normalise(s, f->gain1, f->offset1);
        feed(s, f);
        normalise(s, f->gain2, f->offset2);
    } else
        s->row[0] = HUGE_VAL; /* which lies in no set */
    TH_FREE(own[0], own[1]);
}

double th_proof_check_tree_lead(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *e,
                                int right, int other)
{
    int d = s->d, n = f->n_classes;
    double width, off = 0, *way = s->at;
    th_proof_check_load(e, d, s->row);
    s->n = d;
    measure_set(s);
    for (int i = 0; i < d; i++)
        off += s->most[i] * (fabs(f->head[i * n + right]) + fabs(f->head[i * n + other]));
    off += fabs(f->head_bias[right]) + fabs(f->head_bias[other]);
    for (int i = 0; i < d; i++)
        way[i] = f->head[i * n + right] - f->head[i * n + other];
    th_proof_check_widths(s, way, 1, &width);
    return f->head_bias[right] - f->head_bias[other] + th_proof_check_inner(s->row, way, d) -
           width * (1 + TH_PROOF_SPARE) - TH_PROOF_SPARE - th_proof_check_gamma(s, d + 2) * off;
}
