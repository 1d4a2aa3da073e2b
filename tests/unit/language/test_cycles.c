/* Grammars in which a variable derives itself alone, beside their words as a fixed point of sets.
 */
#include <gmp.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "language/any_language.h"
#include "language/trees.h"

enum { LONGEST = 5, VARIABLES = 3, MOST_RULES = 7, MOST_RIGHT = 3 };

/* Words of a and b are numbered 2^n + the bits of the word: a set is one of 64 bits. */
typedef uint64_t Words;

static int length_of(int word)
{
    int n = 0;
    for (; word > 1; word /= 2)
        n++;
    return n;
}

static Words all_pairs(Words a, Words b)
{
    Words both = 0;
    for (int i = 1; i < 64; i++)
        for (int k = 1; a >> i & 1 && k < 64; k++)
            if (b >> k & 1 && length_of(i) + length_of(k) <= LONGEST)
                both |= (Words)1 << ((i << length_of(k)) + k - (1 << length_of(k)));
    return both;
}

/* Right sides of variables 0 … and symbols -1 and -2. */
typedef struct {
    int n, left[MOST_RULES], size[MOST_RULES], right[MOST_RULES][MOST_RIGHT];
} Rules;

static Rules draw_rules(ThRng *r)
{
    Rules g = {.n = 2 + (int)th_rng_below(r, MOST_RULES - 1)};
    for (int i = 0; i < g.n; i++) {
        g.left[i] = i ? (int)th_rng_below(r, VARIABLES) : 0;
        g.size[i] = (int)th_rng_below(r, MOST_RIGHT + 1);
        for (int k = 0; k < g.size[i]; k++)
            g.right[i][k] = (int)th_rng_below(r, VARIABLES + 2) - 2;
    }
    return g;
}

/* What a variable stands for that has no rule is a terminal: it gets one that goes round. */
static void write_rules(const Rules *g, char *text)
{
    char *to = text + sprintf(text, "alphabet a b; start S\nS -> S; A -> A; B -> B\n");
    for (int i = 0; i < g->n; i++) {
        to += sprintf(to, "%c ->", "SAB"[g->left[i]]);
        for (int k = 0; k < g->size[i]; k++)
            to += sprintf(to, " %c", "baSAB"[g->right[i][k] + 2]);
        to += sprintf(to, "%s\n", g->size[i] ? "" : " epsilon");
    }
}

static Words words_of(const Rules *g)
{
    Words of[VARIABLES] = {0};
    for (int round = 0; round < VARIABLES * 64; round++) /* each adds a word, or it is the end */
        for (int i = 0; i < g->n; i++) {
            Words w = 2; /* the empty one */
            for (int k = 0; k < g->size[i]; k++) {
                int x = g->right[i][k];
                w = all_pairs(w, x >= 0 ? of[x] : x == -1 ? 4 : 8);
            }
            of[g->left[i]] |= w;
        }
    return of[0];
}

static bool note_count(void *context, int length, const char *digits, long long open)
{
    ((long long *)context)[length] = open ? -1 : strtoll(digits, NULL, 10);
    return true;
}

/* Every word of a length is drawn, and no other. */
static void check_drawn(const ThLanguage *l, int n, Words want, const char *text)
{
    ThError err = {0};
    ThRng r = th_rng(3, "cycles", (uint64_t)n);
    ThLanguageWords *w = th_language_words(l, n, NULL, &err);
    assert_non_null(w);
    if ((th_language_words_log(w) > -HUGE_VAL) != (want != 0))
        fail_msg("%s: words of length %d", text, n);
    Words seen = 0;
    for (int i = 0; want && i < 100; i++) {
        int word[LONGEST], number = 1;
        assert_true(th_language_draw(w, &r, word, &err));
        for (int k = 0; k < n; k++)
            number = 2 * number + word[k];
        seen |= (Words)1 << number;
    }
    if ((seen & want) != seen || (n < 3 && seen != want))
        fail_msg("%s: drawn words of length %d", text, n);
    th_language_words_free(w);
}

static void test_words(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "cycles", 0);
    int with = 0;
    for (int i = 0; i < 300; i++) {
        Rules g = draw_rules(&r);
        char text[512];
        ThError err = {0};
        write_rules(&g, text);
        Words want = words_of(&g);
        ThLanguage *l = th_language_parse("grammar", text, &err);
        if (!l != !want)
            assert_non_null(strstr(err.msg, "has no words")); /* or has longer ones */
        if (!l)
            continue;
        with += th_language_has_cycles(l);
        long long counted[LONGEST + 1];
        assert_true(th_language_count(l, 0, LONGEST, note_count, counted, NULL, NULL, &err));
        for (int n = 0; n <= LONGEST; n++) {
            Words here = want & ((((Words)1 << ((1 << n) - 1) << 1) - 1) << (1 << n));
            if (counted[n] != __builtin_popcountll(here))
                fail_msg("%s: %lld words of length %d", text, counted[n], n);
            check_drawn(l, n, here, text);
        }
        th_language_free(l);
    }
    assert_true(with > 150);
}

/* The textbook's brackets: trees go round, words are Dyck's, as many as Catalan's numbers. */
static void test_brackets(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguage *l = th_language_parse("grammar", "S -> S S | ( S ) | eps", &err);
    long long counted[13];
    assert_true(th_language_has_cycles(l));
    assert_non_null(strstr(th_language_remarks(l), "S, line 1, derives itself alone"));
    assert_true(th_language_count(l, 0, 12, note_count, counted, NULL, NULL, &err));
    static const long long catalan[] = {1, 1, 2, 5, 14, 42, 132};
    for (int n = 0; n <= 12; n++)
        assert_int_equal(counted[n], n % 2 ? 0 : catalan[n / 2]);
    double trees;
    assert_false(th_language_trees(l, (ThLanguageWord){NULL, 0}, NULL, &trees, &err));
    int word[40], depth = 0;
    ThRng r = th_rng(1, "brackets", 0);
    ThLanguageWords *w = th_language_words(l, 40, NULL, &err);
    assert_true(th_language_draw(w, &r, word, &err));
    for (int i = 0; i < 40; i++) {
        depth += word[i] ? -1 : 1;
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    th_language_words_free(w);
    th_language_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_brackets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
