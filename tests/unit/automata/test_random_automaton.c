/* Random automata: as many states and transitions as were asked for, all states reachable, and the
 * same automaton for the same seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/random_automaton.h"

static char a[] = "a", b[] = "b", c[] = "c", *abc[] = {a, b, c};

static ThAutomaton *draw(ThAutomatonDraw d, int n_symbols)
{
    ThError err = {0};
    ThAutomaton *x = th_automaton_random(&d, abc, n_symbols, &err);
    if (!x)
        fail_msg("%s", err.msg);
    return x;
}

static int reachable(const ThAutomaton *x)
{
    bool *seen = calloc((size_t)x->n_states, sizeof *seen);
    int n = 0;
    seen[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < x->n_arcs; i++) {
            more = more || (seen[x->arc[i].from] && !seen[x->arc[i].to]);
            seen[x->arc[i].to] = seen[x->arc[i].to] || seen[x->arc[i].from];
        }
    }
    for (int q = 0; q < x->n_states; q++)
        n += seen[q];
    free(seen);
    return n;
}

static void check(ThAutomatonDraw d, int n_symbols, size_t arcs, int accepting)
{
    for (d.seed = 0; d.seed < 40; d.seed++) {
        ThAutomaton *x = draw(d, n_symbols);
        int yes = 0, starts = 0;
        assert_int_equal(x->n_states, d.states);
        assert_int_equal(x->n_symbols, n_symbols);
        assert_int_equal(x->n_arcs, arcs);
        assert_int_equal(reachable(x), d.states);
        for (int q = 0; q < x->n_states; q++) {
            yes += x->accept[q];
            starts += x->start[q];
        }
        assert_int_equal(yes, accepting);
        assert_int_equal(starts, 1);
        assert_true(x->start[0]);
        assert_true(!d.deterministic || th_automaton_deterministic(x));
        th_automaton_free(x);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    check((ThAutomatonDraw){7, true, 1, 0.3, 0}, 3, 21, 2);
    check((ThAutomatonDraw){7, true, 0.5, 0, 0}, 3, 11, 0);
    check((ThAutomatonDraw){7, true, 0.286, 1, 0}, 3, 6, 7); /* the tree and nothing else */
    check((ThAutomatonDraw){1, true, 0, 1, 0}, 2, 0, 1);
    check((ThAutomatonDraw){6, false, 1.25, 0.5, 0}, 2, 15, 3);
    check((ThAutomatonDraw){5, false, 5, 0.2, 0}, 3, 75, 1); /* all there are */
    check((ThAutomatonDraw){40, true, 1, 0.5, 0}, 1, 40, 20);
}

static bool same(const ThAutomaton *x, const ThAutomaton *y)
{
    return x->n_arcs == y->n_arcs && memcmp(x->arc, y->arc, x->n_arcs * sizeof *x->arc) == 0 &&
           memcmp(x->accept, y->accept, (size_t)x->n_states * sizeof *x->accept) == 0;
}

static void test_seeds(void **state)
{
    (void)state;
    int different = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        ThAutomatonDraw d = {5, seed % 2 == 0, 1, 0.4, seed}, next = d;
        next.seed++;
        ThAutomaton *x = draw(d, 2), *y = draw(d, 2), *z = draw(next, 2);
        assert_true(same(x, y));
        different += !same(x, z);
        th_automaton_free(x);
        th_automaton_free(y);
        th_automaton_free(z);
    }
    assert_true(different >= 19);
}

/* Every transition, target and accepting state is drawn about as often as any other that the tree
 * does not want: a state hangs on each one before it, by each symbol. */
static void test_every_place(void **state)
{
    (void)state;
    enum { TIMES = 3000, N = 3, K = 2 };
    int met[2][N][K][N] = {{{{0}}}}, accepts[N] = {0};
    for (uint64_t seed = 0; seed < TIMES; seed++) {
        for (int kind = 0; kind < 2; kind++) {
            ThAutomaton *x = draw((ThAutomatonDraw){N, kind == 1, 1, 0.34, seed}, K);
            for (size_t i = 0; i < x->n_arcs; i++)
                met[kind][x->arc[i].from][x->arc[i].symbol][x->arc[i].to]++;
            for (int q = 0; q < N; q++)
                accepts[q] += x->accept[q];
            th_automaton_free(x);
        }
    }
    for (int q = 0; q < N; q++) {
        assert_in_range(accepts[q], TIMES * 2 / 3 - 200, TIMES * 2 / 3 + 200);
        for (int p = 0; p < N; p++) {
            /* q1 hangs on q0 always, so the symbols of one place share what they have */
            for (int kind = 0; kind < 2; kind++) {
                int one = met[kind][p][0][q], other = met[kind][p][1][q];
                assert_true(one > TIMES / 20);
                assert_in_range(one - other + 1000, 800, 1200);
            }
        }
    }
}

static void refuse(ThAutomatonDraw d, int n_symbols, ThErrc code, const char *why)
{
    ThError err = {0};
    char again[] = "b", *twice[] = {a, b, again};
    assert_null(th_automaton_random(&d, n_symbols == 3 ? twice : abc, n_symbols, &err));
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.msg, why));
}

static void test_wrong(void **state)
{
    (void)state;
    refuse((ThAutomatonDraw){9, true, 0.4, 0.5, 0}, 2, TH_EVALUE, "7 transitions cannot reach");
    refuse((ThAutomatonDraw){4, true, 1.5, 0.5, 0}, 2, TH_EVALUE, "at most 8 transitions, not 12");
    refuse((ThAutomatonDraw){4, false, 5, 0.5, 0}, 2, TH_EVALUE, "at most 32 transitions, not 40");
    refuse((ThAutomatonDraw){4, true, 1, 0.5, 0}, 0, TH_EVALUE, "needs a symbol");
    refuse((ThAutomatonDraw){4, true, 1, 0.5, 0}, 3, TH_EVALUE, "'b' is there twice");
    refuse((ThAutomatonDraw){10000, false, 1.25, 0.5, 0}, 2, TH_ELIMIT, "have room for 200000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_seeds),
                                       cmocka_unit_test(test_every_place),
                                       cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
