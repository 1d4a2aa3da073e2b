#include "automata/algebra/group_structure.h"

enum { MOST_NORMAL = 400, MOST_WORK = 200000000 };

typedef struct {
    ThGroupStructure *s;
    int n;
    int *class, *list, *member; /* (n); the last two for work */
    int *first;                 /* (s->classes): the first element of each */
    long work;
    ThStop *stop;
} Search;

static void find_classes(Search *w)
{
    for (int x = 0; x < w->n; x++)
        w->class[x] = -1;
    for (int x = 0; x < w->n; x++) {
        if (w->class[x] >= 0)
            continue;
        int members = 0;
        for (int y = 0; y < w->n; y++) {
            int *class = &w->class[th_group_conjugated(&w->s->table, x, y)];
            members += *class < 0;
            *class = w->s->classes;
        }
        w->s->centre += members == 1;
        w->first[w->s->classes++] = x;
    }
}

/* ---- normal subgroups ------------------------------------------------------------------------ */

/* Adds a class to a normal subgroup, which stays one; returns its size. */
static int join(Search *w, bool *inside, int class)
{
    int n = 0, members = 0;
    for (int x = 0; x < w->n; x++) {
        if (inside[x])
            w->list[n++] = x;
        if (w->class[x] == class)
            w->member[members++] = x;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < members; k++) {
            int y = th_group_times(&w->s->table, w->list[i], w->member[k]);
            if (!inside[y])
                w->list[n++] = y;
            inside[y] = true;
        }
    w->work += (long)n * members + w->n;
    return n;
}

static bool is_abelian(const Search *w, const bool *inside)
{
    const ThGroupTable *t = &w->s->table;
    for (int x = 1; x < w->n; x++)
        for (int y = 1; inside[x] && y < x; y++)
            if (inside[y] && th_group_times(t, x, y) != th_group_times(t, y, x))
                return false;
    return true;
}

static bool is_known(const Search *w, const bool *inside, int size)
{
    for (int i = 0; i < w->s->n_normal; i++)
        if (w->s->normal[i].size == size &&
            memcmp(w->s->normal[i].inside, inside, (size_t)w->n) == 0)
            return true;
    return false;
}

/* Adds a normal subgroup and a class to the list, if it is new. */
static bool add_join(Search *w, int i, int class, ThError *err)
{
    ThGroupNormal to = {.inside = th_alloc((size_t)w->n, sizeof *to.inside, err)};
    if (!to.inside)
        return false;
    memcpy(to.inside, w->s->normal[i].inside, (size_t)w->n);
    to.size = join(w, to.inside, class);
    if (is_known(w, to.inside, to.size)) {
        free(to.inside);
        return true;
    }
    to.abelian = is_abelian(w, to.inside);
    w->s->normal[w->s->n_normal++] = to;
    return true;
}

/* Every normal subgroup is a join of classes. */
static bool find_normal(Search *w, ThError *err)
{
    const ThGroupStructure *s = w->s;
    for (int i = 0; i < s->n_normal; i++)
        for (int c = 1; c < s->classes; c++) {
            if (s->normal[i].inside[w->first[c]] || s->n_normal == MOST_NORMAL ||
                w->work > MOST_WORK)
                continue;
            if (th_stopped_at(w->stop, (size_t)s->n_normal, "normal subgroups", err) ||
                !add_join(w, i, c, err))
                return false;
        }
    return true;
}

ThGroup *th_group_part(const ThGroup *g, const ThGroupNormal *part, ThStop *stop, ThError *err)
{
    size_t degree = 0;
    th_group_generators_of(g, &degree);
    ThGroup *h = th_group_new((int)degree, err);
    bool ok = h != NULL;
    for (size_t x = 1; ok && th_group_order(h) < (size_t)part->size; x++)
        ok = !part->inside[x] || th_group_add(h, th_group_element(g, x), 0, stop, err);
    return TH_KEEP_IF(ok, h, th_group_free);
}

static bool meet_in_identity(const bool *a, const bool *b, int n)
{
    for (int x = 1; x < n; x++)
        if (a[x] && b[x])
            return false;
    return true;
}

/* The largest abelian factor, or else the smallest one. */
static bool find_factors(ThGroupStructure *s, const ThGroup *g, ThStop *stop, ThError *err)
{
    const ThGroupNormal *best = NULL, *other = NULL;
    for (const ThGroupNormal *a = s->normal + 1; a < s->normal + s->n_normal; a++)
        for (const ThGroupNormal *b = s->normal + 1; b < s->normal + s->n_normal; b++) {
            if ((long)a->size * b->size != s->table.n ||
                !meet_in_identity(a->inside, b->inside, s->table.n))
                continue;
            if (best && (best->abelian ? !a->abelian || a->size <= best->size
                                       : !a->abelian && a->size >= best->size))
                continue;
            best = a;
            other = b;
        }
    if (!best)
        return true;
    s->factor[0] = th_group_part(g, other, stop, err);
    s->factor[1] = s->factor[0] ? th_group_part(g, best, stop, err) : NULL;
    return s->factor[1] != NULL;
}

static bool find_inverted(ThGroupStructure *s, const ThGroup *g, ThStop *stop, ThError *err)
{
    for (int a = 0; a < s->n_normal && !s->inverted; a++) {
        bool all = 2 * s->normal[a].size == s->table.n;
        for (int x = 0; all && x < s->table.n; x++)
            all = s->normal[a].inside[x] || s->table.order[x] == 2;
        if (all && !(s->inverted = th_group_part(g, &s->normal[a], stop, err)))
            return false;
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool find_all(Search *w, const ThGroup *g, ThError *err)
{
    size_t n = (size_t)w->n;
    ThGroupStructure *s = w->s;
    w->class = th_alloc(n, sizeof *w->class, err);
    w->list = th_alloc(n, sizeof *w->list, err);
    w->member = th_alloc(n, sizeof *w->member, err);
    w->first = th_alloc(n, sizeof *w->first, err);
    s->normal = th_alloc(MOST_NORMAL, sizeof *s->normal, err);
    bool *trivial = th_alloc(n, sizeof *trivial, err);
    if (!w->class || !w->list || !w->member || !w->first || !s->normal || !trivial) {
        free(trivial);
        return false;
    }
    trivial[0] = true;
    s->normal[s->n_normal++] = (ThGroupNormal){trivial, 1, true};
    find_classes(w);
    return find_normal(w, err) && find_factors(s, g, w->stop, err) &&
           find_inverted(s, g, w->stop, err);
}

bool th_group_structure(const ThGroup *g, ThGroupStructure *s, ThStop *stop, ThError *err)
{
    *s = (ThGroupStructure){0};
    if (th_group_order(g) > TH_GROUP_STRUCTURE_MOST)
        return th_fail(err, TH_ELIMIT, "the group has more than %d elements",
                       TH_GROUP_STRUCTURE_MOST);
    Search w = {.s = s, .n = (int)th_group_order(g), .stop = stop};
    bool ok = th_group_table_of(&s->table, g, err) && find_all(&w, g, err);
    TH_FREE(w.class, w.list, w.member, w.first);
    return ok;
}

void th_group_structure_free(ThGroupStructure *s)
{
    for (int i = 0; i < s->n_normal; i++)
        free(s->normal[i].inside);
    free(s->normal);
    th_group_table_free(&s->table);
    th_group_free(s->factor[0]);
    th_group_free(s->factor[1]);
    th_group_free(s->inverted);
    *s = (ThGroupStructure){0};
}

/* ---- isomorphism ----------------------------------------------------------------------------- */

static bool same_orders(const ThGroup *g, const ThGroup *h)
{
    size_t n = th_group_order(g);
    size_t *count TH_OWNED(free) = th_alloc(n + 1, sizeof *count, NULL);
    bool same = count && th_group_order(h) == n;
    for (size_t i = 0; same && i < n; i++) {
        count[th_group_element_order(g, i)]++;
        count[th_group_element_order(h, i)]--;
    }
    for (size_t i = 0; same && i <= n; i++)
        same = count[i] == 0;
    return same;
}

static bool is_found(void *context)
{
    *(bool *)context = true;
    return false;
}

bool th_group_isomorphic(const ThGroup *g, const ThGroup *h, long *budget, ThStop *stop,
                         ThError *err)
{
    ThGroupTable from TH_OWNED(th_group_table_free) = {0};
    ThGroupTable to TH_OWNED(th_group_table_free) = {0};
    size_t degree, n = th_group_generators_of(h, &degree);
    int *generator TH_OWNED(free) = th_alloc(n + 1, sizeof *generator, err);
    bool found = false;
    if (!generator || !same_orders(g, h) || !th_group_table_of(&from, h, err) ||
        !th_group_table_of(&to, g, err))
        return false;
    for (size_t i = 0; i < n; i++)
        generator[i] = (int)th_group_find(h, th_group_generator(h, i));
    ThGroupEmbedding e = {.from = &from,
                          .to = &to,
                          .generator = generator,
                          .n = (int)n,
                          .take = is_found,
                          .context = &found,
                          .budget = budget};
    return th_group_embeddings(&e, stop, err) && found;
}
