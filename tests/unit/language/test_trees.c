/* Trees of words against another way to count them, and the claim that no word has two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "language/trees.h"

/* Rules of two variables, 0 and 1, and the terminals 2 and 3. */
enum { RULES = 5, RIGHT = 3, LONGEST = 7, NEVER = 100 };
typedef struct {
    int left[RULES], n[RULES], right[RULES][RIGHT], least[4];
} Rules;

static void draw_rules(ThRng *r, Rules *g)
{
    for (int i = 0; i < RULES; i++) {
        g->left[i] = i < 2 ? i : below(r, 2);
        g->n[i] = below(r, RIGHT + 1);
        for (int k = 0; k < RIGHT; k++)
            g->right[i][k] = below(r, 4);
    }
    for (int x = 0; x < 4; x++)
        g->least[x] = x < 2 ? NEVER : 1;
    for (int round = 0; round < RULES; round++)
        for (int i = 0; i < RULES; i++) {
            int sum = 0;
            for (int k = 0; k < g->n[i]; k++)
                sum += g->least[g->right[i][k]];
            if (sum < g->least[g->left[i]])
                g->least[g->left[i]] = sum;
        }
}

static void write_rules(const Rules *g, char *to)
{
    to += sprintf(to, "alphabet a b; start S");
    for (int i = 0; i < RULES; i++) {
        to += sprintf(to, "; %c -> %s", "ST"[g->left[i]], g -> n[i] ? "" : "epsilon");
        for (int k = 0; k < g->n[i]; k++)
            to += sprintf(to, " %c", "STab"[g->right[i][k]]);
    }
}

/* In how many ways the symbols from k on of a rule give the word from i to j. */
static double ways(const Rules *g, int rule, int k, const int *word, int i, int j)
{
    int rest = 0, x = k < g->n[rule] ? g->right[rule][k] : 0;
    double sum = 0;
    for (int m = k + 1; m < g->n[rule]; m++)
        rest += g->least[g->right[rule][m]];
    if (k == g->n[rule])
        return i == j;
    for (int m = i + g->least[x]; m <= j - rest; m++) {
        double behind = x < 2 || word[i] == x - 2 ? ways(g, rule, k + 1, word, m, j) : 0, here = 0;
        for (int other = 0; x < 2 && behind > 0 && other < RULES; other++)
            if (g->left[other] == x)
                here += ways(g, other, 0, word, i, m);
        sum += behind * (x < 2 ? here : m == i + 1);
    }
    return sum;
}

static void trees_are_ways(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "trees", 0);
    int never = 0, ambiguous = 0;
    for (int round = 0; round < 1500; round++) {
        Rules g;
        ThLanguageAmbiguity a;
        char text[256];
        draw_rules(&r, &g);
        write_rules(&g, text);
        ThLanguage *l = th_language_parse("grammar", text, NULL);
        if (!l || !th_language_ambiguity(l, 0, &a, NULL, NULL)) { /* no words; a cycle */
            th_language_free(l);
            continue;
        }
        free(a.word);
        double most = 0, trees;
        for (int number = 1; number < 1 << (LONGEST + 1); number++) {
            int word[LONGEST], n = 0;
            for (; number >> (n + 1); n++)
                word[n] = number >> n & 1;
            double want = 0;
            for (int i = 0; i < RULES; i++)
                want += g.left[i] == 0 ? ways(&g, i, 0, word, 0, n) : 0;
            assert_true(th_language_trees(l, (ThLanguageWord){word, n}, NULL, &trees, NULL));
            if (trees != want)
                fail_msg("%s: word %d has %g trees, not %g", text, number, trees, want);
            most = want > most ? want : most;
        }
        never += a.never;
        ambiguous += most > 1;
        if (a.never && most > 1)
            fail_msg("%s: some word has %g trees", text, most);
        th_language_free(l);
    }
    assert_true(never > 100 && ambiguous > 100);
}

/* Grammars of textbooks, and such as look as if no word had two trees. */
static void who_looks_ahead(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool never;
    } of[] = {
        {"S -> a S b | eps", true},
        {"S -> ( S ) S | eps", true},
        {"E -> E + T | T; T -> T * F | F; F -> ( E ) | x", true},
        {"S -> A a | B b; A -> x; B -> x", true},
        {"S -> a E a | b E b | a F b | b F a; E -> e; F -> e", true}, /* LR(1), not LALR(1) */
        {"S -> M | U; M -> i M e M | x; U -> i S | i M e U", true},
        {"S -> A c a | B c b; A -> x; B -> x", false}, /* LR(2) */
        {"S -> a S a | b S b | eps", false},           /* unambiguous, for no lookahead */
        {"S -> A | B; A -> a A b | a b; B -> a B b b | a b b", false},
        {"S -> i S | i S e S | x", false},
        {"S -> S S | a", false},
        {"S -> A B; A -> a | a b; B -> c | b c", false},
        {"S -> B S a | c; B -> eps | b", false},
        {"S -> A | B; A -> a a a a a a a a a a a a a a; B -> a B | a", false}, /* of 14 symbols */
        {"S -> A S | B; A -> a; B -> C b; C -> a | a a", false},
        {"S -> A C B; A -> a A | eps; C -> eps; B -> a | b", false}, /* through what is empty */
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ThLanguageAmbiguity a;
        ThLanguage *l = th_language_parse("grammar", of[i].text, NULL);
        assert_true(l && th_language_ambiguity(l, 0, &a, NULL, NULL));
        if (a.never != of[i].never)
            fail_msg("%s: %s", of[i].text, a.never ? "never in doubt" : "in doubt");
        free(a.word);
        th_language_free(l);
    }
}

/* As many symbols as no square table has room for. */
static void long_words(void **state)
{
    (void)state;
    enum { N = 10000 };
    ThError err = {0};
    for (int k = 0; k < 2; k++) {
        ThRng r = th_rng(1, "long", 0);
        ThLanguage *l = th_language_parse(
            "grammar", k ? "S -> a S a | b S b | eps" : "S -> a S b S | eps", &err);
        ThLanguageWords *w = th_language_words(l, N, NULL, &err);
        assert_non_null(w);
        int *word = malloc(N * sizeof *word), depth = 0;
        assert_true(th_language_draw(w, &r, word, &err));
        for (int i = 0; i < N; i++) {
            assert_true(k ? word[i] == word[N - 1 - i] : (depth += 1 - 2 * word[i]) >= 0);
        }
        assert_int_equal(depth, 0);
        free(word);
        th_language_words_free(w);
        th_language_free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_are_ways),
                                       cmocka_unit_test(who_looks_ahead),
                                       cmocka_unit_test(long_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
