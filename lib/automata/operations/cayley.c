#include "automata/operations/cayley.h"

#include "automata/algebra/monoid.h"
#include "automata/core/build.h"

/* ---- what elements are called --------------------------------------------------------------- */

/* States of their own names, as outputs, too; the first is where it starts and accepts. */
static void build_states(ThAutomatonBuild *b, const ThMonoid *m, char *const *letter, bool single)
{
    for (int i = 0; i < m->size; i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        int word[64], n = 0;
        for (int at = i; at > 0 && n < 64; at = m->prefix[at])
            word[n++] = m->last[at];
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
    char own[MOST_GENERATORS][2], *letter[MOST_GENERATORS];
    if (!read_group(name, &all, err)) {
        free(all.generator);
        return NULL;
    }
    bool ok = all.n <= MOST_GENERATORS && (n == 0 || n == all.n);
    if (!ok)
        th_fail(err, TH_EVALUE, "%s has %d generators", name, all.n);
    for (int i = 0; ok && i < all.n; i++) {
        own[i][0] = (char)('a' + i + (i >= 4)); /* e is the identity */
        own[i][1] = '\0';
        letter[i] = n ? alphabet[i] : own[i];
    }
    ThDfa *points TH_OWNED(th_dfa_free) = ok ? th_dfa_new(all.degree, all.n, 1, err) : NULL;
    for (int i = 0; points && i < all.degree * all.n; i++)
        points->next[i] = all.generator[i % all.n * all.degree + i / all.n];
    ThMonoid *m TH_OWNED(th_monoid_free) =
        points ? th_monoid_new(points, max_states, stop, err) : NULL;
    free(all.generator);
    if (!m)
        return NULL;
    ThAutomatonBuild b = {0};
    for (int i = 0; i < all.n; i++)
        th_automaton_build_symbol(&b, letter[i]);
    build_states(&b, m, letter, are_single(letter, all.n));
    const int *to = m->right;
    for (int x = 0; x < m->size; x++)
        for (int g = 0; g < all.n; g++)
            th_automaton_build_arc(&b, (ThAutomatonArc){x, g, *to++, TH_AUTOMATON_NO_OUTPUT});
    return th_automaton_build_finish(&b, err);
}

/* ---- every element as a symbol --------------------------------------------------------------- */

ThAutomaton *th_automaton_cayley(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    enum { MOST = 2048 };
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_dfa(a, w.max_states, w.stop, err);
    ThMonoid *m TH_OWNED(th_monoid_free) = d ? th_monoid_new(d, MOST, w.stop, err) : NULL;
    if (!m)
        return NULL;
    ThAutomatonBuild b = {0};
    build_states(&b, m, a->symbol, are_single(a->symbol, a->n_symbols));
    for (int x = 0; x < m->size; x++)
        th_automaton_build_symbol(&b, th_intern_at(&b.state, (size_t)x, NULL));
    for (int s = 0; s < m->size; s++)
        for (int x = 0; x < m->size; x++)
            th_automaton_build_arc(
                &b, (ThAutomatonArc){s, x, th_monoid_product(m, s, x), TH_AUTOMATON_NO_OUTPUT});
    return th_automaton_build_finish(&b, err);
}
