/* Generation: greedy against a loop over whole prefixes, windows as they are described, draws
 * against the probabilities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bound.h"
#include "lab/generate.h"

enum { SYMBOLS = 6, PROMPT = 7, STEPS = 60 };

static const int prompt[PROMPT] = {3, 0, 5, 1, 1, 4, 2};

static const ThGenerateSettings greedy = {.most = STEPS, .end = -1};

/* Writes up to STEPS symbols; returns how many. */
static int written(const ThModel *m, const ThGenerateSettings *how, int n, int *to, bool *ended)
{
    ThError err = {0};
    int count = 0;
    ThLabGenerator *g = th_generate_open(m, &(ThGeneratePrompts){prompt, 1, n}, how, &err);
    if (!g)
        fail_msg("%s", err.msg);
    while (!th_generate_done(g)) {
        if (!th_generate_step(g, &to[count++], &err))
            fail_msg("%s", err.msg);
        assert_true(count <= STEPS);
    }
    if (ended)
        *ended = th_generate_ended(g, 0);
    th_generate_free(g);
    return count;
}

static void logits_after(const ThModel *m, const int *token, int n, float *z)
{
    ThError err = {0};
    ThModelState *s = th_model_open(m, TH_MODEL_UNCACHED, 1, &err);
    assert_true(th_model_feed(s, token, n, z, &err));
    th_model_close(s);
}

static int greatest(const float *z)
{
    int best = 0;
    for (int c = 1; c < SYMBOLS; c++)
        if (z[c] > z[best])
            best = c;
    return best;
}

/* Append; where more than `window` symbols are there, drop the `hop` oldest until they are not. */
static void expect(const ThModel *m, int window, int hop, int n, int *to)
{
    int token[PROMPT + STEPS], from = 0, end = n;
    float z[SYMBOLS];
    memcpy(token, prompt, (size_t)n * sizeof *token);
    for (int i = 0; i < STEPS; i++) {
        while (window > 0 && end - from > window)
            from += hop;
        logits_after(m, token + from, end - from, z);
        to[i] = token[end++] = greatest(z);
    }
}

static const char *const writers[][2] = {
    {"transformer", "dim=12 heads=3 layers=2 causal=yes"},
    {"transformer", "dim=12 heads=3 layers=2 causal=yes position=none"},
    {"transformer", "dim=12 heads=3 layers=2 causal=yes position=sinusoidal"},
    {"transformer", "dim=12 heads=3 layers=2 causal=yes position=learned"},
    {"transformer", "dim=12 heads=3 layers=2 causal=yes position=alibi"},
    {"rnn", "dim=20"},
    {"lstm", "dim=20"},
    {"gru", "dim=20"},
    {"regulargpt", "dim=12 heads=2"},
};

static void test_greedy(void **state)
{
    (void)state;
    static const int windows[][2] = {{0, 0}, {20, 1}, {20, 6}, {20, 20}, {4, 2}, {1, 1}};
    int distinct = 0;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        ThModel *m = bound(writers[i][0], writers[i][1], TH_TARGET_EVERY, SYMBOLS);
        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
            int expected[STEPS], got[STEPS];
            ThGenerateSettings how = greedy;
            how.window = windows[w][0];
            how.hop = windows[w][1];
            expect(m, how.window, how.hop, PROMPT, expected);
            for (how.cache = TH_MODEL_CACHED; how.cache <= TH_MODEL_UNCACHED; how.cache++) {
                assert_int_equal(written(m, &how, PROMPT, got, NULL), STEPS);
                for (int k = 0; k < STEPS; k++)
                    if (got[k] != expected[k])
                        fail_msg("%s %s, window %d hop %d, symbol %d: %d is not %d", writers[i][0],
                                 writers[i][1], how.window, how.hop, k, got[k], expected[k]);
            }
            for (int k = 1; k < STEPS; k++)
                distinct += got[k] != got[k - 1];
        }
        th_model_free(m);
    }
    assert_true(distinct > 100); /* else all of this says little */
}

static void test_end(void **state)
{
    (void)state;
    ThModel *m = bound("gru", "dim=20", TH_TARGET_EVERY, SYMBOLS);
    int all[STEPS], got[STEPS], first = 0;
    bool ended;
    ThGenerateSettings how = greedy;
    written(m, &how, 3, all, &ended);
    assert_false(ended);
    how.end = all[STEPS / 2];
    while (all[first] != how.end)
        first++;
    assert_int_equal(written(m, &how, 3, got, &ended), first + 1);
    assert_true(ended);
    assert_memory_equal(got, all, (size_t)(first + 1) * sizeof *got);
    how = greedy;
    how.most = 5;
    assert_int_equal(written(m, &how, 3, got, &ended), 5);
    assert_false(ended);
    th_model_free(m);
}

/* First symbols of many seeds: their shares are the softmax's, within four deviations. */
static void check_draws(const ThModel *m, double temperature, int top_k)
{
    enum { SEEDS = 4000 };
    float z[SYMBOLS];
    double p[SYMBOLS], sum = 0;
    int count[SYMBOLS] = {0}, got[STEPS], again[STEPS];
    logits_after(m, prompt, PROMPT, z);
    for (int c = 0; c < SYMBOLS; c++) {
        int before = 0;
        for (int i = 0; i < SYMBOLS; i++)
            before += z[i] > z[c];
        p[c] = top_k && before >= top_k ? 0 : exp((double)z[c] / temperature);
        sum += p[c];
    }
    ThGenerateSettings how = greedy;
    how.temperature = temperature;
    how.top_k = top_k;
    how.most = 1;
    for (how.seed = 0; how.seed < SEEDS; how.seed++) {
        written(m, &how, PROMPT, got, NULL);
        count[got[0]]++;
    }
    for (int c = 0; c < SYMBOLS; c++) {
        double share = p[c] / sum, deviation = sqrt(SEEDS * share * (1 - share));
        assert_true(fabs(count[c] - SEEDS * share) <= 4 * deviation);
    }
    how.most = STEPS;
    written(m, &how, PROMPT, got, NULL);
    written(m, &how, PROMPT, again, NULL);
    assert_memory_equal(got, again, sizeof got);
    how.seed++;
    written(m, &how, PROMPT, again, NULL);
    assert_true(top_k == 1 || memcmp(got, again, sizeof got) != 0);
}

static void test_draws(void **state)
{
    (void)state;
    ThModel *m = bound("gru", "dim=20", TH_TARGET_EVERY, SYMBOLS);
    check_draws(m, 1, 0);
    check_draws(m, 3, 0);
    check_draws(m, 1, 1);
    check_draws(m, 2, 3);
    check_draws(m, 1, 100);
    th_model_free(m);
}

/* Where all symbols are equally likely the first is the likeliest; every draw is one of its own. */
static void test_equal_symbols(void **state)
{
    (void)state;
    ThModel *m = bound("gru", "dim=3", TH_TARGET_EVERY, SYMBOLS);
    int got[STEPS], count[SYMBOLS] = {0}, changes = 0;
    scatter(m, 0);
    written(m, &greedy, 1, got, NULL);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(got[i], 0);
    ThGenerateSettings how = greedy;
    how.temperature = 1;
    how.top_k = 2;
    how.seed = 1;
    written(m, &how, 1, got, NULL);
    for (int i = 0; i < STEPS; i++) {
        count[got[i]]++;
        changes += i > 0 && got[i] != got[i - 1];
    }
    assert_int_equal(count[0] + count[1], STEPS);
    assert_true(count[0] > STEPS / 5 && count[1] > STEPS / 5 && changes > STEPS / 5);
    th_model_free(m);
}

/* Strings together write what each does alone, whichever end on the way; what is drawn follows the
 * number of the string. */
static void test_together(void **state)
{
    (void)state;
    enum { B = 24, N = 3 };
    int prompts[B * N], number[B], ends = 0;
    ThRng r = th_rng(6, "test.prompts", 0);
    for (int i = 0; i < B * N; i++)
        prompts[i] = (int)th_rng_below(&r, SYMBOLS);
    for (int b = 0; b < B; b++)
        number[b] = 100 - 3 * b;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        ThModel *m = bound(writers[i][0], writers[i][1], TH_TARGET_EVERY, SYMBOLS);
        for (int how_often = 0; how_often < 3; how_often++) {
            ThError err = {0};
            ThGenerateSettings how = {.most = STEPS, .end = 1, .seed = 4};
            how.window = how_often == 1 ? 7 : 0;
            how.hop = 2;
            how.temperature = how_often == 2 ? 2 : 0;
            how.number = number;
            ThLabGenerator *g =
                               th_generate_open(m, &(ThGeneratePrompts){prompts, B, N}, &how, &err),
                           *one[B];
            for (int b = 0; b < B; b++) {
                how.number = number + b;
                one[b] =
                    th_generate_open(m, &(ThGeneratePrompts){prompts + b * N, 1, N}, &how, &err);
            }
            while (!th_generate_done(g)) {
                int symbol[B];
                assert_true(th_generate_step(g, symbol, &err));
                for (int b = 0; b < B; b++) {
                    int alone = -1;
                    if (!th_generate_done(one[b]))
                        assert_true(th_generate_step(one[b], &alone, &err));
                    if (symbol[b] != alone)
                        fail_msg("%s %s, string %d: %d is not %d", writers[i][0], writers[i][1], b,
                                 symbol[b], alone);
                }
            }
            for (int b = 0; b < B; b++) {
                assert_int_equal(th_generate_ended(g, b), th_generate_ended(one[b], 0));
                ends += th_generate_ended(g, b);
                th_generate_free(one[b]);
            }
            th_generate_free(g);
        }
        th_model_free(m);
    }
    assert_true(ends > 100); /* of 648 */
}

static void assert_refused(const ThModel *m, int n, const ThGenerateSettings *how, ThErrc code)
{
    ThError err = {0};
    assert_null(th_generate_open(m, &(ThGeneratePrompts){prompt, 1, n}, how, &err));
    assert_int_equal(err.code, code);
}

static void test_refusals(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = bound("gru", "dim=5", TH_TARGET_FINAL, SYMBOLS);
    assert_refused(m, 1, &greedy, TH_EVALUE);
    th_model_free(m);
    m = bound("transformer", "dim=4 heads=1 layers=1", TH_TARGET_EVERY, SYMBOLS); /* looks ahead */
    assert_refused(m, 1, &greedy, TH_EVALUE);
    th_model_free(m);
    m = bound("gru", "dim=5", TH_TARGET_EVERY, SYMBOLS);
    assert_refused(m, 0, &greedy, TH_EVALUE);
    assert_refused(m, 1, &(ThGenerateSettings){.most = 1, .window = 3, .hop = 4}, TH_EUSAGE);
    assert_refused(m, 1, &(ThGenerateSettings){.most = 1, .window = 3}, TH_EUSAGE);
    assert_refused(m, 1, &(ThGenerateSettings){.most = 1, .temperature = -1}, TH_EUSAGE);
    /* A symbol outside the alphabet is met when it is read; a number that is none, too. */
    ThLabGenerator *g =
        th_generate_open(m, &(ThGeneratePrompts){(const int[]){SYMBOLS}, 1, 1}, &greedy, &err);
    int symbol;
    assert_false(th_generate_step(g, &symbol, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_generate_free(g);
    m->params.value[m->params.item[m->params.n - 1].offset] = NAN;
    err = (ThError){0};
    g = th_generate_open(m, &(ThGeneratePrompts){prompt, 1, 1}, &greedy, &err);
    assert_false(th_generate_step(g, &symbol, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    th_generate_free(g);
    /* A class that is no symbol. */
    free(m->signature.label[2]);
    m->signature.label[2] = th_strdup("other", &err);
    assert_refused(m, 1, &greedy, TH_EVALUE);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy),   cmocka_unit_test(test_end),
        cmocka_unit_test(test_draws),    cmocka_unit_test(test_equal_symbols),
        cmocka_unit_test(test_together), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
