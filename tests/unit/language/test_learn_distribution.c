/* Distributions that are known, learned again from words and from probabilities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "given.h"
#include "language/learn_distribution.h"
#include "language/probability.h"

static const char example[] = "q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
                              "r a 0.4 -> r; r b 0.35 -> q; accept r 0.25";
static const char three[] = "x a 0.6 -> y; x b 0.2 -> x; accept x 0.2\n"
                            "y a 0.1 -> z; y b 0.4 -> x; accept y 0.5\n"
                            "z a 0.3 -> z; z b 0.6 -> y; accept z 0.1";
static const char finite[] = "s a 0.7 -> t; s b 0.3 -> u; t b 1 -> u; accept u 1";
/* u and v differ only in what is behind them. */
static const char deeper[] =
    "s a 0.4 -> u; s b 0.4 -> v; accept s 0.2; u a 0.5 -> w; accept u 0.5\n"
    "v a 0.5 -> x; accept v 0.5; x a 1 -> w; accept w 1";
static const char ways[] = "s a 1/3 -> s; s a 1/3 -> t; s b 1/6 -> t; accept s 1/6\n"
                           "t a 1/2 -> t; accept t 1/2";
static char *const letters[] = {(char[]){"a"}, (char[]){"b"}};

static ThLanguage *distributed(const char *text)
{
    ThError err = {0};
    ThText t = {0};
    th_text_printf(&t, "alphabet a b\n%s", text);
    ThLanguage *l = th_language_parse("distribution", t.data, &err);
    if (!l)
        fail_msg("%s", err.msg);
    th_text_free(&t);
    return l;
}

/* Words drawn from a distribution. */
static ThWordsSample drawn(const ThLanguage *l, uint64_t seed, size_t words)
{
    ThRng r = th_rng(seed, "drawn", 0);
    ThWordsSample w = {.n_symbols = 2, .start = calloc(words + 1, sizeof *w.start)};
    int *word = NULL, n;
    size_t cap = 0, all = 0, room = 0;
    for (; w.n < words; w.start[++w.n] = all) {
        assert_true(th_distribution_draw(l, &r, &word, &cap, &n, NULL, NULL));
        assert_true(th_grow(&w.symbol, &room, all + (size_t)n + 1, sizeof *w.symbol, NULL));
        for (int i = 0; i < n; i++)
            w.symbol[all++] = word[i];
    }
    free(word);
    return w;
}

static int states(const ThLanguage *l)
{
    ThDistributionMoments m;
    assert_true(th_distribution_moments(l, &m, NULL));
    return m.states;
}

static double p_of(const ThLanguage *l, const int *word, int n)
{
    double log;
    assert_true(th_distribution_log(l, (ThLanguageWord){word, n}, &log, NULL));
    return exp(log);
}

/* The sum of |P - Q| over all words of up to `length` symbols. */
static double apart(const ThLanguage *p, const ThLanguage *q, int length)
{
    int word[MAX_WORD] = {0}, n = 0;
    double sum = 0;
    do
        sum += fabs(p_of(p, word, n) - p_of(q, word, n));
    while (next_word(word, &n, 2, length));
    return sum;
}

/* The states of the machine, and a divergence below a thousandth of a bit, from 10^5 words. */
static void merged(void **state)
{
    (void)state;
    static const char *const machine[] = {example, three, finite, deeper};
    for (int k = 0; k < 4; k++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            ThError err = {0};
            ThLanguage *p = distributed(machine[k]);
            ThWordsSample w = drawn(p, seed, 100000);
            ThDistributionMerging m;
            ThDistributionDistance d;
            ThLanguage *q = th_distribution_alergia(&w, letters, .005, &m, NULL, &err);
            assert_non_null(q);
            assert_int_equal(states(q), states(p));
            assert_true(th_distribution_distance(p, q, &d, NULL, NULL));
            assert_true(d.divergence < 1e-3 && d.squares < 5e-5);
            th_language_free(p);
            th_language_free(q);
            th_words_sample_free(&w);
        }
}

/* 40 empty words, 25 a, 15 aa, 10 aaa, 6 aaaa and 4 aaaaa make one state. */
static void by_hand(void **state)
{
    (void)state;
    static const int times[] = {40, 25, 15, 10, 6, 4};
    ThWordsSample w = {.n_symbols = 1,
                       .symbol = calloc(129, sizeof *w.symbol),
                       .start = calloc(101, sizeof *w.start)};
    ThDistributionMerging m;
    int a[1] = {0};
    for (int n = 0; n < 6; n++)
        for (int i = 0; i < times[n]; i++, w.n++)
            w.start[w.n + 1] = w.start[w.n] + (size_t)n;
    ThLanguage *l = th_distribution_alergia(&w, letters, .05, &m, NULL, NULL);
    assert_int_equal(states(l), 1);
    assert_int_equal(m.tree, 6);
    assert_true(fabs(p_of(l, a, 0) - 100 / 229.) < 1e-12);
    assert_true(fabs(p_of(l, a, 1) - 129 / 229. * 100 / 229) < 1e-12);
    th_language_free(l);
    w.n = 0;
    ThError err = {0};
    assert_null(th_distribution_alergia(&w, letters, .05, &m, NULL, &err));
    assert_string_equal(err.msg, "there are no words");
    th_words_sample_free(&w);
}

/* 480 of 1,000 against 70 of 200, .1300 apart: at 5 % that may be chance (.1390), at 10 % not. */
static void bounds(void **state)
{
    (void)state;
    static const struct {
        int times, word[4], n;
    } of[] = {{320, {0}, 0},     {480, {0}, 1},        {66, {1}, 1},
              {70, {1, 0}, 2},   {21, {1, 1}, 2},      {22, {1, 1, 0}, 3},
              {7, {1, 1, 1}, 3}, {7, {1, 1, 1, 0}, 4}, {7, {1, 1, 1, 1}, 4}};
    ThWordsSample w = {.n_symbols = 2,
                       .symbol = calloc(4000, sizeof *w.symbol),
                       .start = calloc(1001, sizeof *w.start)};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        for (int i = 0; i < of[k].times; i++, w.n++) {
            w.start[w.n + 1] = w.start[w.n] + (size_t)of[k].n;
            memcpy(w.symbol + w.start[w.n], of[k].word, sizeof of[k].word);
        }
    assert_int_equal(w.n, 1000);
    for (int k = 0; k < 2; k++) {
        ThDistributionMerging m;
        ThLanguage *l = th_distribution_alergia(&w, letters, k ? .1 : .05, &m, NULL, NULL);
        assert_int_equal(states(l), k ? 3 : 2);
        th_language_free(l);
    }
    th_words_sample_free(&w);
}

static bool exactly(void *context, ThLanguageWord word, double *p, ThError *err)
{
    bool ok = th_distribution_log(context, word, p, err);
    *p = exp(*p);
    return ok;
}

static void spectral_exactly(void **state)
{
    (void)state;
    static const char *const machine[] = {example, three, finite, ways};
    static const int rank[] = {2, 3, 3, 2};
    for (int k = 0; k < 4; k++) {
        ThError err = {0};
        ThLanguage *p = distributed(machine[k]);
        ThDistributionSpectral s = {
            .context = p, .probability = exactly, .least = 1e-9, .length = k == 0 ? 1 : -1};
        ThLanguage *q = th_distribution_spectral(&s, letters, 2, &err);
        if (!q)
            fail_msg("%s", err.msg);
        assert_int_equal(s.basis, k == 0 ? 3 : 31);
        assert_int_equal(states(q), rank[k]);
        assert_true(fabs(s.mass - 1) < 1e-9);
        assert_true(apart(p, q, 8) < 1e-10);
        if (k == 0)
            assert_true(fabs(s.value[0] - .276454) < 1e-6 && fabs(s.value[1] - .008389) < 1e-6);
        /* What its block says is the same again. */
        ThText t = {0};
        th_language_write(&t, q, "q");
        char *inside = strchr(t.data, '{') + 1;
        *strrchr(inside, '}') = '\0';
        ThLanguage *again = th_language_parse("distribution", inside, &err);
        if (!again)
            fail_msg("%s", err.msg);
        assert_true(apart(q, again, 8) < 1e-12);
        double next[8 * 3], true_next[8 * 3], lengths[9], true_lengths[9];
        ThLanguageWord word = {(const int[]){0, 1, 0, 0, 0, 0, 0}, 7};
        assert_true(th_distribution_next(again, word, next, NULL));
        assert_true(th_distribution_next(p, word, true_next, NULL));
        for (int i = 0; i < (k == 2 ? 9 : 24); i++) /* ab is the longest word of `finite` */
            assert_true(fabs(next[i] - true_next[i]) < 1e-8);
        assert_true(th_distribution_lengths(p, 8, true_lengths, NULL, NULL, NULL));
        assert_true(th_distribution_lengths(q, 8, lengths, NULL, NULL, NULL));
        for (int i = 0; i <= 8; i++)
            assert_true(fabs(lengths[i] - true_lengths[i]) < 1e-9);
        th_text_free(&t);
        th_language_free(again);
        th_language_free(q);
        th_language_free(p);
    }
}

/* Counted words of a sample. */
static bool shares(void *context, ThLanguageWord word, double *p, ThError *err)
{
    (void)err;
    const ThWordsSample *w = context;
    long seen = 0;
    for (size_t i = 0; i < w->n; i++)
        seen += w->start[i + 1] - w->start[i] == (size_t)word.n &&
                (word.n == 0 || memcmp(w->symbol + w->start[i], word.symbol,
                                       (size_t)word.n * sizeof *word.symbol) == 0);
    *p = (double)seen / (double)w->n;
    return true;
}

/* From 10^5 words: the number of states by the noise, L1 to length 8 below 0.03, and words drawn of
 * it as far from the truth. */
static void spectral_from_words(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguage *p = distributed(example);
    ThWordsSample w = drawn(p, 3, 100000);
    ThDistributionSpectral s = {.context = &w, .probability = shares, .words = 100000, .length = 2};
    ThLanguage *q = th_distribution_spectral(&s, letters, 2, &err);
    assert_non_null(q);
    assert_int_equal(states(q), 2);
    assert_true(apart(p, q, 8) < .03 && fabs(s.mass - 1) < .02);
    ThRng r = th_rng(1, "words", 0);
    ThLanguageWords *three_long = th_language_words(q, 3, NULL, &err);
    int seen[8] = {0}, word[3];
    for (int i = 0; i < 20000; i++) {
        assert_true(th_language_draw(three_long, &r, word, NULL));
        seen[word[0] * 4 + word[1] * 2 + word[2]]++;
    }
    for (int i = 0; i < 8; i++) {
        int x[3] = {i / 4, i / 2 % 2, i % 2};
        assert_true(fabs(seen[i] / 20000. - p_of(p, x, 3) / .108025) < .03);
    }
    s.states = 1;
    th_language_words_free(three_long);
    th_language_free(q);
    q = th_distribution_spectral(&s, letters, 2, &err);
    assert_int_equal(states(q), 1);
    th_language_free(q);
    s.length = 9;
    assert_null(th_distribution_spectral(&s, letters, 2, &err));
    th_language_free(p);
    th_words_sample_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(bounds),
        cmocka_unit_test(spectral_exactly),
        cmocka_unit_test(spectral_from_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
