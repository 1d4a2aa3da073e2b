/* The built-in automata: known numbers, and evaluation of the words' meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "given.h"
#include "automata/core/automaton_run.h"
#include "automata/expression/builtins.h"
#include "base/symbols.h"

static void test_builtin_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        int minimal; /* states of the complete minimal machine */
        int trimmed; /* states without a sink */
        size_t monoid;
        bool star_free;
    } fact[] = {
        {"parity", 2, 2, 2, false},
        {"even_pairs", 5, 5, 5, true},
        {"cycle(5)", 5, 5, 5, false},
        {"cycle", 5, 5, 5, false},
        {"dyck(1, 1)", 3, 2, 6, true},
        {"dyck(1, 2)", 4, 3, 15, true},
        {"dyck(1, 3)", 5, 4, 31, true},
        {"dyck(1, 4)", 6, 5, 56, true},
        {"dyck(1, 12)", 14, 13, 820, true},
        {"tomita(1)", 2, 1, 2, true},
        {"tomita(2)", 3, 2, 6, true},
        {"tomita(3)", 5, 4, 26, false},
        {"tomita(4)", 4, 3, 12, true},
        {"tomita(5)", 4, 4, 4, false},
        {"tomita(6)", 3, 3, 3, false},
        {"tomita(7)", 5, 4, 9, true},
        {"sum(2)", 2, 2, 2, false},
        {"sum(5)", 5, 5, 5, false},
        {"even_pair(2)", 5, 5, 5, true},
        {"even_pair(5)", 11, 11, 26, true},
        {"mod_arithmetic(2)", 9, 8, 38, false},
        {"mod_arithmetic(3)", 19, 18, 118, false},
        {"mod_arithmetic(5)", 51, 50, 518, false},
        {"flip_flop", 3, 3, 3, true},
    };
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++) {
        ThAutomaton *a = evaluate(fact[i].expression);
        ThDfa *d = th_automaton_dfa(a, 0, NULL, NULL), *m = th_dfa_minimize(d, NULL, NULL);
        size_t states, transitions;
        bool aperiodic;
        th_automaton_size(a, &states, &transitions);
        if (d->n_states != fact[i].minimal || m->n_states != fact[i].minimal ||
            states != (size_t)fact[i].trimmed)
            fail_msg("%s: %d, %d and %zu states", fact[i].expression, d->n_states, m->n_states,
                     states);
        if (monoid_size(m, 1000, &aperiodic, NULL) != fact[i].monoid ||
            aperiodic != fact[i].star_free)
            fail_msg("%s: monoid", fact[i].expression);
        th_dfa_free(d);
        th_dfa_free(m);
        th_automaton_free(a);
    }
}

/* ---- meaning ---- */

static bool in_parity(const int *w, int n)
{
    int b = 0;
    for (int i = 0; i < n; i++)
        b += w[i];
    return b % 2 == 0;
}

static bool in_even_pairs(const int *w, int n)
{
    int pairs = 0;
    for (int i = 1; i < n; i++)
        pairs += w[i] != w[i - 1];
    return pairs % 2 == 0;
}

static bool in_even_pair_3(const int *w, int n)
{
    return n == 0 || w[0] == w[n - 1];
}

static bool in_cycle_4(const int *w, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        at += w[i] == 1 ? 1 : w[i] == 2 ? 3 : 0;
    return at % 4 == 0;
}

static bool in_sum_3(const int *w, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i];
    return sum % 3 == 0;
}

static bool in_flip_flop(const int *w, int n)
{
    while (n > 0 && w[n - 1] == 2)
        n--;
    return n > 0 && w[n - 1] == 1;
}

/* Brackets of k types on a stack; symbol 2i opens type i, 2i + 1 closes it. */
static bool balanced(const int *w, int n, int most)
{
    int stack[MAX_WORD], depth = 0;
    for (int i = 0; i < n; i++) {
        if (w[i] % 2 == 0) {
            if (depth == most)
                return false;
            stack[depth++] = w[i];
        } else if (depth == 0 || stack[--depth] != w[i] - 1) {
            return false;
        }
    }
    return depth == 0;
}

static bool in_dyck_1_3(const int *w, int n)
{
    return balanced(w, n, 3);
}

static bool in_dyck_2_2(const int *w, int n)
{
    return balanced(w, n, 2);
}

static bool in_tomita_1(const int *w, int n)
{
    for (int i = 0; i < n; i++) {
        if (w[i] == 0)
            return false;
    }
    return true;
}

static bool in_tomita_2(const int *w, int n)
{
    for (int i = 0; i < n; i++) {
        if (w[i] != (i + 1) % 2)
            return false;
    }
    return n % 2 == 0;
}

/* No maximal block of ones of odd length is followed by a maximal block of zeros of odd length. */
static bool in_tomita_3(const int *w, int n)
{
    int before = 0;
    for (int i = 0; i < n;) {
        int j = i;
        while (j < n && w[j] == w[i])
            j++;
        if (w[i] == 0 && before % 2 == 1 && (j - i) % 2 == 1)
            return false;
        before = w[i] == 1 ? j - i : 0;
        i = j;
    }
    return true;
}

static bool in_tomita_4(const int *w, int n)
{
    for (int i = 2; i < n; i++) {
        if (w[i] == 0 && w[i - 1] == 0 && w[i - 2] == 0)
            return false;
    }
    return true;
}

static bool in_tomita_5(const int *w, int n)
{
    return in_parity(w, n) && n % 2 == 0;
}

static bool in_tomita_6(const int *w, int n)
{
    int difference = 0;
    for (int i = 0; i < n; i++)
        difference += w[i] ? -1 : 1;
    return difference % 3 == 0;
}

static bool in_tomita_7(const int *w, int n)
{
    int changes = 0;
    for (int i = 0; i < n; i++)
        changes += w[i] != (i ? w[i - 1] : 0);
    return changes <= 3;
}

static void test_builtin_languages(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        bool (*contains)(const int *w, int n);
        int most;
    } language[] = {
        {"parity", in_parity, 10},
        {"even_pairs", in_even_pairs, 10},
        {"even_pair(3)", in_even_pair_3, 7},
        {"cycle(4)", in_cycle_4, 7},
        {"sum(3)", in_sum_3, 7},
        {"flip_flop", in_flip_flop, 7},
        {"dyck(1, 3)", in_dyck_1_3, 12},
        {"dyck(2, 2)", in_dyck_2_2, 7},
        {"tomita(1)", in_tomita_1, 10},
        {"tomita(2)", in_tomita_2, 10},
        {"tomita(3)", in_tomita_3, 12},
        {"tomita(4)", in_tomita_4, 10},
        {"tomita(5)", in_tomita_5, 10},
        {"tomita(6)", in_tomita_6, 10},
        {"tomita(7)", in_tomita_7, 10},
    };
    for (size_t i = 0; i < sizeof language / sizeof *language; i++) {
        ThAutomaton *a = evaluate(language[i].expression);
        ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
        int word[MAX_WORD] = {0}, length = 0;
        do {
            if (language[i].contains(word, length) != (th_dfa_class(d, word, (size_t)length) == 1))
                fail_msg("%s is wrong on a word of length %d", language[i].expression, length);
        } while (next_word(word, &length, a->n_symbols, language[i].most));
        th_dfa_free(d);
        th_automaton_free(a);
    }
}

/* Value of digits and operators (m, m+1, m+2 for + - *): terms first, from left to right. */
static int arithmetic(const int *w, int n, int m)
{
    long sum = 0, term = w[0];
    int sign = 1;
    for (int i = 1; i + 1 < n; i += 2) {
        if (w[i] == m + 2) {
            term = term * w[i + 1] % m;
        } else {
            sum += sign * term;
            sign = w[i] == m ? 1 : -1;
            term = w[i + 1];
        }
    }
    return (int)(((sum + sign * term) % m + m) % m);
}

static void test_arithmetic(void **state)
{
    (void)state;
    for (int m = 2; m <= 7; m++) {
        const ThAutomatonBuiltin *row = th_automaton_builtin("modular_arithmetic");
        ThAutomaton *a = th_automaton_builtin_build(row, &m, 1, NULL);
        ThDfa *d = th_automaton_dfa(a, 0, NULL, NULL);
        assert_int_equal(d->n_classes, m + 1);
        for (uint64_t i = 0; i < 300; i++) {
            ThRng r = th_rng(8, "test.automata.arithmetic", i);
            int word[61], n = 1 + 2 * below(&r, 30);
            for (int j = 0; j < n; j++)
                word[j] = j % 2 ? m + below(&r, 3) : below(&r, m);
            assert_int_equal(th_dfa_class(d, word, (size_t)n), 1 + arithmetic(word, n, m));
            assert_int_equal(th_dfa_class(d, word, (size_t)n - 1), 0);
        }
        th_dfa_free(d);
        th_automaton_free(a);
    }
}

/* The examples of the papers. */
static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *expression, *word, *output;
        bool accepted;
    } example[] = {
        {"mod_arithmetic(5)", "1+2*3", "2", true},
        {"mod_arithmetic(5)", "1-1-1", "4", true},
        {"mod_arithmetic(5)", "0*1+4*3-2", "0", true},
        {"mod_arithmetic(5)", "1+2-4", "4", true},
        {"mod_arithmetic(5)", "1+2-3*4", "1", true},
        {"cycle(5)", "010211", "2", false},
        {"sum(5)", "0324", "4", false},
        {"even_pair(5)", "0320", NULL, true},
        {"even_pairs", "aabba", NULL, true},
        {"parity", "aaabba", NULL, true},
        {"tomita(2)", "", NULL, true},
        {"dyck(1, 4)", "((()())())", NULL, true},
    };
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        ThAutomaton *a = evaluate(example[i].expression);
        int n, *w = th_symbols_read(a->symbol, a->n_symbols, example[i].word, &n, NULL);
        ThAutomatonRun r;
        assert_true(th_automaton_run_word(&r, a, w, n, NULL, NULL));
        assert_int_equal(r.accepted, example[i].accepted);
        int output = a->moore[r.node[r.last].state];
        assert_string_equal(output == TH_AUTOMATON_NO_OUTPUT ? "" : a->output[output],
                            example[i].output ? example[i].output : "");
        th_automaton_run_free(&r);
        free(w);
        th_automaton_free(a);
    }
}

static void test_builtin_arguments(void **state)
{
    (void)state;
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(th_automaton_builtin(b[i].name), &b[i]);
        for (int j = 0; j < b[i].n_arguments; j++) {
            int value[2] = {b[i].argument[0].least, b[i].argument[1].least};
            ThError err = {0};
            ThAutomaton *a = th_automaton_builtin_build(&b[i], value, b[i].n_arguments, &err);
            assert_non_null(a);
            th_automaton_free(a);
            value[j] = b[i].argument[j].least - 1;
            assert_null(th_automaton_builtin_build(&b[i], value, b[i].n_arguments, &err));
            assert_int_equal(err.code, TH_EVALUE);
            value[j] = b[i].argument[j].most + 1;
            err = (ThError){0};
            assert_null(th_automaton_builtin_build(&b[i], value, b[i].n_arguments, &err));
            assert_int_equal(err.code, TH_EVALUE);
        }
    }
    ThError err = {0};
    assert_null(
        th_automaton_builtin_build(th_automaton_builtin("dyck"), (const int[]){4, 60}, 2, &err));
    assert_int_equal(err.code, TH_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_sizes),     cmocka_unit_test(test_builtin_languages),
        cmocka_unit_test(test_arithmetic),        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_builtin_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
