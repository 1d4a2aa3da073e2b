#include "automata/algebra/group.h"

#include <stdarg.h>
#include <stdio.h>

#include "automata/algebra/group_names.h"
#include "automata/algebra/group_split.h"
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

size_t th_group_generators_of(const ThGroup *g, size_t *degree)
{
    *degree = (size_t)g->degree;
    return g->n_generators;
}

const int *th_group_element(const ThGroup *g, size_t i)
{
    return th_intern_at(&g->element, i, NULL);
}

const int *th_group_generator(const ThGroup *g, size_t i)
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
            multiply(g->degree, th_group_element(g, i), th_group_generator(g, j), g->one);
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

size_t th_group_element_order(const ThGroup *g, size_t i)
{
    return order_of(g, th_group_element(g, i));
}

typedef struct {
    const ThGroup *g;
    size_t *order; /* of every element */
    bool *inside;  /* of every element, all false */
    size_t kernel; /* so many elements are one, where orders are those in a quotient */
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
        size_t n = w->order[i] = order_of(w->g, th_group_element(w->g, i));
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
            multiply(g->degree, th_group_generator(g, i), th_group_generator(g, j), g->one);
            multiply(g->degree, th_group_generator(g, j), th_group_generator(g, i), g->two);
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
            ok = th_group_add(h, commutator(g, th_group_generator(g, i), th_group_generator(g, j)),
                              0, stop, err);
    for (size_t i = 0; ok && i < h->n_generators; i++)
        for (size_t j = 0; ok && j < g->n_generators; j++)
            ok = th_group_add(h, conjugate(g, th_group_generator(h, i), th_group_generator(g, j)),
                              0, stop, err);
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
static bool find_solvable(const Facts *w, ThError *err)
{
    const ThGroup *g = w->g;
    ThGroup *last TH_OWNED(th_group_free) = NULL;
    w->f->solvable = has_two_primes(w->f->order);
    while (!w->f->solvable) {
        ThGroup *h = derived(g, w->stop, err);
        if (!h)
            return false;
        size_t before = th_group_order(g), after = th_group_order(h);
        th_group_free(last);
        g = last = h;
        w->f->solvable = has_two_primes(after);
        if (after == before)
            break;
    }
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
    for (count /= w->kernel; count > 1; count /= p)
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

static void name_abelian(const Facts *w, char *name)
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
            used += (size_t)snprintf(name + used, TH_GROUP_NAME - used, "%sZ_%zu",
                                     used ? " x " : "", factor[i]);
}

/* S_k and A_k on the k points that move: there is only one subgroup of that size. */
static bool name_by_points(const Facts *w)
{
    int moved = 0;
    for (int i = 0; i < w->g->degree; i++)
        for (size_t j = 0; j < w->g->n_generators; j++)
            if (th_group_generator(w->g, j)[i] != i) {
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
    const int *turn = th_group_element(g, r);
    memcpy(g->one, th_group_element(g, 0), bytes);
    for (size_t i = 0; i < half; i++) {
        w->inside[th_group_find(g, g->one)] = true;
        multiply(g->degree, g->one, turn, g->two);
        memcpy(g->one, g->two, bytes);
    }
    size_t s = 0;
    while (w->inside[s])
        s++;
    conjugate(g, turn, th_group_element(g, s));
    invert(g->degree, turn, g->three);
    if (memcmp(g->two, g->three, bytes) != 0 || (w->order[s] != 2 && w->order[s] != 4))
        return false;
    if (w->order[s] == 4 && count_of_order(w, 2) != 1)
        return false;
    snprintf(w->f->name, TH_GROUP_NAME,
             w->order[s] == 4 ? "Q_%zu"
             : half == 3      ? "S_%zu"
                              : "D_%zu",
             w->order[s] == 2 ? half : w->f->order);
    return true;
}

/* ---- names by structure ---------------------------------------------------------------------- */

enum { MOST_PRODUCTS = 50000000 };
typedef struct {
    const Facts *w;
    ThError *err;
} Search;

static bool try_name(void *context, const char *name)
{
    Search *s = context;
    long budget = MOST_PRODUCTS;
    ThGroup *h TH_OWNED(th_group_free) =
        th_group_named(name, TH_GROUP_STRUCTURE_MOST, s->w->stop, s->err);
    bool found = h && th_group_isomorphic(s->w->g, h, &budget, s->w->stop, s->err);
    if (found)
        snprintf(s->w->f->name, TH_GROUP_NAME, "%s", name);
    return h && !found;
}

static bool is_unnamed(const char *name)
{
    return strncmp(name, "order", 5) == 0;
}

/* f: of a part that is one, or NULL. */
static bool facts_of(const ThGroup *part, ThGroupFacts *f, const Facts *w, ThError *err)
{
    *f = (ThGroupFacts){.name = "order"};
    return !part || th_group_facts(part, f, w->stop, err);
}

/* A long name is none. */
__attribute__((format(printf, 2, 3))) static void put_name(const Facts *w, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char name[2 * TH_GROUP_NAME + 16];
    if (vsnprintf(name, sizeof name, format, values) < TH_GROUP_NAME)
        memcpy(w->f->name, name, TH_GROUP_NAME);
    va_end(values);
}

/* Orders in the quotient by the derived group; *length: of the derived series, -1 without an end.
 */
static bool name_abelianisation(const Facts *w, char *name, int *length, ThError *err)
{
    ThGroup *h TH_OWNED(th_group_free) = derived(w->g, w->stop, err);
    ThGroupFacts f = {.order = w->f->order, .exponent = 1};
    Facts q = {.f = &f, .kernel = h ? th_group_order(h) : 1};
    q.order = h ? th_alloc(f.order, sizeof *q.order, err) : NULL;
    int *x = w->g->three, *y = w->g->two;
    size_t bytes = (size_t)w->g->degree * sizeof *x;
    for (size_t i = 0; q.order && i < f.order; i++) {
        memcpy(x, th_group_element(w->g, i), bytes);
        for (q.order[i] = 1; th_group_find(h, x) == SIZE_MAX; q.order[i]++) {
            multiply(w->g->degree, x, th_group_element(w->g, i), y);
            memcpy(x, y, bytes);
        }
        f.exponent *= q.order[i] / th_common_divisor(f.exponent, q.order[i]);
    }
    bool ok = q.order != NULL;
    if (ok)
        name_abelian(&q, name);
    free(q.order);
    size_t before = w->f->order;
    for (*length = 1; ok && *length > 0 && th_group_order(h) > 1; *length += *length > 0) {
        bool same = th_group_order(h) == before;
        before = th_group_order(h);
        ThGroup *next = same ? NULL : derived(h, w->stop, err);
        *length = same ? -1 : *length;
        ok = same || next;
        if (next) {
            th_group_free(h);
            h = next;
        }
    }
    return ok;
}

static bool write_invariants(const Facts *w, const ThGroupStructure *s, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    char name[TH_GROUP_NAME] = "trivial";
    int length;
    if (!name_abelianisation(w, name, &length, err))
        return false;
    th_text_add(&t, "elements of order");
    for (size_t n = 1; n <= w->f->longest; n++)
        if (count_of_order(w, n))
            th_text_printf(&t, " %zu:%zu", n, count_of_order(w, n));
    th_text_printf(&t, "; %d classes; centre %d; abelianisation %s", s->classes, s->centre, name);
    if (length > 0)
        th_text_printf(&t, "; derived length %d", length);
    snprintf(w->f->invariants, TH_GROUP_INVARIANTS, "%s", th_text_string(&t));
    return true;
}

static bool name_by_structure(const Facts *w, ThError *err)
{
    ThGroupStructure s;
    ThGroupFacts a, b, half;
    bool ok = th_group_structure(w->g, &s, w->stop, err) && facts_of(s.factor[0], &a, w, err) &&
              facts_of(s.factor[1], &b, w, err) && facts_of(s.inverted, &half, w, err);
    bool swap = ok && a.order == b.order && strcmp(a.name, b.name) > 0;
    if (ok && !is_unnamed(a.name) && !is_unnamed(b.name))
        put_name(w, "%s x %s", swap ? b.name : a.name, swap ? a.name : b.name);
    else if (ok && !is_unnamed(half.name))
        put_name(w, "Dih(%s)", half.name);
    else if (ok && s.factor[0] == NULL)
        th_group_each_name(w->f->order, try_name, &(Search){w, err});
    if (ok && s.factor[0] == NULL && is_unnamed(w->f->name))
        ok = th_group_split_name(w->g, &s, w->f->name, w->stop, err);
    ok = ok && (!is_unnamed(w->f->name) || write_invariants(w, &s, err));
    th_group_structure_free(&s);
    return ok;
}

bool th_group_facts(const ThGroup *g, ThGroupFacts *f, ThStop *stop, ThError *err)
{
    Facts w = {.g = g, .f = f, .stop = stop, .kernel = 1};
    *f = (ThGroupFacts){.order = th_group_order(g), .name = "trivial"};
    f->abelian = is_abelian(g);
    bool ok = find_orders(&w, err) && find_solvable(&w, err);
    if (ok && f->abelian && f->order > 1)
        name_abelian(&w, f->name);
    else if (ok && f->order > 1 && !name_by_points(&w) && !name_by_half(&w)) {
        snprintf(f->name, TH_GROUP_NAME, "order %zu", f->order);
        ok = f->order > TH_GROUP_STRUCTURE_MOST || name_by_structure(&w, err);
    }
    TH_FREE(w.order, w.inside);
    return ok;
}
