/* test_smallest.c - the smallest programs: how many differ, beside an enumeration by other means;
 * what is found, as a formula beside the language; what is exhausted when there is no more room or
 * time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/logic/ltl.h"
#include "automata/operations/operations.h"
#include "automata/regex/regex.h"
#include "base/symbols.h"
#include "given.h"
#include "language/program_formula.h"
#include "language/smallest.h"
#include "rasp/interpret/rasp.h"

static char letter[][2] = {"a", "b", "c"};
static char *letters[] = {letter[0], letter[1], letter[2]};

static ThDfa *machine(const char *regex)
{
    ThError err = {0};
    int n = strchr(regex, 'c') ? 3 : strchr(regex, 'b') ? 2 : 1;
    ThAutomaton *a = th_regex_automaton(regex, letters, n, 0, NULL, &err);
    ThDfa *d = th_automaton_acceptor(a, 1000, NULL, &err);
    assert_non_null(d);
    th_automaton_free(a);
    return d;
}

static ThLanguageSmallest smallest(const char *regex, ThLanguageSmallestHow how)
{
    ThLanguageSmallest x;
    ThError err = {0};
    ThDfa *d = machine(regex);
    how.memory = how.memory ? how.memory : 1 << 27;
    assert_true(th_language_smallest(&x, d, letters, &how, &err));
    th_dfa_free(d);
    return x;
}

/* By thirty lines of Python that know no more than what the operators mean. */
static void test_counted(void **state)
{
    (void)state;
    static const struct {
        ThLanguageSmallestHow how;
        int values;
        const char *regex;
    } known[] = {{{TH_LANGUAGE_BRASP, 7, 3, 0, NULL}, 456, "(b*ab*a)*b*a"},
                 {{TH_LANGUAGE_CRASP, 8, 3, 0, NULL}, 266, "(b*ab*a)*b*a"},
                 {{TH_LANGUAGE_RASP, 6, 3, 0, NULL}, 224, "(b*ab*a)*b*a"},
                 {{TH_LANGUAGE_RASP, 6, 4, 0, NULL}, 236, "(b*ab*a)*b*a"},
                 {{TH_LANGUAGE_BRASP, 6, 3, 0, NULL}, 1114, "(aab|ba|cc|cab|a|abc|bc)c*"},
                 /* numbers to 48 */
                 {{TH_LANGUAGE_RASP, 8, 12, 0, NULL}, 873, "aaa|a{9}|a{12}a*"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThLanguageSmallest x = smallest(known[i].regex, known[i].how);
        assert_null(x.program);
        assert_int_equal(x.values, known[i].values);
        assert_int_equal(x.none, known[i].how.nodes);
        th_language_smallest_free(&x);
    }
}

/* A program of B-RASP is its formula's automaton, but for the empty word. */
static void assert_is(const char *program, const char *regex)
{
    ThError err = {0};
    ThRasp *r = th_rasp_new(NULL, &err);
    ThRaspValue v = {0};
    ThLanguageProgram p;
    assert_true(th_rasp_execute(r, program, true, true, NULL, &err));
    assert_true(th_rasp_lookup(r, "it", &v));
    int n = strchr(regex, 'c') ? 3 : 2;
    assert_true(th_language_program(&p, th_rasp_graph(r), v.as.sop, letters, n, &err));
    assert_int_equal(p.counts, TH_RASP_NO_SOP);
    ThAutomaton *a = th_automaton_ltl(p.formula, letters, n, 0, NULL, &err);
    ThDfa *d = machine(regex), *e = th_automaton_acceptor(a, 10000, NULL, &err);
    for (int length = 1; length <= 9; length++) {
        int word[9] = {0};
        do
            assert_int_equal(th_dfa_class(d, word, (size_t)length),
                             th_dfa_class(e, word, (size_t)length));
        while (th_symbols_next(word, length, n));
    }
    th_dfa_free(d);
    th_dfa_free(e);
    th_automaton_free(a);
    th_language_program_free(&p);
    th_rasp_free(r);
}

static void test_found(void **state)
{
    (void)state;
    static const struct {
        const char *regex;
        ThLanguageSmallestHow how;
        int nodes;
    } known[] = {{"(a|b)*a(a|b)*b", {TH_LANGUAGE_BRASP, 8, 5, 0, NULL}, 5},
                 {"(a|b|c)*abc", {TH_LANGUAGE_BRASP, 8, 4, 0, NULL}, 7},
                 {"(a|b)*a", {TH_LANGUAGE_BRASP, 8, 2, 0, NULL}, 1},
                 {"(a|b|c)*(a|c)", {TH_LANGUAGE_BRASP, 8, 3, 0, NULL}, 2},
                 {"(a|b|c)*(a|c)", {TH_LANGUAGE_CRASP, 8, 3, 0, NULL}, 2},
                 {"(a|b|c)*(a|c)", {TH_LANGUAGE_RASP, 8, 3, 0, NULL}, 2},
                 {"(a|b)*aa", {TH_LANGUAGE_BRASP, 8, 1, 0, NULL}, 5}, /* from longer words only */
                 {"a*b*", {TH_LANGUAGE_CRASP, 9, 5, 0, NULL}, 8},
                 {"(ab)*", {TH_LANGUAGE_CRASP, 13, 5, 0, NULL}, 13},
                 {"(aa)*|(a|b)*b(a|b)*", {TH_LANGUAGE_RASP, 6, 4, 0, NULL}, 0},
                 {"((a|b)(a|b))*", {TH_LANGUAGE_RASP, 9, 5, 0, NULL}, 8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThLanguageSmallest x = smallest(known[i].regex, known[i].how);
        assert_int_equal(x.nodes, known[i].nodes);
        assert_int_equal(x.none, x.nodes ? x.nodes - 1 : known[i].how.nodes);
        assert_true(x.nodes == 0 || x.checked >= 8);
        if (known[i].how.dialect == TH_LANGUAGE_BRASP)
            assert_is(x.program, known[i].regex);
        th_language_smallest_free(&x);
    }
}

/* What was exhausted before there was no more room; and before it was stopped: nothing. */
static void test_ends(void **state)
{
    (void)state;
    ThError err = {0};
    sig_atomic_t stop = 1;
    ThLanguageSmallestHow how = {TH_LANGUAGE_BRASP, 20, 4, 1 << 18, NULL};
    ThLanguageSmallest x = smallest("(b*ab*a)*b*a", how);
    assert_true(x.full && !x.program);
    assert_int_equal(x.none, 7); /* the last of them without keeping any more */
    th_language_smallest_free(&x);
    ThDfa *d = machine("(b*ab*a)*b*a");
    how.stop = &stop;
    assert_false(th_language_smallest(&x, d, letters, &how, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_int_equal(x.none, 1);
    th_language_smallest_free(&x);
    /* Means of means are not looked at, of nine nodes and within eleven. */
    x = smallest("(b*ab*a)*b*a", (ThLanguageSmallestHow){TH_LANGUAGE_RASP, 11, 4, 0, NULL});
    assert_true(x.rough && !x.full && !x.program);
    assert_int_equal(x.none, 10);
    th_language_smallest_free(&x);
    err = (ThError){0};
    how.length = 12;
    assert_false(th_language_smallest(&x, d, letters, &how, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_language_smallest_free(&x);
    int symbols = d->n_symbols;
    err = (ThError){0};
    how.length = 4;
    d->n_symbols = 0;
    assert_false(th_language_smallest(&x, d, letters, &how, &err));
    assert_int_equal(err.code, TH_EVALUE);
    d->n_symbols = symbols;
    th_dfa_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
