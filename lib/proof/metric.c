#include "proof/metric.h"

#include <math.h>

#include "proof/matrix.h"

/* Q = A² for every label, improved step by step: where a slope stretches most, its image counts
 * more in the next Q of the label that it leads to. */
typedef struct {
    const ThProofSlopes *s;
    size_t square;
    double *q, *best, *next;  /* (labels, dim, dim) */
    double *inverse;          /* (labels, dim, dim): Q^-1/2 */
    double *image;            /* (slopes, dim, dim) */
    double *stretch, *weight; /* (slopes) */
    double *work, *other, *scratch, *value;
    double least; /* of the greatest squared stretches so far */
} Search;

static double *at(double *matrices, int i, size_t square)
{
    return matrices + (size_t)i * square;
}

/* root <- q^(power) by eigenvalues. */
static bool matrix_power(Search *m, const double *q, double power, double *root, ThError *err)
{
    int d = m->s->dim;
    memcpy(m->work, q, m->square * sizeof *q);
    if (!th_proof_eigen(m->work, d, m->value, m->other, err))
        return false;
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++)
            m->work[i * d + k] = m->other[i * d + k] * pow(fmax(m->value[k], 1e-300), power);
    th_proof_multiply_transposed(m->work, m->other, root, (ThProofSizes){d, d, d});
    return true;
}

/* to <- J Q Jᵀ. */
static void carry(Search *m, const double *j, const double *q, double *to)
{
    ThProofSizes s = {m->s->dim, m->s->dim, m->s->dim};
    th_proof_multiply(j, q, m->work, s);
    th_proof_multiply_transposed(m->work, j, to, s);
}

/* The ellipsoid around the sum of what the slope makes of those of x and y. */
static void find_image(Search *m, int i)
{
    const ThProofSlope *p = &m->s->slope[i];
    int d = m->s->dim;
    double *to = at(m->image, i, m->square);
    carry(m, p->jy, at(m->q, p->y, m->square), to);
    if (p->x < 0)
        return;
    carry(m, p->jx, at(m->q, p->x, m->square), m->other);
    double a = sqrt(fmax(0, th_proof_trace(to, d)));
    double b = sqrt(fmax(0, th_proof_trace(m->other, d)));
    for (int k = 0; k < d * d; k++)
        to[k] = (a > 0 ? (a + b) / a * to[k] : 0) + (b > 0 ? (a + b) / b * m->other[k] : 0);
}

/* The squared stretch of every slope; the greatest, or no number where one is none. */
static double find_stretches(Search *m)
{
    ThProofSizes sizes = {m->s->dim, m->s->dim, m->s->dim};
    double most = 0;
    for (int i = 0; i < m->s->n; i++) {
        find_image(m, i);
        const double *inverse = at(m->inverse, m->s->slope[i].into, m->square);
        th_proof_multiply(inverse, at(m->image, i, m->square), m->work, sizes);
        th_proof_multiply(m->work, inverse, m->other, sizes);
        m->stretch[i] = th_proof_power_bound(m->other, m->s->dim, m->scratch);
        most = m->stretch[i] > most || isnan(m->stretch[i]) ? m->stretch[i] : most;
    }
    return most;
}

static void improve(Search *m, double most)
{
    const ThProofSlopes *s = m->s;
    int d = s->dim;
    size_t total = (size_t)s->labels * m->square;
    memset(m->next, 0, total * sizeof *m->next);
    for (int i = 0; i < s->n; i++) {
        m->weight[i] = fmax(1e-3, m->weight[i] * sqrt(m->stretch[i] / most));
        double *to = at(m->next, s->slope[i].into, m->square);
        const double *image = at(m->image, i, m->square);
        for (size_t k = 0; k < m->square; k++)
            to[k] += m->weight[i] * image[k];
    }
    double widest = 0, sum = 0;
    for (int l = 0; l < s->labels; l++)
        widest = fmax(widest, th_proof_trace(at(m->next, l, m->square), d));
    for (int l = 0; l < s->labels; l++) {
        double *q = at(m->next, l, m->square);
        for (int i = 0; i < d; i++)
            q[i * d + i] += s->mildness * widest / d;
        sum += th_proof_trace(q, d);
    }
    double scale = d * s->labels / sum;
    for (size_t k = 0; k < total; k++)
        m->q[k] = (m->q[k] + scale * m->next[k]) / 2;
}

static bool search(Search *m, ThStop *stop, ThError *err)
{
    enum { STEPS = 60 };
    const ThProofSlopes *s = m->s;
    for (int step = 0; step < STEPS; step++) {
        if (th_stopped(stop, err))
            return false;
        for (int l = 0; l < s->labels; l++)
            if (!matrix_power(m, at(m->q, l, m->square), -0.5, at(m->inverse, l, m->square), err))
                return false;
        double most = find_stretches(m);
        if (!isfinite(most))
            return th_fail(err, TH_ENUMERIC, "the slopes of the map are not finite");
        if (most < m->least) {
            m->least = most;
            memcpy(m->best, m->q, (size_t)s->labels * m->square * sizeof *m->q);
        }
        if (!(most > 0)) /* all is forgotten at once: no metric is better */
            break;
        improve(m, most);
    }
    return true;
}

static bool take(Search *m, ThError *err)
{
    size_t labels = (size_t)m->s->labels * m->square, n = (size_t)m->s->n;
    double **all[] = {&m->q, &m->best, &m->next, &m->inverse};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof all / sizeof *all; i++)
        ok = (*all[i] = th_alloc(labels, sizeof(double), err)) != NULL;
    m->image = th_alloc(n * m->square, sizeof(double), err);
    m->stretch = th_alloc(n, sizeof(double), err);
    m->weight = th_alloc(n, sizeof(double), err);
    m->work = th_alloc(m->square, sizeof(double), err);
    m->other = th_alloc(m->square, sizeof(double), err);
    m->scratch = th_alloc(2 * m->square, sizeof(double), err);
    m->value = th_alloc((size_t)m->s->dim, sizeof(double), err);
    return ok && m->image && m->stretch && m->weight && m->work && m->other && m->scratch &&
           m->value;
}

/* To the last bit. */
static void make_symmetric(double *a, int d)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < i; j++)
            a[i * d + j] = a[j * d + i] = (a[i * d + j] + a[j * d + i]) / 2;
}

bool th_proof_metric(const ThProofSlopes *s, double *shape, double *stretch, ThStop *stop,
                     ThError *err)
{
    Search m = {.s = s, .square = (size_t)s->dim * (size_t)s->dim, .least = HUGE_VAL};
    bool ok = take(&m, err);
    if (ok) {
        for (int l = 0; l < s->labels; l++)
            for (int i = 0; i < s->dim; i++)
                at(m.q, l, m.square)[i * (s->dim + 1)] = 1;
        for (int i = 0; i < s->n; i++)
            m.weight[i] = 1;
        ok = search(&m, stop, err);
    }
    for (int l = 0; ok && l < s->labels; l++)
        ok = matrix_power(&m, at(m.best, l, m.square), 0.5, at(shape, l, m.square), err);
    for (int l = 0; ok && l < s->labels; l++)
        make_symmetric(at(shape, l, m.square), s->dim);
    *stretch = sqrt(m.least);
    TH_FREE(m.q, m.best, m.next, m.inverse, m.image, m.stretch, m.weight, m.work, m.other,
            m.scratch, m.value);
    return ok;
}
