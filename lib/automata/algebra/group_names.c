#include "automata/algebra/group_names.h"

#include <stdio.h>

#include "base/memory.h"

/* ---- groups by name -------------------------------------------------------------------------- */

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

/* Steinberg's generators: (g x, y), g a primitive root, and (-x - y, x). */
static int general(int p, int g, int i)
{
    int x = (i + 1) / p, y = (i + 1) % p;
    return (g == 0 ? primitive_root(p) * x % p * p + y : (2 * p - x - y) % p * p + x) - 1;
}

/* The same for z = x/y: g z and -1 - 1/z. */
static int projective_general(int p, int g, int z)
{
    if (g == 0)
        return z == p ? p : primitive_root(p) * z % p;
    return z == p ? p - 1 : z == 0 ? p : (p - 1 + projective(p, 1, z)) % p;
}

static const struct {
    const char *name;
    int least, most; /* of the number */
    int generators;
    Moves *moves;
} families[] = {
    {"C", 1, 100000, 1, cyclic},
    {"Z", 1, 100000, 1, cyclic},
    {"D", 3, 100000, 2, dihedral},
    {"SL(2,", 2, 31, 2, special},
    {"S", 2, 12, 2, symmetric},
    {"A", 3, 12, 2, alternating},
    {"Q", 8, 100000, 2, quaternion},
    {"F", 6, 10000, 2, affine},
    {"PSL(2,", 2, 61, 2, projective},
    {"GL(2,", 3, 13, 2, general},
    {"PGL(2,", 3, 61, 2, projective_general},
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
    return m == special || m == general                 ? p * p - 1
           : m == projective || m == projective_general ? p + 1
           : m == affine                                ? prime_of(p)
                                                        : p;
}

static bool fits(size_t family, int p)
{
    Moves *m = families[family].moves;
    return p >= families[family].least && p <= families[family].most &&
           (m != quaternion || p % 4 == 0) && (m != affine || prime_of(p)) &&
           (!strchr(families[family].name, '(') || is_prime(p));
}

/* One factor of a name; *at stands behind it then. */
static bool read_factor(const char *name, const char **at, ThGroupGenerators *all, ThError *err)
{
    size_t f = 0;
    int column = 1 + (int)(*at - name);
    while (f < N_FAMILIES && strncmp(*at, families[f].name, strlen(families[f].name)) != 0)
        f++;
    const char *digits = f < N_FAMILIES ? *at + strlen(families[f].name) : "";
    bool closes = f < N_FAMILIES && strchr(families[f].name, '(') != NULL;
    digits += !closes && *digits == '_';
    size_t n = strspn(digits, "0123456789");
    int p = n > 0 && n < 7 ? atoi(digits) : 0;
    if (p == 0 || !fits(f, p) || (closes && digits[n] != ')')) {
        th_fail_at(err, TH_EPARSE, 1, column, "no group is named %.*s", (int)strcspn(*at, " x"),
                   *at);
        return th_hint(err, "S5, A5, C6, D4, Q8, F20, SL(2,3), PSL(2,7), and products as C2xC4");
    }
    ThGroupGenerators one = {.degree = degree_of(f, p), .n = families[f].generators};
    one.generator = th_alloc((size_t)one.n * (size_t)one.degree, sizeof *one.generator, err);
    for (int g = 0; one.generator && g < one.n; g++)
        for (int i = 0; i < one.degree; i++)
            one.generator[g * one.degree + i] = families[f].moves(p, g, i);
    bool ok = one.generator && add_factor(all, &one, err);
    free(one.generator);
    *at = digits + n + closes;
    *at += strspn(*at, " ");
    return ok;
}

bool th_group_generators(const char *name, ThGroupGenerators *all, ThError *err)
{
    const char *at = name;
    bool ok = read_factor(name, &at, all, err);
    while (ok && *at == 'x') {
        at += 1 + strspn(at + 1, " ");
        ok = read_factor(name, &at, all, err);
    }
    return ok && (!*at || th_fail_at(err, TH_EPARSE, 1, 1 + (int)(at - name),
                                     "expected x and a group, or the end of the name"));
}

static size_t order_of(size_t family, size_t p)
{
    Moves *m = families[family].moves;
    size_t n = 1;
    for (size_t i = 2; (m == symmetric || m == alternating) && i <= p && n < 100000; i++)
        n *= i;
    return m == dihedral                             ? 2 * p
           : m == symmetric                          ? n
           : m == alternating                        ? n / 2
           : m == special || m == projective_general ? p * (p * p - 1)
           : m == general                            ? p * (p * p - 1) * (p - 1)
           : m == projective                         ? p * (p * p - 1) / (p > 2 ? 2 : 1)
                                                     : p;
}

void th_group_each_name(size_t order, bool (*take)(void *context, const char *name), void *context)
{
    bool on = true;
    for (size_t f = 0; on && f < N_FAMILIES; f++) {
        int p = families[f].least;
        while (p <= families[f].most && order_of(f, (size_t)p) < order)
            p++;
        if (order_of(f, (size_t)p) != order || !fits(f, p))
            continue;
        char name[32];
        snprintf(name, sizeof name, "%s%d%s", families[f].name, p,
                 strchr(families[f].name, '(') ? ")" : "");
        on = take(context, name);
    }
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
