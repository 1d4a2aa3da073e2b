#include "automata/algebra/group.h"

#include <stdio.h>

#include "automata/algebra/group_names.h"
#include "base/arithmetic.h"
#include "base/intern.h"
#include "base/text.h"

struct ThGroup {
    int degree;
    ThIntern element;
    int *generator; /* (n_generators, degree) */
    size_t n_generators, cap;
    int *one, *two, *three; /* (degree): permutations being worked on */
};

ThGroup *th_group_new(int degree, ThError *err)
{
    ThGroup *g = th_alloc(1, sizeof *g, err);
    if (!g)
        return NULL;
    size_t n = (size_t)degree, index;
    g->degree = degree;
    g->one = th_alloc(n, sizeof *g->one, err);
    g->two = th_alloc(n, sizeof *g->two, err);
    g->three = th_alloc(n, sizeof *g->three, err);
    bool ok = g->one && g->two && g->three;
    for (int i = 0; ok && i < degree; i++)
        g->one[i] = i;
    return TH_KEEP_IF(ok && th_intern(&g->element, g->one, n * sizeof *g->one, &index, err), g,
                      th_group_free);
}

void th_group_free(ThGroup *g)
{
    if (!g)
        return;
    th_intern_free(&g->element);
    TH_FREE(g->generator, g->one, g->two, g->three, g);
}

size_t th_group_order(const ThGroup *g)
{
    return g->element.n;
}

size_t th_group_find(const ThGroup *g, const int *permutation)
{
    return th_intern_find(&g->element, permutation, (size_t)g->degree * sizeof *permutation);
}

/* A view of element i until the next th_group_add. */
static const int *element(const ThGroup *g, size_t i)
{
    return th_intern_at(&g->element, i, NULL);
}

static const int *generator(const ThGroup *g, size_t i)
{
    return g->generator + i * (size_t)g->degree;
}

/* to = x, then y; to is neither. */
static void multiply(int degree, const int *x, const int *y, int *to)
{
    for (int i = 0; i < degree; i++)
        to[i] = y[x[i]];
}

static void invert(int degree, const int *x, int *to)
{
    for (int i = 0; i < degree; i++)
        to[x[i]] = i;
}

/* Multiplies the old elements by the new generator and the new ones by all. */
static bool close(ThGroup *g, size_t limit, ThStop *stop, ThError *err)
{
    size_t old = g->element.n, index;
    for (size_t i = 0; i < g->element.n; i++) {
        if (i % 1024 == 1023 && th_stopped_at(stop, g->element.n, "elements of a group", err))
            return false;
        for (size_t j = i < old ? g->n_generators - 1 : 0; j < g->n_generators; j++) {
            multiply(g->degree, element(g, i), generator(g, j), g->one);
            if (!th_intern(&g->element, g->one, (size_t)g->degree * sizeof *g->one, &index, err))
                return false;
        }
        if (limit && g->element.n > limit)
            return th_fail(err, TH_ELIMIT, "the group has more than %zu elements", limit);
    }
    return true;
}

bool th_group_add(ThGroup *g, const int *permutation, size_t limit, ThStop *stop, ThError *err)
{
    size_t n = (size_t)g->degree;
    if (th_group_find(g, permutation) != SIZE_MAX)
        return true;
    if (!th_grow(&g->generator, &g->cap, (g->n_generators + 1) * n, sizeof *g->generator, err))
        return false;
    memcpy(g->generator + g->n_generators * n, permutation, n * sizeof *permutation);
    g->n_generators++;
    return close(g, limit, stop, err);
}

/* ---- orders of elements ---------------------------------------------------------------------- */

static size_t order_of(const ThGroup *g, const int *x)
{
    size_t order = 1;
    int *seen = g->three;
    memset(seen, 0, (size_t)g->degree * sizeof *seen);
    for (int i = 0; i < g->degree; i++) {
        size_t length = 0;
        for (int j = i; !seen[j]; j = x[j]) {
            seen[j] = 1;
            length++;
        }
        if (length > 1)
            order *= length / th_common_divisor(order, length);
    }
    return order;
}

typedef struct {
    const ThGroup *g;
    size_t *order; /* of every element */
    bool *inside;  /* of every element, all false */
    ThGroupFacts *f;
    ThStop *stop;
} Facts;

static size_t count_of_order(const Facts *w, size_t order)
{
    size_t count = 0;
    for (size_t i = 0; i < w->f->order; i++)
        count += w->order[i] == order;
    return count;
}

/* First element of this order, or SIZE_MAX. */
static size_t find_of_order(const Facts *w, size_t order)
{
    for (size_t i = 0; i < w->f->order; i++)
        if (w->order[i] == order)
            return i;
    return SIZE_MAX;
}

static bool find_orders(Facts *w, ThError *err)
{
    w->order = th_alloc(w->f->order, sizeof *w->order, err);
    w->inside = th_alloc(w->f->order, sizeof *w->inside, err);
    w->f->longest = w->f->exponent = 1;
    for (size_t i = 0; w->order && w->inside && i < w->f->order; i++) {
        size_t n = w->order[i] = order_of(w->g, element(w->g, i));
        w->f->longest = n > w->f->longest ? n : w->f->longest;
        w->f->exponent *= n / th_common_divisor(w->f->exponent, n);
    }
    return w->order && w->inside;
}

/* ---- solvable -------------------------------------------------------------------------------- */

static bool is_abelian(const ThGroup *g)
{
    for (size_t i = 0; i < g->n_generators; i++)
        for (size_t j = 0; j < i; j++) {
            multiply(g->degree, generator(g, i), generator(g, j), g->one);
            multiply(g->degree, generator(g, j), generator(g, i), g->two);
            if (memcmp(g->one, g->two, (size_t)g->degree * sizeof *g->one) != 0)
                return false;
        }
    return true;
}

/* x⁻¹yx in g->two, or the commutator x⁻¹y⁻¹xy in g->one after it. */
static const int *conjugate(const ThGroup *g, const int *y, const int *x)
{
    invert(g->degree, x, g->three);
    multiply(g->degree, g->three, y, g->one);
    multiply(g->degree, g->one, x, g->two);
    return g->two;
}

static const int *commutator(const ThGroup *g, const int *x, const int *y)
{
    invert(g->degree, y, g->three);
    memcpy(g->one, g->three, (size_t)g->degree * sizeof *g->one);
    invert(g->degree, x, g->three);
    multiply(g->degree, g->three, g->one, g->two);
    multiply(g->degree, g->two, x, g->three);
    multiply(g->degree, g->three, y, g->one);
    return g->one;
}

/* Returns new: the commutators of generators and their conjugates generate it. */
static ThGroup *derived(const ThGroup *g, ThStop *stop, ThError *err)
{
    ThGroup *h = th_group_new(g->degree, err);
    bool ok = h != NULL;
    for (size_t i = 0; ok && i < g->n_generators; i++)
        for (size_t j = 0; ok && j < i; j++)
            ok = th_group_add(h, commutator(g, generator(g, i), generator(g, j)), 0, stop, err);
    for (size_t i = 0; ok && i < h->n_generators; i++)
        for (size_t j = 0; ok && j < g->n_generators; j++)
            ok = th_group_add(h, conjugate(g, generator(h, i), generator(g, j)), 0, stop, err);
    return TH_KEEP_IF(ok, h, th_group_free);
}

/* Burnside 1904: so many elements cannot make a group that is not solvable. */
static bool has_two_primes(size_t n)
{
    int primes = 0;
    for (size_t p = 2; p * p <= n; p++) {
        primes += n % p == 0;
        while (n % p == 0)
            n /= p;
    }
    return primes + (n > 1) <= 2;
}

/* The derived series ends in the trivial group, or with a group that is its own derived one. */
static bool find_solvable(const Facts *w, size_t *derived_order, ThError *err)
{
    const ThGroup *g = w->g;
    ThGroup *last = NULL;
    *derived_order = 0;
    w->f->solvable = has_two_primes(w->f->order);
    while (!w->f->solvable) {
        ThGroup *h = derived(g, w->stop, err);
        if (!h) {
            th_group_free(last);
            return false;
        }
        size_t before = th_group_order(g), after = th_group_order(h);
        *derived_order = *derived_order ? *derived_order : after;
        th_group_free(last);
        g = last = h;
        w->f->solvable = has_two_primes(after);
        if (after == before)
            break;
    }
    th_group_free(last);
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Number of elements whose order divides p^k, as a power of p. */
static int log_count(const Facts *w, size_t p, size_t power)
{
    size_t count = 0;
    int log = 0;
    for (size_t i = 0; i < w->f->order; i++)
        count += power % w->order[i] == 0;
    for (; count > 1; count /= p)
        log++;
    return log;
}

enum { MOST_FACTORS = 24 };

/* Multiplies the p-parts of an abelian group onto its invariant factors, largest first: so many of
 * them are at least p^k as log_p of |G[p^k]| grows from k-1 to k. */
static void split(const Facts *w, size_t p, size_t factor[MOST_FACTORS])
{
    int before = 0;
    for (size_t power = p; w->f->exponent % power == 0; power *= p) {
        int now = log_count(w, p, power);
        for (int i = 0; i < now - before && i < MOST_FACTORS; i++)
            factor[i] *= p;
        before = now;
    }
}

static void name_abelian(const Facts *w)
{
    size_t factor[MOST_FACTORS], rest = w->f->exponent;
    for (int i = 0; i < MOST_FACTORS; i++)
        factor[i] = 1;
    for (size_t p = 2; rest > 1; p++) {
        if (rest % p != 0)
            continue;
        split(w, p, factor);
        while (rest % p == 0)
            rest /= p;
    }
    size_t used = 0;
    for (int i = MOST_FACTORS - 1; i >= 0; i--)
        if (factor[i] > 1 && used < TH_GROUP_NAME)
            used += (size_t)snprintf(w->f->name + used, TH_GROUP_NAME - used, "%sZ_%zu",
                                     used ? " x " : "", factor[i]);
}

/* S_k and A_k on the k points that move: there is only one subgroup of that size. */
static bool name_by_points(const Facts *w)
{
    int moved = 0;
    for (int i = 0; i < w->g->degree; i++)
        for (size_t j = 0; j < w->g->n_generators; j++)
            if (generator(w->g, j)[i] != i) {
                moved++;
                break;
            }
    size_t factorial = 1;
    for (int i = 2; i <= moved && factorial <= 2 * w->f->order; i++)
        factorial *= (size_t)i;
    if (factorial != w->f->order && factorial != 2 * w->f->order)
        return false;
    snprintf(w->f->name, TH_GROUP_NAME, "%c_%d", factorial == w->f->order ? 'S' : 'A', moved);
    return true;
}

/* A cyclic half, generated by r, and s outside it: D_n where s is an involution, Q_4n where s² is
 * r's power of order two, both where s turns r around. */
static bool name_by_half(const Facts *w)
{
    const ThGroup *g = w->g;
    size_t half = w->f->order / 2, bytes = (size_t)g->degree * sizeof *g->one;
    size_t r = w->f->order % 2 == 0 ? find_of_order(w, half) : SIZE_MAX;
    if (r == SIZE_MAX)
        return false;
    const int *turn = element(g, r);
    memcpy(g->one, element(g, 0), bytes);
    for (size_t i = 0; i < half; i++) {
        w->inside[th_group_find(g, g->one)] = true;
        multiply(g->degree, g->one, turn, g->two);
        memcpy(g->one, g->two, bytes);
    }
    size_t s = 0;
    while (w->inside[s])
        s++;
    conjugate(g, turn, element(g, s));
    invert(g->degree, turn, g->three);
    if (memcmp(g->two, g->three, bytes) != 0 || (w->order[s] != 2 && w->order[s] != 4))
        return false;
    if (w->order[s] == 4 && count_of_order(w, 2) != 1)
        return false;
    snprintf(w->f->name, TH_GROUP_NAME, w->order[s] == 2 ? "D_%zu" : "Q_%zu",
             w->order[s] == 2 ? half : w->f->order);
    return true;
}

/* Groups that their orders of elements, or their being perfect, tell from all others of the same
 * size. */
static bool name_by_orders(const Facts *w, size_t derived_order)
{
    const char *name = NULL;
    size_t n = w->f->order, involutions = count_of_order(w, 2), thirds = count_of_order(w, 3);
    if (n == 6)
        name = "S_3";
    else if (n == 12 && involutions == 3 && thirds == 8)
        name = "A_4";
    else if (n == 24 && involutions == 9 && thirds == 8 && count_of_order(w, 4) == 6)
        name = "S_4";
    else if (n == 60 && !w->f->solvable)
        name = "A_5";
    else if (n == 120 && !w->f->solvable && involutions == 25)
        name = "S_5";
    else if (n == 168 && !w->f->solvable)
        name = "PSL(2,7)";
    else if (n == 360 && derived_order == 360)
        name = "A_6";
    if (name)
        snprintf(w->f->name, TH_GROUP_NAME, "%s", name);
    return name != NULL;
}

/* ---- names by isomorphism -------------------------------------------------------------------- */

enum { MOST_ORDER = 2000, MOST_GENERATORS = 6, MOST_ELEMENTS = 1000000 };

/* g and a group with a name, on points beside each other: images of generators are looked for, one
 * after the other, that make a group no larger than g of the pairs. */
typedef struct {
    const Facts *w;
    const ThGroup *to;
    int generator[MOST_GENERATORS], n; /* of g */
    size_t size[MOST_GENERATORS];      /* of the group of the first ones */
    int image[MOST_GENERATORS], tries; /* tries: elements of groups of pairs */
    int *pair;                         /* (degrees together) */
    ThError *err;
} Search;

static const int *both(const Search *s, int i)
{
    size_t n = (size_t)s->w->g->degree;
    memcpy(s->pair, element(s->w->g, (size_t)s->generator[i]), n * sizeof *s->pair);
    for (int k = 0; k < s->to->degree; k++)
        s->pair[n + (size_t)k] = (int)n + element(s->to, (size_t)s->image[i])[k];
    return s->pair;
}

/* The number of pairs that the first n images make, of images alone; 0: more than there should be.
 */
static size_t closure(Search *s, int n, bool images)
{
    ThError own = {0};
    const ThGroup *a = s->w->g, *b = s->to;
    ThGroup *g = th_group_new(images ? b->degree : a->degree + b->degree, s->err);
    bool ok = g != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = th_group_add(g, images ? element(b, (size_t)s->image[i]) : both(s, i), s->size[n - 1],
                          s->w->stop, &own);
    size_t size = ok ? th_group_order(g) : 0;
    th_group_free(g);
    return size;
}

static bool find_images(Search *s, int i)
{
    if (i == s->n)
        return closure(s, i, true) == s->w->f->order;
    size_t order = s->w->order[s->generator[i]];
    for (size_t h = 1; h < s->w->f->order && s->tries < MOST_ELEMENTS; h++) {
        s->image[i] = (int)h;
        if (order_of(s->to, element(s->to, h)) != order)
            continue;
        s->tries += (int)s->size[i];
        if (closure(s, i + 1, false) == s->size[i] && find_images(s, i + 1))
            return true;
    }
    return false;
}

/* Few generators: those that the ones before do not make. */
static bool choose_generators(Search *s)
{
    const ThGroup *g = s->w->g;
    ThGroup *part = th_group_new(g->degree, s->err);
    bool ok = part != NULL;
    for (size_t i = 0; ok && i < g->n_generators; i++) {
        size_t before = th_group_order(part);
        ok = th_group_add(part, generator(g, i), 0, s->w->stop, s->err);
        if (!ok || th_group_order(part) == before)
            continue;
        ok = s->n < MOST_GENERATORS;
        if (ok) {
            s->size[s->n] = th_group_order(part);
            s->generator[s->n++] = (int)th_group_find(g, generator(g, i));
        }
    }
    th_group_free(part);
    return ok;
}

static bool same_orders(const Facts *w, const ThGroup *h)
{
    size_t *count = th_alloc(w->f->order + 1, sizeof *count, NULL);
    bool same = count && th_group_order(h) == w->f->order;
    for (size_t i = 0; same && i < w->f->order; i++) {
        count[w->order[i]]++;
        count[order_of(h, element(h, i))]--;
    }
    for (size_t i = 0; same && i <= w->f->order; i++)
        same = count[i] == 0;
    free(count);
    return same;
}

/* A_4 x Z_5 for A4xC5. */
static void write_name(char *to, const char *name)
{
    ThText t TH_OWNED(th_text_free) = {0};
    bool inside = false;
    for (; *name; name++) {
        inside = (inside || *name == '(') && *name != ')';
        th_text_printf(&t, *name == 'x' ? " x " : "%c", *name == 'C' ? 'Z' : *name);
        if (!inside && strchr("CDSAQF", *name) && name[1] >= '0' && name[1] <= '9')
            th_text_add(&t, "_");
    }
    snprintf(to, TH_GROUP_NAME, "%s", t.data ? t.data : "");
}

static bool try_name(void *context, const char *name)
{
    Search *s = context;
    ThGroup *h = th_group_named(name, MOST_ORDER, s->w->stop, s->err);
    s->to = h;
    s->tries += (int)s->w->f->order;
    s->pair =
        h ? th_alloc((size_t)s->w->g->degree + (size_t)h->degree, sizeof *s->pair, s->err) : NULL;
    bool found = s->pair && !is_abelian(h) && same_orders(s->w, h) && find_images(s, 0);
    if (found)
        write_name(s->w->f->name, name);
    free(s->pair);
    th_group_free(h);
    return !found && s->tries < MOST_ELEMENTS;
}

static void name_by_isomorphism(const Facts *w)
{
    ThError own = {0};
    Search s = {.w = w, .err = &own};
    if (w->f->order <= MOST_ORDER && choose_generators(&s))
        th_group_each_name(w->f->order, try_name, &s);
}

bool th_group_facts(const ThGroup *g, ThGroupFacts *f, ThStop *stop, ThError *err)
{
    Facts w = {.g = g, .f = f, .stop = stop};
    size_t derived_order;
    *f = (ThGroupFacts){.order = th_group_order(g), .name = "trivial"};
    f->abelian = is_abelian(g);
    bool ok = find_orders(&w, err) && find_solvable(&w, &derived_order, err);
    if (ok && f->abelian && f->order > 1)
        name_abelian(&w);
    else if (ok && f->order > 1 && !name_by_points(&w) && !name_by_orders(&w, derived_order) &&
             !name_by_half(&w)) {
        snprintf(f->name, TH_GROUP_NAME, "order %zu", f->order);
        name_by_isomorphism(&w);
    }
    TH_FREE(w.order, w.inside);
    return ok;
}
