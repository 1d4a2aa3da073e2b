/* Groups by name: what is known of each, counted in its table of products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/group.h"
#include "automata/operations/cayley.h"
#include "automata/core/dfa.h"
#include "given.h"

typedef struct {
    const char *name;
    int order, centre, classes, squares;
    int of_order[9]; /* elements of the orders 1 … 8, and of greater ones */
} Known;

static const Known rows[] = {
    {"S3", 6, 1, 3, 3, {1, 3, 2}},
    {"D4", 8, 2, 5, 2, {1, 5, 0, 2}},
    {"Q8", 8, 2, 5, 2, {1, 1, 0, 6}},
    {"C2xC4", 8, 8, 8, 2, {1, 3, 0, 4}},
    {"D5", 10, 1, 4, 5, {1, 5, 0, 0, 4}},
    {"A4", 12, 1, 4, 9, {1, 3, 8}},
    {"D6", 12, 2, 6, 3, {1, 7, 2, 0, 0, 2}},
    {"Q12", 12, 2, 6, 4, {1, 1, 2, 6, 0, 2}},
    {"Q16", 16, 2, 7, 4, {1, 1, 0, 10, 0, 0, 0, 4}},
    {"F20", 20, 1, 5, 10, {1, 5, 0, 10, 4}},
    {"F21", 21, 1, 5, 21, {1, 0, 14, 0, 0, 0, 6}},
    {"S4", 24, 1, 5, 12, {1, 9, 8, 6}},
    {"SL(2,3)", 24, 2, 7, 10, {1, 1, 8, 6, 0, 8}},
    {"A5", 60, 1, 5, 45, {1, 15, 20, 0, 24}},
    {"A4xC5", 60, 5, 20, 45, {1, 3, 8, 0, 4, 0, 0, 0, 44}},
    {"S5", 120, 1, 7, 60, {1, 25, 20, 30, 24, 20}},
    {"SL(2,5)", 120, 2, 9, -1, {1, 1, 20, 30, 24, 20, 0, 0, 24}},
    {"PSL(2,7)", 168, 1, 6, 126, {1, 21, 56, 42, 0, 0, 48}},
    {"A6", 360, 1, 7, 270, {1, 45, 80, 90, 144}},
    {"Z60", 60, 60, 60, 30, {1, 1, 2, 2, 4, 2, 0, 0, 48}},
};

static ThDfa *table_of(const char *name, int *n)
{
    ThError err = {0};
    ThAutomaton *a = th_automaton_group(name, NULL, 0, 0, NULL, &err);
    if (!a)
        fail_msg("%s: %s", name, err.msg);
    ThAutomaton *w = th_automaton_cayley(a, false, (ThAutomatonWork){0}, &err);
    assert_non_null(w);
    assert_int_equal(w->n_states, a->n_states);
    assert_int_equal(w->n_symbols, a->n_states);
    *n = a->n_states;
    ThDfa *d = th_dfa_new(*n, *n, 2, &err);
    for (size_t i = 0; i < w->n_arcs; i++)
        d->next[w->arc[i].from * *n + w->arc[i].symbol] = w->arc[i].to;
    assert_int_equal(w->n_arcs, (size_t)*n * (size_t)*n);
    th_automaton_free(a);
    th_automaton_free(w);
    return d;
}

static int order_of(const int *product, int n, int x)
{
    int order = 1;
    for (int y = x; y != 0; order++)
        y = product[y * n + x];
    return order;
}

static void test_known_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n, centre = 0, squares = 0, commuting = 0, of_order[9] = {0};
        ThDfa *d = table_of(rows[i].name, &n);
        bool *square = calloc((size_t)n, 1);
        const int *p = d->next;
        for (int x = 0; x < n; x++) {
            int order = order_of(p, n, x), with = 0;
            of_order[order > 8 ? 8 : order - 1]++;
            square[p[x * n + x]] = true;
            for (int y = 0; y < n; y++)
                with += p[x * n + y] == p[y * n + x];
            centre += with == n;
            commuting += with;
        }
        for (int x = 0; x < n; x++)
            squares += square[x];
        /* the pairs that commute are order times classes */
        if (n != rows[i].order || centre != rows[i].centre || commuting != n * rows[i].classes ||
            (rows[i].squares >= 0 && squares != rows[i].squares) ||
            memcmp(of_order, rows[i].of_order, sizeof of_order) != 0)
            fail_msg("%s: order %d, centre %d, %d pairs commute, %d squares", rows[i].name, n,
                     centre, commuting, squares);
        free(square);
        th_dfa_free(d);
    }
}

/* A group is known by any of its generators, the points being called otherwise. */
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *found;
    } names[] = {
        {"A4xC5", "A_4 x Z_5"}, {"SL(2,3)", "SL(2,3)"},
        {"F21", "F_21"},        {"F42xC2", "F_42 x Z_2"},
        {"S3xS3", "S_3 x S_3"}, {"S4xC2", "S_4 x Z_2"},
        {"Q8xC2", "Q_8 x Z_2"}, {"SL(2,5)", "SL(2,5)"},
        {"A5xC2", "A_5 x Z_2"}, {"S5xC2", "S_5 x Z_2"},
        {"S6", "S_6"},          {"PSL(2,11)", "PSL(2,11)"},
        {"GL(2,3)", "GL(2,3)"}, {"PGL(2,7)", "PGL(2,7)"},
    };
    ThRng r = th_rng(1, "names", 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ThError err = {0};
        ThGroupFacts f;
        ThAutomaton *a = th_automaton_group(names[i].name, NULL, 0, 0, NULL, &err);
        assert_non_null(a);
        int n = a->n_states, *by = calloc((size_t)n, sizeof *by);
        int *name = calloc((size_t)n, sizeof *name);
        for (int q = 0; q < n; q++) {
            int k = (int)th_rng_below(&r, (uint64_t)q + 1);
            name[q] = name[k];
            name[k] = q;
        }
        ThGroup *g = th_group_new(n, &err);
        while (th_group_order(g) < (size_t)n) {
            /* words of random length are elements at random */
            int *x = calloc((size_t)n, sizeof *x);
            for (int q = 0; q < n; q++)
                x[q] = q;
            for (int k = (int)th_rng_below(&r, 60); k > 0; k--) {
                int s = (int)th_rng_below(&r, (uint64_t)a->n_symbols);
                for (int q = 0; q < n; q++)
                    x[q] = a->arc[a->first[x[q]] + (size_t)s].to;
            }
            for (int q = 0; q < n; q++)
                by[name[q]] = name[x[q]];
            assert_true(th_group_add(g, by, 2000, NULL, &err));
            free(x);
        }
        assert_true(th_group_facts(g, &f, NULL, &err));
        if (strcmp(f.name, names[i].found) != 0)
            fail_msg("%s is %s", names[i].name, f.name);
        th_group_free(g);
        th_automaton_free(a);
        free(by);
        free(name);
    }
}

/* Products associate, and e is neutral on both sides. */
static void test_products(void **state)
{
    (void)state;
    int n;
    ThDfa *d = table_of("SL(2,3)", &n);
    const int *p = d->next;
    for (int x = 0; x < n; x++) {
        assert_int_equal(p[x], x);
        assert_int_equal(p[x * n], x);
        for (int y = 0; y < n; y++)
            for (int z = 0; z < n; z++)
                assert_int_equal(p[p[x * n + y] * n + z], p[x * n + p[y * n + z]]);
    }
    th_dfa_free(d);
}

/* Generators act from left to right: in S3 with a = (1 2) and b = (1 2 3), a b takes 1 to 3. */
static void test_monoid(void **state)
{
    (void)state;
    ThError err = {0};
    ThAutomaton *a = parse("start p; accept p; p x -> q; q x -> q; p y -> p; q y -> p");
    ThAutomaton *w = th_automaton_cayley(a, false, (ThAutomatonWork){0}, &err);
    assert_int_equal(w->n_states, 3);
    const char *names[] = {"e", "x", "y"};
    for (int q = 0; q < 3; q++)
        assert_string_equal(w->state[q], names[q]);
    for (size_t i = 0; i < w->n_arcs; i++) /* the last reset counts */
        assert_int_equal(w->arc[i].to, w->arc[i].symbol ? w->arc[i].symbol : w->arc[i].from);
    th_automaton_free(w);
    th_automaton_free(a);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int col;
    } none[] = {{"", 1},    {"G5", 1},       {"S", 1},       {"S5x", 4},   {"S5y", 3}, {"Q10", 1},
                {"F15", 1}, {"PSL(2,6)", 1}, {"PSL(2,7", 1}, {"C2xS1", 4}, {"C0", 1}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ThError err = {0};
        assert_null(th_automaton_group(none[i].name, NULL, 0, 0, NULL, &err));
        if (err.code != TH_EPARSE || err.col != none[i].col)
            fail_msg("%s: column %d: %s", none[i].name, err.col, err.msg);
    }
    ThError err = {0};
    assert_null(th_automaton_group("S12", NULL, 0, 1000, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    /* a hundred thousand elements, each a permutation of as many points: refused at once */
    static const char *const large[] = {"C100000", "C2xC100000", "D50000"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        err = (ThError){0};
        assert_null(th_automaton_group(large[i], NULL, 0, 0, NULL, &err));
        assert_int_equal(err.code, TH_ELIMIT);
        assert_non_null(strstr(err.msg, "more than can be kept"));
    }
    ThAutomaton *a = th_automaton_group("C1500", NULL, 0, 0, NULL, &err);
    assert_int_equal(a->n_states, 1500);
    th_automaton_free(a);
    char x[] = "x", *alphabet[] = {x};
    err = (ThError){0};
    assert_null(th_automaton_group("S3", alphabet, 1, 0, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_known_groups),
        cmocka_unit_test(test_products), cmocka_unit_test(test_monoid),
        cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
