/* What positional encodings say by themselves, and what they cost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "inspect/position_profile.h"
#include "models/position/position.h"

enum { N = 9, SYMBOLS = 3 };

static ThInspectPositions *view(const char *kind, const char *settings, int layer)
{
    ThError err = {0};
    ThModel *m = bound(kind, settings, TH_TARGET_EVERY, SYMBOLS);
    ThInspectPositions *p = th_inspect_positions(m, layer, N, &err);
    if (!p)
        fail_msg("%s: %s", settings, err.msg);
    th_model_free(m);
    return p;
}

static double at(const ThInspectPositions *p, int head, int i, int j)
{
    return p->logit[(head * p->n + i) * p->n + j];
}

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void test_windows(void **state)
{
    (void)state;
    ThInspectPositions *p = view("gpt", "dim=8 heads=4 layers=1 position=hard_alibi masked=3", 0);
    assert_int_equal(p->heads, 4);
    for (int h = 0; h < 4; h++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                bool seen = j <= i && (h == 3 || i - j <= h);
                assert_true(seen ? at(p, h, i, j) == 0 : isinf(at(p, h, i, j)));
            }
    th_inspect_positions_free(p);
    /* windowed=1: the second layer sees everything, whether positions are drawn or not */
    static const char *const kinds[] = {"hard_alibi", "random over=hard_alibi"};
    for (int k = 0; k < 2; k++)
        for (int layer = 0; layer < 2; layer++) {
            char settings[96];
            snprintf(settings, sizeof settings,
                     "dim=8 heads=4 layers=2 masked=3 windowed=1 position=%s", kinds[k]);
            p = view("gpt", settings, layer);
            assert_true((at(p, 0, 5, 2) < -1e29) == (layer == 0));
            assert_true(at(p, 3, 5, 2) == 0 && isinf(at(p, 3, 2, 5)));
            th_inspect_positions_free(p);
        }
}

static void test_slopes(void **state)
{
    (void)state;
    for (int causal = 0; causal < 2; causal++) {
        ThInspectPositions *p = view("transformer",
                                     causal ? "dim=8 heads=2 layers=1 position=alibi causal=yes"
                                            : "dim=8 heads=2 layers=1 position=alibi",
                                     0);
        assert_close(at(p, 0, 7, 3), -4.0 / 16);
        assert_close(at(p, 1, 7, 3), -4.0 / 256);
        if (causal)
            assert_true(isinf(at(p, 0, 3, 7)));
        else
            assert_close(at(p, 0, 3, 7), -4.0 / 16);
        th_inspect_positions_free(p);
    }
}

/* Two pairs of columns, at 1 and 1/100 of a turn's radian: ones turned apart by d have the product
 * 2 cos(d) + 2 cos(d/100), divided by the root of 4. */
static void test_turns(void **state)
{
    (void)state;
    ThInspectPositions *p = view("gpt", "dim=8 heads=2 layers=1 position=rope", 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            assert_close(at(p, 1, i, j), cos(i - j) + cos((i - j) / 100.0));
    th_inspect_positions_free(p);
}

static void test_vectors(void **state)
{
    (void)state;
    ThInspectPositions *p = view("gpt", "dim=4 heads=2 layers=1 position=sinusoidal", 0);
    assert_int_equal(p->heads, 1);
    assert_close(at(p, 0, 8, 3), (cos(5) + cos(0.05)) / 2);
    th_inspect_positions_free(p);
}

/* v·R(i-j) W of a layer, by plain loops. */
static void test_relative(void **state)
{
    (void)state;
    enum { D = 4, HEADS = 2 };
    ThError err = {0};
    ThModel *m = bound("transformer", "dim=4 heads=2 layers=2", TH_TARGET_EVERY, SYMBOLS);
    const float *w =
        th_params_at(&m->params, th_params_find(&m->params, "layer1.attention.relative"));
    const float *v =
        th_params_at(&m->params, th_params_find(&m->params, "layer1.attention.position_bias"));
    ThInspectPositions *p = th_inspect_positions(m, 1, N, &err);
    assert_non_null(p);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double r[D] = {sin(i - j), sin((i - j) / 100.0), cos(i - j), cos((i - j) / 100.0)};
                double sum = 0;
                for (int c = h * D / HEADS; c < (h + 1) * D / HEADS; c++)
                    for (int k = 0; k < D; k++)
                        sum += (double)v[c] * r[k] * (double)w[k * D + c] / sqrt(2);
                assert_close(at(p, h, i, j), sum);
            }
    th_inspect_positions_free(p);
    th_model_free(m);
}

/* A picture of every encoding, of drawn positions too: it falls with the distance where it must. */
static void test_all(void **state)
{
    (void)state;
    size_t n;
    const ThPositionKind *const *kinds = th_position_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        if (!kinds[i]->causal)
            continue;
        char settings[96];
        snprintf(settings, sizeof settings, "dim=8 heads=2 layers=1 position=%s%s", kinds[i]->name,
                 strcmp(kinds[i]->name, "random") == 0 ? " over=alibi" : "");
        ThInspectPositions *p = view("gpt", settings, 0);
        for (int k = 0; k < N; k++)
            assert_true(isfinite(at(p, 0, k, k)));
        if (strstr(settings, "alibi"))
            assert_true(at(p, p->heads - 1, 8, 0) <= at(p, p->heads - 1, 8, 7));
        th_inspect_positions_free(p);
    }
}

static void test_costs(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "none",   "xl",   "sinusoidal",   "learned",    "t5",
        "kerple", "fire", "fire tied=no", "hard_alibi", "hard_alibi windowed=1"};
    ThModel *none = bound("gpt", "dim=8 heads=2 position=none", TH_TARGET_EVERY, SYMBOLS);
    long long plain = (long long)th_params_count(&none->params);
    th_model_free(none);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char settings[96];
        ThInspectPositionCost c;
        snprintf(settings, sizeof settings, "dim=8 heads=2 position=%s", kinds[i]);
        ThModel *m = bound("gpt", settings, TH_TARGET_EVERY, SYMBOLS);
        assert_true(th_inspect_position_cost(m, &c));
        assert_int_equal(c.numbers, (long long)th_params_count(&m->params) - plain);
        assert_int_equal(c.kept, 2 * 2 * 8 * 4);
        bool windows = strcmp(c.name, "hard_alibi") == 0, xl = strcmp(c.name, "xl") == 0;
        int fire = strcmp(c.name, "fire") == 0 ? strlen(kinds[i]) > 4 ? 2 : 1 : 0;
        int windowed = !windows ? 0 : strstr(kinds[i], "windowed=1") ? 1 : 2; /* of two layers */
        assert_int_equal(c.pair, 2 * 4 * (4 - windowed) + (xl ? 16 : 0) + fire * 32 * 3);
        assert_int_equal(c.window, 2 * 4 * windowed);
        th_model_free(m);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    ThError err = {0};
    ThInspectPositionCost c;
    ThModel *m = bound("gru", "dim=8", TH_TARGET_EVERY, SYMBOLS);
    assert_null(th_inspect_positions(m, 0, N, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_false(th_inspect_position_cost(m, &c));
    th_model_free(m);
    m = bound("gpt", "dim=8 position=learned longest=8", TH_TARGET_EVERY, SYMBOLS);
    assert_null(th_inspect_positions(m, 0, N, &err));
    assert_null(th_inspect_positions(m, 2, 8, &err));
    th_model_unbind(m);
    assert_null(th_inspect_positions(m, 0, 8, &err));
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),  cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_turns),    cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_relative), cmocka_unit_test(test_all),
        cmocka_unit_test(test_costs),    cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
