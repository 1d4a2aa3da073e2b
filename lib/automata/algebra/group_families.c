#include "automata/algebra/group_families.h"

#include <stdio.h>

/* ---- finite fields --------------------------------------------------------------------------- */

/* The field of q = p^k elements, polynomials in x of degree < k as numbers to the base p; or just
 * the number q in a name. */
typedef struct {
    int q, p;
    int root; /* generates the units */
    int high; /* x^k is this */
} Field;

/* The prime of which q is a power; 0: none. */
static int characteristic(int q)
{
    int p = 2;
    while (q > 1 && q % p != 0)
        p++;
    while (q > 1 && q % p == 0)
        q /= p;
    return q == 1 ? p : 0;
}

static int add(const Field *f, int a, int b)
{
    int sum = 0;
    for (int place = 1; place < f->q; place *= f->p, a /= f->p, b /= f->p)
        sum += (a + b) % f->p * place;
    return sum;
}

static int times_x(const Field *f, int a)
{
    int high = a / (f->q / f->p), product = a % (f->q / f->p) * f->p;
    for (; high > 0; high--)
        product = add(f, product, f->high);
    return product;
}

static int multiply(const Field *f, int a, int b)
{
    if (f->q == f->p)
        return a * b % f->p;
    int product = 0;
    for (int place = f->q / f->p; place > 0; place /= f->p) {
        product = times_x(f, product);
        for (int digit = b / place % f->p; digit > 0; digit--)
            product = add(f, product, a);
    }
    return product;
}

static int power(const Field *f, int a, int exponent)
{
    int product = 1;
    for (; exponent > 0; exponent--)
        product = multiply(f, product, a);
    return product;
}

static int inverse(const Field *f, int a)
{
    return power(f, a, f->q - 2);
}

static int negative(const Field *f, int a)
{
    return multiply(f, f->p - 1, a);
}

static bool is_root(const Field *f)
{
    int order = 1;
    for (int a = f->root; a != 1 && order < f->q; order++)
        a = multiply(f, a, f->root);
    return order == f->q - 1;
}

/* The root is the least primitive one modulo a prime; else x, by the least x^k that makes it one.
 */
static Field field_of(int q)
{
    Field f = {.q = q, .p = characteristic(q), .root = 1, .high = 1};
    if (q > f.p)
        for (f.root = f.p; !is_root(&f);)
            f.high++;
    else
        while (q > 2 && !is_root(&f))
            f.root++;
    return f;
}

/* ---- permutations ---------------------------------------------------------------------------- */

/* Where generator g of a family takes point i. */
typedef int Moves(const Field *f, int g, int i);

static int cyclic(const Field *f, int g TH_UNUSED, int i)
{
    return (i + 1) % f->q;
}

static int dihedral(const Field *f, int g, int i)
{
    return g == 0 ? (i + 1) % f->q : (f->q - i) % f->q;
}

static int symmetric(const Field *f, int g, int i)
{
    return g == 0 ? (i < 2 ? 1 - i : i) : (i + 1) % f->q;
}

/* (1 2 3) and the cycle of all points, or of all but the first where they are even in number. */
static int alternating(const Field *f, int g, int i)
{
    if (g == 0)
        return i < 3 ? (i + 1) % 3 : i;
    int first = 1 - f->q % 2;
    return i < first ? i : first + (i - first + 1) % (f->q - first);
}

/* Points x^i y^j as i + j n/2; times x and times y, y x = x^-1 y, y^2 = x^(n/4). */
static int quaternion(const Field *f, int g, int i)
{
    int m = f->q / 2, j = i / m, k = i % m;
    if (g == 0)
        return j * m + (j ? k + m - 1 : k + 1) % m;
    return j ? (k + m / 2) % m : m + k;
}

/* x + 1 and r x modulo n / 2. */
static int semidihedral(const Field *f, int g, int i)
{
    return (g == 0 ? i + 1 : i * (f->q / 4 - 1)) % (f->q / 2);
}

static int modular(const Field *f, int g, int i)
{
    return (g == 0 ? i + 1 : i * (f->q / 4 + 1)) % (f->q / 2);
}

/* The prime p of p m with m dividing p - 1; 0: none. */
static int prime_of(int n)
{
    int p = n;
    for (int d = 2; d < p; d++)
        while (p % d == 0 && p > d)
            p /= d;
    return p < n && (p - 1) % (n / p) == 0 ? p : 0;
}

/* x + 1, and a x with a of order m. */
static int frobenius(const Field *f, int g, int i)
{
    int p = prime_of(f->q);
    Field prime = g ? field_of(p) : (Field){0};
    return g == 0 ? (i + 1) % p : i * power(&prime, prime.root, (p - 1) / (f->q / p)) % p;
}

/* (x + 1, y) and (x, y + x). */
static int heisenberg(const Field *f, int g, int i)
{
    int x = i / f->q, y = i % f->q;
    return g == 0 ? (x + 1) % f->q * f->q + y : x * f->q + (y + x) % f->q;
}

/* Points (x, y) of the plane but the origin, as x q + y - 1.  A third generator is needed where q
 * is no prime. */
static int special(const Field *f, int g, int i)
{
    int x = (i + 1) / f->q, y = (i + 1) % f->q;
    if (g == 2)
        return multiply(f, f->root, x) * f->q + multiply(f, inverse(f, f->root), y) - 1;
    return (g == 0 ? x * f->q + add(f, x, y) : add(f, x, y) * f->q + y) - 1;
}

/* Points of the line, and q for infinity: z + 1, -1/z and a square times z. */
static int projective(const Field *f, int g, int z)
{
    if (g == 1)
        return z == 0 || z == f->q ? f->q - z : negative(f, inverse(f, z));
    if (z == f->q)
        return z;
    return g == 0 ? add(f, z, 1) : multiply(f, multiply(f, f->root, f->root), z);
}

/* Steinberg's generators: (g x, y), g a primitive root, and (-x - y, x). */
static int general(const Field *f, int g, int i)
{
    int x = (i + 1) / f->q, y = (i + 1) % f->q;
    return (g == 0 ? multiply(f, f->root, x) * f->q + y : negative(f, add(f, x, y)) * f->q + x) - 1;
}

/* The same for z = x/y: g z and -1 - 1/z; and z^p. */
static int projective_general(const Field *f, int g, int z)
{
    if (g != 1)
        return z == f->q ? z : g == 0 ? multiply(f, f->root, z) : power(f, z, f->p);
    int to = projective(f, 1, z);
    return to == f->q ? to : add(f, negative(f, 1), to);
}

static int affine(const Field *f, int g, int z)
{
    return g == 0 ? add(f, z, 1) : projective_general(f, g == 1 ? 0 : 2, z);
}

/* PSL(2,9) and g z^3. */
static int mathieu(const Field *f, int g, int z)
{
    Field nine = field_of(f->q - 1);
    if (g < 2)
        return projective(&nine, g, z);
    return z == nine.q ? z : multiply(&nine, nine.root, power(&nine, z, 3));
}

/* ---- numbers --------------------------------------------------------------------------------- */

typedef enum { ANY, FOURS, POWERS_OF_2, FROBENIUS, PRIMES, PRIME_POWERS } Numbers;
typedef enum { AS_MANY, HALF, PRIME, SQUARE, PLANE, LINE } Points;

static bool fits(Numbers kind, int n)
{
    int p = characteristic(n);
    return kind == ANY           ? true
           : kind == FOURS       ? n % 4 == 0
           : kind == POWERS_OF_2 ? p == 2
           : kind == FROBENIUS   ? prime_of(n) > 0
           : kind == PRIMES      ? p == n
                                 : p > 0;
}

static int degree_of(Points kind, int n)
{
    return kind == AS_MANY  ? n
           : kind == HALF   ? n / 2
           : kind == PRIME  ? prime_of(n)
           : kind == SQUARE ? n * n
           : kind == PLANE  ? n * n - 1
                            : n + 1;
}

static size_t as_many(size_t n)
{
    return n;
}

static size_t twice(size_t n)
{
    return 2 * n;
}

static size_t factorial(size_t n)
{
    size_t product = 1;
    for (; n > 1; n--)
        product *= n;
    return product;
}

static size_t half_factorial(size_t n)
{
    return factorial(n) / 2;
}

static size_t cube(size_t n)
{
    return n * n * n;
}

static size_t special_order(size_t q)
{
    return q * (q * q - 1);
}

static size_t general_order(size_t q)
{
    return special_order(q) * (q - 1);
}

static size_t projective_order(size_t q)
{
    return special_order(q) / (q % 2 + 1);
}

static size_t affine_order(size_t q)
{
    return q * (q - 1);
}

static size_t automorphisms(size_t q)
{
    size_t p = (size_t)characteristic((int)q), k = 0;
    for (; q > 1; q /= p)
        k++;
    return k;
}

static size_t semiaffine_order(size_t q)
{
    return affine_order(q) * automorphisms(q);
}

static size_t semiprojective_order(size_t q)
{
    return special_order(q) * automorphisms(q);
}

static size_t mathieu_order(size_t n)
{
    return n * (n - 1) * (n - 2);
}

/* Of several names of a group the first is found; GAP's are read, too. */
static const struct {
    const char *name;
    int least, most; /* of the number */
    int generators;  /* and one more, where `third`, of a field that is not of prime order */
    bool third;
    Numbers numbers;
    Points points;
    Moves *moves;
    size_t (*order)(size_t n);
} families[] = {
    {"Z", 1, 100000, 1, false, ANY, AS_MANY, cyclic, as_many},
    {"S", 2, 12, 2, false, ANY, AS_MANY, symmetric, factorial},
    {"A", 3, 12, 2, false, ANY, AS_MANY, alternating, half_factorial},
    {"D", 3, 100000, 2, false, ANY, AS_MANY, dihedral, twice},
    {"Q", 8, 100000, 2, false, FOURS, AS_MANY, quaternion, as_many},
    {"SD", 16, 65536, 2, false, POWERS_OF_2, HALF, semidihedral, as_many},
    {"M", 16, 65536, 2, false, POWERS_OF_2, HALF, modular, as_many},
    {"F", 6, 10000, 2, false, FROBENIUS, PRIME, frobenius, as_many},
    {"He", 3, 31, 2, false, PRIMES, SQUARE, heisenberg, cube},
    {"PSL(2,", 2, 64, 2, true, PRIME_POWERS, LINE, projective, projective_order},
    {"SL(2,", 2, 32, 2, true, PRIME_POWERS, PLANE, special, special_order},
    {"GL(2,", 3, 16, 2, false, PRIME_POWERS, PLANE, general, general_order},
    {"PGL(2,", 3, 64, 2, false, PRIME_POWERS, LINE, projective_general, special_order},
    {"PΓL(2,", 4, 64, 3, false, PRIME_POWERS, LINE, projective_general, semiprojective_order},
    {"AGL(1,", 3, 1024, 2, false, PRIME_POWERS, AS_MANY, affine, affine_order},
    {"AΓL(1,", 4, 1024, 3, false, PRIME_POWERS, AS_MANY, affine, semiaffine_order},
    {"M", 10, 10, 3, false, ANY, AS_MANY, mathieu, mathieu_order},
    {"C", 1, 100000, 1, false, ANY, AS_MANY, cyclic, as_many},
    {"PGammaL(2,", 4, 64, 3, false, PRIME_POWERS, LINE, projective_general, semiprojective_order},
    {"AGammaL(1,", 4, 1024, 3, false, PRIME_POWERS, AS_MANY, affine, semiaffine_order},
};
enum { N_FAMILIES = sizeof families / sizeof *families, N_LISTED = N_FAMILIES - 3 };

static bool is_member(size_t family, int n)
{
    return n >= families[family].least && n <= families[family].most &&
           fits(families[family].numbers, n);
}

/* The number behind a family's name, and *end behind that; 0: it is no member. */
static int read_number(const char *at, size_t family, const char **end)
{
    const char *name = families[family].name;
    size_t length = strlen(name);
    if (strncmp(at, name, length) != 0)
        return 0;
    bool closes = strchr(name, '(') != NULL;
    const char *digits = at + length + (!closes && at[length] == '_');
    size_t n = strspn(digits, "0123456789");
    int number = n > 0 && n < 7 ? atoi(digits) : 0;
    if (!is_member(family, number) || (closes && digits[n] != ')'))
        return 0;
    *end = digits + n + closes;
    return number;
}

bool th_group_family(const char *at, const char **end, ThGroupGenerators *one, ThError *err)
{
    int number = 0;
    size_t family = 0;
    *end = at;
    while (family < N_FAMILIES && !(number = read_number(at, family, end)))
        family++;
    if (number == 0)
        return true;
    bool field = families[family].numbers == PRIME_POWERS;
    Field f = field ? field_of(number) : (Field){.q = number, .p = number};
    one->degree = degree_of(families[family].points, number);
    one->n = families[family].generators + (families[family].third && f.p != f.q);
    one->generator = th_alloc((size_t)one->n * (size_t)one->degree, sizeof *one->generator, err);
    for (int g = 0; one->generator && g < one->n; g++)
        for (int i = 0; i < one->degree; i++)
            one->generator[g * one->degree + i] = families[family].moves(&f, g, i);
    return one->generator != NULL;
}

bool th_group_each_member(size_t order, bool (*take)(void *context, const char *name),
                          void *context)
{
    for (size_t i = 0; i < N_LISTED; i++)
        for (int n = families[i].least; n <= families[i].most && (size_t)n <= order; n++) {
            if (!is_member(i, n) || families[i].order((size_t)n) != order)
                continue;
            char name[32];
            bool closes = strchr(families[i].name, '(') != NULL;
            snprintf(name, sizeof name, closes ? "%s%s%d)" : "%s%s%d", families[i].name,
                     closes ? "" : "_", n);
            if (!take(context, name))
                return false;
        }
    return true;
}
