#include "automata/algebra/group_structure.h"

#include <stdint.h>

#include "base/memory.h"

enum { MOST_NORMAL = 400, MOST_WORK = 200000000 };

typedef struct {
    int n;
    int *product;                                 /* (n, n): first the row, then the column */
    int *inverse, *order, *class, *list, *member; /* (n); the last two for work */
    int *first, n_classes;                        /* (n_classes): the first element of each */
    bool **normal;                                /* (n_normal), each (n) */
    bool *abelian;                                /* (n_normal) */
    int *size;                                    /* (n_normal) */
    int n_normal;
    long work;
    ThStop *stop;
} Table;

static int times(const Table *t, int x, int y)
{
    return t->product[(size_t)x * (size_t)t->n + (size_t)y];
}

static int conjugated(const Table *t, int x, int y)
{
    return times(t, times(t, t->inverse[y], x), y);
}

/* Columns of generators are looked up; that of y a is that of y, then that of a. */
static bool fill_products(Table *t, const ThGroup *g, ThError *err)
{
    size_t n = (size_t)t->n, degree = 0, gens = th_group_generators_of(g, &degree);
    int *right TH_OWNED(free) = th_alloc(n * (gens + 1), sizeof *right, err);
    int *by TH_OWNED(free) = th_alloc(degree + 1, sizeof *by, err);
    bool *seen TH_OWNED(free) = th_alloc(n, sizeof *seen, err);
    if (!right || !by || !seen)
        return false;
    for (size_t x = 0; x < n; x++)
        for (size_t a = 0; a < gens; a++) {
            for (size_t i = 0; i < degree; i++)
                by[i] = th_group_generator(g, a)[th_group_element(g, x)[i]];
            right[x * gens + a] = (int)th_group_find(g, by);
        }
    size_t found = 1;
    seen[0] = true;
    t->list[0] = 0;
    for (size_t x = 0; x < n; x++)
        t->product[x * n] = (int)x;
    for (size_t i = 0; i < found; i++)
        for (size_t a = 0; a < gens; a++) {
            size_t y = (size_t)t->list[i], z = (size_t)right[y * gens + a];
            for (size_t x = 0; x < n && !seen[z]; x++)
                t->product[x * n + z] = right[(size_t)t->product[x * n + y] * gens + a];
            if (!seen[z])
                t->list[found++] = (int)z;
            seen[z] = true;
        }
    return true;
}

static void fill_orders(Table *t)
{
    for (int x = 0; x < t->n; x++) {
        int last = 0, order = 1;
        for (int y = x; y != 0; y = times(t, y, x), order++)
            last = y;
        t->order[x] = order;
        t->inverse[x] = last;
    }
}

static void fill_classes(Table *t)
{
    for (int x = 0; x < t->n; x++)
        t->class[x] = -1;
    for (int x = 0; x < t->n; x++) {
        if (t->class[x] >= 0)
            continue;
        for (int y = 0; y < t->n; y++)
            t->class[conjugated(t, x, y)] = t->n_classes;
        t->first[t->n_classes++] = x;
    }
}

/* ---- normal subgroups ------------------------------------------------------------------------ */

/* Adds a class to a normal subgroup, which stays one; returns its size. */
static int join(Table *t, bool *inside, int class)
{
    int n = 0, members = 0;
    for (int x = 0; x < t->n; x++) {
        if (inside[x])
            t->list[n++] = x;
        if (t->class[x] == class)
            t->member[members++] = x;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < members; k++) {
            int y = times(t, t->list[i], t->member[k]);
            if (!inside[y])
                t->list[n++] = y;
            inside[y] = true;
        }
    t->work += (long)n * members + t->n;
    return n;
}

static bool is_abelian(const Table *t, const bool *inside)
{
    for (int x = 1; x < t->n; x++)
        for (int y = 1; inside[x] && y < x; y++)
            if (inside[y] && times(t, x, y) != times(t, y, x))
                return false;
    return true;
}

static bool is_known(const Table *t, const bool *inside, int size)
{
    for (int i = 0; i < t->n_normal; i++)
        if (t->size[i] == size && memcmp(t->normal[i], inside, (size_t)t->n) == 0)
            return true;
    return false;
}

/* Every normal subgroup is a join of classes. */
static bool find_normal(Table *t, ThError *err)
{
    for (int i = 0; i < t->n_normal; i++)
        for (int c = 1; c < t->n_classes; c++) {
            if (t->normal[i][t->first[c]] || t->n_normal == MOST_NORMAL || t->work > MOST_WORK)
                continue;
            if (th_stopped_at(t->stop, (size_t)t->n_normal, "normal subgroups", err))
                return false;
            bool *to = th_alloc((size_t)t->n, sizeof *to, err);
            if (!to)
                return false;
            memcpy(to, t->normal[i], (size_t)t->n);
            int size = join(t, to, c);
            if (is_known(t, to, size)) {
                free(to);
                continue;
            }
            t->size[t->n_normal] = size;
            t->abelian[t->n_normal] = is_abelian(t, to);
            t->normal[t->n_normal++] = to;
        }
    return true;
}

static bool meet_in_identity(const Table *t, int a, int b)
{
    for (int x = 1; x < t->n; x++)
        if (t->normal[a][x] && t->normal[b][x])
            return false;
    return true;
}

/* Returns new: a normal subgroup as permutations. */
static ThGroup *part(const Table *t, const ThGroup *g, int a, ThError *err)
{
    size_t degree = 0;
    th_group_generators_of(g, &degree);
    ThGroup *h = th_group_new((int)degree, err);
    bool ok = h != NULL;
    for (int x = 1; ok && x < t->n && th_group_order(h) < (size_t)t->size[a]; x++)
        ok = !t->normal[a][x] || th_group_add(h, th_group_element(g, (size_t)x), 0, t->stop, err);
    return TH_KEEP_IF(ok, h, th_group_free);
}

/* The largest abelian factor, or else the smallest one. */
static bool find_factors(const Table *t, const ThGroup *g, ThGroupStructure *s, ThError *err)
{
    int best = -1, other = -1;
    bool abelian = false;
    for (int a = 1; a < t->n_normal; a++)
        for (int b = 1; b < t->n_normal; b++) {
            if ((long)t->size[a] * t->size[b] != t->n || !meet_in_identity(t, a, b))
                continue;
            bool is = t->abelian[a];
            if (best >= 0 &&
                (abelian ? !is || t->size[a] <= t->size[best] : !is && t->size[a] >= t->size[best]))
                continue;
            best = a;
            other = b;
            abelian = is;
        }
    if (best < 0)
        return true;
    s->factor[0] = part(t, g, other, err);
    s->factor[1] = s->factor[0] ? part(t, g, best, err) : NULL;
    return s->factor[1] != NULL;
}

static bool find_inverted(const Table *t, const ThGroup *g, ThGroupStructure *s, ThError *err)
{
    for (int a = 0; a < t->n_normal && !s->inverted; a++) {
        bool all = 2 * t->size[a] == t->n;
        for (int x = 0; all && x < t->n; x++)
            all = t->normal[a][x] || t->order[x] == 2;
        if (all && !(s->inverted = part(t, g, a, err)))
            return false;
    }
    return true;
}

/* ---- cyclic by cyclic ------------------------------------------------------------------------ */

/* Numbers the powers of x in *log, -1 elsewhere; returns whether they are a normal subgroup. */
static bool has_normal_powers(const Table *t, int x, int *log)
{
    for (int y = 0; y < t->n; y++)
        log[y] = -1;
    for (int y = 0, k = 0; k < t->order[x]; k++, y = times(t, y, x))
        log[y] = k;
    bool normal = true;
    for (int y = 0; normal && y < t->n; y++)
        normal = log[conjugated(t, x, y)] >= 0;
    return normal;
}

static bool complements(const Table *t, int y, int m, const int *log)
{
    bool apart = t->order[y] == m;
    for (int z = y; apart && z != 0; z = times(t, z, y))
        apart = log[z] < 0;
    return apart;
}

static bool find_metacyclic(const Table *t, ThGroupStructure *s, ThError *err)
{
    for (int x = 1; x < t->n; x++) {
        int n = t->order[x], m = t->n / n;
        if (n < s->normal || t->n % n != 0)
            continue;
        if (th_stopped_at(t->stop, (size_t)x, "elements", err))
            return false;
        bool normal = has_normal_powers(t, x, t->list);
        for (int y = 1; normal && y < t->n; y++) {
            int r = t->list[conjugated(t, x, y)];
            if (t->order[y] != m || (n == s->normal && r >= s->r) || !complements(t, y, m, t->list))
                continue;
            s->normal = n;
            s->complement = m;
            s->r = r;
        }
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool begin(Table *t, ThError *err)
{
    size_t n = (size_t)t->n;
    t->product = th_alloc(n * n, sizeof *t->product, err);
    t->inverse = th_alloc(n, sizeof *t->inverse, err);
    t->order = th_alloc(n, sizeof *t->order, err);
    t->class = th_alloc(n, sizeof *t->class, err);
    t->list = th_alloc(n, sizeof *t->list, err);
    t->member = th_alloc(n, sizeof *t->member, err);
    t->first = th_alloc(n, sizeof *t->first, err);
    t->abelian = th_alloc(MOST_NORMAL, sizeof *t->abelian, err);
    t->size = th_alloc(MOST_NORMAL, sizeof *t->size, err);
    t->normal = th_alloc(MOST_NORMAL, sizeof *t->normal, err);
    bool ok = t->product && t->inverse && t->order && t->class && t->list && t->size && t->normal &&
              t->first && t->abelian && t->member;
    bool *trivial = ok ? th_alloc(n, sizeof *trivial, err) : NULL;
    if (!trivial)
        return false;
    trivial[0] = true;
    t->normal[0] = trivial;
    t->size[0] = t->n_normal = 1;
    return true;
}

static void end(Table *t)
{
    for (int i = 0; i < t->n_normal; i++)
        free(t->normal[i]);
    TH_FREE(t->product, t->inverse, t->order, t->class, t->list, t->size, t->normal, t->first,
            t->abelian, t->member);
}

bool th_group_structure(const ThGroup *g, ThGroupStructure *s, ThStop *stop, ThError *err)
{
    *s = (ThGroupStructure){0};
    if (th_group_order(g) > TH_GROUP_STRUCTURE_MOST)
        return th_fail(err, TH_ELIMIT, "the group has more than %d elements",
                       TH_GROUP_STRUCTURE_MOST);
    Table t = {.n = (int)th_group_order(g), .stop = stop};
    bool ok = begin(&t, err) && fill_products(&t, g, err);
    if (ok) {
        fill_orders(&t);
        fill_classes(&t);
    }
    ok = ok && find_normal(&t, err) && find_factors(&t, g, s, err) &&
         find_inverted(&t, g, s, err) && find_metacyclic(&t, s, err);
    if (ok) {
        s->simple = t.n_normal == 2;
        s->classes = t.n_classes;
        for (int x = 0; x < t.n; x++) {
            int y = 0;
            while (y < t.n && conjugated(&t, x, y) == x)
                y++;
            s->centre += y == t.n;
        }
    }
    end(&t);
    return ok;
}

void th_group_structure_free(ThGroupStructure *s)
{
    th_group_free(s->factor[0]);
    th_group_free(s->factor[1]);
    th_group_free(s->inverted);
    *s = (ThGroupStructure){0};
}

/* ---- isomorphism ----------------------------------------------------------------------------- */

enum { MOST_GENERATORS = 6 };

static size_t points(const ThGroup *g)
{
    size_t degree;
    th_group_generators_of(g, &degree);
    return degree;
}

/* Two groups on points beside each other: images of generators are looked for, one
 * after the other, that make a group no larger than g of the pairs. */
typedef struct {
    const ThGroup *from, *to;
    int generator[MOST_GENERATORS], n; /* of g */
    size_t size[MOST_GENERATORS];      /* of the group of the first ones */
    int image[MOST_GENERATORS];
    long *budget; /* elements of groups of pairs */
    int *pair;    /* (degrees together) */
    ThStop *stop;
    ThError *err;
} Search;

static const int *both(const Search *s, int i)
{
    size_t n = points(s->from);
    memcpy(s->pair, th_group_element(s->from, (size_t)s->generator[i]), n * sizeof *s->pair);
    for (size_t k = 0; k < points(s->to); k++)
        s->pair[n + (size_t)k] = (int)n + th_group_element(s->to, (size_t)s->image[i])[k];
    return s->pair;
}

/* The number of pairs that the first n images make, of images alone; 0: more than there should be.
 */
static size_t closure(Search *s, int n, bool images)
{
    ThError own = {0};
    const ThGroup *a = s->from, *b = s->to;
    ThGroup *g = th_group_new((int)(images ? points(b) : points(a) + points(b)), s->err);
    bool ok = g != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = th_group_add(g, images ? th_group_element(b, (size_t)s->image[i]) : both(s, i),
                          s->size[n - 1], s->stop, &own);
    size_t size = ok ? th_group_order(g) : 0;
    th_group_free(g);
    return size;
}

static bool find_images(Search *s, int i)
{
    if (i == s->n)
        return closure(s, i, true) == th_group_order(s->from);
    size_t order = th_group_element_order(s->from, (size_t)s->generator[i]);
    for (size_t h = 1; h < th_group_order(s->from) && *s->budget > 0; h++) {
        s->image[i] = (int)h;
        if (th_group_element_order(s->to, h) != order)
            continue;
        *s->budget -= (long)s->size[i];
        if (closure(s, i + 1, false) == s->size[i] && find_images(s, i + 1))
            return true;
    }
    return false;
}

/* Few generators: those that the ones before do not make. */
static bool choose_generators(Search *s)
{
    const ThGroup *g = s->from;
    size_t degree, n = th_group_generators_of(g, &degree);
    ThGroup *part = th_group_new((int)degree, s->err);
    bool ok = part != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        size_t before = th_group_order(part);
        ok = th_group_add(part, th_group_generator(g, i), 0, s->stop, s->err);
        if (!ok || th_group_order(part) == before)
            continue;
        ok = s->n < MOST_GENERATORS;
        if (ok) {
            s->size[s->n] = th_group_order(part);
            s->generator[s->n++] = (int)th_group_find(g, th_group_generator(g, i));
        }
    }
    th_group_free(part);
    return ok;
}

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

bool th_group_isomorphic(const ThGroup *g, const ThGroup *h, long *budget, ThStop *stop,
                         ThError *err)
{
    Search s = {.from = g, .to = h, .budget = budget, .stop = stop, .err = err};
    *budget -= (long)th_group_order(g);
    int *pair TH_OWNED(free) = th_alloc(points(g) + points(h), sizeof *pair, err);
    s.pair = pair;
    return pair && same_orders(g, h) && choose_generators(&s) && find_images(&s, 0);
}
