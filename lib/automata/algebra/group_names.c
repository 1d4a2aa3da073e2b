#include "automata/algebra/group_names.h"

#include <stdio.h>

#include "automata/algebra/group_families.h"

/* ---- products -------------------------------------------------------------------------------- */

/* Adds a factor: its permutations move points behind those that there are. */
static bool add_factor(ThGroupGenerators *all, const ThGroupGenerators *one, ThError *err)
{
    int degree = all->degree + one->degree, n = all->n + one->n;
    int *to = th_alloc((size_t)n * (size_t)degree, sizeof *to, err);
    for (int g = 0; to && g < n; g++)
        for (int i = 0; i < degree; i++) {
            bool first = g < all->n, inside = first ? i < all->degree : i >= all->degree;
            const int *from = first ? all->generator + g * all->degree
                                    : one->generator + (g - all->n) * one->degree;
            to[g * degree + i] = !inside ? i
                                 : first ? from[i]
                                         : all->degree + from[i - all->degree];
        }
    free(all->generator);
    *all = (ThGroupGenerators){to, degree, n};
    return to != NULL;
}

/* The wreath product: a copy of *all for every point of top.  Its generators move the first copy,
 * those of top move copies. */
static bool add_wreath(ThGroupGenerators *all, const ThGroupGenerators *top, ThError *err)
{
    int block = all->degree, degree = block * top->degree, n = all->n + top->n;
    int *to = th_alloc((size_t)n * (size_t)degree, sizeof *to, err);
    for (int g = 0; to && g < n; g++)
        for (int i = 0; i < degree; i++)
            to[g * degree + i] =
                g >= all->n
                    ? top->generator[(g - all->n) * top->degree + i / block] * block + i % block
                : i < block ? all->generator[g * block + i]
                            : i;
    free(all->generator);
    *all = (ThGroupGenerators){to, degree, n};
    return to != NULL;
}

/* ---- extensions that split ------------------------------------------------------------------- */

enum { MOST_CYCLES = 12, MOST_VECTORS = 2000, MOST_POINTS = 1000000, MOST_DEPTH = 20 };

/* Z_d1 x … x Z_dk as vectors, numbered with the first place moving fastest. */
typedef struct {
    int n, order[MOST_CYCLES], vectors;
} Vectors;

/* Is this a product of cycles beside each other, as that of cyclic groups is? */
static bool find_cycles(const ThGroupGenerators *all, Vectors *v)
{
    int from = 0;
    *v = (Vectors){.n = all->n, .vectors = 1};
    for (int g = 0; g < all->n; g++) {
        const int *x = all->generator + g * all->degree;
        int to = from;
        while (to < all->degree && x[to] != to && to - from < MOST_VECTORS)
            to++;
        if (g == MOST_CYCLES || to == from || x[to - 1] != from ||
            v->vectors > MOST_VECTORS / (to - from))
            return false;
        for (int i = from; i < to - 1; i++)
            if (x[i] != i + 1)
                return false;
        v->order[g] = to - from;
        v->vectors *= to - from;
        from = to;
    }
    return from == all->degree;
}

static void digits_of(const Vectors *v, int number, int *digit)
{
    for (int i = 0; i < v->n; number /= v->order[i++])
        digit[i] = number % v->order[i];
}

static int number_of(const Vectors *v, const int *digit)
{
    int number = 0;
    for (int i = v->n; i-- > 0;)
        number = number * v->order[i] + digit[i];
    return number;
}

/* to[x] = x times the matrix; returns whether that is an automorphism. */
static bool map_vectors(const Vectors *v, int (*row)[MOST_CYCLES], int *to)
{
    int digit[MOST_CYCLES], image[MOST_CYCLES];
    bool maps = true;
    for (int i = 0; i < v->n; i++)
        for (int j = 0; j < v->n; j++)
            maps = maps && row[i][j] * v->order[i] % v->order[j] == 0;
    for (int x = 0; maps && x < v->vectors; x++) {
        digits_of(v, x, digit);
        for (int j = 0; j < v->n; j++) {
            image[j] = 0;
            for (int i = 0; i < v->n; i++)
                image[j] = (image[j] + digit[i] * row[i][j]) % v->order[j];
        }
        to[x] = number_of(v, image);
        maps = x == 0 || to[x] != 0;
    }
    return maps;
}

typedef struct {
    const char *name, *at;
    int depth; /* of parentheses */
    ThError *err;
} Reader;

static int column_of(const Reader *r, const char *at)
{
    int column = 1;
    for (const char *c = r->name; c < at; c++)
        column += (*c & 0xc0) != 0x80;
    return column;
}

static bool fail(const Reader *r, const char *at, const char *message)
{
    return th_fail_at(r->err, TH_EPARSE, 1, column_of(r, at), "%s", message);
}

static void skip(Reader *r)
{
    r->at += strspn(r->at, " ");
}

/* Reads the text if it stands here, and blanks behind it. */
static bool met(Reader *r, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    skip(r);
    return true;
}

static bool read_matrix(Reader *r, const Vectors *v, int (*row)[MOST_CYCLES])
{
    for (int i = 0; i < v->n; i++)
        for (int j = 0; j < v->n; j++) {
            size_t n = strspn(r->at, "0123456789");
            if (n == 0 || n > 6)
                return fail(r, r->at, "expected a number of the matrix");
            row[i][j] = atoi(r->at) % v->order[j];
            r->at += n;
            skip(r);
            if (j == v->n - 1 && i < v->n - 1 && !met(r, ","))
                return fail(r, r->at, "expected , and a row of the matrix");
        }
    return true;
}

/* Do the generators' maps of the first points, beside those of the others, make no more of them?
 * Their group has as many elements as the one that acts, then. */
static bool is_action(const Reader *r, const ThGroupGenerators *all,
                      const ThGroupGenerators *acting, const char *at)
{
    enum { MOST = 20000 };
    int first = all->n - acting->n;
    ThError more = {0};
    ThGroup *one TH_OWNED(th_group_free) = th_group_new(acting->degree, r->err);
    ThGroup *both TH_OWNED(th_group_free) = one ? th_group_new(all->degree, r->err) : NULL;
    bool ok = both != NULL, acts = true;
    for (int g = 0; ok && g < acting->n; g++)
        ok = th_group_add(one, acting->generator + g * acting->degree, MOST, NULL, r->err);
    for (int g = 0; ok && acts && g < acting->n; g++)
        acts = th_group_add(both, all->generator + (first + g) * all->degree, th_group_order(one),
                            NULL, &more);
    if (ok && !acts)
        ok = more.code == TH_ELIMIT ? fail(r, at, "the second group does not act so")
                                    : th_fail(r->err, more.code, "%s", more.msg);
    return ok;
}

/* Makes *all, which is N, the product of vectors and a group that acts on them: translations, then
 * the generators of that, which move its own points, too. */
static bool add_vectors(ThGroupGenerators *all, const Vectors *v, const ThGroupGenerators *acting,
                        ThError *err)
{
    int degree = v->vectors + acting->degree, n = v->n + acting->n, digit[MOST_CYCLES];
    int *to = th_alloc((size_t)n * (size_t)degree, sizeof *to, err);
    for (int g = 0; to && g < n; g++)
        for (int i = 0; i < degree; i++)
            to[g * degree + i] =
                g < v->n || i < v->vectors
                    ? i
                    : v->vectors + acting->generator[(g - v->n) * acting->degree + i - v->vectors];
    for (int g = 0; to && g < v->n; g++)
        for (int x = 0; x < v->vectors; x++) {
            digits_of(v, x, digit);
            digit[g] = (digit[g] + 1) % v->order[g];
            to[g * degree + x] = number_of(v, digit);
        }
    free(all->generator);
    *all = (ThGroupGenerators){to, degree, n};
    return to != NULL;
}

static bool read_product(Reader *r, ThGroupGenerators *all);

/* Behind "N :": the group that acts, and how its generators do. */
static bool read_action(Reader *r, const Vectors *v, ThGroupGenerators *all,
                        ThGroupGenerators *acting)
{
    int row[MOST_CYCLES][MOST_CYCLES];
    if (!read_product(r, acting) || !add_vectors(all, v, acting, r->err))
        return false;
    if (!met(r, ",") || !met(r, "r") || !met(r, "="))
        return fail(r, r->at, "expected , r = and how the second group acts");
    const char *at = r->at;
    for (int g = 0; g < acting->n; g++) {
        if (g > 0 && !met(r, ";"))
            return fail(r, r->at, "expected ; and how the next generator acts");
        const char *matrix = r->at;
        if (!read_matrix(r, v, row))
            return false;
        if (!map_vectors(v, row, all->generator + (v->n + g) * all->degree))
            return fail(r, matrix, "this is no automorphism of the first group");
    }
    return met(r, ")") ? is_action(r, all, acting, at) : fail(r, r->at, "expected )");
}

/* Behind "Dih(A": x y of A and of the group that turns it around. */
static bool add_inversion(Reader *r, const Vectors *v, ThGroupGenerators *all)
{
    int swap[] = {1, 0}, row[MOST_CYCLES][MOST_CYCLES] = {{0}};
    for (int i = 0; i < v->n; i++)
        row[i][i] = v->order[i] - 1;
    return add_vectors(all, v, &(ThGroupGenerators){swap, 2, 1}, r->err) &&
           map_vectors(v, row, all->generator + v->n * all->degree);
}

/* Behind "(" or "Dih(". */
static bool read_parenthesis(Reader *r, ThGroupGenerators *all, bool inverted)
{
    Vectors v;
    ThGroupGenerators acting = {0};
    const char *at = r->at;
    if (r->depth++ == MOST_DEPTH)
        return fail(r, at, "parentheses are nested too deep");
    if (!read_product(r, all))
        return false;
    r->depth--;
    bool extended = !inverted && met(r, ":");
    if ((extended || inverted) && !find_cycles(all, &v))
        return fail(r, at, "expected a product of cyclic groups, to 2,000 elements");
    if (extended) {
        bool ok = read_action(r, &v, all, &acting);
        free(acting.generator);
        return ok;
    }
    return met(r, ")") ? !inverted || add_inversion(r, &v, all)
                       : fail(r, r->at, "expected ) or x and a group");
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool read_factor(Reader *r, ThGroupGenerators *one)
{
    const char *at = r->at;
    bool inverted = met(r, "Dih(");
    if (inverted || met(r, "("))
        return read_parenthesis(r, one, inverted);
    if (!th_group_family(at, &r->at, one, r->err))
        return false;
    if (r->at > at) {
        skip(r);
        return true;
    }
    int n = (int)strcspn(at, " x");
    th_fail_at(r->err, TH_EPARSE, 1, column_of(r, at),
               n ? "no group is named %.*s" : "expected the name of a group%.*s", n, at);
    return th_hint(r->err, "S5, A5, C6, D4, Q8, F20, SL(2,3), PSL(2,7), products as C2xC4, and S3 "
                           "wr C2, Dih(C3xC3), (Z_9 : Z_3, r = 4)");
}

/* A factor, and what is wreathed around it. */
static bool read_wreath(Reader *r, ThGroupGenerators *one)
{
    bool ok = read_factor(r, one);
    while (ok && met(r, "wr")) {
        const char *at = r->at;
        ThGroupGenerators top = {0};
        ok = read_factor(r, &top);
        if (ok && one->degree > MOST_POINTS / top.degree)
            ok = fail(r, at, "too many points are moved");
        ok = ok && add_wreath(one, &top, r->err);
        free(top.generator);
    }
    return ok;
}

static bool read_product(Reader *r, ThGroupGenerators *all)
{
    bool ok = true;
    for (bool more = true; ok && more; more = ok && met(r, "x")) {
        ThGroupGenerators one = {0};
        ok = read_wreath(r, &one) && add_factor(all, &one, r->err);
        free(one.generator);
    }
    return ok;
}

bool th_group_generators(const char *name, ThGroupGenerators *all, ThError *err)
{
    Reader r = {.name = name, .at = name, .err = err};
    skip(&r);
    return read_product(&r, all) &&
           (!*r.at || fail(&r, r.at, "expected x and a group, or the end of the name"));
}

ThGroup *th_group_named(const char *name, size_t limit, ThStop *stop, ThError *err)
{
    ThGroupGenerators all = {0};
    ThGroup *g = th_group_generators(name, &all, err) ? th_group_new(all.degree, err) : NULL;
    bool ok = g != NULL;
    for (int i = 0; ok && i < all.n; i++)
        ok = th_group_add(g, all.generator + i * all.degree, limit, stop, err);
    free(all.generator);
    return TH_KEEP_IF(ok, g, th_group_free);
}

/* ---- names for an order ---------------------------------------------------------------------- */

typedef struct {
    char letter;
    int copies;
    bool (*take)(void *context, const char *name);
    void *context;
} Top;

static bool take_wreath(void *context, const char *base)
{
    const Top *top = context;
    char name[80];
    snprintf(name, sizeof name, "%s wr %c_%d", base, top->letter, top->copies);
    return top->take(top->context, name);
}

/* X wr Z_k, S_k and A_k with X of a family. */
static bool each_wreath(size_t order, int k, bool (*take)(void *, const char *), void *context)
{
    size_t power = 0, all = 1;
    for (int i = 2; i <= k; i++)
        all *= (size_t)i;
    for (size_t base = 2; power <= order; base++) {
        power = 1;
        for (int i = 0; i < k; i++)
            power *= base;
        size_t top = order % power == 0 ? order / power : 0;
        char letter = top == (size_t)k          ? 'Z'
                      : top == all              ? 'S'
                      : k > 3 && 2 * top == all ? 'A'
                                                : '\0';
        if (letter && !th_group_each_member(base, take_wreath, &(Top){letter, k, take, context}))
            return false;
    }
    return true;
}

void th_group_each_name(size_t order, bool (*take)(void *context, const char *name), void *context)
{
    bool on = th_group_each_member(order, take, context);
    for (int k = 2; on && (size_t)1 << k <= order; k++)
        on = each_wreath(order, k, take, context);
}
