#include "proof/check/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "proof/check/check_impl.h"

/* Sets and points are numbered: the labels' sets, the symbols, and the start of a recurrent
 * network; before them all is nothing. */
enum { NOTHING = -1 };

typedef struct {
    const ThProofCertificate *c;
    const ThProofMap *f;  /* of trees, */
    const ThProofCell *g; /* or of a recurrent network */
    ThStop *stop;
    ThProofChecked *out;
    ThProofPairs *pairs; /* who looks on, or NULL */
    ThProofCheckSet *s;
    double *identity, *inverse, *stretch; /* (dim, dim); (n_labels or 1, dim, dim), of the shapes */
    ThProofCheckWays **ways; /* (n_labels or 1): of the shapes; of a recurrent network none */
    double *leaf[2];         /* (dim, dim): how far a run's embedded symbols may be off */
    bool *ends; /* (2, n_domain): does an even (odd) number of symbols lead from there inside? */
    double slack;
} Check;

/* Notes what does not hold.  Returns false, always. */
static bool refuse(Check *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(Check *k, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(k->out->why, sizeof k->out->why, format, values);
    va_end(values);
    return false;
}

/* Is a bound within what it may be? */
static bool within(Check *k, double bound, double limit)
{
    k->out->checks++;
    if (!(bound <= limit))
        return false;
    k->out->tightest = fmax(k->out->tightest, limit > 0 ? bound / limit : 1);
    return true;
}

/* ---- what has a number ----------------------------------------------------------------------- */

static bool is_label(const Check *k, int i)
{
    return i >= 0 && i < k->c->n_labels;
}

static bool is_symbol(const Check *k, int i)
{
    return i >= k->c->n_labels && i < k->c->n_labels + k->c->n_symbols;
}

static const char *name_of(const Check *k, int i, char text[32])
{
    if (is_symbol(k, i))
        return k->c->symbol[i - k->c->n_labels];
    snprintf(text, 32, is_label(k, i) ? "set %d" : i < 0 ? "nothing" : "the start", i + 1);
    return text;
}

/* Where the automaton, or the domain's, is after it, from state q. */
static int after(const Check *k, int i, int q)
{
    const ThProofCertificate *c = k->c;
    if (is_label(k, i))
        return c->map[i * (c->n_states + c->n_domain) + q];
    if (is_symbol(k, i))
        return c->next[q * c->n_symbols + i - c->n_labels];
    return i == NOTHING ? q : c->start;
}

/* Is it without a pad? */
static bool is_complete(const Check *k, int i)
{
    return is_symbol(k, i) || (is_label(k, i) && k->c->complete[i]);
}

static ThProofEllipsoid ellipsoid(const Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    size_t d = (size_t)c->dim, shape = c->shape && is_label(k, i) ? (size_t)i : 0;
    ThProofEllipsoid e = {NULL,
                          k->identity,
                          k->inverse + shape * d * d,
                          0,
                          k->stretch[shape],
                          !c->shape || !is_label(k, i),
                          k->ways[shape]};
    if (is_label(k, i)) {
        e.centre = c->centre + (size_t)i * d;
        e.radius = c->radius[i];
        e.shape = c->shape ? c->shape + shape * d * d : e.shape;
    } else if (is_symbol(k, i) && k->f)
        e.centre = k->f->leaf + (size_t)(i - c->n_labels) * d;
    else if (k->g)
        e.centre = k->g->start;
    return e;
}

/* Can i and j meet?  Symbols do at the leaves of a tree; above them, what is on the right has no
 * pads; a recurrent network takes a symbol at a time. */
static bool meet(const Check *k, int i, int j)
{
    if (k->g)
        return i != NOTHING && !is_symbol(k, i) && is_symbol(k, j);
    return i == NOTHING || (is_symbol(k, i) == is_symbol(k, j) && is_complete(k, j));
}

/* ---- the domain ------------------------------------------------------------------------------ */

static void find_ends(Check *k)
{
    const ThProofCertificate *c = k->c;
    int n = c->n_domain, moves = n * c->n_symbols, changes = n;
    for (int q = 0; q < n; q++)
        k->ends[q] = c->inside[q];
    while (changes > 0) {
        changes = 0;
        for (int i = 0; i < 2 * moves; i++) {
            int odd = i / moves, q = i % moves / c->n_symbols;
            int to = c->next[c->n_states * c->n_symbols + i % moves] - c->n_states;
            if (k->ends[odd * n + q] || !k->ends[(1 - odd) * n + to])
                continue;
            k->ends[odd * n + q] = true;
            changes++;
        }
    }
}

/* Is there a string of the domain with i and j in a vector?  What follows is of even length, for it
 * fills whole subtrees; and a pad has nothing before it. */
static bool occurs(const Check *k, int i, int j)
{
    const ThProofCertificate *c = k->c;
    for (int q = c->n_states; q < c->n_states + c->n_domain; q++)
        if ((is_complete(k, i) || q == c->first) &&
            k->ends[after(k, j, after(k, i, q)) - c->n_states])
            return true;
    return c->n_domain == 0;
}

/* Is what a set stands for a string of the domain? */
static bool is_inside(const Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    return c->n_domain == 0 || c->inside[after(k, i, c->first) - c->n_states];
}

/* ---- the conditions -------------------------------------------------------------------------- */

/* Does the set of label `to` stand for i and then j? */
static bool stands_for(const Check *k, int to, int i, int j)
{
    bool same = k->c->complete[to] == is_complete(k, i);
    for (int q = 0; same && q < k->c->n_states + k->c->n_domain; q++)
        same = after(k, to, q) == after(k, j, after(k, i, q));
    return same;
}

/* The label of i and then j, or -1: of several that whose centre is nearest to the present set's.
 */
static int target(const Check *k, int i, int j)
{
    const ThProofCertificate *c = k->c;
    int near = -1;
    double least = HUGE_VAL;
    for (int to = 0; to < c->n_labels; to++) {
        double square = 0;
        for (int m = 0; m < c->dim; m++) {
            double off = k->s->row[m] - c->centre[to * c->dim + m];
            square += off * off;
        }
        if (square < least && stands_for(k, to, i, j)) {
            least = square;
            near = to;
        }
    }
    return near;
}

/* The set becomes what the model makes of i and j, in arithmetic that rounds by `unit`. */
static void combine(Check *k, int i, int j, double unit)
{
    k->s->unit = unit;
    ThProofEllipsoid x = ellipsoid(k, i), y = ellipsoid(k, j);
    if (k->g) {
        th_proof_check_step(k->s, k->g, &x, j - k->c->n_labels);
        return;
    }
    x.ways = is_symbol(k, i) ? NULL : x.ways;
    y.ways = is_symbol(k, j) ? NULL : y.ways;
    if (is_symbol(k, i))
        th_proof_check_leaf(k->s, k->leaf[0], &x);
    if (is_symbol(k, j))
        th_proof_check_leaf(k->s, k->leaf[1], &y);
    th_proof_check_tree(k->s, k->f, i == NOTHING ? NULL : &x, &y);
}

/* Notes the first thing that does not hold of runs in float. */
static void refuse_float(Check *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse_float(Check *k, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (k->out->in_float)
        vsnprintf(k->out->why_float, sizeof k->out->why_float, format, values);
    va_end(values);
    k->out->in_float = false;
}

/* Lets who looks on have a pair that will be counted when all is well: what is made of it is the
 * present set. */
static bool look(Check *k, ThError *err)
{
    ThProofPairs *p = k->pairs;
    const int d = k->c->dim;
    if (!p)
        return true;
    const size_t ways = (size_t)p->n_ways, at = 2 * ways * p->n;
    if (!th_grow(&p->pair, &p->room[0], p->n + 1, sizeof *p->pair, err) ||
        !th_grow(&p->seen, &p->room[1], at + 2 * ways, sizeof *p->seen, err))
        return false;
    for (size_t w = 0; w < ways; w++) {
        const double *way = p->way + w * (size_t)d;
        p->seen[at + w] = th_proof_check_inner(k->s->row, way, d);
        th_proof_check_widths(k->s, way, 1, p->seen + at + ways + w);
    }
    return true;
}

void th_proof_pairs_free(ThProofPairs *p)
{
    TH_FREE(p->pair, p->seen);
    p->pair = NULL;
    p->seen = NULL;
}

/* What the model makes of i and j lies in the set of what they stand for together. */
static bool check_pair(Check *k, int i, int j, ThError *err)
{
    char text[2][32];
    const char *first = name_of(k, i, text[0]), *second = name_of(k, j, text[1]);
    combine(k, i, j, TH_PROOF_DOUBLE_UNIT);
    int to = target(k, i, j);
    if (to < 0)
        return refuse(k, "no set is there for %s with %s", first, second);
    if (!look(k, err))
        return false;
    ThProofEllipsoid into = ellipsoid(k, to);
    double far = th_proof_check_distance(k->s, &into);
    if (!within(k, far + k->slack * into.stretch, into.radius))
        return refuse(k, "%s with %s reaches %.6g from the centre of set %d, whose radius is %.6g",
                      first, second, far + k->slack * into.stretch, to + 1, into.radius);
    k->out->tolerance = fmin(k->out->tolerance, (into.radius - far) / into.stretch);
    if (k->pairs)
        k->pairs->pair[k->pairs->n++] =
            (ThProofPair){i, j, to, (far + k->slack * into.stretch) / into.radius};
    if (!k->out->in_float)
        return true;
    combine(k, i, j, TH_PROOF_FLOAT_UNIT);
    double run = th_proof_check_distance(k->s, &into);
    k->out->rounding = fmax(k->out->rounding, (run - far) / into.stretch);
    if (!(run <= into.radius))
        refuse_float(k, "rounding can take %s with %s %.6g from the centre of set %d", first,
                     second, run, to + 1);
    return true;
}

/* By how much the logit of a class leads another's everywhere in an ellipsoid. */
static double lead(const Check *k, const ThProofEllipsoid *e, int right, int other, double unit)
{
    k->s->unit = unit;
    return k->f ? th_proof_check_tree_lead(k->s, k->f, e, right, other)
                : th_proof_check_step_lead(k->s, k->g, e, right, other);
}

static bool check_class(Check *k, int i, int right, int other)
{
    ThProofEllipsoid e = ellipsoid(k, i);
    char *const *name = k->c->class_name;
    double by = lead(k, &e, right, other, TH_PROOF_DOUBLE_UNIT);
    if (!(by > 0) || !within(k, 2 * k->slack, by))
        return refuse(k, "in set %d the answer %s can become %s", i + 1, name[right], name[other]);
    k->out->tolerance = fmin(k->out->tolerance, by / 2);
    if (!(lead(k, &e, right, other, TH_PROOF_FLOAT_UNIT) > 0))
        refuse_float(k, "in set %d rounding can make the answer %s %s", i + 1, name[right],
                     name[other]);
    return true;
}

/* Everywhere in a set the right class has the greatest logit. */
static bool check_answer(Check *k, int i)
{
    const ThProofCertificate *c = k->c;
    int right = is_inside(k, i) ? c->answer[after(k, i, c->start)] : -1;
    for (int q = 0; right >= 0 && q < c->n_classes; q++)
        if (q != right && !check_class(k, i, right, q))
            return false;
    return true;
}

static bool check_all(Check *k, ThError *err)
{
    int symbols = k->c->n_labels + k->c->n_symbols;
    for (int i = NOTHING; i < symbols + (k->g != NULL); i++)
        for (int j = 0; j < symbols; j++)
            if (th_stopped(k->stop, err) ||
                (meet(k, i, j) && occurs(k, i, j) && !check_pair(k, i, j, err)))
                return false;
    for (int i = 0; i < k->c->n_labels; i++)
        if (!check_answer(k, i))
            return false;
    return true;
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* Do file and model belong together, and was nothing changed? */
static bool check_papers(Check *k)
{
    const ThProofCertificate *c = k->c;
    const ThProofMap *f = k->f;
    const ThProofCell *g = k->g;
    if (c->dim != (f ? f->dim : g->dim) || c->n_symbols != (f ? f->n_symbols : g->n_symbols) ||
        c->n_classes != (f ? f->n_classes : g->n_classes))
        return refuse(k, "it is about a model of another size");
    if (!th_proof_certificate_fits(c, f ? f->digest : g->digest, k->out->why))
        return false;
    if (g && c->n_domain > 0)
        return refuse(k, "it is about some strings only, as no certificate of this model is");
    for (int i = 0; i < c->n_labels; i++)
        if (!(c->radius[i] > 0))
            return refuse(k, "the radius of set %d is not positive", i + 1);
    return true;
}

static bool make_room(Check *k, ThError *err)
{
    const ThProofMap *f = k->f;
    int d = k->c->dim, wide = f ? f->hidden : k->g->gates * k->g->width;
    if (k->g && k->g->units > wide)
        wide = k->g->units;
    size_t square = (size_t)d * (size_t)d, shapes = k->c->shape ? (size_t)k->c->n_labels : 1;
    k->s = th_proof_check_set_new(d, f ? 3 : 1, f ? f->heads + f->hidden + 3 : d + 1,
                                  wide > d ? wide : d, err);
    k->identity = th_alloc(square, sizeof *k->identity, err);
    k->inverse = th_alloc(shapes * square, sizeof *k->inverse, err);
    k->stretch = th_alloc(shapes, sizeof *k->stretch, err);
    k->ways = th_alloc(shapes, sizeof *k->ways, err);
    for (size_t i = 0; f && k->ways && i < shapes; i++)
        if (!(k->ways[i] = th_proof_check_ways_new(f, err)))
            return false;
    k->leaf[0] = th_alloc(square, sizeof **k->leaf, err);
    k->leaf[1] = th_alloc(square, sizeof **k->leaf, err);
    k->ends = th_alloc(2 * (size_t)k->c->n_domain, sizeof *k->ends, err);
    if (k->ends)
        find_ends(k);
    return k->s && k->identity && k->inverse && k->stretch && k->ways && k->leaf[0] && k->leaf[1] &&
           k->ends;
}

/* The matrices are symmetric and positive. */
static bool check_shapes(Check *k)
{
    int d = k->c->dim;
    for (int i = 0; i < d; i++)
        k->identity[i * (d + 1)] = 1;
    for (int i = 0; i < (k->c->shape ? k->c->n_labels : 1); i++) {
        double *inverse = k->inverse + (size_t)i * (size_t)(d * d);
        if (!th_proof_check_invert(k->s, ellipsoid(k, i).shape, inverse))
            return refuse(k, "the matrix of set %d is not symmetric and positive", i + 1);
        k->stretch[i] = th_proof_check_norm(k->s, inverse, d, d) * (1 + TH_PROOF_SPARE);
        if (k->f)
            th_proof_check_ways(k->s, k->f, ellipsoid(k, i).shape, k->ways[i]);
    }
    return true;
}

bool th_proof_check_sets(const ThProofCertificate *c, const ThProofMap *f, const ThProofCell *g,
                         double slack, ThStop *stop, ThProofChecked *checked, ThError *err)
{
    return th_proof_check_set_pairs(c, f, g, slack, stop, NULL, checked, err);
}

bool th_proof_check_set_pairs(const ThProofCertificate *c, const ThProofMap *f,
                              const ThProofCell *g, double slack, ThStop *stop, ThProofPairs *pairs,
                              ThProofChecked *checked, ThError *err)
{
    ThError problem = {0};
    Check k = {.c = c, .f = f, .g = g, .stop = stop, .pairs = pairs, .out = checked};
    k.slack = fmax(slack, c->slack);
    *checked = (ThProofChecked){.tolerance = HUGE_VAL, .in_float = true};
    checked->holds =
        check_papers(&k) && make_room(&k, &problem) && check_shapes(&k) && check_all(&k, &problem);
    checked->in_float &= checked->holds;
    checked->in_double = checked->holds;
    TH_FREE_EACH(k.ways, c->shape ? c->n_labels : 1);
    TH_FREE(k.s, k.identity, k.inverse, k.stretch, k.leaf[0], k.leaf[1], k.ends);
    return problem.code == TH_OK || th_fail(err, problem.code, "%s", problem.msg);
}
