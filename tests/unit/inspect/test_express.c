/* test_express.c - what theorems say of languages of which it is known, and what follows from the
 * classes for all others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "inspect/express.h"
#include "sanitized.h"

/* All permutations of five states, by an exchange and a cycle. */
static const char S5[] = "start 0; accept 0; 0 a -> 1; 1 a -> 0; 2 a -> 2; 3 a -> 3; 4 a -> 4;"
                         "0 b -> 1; 1 b -> 2; 2 b -> 3; 3 b -> 4; 4 b -> 0";

/* Two pairs of states, which a exchanges both; b exchanges one state with one of the other pair. */
static const char FOUR[] = "start 0; accept 0; 0 a -> 1; 1 a -> 0; 2 a -> 3; 3 a -> 2;"
                           "0 b -> 2; 2 b -> 0; 1 b -> 1; 3 b -> 3";

typedef struct {
    ThAutomaton *a;
    ThDfa *d;
    ThClassReport *r;
    ThInspectExpression e[TH_INSPECT_THEOREMS];
} Given;

static void give(Given *g, const char *expression)
{
    g->a = strchr(expression, ';') ? parse(expression) : evaluate(expression);
    ThDfa *d = th_automaton_acceptor(g->a, 0, NULL, NULL);
    g->d = th_dfa_minimize(d, NULL, NULL);
    g->r = th_class_report(g->d, g->a->symbol, 20000, NULL, NULL);
    assert_non_null(g->r);
    assert_true(th_inspect_express(g->d, g->a->symbol, g->r, g->e, NULL));
    th_dfa_free(d);
}

static void drop(Given *g)
{
    th_inspect_express_free(g->e);
    th_class_report_free(g->r);
    th_dfa_free(g->d);
    th_automaton_free(g->a);
}

/* The theorem on a kind of model by these words of its name. */
static const ThInspectExpression *on(const Given *g, const char *model)
{
    for (int i = 0; i < TH_INSPECT_THEOREMS; i++)
        if (strstr(g->e[i].theorem->model, model))
            return &g->e[i];
    fail_msg("nothing is known of %s", model);
    return NULL;
}

static const char *const column[] = {"rightmost", "leftmost",   "rounded",        "in [0,1]",
                                     "in [-1,1]", "complex",    "S4 or diagonal", "one matrix",
                                     "one refl",  "positive e", "RNN (Elman",     "every length"};

static void test_known(void **state)
{
    static const struct {
        const char *language, *is; /* y, n, u by column */
    } known[] = {
        {"parity", "nnnnyyuuunyu"},
        {"regex \"(b*ab*ab*a)*b*\" over \"ab\"", "nnnunyuuuuyu"},
        {"cycle(6)", "nnnnnyuuunyu"},
        {"regex \"a*b*\"", "yyyyyuuuuuyy"},
        {"regex \"(ab)*\"", "ynyyyuuuuuyy"},
        {"regex \".*aa.*\" over \"ab\"", "ynnyyuuuuuyu"},
        {"regex \"(..)*\" over \"ab\"", "nnnnyyuyunyu"},
        {"regex \"(..)*\" over \"a\"", "nnnnyyuyunyu"},
        {FOUR, "nnnnuyuuunyu"},
        {"tomita(3)", "nnnnuuuuunyu"},
        {S5, "nnnnunnuunyu"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        Given g;
        char is[16] = "";
        give(&g, known[i].language);
        for (size_t c = 0; c < sizeof column / sizeof *column; c++)
            is[c] = "nyu"[on(&g, column[c])->is];
        if (strcmp(is, known[i].is) != 0)
            fail_msg("%s: %s, not %s", known[i].language, is, known[i].is);
        drop(&g);
    }
}

static void test_reasons(void **state)
{
    static const struct {
        const char *language, *model, *law, *why;
    } known[] = {
        {"parity", "in [0,1]", "contains star-free; within: no symbol with an even cycle",
         "b goes round 2 states"},
        {"cycle(6)", "in [-1,1]",
         "contains star-free, parity; within: no symbol with a cycle that 3 divides",
         "1 goes round 6 states"},
        {"parity", "rightmost", "= star-free", "x = b: accepts ε, not b"},
        {"regex \"a*b*\"", "rightmost", "= star-free", "B-RASP"},
        {S5, "S4 or diagonal", "within: solvable", "the group S_5, unless TC0 = NC1"},
        {S5, "complex", "contains solvable groups; within: no group that is not solvable",
         "the group S_5"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        Given g;
        give(&g, known[i].language);
        assert_string_equal(on(&g, known[i].model)->law, known[i].law);
        assert_string_equal(on(&g, known[i].model)->why, known[i].why);
        drop(&g);
    }
}

/* Is a cycle of a symbol longer than 1 by a factor of m = 2 or 3?  Six states at most: the others'
 * lengths divide 15 or 20. */
static bool has_cycle(const ThDfa *d, int m)
{
    enum { SETTLED = 60 };
    for (int a = 0; a < d->n_symbols; a++)
        for (int q = 0; q < d->n_states; q++) {
            int p = q;
            for (int i = 0; i < SETTLED; i++)
                p = d->next[p * d->n_symbols + a];
            int later = p;
            for (int i = 0; i < (m == 2 ? 15 : 20); i++)
                later = d->next[later * d->n_symbols + a];
            if (later != p)
                return true;
        }
    return false;
}

/* What is exactly a class follows it; what is asked of cycles is asked of all words of a symbol; a
 * language that one chain of theorems gives to a weaker kind it gives to the stronger one. */
static void test_all(void **state)
{
    static const char *const chain[] = {"leftmost", "rounded", "rightmost", "in [0,1]"};
    (void)state;
    enum { ALL = SANITIZED ? 80 : 400 };
    int no[2] = {0};
    for (int turn = 0; turn < ALL; turn++) {
        ThRng r = th_rng(3, "express", (uint64_t)turn);
        char text[256] = "";
        Given g = {0};
        snprintf(text, sizeof text, "atlas(%d)", 1 + below(&r, 12000));
        give(&g, text);
        for (int i = 0; i + 1 < 4; i++)
            if (on(&g, chain[i])->is == TH_CLASS_YES)
                assert_int_equal(on(&g, chain[i + 1])->is, TH_CLASS_YES);
        assert_int_equal(on(&g, "leftmost")->is, g.r->verdict[TH_CLASS_R].is);
        assert_int_equal(on(&g, "positive e")->is,
                         has_cycle(g.d, 2) ? TH_CLASS_NO : TH_CLASS_UNKNOWN);
        bool third = on(&g, "in [-1,1]")->is == TH_CLASS_NO;
        assert_int_equal(third, has_cycle(g.d, 3));
        no[0] += has_cycle(g.d, 2);
        no[1] += third;
        drop(&g);
    }
    assert_in_range(no[0], ALL / 10, ALL - ALL / 10);
    assert_in_range(no[1], ALL / 40, ALL - ALL / 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_reasons),
                                       cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
