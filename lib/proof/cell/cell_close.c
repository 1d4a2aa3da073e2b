/* The search for sets of states that every symbol takes into one another: one ball for each state
 * of the automaton, then ellipsoids, then several of each; and the same of each state behind each
 * symbol, for what is behind one is often far from what is behind another.
 *
 * Where several steps contract and one does not, in no metric, sets behind the last two symbols or
 * more have metrics of their own, and a step need only contract from one metric to the next.  With
 * long enough pasts that finds all that contracts in the end (path-complete graphs: Ahmadi,
 * Jungers, Parrilo and Roozbehani 2014, on the joint spectral radius, with De Bruijn's). */
#include <math.h>

#include "proof/cell/cell_image.h"
#include "proof/cell/cell_sample.h"
#include "proof/prover.h"
#include "proof/matrix.h"
#include "proof/metric.h"

typedef struct {
    const ThModel *m;
    const ThProofCell *f;
    ThStop *stop;
    ThProof *p;
    const ThDfa *machine; /* whose states have sets: the automaton's, */
    int behind;           /* or with each of them one of so many words that came last; 1: none */
    ThProofSample seen;   /* states that drawn strings lead to: label is the automaton's, x the one
                             before (-1: the first), y the symbol */
    double *gates;        /* th_proof_cell_room */
    double *logits;       /* (n_classes) */
    double *metric;       /* (n_states, dim, dim), or NULL */
    int steps;            /* of a drawn run */
} Prover;

static int answer_of(const Prover *v, int state)
{
    int class = v->machine->label[state];
    return class < v->f->n_classes ? class : -1;
}

static const double *seen(const Prover *v, int i)
{
    return v->seen.z + (size_t)i * (size_t)v->f->dim;
}

/* ---- states that occur ----------------------------------------------------------------------- */

static bool misjudged(Prover *v, int i)
{
    int right = answer_of(v, v->seen.label[i]);
    th_proof_cell_logits(v->f, seen(v, i), v->logits);
    for (int c = 0; right >= 0 && c < v->f->n_classes; c++)
        if (c != right && v->logits[c] >= v->logits[right])
            return true;
    return false;
}

static bool find_wrong(Prover *v, ThError *err)
{
    ThProof *p = v->p;
    for (int i = 0; i < v->seen.n && p->verdict != TH_PROOF_WRONG; i++) {
        if (!misjudged(v, i))
            continue;
        free(p->word);
        p->right = answer_of(v, v->seen.label[i]);
        p->word = th_proof_cell_word(&v->seen, i, &p->length, err);
        if (!p->word || !th_proof_ask(v->m, p->word, p->length, &p->said, err))
            return false;
        if (p->said != p->right)
            p->verdict = TH_PROOF_WRONG;
    }
    return true;
}

/* How far all h of a run at position i are from those of a state that was seen. */
static double off_by(const Prover *v, const ThModelTrace *t, int i, int state)
{
    int n = v->f->width;
    double square = 0;
    for (int k = 0; k < v->f->layers * n; k++) {
        const double *h = seen(v, state) + k / n * v->f->own;
        double off = t->layer[k / n].state[i * n + k % n] - h[k % n];
        square += off * off;
    }
    return sqrt(square);
}

/* How far a float run's outputs are from those in double precision. */
static bool measure_floats(Prover *v, ThError *err)
{
    enum { MOST_STEPS = 320 };
    int words = MOST_STEPS / v->steps > 0 ? MOST_STEPS / v->steps : 1;
    for (int w = 0; w < words; w++) {
        int length, last = (w + 1) * v->steps - 1,
                    *word TH_OWNED(free) = th_proof_cell_word(&v->seen, last, &length, err);
        ThModelTrace *t TH_OWNED(th_model_trace_free) =
            word ? th_model_trace(v->m, word, length, err) : NULL;
        if (!t)
            return false;
        for (int i = 0; i < length; i++)
            v->p->float_error = fmax(v->p->float_error, off_by(v, t, i, w * v->steps + i));
    }
    return true;
}

/* ---- a cover --------------------------------------------------------------------------------- */

/* One choice of sets and shapes.  Sets of one state share their shape. */
typedef struct {
    Prover *v;
    ThProofCellImage *e;
    bool balls;
    int n;
    int *state;                      /* (n) */
    double *centre, *radius, *bound; /* (n, dim), (n), (n) */
    double *first;                   /* (n): what the first symbols reach */
    int *into;                       /* (n, n_symbols): the set that a symbol leads to */
    int *from, *by;                  /* (n): the set and symbol that reach farthest; from -1 */
} Cover;

static ThProofBall ball(const Cover *c, int i, double radius)
{
    int d = c->v->f->dim;
    return (ThProofBall){c->centre + (size_t)i * (size_t)d, radius, c->balls ? 0 : c->state[i]};
}

/* The set of a state whose centre is nearest, or -1. */
static int nearest(const Cover *c, const double *z, int state)
{
    int near = -1, d = c->v->f->dim;
    double least = HUGE_VAL;
    for (int i = 0; i < c->n; i++) {
        double far =
            c->state[i] == state ? th_proof_length_between(z, ball(c, i, 0).centre, d) : HUGE_VAL;
        if (far < least) {
            least = far;
            near = i;
        }
    }
    return near;
}

/* Adds sets for a state: seeds far from each other, until they are `most`. */
static void seed_state(Cover *c, int state, int most)
{
    const Prover *v = c->v;
    int d = v->f->dim;
    for (int k = 0; k < most; k++) {
        int far = -1;
        double farthest = -1;
        for (int i = 0; i < v->seen.n; i++) {
            if (v->seen.label[i] != state)
                continue;
            int set = nearest(c, seen(v, i), state);
            double off =
                set < 0 ? 1 : th_proof_length_between(seen(v, i), ball(c, set, 0).centre, d);
            if (off > farthest) {
                farthest = off;
                far = i;
            }
        }
        if (far < 0 || farthest < 1e-6)
            return;
        c->state[c->n] = state;
        memcpy(c->centre + c->n++ * d, seen(v, far), (size_t)d * sizeof *c->centre);
    }
}

/* The centres become those of what is nearest to them. */
static bool settle_centres(Cover *c, ThError *err)
{
    Prover *v = c->v;
    int d = v->f->dim;
    ThProofSample s = v->seen;
    s.label = th_alloc((size_t)s.n, sizeof *s.label, err);
    for (int i = 0; s.label && i < s.n; i++)
        s.label[i] = nearest(c, seen(v, i), v->seen.label[i]);
    for (int i = 0; s.label && i < c->n; i++)
        th_proof_sample_centre(&s, i, c->centre + i * d, NULL);
    double far = 0;
    for (int i = 0; s.label && i < s.n; i++)
        far = fmax(far, th_proof_length_between(seen(v, i), ball(c, s.label[i], 0).centre, d));
    if (v->p->reach == 0)
        v->p->reach = far; /* of one set a state */
    bool ok = s.label != NULL;
    free(s.label);
    return ok;
}

/* False: a state was never met, so that it has no set. */
static bool lead(Cover *c)
{
    Prover *v = c->v;
    const ThDfa *m = v->machine;
    double *to = c->bound; /* dim numbers of room are there */
    for (int i = 0; i < c->n * m->n_symbols; i++) {
        int set = i / m->n_symbols, a = i % m->n_symbols;
        th_proof_cell_apply(v->f, ball(c, set, 0).centre, a, v->gates, to);
        c->into[i] = nearest(c, to, m->next[c->state[set] * m->n_symbols + a]);
        if (c->into[i] < 0)
            return false;
    }
    return true;
}

/* Where the first symbols lead. */
static bool measure_first(Cover *c)
{
    Prover *v = c->v;
    const ThDfa *m = v->machine;
    int d = v->f->dim;
    double *to = c->bound;
    for (int i = 0; i < c->n; i++)
        c->first[i] = 1e-4;
    for (int a = 0; a < m->n_symbols; a++) {
        th_proof_cell_apply(v->f, v->f->start, a, v->gates, to);
        int set = nearest(c, to, m->next[m->start * m->n_symbols + a]);
        if (set < 0)
            return false;
        ThProofBall b = ball(c, set, 0);
        for (int k = 0; k < d; k++)
            to[k] -= b.centre[k];
        double far = th_proof_cell_image_distance(c->e, b.shape, to) +
                     v->p->slack * th_proof_cell_image_stretch(c->e, b.shape);
        c->first[set] = fmax(c->first[set], far * (1 + TH_PROOF_BUDGET) + TH_PROOF_BUDGET);
    }
    return true;
}

static bool take(Cover *c, int most, ThError *err)
{
    const Prover *v = c->v;
    size_t n = (size_t)v->machine->n_states * (size_t)most, d = (size_t)v->f->dim;
    size_t wide = n > d ? n : d;
    c->state = th_alloc(n, sizeof *c->state, err);
    c->centre = th_alloc(n * d, sizeof *c->centre, err);
    c->radius = th_alloc(n, sizeof *c->radius, err);
    c->bound = th_alloc(wide, sizeof *c->bound, err);
    c->first = th_alloc(n, sizeof *c->first, err);
    c->into = th_alloc(n * (size_t)v->f->n_symbols, sizeof *c->into, err);
    c->from = th_alloc(n, sizeof *c->from, err);
    c->by = th_alloc(n, sizeof *c->by, err);
    c->e = th_proof_cell_image_new(v->f, c->balls ? NULL : v->metric, v->machine->n_states, err);
    return c->state && c->centre && c->radius && c->bound && c->first && c->into && c->from &&
           c->by && c->e;
}

static void release(Cover *c)
{
    th_proof_cell_image_free(c->e);
    TH_FREE(c->state, c->centre, c->radius, c->bound, c->first, c->into, c->from, c->by);
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Fills c->bound: with it as radii, what c->radius leads to is covered. */
static bool bound_all(Cover *c, ThError *err)
{
    Prover *v = c->v;
    int symbols = v->f->n_symbols;
    memcpy(c->bound, c->first, (size_t)c->n * sizeof *c->bound);
    for (int i = 0; i < c->n; i++)
        c->from[i] = -1;
    for (int i = 0; i < c->n * symbols; i++) {
        ThProofBall from = ball(c, i / symbols, c->radius[i / symbols]);
        ThProofBall into = ball(c, c->into[i], 0);
        if (th_stopped(v->stop, err))
            return false;
        th_proof_cell_image_find(c->e, &from, i % symbols);
        double far = th_proof_cell_image_reach(c->e, &into) +
                     v->p->slack * th_proof_cell_image_stretch(c->e, into.shape);
        if (far > c->bound[c->into[i]]) {
            c->bound[c->into[i]] = far;
            c->from[c->into[i]] = i / symbols;
            c->by[c->into[i]] = i % symbols;
        }
    }
    return true;
}

/* Everywhere in a set the right class leads by more than the slack of both. */
static bool answers_right(const Cover *c, int i)
{
    const Prover *v = c->v;
    int right = answer_of(v, c->state[i]);
    ThProofBall b = ball(c, i, c->radius[i]);
    for (int q = 0; right >= 0 && q < v->f->n_classes; q++)
        if (q != right && !(th_proof_cell_image_lead(c->e, &b, right, q) > 2 * v->p->slack))
            return false;
    return true;
}

/* What stands in the way of the attempt that got nearest. */
static void note(Cover *c, int worst, bool answers, double excess)
{
    ThProof *p = c->v->p;
    if (!answers && excess >= p->excess)
        return;
    p->excess = excess;
    p->answers = answers;
    p->into = c->state[worst] / c->v->behind;
    p->x = c->from[worst] < 0 ? -1 : c->state[c->from[worst]] / c->v->behind;
    p->y = c->from[worst] < 0 ? -1 : c->by[worst];
}

/* Grows radii until they cover what they lead to, or get too large. */
static bool grow(Cover *c, bool *closed, ThError *err)
{
    enum { ROUNDS = 60 };
    static const double widest = 10, more = 1.05; /* the checker's own rounding has to fit in */
    *closed = false;
    for (int i = 0; i < c->n; i++)
        c->radius[i] = more * c->first[i];
    for (int round = 0; round < ROUNDS && !*closed; round++) {
        int worst = 0;
        if (!bound_all(c, err))
            return false;
        *closed = true;
        for (int i = 0; i < c->n; i++) {
            *closed &= c->bound[i] <= c->radius[i];
            if (!(c->bound[i] / c->radius[i] <= c->bound[worst] / c->radius[worst]))
                worst = i;
        }
        c->v->p->rounds = round + 1;
        note(c, worst, false, c->bound[worst] / c->radius[worst]);
        if (!(c->bound[worst] < widest))
            return true;
        for (int i = 0; !*closed && i < c->n; i++)
            c->radius[i] = fmax(c->radius[i], more * c->bound[i]);
    }
    for (int i = 0; *closed && i < c->n; i++)
        if (!answers_right(c, i)) {
            note(c, i, true, 1);
            *closed = false;
        }
    return true;
}

/* The cover becomes the proof. */
static bool keep(Cover *c, ThError *err)
{
    ThProof *p = c->v->p;
    size_t square = (size_t)p->dim * (size_t)p->dim;
    p->verdict = TH_PROOF_PROVED;
    p->n = c->n;
    p->state = c->state;
    p->centre = c->centre;
    p->radius = c->radius;
    c->state = NULL;
    c->centre = c->radius = NULL;
    p->shape = c->balls ? NULL : th_alloc((size_t)p->n * square, sizeof *p->shape, err);
    for (int i = 0; i < p->n; i++) {
        if (p->shape)
            memcpy(p->shape + (size_t)i * square, c->v->metric + (size_t)p->state[i] * square,
                   square * sizeof *p->shape);
        p->state[i] /= c->v->behind;
    }
    return c->balls || p->shape;
}

static bool attempt(Prover *v, int most, bool balls, ThError *err)
{
    Cover c = {.v = v, .balls = balls};
    bool ok = take(&c, most, err), closed = false;
    for (int q = 0; ok && q < v->machine->n_states; q++)
        seed_state(&c, q, most);
    ok = ok && settle_centres(&c, err);
    if (ok) {
        v->p->checks = (long long)c.n * v->f->n_symbols;
        v->p->n = c.n;
        ok = !lead(&c) || !measure_first(&c) || grow(&c, &closed, err);
    }
    if (ok && closed)
        ok = keep(&c, err);
    release(&c);
    return ok;
}

/* ---- metrics --------------------------------------------------------------------------------- */

enum { SLOPES = 6 /* of every state and symbol */ };

/* The derivatives at states that occur. */
static bool find_slopes(Prover *v, ThProofSlope *s, int *n, ThError *err)
{
    const ThProofCell *f = v->f;
    static const double small = 1e-6;
    int d = f->dim;
    ThProofCellImage *e = th_proof_cell_image_new(f, NULL, 1, err);
    double *room TH_OWNED(free) = th_alloc(3 * (size_t)d * (size_t)d, sizeof *room, err);
    for (int q = 0; e && room && q < v->machine->n_states; q++)
        for (int i = 0, met = 0; i < v->seen.n && met < SLOPES; i += 7) {
            if (v->seen.label[i] != q)
                continue;
            met++;
            for (int a = 0; a < f->n_symbols; a++) {
                ThProofBall from = {seen(v, i), small, 0};
                th_proof_cell_image_find(e, &from, a);
                double *j =
                    th_copy(th_proof_cell_image_linear(e), (size_t)d * (size_t)d, sizeof *j, err);
                s[*n] = (ThProofSlope){-1, q, v->machine->next[q * f->n_symbols + a], NULL, j};
                for (int k = 0; j && k < d * d; k++)
                    j[k] /= small;
                (*n)++;
                if (!j)
                    break;
                th_proof_multiply_transposed(j, j, room, (ThProofSizes){d, d, d});
                v->p->slope = fmax(v->p->slope, sqrt(th_proof_power_bound(room, d, room + d * d)));
            }
        }
    bool ok = e && room && (*n == 0 || s[*n - 1].jy);
    th_proof_cell_image_free(e);
    return ok;
}

static bool attempt_all(Prover *v, const ThProofSlopes *s, int most, ThError *err)
{
    static const double mildness[] = {4, 1, 0.3};
    if (!attempt(v, most, true, err))
        return false;
    for (int i = 0; i < 3 && v->p->verdict == TH_PROOF_OPEN; i++) {
        double stretch;
        ThProofSlopes with = *s;
        with.mildness = mildness[i];
        if (!th_proof_metric(&with, v->metric, &stretch, v->stop, err))
            return false;
        v->p->contraction = fmin(v->p->contraction, stretch);
        if (stretch < 1 && !attempt(v, most, false, err))
            return false;
    }
    return true;
}

static bool close_sets(Prover *v, int cover, ThError *err)
{
    size_t states = (size_t)v->machine->n_states, d = (size_t)v->f->dim;
    int n = 0;
    ThProofSlope *slope TH_OWNED(free) =
        th_alloc(states * SLOPES * (size_t)v->f->n_symbols, sizeof *slope, err);
    free(v->metric);
    v->metric = th_alloc(states * d * d, sizeof *v->metric, err);
    bool ok = slope && v->metric && find_slopes(v, slope, &n, err);
    v->p->contraction = v->p->slope;
    ThProofSlopes s = {slope, n, (int)states, (int)d, 1};
    for (int most = 1; ok && most <= (cover > 0 ? cover : 1); most *= 4) {
        ok = attempt_all(v, &s, most, err);
        if (v->p->verdict != TH_PROOF_OPEN || v->p->contraction >= 1)
            break; /* where no metric contracts, smaller sets grow like larger ones */
    }
    for (int i = 0; slope && i < n; i++)
        free(slope[i].jy);
    return ok;
}

/* Returns new: state q behind word w of n is q n + w; a symbol a makes word w that of w k + a. */
static ThDfa *refined(const ThDfa *m, int n, ThError *err)
{
    int k = m->n_symbols;
    ThDfa *to = th_dfa_new(m->n_states * n, k, m->n_classes, err);
    for (int i = 0; to && i < to->n_states; i++) {
        to->label[i] = m->label[i / n];
        for (int a = 0; a < k; a++)
            to->next[i * k + a] = m->next[i / n * k + a] * n + (i % n * k + a) % n;
    }
    if (to)
        to->start = m->start * n;
    return to;
}

/* With the sets behind so many words. */
static bool close_behind(Prover *v, int words, int cover, ThError *err)
{
    ThDfa *behind TH_OWNED(th_dfa_free) = refined(v->p->machine, words, err);
    if (!behind)
        return false;
    th_proof_cell_behind(&v->seen, behind->n_symbols, words, v->behind);
    v->machine = behind;
    v->behind = words;
    bool ok = close_sets(v, cover, err);
    v->machine = v->p->machine;
    return ok;
}

/* Behind one symbol, and behind more where that brings a metric that contracts nearer. */
static bool close_behind_more(Prover *v, int cover, ThError *err)
{
    const int k = v->f->n_symbols, most_states = 64;
    const double near = 1.25, gain = 0.99;
    double before = HUGE_VAL;
    for (int words = k; words <= k || words <= cover; words *= k) {
        if (!close_behind(v, words, cover, err))
            return false;
        double now = v->p->contraction;
        bool nearer = now >= 1 && now < near && now < gain * before;
        if (v->p->verdict != TH_PROOF_OPEN || !nearer || k < 2 ||
            v->p->machine->n_states * words * k > most_states)
            return true;
        before = now;
    }
    return true;
}

/* ---- all in all ------------------------------------------------------------------------------ */

static bool run(Prover *v, const ThProofClaim *claim, const ThProofHow *how, ThError *err)
{
    ThProof *p = v->p;
    if (!(p->machine = th_dfa_copy(claim->machine, err)))
        return false;
    v->machine = p->machine;
    v->steps = th_proof_cell_steps(v->f);
    p->dim = v->f->dim;
    p->digest = v->f->digest;
    th_proof_open(p, claim->slack);
    v->gates = th_alloc(th_proof_cell_room(v->f), sizeof *v->gates, err);
    v->logits = th_alloc((size_t)v->f->n_classes, sizeof *v->logits, err);
    if (!v->gates || !v->logits ||
        !th_proof_cell_sample(v->f, v->machine, how->seed, &v->seen, err) || !find_wrong(v, err))
        return false;
    return p->verdict == TH_PROOF_WRONG ||
           (measure_floats(v, err) && close_sets(v, how->cover, err) &&
            (p->verdict != TH_PROOF_OPEN || close_behind_more(v, how->cover, err)));
}

/* Returns new: what is known with one slack. */
static ThProof *certify(const ThModel *m, const ThProofCell *f, const ThProofClaim *claim,
                        const ThProofHow *how, ThStop *stop, ThError *err)
{
    ThProof *p = th_alloc(1, sizeof *p, err);
    Prover v = {.m = m, .f = f, .stop = stop, .p = p, .behind = 1};
    bool ok = p && run(&v, claim, how, err);
    th_proof_sample_free(&v.seen);
    TH_FREE(v.gates, v.logits, v.metric);
    return TH_KEEP_IF(ok, p, th_proof_free);
}

ThProof *th_proof_certify_cell(const ThModel *m, const ThProofClaim *claim, const ThProofHow *how,
                               ThStop *stop, ThError *err)
{
    ThProofCell *f TH_OWNED(th_proof_cell_free) = th_proof_cell_new(m, err);
    ThProof *p = f ? certify(m, f, claim, how, stop, err) : NULL;
    ThProofClaim finer = *claim;
    finer.slack = f ? 2e-5 * f->dim : 0;
    if (!p || !how->finer || p->verdict != TH_PROOF_OPEN || finer.slack >= claim->slack)
        return p;
    ThProof *second = certify(m, f, &finer, how, stop, err);
    bool worse = second && second->verdict == TH_PROOF_OPEN && second->excess >= p->excess;
    th_proof_free(worse ? second : p);
    return worse ? p : second;
}
