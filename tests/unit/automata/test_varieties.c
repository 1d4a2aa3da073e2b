/* Classes of languages against what they mean for the states of the minimal machine and for words,
 * where the library goes by the monoid: nothing here knows idempotents but DA's equation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/monoid.h"
#include "automata/algebra/varieties.h"
#include "automata/core/automaton.h"
#include "automata/operations/operations.h"
#include "given.h"

enum { STATES = 6, TURNS = 6000, ELEMENTS = 60, LENGTH = 8 };

static int step(const ThDfa *d, int q, int a)
{
    return d->next[q * d->n_symbols + a];
}

/* ---- by symbols ---- */

static bool is_identity(const ThDfa *d, int a)
{
    for (int q = 0; q < d->n_states; q++)
        if (step(d, q, a) != q)
            return false;
    return true;
}

static bool is_constant(const ThDfa *d, int a)
{
    for (int q = 1; q < d->n_states; q++)
        if (step(d, q, a) != step(d, 0, a))
            return false;
    return true;
}

static bool is_permutation(const ThDfa *d, int a)
{
    for (int q = 0; q < d->n_states; q++)
        for (int p = 0; p < q; p++)
            if (step(d, p, a) == step(d, q, a))
                return false;
    return true;
}

static bool commute(const ThDfa *d, int a, int b)
{
    for (int q = 0; q < d->n_states; q++)
        if (step(d, step(d, q, a), b) != step(d, step(d, q, b), a))
            return false;
    return true;
}

/* ---- by ways through the states ---- */

/* reach[p][q]: a non-empty word leads p to q. */
static void find_ways(const ThDfa *d, bool reach[STATES][STATES])
{
    int n = d->n_states;
    memset(reach, 0, sizeof(bool) * STATES * STATES);
    for (int q = 0; q < n; q++)
        for (int a = 0; a < d->n_symbols; a++)
            reach[q][step(d, q, a)] = true;
    for (int k = 0; k < n; k++)
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                reach[p][q] = reach[p][q] || (reach[p][k] && reach[k][q]);
}

/* No cycle but loops: what the first place of each new symbol tells decides (R-trivial). */
static bool is_ordered(const ThDfa *d)
{
    bool reach[STATES][STATES];
    find_ways(d, reach);
    for (int p = 0; p < d->n_states; p++)
        for (int q = 0; q < p; q++)
            if (reach[p][q] && reach[q][p])
                return false;
    return true;
}

/* Every state on a cycle is left by no symbol: the first symbols decide. */
static bool settles(const ThDfa *d)
{
    bool reach[STATES][STATES];
    find_ways(d, reach);
    for (int q = 0; q < d->n_states; q++)
        for (int a = 0; a < d->n_symbols; a++)
            if (reach[q][q] && step(d, q, a) != q)
                return false;
    return true;
}

/* Are any two states led to one by all words of some length?  After n² symbols a pair that is still
 * two has been met before. */
static bool forgets(const ThDfa *d)
{
    int n = d->n_states;
    bool apart[STATES][STATES], next[STATES][STATES];
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            apart[p][q] = p != q;
    for (int i = 0; i < n * n + 1; i++) {
        memset(next, 0, sizeof next);
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                for (int a = 0; a < d->n_symbols && apart[p][q]; a++)
                    next[step(d, p, a)][step(d, q, a)] = step(d, p, a) != step(d, q, a);
        memcpy(apart, next, sizeof apart);
    }
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            if (apart[p][q])
                return false;
    return true;
}

/* The minimal machine of the words read backwards; NULL if it has too many states. */
static ThDfa *backwards(const ThDfa *d)
{
    char name[4][2] = {"a", "b", "c", "d"};
    char *symbol[] = {name[0], name[1], name[2], name[3]};
    ThAutomaton *a = th_automaton_from_dfa(d, symbol, NULL);
    ThAutomaton *r = th_automaton_reverse(a, (ThAutomatonWork){0}, NULL);
    ThDfa *all = th_automaton_acceptor(r, 0, NULL, NULL), *m = th_dfa_minimize(all, NULL, NULL);
    th_automaton_free(a);
    th_automaton_free(r);
    th_dfa_free(all);
    assert_non_null(m);
    if (m->n_states <= STATES)
        return m;
    th_dfa_free(m);
    return NULL;
}

/* ---- by words ---- */

/* Which scattered subwords of up to 3 symbols over two symbols a word has, one bit each: the
 * numbers are those of binary numbers with a leading 1. */
static unsigned subwords(const int *word, int length)
{
    unsigned has = 1u << 1;
    for (int i = 0; i < length; i++)
        for (int s = 7; s >= 1; s--)
            if (has & (1u << s))
                has |= s < 8 ? 1u << (2 * s + word[i]) : 0;
    return has;
}

/* Words of up to LENGTH symbols with the same subwords of up to 3 symbols lie in it or not alike.
 * Enough for languages whose order has at most 4 states in a chain (Klíma and Polák 2013). */
static bool subwords_decide(const ThDfa *d)
{
    static signed char says[1 << 16];
    memset(says, -1, sizeof says);
    for (int length = 0; length <= LENGTH; length++) {
        for (int w = 0; w < 1 << length; w++) {
            int word[LENGTH + 1], q = d->start;
            for (int i = 0; i < length; i++) {
                word[i] = (w >> i) & 1;
                q = step(d, q, word[i]);
            }
            signed char *said = &says[subwords(word, length)];
            if (*said >= 0 && *said != d->label[q])
                return false;
            *said = (signed char)d->label[q];
        }
    }
    return true;
}

/* ---- by an equation ---- */

typedef struct {
    int n, product[ELEMENTS][ELEMENTS];
} Table;

static bool fill_table(Table *t, const ThMonoid *m)
{
    t->n = m->size;
    if (t->n > ELEMENTS)
        return false;
    for (int x = 0; x < t->n; x++)
        for (int y = 0; y < t->n; y++)
            t->product[x][y] = th_monoid_product(m, x, y);
    return true;
}

static int idempotent_power(const Table *t, int x)
{
    int y = x;
    while (t->product[y][y] != y)
        y = t->product[y][x];
    return y;
}

/* (xyz)^ω y (xyz)^ω = (xyz)^ω for all x, y, z (Schützenberger 1976). */
static bool is_da(const Table *t)
{
    for (int x = 0; x < t->n; x++)
        for (int y = 0; y < t->n; y++)
            for (int z = 0; z < t->n; z++) {
                int e = idempotent_power(t, t->product[t->product[x][y]][z]);
                if (t->product[t->product[e][y]][e] != e)
                    return false;
            }
    return true;
}

/* ---- the test ---- */

static ThDfa *random_minimal(ThRng *r)
{
    int n = 1 + below(r, STATES), k = 1 + below(r, 3), shape = below(r, 4);
    ThDfa *d = th_dfa_new(n, k, 2, NULL);
    for (int q = 0; q < n; q++) {
        d->label[q] = below(r, 2);
        for (int a = 0; a < k; a++) {
            int *to = &d->next[q * k + a];
            *to = shape == 1 ? q + below(r, n - q) : below(r, n); /* 1: never back */
            if (shape == 2)
                *to = a == 0 ? (q + 1) % n : below(r, 3) ? q : (q + 1) % n;
            if (shape == 3)
                *to = (a * 7 + (q < a)) % n; /* nearly constant */
        }
    }
    ThDfa *m = th_dfa_minimize(d, NULL, NULL);
    th_dfa_free(d);
    return m;
}

static void check_symbols(const ThDfa *d, const ThVarieties *v)
{
    bool group = true, reset = true, commutative = true;
    for (int a = 0; a < d->n_symbols; a++) {
        group = group && is_permutation(d, a);
        reset = reset && (is_identity(d, a) || is_constant(d, a));
        for (int b = 0; b < a; b++)
            commutative = commutative && commute(d, a, b);
    }
    assert_int_equal(v->group, group);
    assert_int_equal(v->reset, reset);
    assert_int_equal(v->commutative, commutative);
}

static void check_ways(const ThDfa *d, const ThVarieties *v)
{
    assert_int_equal(v->definite, forgets(d));
    assert_int_equal(v->reverse_definite, settles(d));
    assert_int_equal(v->r_trivial, is_ordered(d));
    ThDfa *back = backwards(d);
    if (back) {
        assert_int_equal(v->l_trivial, is_ordered(back));
        assert_int_equal(v->j_trivial, is_ordered(d) && is_ordered(back));
    }
    th_dfa_free(back);
    assert_true(!v->j_trivial || (v->r_trivial && v->l_trivial));
    assert_true(!(v->r_trivial || v->l_trivial) || v->da);
    assert_true(!v->da || v->aperiodic);
    assert_true(!(v->definite || v->reverse_definite) || v->generalized_definite);
    assert_true(!v->generalized_definite || v->locally_testable);
    assert_true(!v->locally_testable || v->aperiodic);
    if (v->j_trivial && d->n_symbols == 2 && d->n_states <= 4)
        assert_true(subwords_decide(d));
}

static void test_definitions(void **state)
{
    (void)state;
    static Table table;
    int holds[9] = {0}, tables = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        ThRng r = th_rng(43, "varieties", (uint64_t)turn);
        ThDfa *d = random_minimal(&r);
        ThMonoid *m = th_monoid_new(d, 0, NULL, NULL);
        ThGreen *g = th_green_new(m, NULL, NULL);
        ThVarieties v;
        assert_true(th_varieties_of(&v, m, g, NULL, NULL));
        check_symbols(d, &v);
        check_ways(d, &v);
        if (fill_table(&table, m)) {
            assert_int_equal(v.da, is_da(&table));
            tables++;
        }
        const bool all[9] = {
            v.group,     v.reset,     v.commutative, v.definite, v.reverse_definite,
            v.r_trivial, v.l_trivial, v.j_trivial,   v.da};
        for (int i = 0; i < 9; i++)
            holds[i] += all[i];
        th_varieties_free(&v);
        th_green_free(g);
        th_monoid_free(m);
        th_dfa_free(d);
    }
    for (int i = 0; i < 9; i++)
        assert_in_range(holds[i], 100, TURNS - 100);
    assert_in_range(tables, TURNS / 2, TURNS);
}

/* The class of a regular expression over a and b. */
static const char *class_of(const char *regex)
{
    ThError err = {0};
    char text[200];
    snprintf(text, sizeof text, "regex \"%s\" over \"ab\"", regex);
    ThAutomaton *a = evaluate(text);
    ThDfa *wide = th_automaton_dfa(a, 0, NULL, &err), *d = th_dfa_minimize(wide, NULL, &err);
    ThMonoid *m = th_monoid_new(d, 0, NULL, &err);
    ThGreen *g = th_green_new(m, NULL, &err);
    ThVarieties v;
    assert_true(th_varieties_of(&v, m, g, NULL, &err));
    const char *name = th_varieties_class_name(th_varieties_class(&v));
    th_varieties_free(&v);
    th_green_free(g);
    th_monoid_free(m);
    th_dfa_free(d);
    th_dfa_free(wide);
    th_automaton_free(a);
    return name;
}

static void test_classes(void **state)
{
    static const char *const known[][2] = {
        {"(a|b)*", "trivial"},
        {"(a|b)*a(a|b)*b(a|b)*", "J-trivial"},
        {"(a|b)*a", "definite"},
        {"a(a|b)*", "reverse definite"},
        {"a(a|b)*b", "generalized definite"},
        {"b*a(a|b)*b", "L-trivial"},
        {"(a|b)*aa(a|b)*", "locally testable"},
        {"(ab)*", "locally testable"},
        {"(a(ab)*b)*", "star-free"},
        {"((a|b)(a|b))*", "group"},
        {"(a(a|b))*", "solvable"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(class_of(known[i][0]), known[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definitions),
                                       cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
