/* Pushdown automata against a simulator that knows no grammar and keeps no configurations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "language/pushdown.h"
#include "language/trees.h"

enum { RULES = 9, STATES = 3, SYMBOLS = 3, PART = 3, LONGEST = 6, DEEPEST = 64 };

typedef struct {
    int from, symbol, to; /* symbol: 0 a, 1 b, 2 none */
    int pop[PART], push[PART], n_pop, n_push;
} Rule;

typedef struct {
    Rule rule[RULES];
    bool accepts[STATES], empty;
} Drawn;

/* Moves without reading take more than they put, so that runs end. */
static Drawn draw(ThRng *r)
{
    Drawn d = {.empty = below(r, 3) == 0};
    for (int q = 0; q < STATES; q++)
        d.accepts[q] = below(r, 3) == 0;
    d.accepts[2] = d.accepts[2] || !d.empty;
    for (int i = 0; i < RULES; i++) {
        Rule *x = &d.rule[i];
        *x = (Rule){.from = below(r, STATES), .symbol = below(r, 3), .to = below(r, STATES)};
        x->n_pop = below(r, PART);
        x->n_push = below(r, PART + 1);
        if (x->symbol == 2) {
            x->n_pop = 1 + below(r, PART - 1);
            x->n_push = below(r, x->n_pop);
        }
        for (int k = 0; k < PART; k++) {
            x->pop[k] = below(r, SYMBOLS);
            x->push[k] = below(r, SYMBOLS);
        }
    }
    return d;
}

static char *written(const Drawn *d)
{
    ThText t = {0};
    ThError err = {0};
    th_text_add(&t, "alphabet a b\nstart q0\nbottom Z0\n");
    for (int i = 0; i < RULES; i++) {
        const Rule *x = &d->rule[i];
        th_text_printf(&t, "q%d %s", x->from, x->symbol == 2 ? "epsilon" : x->symbol ? "b" : "a");
        for (int k = 0; k < x->n_pop; k++)
            th_text_printf(&t, " Z%d", x->pop[k]);
        th_text_printf(&t, " -> q%d", x->to);
        for (int k = 0; k < x->n_push; k++)
            th_text_printf(&t, " Z%d", x->push[k]);
        th_text_add(&t, "\n");
    }
    th_text_add(&t, "q0 a never -> q1\nq1 a never -> q2\n"); /* so that all states are known */
    for (int q = 0; q < STATES; q++)
        if (d->accepts[q])
            th_text_printf(&t, "accept q%d\n", q);
    th_text_add(&t, d->empty ? "empty\n" : "");
    return th_text_take(&t, &err);
}

/* The accepting runs on from a configuration; the stack's top is its last symbol. */
static long runs(const Drawn *d, int q, const int *word, int n, const int *stack, int height)
{
    long all = n == 0 && (d->accepts[q] || (d->empty && height == 0));
    for (int i = 0; i < RULES; i++) {
        const Rule *x = &d->rule[i];
        bool fits = x->from == q && x->n_pop <= height &&
                    (x->symbol == 2 || (n > 0 && word[0] == x->symbol));
        for (int k = 0; fits && k < x->n_pop; k++)
            fits = stack[height - 1 - k] == x->pop[k];
        if (!fits)
            continue;
        int next[DEEPEST], h = height - x->n_pop, reads = x->symbol != 2;
        memcpy(next, stack, (size_t)h * sizeof *next);
        for (int k = x->n_push - 1; k >= 0; k--)
            next[h++] = x->push[k];
        all += runs(d, x->to, word + reads, n - reads, next, h);
    }
    return all;
}

static void test_against_runs(void **state)
{
    (void)state;
    ThRng r = th_rng(7, "test.pushdown", 0);
    long members = 0, ambiguous = 0, several = 0;
    for (int i = 0; i < 300; i++) {
        Drawn d = draw(&r);
        ThError err = {0};
        char *text = written(&d);
        ThLanguage *l = th_language_parse("pushdown", text, &err);
        if (!l)
            fail_msg("%s: %s", text, err.msg);
        int word[MAX_WORD], n = 0;
        do {
            static const int bottom[] = {0};
            long want = runs(&d, 0, word, n, bottom, 1);
            ThLanguageAnswer answer, searched;
            ThLanguageWord w = {word, n};
            ThPushdownAt *run = NULL;
            int length = 0;
            double trees = -1;
            assert_true(th_language_member(l, w, NULL, &answer, &err));
            assert_true(th_pushdown_run(l, w, &run, &length, &searched, NULL, &err));
            bool has_trees = th_language_trees(l, w, NULL, &trees, &err);
            if ((want > 0) != (answer == TH_LANGUAGE_YES) ||
                (want > 0) != (searched == TH_LANGUAGE_YES) || (has_trees && trees != (double)want))
                fail_msg("%s%d symbols: %ld runs, member %d, search %d, %g trees", text, n, want,
                         answer, searched, trees);
            assert_true((run != NULL) == (want > 0));
            assert_true(!run || (run[0].read == 0 && run[length - 1].read == n));
            th_pushdown_free_run(run, length);
            err = (ThError){0};
            members += want > 0;
            ambiguous += want > 1;
            several += want > 1 && has_trees;
        } while (next_word(word, &n, 2, LONGEST));
        th_language_free(l);
        free(text);
    }
    if (members < 1000 || several < 300)
        fail_msg("%ld members, %ld with several runs, %ld of them counted", members, ambiguous,
                 several);
}

/* What is written is read back as the same. */
static void test_writing(void **state)
{
    (void)state;
    ThRng r = th_rng(8, "test.pushdown", 0);
    for (int i = 0; i < 50; i++) {
        ThError err = {0};
        Drawn d = draw(&r);
        char *text = written(&d);
        ThLanguage *l = th_language_parse("pushdown", text, &err);
        ThText first = {0}, second = {0};
        th_language_write(&first, l, "x");
        char *inside = th_strndup(strchr(first.data, '{') + 1, first.size, &err);
        *strrchr(inside, '}') = '\0';
        ThLanguage *again = th_language_parse("pushdown", inside, &err);
        if (!again)
            fail_msg("%s: %s", inside, err.msg);
        th_language_write(&second, again, "x");
        assert_string_equal(first.data, second.data);
        th_language_free(again);
        th_language_free(l);
        th_text_free(&first);
        th_text_free(&second);
        free(inside);
        free(text);
    }
}

static bool ignore_count(void *context, int length, const char *digits, long long open)
{
    (void)context, (void)length, (void)digits;
    return open == 0;
}

/* Brackets a and b that close, and a b behind them. */
static bool closed_and_b(const int *word, int n)
{
    int open = 0;
    for (int i = 0; i < n - 1 && open >= 0; i++)
        open += word[i] ? -1 : 1;
    return n > 0 && word[n - 1] == 1 && open == 0;
}

static bool only_b(const int *word, int n)
{
    return n == 1 && word[0] == 1;
}

/* No prefix has more b than a. */
static bool never_below(const int *word, int n)
{
    int open = 0;
    for (int i = 0; i < n && open >= 0; i++)
        open += word[i] ? -1 : 1;
    return open >= 0;
}

static bool a_then_b(const int *word, int n)
{
    int i = 0;
    while (i < n && word[i] == 0)
        i++;
    return i == n - 1;
}

/* Going round without reading, on one height, on two, or ever higher: every word is answered. */
static void test_infinitely_many_runs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool (*want)(const int *word, int n);
    } round[] = {
        {"start p; accept f; p a -> p A; p eps -> q A; q eps A -> p\np b A -> p; p b Z -> f",
         closed_and_b},
        {"alphabet a b; start p; accept f; p eps -> p A; p eps A -> p; p b Z -> f", only_b},
        {"start p; accept q; p eps -> q; q eps -> p; p a -> p A; q b A -> q", never_below},
        {"start p; accept f; p eps -> p A; p a A -> p; p b Z -> f Z; p b A -> f A", a_then_b}};
    for (size_t i = 0; i < sizeof round / sizeof *round; i++) {
        ThError err = {0};
        ThLanguage *l = th_language_parse("pushdown", round[i].text, &err);
        if (!l)
            fail_msg("%s", err.msg);
        assert_false(th_language_may_not_answer(l));
        assert_true(th_language_knows_prefixes(l));
        int word[MAX_WORD] = {0}, n = 0;
        long long members = 0;
        do {
            ThLanguageAnswer answer;
            bool want = round[i].want(word, n);
            assert_true(th_language_member(l, (ThLanguageWord){word, n}, NULL, &answer, &err));
            if (want != (answer == TH_LANGUAGE_YES))
                fail_msg("%s: %d symbols, wanted %d", round[i].text, n, want);
            members += want;
        } while (next_word(word, &n, 2, 8));
        char *total = NULL;
        assert_true(th_language_count(l, 0, 8, ignore_count, NULL, &total, NULL, &err));
        assert_int_equal(strtoll(total, NULL, 10), members);
        free(total);
        double trees;
        assert_false(th_language_trees(l, (ThLanguageWord){word, 0}, NULL, &trees, &err));
        assert_string_equal(err.msg, "a word may have infinitely many trees");
        th_language_free(l);
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int line, col;
    } rows[] = {
        {"start p", "no state accepts", 1, 8},
        {"", "no start state", 1, 1},
        {"start p; accept q", "no rule leads to or from state q", 1, 17},
        {"start p; start q", "start is given twice", 1, 10},
        {"p a X r Y", "expected '->'", 1, 10},
        {"p -> q", "expected a symbol, or epsilon", 1, 3},
        {"p a -> ", "expected a state", 1, 8},
        {"alphabet a\np b -> p", "symbol b is not in the alphabet", 2, 3},
        {"empty x", "expected the end of the statement", 1, 7},
        {"bottom X Y", "expected the end of the statement", 1, 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThError err = {0};
        assert_null(th_language_parse("pushdown", rows[i].text, &err));
        if (!strstr(err.msg, rows[i].message) || err.line != rows[i].line || err.col != rows[i].col)
            fail_msg("%s: %d:%d: %s", rows[i].text, err.line, err.col, err.msg);
    }
}

/* "a | X / Y Z" of an arrow as a rule, and ε as it is typed. */
static void add_rule(ThText *t, const ThAutomaton *a, const ThAutomatonArc *arc)
{
    const char *part = a->symbol[arc->symbol];
    th_text_printf(t, "%s ", a->state[arc->from]);
    for (; *part; part++) {
        if (strncmp(part, " | ", 3) == 0)
            part += 1;
        else if (strncmp(part, " / ", 3) == 0)
            th_text_printf(t, " -> %s", a->state[arc->to]), part += 1;
        else if (strncmp(part, "ε", 2) == 0)
            th_text_add(t, "epsilon"), part += 1;
        else if (*part == '$')
            th_text_add(t, "\"$\"");
        else
            th_text_add_bytes(t, part, 1);
    }
    th_text_add(t, "\n");
}

/* What is drawn of a grammar, typed, has its words. */
static void test_picture(void **state)
{
    (void)state;
    static const char *const grammars[] = {
        "S -> a S b S | epsilon", "S -> a S a | b S b | a | b | epsilon | U\nU -> U a",
        "S -> A B\nA -> a A b | a b\nB -> b B | epsilon", "S -> S S | a"};
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        ThError err = {0};
        ThText t = {0};
        ThLanguage *g = th_language_parse("grammar", grammars[i], &err);
        ThAutomaton *a = th_language_picture(g, &err);
        assert_non_null(a);
        th_text_printf(&t, "start %s\naccept %s\nbottom \"$\"\n", a->state[0], a->state[2]);
        assert_true(a->start[0] && a->accept[2]);
        for (size_t k = 0; k < a->n_arcs; k++)
            add_rule(&t, a, &a->arc[k]);
        ThLanguage *p = th_language_parse("pushdown", t.data, &err);
        if (!p)
            fail_msg("%s\n%s", err.msg, t.data);
        ThLanguageDifference d = {0};
        assert_true(th_language_compare(g, p, (ThLanguageLengths){0, 8}, &d, NULL, &err));
        assert_true(!d.differ && d.unknown == 0 && d.words > 8);
        free(d.word);
        th_language_free(p);
        th_language_free(g);
        th_automaton_free(a);
        th_text_free(&t);
    }
    ThError err = {0};
    ThLanguage *regular = th_language_parse("grammar", "S -> a S | b", &err);
    assert_null(th_language_picture(regular, &err));
    assert_int_equal(err.code, TH_OK);
    th_language_free(regular);
}

/* What accepts no word is known to, though its stack may grow for ever: no word is left open. */
static void test_no_words(void **state)
{
    (void)state;
    static const char *const none[] = {
        "empty; p eps -> p B A; p b A -> p; p b Z -> p Z A; alphabet a b",
        "accept f; p a -> p A; p eps -> p A; q b A -> f", "accept f; p a -> p A; p eps Y -> f"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ThError err = {0};
        ThLanguage *l = th_language_parse("pushdown", none[i], &err);
        if (!l)
            fail_msg("%s: %s", none[i], err.msg);
        assert_false(th_language_may_not_answer(l));
        int word[MAX_WORD] = {0}, n = 0, symbols;
        th_language_symbols(l, &symbols);
        do {
            ThLanguageAnswer answer;
            assert_true(th_language_member(l, (ThLanguageWord){word, n}, NULL, &answer, &err));
            assert_int_equal(answer, TH_LANGUAGE_NO);
        } while (next_word(word, &n, symbols, 6));
        char *total = NULL;
        assert_true(th_language_count(l, 0, 400, ignore_count, NULL, &total, NULL, &err));
        assert_string_equal(total, "0");
        free(total);
        th_language_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_runs),
                                       cmocka_unit_test(test_writing),
                                       cmocka_unit_test(test_infinitely_many_runs),
                                       cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_picture),
                                       cmocka_unit_test(test_no_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
