/* Positional encodings: the values of the papers, gradients, rows of different lengths, and that
 * nothing looks ahead where it must not. */
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
#include "models/position.h"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

enum { SYMBOLS = 4, LENGTH = 9, ROWS = 4 };

/* ---- the table ---- */

static void test_table(void **state)
{
    (void)state;
    size_t n;
    char list[256] = "";
    const ThPositionKind *const *kinds = th_position_kinds(&n);
    assert_true(n >= 5);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(th_position_kind(kinds[i]->name), kinds[i]);
        assert_true(kinds[i]->causal || kinds[i]->full);
        strcat(strcat(list, i ? "|" : ""), kinds[i]->name);
    }
    assert_string_equal(list, TH_POSITION_CHOICES);
    assert_null(th_position_kind("nowhere"));
}

/* ---- values ---- */

static void test_slopes(void **state)
{
    (void)state;
    static const double twelve[] = {0.5,       0.25,       0.125,    0.0625,   0.03125,  0.015625,
                                    0.0078125, 0.00390625, 0.707107, 0.353553, 0.176777, 0.088388};
    double slope[16];
    th_position_slopes(12, slope);
    for (int h = 0; h < 12; h++)
        assert_close(slope[h], twelve[h], 1e-6);
    th_position_slopes(8, slope);
    for (int h = 0; h < 8; h++)
        assert_close(slope[h], twelve[h], 0);
    th_position_slopes(16, slope);
    assert_close(slope[0], 0.707107, 1e-6);
    assert_close(slope[1], 0.5, 0);
    assert_close(slope[2], 0.353553, 1e-6);
    th_position_slopes(1, slope);
    assert_close(slope[0], 1.0 / 256, 0);
}

/* The encoding of a model, and a tape on its parameters. */
static const ThPosition *encoding(const char *settings, ThModel **m, ThPosition *p, ThTape **t)
{
    ThError err = {0};
    *m = bound("transformer", settings, TH_TARGET_EVERY, SYMBOLS);
    th_position_init(p, &(*m)->options, (int)th_option_int(&(*m)->options, "dim"),
                     (int)th_option_int(&(*m)->options, "heads"),
                     th_option_flag(&(*m)->options, "causal"));
    p->param[0] = th_params_find(&(*m)->params, "position");
    *t = th_tape_new(TH_TAPE_FLOAT, &(*m)->params, &err);
    return p;
}

static void test_sinusoidal_values(void **state)
{
    (void)state;
    static const double three[] = {0.14112, -0.989992, 0.029996, 0.99955};
    ThModel *m;
    ThTape *t;
    ThPosition place;
    const ThPosition *p = encoding("dim=4 heads=1 position=sinusoidal", &m, &place, &t);
    float zero[16] = {0};
    double y[16];
    /* Two strings of two columns from position 2 on; then rows wherever they are said to stand. */
    ThPositionRows rows = {.n = 4, .T = 2, .first = 2};
    th_tape_read(t, th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), y);
    for (int j = 0; j < 4; j++) {
        assert_close(y[4 + j], three[j], 1e-6);
        assert_close(y[12 + j], three[j], 1e-6);
        assert_true(fabs(y[j] - three[j]) > 1e-6);
    }
    rows = (ThPositionRows){.n = 4, .T = 1, .position = (const int[]){7, 3, 0, 1}};
    th_tape_read(t, th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), y);
    for (int j = 0; j < 4; j++) {
        assert_close(y[4 + j], three[j], 1e-6);
        assert_close(y[8 + j], j % 2, 1e-6);
    }
    th_tape_free(t);
    th_model_free(m);
}

static void test_learned_values(void **state)
{
    (void)state;
    ThModel *m;
    ThTape *t;
    ThPosition place;
    ThError err = {0};
    const ThPosition *p = encoding("dim=4 heads=1 position=learned longest=5", &m, &place, &t);
    const float *table = th_params_at(&m->params, p->param[0]);
    assert_int_equal(m->params.item[p->param[0]].rows, 5);
    float zero[16] = {0};
    double y[16];
    ThPositionRows rows = {.n = 4, .T = 2, .first = 3};
    th_tape_read(t, th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), y);
    for (int j = 0; j < 8; j++) {
        assert_close(y[j], (double)table[12 + j], 0);
        assert_close(y[8 + j], (double)table[12 + j], 0);
    }
    /* A position more than the table has. */
    rows.first = 4;
    assert_int_equal(th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), -1);
    assert_false(th_tape_ok(t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tape_free(t);
    th_model_free(m);
}

static void test_alibi_values(void **state)
{
    (void)state;
    enum { SPAN = 6 };
    for (int causal = 0; causal < 2; causal++) {
        ThModel *m;
        ThTape *t;
        ThPosition place;
        const ThPosition *p = encoding(causal ? "dim=6 heads=3 position=alibi causal=yes"
                                              : "dim=6 heads=3 position=alibi",
                                       &m, &place, &t);
        int columns = causal ? SPAN : 2 * SPAN - 1;
        double bias[3 * (2 * SPAN - 1)], slope[3];
        ThOpAttention how = {.bias = -1};
        th_position_slopes(3, slope);
        th_position_at_attention(p, t, 0, th_position_prepare(p, t, SPAN), SPAN, &how);
        assert_int_equal(how.biased, TH_TAPE_BIAS_DISTANCE);
        assert_int_equal(th_tape_cols(t, how.bias), columns);
        th_tape_read(t, how.bias, bias);
        for (int h = 0; h < 3; h++) {
            assert_true(bias[h * columns + SPAN - 1] == 0);
            for (int distance = 1; distance < SPAN; distance++) {
                assert_close(bias[h * columns + SPAN - 1 - distance], -slope[h] * distance, 1e-6);
                if (!causal)
                    assert_close(bias[h * columns + SPAN - 1 + distance], -slope[h] * distance,
                                 1e-6);
            }
        }
        th_tape_free(t);
        th_model_free(m);
    }
}

/* ---- whole models ---- */

/* Calls `each` with every encoding, causal or not as it is defined for, and every target. */
typedef void EachModel(ThModel *m, const char *settings);

static void for_each_model(EachModel *each)
{
    size_t n;
    const ThPositionKind *const *kinds = th_position_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        for (int causal = 0; causal < 2; causal++) {
            if (causal ? !kinds[i]->causal : !kinds[i]->full)
                continue;
            char settings[160];
            snprintf(settings, sizeof settings,
                     "dim=12 heads=3 layers=2 hidden=2 position=%s causal=%s", kinds[i]->name,
                     causal ? "yes" : "no");
            for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_BITS; target++) {
                ThModel *m = bound("transformer", settings, target, SYMBOLS);
                each(m, settings);
                th_model_free(m);
            }
        }
    }
}

static int lengths[ROWS] = {5, LENGTH, 1, 8};

static void draw_tokens(int *token)
{
    ThRng r = th_rng(4, "batch", 0);
    for (int i = 0; i < ROWS * LENGTH; i++)
        token[i] = (int)th_rng_below(&r, SYMBOLS);
}

/* Reads the logits of a batch. */
static int logits_of(const ThModel *m, ThTape *t, ThTapeMode mode, const ThBatch *b, bool share,
                     double *z, ThVar *out)
{
    ThError err = {0};
    th_tape_begin(t, mode);
    ThVar v = m->kind->forward(m, t, b, &(ThModelForward){.share = share});
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    th_tape_read(t, v, z);
    if (out)
        *out = v;
    return th_tape_rows(t, v);
}

/* A row of a ragged batch says what it says alone, in both precisions, shared or not. */
static void check_ragged(ThModel *m, const char *settings)
{
    ThError err = {0};
    int token[ROWS * LENGTH];
    double z[ROWS * LENGTH * SYMBOLS], alone[LENGTH * SYMBOLS];
    draw_tokens(token);
    for (int mode = 0; mode < 4; mode++) {
        double bound_of = mode & 1 ? 1e-12 : 1e-4;
        ThTape *t = th_tape_new(mode & 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, &m->params, &err);
        ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
        logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, mode & 2, z, NULL);
        for (int i = 0; i < ROWS; i++) {
            ThBatch one = {.B = 1, .T = lengths[i], .token = token + i * LENGTH};
            int n = logits_of(m, t, TH_TAPE_NO_GRADIENT, &one, mode & 2, alone, NULL);
            const double *row =
                z + (n == 1 && m->signature.target == TH_TARGET_FINAL ? i * SYMBOLS
                                                                      : i * LENGTH * SYMBOLS);
            for (int k = 0; k < n * SYMBOLS; k++)
                if (!(fabs(row[k] - alone[k]) <= bound_of))
                    fail_msg("%s, row %d: %g is not %g", settings, i, row[k], alone[k]);
        }
        th_tape_free(t);
    }
}

static void test_ragged(void **state)
{
    (void)state;
    for_each_model(check_ragged);
}

static double weighed(const ThModel *m, ThTape *t, const ThBatch *b, const double *seed)
{
    double z[ROWS * LENGTH * SYMBOLS], sum = 0;
    int n = logits_of(m, t, TH_TAPE_NO_GRADIENT, b, true, z, NULL);
    for (int i = 0; i < n * SYMBOLS; i++)
        sum += seed[i] * z[i];
    return sum;
}

/* The smaller step where the larger one steps over a kink. */
static void check_slope(const ThModel *m, ThTape *t, const ThBatch *b, const double *seed,
                        size_t at, double gradient)
{
    double *w = th_tape_params_double(t) + at, kept = *w, error = 1;
    for (double h = 1e-5; h > 1e-8 && error > 1e-6; h /= 100) {
        *w = kept + h;
        double up = weighed(m, t, b, seed);
        *w = kept - h;
        double slope = (up - weighed(m, t, b, seed)) / (2 * h);
        error = fabs(slope - gradient) / (1 + fabs(slope));
    }
    *w = kept;
    assert_true(error <= 1e-6);
}

/* The gradient of a ragged batch: finite differences, and float against double. */
static void check_gradient(ThModel *m, const char *settings)
{
    enum { SAMPLES = 6 };
    ThError err = {0};
    int token[ROWS * LENGTH];
    double z[ROWS * LENGTH * SYMBOLS], seed[ROWS * LENGTH * SYMBOLS];
    (void)settings;
    draw_tokens(token);
    ThRng r = th_rng(5, "seed", 0);
    ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
    bool final = m->signature.target == TH_TARGET_FINAL;
    for (int i = 0; i < ROWS * LENGTH * SYMBOLS; i++) {
        bool padded = !final && i / SYMBOLS % LENGTH >= lengths[i / SYMBOLS / LENGTH];
        seed[i] = padded ? 0 : th_rng_normal(&r);
    }
    ThTape *exact = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    ThTape *fast = th_tape_new(TH_TAPE_FLOAT, &m->params, &err);
    ThVar v;
    logits_of(m, exact, TH_TAPE_GRADIENT, &b, true, z, &v);
    assert_true(th_tape_backward(exact, v, seed, &err));
    double *g = th_copy(th_tape_gradient_double(exact), m->params.total, sizeof *g, NULL);
    logits_of(m, fast, TH_TAPE_GRADIENT, &b, true, z, &v);
    assert_true(th_tape_backward(fast, v, seed, &err));
    double apart = 0, size = 0;
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        size_t n = (size_t)p->rows * (size_t)p->cols;
        for (size_t k = p->offset; k < p->offset + n; k++) {
            apart += pow((double)th_tape_gradient(fast)[k] - g[k], 2);
            size += g[k] * g[k];
        }
        for (int k = 0; k < SAMPLES; k++) {
            size_t at = p->offset + th_rng_below(&r, n);
            check_slope(m, exact, &b, seed, at, g[at]);
        }
    }
    assert_true(sqrt(apart / size) < 1e-4);
    free(g);
    th_tape_free(exact);
    th_tape_free(fast);
}

static void test_gradients(void **state)
{
    (void)state;
    for_each_model(check_gradient);
}

/* ---- leaks ---- */

/* Changes one symbol: no logit before it moves if the model does not look ahead, and some behind it
 * do. */
static void check_leaks(ThModel *m, const char *settings)
{
    ThError err = {0};
    int token[ROWS * LENGTH];
    double before[LENGTH * SYMBOLS], after[LENGTH * SYMBOLS];
    bool ahead = !th_model_causal(m);
    if (m->signature.target == TH_TARGET_FINAL)
        return;
    draw_tokens(token);
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &m->params, &err);
        ThBatch b = {.B = 1, .T = LENGTH, .token = token};
        double all = 0;
        for (int at = 0; at < LENGTH; at++) {
            logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, before, NULL);
            token[at] = (token[at] + 1) % SYMBOLS;
            logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, after, NULL);
            double moved = 0, here = 0;
            for (int k = 0; k < LENGTH * SYMBOLS; k++)
                *(k < at * SYMBOLS ? &moved : &here) += fabs(after[k] - before[k]);
            all += here;
            if (at > 0 && (moved > 1e-3) != ahead)
                fail_msg("%s %s: position %d moves what is before it by %g", m->kind->name,
                         settings, at, moved);
            assert_true(ahead || moved < (precision == TH_TAPE_FLOAT ? 1e-4 : 1e-12));
        }
        if (!(all > 0.01))
            fail_msg("%s %s: answers move by %g", m->kind->name, settings, all);
        th_tape_free(t);
    }
}

static void test_leaks(void **state)
{
    (void)state;
    static const char *const others[][2] = {{"rnn", "dim=7"},
                                            {"lstm", "dim=7"},
                                            {"gru", "dim=7"},
                                            {"regulargpt", "dim=8 heads=2"},
                                            {"regulargpt", "dim=8 heads=2 chunk=3"}};
    for_each_model(check_leaks);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ThModel *m = bound(others[i][0], others[i][1], TH_TARGET_EVERY, SYMBOLS);
        check_leaks(m, others[i][1]);
        th_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_sinusoidal_values),
        cmocka_unit_test(test_learned_values),
        cmocka_unit_test(test_alibi_values),
        cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
