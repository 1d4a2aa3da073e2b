/* Families of automata whose sizes are known for every n. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "automata/core/build.h"
#include "automata/operations/operations.h"
#include "automata/regex/regex.h"

enum { LARGEST = 12 };

static int states_of_minimal(const ThAutomaton *a)
{
    ThAutomaton *m = th_automaton_minimize(a, 0, NULL, NULL);
    assert_non_null(m);
    int n = m->n_states;
    th_automaton_free(m);
    return n;
}

/* Nothing but the position that a symbol back decides: n + 2 states, 2^(n+1) when deterministic,
 * n + 2 again backwards.  The states are the last n + 1 symbols, the transitions de Bruijn's graph,
 * whose words act differently up to n symbols, and by their last n + 1 if they are longer. */
static void test_de_bruijn(void **state)
{
    (void)state;
    for (int n = 1; n <= LARGEST; n++) {
        char pattern[40];
        snprintf(pattern, sizeof pattern, "(a|b)*a(a|b){%d}", n);
        ThAutomaton *a = th_regex_automaton(pattern, NULL, 0, 0, NULL, NULL);
        assert_non_null(a);
        assert_int_equal(states_of_minimal(a), 1 << (n + 1));
        ThAutomaton *back = th_automaton_reverse(a, (ThAutomatonWork){0}, NULL);
        assert_int_equal(states_of_minimal(back), n + 2);
        ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL), *m = th_dfa_minimize(d, NULL, NULL);
        bool aperiodic = false;
        if (n <= 7)
            assert_int_equal(monoid_size(m, 0, &aperiodic, NULL), (1 << (n + 2)) - 1);
        assert_true(n > 7 || aperiodic);
        th_dfa_free(d);
        th_dfa_free(m);
        th_automaton_free(back);
        th_automaton_free(a);
    }
}

/* The ladybird of n states: a turns it, b keeps every state but 0, c keeps them or leads to 0.  All
 * sets of states but the empty one can be reached and told apart: 2^n - 1. */
static void test_ladybird(void **state)
{
    (void)state;
    for (int n = 2; n <= LARGEST; n++) {
        ThAutomatonBuild b = {0};
        for (const char *c = "abc"; *c; c++)
            th_automaton_build_symbol(&b, (char[]){*c, '\0'});
        for (int q = 0; q < n; q++) {
            char name[16];
            snprintf(name, sizeof name, "%d", q);
            th_automaton_build_state(&b, name);
        }
        th_automaton_build_start(&b, 0);
        th_automaton_build_accept(&b, 0);
        for (int q = 0; q < n; q++) {
            th_automaton_build_arc(&b, (ThAutomatonArc){q, 0, (q + 1) % n, TH_AUTOMATON_NO_OUTPUT});
            for (int c = 1; q > 0 && c <= 2; c++)
                th_automaton_build_arc(&b, (ThAutomatonArc){q, c, q, TH_AUTOMATON_NO_OUTPUT});
            if (q > 0)
                th_automaton_build_arc(&b, (ThAutomatonArc){q, 2, 0, TH_AUTOMATON_NO_OUTPUT});
        }
        ThAutomaton *a = th_automaton_build_finish(&b, NULL);
        assert_non_null(a);
        ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
        assert_int_equal(d->n_states, 1 << n); /* with the empty set */
        assert_int_equal(states_of_minimal(a), (1 << n) - 1);
        th_dfa_free(d);
        th_automaton_free(a);
    }
}

/* A long word has itself as its expression. */
static void test_chain(void **state)
{
    (void)state;
    enum { LONG = 1500 };
    char word[LONG + 1];
    ThRng r = th_rng(47, "chain", 0);
    bool whole;
    for (int i = 0; i < LONG; i++)
        word[i] = (char)('a' + below(&r, 26));
    word[LONG] = '\0';
    ThAutomaton *a = th_regex_automaton(word, NULL, 0, 0, NULL, NULL);
    char *shown = th_regex_of(a, &whole, 0, NULL, NULL);
    assert_string_equal(shown, word);
    free(shown);
    th_automaton_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_de_bruijn),
                                       cmocka_unit_test(test_ladybird),
                                       cmocka_unit_test(test_chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
