/* test_ltl.c - automata of temporal formulas against what the operators are defined to mean, on all
 * short words; and formulas that are no formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/logic/ltl.h"
#include "base/text.h"
#include "given.h"

enum { PARTS = 64, LENGTH = 6 };

/* A drawn formula as a tree: the operator's sign, or a letter, 1 true, 0 false, f first, l last. */
typedef struct {
    char sign[PARTS];
    int x[PARTS], y[PARTS], n;
} Tree;

static int draw(Tree *t, ThRng *r, int depth, ThText *text)
{
    static const char unary[] = "!XNFGYZPH", two[] = "URST&|>=", leaf[] = "abcabcabc10fl";
    static const char *const word[] = {
        ['1'] = "true", ['0'] = "false", ['f'] = "first", ['l'] = "last"};
    int me = t->n++, how = depth == 0 ? 0 : 1 + below(r, 5);
    if (how == 0) {
        char c = t->sign[me] = leaf[below(r, 13)];
        th_text_printf(text, "%.*s", c < 'a' || c > 'c' ? 5 : 1,
                       c < 'a' || c > 'c' ? word[(int)c] : &c);
    } else if (how < 4) {
        t->sign[me] = unary[below(r, 9)];
        th_text_printf(text, "%c (", t->sign[me]);
        t->x[me] = draw(t, r, depth - 1, text);
        th_text_add(text, ")");
    } else {
        char c = t->sign[me] = two[below(r, 8)];
        th_text_add(text, "(");
        t->x[me] = draw(t, r, depth - 1, text);
        th_text_printf(text, ")%.*s(",
                       c == '>'   ? 2
                       : c == '=' ? 3
                                  : 1,
                       c == '>'   ? "->"
                       : c == '=' ? "<->"
                                  : &c);
        t->y[me] = draw(t, r, depth - 1, text);
        th_text_add(text, ")");
    }
    return me;
}

static bool is_true(const Tree *t, int me, const int *w, int n, int i);

/* Some place from i on, to the right or left, where y holds, with x at all places before it. */
static bool reaches(const Tree *t, int me, const int *w, int n, int i, int step, bool negate)
{
    for (int j = i; j >= 0 && j < n; j += step) {
        if (is_true(t, t->y[me], w, n, j) != negate)
            return true;
        if (is_true(t, t->x[me], w, n, j) == negate)
            return false;
    }
    return false;
}

static bool some(const Tree *t, int me, const int *w, int n, int from, int to, bool value)
{
    for (int j = from; j <= to; j++)
        if (is_true(t, t->x[me], w, n, j) == value)
            return true;
    return false;
}

static bool is_true(const Tree *t, int me, const int *w, int n, int i)
{
    int x = t->x[me], y = t->y[me];
    switch (t->sign[me]) {
    case '1':
        return true;
    case '0':
        return false;
    case 'f':
        return i == 0;
    case 'l':
        return i == n - 1;
    case '!':
        return !is_true(t, x, w, n, i);
    case 'X':
        return i + 1 < n && is_true(t, x, w, n, i + 1);
    case 'N':
        return i + 1 == n || is_true(t, x, w, n, i + 1);
    case 'Y':
        return i > 0 && is_true(t, x, w, n, i - 1);
    case 'Z':
        return i == 0 || is_true(t, x, w, n, i - 1);
    case 'F':
        return some(t, me, w, n, i, n - 1, true);
    case 'G':
        return !some(t, me, w, n, i, n - 1, false);
    case 'P':
        return some(t, me, w, n, 0, i, true);
    case 'H':
        return !some(t, me, w, n, 0, i, false);
    case 'U':
        return reaches(t, me, w, n, i, 1, false);
    case 'S':
        return reaches(t, me, w, n, i, -1, false);
    case 'R':
        return !reaches(t, me, w, n, i, 1, true);
    case 'T':
        return !reaches(t, me, w, n, i, -1, true);
    case '&':
        return is_true(t, x, w, n, i) && is_true(t, y, w, n, i);
    case '|':
        return is_true(t, x, w, n, i) || is_true(t, y, w, n, i);
    case '>':
        return !is_true(t, x, w, n, i) || is_true(t, y, w, n, i);
    case '=':
        return is_true(t, x, w, n, i) == is_true(t, y, w, n, i);
    default:
        return w[i] == t->sign[me] - 'a';
    }
}

static ThDfa *machine(const char *formula)
{
    static char letter[][2] = {"a", "b", "c"};
    char *letters[] = {letter[0], letter[1], letter[2]};
    ThError err = {0};
    ThAutomaton *a = th_automaton_ltl(formula, letters, 3, 0, NULL, &err);
    if (!a)
        fail_msg("%s: %s", formula, err.msg);
    ThDfa *d = th_automaton_dfa(a, 0, NULL, &err), *m = th_dfa_minimize(d, NULL, &err);
    th_automaton_free(a);
    th_dfa_free(d);
    return m;
}

static void test_meaning(void **state)
{
    (void)state;
    int in = 0, out = 0;
    for (int turn = 0; turn < 400; turn++) {
        ThRng r = th_rng(11, "ltl", (uint64_t)turn);
        Tree t = {0};
        ThText text = {0};
        draw(&t, &r, 1 + turn % 4, &text);
        ThDfa *d = machine(text.data);
        int word[MAX_WORD] = {0}, n = 0;
        do {
            bool is = n > 0 && is_true(&t, 0, word, n, 0);
            if ((th_dfa_class(d, word, (size_t)n) == 1) != is)
                fail_msg("%s on a word of %d letters", text.data, n);
            in += is;
            out += !is;
        } while (next_word(word, &n, 3, LENGTH));
        th_dfa_free(d);
        th_text_free(&text);
    }
    assert_true(in > 100000 && out > 100000);
}

/* How tightly operators bind: without brackets it is the formula with them. */
static void test_binding(void **state)
{
    static const char *const same[][2] = {
        {"a U b & c", "(a U b) & c"},
        {"a & b | c", "(a & b) | c"},
        {"a | b -> c", "(a | b) -> c"},
        {"a -> b -> c", "a -> (b -> c)"},
        {"a -> b <-> c", "(a -> b) <-> c"},
        {"a U b U c", "a U (b U c)"},
        {"ab = a | b; ab U c", "(a | b) U c"},
        {"s1 = X a; s2 = s1 & b; s2 | F s1", "X a & b | F X a"},
        {"empty & a", "false"},
        {"empty | F a | G b", "!(!empty & !F a & !G b)"},
        {"!a U b", "(!a) U b"},
        {"X a | b", "(X a) | b"},
        {"XFa", "X (F a)"},
        {"first", "(first)"},
        {"G(a -> X b)", "! F (a & ! X b)"},
        {"'a' U b", "a U b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        int length;
        ThDfa *a = machine(same[i][0]), *b = machine(same[i][1]);
        int *word = th_dfa_distinguish(a, b, &length, NULL, NULL);
        if (word)
            fail_msg("%s is not %s", same[i][0], same[i][1]);
        th_dfa_free(a);
        th_dfa_free(b);
    }
}

/* Minimal complete machines that are known, and the alphabet. */
static void test_sizes(void **state)
{
    static const struct {
        const char *formula;
        int states;
    } known[] = {{"G (a -> X b)", 4},   {"F (a & X F b)", 3},
                 {"a U b", 3},          {"G F a", 2},
                 {"F (last & a)", 2},   {"F (last & Y a)", 4},
                 {"G (b -> P a)", 4},   {"F (last & (!b S a))", 2},
                 {"F (last & H a)", 3}, {"F (a & Y (b S c))", 3}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThDfa *d = machine(known[i].formula);
        if (d->n_states != known[i].states)
            fail_msg("%s: %d states", known[i].formula, d->n_states);
        th_dfa_free(d);
    }
    ThAutomaton *a = th_automaton_ltl("F ('w0' & X b)", NULL, 0, 0, NULL, NULL);
    assert_int_equal(a->n_symbols, 2);
    assert_string_equal(a->symbol[0], "w0");
    th_automaton_free(a);
}

/* Two quotes in quotes are one, which is a letter too. */
static void test_quotes(void **state)
{
    (void)state;
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        th_automaton_ltl("'''w''0' & X ''''", NULL, 0, 0, NULL, NULL);
    assert_non_null(a);
    assert_int_equal(a->n_symbols, 2);
    assert_string_equal(a->symbol[0], "'w'0");
    assert_string_equal(a->symbol[1], "'");
}

/* The empty word is judged by formulas that speak of it, of which nothing else is true there. */
static void test_empty(void **state)
{
    static const struct {
        const char *formula;
        bool is;
    } known[] = {{"empty", true},          {"empty | a", true},     {"!empty", false},
                 {"empty & F a", false},   {"G a", false},          {"G a | false & empty", true},
                 {"F !a & !empty", false}, {"empty & F !a", false}, {"P a | empty", true}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThDfa *d = machine(known[i].formula);
        if ((d->label[d->start] == 1) != known[i].is)
            fail_msg("%s", known[i].formula);
        th_dfa_free(d);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *formula;
        int column;
        const char *message;
    } bad[] = {{"", 1, "a formula was expected, not the end"},
               {"a U", 4, "a formula was expected, not the end"},
               {"(a", 3, ") was expected"},
               {"a b", 3, "an operator or the end was expected"},
               {"F K", 3, "a letter, an operator or ( was expected"},
               {"ä & & b", 5, "a letter, an operator or ( was expected"},
               {"'w", 1, "a name in single quotes was expected"},
               {"'w''", 1, "a name in single quotes was expected"},
               {"''", 1, "a name in single quotes was expected"},
               {"s1 = a; s1 = b; s1", 9, "this name is defined already"},
               {"s1 = a F s1", 8, "an operator or ; was expected"},
               {"s1 = a; s2", 10, "an operator or the end was expected"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_automaton_ltl(bad[i].formula, NULL, 0, 0, NULL, &err));
        assert_int_equal(err.code, TH_EPARSE);
        assert_string_equal(err.msg, bad[i].message);
        assert_int_equal(err.col, bad[i].column);
    }
    char deep[2000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    ThError err = {0};
    assert_null(th_automaton_ltl(deep, NULL, 0, 0, NULL, &err));
    assert_string_equal(err.msg, "brackets and operators are too deep");
    err = (ThError){0};
    assert_null(th_automaton_ltl("Ya&XXa&XXXXXXXXXXXXXXXXXXXXXXXXXa", NULL, 0, 0, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    err = (ThError){0};
    assert_null(th_automaton_ltl("XXXXXXXXXXa", NULL, 0, 5, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning), cmocka_unit_test(test_binding),
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
