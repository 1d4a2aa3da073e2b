/* The search for radii of which F is closed, in balls first and then in ellipsoids. */
#include <math.h>

#include "proof/prover.h"
#include "proof/tree/enclosure.h"
#include "proof/matrix.h"
#include "proof/metric.h"

/* One choice of shapes. */
typedef struct {
    ThProofProver *v;
    ThProofEnclosure *e;
    bool balls;
    double *slack;  /* (labels): of the run, as the label's shape sees it */
    double *lowest; /* (labels): the vectors of the lowest level reach so far */
    double *most;   /* (labels): beyond this radius the read-out can say another class */
    double *bound;  /* (labels): how far F of all pairs reaches, of the radii that were given */
    int *x, *y;     /* (labels): the pair that reaches farthest; y -1: the lowest level */
    double *radius, *wider; /* (labels) */
} Attempt;

static int labels_of(const Attempt *a)
{
    return a->v->p->labels->n;
}

static ThProofBall ball(const Attempt *a, int label, double radius)
{
    const double *centre = a->v->p->centre + (size_t)label * (size_t)a->v->p->dim;
    return (ThProofBall){centre, radius, a->balls ? 0 : label};
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static bool bound_pair(Attempt *a, const double *radius, int x, int y, ThError *err)
{
    const ThProofLabels *l = a->v->p->labels;
    int into = th_proof_labels_product(l, x, y);
    if (into < 0)
        return true;
    ThProofBall bx = ball(a, x < 0 ? 0 : x, x < 0 ? 0 : radius[x]), by = ball(a, y, radius[y]);
    ThProofBall target = ball(a, into, 0);
    double reach;
    th_proof_enclose(a->e, x < 0 ? NULL : &bx, &by);
    if (!th_proof_reach(a->e, &target, &reach, err))
        return false;
    reach += a->slack[into];
    if (reach > a->bound[into]) {
        a->bound[into] = reach;
        a->x[into] = x;
        a->y[into] = y;
    }
    return true;
}

/* Fills a->bound: with it as radii, what the given radii lead to is covered. */
static bool bound_all(Attempt *a, const double *radius, ThError *err)
{
    int n = labels_of(a);
    memcpy(a->bound, a->lowest, (size_t)n * sizeof *a->bound);
    for (int i = 0; i < n; i++)
        a->x[i] = a->y[i] = -1;
    for (int x = -1; x < n; x++)
        for (int y = 0; y < n; y++)
            if (th_stopped(a->v->stop, err) || !bound_pair(a, radius, x, y, err))
                return false;
    return true;
}

/* The label whose bound is worst beside its radius. */
static int worst_of(const Attempt *a, const double *radius)
{
    int worst = 0;
    for (int i = 1; i < labels_of(a); i++)
        if (!(a->bound[i] / radius[i] <= a->bound[worst] / radius[worst]))
            worst = i;
    return worst;
}

/* Are these radii a proof? */
static bool closed(Attempt *a, const double *radius, bool *proof, ThError *err)
{
    if (!bound_all(a, radius, err))
        return false;
    *proof = true;
    for (int i = 0; i < labels_of(a); i++)
        *proof &= a->bound[i] <= radius[i] && radius[i] < a->most[i];
    return true;
}

/* ---- an attempt ------------------------------------------------------------------------------ */

static void measure_lowest(Attempt *a)
{
    const ThProofProver *v = a->v;
    int d = v->p->dim;
    double *off = a->wider; /* at least dim long */
    for (int i = 0; i < labels_of(a); i++)
        a->lowest[i] = 0;
    for (int i = 0; i < v->sample.first; i++) {
        int label = v->sample.label[i];
        for (int k = 0; k < d; k++)
            off[k] = v->sample.z[i * d + k] - v->p->centre[label * d + k];
        double far = th_proof_distance(a->e, a->balls ? 0 : label, off) * (1 + TH_PROOF_BUDGET) +
                     TH_PROOF_BUDGET + a->slack[label];
        a->lowest[label] = fmax(a->lowest[label], far);
    }
}

/* |A v| for the label's shape. */
static double shaped_length(const Attempt *a, int label, const double *v, double *room)
{
    int d = a->v->p->dim;
    if (a->balls)
        return th_proof_length(v, d);
    th_proof_row_times(v, a->v->p->shape + (size_t)label * (size_t)d * (size_t)d, room, d, d);
    return th_proof_length(room, d);
}

/* The radius at which another class's logit can reach that of the right one: both may be off by the
 * slack. */
static void measure_heads(Attempt *a, double *room)
{
    const ThProofProver *v = a->v;
    const ThProofMap *f = v->f;
    int d = f->dim, classes = f->n_classes;
    for (int i = 0; i < labels_of(a); i++) {
        int right = v->p->labels->answer[i];
        a->most[i] = HUGE_VAL;
        for (int c = 0; right >= 0 && c < classes; c++) {
            if (c == right)
                continue;
            double gap = f->head_bias[right] - f->head_bias[c] - 2 * v->p->slack;
            for (int k = 0; k < d; k++) {
                room[k] = f->head[k * classes + right] - f->head[k * classes + c];
                gap += v->p->centre[i * d + k] * room[k];
            }
            double length = shaped_length(a, i, room, room + d);
            double most = gap / (length * (1 + TH_PROOF_BUDGET) + TH_PROOF_BUDGET);
            a->most[i] = fmin(a->most[i], most - TH_PROOF_BUDGET);
        }
    }
}

static bool start(Attempt *a, ThError *err)
{
    ThProof *p = a->v->p;
    size_t n = (size_t)p->labels->n, wide = n > 2 * (size_t)p->dim ? n : 2 * (size_t)p->dim;
    a->e = th_proof_enclosure_new(a->v->f, a->balls ? NULL : p->shape, a->balls ? 1 : (int)n, err);
    double **all[] = {&a->slack, &a->lowest, &a->most, &a->bound, &a->radius, &a->wider};
    bool ok = a->e != NULL;
    for (size_t i = 0; ok && i < sizeof all / sizeof *all; i++)
        ok = (*all[i] = th_alloc(wide, sizeof(double), err)) != NULL;
    a->x = th_alloc(n, sizeof *a->x, err);
    a->y = th_alloc(n, sizeof *a->y, err);
    if (!ok || !a->x || !a->y)
        return false;
    for (size_t i = 0; i < n; i++)
        a->slack[i] = p->slack * th_proof_stretch(a->e, a->balls ? 0 : (int)i);
    measure_lowest(a);
    measure_heads(a, a->wider);
    return true;
}

static void finish(Attempt *a)
{
    th_proof_enclosure_free(a->e);
    TH_FREE(a->slack, a->lowest, a->most, a->bound, a->radius, a->wider, a->x, a->y);
}

/* Remembers what stands in the way, if it is nearer to a proof than what did before. */
static void note_obstacle(Attempt *a, int into, double excess)
{
    ThProof *p = a->v->p;
    if (!(excess < p->excess))
        return;
    p->excess = excess;
    p->into = into;
    p->x = a->x[into];
    p->y = a->y[into];
}

/* The read-out may fail where the sets are closed. */
static bool heads_hold(Attempt *a)
{
    ThProof *p = a->v->p;
    for (int i = 0; i < labels_of(a); i++) {
        if (a->radius[i] < a->most[i])
            continue;
        p->excess = a->radius[i] / fmax(a->most[i], 1e-300);
        p->into = i;
        p->x = p->y = -1;
        p->answers = true;
        return false;
    }
    return true;
}

/* Lets the radii grow until F of all of them stays inside, or they are past all hope. */
static bool grow(Attempt *a, bool *proof, ThError *err)
{
    enum { ROUNDS = 100, HOPELESS = 5 };
    int n = labels_of(a);
    *proof = false;
    for (int i = 0; i < n; i++)
        a->radius[i] = fmax(1e-3, a->lowest[i]);
    for (int round = 1; round <= ROUNDS; round++) {
        if (!bound_all(a, a->radius, err))
            return false;
        int worst = worst_of(a, a->radius);
        double excess = a->bound[worst] / a->radius[worst];
        a->v->p->rounds = round;
        if (excess <= 1) {
            *proof = heads_hold(a);
            return true;
        }
        note_obstacle(a, worst, excess);
        for (int i = 0; i < n; i++) {
            if (!(a->bound[i] < HOPELESS))
                return true;
            a->radius[i] = fmax(a->radius[i], 1.05 * a->bound[i]);
        }
    }
    return true;
}

/* How near to closed equal radii are, of any size: more telling than where they grew beyond bounds.
 */
static bool scan(Attempt *a, ThError *err)
{
    const ThProof *p = a->v->p;
    enum { RADII = 12, FEW = 3, STEP = 4 }; /* up to 1.76; few: 0.03, 0.13, 0.51 */
    int by = a->v->balls ? STEP : 1, most = a->v->balls ? FEW * STEP : RADII;
    int first = by / 2;
    double radius = 0.01 * pow(1.6, first);
    for (int k = 0; k < most; k += by, radius *= pow(1.6, by)) {
        for (int i = 0; i < labels_of(a); i++)
            a->wider[i] = radius;
        /* The pair that was worst before is tried alone first: mostly it says enough. */
        memcpy(a->bound, a->lowest, (size_t)labels_of(a) * sizeof *a->bound);
        if (p->y >= 0 && !bound_pair(a, a->wider, p->x, p->y, err))
            return false;
        if (p->y >= 0 && a->bound[p->into] / radius >= p->excess)
            continue;
        if (!bound_all(a, a->wider, err))
            return false;
        int worst = worst_of(a, a->wider);
        note_obstacle(a, worst, a->bound[worst] / radius);
    }
    return true;
}

/* ---- a proof --------------------------------------------------------------------------------- */

static bool try_wider(Attempt *a, double by, bool *proof, ThError *err)
{
    for (int i = 0; i < labels_of(a); i++)
        a->wider[i] = a->radius[i] * by;
    return closed(a, a->wider, proof, err);
}

/* How much larger all radii can be; those in the middle become the proof, so that neither side is
 * close. */
static bool settle(Attempt *a, ThError *err)
{
    enum { HALVINGS = 6 };
    ThProof *p = a->v->p;
    double low = 1, high = 32;
    bool proof;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = sqrt(low * high);
        if (!try_wider(a, middle, &proof, err))
            return false;
        *(proof ? &low : &high) = middle;
    }
    if (!try_wider(a, sqrt(low), &proof, err))
        return false;
    for (int i = 0; i < labels_of(a); i++)
        p->radius[i] = proof ? a->wider[i] : a->radius[i];
    p->room = low;
    p->verdict = TH_PROOF_PROVED;
    if (a->balls) {
        free(p->shape);
        p->shape = NULL;
    }
    return true;
}

static bool attempt(ThProofProver *v, bool balls, ThError *err)
{
    Attempt a = {.v = v, .balls = balls};
    bool proof = false, ok = start(&a, err) && grow(&a, &proof, err) && (!proof || settle(&a, err));
    if (ok && balls && !proof && !v->p->answers)
        ok = scan(&a, err);
    finish(&a);
    return ok;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void free_slopes(ThProofSlope *s, int n)
{
    for (int i = 0; s && i < n; i++)
        TH_FREE(s[i].jx, s[i].jy);
    free(s);
}

/* The derivatives at the centres: what the linear part of very small sets is. */
static bool find_slope(ThProofProver *v, ThProofEnclosure *e, ThProofSlope *s, ThError *err)
{
    static const double small = 1e-6;
    ThProof *p = v->p;
    int d = p->dim;
    double nx, ny;
    ThProofBall x = {p->centre + (size_t)(s->x < 0 ? 0 : s->x) * (size_t)d, small, 0};
    ThProofBall y = {p->centre + (size_t)s->y * (size_t)d, small, 0};
    const ThProofSet *set = th_proof_enclose(e, s->x < 0 ? NULL : &x, &y);
    s->jx = th_copy(set->gx, (size_t)d * (size_t)d, sizeof *s->jx, err);
    s->jy = th_copy(set->gy, (size_t)d * (size_t)d, sizeof *s->jy, err);
    if (!s->jx || !s->jy)
        return false;
    for (int i = 0; i < d * d; i++) {
        s->jx[i] /= small;
        s->jy[i] /= small;
    }
    th_proof_norms(e, &nx, &ny);
    p->slope = fmax(p->slope, (nx + ny) / small);
    return true;
}

/* The slope at the centres of the worst pair alone, and how many pairs there are. */
static bool find_worst_slope(ThProofProver *v, ThError *err)
{
    const ThProofLabels *l = v->p->labels;
    ThProofSlope s = {.x = v->p->x, .y = v->p->y, .into = v->p->into};
    ThProofEnclosure *e = s.y >= 0 ? th_proof_enclosure_new(v->f, NULL, 1, err) : NULL;
    bool ok = s.y < 0 || (e && find_slope(v, e, &s, err));
    for (int i = 0; i < l->n * (l->n + 1); i++)
        v->p->checks += th_proof_labels_product(l, i / l->n - 1, i % l->n) >= 0;
    v->p->contraction = v->p->slope;
    th_proof_enclosure_free(e);
    TH_FREE(s.jx, s.jy);
    return ok;
}

/* Returns new: the slopes at all pairs of centres, p->checks of them. */
static ThProofSlope *find_slopes(ThProofProver *v, ThError *err)
{
    const ThProofLabels *l = v->p->labels;
    ThProofEnclosure *e = th_proof_enclosure_new(v->f, NULL, 1, err);
    ThProofSlope *s = e ? th_alloc((size_t)l->n * (size_t)(l->n + 1), sizeof *s, err) : NULL;
    int n = 0;
    bool ok = s != NULL;
    for (int i = 0; ok && i < l->n * (l->n + 1); i++) {
        int x = i / l->n - 1, y = i % l->n, into = th_proof_labels_product(l, x, y);
        if (into < 0)
            continue;
        s[n] = (ThProofSlope){.x = x, .y = y, .into = into};
        ok = !th_stopped(v->stop, err) && find_slope(v, e, &s[n], err);
        n++;
    }
    th_proof_enclosure_free(e);
    v->p->checks = n;
    v->p->contraction = v->p->slope;
    if (ok)
        return s;
    free_slopes(s, n);
    return NULL;
}

/* Ellipsoids of the given mildness instead of balls. */
static bool attempt_metric(ThProofProver *v, const ThProofSlope *slope, double mildness,
                           ThError *err)
{
    ThProof *p = v->p;
    size_t size = (size_t)p->labels->n * (size_t)(p->dim * p->dim);
    ThProofSlopes s = {slope, (int)p->checks, p->labels->n, p->dim, mildness};
    double stretch;
    if (!p->shape && !(p->shape = th_alloc(size, sizeof *p->shape, err)))
        return false;
    if (!th_proof_metric(&s, p->shape, &stretch, v->stop, err))
        return false;
    p->contraction = fmin(p->contraction, stretch);
    return stretch >= 1 || attempt(v, false, err);
}

bool th_proof_close(ThProofProver *v, ThError *err)
{
    static const double mildness[] = {4, 2, 1, 0.5};
    bool ok = attempt(v, true, err), few = v->balls && v->p->verdict == TH_PROOF_OPEN;
    ThProofSlope *slope = ok && !few ? find_slopes(v, err) : NULL;
    ok = ok && (few ? find_worst_slope(v, err) : slope != NULL);
    for (int i = 0; ok && v->p->verdict == TH_PROOF_OPEN && !v->p->answers && !v->balls && i < 4;
         i++)
        ok = attempt_metric(v, slope, mildness[i], err);
    free_slopes(slope, slope ? (int)v->p->checks : 0);
    return ok;
}
