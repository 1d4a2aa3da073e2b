#include "automata/algebra/varieties.h"

typedef struct {
    ThVarieties *v;
    const ThMonoid *m;
    const ThGreen *g;
    int *rank, *point; /* (n_states): places in the image of an idempotent, and the image */
    int *permutation;  /* (n_states) */
    ThStop *stop;
} Work;

static int right_of(const ThMonoid *m, int x, int a)
{
    return m->right[(size_t)x * (size_t)m->n_symbols + (size_t)a];
}

static int left_of(const ThMonoid *m, int a, int x)
{
    return m->left[(size_t)x * (size_t)m->n_symbols + (size_t)a];
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Fills rank and point from the image of e; returns its size. */
static int image_of(Work *w, int e)
{
    int n = 0;
    for (int q = 0; q < w->m->n_states; q++)
        w->rank[q] = -1;
    for (int q = 0; q < w->m->n_states; q++)
        w->rank[th_monoid_image(w->m, e, q)] = 0;
    for (int q = 0; q < w->m->n_states; q++)
        if (w->rank[q] == 0) {
            w->rank[q] = n;
            w->point[n++] = q;
        }
    return n;
}

/* The cell of e as permutations of its image: elements are added until the group is as large. */
static bool collect_group(Work *w, ThGroup *group, const int *cell, int n, int degree, ThError *err)
{
    for (int i = 0; i < n && th_group_order(group) < (size_t)n; i++) {
        for (int j = 0; j < degree; j++)
            w->permutation[j] = w->rank[th_monoid_image(w->m, cell[i], w->point[j])];
        if (!th_group_add(group, w->permutation, 0, w->stop, err))
            return false;
    }
    return true;
}

static size_t common_multiple(size_t a, size_t b)
{
    size_t x = a, y = b;
    while (y) {
        size_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static bool find_group(Work *w, int d, ThError *err)
{
    const ThGreenDClass *c = &w->g->d_class[d];
    ThGroupFacts *f = &w->v->groups[d];
    int e = c->idempotent, n;
    if (e < 0)
        return true;
    int degree = image_of(w, e);
    const int *cell = th_green_cell(w->g, d, w->g->row[e], w->g->column[e], &n);
    ThGroup *group TH_OWNED(th_group_free) = th_group_new(degree, err);
    if (!group || !collect_group(w, group, cell, n, degree, err) ||
        !th_group_facts(group, f, w->stop, err))
        return false;
    w->v->solvable = w->v->solvable && f->solvable;
    w->v->period = f->longest > w->v->period ? f->longest : w->v->period;
    w->v->exponent = common_multiple(w->v->exponent, f->exponent);
    return true;
}

static bool find_groups(Work *w, ThError *err)
{
    w->v->solvable = true;
    w->v->period = w->v->exponent = 1;
    for (int d = 0; d < w->g->n_d; d++)
        if (!find_group(w, d, err))
            return false;
    return true;
}

/* ---- from Green's relations ------------------------------------------------------------------ */

static void look_at_classes(Work *w)
{
    ThVarieties *v = w->v;
    const ThGreen *g = w->g;
    v->aperiodic = v->j_trivial = v->r_trivial = v->l_trivial = v->da = true;
    for (int d = 0; d < g->n_d; d++) {
        const ThGreenDClass *c = &g->d_class[d];
        int n = g->start[d + 1] - g->start[d];
        v->aperiodic = v->aperiodic && c->h_size == 1;
        v->j_trivial = v->j_trivial && n == 1;
        v->r_trivial = v->r_trivial && n == c->n_r;
        v->l_trivial = v->l_trivial && n == c->n_l;
        v->da = v->da && (c->n_groups == 0 || c->n_groups == n);
    }
    v->group = g->n_d == 1;
    v->idempotent = g->n_idempotents == w->m->size;
}

static bool is_constant(const ThMonoid *m, int x)
{
    for (int q = 1; q < m->n_states; q++)
        if (th_monoid_image(m, x, q) != th_monoid_image(m, x, 0))
            return false;
    return true;
}

static void look_at_symbols(Work *w)
{
    ThVarieties *v = w->v;
    const ThMonoid *m = w->m;
    v->commutative = v->reset = true;
    for (int a = 0; a < m->n_symbols; a++) {
        int x = m->right[a];
        v->reset = v->reset && (x == 0 || is_constant(m, x));
        for (int b = 0; b < a; b++)
            v->commutative = v->commutative && right_of(m, x, b) == left_of(m, b, x);
    }
    for (int x = 0; x < m->size; x++)
        for (int a = 0; a < m->n_symbols; a++)
            v->empty_word_induced = v->empty_word_induced || right_of(m, x, a) == 0;
}

/* ---- from the idempotents of non-empty words ------------------------------------------------- */

/* The last k symbols decide if every idempotent e has ae = e, the first k if ea = e. */
static void look_at_idempotents(Work *w)
{
    const ThMonoid *m = w->m;
    w->v->definite = w->v->reverse_definite = true;
    for (int x = w->v->empty_word_induced ? 0 : 1; x < m->size; x++) {
        if (!th_monoid_idempotent(m, x))
            continue;
        for (int a = 0; a < m->n_symbols; a++) {
            w->v->definite = w->v->definite && left_of(m, a, x) == x;
            w->v->reverse_definite = w->v->reverse_definite && right_of(m, x, a) == x;
        }
    }
}

/* Marks what lies in eS: the elements that paths from e reach. */
static int reach(const ThMonoid *m, int e, int *queue, bool *reached)
{
    int n = 0;
    memset(reached, 0, (size_t)m->size * sizeof *reached);
    reached[e] = true;
    queue[n++] = e;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < m->n_symbols; a++) {
            int y = right_of(m, queue[i], a);
            if (!reached[y])
                queue[n++] = y;
            reached[y] = true;
        }
    return n;
}

/* eSe holds the x of eS with xe = x.  It is a semilattice if all are idempotent and no two lie in
 * one D-class: a band is a semilattice of its J-classes, which eSe inherits from S. */
static void look_at_local_monoid(Work *w, int e, int *queue, bool *reached, int *met)
{
    const ThMonoid *m = w->m;
    int n = reach(m, e, queue, reached);
    for (int i = 0; i < n; i++) {
        int x = queue[i], d = w->g->d[x];
        bool inside = true;
        for (int q = 0; inside && q < m->n_states; q++) {
            int p = th_monoid_image(m, x, q);
            inside = th_monoid_image(m, e, p) == p;
        }
        if (!inside)
            continue;
        if (x != e)
            w->v->generalized_definite = false;
        if (!th_monoid_idempotent(m, x) || met[d] == e + 1)
            w->v->locally_testable = false;
        met[d] = e + 1;
    }
}

/* One idempotent of a D-class stands for all: their local monoids are isomorphic. */
static bool look_at_local_monoids(Work *w, ThError *err)
{
    ThVarieties *v = w->v;
    int *queue TH_OWNED(free) = th_alloc((size_t)w->m->size, sizeof *queue, err);
    bool *reached TH_OWNED(free) = th_alloc((size_t)w->m->size, sizeof *reached, err);
    int *met TH_OWNED(free) = th_alloc((size_t)w->g->n_d, sizeof *met, err);
    bool ok = queue && reached && met;
    v->locally_testable = v->aperiodic;
    v->generalized_definite = true;
    for (int d = 0; ok && d < w->g->n_d; d++) {
        int e = w->g->d_class[d].idempotent;
        if (e < 0 || (e == 0 && !v->empty_word_induced))
            continue;
        if (!v->locally_testable && !v->generalized_definite)
            break;
        ok = !th_stopped(w->stop, err);
        if (ok)
            look_at_local_monoid(w, e, queue, reached, met);
    }
    return ok;
}

bool th_varieties_of(ThVarieties *v, const ThMonoid *m, const ThGreen *g, ThStop *stop,
                     ThError *err)
{
    Work w = {.v = v, .m = m, .g = g, .stop = stop};
    size_t n = (size_t)m->n_states;
    *v = (ThVarieties){0};
    v->groups = th_alloc((size_t)g->n_d, sizeof *v->groups, err);
    w.rank = th_alloc(n, sizeof *w.rank, err);
    w.point = th_alloc(n, sizeof *w.point, err);
    w.permutation = th_alloc(n, sizeof *w.permutation, err);
    bool ok = v->groups && w.rank && w.point && w.permutation && find_groups(&w, err);
    if (ok) {
        look_at_classes(&w);
        look_at_symbols(&w);
        look_at_idempotents(&w);
        ok = look_at_local_monoids(&w, err);
    }
    TH_FREE(w.rank, w.point, w.permutation);
    if (!ok)
        th_varieties_free(v);
    return ok;
}

void th_varieties_free(ThVarieties *v)
{
    free(v->groups);
    v->groups = NULL;
}

static const char *const class_name[] = {
    "trivial",   "J-trivial", "definite",    "reverse definite", "generalized definite",
    "R-trivial", "L-trivial", "DA",          "locally testable", "star-free",
    "group",     "solvable",  "not solvable"};

/* Two states are one after some symbols if they are so whichever comes next. */
bool th_dfa_definite(const ThDfa *d, bool *definite, ThError *err)
{
    const size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    bool *apart TH_OWNED(free) = th_alloc(n * n, sizeof *apart, err);
    bool fewer = true;
    if (!apart)
        return false;
    for (size_t i = 0; i < n * n; i++)
        apart[i] = i / n != i % n;
    while (fewer) {
        *definite = true;
        fewer = false;
        for (size_t i = 0; i < n * n; i++) {
            bool still = false;
            for (size_t a = 0; apart[i] && !still && a < k; a++)
                still = apart[(size_t)d->next[i / n * k + a] * n + (size_t)d->next[i % n * k + a]];
            fewer |= apart[i] && !still;
            apart[i] = still;
            *definite &= !still;
        }
    }
    return true;
}

int th_varieties_class(const ThVarieties *v)
{
    const bool is[] = {v->idempotent && v->group,
                       v->j_trivial,
                       v->definite,
                       v->reverse_definite,
                       v->generalized_definite,
                       v->r_trivial,
                       v->l_trivial,
                       v->da,
                       v->locally_testable,
                       v->aperiodic,
                       v->solvable && v->group,
                       v->solvable,
                       true};
    int i = 0;
    while (!is[i])
        i++;
    return i;
}

const char *th_varieties_class_name(int number)
{
    return class_name[number];
}
