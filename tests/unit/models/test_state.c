/* Reading symbol by symbol: what is kept says the same as reading all again, in pieces of any size,
 * after forgetting, and after an error. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "models/position/position.h"
#include "models/state.h"
#include "recurrences.h"

/* More than the first room for keys and values, so that it grows on the way. */
enum { SYMBOLS = 5, LENGTH = 140, EVERY_LENGTH = 64 };

static int word[LENGTH];

static void draw_word(void)
{
    ThRng r = th_rng(6, "word", 0);
    for (int i = 0; i < LENGTH; i++)
        word[i] = (int)th_rng_below(&r, SYMBOLS);
}

static int greatest(const float *z)
{
    int best = 0;
    for (int c = 1; c < SYMBOLS; c++)
        if (z[c] > z[best])
            best = c;
    return best;
}

static ThModelState *opened(const ThModel *m, ThModelCache cache)
{
    ThError err = {0};
    ThModelState *s = th_model_open(m, cache, 1, &err);
    if (!s)
        fail_msg("%s", err.msg);
    return s;
}

static void fed(ThModelState *s, const int *token, int n, float *z)
{
    ThError err = {0};
    if (!th_model_feed(s, token, n, z, &err))
        fail_msg("%s", err.msg);
}

/* The logits after word[from … to-1], by the tape alone. */
static void plain(const ThModel *m, int from, int to, float *z)
{
    ThModelState *s = opened(m, TH_MODEL_UNCACHED);
    assert_false(th_model_cached(s));
    fed(s, word + from, to - from, z);
    assert_int_equal(th_model_length(s), to - from);
    th_model_close(s);
}

static void assert_same(const ThModel *m, const char *settings, const float *z, int from, int to)
{
    float expected[SYMBOLS];
    plain(m, from, to, expected);
    for (int c = 0; c < SYMBOLS; c++)
        if (!(fabsf(z[c] - expected[c]) <= 1e-5f * (1 + fabsf(expected[c]))))
            fail_msg("%s %s, symbols %d to %d: %g is not %g", m->kind->name, settings, from, to,
                     (double)z[c], (double)expected[c]);
    assert_int_equal(greatest(z), greatest(expected));
}

static void check_one_by_one(const ThModel *m, const char *settings)
{
    float z[SYMBOLS];
    ThModelState *s = opened(m, TH_MODEL_CACHED);
    for (int i = 0; i < LENGTH; i++) {
        fed(s, word + i, 1, z);
        if (i < EVERY_LENGTH || i % 25 == 0 || i == LENGTH - 1)
            assert_same(m, settings, z, 0, i + 1);
    }
    th_model_close(s);
}

/* Pieces of 1, 2, 3, … symbols; between them the oldest are forgotten. */
static void check_pieces(const ThModel *m, const char *settings)
{
    float z[SYMBOLS];
    ThModelState *s = opened(m, TH_MODEL_CACHED);
    int from = 0, to = 0;
    for (int n = 1; to + n <= LENGTH; n++) {
        fed(s, word + to, n, z);
        to += n;
        assert_same(m, settings, z, from, to);
        if (n % 4 == 0) {
            int forget = n == 8 ? th_model_length(s) : n;
            th_model_drop(s, forget);
            from += forget;
        }
        assert_int_equal(th_model_length(s), to - from);
    }
    th_model_close(s);
}

/* Three strings at once, later two of them, say what each says alone. */
static void check_together(const ThModel *m, const char *settings)
{
    enum { B = 3, N = 70, SHIFT = 20 };
    ThError err = {0};
    int token[B * N], last[B];
    float z[B * SYMBOLS];
    ThModelState *s = th_model_open(m, TH_MODEL_CACHED, B, &err);
    assert_non_null(s);
    for (int b = 0; b < B; b++)
        memcpy(token + b * N, word + b * SHIFT, N * sizeof *word);
    fed(s, token, N, z);
    for (int b = 0; b < B; b++)
        assert_same(m, settings, z + b * SYMBOLS, b * SHIFT, b * SHIFT + N);
    for (int i = 0; i < 10; i++) {
        for (int b = 0; b < B; b++)
            last[b] = word[b * SHIFT + N + i];
        fed(s, last, 1, z);
    }
    for (int b = 0; b < B; b++)
        assert_same(m, settings, z + b * SYMBOLS, b * SHIFT, b * SHIFT + N + 10);
    th_model_drop(s, 5);
    assert_true(th_model_keep(s, (const int[]){0, 2}, 2, &err));
    fed(s, (const int[]){word[N + 10], word[2 * SHIFT + N + 10]}, 1, z);
    assert_same(m, settings, z, 5, N + 11);
    assert_same(m, settings, z + SYMBOLS, 2 * SHIFT + 5, 2 * SHIFT + N + 11);
    th_model_close(s);
}

/* A symbol that is none changes nothing. */
static void check_errors(const ThModel *m, const char *settings)
{
    ThError err = {0};
    float z[SYMBOLS];
    ThModelState *s = opened(m, TH_MODEL_CACHED);
    fed(s, word, 3, z);
    assert_false(th_model_feed(s, (const int[]){1, SYMBOLS}, 2, z, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    assert_false(th_model_feed(s, word, 0, z, &err));
    assert_int_equal(th_model_length(s), 3);
    fed(s, word + 3, 2, z);
    assert_same(m, settings, z, 0, 5);
    th_model_close(s);
}

static void check_target(const char *kind, const char *settings, ThTarget target, bool kept)
{
    ThModel *m = bound(kind, settings, target, SYMBOLS);
    ThModelState *s = opened(m, TH_MODEL_CACHED);
    assert_int_equal(th_model_cached(s), kept);
    th_model_close(s);
    if (kept)
        check_one_by_one(m, settings);
    check_pieces(m, settings);
    check_together(m, settings);
    check_errors(m, settings);
    th_model_free(m);
}

static void check(const char *kind, const char *settings, bool kept)
{
    for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_BITS; target++)
        check_target(kind, settings, target, kept);
}

static void test_transformers(void **state)
{
    (void)state;
    size_t n;
    const ThPositionKind *const *kinds = th_position_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "dim=12 heads=3 layers=3 causal=yes position=%s",
                 kinds[i]->name);
        if (kinds[i]->causal)
            check("transformer", settings, strcmp(kinds[i]->name, "random") != 0);
    }
    check("gpt", "dim=12 heads=3 layers=3 position=hard_alibi", true);
    check("gpt", "dim=12 heads=3 layers=3 position=hard_alibi masked=2 windowed=1", true);
    check("gpt", "dim=12 heads=3 layers=3 position=recency masked=1 windowed=1 log_length=4", true);
    check("gpt", "dim=12 heads=3 layers=2 position=rope block=neox", true);
    check("gpt", "dim=12 heads=3 layers=2 position=rope block=llama mlp_width=7", true);
}

static void test_recurrent(void **state)
{
    (void)state;
    check("rnn", "dim=11", true);
    check("lstm", "dim=11", true);
    check("lstm", "dim=4 forget=0.3", true);
    check("gru", "dim=11", true);
    check("rnn", "dim=5 layers=2 activation=tanh head=linear", true);
    check("lstm", "dim=5 layers=3 head=linear head_hidden=7 head_activation=gelu", true);
    check("gru", "dim=5 layers=4 head=tanh", true);
    for (size_t i = 0; i < RECURRENCES; i++)
        check(recurrences[i][0], recurrences[i][1], true);
}

/* Sliding, every vector stays as it is; chunks end elsewhere in a longer string. */
static void test_regulargpt(void **state)
{
    (void)state;
    check("regulargpt", "dim=8 heads=2 form=dilated", true);
    check("regulargpt", "dim=8 heads=2 form=dilated chunk=3 thickness=2 missing=mask", true);
    check_target("regulargpt", "dim=8 heads=2 norm=pre levels=4", TH_TARGET_EVERY, true);
    check_target("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, false);
}

/* A string that repeats itself, and now and then does not, is guessed at, rightly and wrongly, up
 * to the end of the table of positions and over what is forgotten. */
static void check_guesses(const char *kind, const char *settings)
{
    enum { LONGEST = 60 };
    ThModel *m = bound(kind, settings, TH_TARGET_EVERY, SYMBOLS);
    ThModelState *s = opened(m, TH_MODEL_CACHED);
    int drawn[LENGTH], from = 0;
    float z[SYMBOLS];
    memcpy(drawn, word, sizeof word);
    for (int i = 0; i < LENGTH; i++)
        word[i] = i % 23 == 22 ? drawn[i] : drawn[i % 3];
    for (int to = 0; to < LENGTH; to++) {
        if (to - from == LONGEST) {
            int n = 17 + to % 2; /* with 18 what was guessed comes first now */
            th_model_drop(s, n);
            from += n;
        }
        int n = to % 31 == 30 && to + 3 < LENGTH && to - from + 3 <= LONGEST ? 3 : 1;
        fed(s, word + to, n, z);
        to += n - 1;
        assert_same(m, settings, z, from, to + 1);
    }
    memcpy(word, drawn, sizeof word);
    th_model_close(s);
    th_model_free(m);
}

static void test_guesses(void **state)
{
    (void)state;
    check_guesses("gpt", "dim=12 heads=3 layers=3 position=hard_alibi");
    check_guesses("gpt", "dim=12 heads=3 layers=3 position=xl");
    check_guesses("gpt", "dim=12 heads=3 layers=3 position=t5");
    check_guesses("transformer", "dim=12 heads=3 layers=3 position=learned longest=60 causal=yes");
}

static void test_refusals(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = bound("transformer", "dim=4 heads=1 layers=1", TH_TARGET_EVERY, SYMBOLS);
    for (ThModelCache cache = TH_MODEL_CACHED; cache <= TH_MODEL_UNCACHED; cache++) {
        err = (ThError){0};
        assert_null(th_model_open(m, cache, 1, &err)); /* not causal */
        assert_int_equal(err.code, TH_EVALUE);
    }
    th_model_unbind(m);
    err = (ThError){0};
    assert_null(th_model_open(m, TH_MODEL_CACHED, 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(m);
    /* A table of positions ends; what was read before still counts. */
    m = bound("transformer", "dim=4 heads=1 layers=1 position=learned longest=6 causal=yes",
              TH_TARGET_EVERY, SYMBOLS);
    float z[SYMBOLS];
    ThModelState *s = opened(m, TH_MODEL_CACHED);
    fed(s, word, 6, z);
    err = (ThError){0};
    assert_false(th_model_feed(s, word + 6, 1, z, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_int_equal(th_model_length(s), 6);
    th_model_drop(s, 1);
    fed(s, word + 6, 1, z);
    assert_same(m, "longest=6", z, 1, 7);
    th_model_close(s);
    th_model_free(m);
}

static int prepare(void **state)
{
    (void)state;
    draw_word();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transformers), cmocka_unit_test(test_recurrent),
        cmocka_unit_test(test_regulargpt),   cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
