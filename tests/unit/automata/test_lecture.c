/* Constructions of lectures: what Thompson's gives is what the position automaton gives, part by
 * part as textbooks have it; what is left when all states are eliminated is the language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/operations/shortest_difference.h"
#include "automata/regex/regex.h"
#include "given.h"

enum { TURNS = 300, ROOM = 4000 };

/* Appends a random expression over {a, b, c} without &, - and ~. */
static void random_pattern(ThRng *r, char *text, int depth)
{
    static const char *const leaf[] = {"a", "b", "c", "()", "[ab]", "[^b]", "[]"};
    static const char *const after[] = {"*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,4}", "{0}"};
    int kind = depth > 0 ? below(r, 4) : 0;
    if (kind == 0) {
        strcat(text, leaf[below(r, 7)]);
        return;
    }
    strcat(text, "(");
    random_pattern(r, text, depth - 1);
    strcat(text, kind == 1 ? "|" : "");
    if (kind < 3)
        random_pattern(r, text, depth - 1);
    if (kind == 1 && below(r, 2)) {
        strcat(text, "|");
        random_pattern(r, text, depth - 1);
    }
    strcat(text, ")");
    strcat(text, kind == 3 ? after[below(r, 8)] : "");
}

static void assert_same(const ThAutomaton *a, const ThAutomaton *b, const char *what)
{
    ThAutomatonDifference d;
    assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
    if (!d.equivalent)
        fail_msg("%s differs on %s", what, d.word);
    free(d.word);
}

static ThAutomaton *positions(const char *pattern)
{
    static char a[] = "a", b[] = "b", c[] = "c";
    ThError err = {0};
    ThAutomaton *x = th_regex_automaton(pattern, (char *[]){a, b, c}, 3, 0, NULL, &err);
    if (!x)
        fail_msg("%s: %s", pattern, err.msg);
    return x;
}

/* ---- Thompson -------------------------------------------------------------------------------- */

/* Every part leaves its own end and enters its own start only by arcs that come later. */
static bool check_part(void *context, const ThRegexThompsonStep *x, ThError *err)
{
    int *steps = context;
    (void)err;
    ++*steps;
    for (size_t i = 0; i < x->so_far->n_arcs; i++) {
        assert_int_not_equal(x->so_far->arc[i].to, x->from);
        assert_int_not_equal(x->so_far->arc[i].from, x->to);
    }
    return true;
}

static void test_thompson(void **state)
{
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        ThRng r = th_rng(5, "thompson", (uint64_t)turn);
        char inside[ROOM] = "", pattern[ROOM + 20];
        random_pattern(&r, inside, 4);
        snprintf(pattern, sizeof pattern, "(%s)|abcabc", inside);
        int steps = 0;
        ThError err = {0};
        ThAutomaton *a = th_regex_thompson(pattern, 0, check_part, &steps, NULL, &err);
        if (!a)
            fail_msg("%s: %s", pattern, err.msg);
        ThAutomaton *b = positions(pattern);
        assert_same(a, b, pattern);
        th_automaton_free(a);
        th_automaton_free(b);
    }
}

/* States and arcs as one counts them by hand: two states a symbol, a choice and a star. */
static void test_thompson_size(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        int states, arcs, steps;
    } of[] = {{"a", 2, 1, 2},     {"ab", 4, 3, 4}, {"a|b|c", 8, 9, 5},     {"a*", 4, 5, 3},
              {"a+", 4, 4, 3},    {"a?", 4, 4, 3}, {"(a|b)*b", 10, 12, 7}, {"a{2,3}", 8, 8, 6},
              {"a{2,}", 6, 6, 5}, {"()", 2, 1, 2}, {"[ab]", 2, 2, 2},      {"a{0}|a", 6, 6, 4}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        int steps = 0;
        ThAutomaton *a = th_regex_thompson(of[i].pattern, 0, check_part, &steps, NULL, NULL);
        assert_non_null(a);
        if (a->n_states != of[i].states || (int)a->n_arcs != of[i].arcs || steps != of[i].steps)
            fail_msg("%s: %d %zu %d", of[i].pattern, a->n_states, a->n_arcs, steps);
        th_automaton_free(a);
    }
}

static bool refuse(void *context, const ThRegexThompsonStep *x, ThError *err)
{
    int *left = context;
    (void)x;
    return --*left > 0 || th_fail(err, TH_EVALUE, "enough");
}

static void test_thompson_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a&b", "a-b", "a(~b)", "a(", "(a|b&a)*"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ThError err = {0};
        assert_null(th_regex_thompson(wrong[i], 0, NULL, NULL, NULL, &err));
        assert_int_equal(err.code, i == 3 ? TH_EPARSE : TH_EVALUE);
        assert_true(err.col > 0);
    }
    ThError err = {0};
    assert_null(th_regex_thompson("a{1,500}", 100, NULL, NULL, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    int left = 3;
    err = (ThError){0};
    assert_null(th_regex_thompson("(a|b)*b", 0, refuse, &left, NULL, &err));
    assert_string_equal(err.msg, "enough");
    ThStop stop = true;
    err = (ThError){0};
    assert_null(th_regex_thompson("(a|b)*b", 0, NULL, NULL, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
}

/* ---- elimination ----------------------------------------------------------------------------- */

typedef struct {
    int n, steps;
    bool *gone;
    ThText last;
} Elimination;

static bool look(void *context, const ThRegexEliminationStep *x, ThError *err)
{
    Elimination *e = context;
    (void)err;
    assert_int_equal(x->gone < 0, e->steps == 0);
    if (x->gone >= 0) {
        assert_false(e->gone[x->gone]);
        e->gone[x->gone] = true;
    }
    e->steps++;
    for (int from = 0; from < e->n + 2; from++)
        for (int to = 0; to < e->n + 2; to++) {
            ThText label = {0};
            bool is = x->edge(x->graph, from, to, &label);
            assert_false(is && ((from < e->n && e->gone[from]) || (to < e->n && e->gone[to])));
            if (from == e->n && to == e->n + 1) {
                th_text_free(&e->last);
                e->last = label;
                th_text_add(&e->last, is ? "" : "[]");
            } else {
                th_text_free(&label);
            }
        }
    return true;
}

/* What is left between start and end, of automata with empty moves and without. */
static void test_elimination(void **state)
{
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        ThRng r = th_rng(6, "eliminate", (uint64_t)turn);
        char pattern[ROOM] = "";
        random_pattern(&r, pattern, 2);
        ThAutomaton *a =
            turn % 2 ? th_regex_thompson(pattern, 0, NULL, NULL, NULL, NULL) : positions(pattern);
        assert_non_null(a);
        Elimination e = {.n = a->n_states, .gone = calloc((size_t)a->n_states + 1, 1)};
        ThError err = {0};
        if (!th_regex_elimination(a, look, &e, NULL, &err))
            fail_msg("%s: %s", pattern, err.msg);
        assert_int_equal(e.steps, a->n_states + 1);
        ThAutomaton *b = positions(strcmp(e.last.data, "ε") == 0 ? "()" : e.last.data);
        assert_same(a, b, pattern);
        th_text_free(&e.last);
        free(e.gone);
        th_automaton_free(a);
        th_automaton_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thompson),
        cmocka_unit_test(test_thompson_size),
        cmocka_unit_test(test_thompson_errors),
        cmocka_unit_test(test_elimination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
