#include "automata/operations/cayley.h"

#include <ctype.h>

#include "automata/core/build.h"
#include "base/memory.h"

/* ---- maps of points and what they generate --------------------------------------------------- */

/* Elements in the order of the shortest words that make them. */
typedef struct {
    int degree, n_generators;
    int *generator; /* (n_generators, degree): where each point goes */
    ThIntern element;
    int *next; /* (elements, n_generators): times a generator */
    size_t next_cap;
    int *from, *by; /* (elements): of the last symbol of the shortest word */
    size_t from_cap, by_cap;
} Generated;

static void free_generated(Generated *g)
{
    th_intern_free(&g->element);
    TH_FREE(g->generator, g->next, g->from, g->by);
}

static const int *element_at(const Generated *g, size_t i)
{
    return th_intern_at(&g->element, i, NULL);
}

/* The number of an element, which is new if it was not known. */
static bool note(Generated *g, const int *map, int from, int by, int *index, ThError *err)
{
    size_t known = g->element.n, at;
    if (!th_intern(&g->element, map, (size_t)g->degree * sizeof *map, &at, err) ||
        !th_grow(&g->from, &g->from_cap, at + 1, sizeof *g->from, err) ||
        !th_grow(&g->by, &g->by_cap, at + 1, sizeof *g->by, err))
        return false;
    if (at == known) {
        g->from[at] = from;
        g->by[at] = by;
    }
    *index = (int)at;
    return true;
}

/* Left to right: first x, then y. */
static void multiply(const Generated *g, const int *x, const int *y, int *to)
{
    for (int i = 0; i < g->degree; i++)
        to[i] = y[x[i]];
}

static bool generate(Generated *g, size_t most, ThStop *stop, ThError *err)
{
    int *map TH_OWNED(free) = th_alloc((size_t)g->degree, sizeof *map, err), index;
    size_t k = (size_t)g->n_generators;
    for (int i = 0; map && i < g->degree; i++)
        map[i] = i;
    bool ok = map && note(g, map, -1, -1, &index, err);
    for (size_t i = 0; ok && i < g->element.n; i++) {
        if (th_stopped(stop, err))
            return false;
        if (most && g->element.n > most)
            return th_fail(err, TH_ELIMIT, "there are more than %zu elements", most);
        ok = th_grow(&g->next, &g->next_cap, (i + 1) * k, sizeof *g->next, err);
        for (size_t a = 0; ok && a < k; a++) {
            multiply(g, element_at(g, i), g->generator + a * (size_t)g->degree, map);
            ok = note(g, map, (int)i, (int)a, &index, err);
            g->next[i * k + a] = index;
        }
    }
    return ok;
}

/* States of their own names, as outputs, too; the first is where it starts and accepts. */
static void build_states(ThAutomatonBuild *b, const Generated *g, char *const *letter, bool single)
{
    for (size_t i = 0; i < g->element.n; i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        int word[64], n = 0;
        for (int at = (int)i; at > 0 && n < 64; at = g->from[at])
            word[n++] = g->by[at];
        for (int k = n; k-- > 0;)
            th_text_printf(&t, "%s%s", letter[word[k]], single || k == 0 ? "" : ".");
        const char *name = i == 0 ? "e" : t.data ? t.data : "";
        int q = th_automaton_build_state(b, name);
        th_automaton_build_moore(b, q, th_automaton_build_output(b, name));
    }
    th_automaton_build_start(b, 0);
    th_automaton_build_accept(b, 0);
}

static bool are_single(char *const *letter, int n)
{
    bool single = true;
    for (int i = 0; i < n; i++)
        single = single && strlen(letter[i]) == 1 && letter[i][0] != 'e';
    return single;
}

/* ---- groups by name -------------------------------------------------------------------------- */

/* A group that is being put together: permutations of points beside each other. */
typedef struct {
    int *generator, degree, n; /* (n, degree) */
} Group;

/* Adds a factor: its permutations move points behind those that there are. */
static bool add_factor(Group *all, const Group *one, ThError *err)
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
    *all = (Group){to, degree, n};
    return to != NULL;
}

/* Where generator g of a family takes point i; p is the number in the name. */
typedef int Moves(int p, int g, int i);

static int cyclic(int n, int g, int i)
{
    (void)g;
    return (i + 1) % n;
}

static int dihedral(int n, int g, int i)
{
    return g == 0 ? (i + 1) % n : (n - i) % n;
}

static int symmetric(int n, int g, int i)
{
    return g == 0 ? (i < 2 ? 1 - i : i) : (i + 1) % n;
}

/* (1 2 3) and the cycle of all points, or of all but the first where they are even in number. */
static int alternating(int n, int g, int i)
{
    if (g == 0)
        return i < 3 ? (i + 1) % 3 : i;
    int first = 1 - n % 2;
    return i < first ? i : first + (i - first + 1) % (n - first);
}

/* Points x^i y^j as i + j n/2; times x and times y, y x = x^-1 y, y^2 = x^(n/4). */
static int quaternion(int n, int g, int i)
{
    int m = n / 2, j = i / m, k = i % m;
    if (g == 0)
        return j * m + (j ? k + m - 1 : k + 1) % m;
    return j ? (k + m / 2) % m : m + k;
}

static int primitive_root(int p)
{
    for (int g = 2; g < p; g++) {
        int order = 1;
        for (int x = g; x != 1; x = x * g % p)
            order++;
        if (order == p - 1)
            return g;
    }
    return 1;
}

/* The prime of a number p (p - 1) or p (p - 1) / 2; 0: none. */
static int prime_of(int n)
{
    for (int p = 3; p * (p - 1) / 2 <= n; p++) {
        bool prime = true;
        for (int d = 2; d * d <= p; d++)
            prime = prime && p % d;
        if (prime && (p * (p - 1) == n || p * (p - 1) / 2 == n))
            return p;
    }
    return 0;
}

static int affine(int n, int g, int i)
{
    int p = prime_of(n), a = primitive_root(p);
    return g == 0 ? (i + 1) % p : i * (p * (p - 1) == n ? a : a * a % p) % p;
}

/* Points (x, y) of the plane modulo p but the origin, as x p + y - 1. */
static int special(int p, int g, int i)
{
    int x = (i + 1) / p, y = (i + 1) % p;
    return (g == 0 ? x * p + (x + y) % p : (x + y) % p * p + y) - 1;
}

/* Points of the line modulo p, and p for infinity: z + 1 and -1/z. */
static int projective(int p, int g, int z)
{
    if (g == 0)
        return z == p ? p : (z + 1) % p;
    if (z == 0 || z == p)
        return p - z;
    int inverse = 1;
    while (inverse * z % p != 1)
        inverse++;
    return p - inverse;
}

static const struct {
    const char *name;
    int least, most; /* of the number */
    int generators;
    Moves *moves;
} families[] = {
    {"C", 1, 100000, 1, cyclic},     {"Z", 1, 100000, 1, cyclic}, {"D", 3, 100000, 2, dihedral},
    {"SL(2,", 2, 31, 2, special},    {"S", 2, 12, 2, symmetric},  {"A", 3, 12, 2, alternating},
    {"Q", 8, 100000, 2, quaternion}, {"F", 6, 10000, 2, affine},  {"PSL(2,", 2, 61, 2, projective},
};
enum { N_FAMILIES = sizeof families / sizeof *families };

static bool is_prime(int p)
{
    for (int d = 2; d * d <= p; d++)
        if (p % d == 0)
            return false;
    return p > 1;
}

static int degree_of(size_t family, int p)
{
    Moves *m = families[family].moves;
    return m == special ? p * p - 1 : m == projective ? p + 1 : m == affine ? prime_of(p) : p;
}

static bool fits(size_t family, int p)
{
    Moves *m = families[family].moves;
    return p >= families[family].least && p <= families[family].most &&
           (m != quaternion || p % 4 == 0) && (m != affine || prime_of(p)) &&
           ((m != special && m != projective) || is_prime(p));
}

/* One factor of a name; *at stands behind it then. */
static bool read_factor(const char *name, const char **at, Group *all, ThError *err)
{
    size_t f = 0;
    int column = 1 + (int)(*at - name);
    while (f < N_FAMILIES && strncmp(*at, families[f].name, strlen(families[f].name)) != 0)
        f++;
    const char *digits = f < N_FAMILIES ? *at + strlen(families[f].name) : "";
    size_t n = strspn(digits, "0123456789");
    bool closes = f < N_FAMILIES && strchr(families[f].name, '(') != NULL;
    int p = n > 0 && n < 7 ? atoi(digits) : 0;
    if (p == 0 || !fits(f, p) || (closes && digits[n] != ')')) {
        th_fail_at(err, TH_EPARSE, 1, column, "no group is named %.*s", (int)strcspn(*at, "x"),
                   *at);
        return th_hint(err, "S5, A5, C6, D4, Q8, F20, SL(2,3), PSL(2,7), and products as C2xC4");
    }
    Group one = {.degree = degree_of(f, p), .n = families[f].generators};
    one.generator = th_alloc((size_t)one.n * (size_t)one.degree, sizeof *one.generator, err);
    for (int g = 0; one.generator && g < one.n; g++)
        for (int i = 0; i < one.degree; i++)
            one.generator[g * one.degree + i] = families[f].moves(p, g, i);
    bool ok = one.generator && add_factor(all, &one, err);
    free(one.generator);
    *at = digits + n + closes;
    return ok;
}

static bool read_group(const char *name, Group *all, ThError *err)
{
    const char *at = name;
    bool ok = read_factor(name, &at, all, err);
    while (ok && *at == 'x') {
        at++;
        ok = read_factor(name, &at, all, err);
    }
    return ok && (!*at || th_fail_at(err, TH_EPARSE, 1, 1 + (int)(at - name),
                                     "expected x and a group, or the end of the name"));
}

ThAutomaton *th_automaton_group(const char *name, char *const *alphabet, int n, size_t max_states,
                                ThStop *stop, ThError *err)
{
    enum { MOST_GENERATORS = 20 };
    Group all = {0};
    ThAutomaton *a = NULL;
    char own[MOST_GENERATORS][2], *letter[MOST_GENERATORS];
    if (!read_group(name, &all, err)) {
        free(all.generator);
        return NULL;
    }
    Generated g = {.degree = all.degree, .n_generators = all.n, .generator = all.generator};
    bool ok = all.n <= MOST_GENERATORS && (n == 0 || n == all.n);
    if (!ok)
        th_fail(err, TH_EVALUE, "%s has %d generators", name, all.n);
    for (int i = 0; ok && i < all.n; i++) {
        own[i][0] = (char)('a' + i + (i >= 4)); /* e is the identity */
        own[i][1] = '\0';
        letter[i] = n ? alphabet[i] : own[i];
    }
    if (ok && generate(&g, max_states, stop, err)) {
        ThAutomatonBuild b = {0};
        for (int i = 0; i < all.n; i++)
            th_automaton_build_symbol(&b, letter[i]);
        build_states(&b, &g, letter, are_single(letter, all.n));
        for (size_t i = 0; i < g.element.n; i++)
            for (int k = 0; k < all.n; k++)
                th_automaton_build_arc(&b, (ThAutomatonArc){(int)i, k,
                                                            g.next[i * (size_t)all.n + (size_t)k],
                                                            TH_AUTOMATON_NO_OUTPUT});
        a = th_automaton_build_finish(&b, err);
    }
    free_generated(&g);
    return a;
}

/* ---- every element as a symbol --------------------------------------------------------------- */

static bool add_products(ThAutomatonBuild *b, const Generated *g, ThError *err)
{
    int *map TH_OWNED(free) = th_alloc((size_t)g->degree, sizeof *map, err);
    for (size_t s = 0; map && s < g->element.n; s++)
        for (size_t x = 0; x < g->element.n; x++) {
            multiply(g, element_at(g, s), element_at(g, x), map);
            size_t to = th_intern_find(&g->element, map, (size_t)g->degree * sizeof *map);
            th_automaton_build_arc(
                b, (ThAutomatonArc){(int)s, (int)x, (int)to, TH_AUTOMATON_NO_OUTPUT});
        }
    return map != NULL;
}

ThAutomaton *th_automaton_cayley(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    enum { MOST = 2048 };
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_dfa(a, w.max_states, w.stop, err);
    if (!d)
        return NULL;
    Generated g = {.degree = d->n_states, .n_generators = d->n_symbols};
    g.generator = th_alloc((size_t)d->n_states * (size_t)d->n_symbols, sizeof *g.generator, err);
    for (int q = 0; g.generator && q < d->n_states; q++)
        for (int c = 0; c < d->n_symbols; c++)
            g.generator[c * d->n_states + q] = d->next[q * d->n_symbols + c];
    ThAutomatonBuild b = {0};
    ThAutomaton *made = NULL;
    if (g.generator && generate(&g, MOST, w.stop, err)) {
        build_states(&b, &g, a->symbol, are_single(a->symbol, a->n_symbols));
        for (size_t i = 0; i < g.element.n; i++)
            th_automaton_build_symbol(&b, th_intern_at(&b.state, i, NULL));
        bool ok = add_products(&b, &g, err);
        made = ok ? th_automaton_build_finish(&b, err) : NULL;
        if (!ok)
            th_automaton_build_free(&b);
    }
    free_generated(&g);
    return made;
}
