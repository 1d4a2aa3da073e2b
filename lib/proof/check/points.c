/* A running error analysis (Higham 2002, section 3.3) of points, of which there is no set to carry
 * along: a table of half a million pairs takes seconds.  The arithmetic that is assumed is that of
 * check_tree.c.  What a step rounds is known coordinate by coordinate; what later steps make of it
 * is bounded by their norms, for by magnitudes of weights it would grow as much more as signs
 * cancel.  Rows of many pairs are products of matrices, those of magnitudes as well. */
#include "proof/check/points.h"

#include "proof/check/check_impl.h"
#include "proof/matrix.h"

enum { QUERY, KEY_EARLIER, KEY_LATER, VALUE_EARLIER, VALUE_LATER, HEADS };

/* What a layer norm scales and adds, and the greatest magnitude that it scales by. */
typedef struct {
    const double *gain, *offset;
    double most;
} Norm;

struct ThProofPoints {
    const ThProofMap *f;
    int most;
    double *query, *key, *value, *output, *up, *down; /* magnitudes of the weights of these names */
    double output_norm, up_norm, down_norm;           /* spectral */
    Norm norm[2];
    double *of[HEADS], *sum_of[HEADS]; /* (most, dim): what the heads read, and their sums' sizes */
    double *row, *own, *size;          /* (most, dim): the points, what the last step rounds of each
                                          coordinate, and the magnitudes that it may add up */
    double *off;             /* (most): how far a run's points may be from these before it */
    double *unit, *unit_own; /* (most, hidden): hidden units, and what is rounded of them */
    double *into, *into_own; /* (most, hidden): what goes into a product of magnitudes */
};

/* ---- making ---- */

static double *magnitudes(const double *m, int n, ThError *err)
{
    double *to = th_alloc((size_t)n, sizeof *to, err);
    for (int i = 0; to && i < n; i++)
        to[i] = fabs(m[i]);
    return to;
}

/* An upper bound of the spectral norm of m (n, d), n ≤ d or d ≤ n, by the Gram matrix of its short
 * side; not finite where there is no memory. */
static double norm_of(const double *m, int n, int cols, ThError *err)
{
    int d = n < cols ? n : cols;
    double *gram TH_OWNED(free) = th_alloc(3 * (size_t)(d * d), sizeof *gram, err);
    if (!gram)
        return HUGE_VAL;
    if (n < cols)
        th_proof_multiply_transposed(m, m, gram, (ThProofSizes){n, cols, n});
    else
        th_proof_transposed_multiply(m, m, gram, (ThProofSizes){cols, n, cols});
    return sqrt(th_proof_power_bound(gram, d, gram + d * d)) * (1 + TH_PROOF_SPARE);
}

static double greatest(const double *v, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

static bool take_rows(ThProofPoints *p, ThError *err)
{
    size_t n = (size_t)p->most, d = (size_t)p->f->dim, hidden = (size_t)p->f->hidden;
    size_t wide = hidden > d ? hidden : d;
    double **of_dim[] = {&p->row, &p->own, &p->size},
           **of_units[] = {&p->unit, &p->unit_own, &p->into, &p->into_own};
    bool ok = (p->off = th_alloc(n, sizeof(double), err)) != NULL;
    for (int i = 0; i < HEADS; i++)
        ok = (p->of[i] = th_alloc(n * d, sizeof(double), err)) &&
             (p->sum_of[i] = th_alloc(n * d, sizeof(double), err)) && ok;
    for (int i = 0; i < 3; i++)
        ok = (*of_dim[i] = th_alloc(n * d, sizeof(double), err)) && ok;
    for (int i = 0; i < 4; i++)
        ok = (*of_units[i] = th_alloc(n * wide, sizeof(double), err)) && ok;
    return ok;
}

static bool take_norms(ThProofPoints *p, ThError *err)
{
    const ThProofMap *f = p->f;
    p->output_norm = norm_of(f->output, f->dim, f->dim, err);
    p->up_norm = norm_of(f->up, f->dim, f->hidden, err);
    p->down_norm = norm_of(f->down, f->hidden, f->dim, err);
    p->norm[0] = (Norm){f->gain1, f->offset1, greatest(f->gain1, f->dim)};
    p->norm[1] = (Norm){f->gain2, f->offset2, greatest(f->gain2, f->dim)};
    return isfinite(p->output_norm) && isfinite(p->up_norm) && isfinite(p->down_norm);
}

ThProofPoints *th_proof_points_new(const ThProofMap *f, int most, ThError *err)
{
    ThProofPoints *p = th_alloc(1, sizeof *p, err);
    int d = f->dim, hidden = f->hidden;
    if (!p)
        return NULL;
    p->f = f;
    p->most = most;
    bool ok = (p->query = magnitudes(f->query, d * d, err)) &&
              (p->key = magnitudes(f->key, d * d, err)) &&
              (p->value = magnitudes(f->value, d * d, err)) &&
              (p->output = magnitudes(f->output, d * d, err)) &&
              (p->up = magnitudes(f->up, d * hidden, err)) &&
              (p->down = magnitudes(f->down, hidden * d, err)) && take_rows(p, err) &&
              take_norms(p, err);
    return TH_KEEP_IF(ok, p, th_proof_points_free);
}

void th_proof_points_free(ThProofPoints *p)
{
    if (!p)
        return;
    for (int i = 0; i < HEADS; i++)
        TH_FREE(p->of[i], p->sum_of[i]);
    TH_FREE(p->query, p->key, p->value, p->output, p->up, p->down, p->off);
    TH_FREE(p->row, p->own, p->size, p->unit, p->unit_own, p->into, p->into_own, p);
}

/* ---- attention ---- */

/* What the vectors `from` become by a matrix, and the sums of magnitudes, where a run's vectors are
 * off by `lead` of theirs. */
static void project(ThProofPoints *p, int which, const double *from, const double *m,
                    const double *size_of_m, int n, double lead)
{
    int d = p->f->dim;
    for (int i = 0; i < n * d; i++)
        p->into[i] = fabs(from[i]) * (1 + lead);
    th_proof_check_times(from, m, p->of[which], n, d, d);
    th_proof_check_times(p->into, size_of_m, p->sum_of[which], n, d, d);
}

static void project_all(ThProofPoints *p, const ThProofPointRows *r, double lead)
{
    const ThProofMap *f = p->f;
    project(p, QUERY, r->y, f->query, p->query, r->n, lead);
    project(p, KEY_LATER, r->y, f->key, p->key, r->n, lead);
    project(p, VALUE_LATER, r->y, f->value, p->value, r->n, lead);
    project(p, KEY_EARLIER, r->x, f->key, p->key, r->n, r->missing ? 0 : lead);
    project(p, VALUE_EARLIER, r->x, f->value, p->value, r->n, r->missing ? 0 : lead);
}

/* The earlier child's weight in a head, and how far a run's is off. */
typedef struct {
    double value, off;
} Weight;

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* A weight is 1 / (1 + e^x): two exponentials of eight units, each of which counts by a quarter, a
 * sum, a division. */
static Weight weigh(const ThProofPoints *p, int i, int head, double unit, double own)
{
    enum { ROUNDINGS = 8 };
    const ThProofMap *f = p->f;
    int d = f->dim, size = d / f->heads, from = i * d + head * size;
    const double more = th_proof_gamma(unit, size + 6), scale = 1 / sqrt(size);
    double score = 0, off = 0, all = 0;
    for (int j = from; j < from + size; j++) {
        double q = fabs(p->of[QUERY][j]), q_off = own * p->sum_of[QUERY][j];
        double k = fabs(p->of[KEY_LATER][j]) + fabs(p->of[KEY_EARLIER][j]);
        double k_off = own * (p->sum_of[KEY_LATER][j] + p->sum_of[KEY_EARLIER][j]);
        score += p->of[QUERY][j] * (p->of[KEY_EARLIER][j] - p->of[KEY_LATER][j]);
        off += q * k_off + k * q_off + q_off * k_off;
        all += (q + q_off) * (k + k_off);
    }
    double at = f->relative[head] + scale * score;
    off = (off + more * all) * scale + more * 2 * f->relative_size[head] + TH_PROOF_UNDERFLOW;
    double value = logistic(at);
    double apart = fmax(logistic(at + off) - value, value - logistic(at - off));
    return (Weight){value, apart + ROUNDINGS * unit + TH_PROOF_UNDERFLOW};
}

/* p->row <- what a head's mean of the two values is; into_own <- what is off of it, and `into` its
 * greatest magnitude. */
static void mix(ThProofPoints *p, int i, int head, Weight w, double unit, double own)
{
    enum { ROUNDINGS = 8 }; /* that weights do not add up to one, two products and their sum */
    int d = p->f->dim, size = d / p->f->heads, from = i * d + head * size;
    double earlier = w.value + w.off, later = 1 - w.value + w.off;
    for (int j = from; j < from + size; j++) {
        double x = p->of[VALUE_EARLIER][j], y = p->of[VALUE_LATER][j];
        double all = earlier * fabs(x) + later * fabs(y);
        p->row[j] = y + w.value * (x - y);
        p->into_own[j] =
            w.off * fabs(x - y) + ROUNDINGS * unit * all +
            own * (earlier * p->sum_of[VALUE_EARLIER][j] + later * p->sum_of[VALUE_LATER][j]);
        p->into[j] = all + p->into_own[j];
    }
}

/* The points become y with what attention adds. */
static void attend(ThProofPoints *p, const ThProofPointRows *r, double unit)
{
    enum {
        LEAF = 3
    }; /* roundings of an embedded symbol, which is a product with the root of dim */
    const ThProofMap *f = p->f;
    int d = f->dim, n = r->n;
    double lead = r->leaves ? LEAF * unit : 0, own = th_proof_gamma(unit, d) + lead;
    double more = th_proof_gamma(unit, d + 2) + 2 * unit;
    project_all(p, r, lead);
    for (int i = 0; i < n * f->heads; i++) {
        int row = i / f->heads, head = i % f->heads;
        Weight w = r->missing && f->mask ? (Weight){0} : weigh(p, row, head, unit, own);
        mix(p, row, head, w, unit, own);
    }
    for (int i = 0; i < n; i++)
        p->off[i] = p->output_norm * th_proof_length(p->into_own + i * d, d);
    th_proof_check_times(p->row, f->output, p->of[QUERY], n, d, d);
    th_proof_check_times(p->into, p->output, p->size, n, d, d);
    for (int i = 0; i < n * d; i++) {
        double y = fabs(r->y[i]);
        p->row[i] = r->y[i] + p->of[QUERY][i];
        p->own[i] = more * p->size[i] + (lead + 2 * unit) * y * (1 + lead);
        p->size[i] += y * (1 + lead);
    }
}

/* ---- layer norm ---- */

/* One point less its mean, which makes no distance greater.  Returns how far a run's is off. */
static double centre(double *row, double *own, const double *size, int d, double unit, double off)
{
    double mean = 0, all = 0, gamma = th_proof_gamma(unit, d + 4);
    for (int j = 0; j < d; j++) {
        mean += row[j] / d;
        all += size[j] / d;
    }
    double before = off + th_proof_length(own, d);
    for (int j = 0; j < d; j++) {
        row[j] -= mean;
        own[j] = gamma * (all + size[j]) + TH_PROOF_UNDERFLOW;
    }
    return before + th_proof_length(own, d);
}

/* One point, its mean being zero, by one over the root of its mean square: the slope of that is
 * nowhere greater than this factor.  Returns how far a run's is off. */
static double scale(double *row, double *own, const Norm *to, int d, double unit, double off)
{
    double length = th_proof_length(row, d), least = fmax(0, length - off);
    double gamma = th_proof_gamma(unit, d / 2 + 10);
    double factor = 1 / sqrt(length * length / d + TH_PROOF_EPSILON);
    double after = off * to->most / sqrt(least * least / d + TH_PROOF_EPSILON);
    for (int j = 0; j < d; j++) {
        row[j] = factor * row[j] * to->gain[j] + to->offset[j];
        own[j] = gamma * (fabs(row[j]) + after + 2 * fabs(to->offset[j])) + TH_PROOF_UNDERFLOW;
    }
    return after + th_proof_length(own, d);
}

static void normalise(ThProofPoints *p, const Norm *to, int n, double unit)
{
    int d = p->f->dim;
    for (int i = 0; i < n; i++) {
        double *row = p->row + i * d, *own = p->own + i * d;
        double off = centre(row, own, p->size + i * d, d, unit, p->off[i]);
        p->off[i] = scale(row, own, to, d, unit, off);
    }
}

/* ---- feed-forward layer ---- */

/* The hidden units, and what a run rounds of them, besides what it is off by before. */
static void feed_up(ThProofPoints *p, int n, double unit)
{
    const ThProofMap *f = p->f;
    int d = f->dim, hidden = f->hidden;
    double gamma = th_proof_gamma(unit, d + 2);
    for (int i = 0; i < n * d; i++)
        p->into[i] = fabs(p->row[i]) + p->off[i / d];
    th_proof_check_times(p->row, f->up, p->unit, n, d, hidden);
    th_proof_check_times(p->into, p->up, p->unit_own, n, d, hidden);
    for (int i = 0; i < n * hidden; i++) {
        double bias = f->up_bias[i % hidden], at = p->unit[i] + bias;
        p->unit_own[i] = gamma * (p->unit_own[i] + fabs(bias)) + TH_PROOF_UNDERFLOW;
        double most = at + p->unit_own[i] + p->up_norm * p->off[i / hidden];
        p->unit[i] = fmax(0, at);
        p->into[i] = fmax(0, most);
        p->unit_own[i] = most > 0 ? p->unit_own[i] : 0;
    }
}

static void feed_down(ThProofPoints *p, int n, double unit)
{
    const ThProofMap *f = p->f;
    int d = f->dim, hidden = f->hidden;
    double gamma = th_proof_gamma(unit, hidden + 4), *add = p->of[QUERY];
    th_proof_check_times(p->unit, f->down, add, n, hidden, d);
    th_proof_check_times(p->into, p->down, p->size, n, hidden, d);
    for (int i = 0; i < n * d; i++) {
        double bias = f->down_bias[i % d];
        p->size[i] += fabs(p->row[i]) + p->off[i / d] + fabs(bias);
        p->row[i] += add[i] + bias;
        p->own[i] = gamma * p->size[i];
    }
    for (int i = 0; i < n; i++)
        p->off[i] += p->down_norm *
                     (p->up_norm * p->off[i] + th_proof_length(p->unit_own + i * hidden, hidden));
}

/* ---- all of it ---- */

void th_proof_points_off(ThProofPoints *p, const ThProofPointRows *r, double unit, double *off)
{
    const double wider = 1 + 1e-6; /* for what the bound itself rounds, in double precision */
    const ThProofMap *f = p->f;
    int d = f->dim;
    attend(p, r, unit);
    normalise(p, &p->norm[0], r->n, unit);
    feed_up(p, r->n, unit);
    feed_down(p, r->n, unit);
    normalise(p, &p->norm[1], r->n, unit);
    for (int i = 0; i < r->n; i++) {
        double square = 0;
        for (int j = i * d; j < (i + 1) * d; j++)
            square += (p->row[j] - r->z[j]) * (p->row[j] - r->z[j]);
        off[i] = (p->off[i] + sqrt(square)) * wider;
    }
}
