/* Boards: what is drawn in which step, by the TikZ that the drawing has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "plot/graph/board.h"

/* Returns new: the TikZ of step i. */
static char *drawn(const ThPlotBoard *b, int i)
{
    ThFigure f = {0};
    ThError err = {0};
    if (!th_plot_board_draw(&f, "title", b, i, NULL, &err))
        fail_msg("%s", err.msg);
    char *tikz = strdup(f.tikz.data);
    assert_non_null(tikz);
    th_figure_free(&f);
    return tikz;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what))
        n++;
    return n;
}

/* Asserts that step i has so many states and arrows and, unless it is NULL, a text. */
static void assert_step(const ThPlotBoard *b, int i, int states, int arrows, const char *has)
{
    char *tikz = drawn(b, i);
    if (count(tikz, "\\node[state") != states || count(tikz, ") edge[") != arrows ||
        (has && !strstr(tikz, has)))
        fail_msg("step %d: %s", i, tikz);
    free(tikz);
}

/* Where a state stands: a view into the text, up to the }. */
static const char *place_of(const char *tikz, const char *state)
{
    const char *at = strstr(tikz, state);
    assert_non_null(at);
    return strstr(at, " at ");
}

static void assert_still(const ThPlotBoard *b, const char *state)
{
    char *last = drawn(b, th_plot_board_steps(b) - 1);
    for (int i = 0; i < th_plot_board_steps(b); i++) {
        char *tikz = drawn(b, i);
        const char *place = place_of(tikz, state);
        assert_memory_equal(place, place_of(last, state), strcspn(place, "{"));
        free(tikz);
    }
    free(last);
}

/* Two ways by a, a dead end by c. */
static ThAutomaton *three(void)
{
    return parse("alphabet a b c; start p; accept r; p a -> p; p a -> q; q b -> r; p b -> p");
}

static void test_run(void **state)
{
    (void)state;
    ThAutomaton *a = three();
    ThPlotBoard *b = th_plot_board_run(a, (int[]){0, 1, 2, 0}, 4, NULL, NULL);
    assert_non_null(b);
    assert_int_equal(th_plot_board_steps(b), 4);
    static const int marked[] = {1, 2, 2, 0};
    static const char *const caption[] = {"[a]bca", "a[b]ca", "ab[c]a",
                                          "abc[a]   nowhere   reject"};
    for (int i = 0; i < 4; i++) {
        char *tikz = drawn(b, i);
        assert_int_equal(count(tikz, "fill=yellow"), marked[i]);
        free(tikz);
        assert_step(b, i, 3, 3, caption[i]);
    }
    assert_step(b, 2, 3, 3, "accepting, fill=yellow!60] (r)");
    th_plot_board_free(b);
    b = th_plot_board_run(a, (int[]){0, 1}, 2, NULL, NULL);
    assert_step(b, 2, 3, 3, "{ab   accept}");
    th_plot_board_free(b);
    b = th_plot_board_run(a, NULL, 0, NULL, NULL);
    assert_int_equal(th_plot_board_steps(b), 1);
    th_plot_board_free(b);
    th_automaton_free(a);
}

/* Sets {p}, {p, q}, {p, r} and the empty one: arrows and labels come one by one. */
static void test_determinize(void **state)
{
    (void)state;
    ThAutomaton *a = three();
    ThPlotBoard *b = th_plot_board_determinize(a, NULL, NULL);
    assert_non_null(b);
    assert_int_equal(th_plot_board_steps(b), 1 + 4 * 3);
    assert_step(b, 0, 1, 0, "{s0 = \\{p\\}}");
    assert_step(b, 1, 2, 1, "s0 = \\{p\\} by a: new, s1 = \\{p, q\\}");
    assert_step(b, 2, 2, 2, NULL);
    assert_step(b, 3, 3, 3, "new, s2 = \\{\\}");
    assert_step(b, 5, 4, 5, ", accepting");
    assert_step(b, 7, 4, 7, "node {a} (s2)");
    assert_step(b, 8, 4, 7, "node {a, b} (s2)");
    assert_step(b, 12, 4, 10, "node {a, b, c} (s2)");
    assert_still(b, "(s0)");
    th_plot_board_free(b);
    th_automaton_free(a);
}

/* Ends of words modulo three: round 0 has two blocks, round 1 three. */
static void test_minimize(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start x; accept z; x a -> y; y a -> z; z a -> x");
    ThPlotBoard *b = th_plot_board_minimize(a, NULL, NULL);
    assert_non_null(b);
    assert_int_equal(th_plot_board_steps(b), 2);
    static const int colours[] = {2, 3};
    for (int i = 0; i < 2; i++) {
        char *tikz = drawn(b, i);
        assert_int_equal((count(tikz, "blue!20") > 0) + (count(tikz, "orange!30") > 0) +
                             (count(tikz, "green!25") > 0),
                         colours[i]);
        free(tikz);
    }
    assert_step(b, 0, 3, 3, "round 0: 2 blocks");
    th_plot_board_free(b);
    th_automaton_free(a);
}

static void test_eliminate(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start x; accept z; x a -> y; y b -> y; y c -> z");
    ThPlotBoard *b = th_plot_board_eliminate(a, NULL, NULL);
    assert_non_null(b);
    assert_int_equal(th_plot_board_steps(b), 4);
    assert_step(b, 0, 5, 5, NULL);
    assert_step(b, 3, 2, 1, "{ab*c} (end)");
    assert_still(b, "(start)");
    th_plot_board_free(b);
    th_automaton_free(a);
}

static void test_thompson(void **state)
{
    (void)state;
    ThError err = {0};
    ThPlotBoard *b = th_plot_board_thompson("a|b", NULL, &err);
    assert_non_null(b);
    assert_int_equal(th_plot_board_steps(b), 4);
    assert_step(b, 0, 2, 1, "a symbol: from q0 to q1");
    assert_step(b, 1, 4, 2, NULL);
    char *before = drawn(b, 2), *whole = drawn(b, 3);
    assert_null(strstr(before, "initial left"));
    assert_null(strstr(before, ", accepting"));
    assert_non_null(strstr(whole, "initial left] (q4)"));
    assert_non_null(strstr(whole, ", accepting] (q5)"));
    assert_non_null(strstr(whole, "\\varepsilon"));
    free(before);
    free(whole);
    th_plot_board_free(b);
    assert_null(th_plot_board_thompson("a{400}", NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
}

/* Limits, and work that is stopped. */
static void test_errors(void **state)
{
    (void)state;
    ThAutomaton *large = evaluate("cycle(301)"), *long_one = evaluate("cycle(250)");
    ThError err = {0};
    ThStop stop = true;
    assert_null(th_plot_board_eliminate(long_one, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    err = (ThError){0};
    assert_null(th_plot_board_determinize(large, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    err = (ThError){0};
    assert_null(th_plot_board_minimize(long_one, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    int *word = calloc(600, sizeof *word);
    err = (ThError){0};
    assert_null(th_plot_board_run(long_one, word, 600, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    free(word);
    th_automaton_free(large);
    th_automaton_free(long_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),      cmocka_unit_test(test_determinize),
        cmocka_unit_test(test_minimize), cmocka_unit_test(test_eliminate),
        cmocka_unit_test(test_thompson), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
