#include "proof/tree/closure.h"

#include <math.h>

#include "proof/matrix.h"
#include "proof/prover.h"
#include "proof/tree/enclosure.h"

typedef struct {
    const ThModel *m;
    const ThProofMap *f;
    const ThProofClosureHow *how;
    ThStop *stop;
    ThProofLabels *l;
    ThProofEnclosure *e;
    ThProofClosure *c;
    ThRng r;
    ThProofSample kept; /* representatives of all levels; one more at the end for a word */
    ThProofSample made; /* products of the level, their children being among `kept` */
    int *nearest;       /* (products): label of the middle that is nearest */
    double *far;        /* (products): distance to what was chosen so far */
    double *middle;     /* (labels, dim) */
    long long *count;   /* (labels) */
    long long *share;   /* (labels, elements): what lies in a cluster */
    double *spread; /* (1 + labels, labels): what is made of two, off its middle; NaN: nothing */
} Closure;

static double distance(const Closure *k, const double *a, const double *b)
{
    return th_proof_length_between(a, b, k->f->dim);
}

static const double *vector(const Closure *k, int i)
{
    return k->made.z + (size_t)i * (size_t)k->f->dim;
}

static double *middle(const Closure *k, int label)
{
    return k->middle + (size_t)label * (size_t)k->f->dim;
}

/* ---- products -------------------------------------------------------------------------------- */

static void multiply(Closure *k, int x, int y)
{
    int *label = k->kept.label;
    th_proof_sample_add(&k->made, th_proof_labels_product(k->l, x < 0 ? -1 : label[x], label[y]), x,
                        y);
}

/* Of the representatives from … to-1: `from` in front of the pairs stands for nothing. */
static bool make_products(Closure *k, ThProofClosureLevel *v, int from, int to, ThError *err)
{
    long long n = to - from, most = n * (n + 1), complete = 0;
    for (int i = from; i < to; i++)
        complete += k->l->kind[k->kept.label[i]] == TH_PROOF_COMPLETE;
    k->made.n = 0;
    v->all = complete * n + n <= k->how->pairs;
    for (long long i = 0; i < (v->all ? most : k->how->pairs); i++) {
        /* Random ones: those that follow nothing first, for they are computed together. */
        bool alone = v->all ? i < n : i < k->how->pairs / 8;
        long long pick =
            v->all ? i
                   : (long long)th_rng_below(&k->r, (uint64_t)n) +
                         (alone ? 0 : n * (1 + (long long)th_rng_below(&k->r, (uint64_t)n)));
        int x = pick < n ? -1 : from + (int)(pick / n) - 1, y = from + (int)(pick % n);
        if (x < 0 || k->l->kind[k->kept.label[y]] == TH_PROOF_COMPLETE)
            multiply(k, x, y);
    }
    return th_proof_sample_compute(k->f, &k->made, 0, k->kept.z, k->stop, err);
}

/* ---- measures -------------------------------------------------------------------------------- */

static void find_middles(Closure *k)
{
    int d = k->f->dim;
    memset(k->middle, 0, (size_t)(k->l->n * d) * sizeof *k->middle);
    memset(k->count, 0, (size_t)k->l->n * sizeof *k->count);
    for (int i = 0; i < k->made.n; i++) {
        int label = k->made.label[i];
        double *to = middle(k, label), n = (double)++k->count[label];
        for (int j = 0; j < d; j++)
            to[j] += (vector(k, i)[j] - to[j]) / n;
    }
}

/* The label of a kind whose middle is nearest to a vector, other than `but`; -1: there is none. */
static int nearest_to(const Closure *k, const double *z, ThProofKind kind, int but)
{
    int near = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < k->l->n; i++) {
        double far = k->count[i] > 0 && k->l->kind[i] == kind && i != but
                         ? distance(k, z, middle(k, i))
                         : HUGE_VAL;
        if (far < least) {
            least = far;
            near = i;
        }
    }
    return near;
}

static void count_purity(Closure *k, ThProofClosureLevel *v)
{
    int n = k->l->n, elements = k->l->monoid->size;
    long long pure = 0;
    memset(k->share, 0, (size_t)n * (size_t)elements * sizeof *k->share);
    for (int i = 0; i < k->made.n; i++)
        k->share[k->nearest[i] * elements + k->l->element[k->made.label[i]]]++;
    for (int i = 0; i < n; i++) {
        long long most = 0;
        for (int e = 0; e < elements; e++)
            most = k->share[i * elements + e] > most ? k->share[i * elements + e] : most;
        pure += most;
        v->clusters += most > 0;
    }
    v->purity = (double)pure / k->made.n;
}

/* Where two labels stand in a table that begins with nothing before each. */
static int place_of(const Closure *k, int x, int y)
{
    return (x + 1) * k->l->n + y;
}

/* Product i of two representatives lies so far from the middle of its label's. */
static void note_spread(Closure *k, int i, double far)
{
    int x = k->made.x[i], y = k->made.y[i];
    double *to = &k->spread[place_of(k, x < 0 ? -1 : k->kept.label[x], k->kept.label[y])];
    *to = fmax(*to, far);
}

static bool measure(Closure *k, ThProofClosureLevel *v, bool lowest, ThError *err)
{
    enum { LOOK = 4096 };
    find_middles(k);
    v->visited = k->made.n;
    for (int i = 0; i < k->l->n * (k->l->n + 1); i++)
        k->spread[i] = (double)NAN;
    for (int i = 0; i < k->made.n; i++) {
        int label = k->made.label[i];
        if (i % LOOK == 0 && th_stopped(k->stop, err))
            return false;
        k->nearest[i] = nearest_to(k, vector(k, i), k->l->kind[label], -1);
        v->wrong += k->nearest[i] != label;
        double far = distance(k, vector(k, i), middle(k, label));
        v->radius = fmax(v->radius, far);
        if (!lowest)
            note_spread(k, i, far);
    }
    v->gap = HUGE_VAL;
    for (int i = 0; i < k->l->n; i++) {
        int other = k->count[i] > 0 ? nearest_to(k, middle(k, i), k->l->kind[i], i) : -1;
        if (other >= 0)
            v->gap = fmin(v->gap, distance(k, middle(k, i), middle(k, other)));
    }
    count_purity(k, v);
    return true;
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static double slope_at(Closure *k, const double *x, const double *y)
{
    static const double small = 1e-6;
    double nx, ny;
    ThProofBall bx = {x, small, 0}, by = {y, small, 0};
    th_proof_enclose(k->e, x ? &bx : NULL, &by);
    th_proof_norms(k->e, &nx, &ny);
    return (nx + ny) / small;
}

/* to <- half way from the middle of a label to that of its nearest neighbour. */
static void half_way(const Closure *k, int label, double *to)
{
    int other = nearest_to(k, middle(k, label), k->l->kind[label], label);
    for (int i = 0; i < k->f->dim; i++)
        to[i] = other < 0 ? middle(k, label)[i] : (middle(k, label)[i] + middle(k, other)[i]) / 2;
}

/* How F is where two labels meet. */
static ThProofClosurePair pair_of(Closure *k, int x, int y, double *between)
{
    const double *cx = x < 0 ? NULL : middle(k, x), *cy = middle(k, y);
    ThProofClosurePair p = {.x = x,
                            .y = y,
                            .into = th_proof_labels_product(k->l, x, y),
                            .spread = k->spread[place_of(k, x, y)]};
    int other =
        k->count[p.into] > 0 ? nearest_to(k, middle(k, p.into), k->l->kind[p.into], p.into) : -1;
    p.gap = other < 0 ? HUGE_VAL : distance(k, middle(k, p.into), middle(k, other));
    p.at = slope_at(k, cx, cy);
    half_way(k, y, between);
    p.between = slope_at(k, cx, between);
    if (x >= 0) {
        half_way(k, x, between);
        p.between = fmax(p.between, slope_at(k, between, cy));
    }
    return p;
}

static bool measure_pairs(Closure *k, ThProofClosureLevel *v, ThError *err)
{
    int n = k->l->n;
    ThProofClosure *c = k->c;
    double *between TH_OWNED(free) = th_alloc((size_t)k->f->dim, sizeof *between, err);
    bool ok = between != NULL;
    c->n_pairs = 0;
    for (int i = 0; ok && i < n * (n + 1); i++) {
        int x = i / n - 1, y = i % n;
        if (th_proof_labels_product(k->l, x, y) < 0 || k->count[y] == 0 ||
            (x >= 0 && k->count[x] == 0))
            continue;
        ThProofClosurePair *p = &c->pair[c->n_pairs++];
        *p = pair_of(k, x, y, between);
        ok = !th_stopped(k->stop, err);
        v->at = fmax(v->at, p->at);
        v->between = fmax(v->between, p->between);
    }
    return ok;
}

/* ---- what is followed ------------------------------------------------------------------------ */

static void keep(Closure *k, int i)
{
    ThProofSample *to = &k->kept;
    size_t d = (size_t)k->f->dim;
    memcpy(to->z + (size_t)to->n * d, vector(k, i), d * sizeof *to->z);
    th_proof_sample_add(to, k->made.label[i], k->made.x[i], k->made.y[i]);
}

static void keep_label(Closure *k, int label)
{
    const double *from = middle(k, label);
    for (int n = 0; n < k->how->keep && !(k->stop && *k->stop); n++) {
        int best = -1;
        for (int i = 0; i < k->made.n; i++) {
            if (k->made.label[i] != label || k->nearest[i] != label)
                continue;
            double far = distance(k, vector(k, i), from);
            k->far[i] = n <= 1 ? far : fmin(far, k->far[i]); /* the middle itself is not chosen */
            if (best < 0 || k->far[i] > k->far[best])
                best = i;
        }
        if (best < 0 || (n > 0 && !(k->far[best] > 0)))
            return;
        keep(k, best);
        from = vector(k, best);
    }
}

/* The string of a wrong product, unless there is one already that the model gets wrong. */
static bool take_word(Closure *k, int i, ThError *err)
{
    ThProofClosure *c = k->c;
    int length, said;
    keep(k, i);
    int *word = th_proof_sample_word(&k->kept, --k->kept.n, &length, err);
    if (!word || !th_proof_ask(k->m, word, length, &said, err)) {
        free(word);
        return false;
    }
    int right = k->l->answer[k->made.label[i]];
    if (c->word && (right < 0 || said == right)) {
        free(word);
        return true;
    }
    free(c->word);
    c->word = word;
    c->length = length;
    c->right = right;
    c->said = said;
    return true;
}

/* Only a vector with an earlier child is the root of its string. */
static bool find_word(Closure *k, ThError *err)
{
    enum { TRIES = 50 };
    ThProofClosure *c = k->c;
    for (int i = 0, tries = 0; i < k->made.n && tries < TRIES; i++) {
        if (k->nearest[i] == k->made.label[i] || (c->first > 0 && k->made.x[i] < 0))
            continue;
        if (th_stopped(k->stop, err) || !take_word(k, i, err))
            return false;
        if (c->right >= 0 && c->said != c->right)
            return true;
        tries++;
    }
    return true;
}

/* ---- all levels ------------------------------------------------------------------------------ */

static bool run_level(Closure *k, int level, int *from, ThError *err)
{
    ThProofClosureLevel *v = &k->c->level[level];
    int begin = k->kept.n;
    v->all = true;
    if (th_stopped(k->stop, err) || !(level == 0 ? th_proof_sample_lowest(k->f, k->l, &k->made, err)
                                                 : make_products(k, v, *from, begin, err)))
        return false;
    if (level == 0)
        k->kept.first = k->made.n; /* all of which are kept */
    if (!measure(k, v, level == 0, err))
        return false;
    if (v->wrong > 0 && k->c->first < 0) {
        k->c->first = level;
        if (!find_word(k, err))
            return false;
    }
    for (int i = 0; level == 0 && i < k->made.n; i++)
        keep(k, i);
    for (int i = 0; level > 0 && i < k->l->n; i++)
        keep_label(k, i);
    v->kept = k->kept.n - begin;
    *from = begin;
    return measure_pairs(k, v, err);
}

static bool take(Closure *k, ThError *err)
{
    const ThProofClosureHow *how = k->how;
    size_t labels = (size_t)k->l->n, symbols = (size_t)k->l->n_symbols;
    size_t lowest = symbols * (symbols + 1), wide = labels * (size_t)how->keep;
    size_t below = lowest > wide ? lowest : wide, made = below * (below + 1);
    if (made > (size_t)how->pairs)
        made = lowest > (size_t)how->pairs ? lowest : (size_t)how->pairs;
    k->c->pair = th_alloc(labels * (labels + 1), sizeof *k->c->pair, err);
    k->c->level = th_alloc((size_t)how->levels, sizeof *k->c->level, err);
    k->nearest = th_alloc(made, sizeof *k->nearest, err);
    k->far = th_alloc(made, sizeof *k->far, err);
    k->middle = th_alloc(labels * (size_t)k->f->dim, sizeof *k->middle, err);
    k->count = th_alloc(labels, sizeof *k->count, err);
    k->share = th_alloc(labels * (size_t)k->l->monoid->size, sizeof *k->share, err);
    k->spread = th_alloc(labels * (labels + 1), sizeof *k->spread, err);
    return k->c->level && k->c->pair && k->spread && k->nearest && k->far && k->middle &&
           k->count && k->share &&
           th_proof_sample_take(&k->kept, lowest + (size_t)how->levels * wide + 1, k->f->dim,
                                err) &&
           th_proof_sample_take(&k->made, made, k->f->dim, err);
}

static void release(Closure *k)
{
    th_proof_sample_free(&k->kept);
    th_proof_sample_free(&k->made);
    th_proof_enclosure_free(k->e);
    TH_FREE(k->nearest, k->far, k->middle, k->count, k->share, k->spread);
}

static bool fits(const ThModel *m, const ThDfa *machine, ThError *err)
{
    if (m->signature.target == TH_TARGET_BITS)
        return th_fail(err, TH_EVALUE, "answers that are sets of classes have no clusters");
    return machine->n_symbols == m->signature.n_symbols ||
           th_fail(err, TH_EVALUE, "the model has %d symbols, the automaton %d",
                   m->signature.n_symbols, machine->n_symbols);
}

static bool run(Closure *k, const ThDfa *machine, ThError *err)
{
    if (!fits(k->m, machine, err) ||
        !(k->l =
              th_proof_labels_new(machine, NULL, k->f->n_classes, k->how->limit, k->stop, err)) ||
        !(k->e = th_proof_enclosure_new(k->f, NULL, 1, err)) || !take(k, err))
        return false;
    bool ok = true;
    for (int from = 0; ok && k->c->levels < k->how->levels; k->c->levels++)
        ok = run_level(k, k->c->levels, &from, err);
    return ok;
}

ThProofClosure *th_proof_closure(const ThModel *m, const ThDfa *machine,
                                 const ThProofClosureHow *how, ThStop *stop, ThError *err)
{
    ThProofMap *f TH_OWNED(th_proof_map_free) = th_proof_map_new(m, err);
    ThProofClosure *c = f ? th_alloc(1, sizeof *c, err) : NULL;
    Closure k = {.m = m, .f = f, .how = how, .stop = stop, .c = c};
    k.r = th_rng(how->seed, "proof.closure", 0);
    if (c)
        c->first = -1;
    bool ok = c && run(&k, machine, err);
    if (c)
        c->labels = k.l;
    release(&k);
    return TH_KEEP_IF(ok, c, th_proof_closure_free);
}

double th_proof_closure_share(const ThProofClosurePair *p)
{
    return p->gap > 0 || isnan(p->spread) ? 2 * p->spread / p->gap : HUGE_VAL;
}

void th_proof_closure_free(ThProofClosure *c)
{
    if (!c)
        return;
    th_proof_labels_free(c->labels);
    TH_FREE(c->level, c->pair, c->word, c);
}
