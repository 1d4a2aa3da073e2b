/* Monoids, Green's relations, groups, varieties and decompositions against their definitions on
 * small random machines, and against known numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/green.h"
#include "automata/algebra/group.h"
#include "automata/algebra/holonomy.h"
#include "automata/algebra/monoid.h"
#include "automata/algebra/varieties.h"
#include "automata/core/automaton.h"
#include "automata/expression/expression.h"
#include "base/rng.h"
#include "given.h"
#include "sanitized.h"

enum { LESS = SANITIZED ? 5 : 1 };

static ThDfa *random_dfa(ThRng *r, int states, int symbols)
{
    ThDfa *d = th_dfa_new(states, symbols, 2, NULL);
    bool permute = below(r, 3) == 0;
    for (int a = 0; a < symbols; a++)
        for (int q = 0; q < states; q++) {
            d->next[q * symbols + a] = below(r, states);
            if (permute && q > 0) { /* a swap at a time: a random permutation */
                d->next[q * symbols + a] = q;
                int p = below(r, q + 1), old = d->next[p * symbols + a];
                d->next[p * symbols + a] = d->next[q * symbols + a];
                d->next[q * symbols + a] = old;
            } else if (permute) {
                d->next[a] = 0;
            }
        }
    return d;
}

/* ---- a monoid by its definition -------------------------------------------------------------- */

enum { MAP = 6, MOST = 3200 };
typedef struct {
    int n, states, map[MOST][MAP];
    int table[MOST][MOST]; /* products */
} Naive;

static int naive_find(const Naive *m, const int *map)
{
    int x = 0;
    while (x < m->n && memcmp(m->map[x], map, (size_t)m->states * sizeof *map) != 0)
        x++;
    return x;
}

/* Closes under symbols; false if there are too many. */
static bool naive_close(Naive *m, const ThDfa *d, int most)
{
    m->states = d->n_states;
    m->n = 1;
    for (int q = 0; q < d->n_states; q++)
        m->map[0][q] = q;
    for (int x = 0; x < m->n; x++)
        for (int a = 0; a < d->n_symbols; a++) {
            int product[MAP];
            for (int q = 0; q < d->n_states; q++)
                product[q] = d->next[m->map[x][q] * d->n_symbols + a];
            int y = naive_find(m, product);
            if (y < m->n)
                continue;
            if (m->n == most)
                return false;
            memcpy(m->map[m->n++], product, sizeof product);
        }
    for (int x = 0; x < m->n; x++)
        for (int y = 0; y < m->n; y++) {
            int product[MAP];
            for (int q = 0; q < d->n_states; q++)
                product[q] = m->map[y][m->map[x][q]];
            m->table[x][y] = naive_find(m, product);
        }
    return true;
}

/* Sizes, products, words and Cayley graphs of random monoids.  Elements come in the same order: the
 * naive closure, too, goes through words by length and symbols. */
static void test_elements(void **state)
{
    (void)state;
    Naive *naive = malloc(sizeof *naive);
    int larger = 0;
    for (uint64_t i = 0; i < 400 / LESS; i++) {
        ThRng r = th_rng(3, "test.monoid.elements", i);
        ThDfa *d = random_dfa(&r, 1 + below(&r, MAP), below(&r, 4));
        if (!naive_close(naive, d, 300)) {
            th_dfa_free(d);
            continue;
        }
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        assert_int_equal(m->size, naive->n);
        larger += m->size > 50;
        int k = m->n_symbols;
        for (int x = 0; x < m->size; x++) {
            int word[64];
            assert_in_range(m->length[x], 0, 63);
            th_monoid_word(m, x, word);
            for (int q = 0; q < d->n_states; q++) {
                assert_int_equal(th_monoid_image(m, x, q), naive->map[x][q]);
                assert_int_equal(th_dfa_walk(d, q, word, (size_t)m->length[x]), naive->map[x][q]);
            }
            assert_int_equal(th_monoid_find(m, naive->map[x]), x);
            assert_int_equal(th_monoid_idempotent(m, x), naive->table[x][x] == x);
            for (int a = 0; a < k; a++) {
                int letter = m->right[a];
                assert_int_equal(m->right[x * k + a], naive->table[x][letter]);
                assert_int_equal(m->left[x * k + a], naive->table[letter][x]);
            }
            int y = below(&r, m->size);
            assert_int_equal(th_monoid_product(m, x, y), naive->table[x][y]);
        }
        th_monoid_free(m);
        th_dfa_free(d);
    }
    assert_in_range(larger, 15 / LESS, 400);
    free(naive);
}

/* ---- Green's relations by ideals ------------------------------------------------------------- */

typedef enum { RIGHT, LEFT, BOTH } Side;

static void ideal(const Naive *m, int x, Side side, bool *in)
{
    memset(in, 0, (size_t)m->n);
    for (int y = 0; y < m->n; y++) {
        if (side != BOTH)
            in[side == RIGHT ? m->table[x][y] : m->table[y][x]] = true;
        for (int z = 0; side == BOTH && z < m->n; z++)
            in[m->table[m->table[y][x]][z]] = true;
    }
}

static bool related(const Naive *m, int x, int y, Side side)
{
    static bool a[MOST], b[MOST];
    ideal(m, x, side, a);
    ideal(m, y, side, b);
    return memcmp(a, b, (size_t)m->n) == 0;
}

static void check_classes(const Naive *n, const ThGreen *g)
{
    for (int x = 0; x < n->n; x++)
        for (int y = 0; y < x; y++) {
            bool d = g->d[x] == g->d[y];
            assert_int_equal(d, related(n, x, y, BOTH));
            assert_int_equal(d && g->row[x] == g->row[y], related(n, x, y, RIGHT));
            assert_int_equal(d && g->column[x] == g->column[y], related(n, x, y, LEFT));
        }
    int total = 0, idempotents = 0;
    for (int i = 0; i < g->n_d; i++) {
        const ThGreenDClass *c = &g->d_class[i];
        total += c->n_r * c->n_l * c->h_size;
        for (int row = 0; row < c->n_r; row++)
            for (int column = 0; column < c->n_l; column++) {
                int size;
                const int *cell = th_green_cell(g, i, row, column, &size);
                assert_int_equal(size, c->h_size);
                for (int j = 0; j < size; j++) {
                    assert_int_equal(g->d[cell[j]], i);
                    assert_int_equal(g->row[cell[j]], row);
                    assert_int_equal(g->column[cell[j]], column);
                }
            }
    }
    for (int x = 0; x < n->n; x++)
        idempotents += n->table[x][x] == x;
    assert_int_equal(total, n->n);
    assert_int_equal(g->n_idempotents, idempotents);
}

/* The covering pairs by ideals: below, and nothing between. */
static void check_covers(const Naive *n, const ThGreen *g, const ThMonoid *m)
{
    size_t n_pairs, seen = 0;
    int *pair = th_green_covers(g, m, &n_pairs, NULL);
    bool *below_of = calloc((size_t)g->n_d * (size_t)g->n_d, 1), *in = calloc((size_t)n->n, 1);
    for (int i = 0; i < g->n_d; i++) {
        ideal(n, g->d_class[i].first, BOTH, in);
        for (int j = 0; j < g->n_d; j++)
            below_of[i * g->n_d + j] = i != j && in[g->d_class[j].first];
    }
    for (int i = 0; i < g->n_d; i++)
        for (int j = 0; j < g->n_d; j++) {
            bool cover = below_of[i * g->n_d + j];
            for (int k = 0; k < g->n_d; k++)
                cover = cover && !(below_of[i * g->n_d + k] && below_of[k * g->n_d + j]);
            bool listed = false;
            for (size_t p = 0; p < n_pairs; p++)
                listed = listed || (pair[2 * p] == i && pair[2 * p + 1] == j);
            assert_int_equal(cover, listed);
            seen += cover;
        }
    assert_int_equal(seen, n_pairs);
    free(pair);
    free(below_of);
    free(in);
}

/* ---- varieties by their definitions ---------------------------------------------------------- */

static int naive_period(const Naive *m, int x)
{
    int y = x, p = 1;
    for (int i = 0; i < m->n; i++) /* into the cycle of powers */
        y = m->table[y][x];
    for (int z = m->table[y][x]; z != y; z = m->table[z][x])
        p++;
    return p;
}

static bool *non_empty(const Naive *m, const ThDfa *d)
{
    bool *in = calloc((size_t)m->n, 1);
    for (int x = 0; x < m->n; x++)
        for (int a = 0; a < d->n_symbols; a++) {
            int letter[MAP];
            for (int q = 0; q < d->n_states; q++)
                letter[q] = d->next[q * d->n_symbols + a];
            in[m->table[x][naive_find(m, letter)]] = true;
        }
    return in;
}

static void check_varieties(const Naive *m, const ThDfa *d, const ThVarieties *v)
{
    bool *s = non_empty(m, d), group = true, commutative = true, testable = true, definite = true,
         reverse = true, general = true, j = true, r = true, l = true, idempotent = true;
    size_t period = 1, exponent = 1;
    for (int x = 0; x < m->n; x++) {
        size_t p = (size_t)naive_period(m, x), e = exponent;
        period = p > period ? p : period;
        while (exponent % p != 0)
            exponent += e;
        idempotent = idempotent && m->table[x][x] == x;
        bool unit = false;
        for (int y = 0; y < m->n; y++) {
            unit = unit || m->table[x][y] == 0;
            commutative = commutative && m->table[x][y] == m->table[y][x];
            if (y < x) {
                j = j && !related(m, x, y, BOTH);
                r = r && !related(m, x, y, RIGHT);
                l = l && !related(m, x, y, LEFT);
            }
        }
        group = group && unit;
        if (!s[x] || m->table[x][x] != x)
            continue;
        for (int y = 0; y < m->n; y++) {
            if (!s[y])
                continue;
            int local = m->table[m->table[x][y]][x];
            definite = definite && m->table[y][x] == x;
            reverse = reverse && m->table[x][y] == x;
            general = general && local == x;
            testable = testable && m->table[local][local] == local;
            for (int z = 0; z < m->n && testable; z++) {
                int other = m->table[m->table[x][z]][x];
                testable = !s[z] || m->table[local][other] == m->table[other][local];
            }
        }
    }
    assert_int_equal(v->period, period);
    assert_int_equal(v->exponent, exponent);
    assert_int_equal(v->aperiodic, period == 1);
    assert_int_equal(v->group, group);
    assert_int_equal(v->commutative, commutative);
    assert_int_equal(v->idempotent, idempotent);
    assert_int_equal(v->j_trivial, j);
    assert_int_equal(v->r_trivial, r);
    assert_int_equal(v->l_trivial, l);
    assert_int_equal(v->definite, definite);
    assert_int_equal(v->reverse_definite, reverse);
    assert_int_equal(v->generalized_definite, general);
    assert_int_equal(v->locally_testable, testable);
    assert_int_equal(v->empty_word_induced, s[0]);
    free(s);
}

/* What pairs of states say is what the monoid does, of machines whose states are all reached. */
static void test_definite(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t i = 0; i < 700 / LESS; i++) {
        ThRng r = th_rng(6, "test.monoid.definite", i);
        ThDfa *any =
            i % 2 ? random_dfa(&r, 1 + below(&r, 6), 1 + below(&r, 3)) : random_dfa(&r, 4, 2);
        for (int k = 0; i % 2 == 0 && k < 8; k++) /* the last two symbols, or nearly so */
            any->next[k] = i % 4 && k == 5 ? below(&r, 4) : k % 4;
        for (int q = 0; q < any->n_states; q++)
            any->label[q] = below(&r, 2);
        ThDfa *d = th_dfa_minimize(any, NULL, NULL);
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        ThGreen *g = th_green_new(m, NULL, NULL);
        ThVarieties v;
        bool definite;
        assert_true(th_varieties_of(&v, m, g, NULL, NULL));
        assert_true(th_dfa_definite(d, &definite, NULL) && definite == v.definite);
        found += definite && d->n_states > 1;
        th_varieties_free(&v);
        th_green_free(g);
        th_monoid_free(m);
        th_dfa_free(d);
        th_dfa_free(any);
    }
    assert_true(found > 5 / LESS);
}

static void test_relations_and_varieties(void **state)
{
    (void)state;
    Naive *naive = malloc(sizeof *naive);
    int found[6] = {0};
    for (uint64_t i = 0; i < 700 / LESS; i++) {
        ThRng r = th_rng(5, "test.monoid.green", i);
        ThDfa *d = random_dfa(&r, 1 + below(&r, 5), 1 + below(&r, 3));
        if (naive_close(naive, d, 40)) {
            ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
            ThGreen *g = th_green_new(m, NULL, NULL);
            ThVarieties v;
            assert_true(th_varieties_of(&v, m, g, NULL, NULL));
            check_classes(naive, g);
            check_covers(naive, g, m);
            check_varieties(naive, d, &v);
            found[0] += v.aperiodic && !v.j_trivial;
            found[1] += v.group;
            found[2] += v.locally_testable && !v.definite && !v.reverse_definite;
            found[3] += v.definite;
            found[4] += v.j_trivial && m->size > 2;
            found[5] += v.r_trivial != v.l_trivial;
            th_varieties_free(&v);
            th_green_free(g);
            th_monoid_free(m);
        }
        th_dfa_free(d);
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(found[i], 5 / LESS, 600);
    free(naive);
}

/* ---- known numbers --------------------------------------------------------------------------- */

/* The cycle, a swap and a merger generate all maps of n states. */
static ThDfa *all_maps(int n)
{
    ThDfa *d = th_dfa_new(n, 3, 2, NULL);
    for (int q = 0; q < n; q++) {
        d->next[q * 3] = (q + 1) % n;
        d->next[q * 3 + 1] = q < 2 && n > 1 ? 1 - q : q;
        d->next[q * 3 + 2] = q == 1 ? 0 : q;
    }
    return d;
}

/* T_n: n^n elements, Σ C(n,k) k^(n-k) idempotents, a D-class a rank k with S(n,k) rows (kernels),
 * C(n,k) columns (images) and the group S_k. */
static void test_full_transformation_monoids(void **state)
{
    (void)state;
    static const int idempotents[] = {0, 1, 3, 10, 41, 196, 1057, 6322};
    static const int kernels[] = {0, 1, 63, 301, 350, 140, 21, 1}; /* S(7,k) */
    static const int images[] = {0, 7, 21, 35, 35, 21, 7, 1};
    static const char *const group[] = {"", "trivial", "Z_2", "S_3", "S_4", "S_5", "S_6", "S_7"};
    for (int n = 1, size; n <= 7; n++) {
        ThDfa *d = all_maps(n);
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        ThGreen *g = th_green_new(m, NULL, NULL);
        ThVarieties v;
        size = 1;
        for (int i = 0; i < n; i++)
            size *= n;
        assert_int_equal(m->size, size);
        assert_int_equal(g->n_idempotents, idempotents[n]);
        assert_int_equal(g->n_d, n);
        assert_int_equal(g->n_regular, n);
        assert_true(th_varieties_of(&v, m, g, NULL, NULL));
        assert_int_equal(v.solvable, n < 5);
        for (int i = 0; n == 7 && i < n; i++) {
            assert_int_equal(g->d_class[i].n_r, kernels[n - i]);
            assert_int_equal(g->d_class[i].n_l, images[n - i]);
            assert_string_equal(v.groups[i].name, group[n - i]);
        }
        th_varieties_free(&v);
        th_green_free(g);
        th_monoid_free(m);
        th_dfa_free(d);
    }
}

/* Černý 1964: the shortest word that brings all n states to one has (n - 1)² symbols. */
static void test_cerny(void **state)
{
    (void)state;
    for (int n = 2; n <= 6; n++) {
        ThDfa *d = th_dfa_new(n, 2, 2, NULL);
        for (int q = 0; q < n; q++) {
            d->next[q * 2] = (q + 1) % n;
            d->next[q * 2 + 1] = q == n - 1 ? 0 : q;
        }
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        int shortest = -1;
        for (int x = 0; x < m->size && shortest < 0; x++) {
            bool constant = true;
            for (int q = 1; q < n; q++)
                constant = constant && th_monoid_image(m, x, q) == th_monoid_image(m, x, 0);
            shortest = constant ? m->length[x] : -1;
        }
        assert_int_equal(shortest, (n - 1) * (n - 1));
        th_monoid_free(m);
        th_dfa_free(d);
    }
}

/* Sizes and star-free or not as published and computed elsewhere; the greatest periods. */
static void test_languages(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        int size;
        size_t period;
        bool group, commutative;
    } fact[] = {
        {"parity", 2, 2, true, true},
        {"cycle(5)", 5, 5, true, true},
        {"sum(5)", 5, 5, true, true},
        {"even_pairs", 5, 1, false, false},
        {"even_pair(5)", 26, 1, false, false},
        {"mod_arithmetic(2)", 38, 2, false, false},
        {"mod_arithmetic(3)", 118, 3, false, false},
        {"mod_arithmetic(5)", 518, 5, false, false},
        {"dyck(1, 1)", 6, 1, false, false},
        {"dyck(1, 2)", 15, 1, false, false},
        {"dyck(1, 3)", 31, 1, false, false},
        {"dyck(1, 4)", 56, 1, false, false},
        {"dyck(1, 12)", 820, 1, false, false},
        {"tomita(1)", 2, 1, false, true},
        {"tomita(2)", 6, 1, false, false},
        {"tomita(3)", 26, 2, false, false},
        {"tomita(4)", 12, 1, false, false},
        {"tomita(5)", 4, 2, true, true},
        {"tomita(6)", 3, 3, true, true},
        {"tomita(7)", 9, 1, false, false},
        {"flip_flop", 3, 1, false, false},
    };
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++) {
        ThAutomatonScope scope = {0};
        ThAutomaton *a = th_automaton_expression(fact[i].expression, &scope, NULL, NULL);
        ThDfa *d = th_automaton_dfa(a, 0, NULL, NULL), *small = th_dfa_minimize(d, NULL, NULL);
        ThMonoid *m = th_monoid_new(small, 0, NULL, NULL);
        ThGreen *g = th_green_new(m, NULL, NULL);
        ThVarieties v;
        assert_true(th_varieties_of(&v, m, g, NULL, NULL));
        if (m->size != fact[i].size || v.period != fact[i].period || v.group != fact[i].group ||
            v.commutative != fact[i].commutative || v.aperiodic != (fact[i].period == 1) ||
            !v.solvable)
            fail_msg("%s: %d elements, period %zu", fact[i].expression, m->size, v.period);
        th_varieties_free(&v);
        th_green_free(g);
        th_monoid_free(m);
        th_dfa_free(small);
        th_dfa_free(d);
        th_automaton_free(a);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void test_limits(void **state)
{
    (void)state;
    ThDfa *d = all_maps(5);
    ThError err = {0};
    assert_null(th_monoid_new(d, 3124, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_string_equal(err.msg, "the monoid has more than 3124 elements");
    ThMonoid *m = th_monoid_new(d, 3125, NULL, NULL);
    assert_non_null(m);
    th_monoid_free(m);
    volatile sig_atomic_t stop = 1;
    err = (ThError){0};
    assert_null(th_monoid_new(d, 0, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_non_null(strstr(err.msg, "elements"));
    err = (ThError){0};
    assert_null(th_holonomy_new(d, 30, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_dfa_free(d);
}

/* Maps of 256 states fit into bytes, those of 257 do not. */
static void test_widths(void **state)
{
    (void)state;
    for (int n = 255; n <= 258; n++) {
        ThDfa *d = th_dfa_new(n, 1, 2, NULL);
        for (int q = 0; q < n; q++)
            d->next[q] = (q + 1) % n;
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        assert_non_null(m);
        assert_int_equal(m->size, n);
        assert_int_equal(th_monoid_image(m, n - 1, 0), n - 1);
        assert_int_equal(th_monoid_image(m, 1, n - 2), n - 1);
        th_monoid_free(m);
        th_dfa_free(d);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Cycles like "(0 1 2)(3 4)" as a permutation. */
static void read_cycles(const char *text, int *permutation, int degree)
{
    for (int i = 0; i < degree; i++)
        permutation[i] = i;
    int first = -1, last = -1;
    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') {
            char *end;
            int point = (int)strtol(text, &end, 10);
            if (first < 0)
                first = point;
            else
                permutation[last] = point;
            last = point;
            text = end - 1;
        } else if (*text == ')' && first >= 0) {
            permutation[last] = first;
            first = -1;
        }
    }
}

static void test_groups(void **state)
{
    (void)state;
    static const struct {
        int degree;
        const char *generator[3];
        size_t order, longest;
        bool abelian, solvable;
        const char *name;
    } fact[] = {
        {3, {"()"}, 1, 1, true, true, "trivial"},
        {12, {"(0 1 2)(3 4 5 6)"}, 12, 12, true, true, "Z_12"},
        {5, {"(0 1)", "(2 3)"}, 4, 2, true, true, "Z_2 x Z_2"},
        {9, {"(0 1)", "(2 3 4 5)", "(6 7 8)"}, 24, 12, true, true, "Z_2 x Z_12"},
        {3, {"(0 1 2)", "(0 1)"}, 6, 3, false, true, "S_3"},
        {6, {"(0 1 2)(3 4 5)", "(0 3)(1 5)(2 4)"}, 6, 3, false, true, "S_3"}, /* acts regularly */
        {4, {"(0 1 2)", "(1 2 3)"}, 12, 3, false, true, "A_4"},
        {4, {"(0 1 2 3)", "(0 1)"}, 24, 4, false, true, "S_4"},
        {6, {"(0 2 1 3)", "(0 2 4)(1 3 5)"}, 24, 4, false, true, "S_4"}, /* a cube's rotations */
        {5, {"(0 1)", "(2 3)", "(0 2)"}, 24, 4, false, true, "S_4"},     /* the first two commute */
        {5, {"(0 1 2 3 4)", "(0 1 2)"}, 60, 5, false, false, "A_5"},
        {5, {"(0 1 2 3 4)", "(0 1)"}, 120, 6, false, false, "S_5"},
        {6, {"(0 1 2 3 4)", "(0 5)(1 4)"}, 60, 5, false, false, "A_5"}, /* PSL(2,5) on a line */
        {6, {"(0 1 2 3 4 5)", "(0 1)"}, 720, 6, false, false, "S_6"},
        {6, {"(0 1 2 3 4)", "(3 4 5)"}, 360, 5, false, false, "A_6"},
        {7, {"(0 1 2 3 4 5 6)", "(0 1)(2 4)"}, 168, 7, false, false, "PSL(2,7)"},
        {4, {"(0 1 2 3)", "(0 2)"}, 8, 4, false, true, "D_4"},
        {5, {"(0 1 2 3 4)", "(1 4)(2 3)"}, 10, 5, false, true, "D_5"},
        {8, {"(0 1 2 3)(4 5 6 7)", "(0 4 2 6)(1 7 3 5)"}, 8, 4, false, true, "Q_8"},
        {5, {"(0 1 2 3 4)", "(1 2 4 3)"}, 20, 5, false, true, "F_20"},
        /* modulo 9, and what has as many elements of each order as a product of cyclic groups */
        {9, {"(0 1 2 3 4 5 6 7 8)", "(1 4 7)(2 8 5)"}, 27, 9, false, true, "(Z_9 : Z_3, r = 4)"},
        {8, {"(0 1 2 3)", "(1 3)(4 5 6 7)"}, 16, 4, false, true, "(Z_4 : Z_4, r = 3)"},
        {9, {"(0 1 2)", "(0 1)", "(0 3 6)(1 4 7)(2 5 8)"}, 648, 9, false, true, "S_3 wr Z_3"},
        {7, {"(0 1 2 3 4)", "(0 1)", "(5 6)"}, 240, 10, false, false, "S_5 x Z_2"},
    };
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++) {
        ThGroup *g = th_group_new(fact[i].degree, NULL);
        for (int j = 0; j < 3 && fact[i].generator[j]; j++) {
            int permutation[16];
            read_cycles(fact[i].generator[j], permutation, fact[i].degree);
            assert_true(th_group_add(g, permutation, 1000, NULL, NULL) || !fact[i].name);
        }
        ThGroupFacts f;
        if (fact[i].name) {
            assert_true(th_group_facts(g, &f, NULL, NULL));
            if (f.order != fact[i].order || strcmp(f.name, fact[i].name) != 0 ||
                f.longest != fact[i].longest || f.abelian != fact[i].abelian ||
                f.solvable != fact[i].solvable)
                fail_msg("%s: order %zu, %s, longest %zu", fact[i].name, f.order, f.name,
                         f.longest);
        }
        th_group_free(g);
    }
    ThError err = {0};
    ThGroup *g = th_group_new(5, NULL);
    assert_true(th_group_add(g, (int[]){1, 2, 3, 4, 0}, 100, NULL, &err));
    assert_false(th_group_add(g, (int[]){1, 0, 2, 3, 4}, 100, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_group_free(g);
}

/* ---- decompositions -------------------------------------------------------------------------- */

/* Image sets by words: every element's image, and single states. */
static int naive_sets(const Naive *m, unsigned *set)
{
    int n = 0;
    for (int x = 0; x < m->n + m->states; x++) {
        unsigned bits = x < m->n ? 0 : 1u << (x - m->n);
        for (int q = 0; x < m->n && q < m->states; q++)
            bits |= 1u << m->map[x][q];
        int i = 0;
        while (i < n && set[i] != bits)
            i++;
        set[i] = bits;
        n += i == n;
    }
    return n;
}

static unsigned image_of(const Naive *m, unsigned set, int x)
{
    unsigned bits = 0;
    for (int q = 0; q < m->states; q++)
        if (set >> q & 1)
            bits |= 1u << m->map[x][q];
    return bits;
}

/* P <= Q if some word takes Q to a set that holds P. */
static bool lies_below(const Naive *m, unsigned p, unsigned q)
{
    for (int x = 0; x < m->n; x++)
        if ((p & ~image_of(m, q, x)) == 0)
            return true;
    return false;
}

/* The longest chain of sets strictly below each other from q down to single states. */
static int naive_height(const Naive *m, const unsigned *set, int n, unsigned q)
{
    int height = 0;
    if ((q & (q - 1)) == 0)
        return 0;
    for (int i = 0; i < n; i++)
        if (lies_below(m, set[i], q) && !lies_below(m, q, set[i])) {
            int h = 1 + naive_height(m, set, n, set[i]);
            height = h > height ? h : height;
        }
    return height;
}

static unsigned bits_of(const ThHolonomy *h, int set)
{
    unsigned bits = 0;
    for (int q = 0; q < h->n_states; q++)
        bits |= th_holonomy_contains(h, set, q) ? 1u << q : 0;
    return bits;
}

static void check_sets(const Naive *m, const ThHolonomy *h)
{
    static unsigned set[64];
    int n = naive_sets(m, set);
    assert_int_equal(h->n_sets, n);
    for (int i = 0; i < h->n_sets; i++) {
        unsigned bits = bits_of(h, i);
        const ThAutomatonFamily *f = &h->families[h->family[i]];
        assert_int_equal(h->n_levels - f->level, naive_height(m, set, n, bits));
        for (int j = 0; j < i; j++) {
            unsigned other = bits_of(h, j);
            assert_int_equal(h->family[i] == h->family[j],
                             lies_below(m, bits, other) && lies_below(m, other, bits));
        }
    }
    for (int i = 0; i < h->n_families; i++) {
        const ThAutomatonFamily *f = &h->families[i];
        unsigned whole = bits_of(h, f->representative);
        int tiles = 0;
        for (int j = 0; j < n && f->n_points > 1; j++) {
            bool tile = set[j] != whole && (set[j] & ~whole) == 0;
            for (int k = 0; k < n; k++)
                tile = tile && !(set[k] != whole && set[k] != set[j] && (set[k] & ~whole) == 0 &&
                                 (set[j] & ~set[k]) == 0);
            tiles += tile;
        }
        assert_int_equal(f->n_tiles, tiles);
    }
}

/* The holonomy group by its definition: what the words that keep a set do to its tiles. */
static void check_groups(const Naive *m, const ThHolonomy *h)
{
    for (int i = 0; i < h->n_families; i++) {
        const ThAutomatonFamily *f = &h->families[i];
        if (f->n_points == 1)
            continue;
        ThGroup *g = th_group_new(f->n_tiles, NULL);
        unsigned whole = bits_of(h, f->representative);
        for (int x = 0; x < m->n; x++) {
            int permutation[64];
            if (image_of(m, whole, x) != whole)
                continue;
            for (int t = 0; t < f->n_tiles; t++) {
                unsigned to = image_of(m, bits_of(h, f->tile[t]), x);
                permutation[t] = 0;
                while (bits_of(h, f->tile[permutation[t]]) != to)
                    permutation[t]++;
            }
            assert_int_not_equal(th_group_find(f->group, permutation), SIZE_MAX);
            assert_true(th_group_add(g, permutation, 0, NULL, NULL));
        }
        assert_int_equal(th_group_order(g), th_group_order(f->group));
        th_group_free(g);
    }
}

static void check_cascade(const ThDfa *d, const ThHolonomy *h, ThRng *r)
{
    ThHolonomyCheck check;
    assert_true(th_holonomy_verify(h, 100000, &check, NULL, NULL));
    assert_true(check.closed);
    assert_true(check.tuples >= (size_t)d->n_states);
    int c[8], next[8];
    for (int q = 0; q < d->n_states; q++) {
        int state = q;
        th_holonomy_lift(h, q, c);
        assert_int_equal(th_holonomy_state(h, c), q);
        for (int step = 0; step < 30; step++) {
            int a = below(r, d->n_symbols);
            assert_true(th_holonomy_step(h, c, a, next, NULL));
            memcpy(c, next, sizeof c);
            state = d->next[state * d->n_symbols + a];
            assert_int_equal(th_holonomy_state(h, c), state);
        }
    }
}

static void test_decompositions(void **state)
{
    (void)state;
    Naive *naive = malloc(sizeof *naive);
    int deep = 0, groups = 0;
    for (uint64_t i = 0; i < 300; i++) {
        ThRng r = th_rng(11, "test.monoid.holonomy", i);
        ThDfa *d = random_dfa(&r, 1 + below(&r, 5), 1 + below(&r, 3));
        if (naive_close(naive, d, 200)) {
            ThHolonomy *h = th_holonomy_new(d, 0, NULL, NULL);
            check_sets(naive, h);
            check_groups(naive, h);
            check_cascade(d, h, &r);
            deep += h->n_levels > 2;
            for (int f = 0; f < h->n_families; f++)
                groups += h->families[f].facts.order > 1;
            th_holonomy_free(h);
        }
        th_dfa_free(d);
    }
    assert_in_range(deep, 50, 300);
    assert_in_range(groups, 50, 1000);
    free(naive);
}

/* Larger machines follow their cascades, too; all maps of n states give S_n, …, S_2. */
static void test_large_decompositions(void **state)
{
    (void)state;
    ThHolonomyCheck check;
    for (uint64_t i = 0; i < 20; i++) {
        ThRng r = th_rng(13, "test.monoid.large", i);
        ThDfa *d = random_dfa(&r, 8 + below(&r, 3), 2);
        ThHolonomy *h = th_holonomy_new(d, 0, NULL, NULL);
        if (h)
            assert_true(th_holonomy_verify(h, 500, &check, NULL, NULL));
        th_holonomy_free(h);
        th_dfa_free(d);
    }
    ThDfa *d = all_maps(6);
    ThHolonomy *h = th_holonomy_new(d, 0, NULL, NULL);
    assert_int_equal(h->n_levels, 5);
    assert_int_equal(h->n_sets, 63);
    static const char *const name[] = {"S_6", "S_5", "S_4", "S_3", "Z_2"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(h->families[i].level, i);
        assert_int_equal(h->families[i].n_tiles, 6 - i);
        assert_string_equal(h->families[i].facts.name, name[i]);
    }
    assert_true(th_holonomy_verify(h, 1000, &check, NULL, NULL));
    assert_true(check.closed);
    assert_int_equal(check.tuples, 720);
    th_holonomy_free(h);
    th_dfa_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_relations_and_varieties),
        cmocka_unit_test(test_definite),
        cmocka_unit_test(test_full_transformation_monoids),
        cmocka_unit_test(test_cerny),
        cmocka_unit_test(test_languages),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_decompositions),
        cmocka_unit_test(test_large_decompositions),
    };
    return cmocka_run_group_tests_name("monoid", tests, NULL, NULL);
}
