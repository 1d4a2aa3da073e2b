/* Languages whose members are computed, for which there is neither grammar nor few counters: those
 * of Butoi et al. 2025 (FLaRe), and brackets of several kinds that need not nest.  A row of the
 * table says what a beginning of a word is, and draws a word. */
#include <math.h>

#include "base/symbols.h"
#include "language/library.h"
#include "language/language_kind.h"
#include "language/word_functions.h"

/* What has been read: no beginning of a word, one, or a word. */
typedef enum { LOST, OPEN, WHOLE } Status;

typedef struct Computed Computed;
typedef struct {
    const char *name, *symbols;
    Status (*status)(const Computed *c, const int *w, int n);
    /* Natural logarithm of the number of words, NaN: not known, -HUGE_VAL: none; and, unless r is
     * NULL, one of them. */
    double (*draw)(const Computed *c, ThRng *r, int n, int *word, ThError *err);
    /* Sets n[0 ... hi], which are 0, to the numbers of words; NULL: they are to be tried. */
    bool (*count)(const Computed *c, int hi, mpz_t *n, ThStop *stop, ThError *err);
    ThLanguageFunction *of;
} Row;

struct Computed {
    const Row *row;
    int k; /* of the names that end in a number */
    int n_symbols;
};

static void draw_uniform(ThRng *r, int n_symbols, int *word, int n)
{
    for (int i = 0; i < n; i++)
        word[i] = (int)th_rng_below(r, (uint64_t)n_symbols);
}

static int find(const int *w, int n, int symbol)
{
    int i = 0;
    while (i < n && w[i] != symbol)
        i++;
    return i;
}

/* ---- w # f(w) -------------------------------------------------------------------------------- */

static Status status_marked(const Computed *c, const int *w, int n)
{
    int mark = find(w, n, c->n_symbols - 1), m = n - mark - 1;
    if (m < 0)
        return OPEN;
    int *want TH_OWNED(free) = m <= mark ? th_alloc((size_t)mark + 1, sizeof *want, NULL) : NULL;
    if (!want)
        return LOST;
    c->row->of(w, mark, want);
    bool same = memcmp(want, w + mark + 1, (size_t)m * sizeof *want) == 0;
    return !same ? LOST : m == mark ? WHOLE : OPEN;
}

static double draw_marked(const Computed *c, ThRng *r, int n, int *word, ThError *err TH_UNUSED)
{
    int half = n / 2;
    if (n % 2 == 0)
        return -HUGE_VAL;
    if (r) {
        draw_uniform(r, c->n_symbols - 1, word, half);
        word[half] = c->n_symbols - 1;
        c->row->of(word, half, word + half + 1);
    }
    return half * log(c->n_symbols - 1.0);
}

static bool count_marked(const Computed *c, int hi, mpz_t *n, ThStop *stop, ThError *err)
{
    bool ok = true;
    for (int i = 1; ok && i <= hi; i += 2) {
        mpz_ui_pow_ui(n[i], (unsigned long)c->n_symbols - 1, (unsigned long)i / 2);
        ok = !th_stopped(stop, err);
    }
    return ok;
}

/* ---- w w with a 1 missing -------------------------------------------------------------------- */

enum { ONE = 1, MISSING = 2 };

static Status status_missing(const Computed *c TH_UNUSED, const int *w, int n)
{
    int at = find(w, n, MISSING), half = n / 2;
    if (at < n && find(w + at + 1, n - at - 1, MISSING) < n - at - 1)
        return LOST;
    if (at == n || n % 2)
        return OPEN;
    for (int i = 0; i < half; i++)
        if ((i == at ? ONE : w[i]) != (i + half == at ? ONE : w[i + half]))
            return OPEN;
    return WHOLE;
}

static double draw_missing(const Computed *c TH_UNUSED, ThRng *r, int n, int *word,
                           ThError *err TH_UNUSED)
{
    int half = n / 2;
    if (n < 2 || n % 2)
        return -HUGE_VAL;
    if (r) {
        int at = (int)th_rng_below(r, (uint64_t)n);
        draw_uniform(r, 2, word, half);
        word[at % half] = ONE;
        th_language_same(word, half, word + half);
        word[at] = MISSING;
    }
    return log((double)n) + (half - 1) * log(2);
}

/* ---- a stack: bits, operations, #, the stack from its top ------------------------------------ */

enum { PUSH = 2, POP, BAR };

static Status status_stack(const Computed *c TH_UNUSED, const int *w, int n)
{
    int *stack TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *stack, NULL), size = 0, i = 0;
    for (; stack && i < n && w[i] < PUSH; i++)
        stack[size++] = w[i];
    for (; stack && i < n && w[i] != BAR; i++) {
        if (w[i] == PUSH && i + 1 == n)
            return OPEN;
        if (w[i] == PUSH ? w[i + 1] >= PUSH : w[i] != POP || size == 0)
            return LOST;
        size += w[i] == PUSH ? 1 : -1;
        if (w[i] == PUSH)
            stack[size - 1] = w[++i];
    }
    if (!stack || i == n)
        return stack ? OPEN : LOST;
    for (i++; i < n; i++)
        if (size == 0 || w[i] != stack[--size])
            return LOST;
    return size == 0 ? WHOLE : OPEN;
}

/* ways[p * (top + 1) + h]: sequences of operations with p pushes that begin with h symbols. */
static void count_operations(long double *ways, int pushes, int top)
{
    for (int p = 0; p <= pushes; p++)
        for (int h = 0; h <= top - p; h++) {
            long double *at = ways + p * (top + 1) + h;
            *at = (p == 0) + (h > 0 ? at[-1] : 0) + (p > 0 ? 2 * at[1 - (top + 1)] : 0);
        }
}

/* Behind a stack of h bits: operations with p pushes, the bar, and what is left. */
static void draw_operations(const long double *ways, int top, ThRng *r, int p, int h, int *word,
                            int *stack)
{
    th_language_same(word, h, stack);
    for (word += h;; word++) {
        const long double *at = ways + p * (top + 1) + h;
        long double x = (long double)th_rng_uniform(r) * *at - (p == 0);
        if (x < 0)
            break;
        if (p == 0 || (h > 0 && x < at[-1])) {
            *word = POP;
            h--;
            continue;
        }
        *word++ = PUSH;
        *word = stack[h++] = (int)th_rng_below(r, 2);
        p--;
    }
    *word = BAR;
    th_language_reversed(stack, h, word + 1);
}

/* s bits and p pushes make words of 2 s + 3 p + 1 symbols, however much is popped. */
static double draw_stack(const Computed *c TH_UNUSED, ThRng *r, int n, int *word, ThError *err)
{
    int pushes = n > 0 ? (n - 1) / 3 : 0;
    long double all = 0, x = 0;
    long double *ways TH_OWNED(free) =
        th_alloc((size_t)(pushes + 1) * ((size_t)n + 1), sizeof *ways, err);
    int *stack TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *stack, err);
    if (!ways || !stack || n < 1)
        return n < 1 ? -HUGE_VAL : (double)NAN;
    count_operations(ways, pushes, n);
    for (int draw = 0, draws = r ? 2 : 1; draw < draws; draw++) {
        x = (long double)(draw ? th_rng_uniform(r) : 1) * all;
        for (int p = (n - 1) % 2; p <= pushes; p += 2) {
            int s = (n - 1 - 3 * p) / 2;
            long double some = ldexpl(ways[p * (n + 1) + s], s);
            all += draw ? 0 : some;
            if (!draw || (x -= some) >= 0)
                continue;
            draw_uniform(r, 2, word, s);
            draw_operations(ways, n, r, p, s, word, stack);
            break;
        }
    }
    return all > 0 ? (double)logl(all) : -HUGE_VAL;
}

/* ---- numbers, the lowest bit first: x + y = z ------------------------------------------------ */

enum { OPERATION = 2, SQUARE_ROOT = 2 }; /* the equals sign is the last symbol */

static bool all_bits(const int *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i] > 1)
            return false;
    return true;
}

/* Sets z to what x and y make; of a root y is not read. */
static void compute(const Computed *c, mpz_t z, const mpz_t x, const mpz_t y)
{
    if (c->n_symbols == 3)
        mpz_sqrt(z, x);
    else if (c->row->symbols[4] == '+')
        mpz_add(z, x, y);
    else
        mpz_mul(z, x, y);
}

/* Leading zeros, which stand last, are as good as none. */
static Status status_numbers(const Computed *c, const int *w, int n)
{
    int equals = find(w, n, c->n_symbols - 1), m = n - equals - 1, two = c->n_symbols > 3;
    int sign = two ? find(w, equals, OPERATION) : equals;
    const int *y = w + sign + 1, ny = equals - sign - 1;
    if (!all_bits(w, sign) || (sign == 0 && n > 0) || (sign < equals && !all_bits(y, ny)))
        return LOST;
    if (m < 0)
        return OPEN;
    if (two && (sign == equals || ny == 0))
        return LOST;
    mpz_t a, b, z;
    mpz_inits(a, b, z, NULL);
    th_language_number(a, w, sign);
    if (two)
        th_language_number(b, y, ny);
    compute(c, z, a, b);
    int bits = mpz_sgn(z) ? (int)mpz_sizeinbase(z, 2) : 1;
    Status status = m >= bits ? WHOLE : OPEN;
    for (int i = 0; i < m; i++)
        if (w[equals + 1 + i] != mpz_tstbit(z, (mp_bitcnt_t)i))
            status = LOST;
    mpz_clears(a, b, z, NULL);
    return status;
}

static void write_number(int *word, const mpz_t x, int n)
{
    for (int i = 0; i < n; i++)
        word[i] = mpz_tstbit(x, (mp_bitcnt_t)i);
}

/* 2^bits - 1, or `most` where that is less. */
static void greatest(mpz_t x, int bits, const mpz_t most)
{
    mpz_set_ui(x, 0);
    mpz_setbit(x, (mp_bitcnt_t)bits);
    mpz_sub_ui(x, x, 1);
    if (most && mpz_cmp(x, most) > 0)
        mpz_set(x, most);
}

/* x uniform among those of its bits for which z can be written in its own, and y then. */
static void draw_numbers_of(const Computed *c, ThRng *r, const int *bits, mpz_t *x)
{
    mpz_t limit, most;
    bool two = c->n_symbols > 3, product = two && c->row->symbols[4] == '*';
    mpz_inits(limit, most, NULL);
    greatest(limit, two ? bits[2] : 2 * bits[2], NULL);
    greatest(most, bits[0], product ? NULL : limit);
    th_language_uniform_number(x[0], most, r);
    if (product && mpz_sgn(x[0]))
        mpz_fdiv_q(limit, limit, x[0]);
    else if (!product)
        mpz_sub(limit, limit, x[0]);
    greatest(most, bits[1], product && !mpz_sgn(x[0]) ? NULL : limit);
    if (two)
        th_language_uniform_number(x[1], most, r);
    compute(c, x[2], x[0], x[1]);
    mpz_clears(limit, most, NULL);
}

/* The lengths are shares of the whole by Dirichlet(1, 1, 1), of products (1, 1, 2), of roots (2,
 * 1), as Butoi et al. draw them. */
static double draw_numbers(const Computed *c, ThRng *r, int n, int *word, ThError *err TH_UNUSED)
{
    bool two = c->n_symbols > 3, product = two && c->row->symbols[4] == '*';
    int signs = two ? 5 : 3, bits[3];
    double share[3], all = 0;
    if (n < signs || !r)
        return n < signs ? -HUGE_VAL : (double)NAN;
    for (int i = 0; i < 3; i++) {
        bool twice = two ? product && i == 2 : i == 0;
        share[i] = !two && i == 1 ? 0 : -log1p(-th_rng_uniform(r));
        share[i] -= twice ? log1p(-th_rng_uniform(r)) : 0;
        all += share[i];
    }
    for (int i = 0; i < 2; i++)
        bits[i] = 1 + (int)(share[i] / all * (n - signs));
    if (!two)
        bits[1] = 0;
    bits[2] = n - (two ? 2 : 1) - bits[0] - bits[1];
    if (two && bits[0] > bits[1]) {
        int x = bits[0];
        bits[0] = bits[1];
        bits[1] = x;
    }
    mpz_t x[3];
    mpz_inits(x[0], x[1], x[2], NULL);
    draw_numbers_of(c, r, bits, x);
    int first = two ? (int)th_rng_below(r, 2) : 0;
    write_number(word, x[first], bits[first]);
    word += bits[first];
    if (two) {
        *word++ = OPERATION;
        write_number(word, x[!first], bits[!first]);
        word += bits[!first];
    }
    *word = c->n_symbols - 1;
    write_number(word + 1, x[2], bits[2]);
    mpz_clears(x[0], x[1], x[2], NULL);
    return (double)NAN;
}

/* ---- brackets of k kinds, each balanced by itself -------------------------------------------- */

static Status status_shuffle(const Computed *c TH_UNUSED, const int *w, int n)
{
    int open[TH_LANGUAGE_MOST_KINDS] = {0}, all = 0;
    for (int i = 0; i < n; i++) {
        int change = w[i] % 2 ? -1 : 1;
        all += change;
        if ((open[w[i] / 2] += change) < 0)
            return LOST;
    }
    return all ? OPEN : WHOLE;
}

/* A word of one kind of bracket: with h open and m symbols to come the next one opens with
 * probability (h + 2)(m - h) / (2 (h + 1) m), the share of words that do. */
static void draw_balanced(ThRng *r, int *word, int n, int kind, const int *kinds)
{
    int h = 0, m = 0;
    for (int i = 0; i < n; i++)
        m += kinds[i] == kind;
    for (int i = 0; i < n; i++) {
        if (kinds[i] != kind)
            continue;
        uint64_t all = 2 * (uint64_t)(h + 1) * (uint64_t)m;
        bool opens = th_rng_below(r, all) < (uint64_t)(h + 2) * (uint64_t)(m - h);
        word[i] = 2 * kind + !opens;
        h += opens ? 1 : -1;
        m--;
    }
}

/* ways[j * (m + 1) + i]: words of 2 i symbols of the first j kinds. */
static void count_shuffled(long double *ways, int k, int m)
{
    ways[0] = 1;
    for (int j = 1; j <= k; j++)
        for (int i = 0; i <= m; i++) {
            long double *at = ways + j * (m + 1), own = 1; /* C(2 i, 2 x) Catalan(x) */
            for (int x = 0; x <= i; x++) {
                at[i] += own * ways[(j - 1) * (m + 1) + i - x];
                own *= (2.0L * i - 2 * x) * (2.0L * i - 2 * x - 1) / ((x + 1.0L) * (x + 2.0L));
            }
        }
}

/* How many pairs the last of j kinds has among m. */
static int draw_pairs(const long double *ways, int j, int m, int most, ThRng *r)
{
    long double left = (long double)th_rng_uniform(r) * ways[j * (most + 1) + m], own = 1;
    int x = 0;
    for (; x < m; x++) {
        if ((left -= own * ways[(j - 1) * (most + 1) + m - x]) < 0)
            break;
        own *= (2.0L * m - 2 * x) * (2.0L * m - 2 * x - 1) / ((x + 1.0L) * (x + 2.0L));
    }
    return j == 1 ? m : x;
}

static double draw_shuffle(const Computed *c, ThRng *r, int n, int *word, ThError *err)
{
    int m = n / 2, at = 0, left = m;
    long double *ways TH_OWNED(free) =
        th_alloc((size_t)(c->k + 1) * ((size_t)m + 1), sizeof *ways, err);
    int *kinds TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *kinds, err);
    if (!ways || !kinds || n % 2)
        return n % 2 ? -HUGE_VAL : (double)NAN;
    count_shuffled(ways, c->k, m);
    for (int j = c->k; r && j > 0; j--) {
        int pairs = draw_pairs(ways, j, left, m, r);
        left -= pairs;
        for (int i = 0; i < 2 * pairs; i++, at++) {
            int to = (int)th_rng_below(r, (uint64_t)at + 1);
            kinds[at] = kinds[to];
            kinds[to] = j - 1;
        }
    }
    for (int j = 0; r && j < c->k; j++)
        draw_balanced(r, word, n, j, kinds);
    return (double)logl(ways[c->k * (m + 1) + m]);
}

/* Exactly, kind by kind: what follows below n[i] is that of one kind of bracket less. */
static bool count_shuffle(const Computed *c, int hi, mpz_t *n, ThStop *stop, ThError *err)
{
    mpz_t own;
    bool ok = true;
    mpz_init(own);
    mpz_set_ui(n[0], 1);
    for (int j = 0; ok && j < c->k; j++)
        for (int i = hi / 2; ok && i > 0; i--) {
            mpz_set_ui(own, 1); /* C(2 i, 2 x) Catalan(x) */
            for (unsigned long x = 0, u = (unsigned long)i; x < u; x++) {
                mpz_mul_ui(own, own, (2 * u - 2 * x) * (2 * u - 2 * x - 1));
                mpz_divexact_ui(own, own, (x + 1) * (x + 2));
                mpz_addmul(n[2 * i], own, n[2 * (u - x - 1)]);
            }
            ok = !th_stopped(stop, err);
        }
    mpz_clear(own);
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const Row rows[] = {
    {"marked_copy", "0 1 #", status_marked, draw_marked, count_marked, th_language_same},
    {"odds_first", "0 1 #", status_marked, draw_marked, count_marked, th_language_odds_first},
    {"bucket_sort", "1 2 3 4 5 #", status_marked, draw_marked, count_marked, th_language_sorted},
    {"missing_duplicate", "0 1 _", status_missing, draw_missing, NULL, NULL},
    {"stack_manipulation", "0 1 push pop #", status_stack, draw_stack, NULL, NULL},
    {"binary_addition", "0 1 + =", status_numbers, draw_numbers, NULL, NULL},
    {"binary_multiplication", "0 1 * =", status_numbers, draw_numbers, NULL, NULL},
    {"compute_sqrt", "0 1 =", status_numbers, draw_numbers, NULL, NULL},
    {"shuffle_", TH_LANGUAGE_BRACKETS, status_shuffle, draw_shuffle, count_shuffle, NULL},
};

/* ---- the kind -------------------------------------------------------------------------------- */

static bool viable(const ThLanguage *l, ThLanguageWord word)
{
    const Computed *c = l->data;
    return c->row->status(c, word.symbol, word.n) != LOST;
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop TH_UNUSED,
                   ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    const Computed *c = l->data;
    bool whole = c->row->status(c, word.symbol, word.n) == WHOLE;
    *answer = whole ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return true;
}

typedef struct {
    const Computed *c;
    int length;
    double log_words;
} Words;

static void *words(const ThLanguage *l, int length, ThStop *stop TH_UNUSED, ThError *err)
{
    const Computed *c = l->data;
    Words *w = th_alloc(1, sizeof *w, err);
    if (w)
        *w = (Words){c, length, c->row->draw(c, NULL, length, NULL, err)};
    if (w && w->log_words > 11355) /* the logarithm of the greatest number */
        th_fail(err, TH_ELIMIT, "the words of length %d are too many to be drawn", length);
    return TH_KEEP_IF(!w || !err || !err->code, w, free);
}

static double log_words(const void *own)
{
    return ((const Words *)own)->log_words;
}

static bool draw(const void *own, ThRng *r, int *word, ThError *err)
{
    const Words *w = own;
    ThError inner = {0};
    w->c->row->draw(w->c, r, w->length, word, &inner);
    return inner.code == TH_OK || th_fail(err, inner.code, "%s", inner.msg);
}

static bool count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop, ThError *err)
{
    const Computed *c = l->data;
    *known = c->row->count != NULL;
    return !*known || c->row->count(c, hi, n, stop, err);
}

static void identify(ThText *t, const ThLanguage *l)
{
    const Computed *c = l->data;
    th_text_printf(t, "%s %d\n", c->row->name, c->k);
}

static const ThLanguageKind kind = {
    .name = "computed",
    .knows_prefixes = true,
    .free_data = free,
    .identify = identify,
    .member = member,
    .viable = viable,
    .words = words,
    .log_words = log_words,
    .draw = draw,
    .free_words = free,
    .count = count,
};

ThLanguage *th_language_computed(const char *name, int k, ThError *err)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        ThLanguage *l = th_language_new(&kind, err);
        Computed *c = l ? th_alloc(1, sizeof *c, err) : NULL;
        bool ok = c != NULL;
        if (ok) {
            *c = (Computed){.row = &rows[i], .k = k};
            l->data = c;
        }
        int n = 0;
        char **symbol TH_OWNED(free) = ok ? th_symbols_list(rows[i].symbols, false, &n, err) : NULL;
        for (int a = 0; symbol && ok && a < (k ? 2 * k : n); a++)
            ok = th_language_symbol(l, symbol[a], err) >= 0;
        if (c)
            c->n_symbols = l->n_symbols;
        return TH_KEEP_IF(ok && symbol, l, th_language_free);
    }
    return NULL;
}
