/* Linear recurrences: answers by plain loops, S4D's by its convolution, the sizes of the papers,
 * and what holds for every architecture. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "plain.h"
#include "recurrences.h"
#include "whole.h"

#include "plain_linear.h"

/* ---- plain loops ---- */

static int word[LENGTH] = {3, 0, 1, 1, 2, 0, 2, 3, 0};

static void plain_answers(const ThModel *m, PlainLayer *run, double z[LENGTH][SYMBOLS])
{
    double x[LENGTH][DIM], u[LENGTH][DIM], y[LENGTH][DIM], up[DIM];
    int layers = (int)th_option_int(&m->options, "layers");
    bool after = strcmp(m->kind->name, "pd_ssm") == 0; /* norms, and nothing around layers */
    for (int i = 0; i < LENGTH; i++)
        for (int k = 0; k < DIM; k++)
            x[i][k] = (double)find(m, "", "embedding")[word[i] * DIM + k];
    for (int layer = 0; layer < layers; layer++) {
        char name[24];
        snprintf(name, sizeof name, "layer%d.", layer);
        for (int i = 0; i < LENGTH; i++)
            if (after)
                memcpy(u[i], x[i], sizeof u[i]);
            else
                normalise(m, name, "norm", x[i], DIM, u[i]);
        run(m, name, u, y);
        for (int i = 0; i < LENGTH; i++)
            for (int k = 0; k < DIM; k++)
                x[i][k] = y[i][k] + (layer < layers - 1 ? x[i][k] : 0);
        for (int i = 0; after && i < LENGTH; i++)
            normalise(m, name, "norm", y[i], DIM, x[i]);
    }
    for (int i = 0; after && i < LENGTH; i++)
        affine(m, "", "answer", x[i], DIM, SYMBOLS, z[i]);
    for (int i = 0; !after && i < LENGTH; i++) {
        normalise(m, "", "final_norm", x[i], DIM, u[i]);
        affine(m, "", "head", u[i], DIM, DIM, up);
        rectify(up, DIM);
        affine(m, "", "answer", up, DIM, SYMBOLS, z[i]);
    }
}

static void check_answers(const char *kind, const char *settings, PlainLayer *run)
{
    for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_EVERY; target++) {
        ThError err = {0};
        ThModel *m = bound(kind, settings, target, SYMBOLS);
        double expected[LENGTH][SYMBOLS], z[LENGTH * SYMBOLS];
        int rows = target == TH_TARGET_FINAL ? 1 : LENGTH;
        ThBatch b = {.B = 1, .T = LENGTH, .token = word};
        plain_answers(m, run, expected);
        for (int mode = 0; mode < 4; mode++) {
            ThTape *t = th_tape_new(mode & 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, &m->params, &err);
            int n = logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, mode & 2, z, NULL);
            assert_int_equal(n, rows);
            for (int i = 0; i < rows * SYMBOLS; i++) {
                double value = expected[LENGTH - rows + i / SYMBOLS][i % SYMBOLS];
                if (!(fabs(z[i] - value) <= (mode & 1 ? 1e-12 : 1e-4)))
                    fail_msg("%s %s, %d: %.14g is not %.14g", kind, settings, i, z[i], value);
            }
            th_tape_free(t);
        }
        th_model_free(m);
    }
}

static void test_answers(void **state)
{
    (void)state;
    check_answers("lrnn", "dim=6 block=3", plain_lrnn);
    check_answers("lrnn", "dim=6 block=3 layers=3 norm=paper", plain_lrnn);
    check_answers("lru", "dim=6 state=5 layers=2", plain_lru);
    check_answers("s4d", "dim=6 state=4 layers=2", plain_s4d);
    check_answers("s4", "dim=6 state=4 layers=2", plain_s4);
    check_answers("liquid_s4", "dim=6 state=4 layers=2", plain_s4);
    check_answers("mamba", "dim=6 state=3 layers=2", plain_mamba);
    check_answers("mamba", "dim=6 state=3 eigenvalues=signed", plain_mamba);
    check_answers("deltanet", "dim=6 heads=2 layers=2", plain_delta);
    check_answers("deltaproduct", "dim=6 heads=2", plain_delta);
    check_answers("pd_ssm", "dim=6 state=3 dictionary=2 layers=2", plain_pd);
    check_answers("pd_ssm", "dim=6 state=3 dictionary=2 one_hot=row", plain_pd);
}

/* ---- what holds for every architecture ---- */

static void for_each_model(EachModel *each)
{
    for (size_t i = 0; i < RECURRENCES; i++) {
        for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_BITS; target++) {
            ThModel *m = bound(recurrences[i][0], recurrences[i][1], target, SYMBOLS);
            each(m, recurrences[i][1]);
            th_model_free(m);
        }
    }
}

static void test_ragged(void **state)
{
    (void)state;
    for_each_model(check_ragged);
}

static void test_gradients(void **state)
{
    (void)state;
    for_each_model(check_gradient);
}

static void test_leaks(void **state)
{
    (void)state;
    for_each_model(check_leaks);
}

/* ---- sizes and beginnings ---- */

/* A model whose parameters are drawn as training begins. */
static ThModel *fresh(const char *kind, const char *option, const char *value, int symbols,
                      int classes)
{
    static char names[8][2] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    char *name[8];
    for (int i = 0; i < 8; i++)
        name[i] = names[i];
    ThError err = {0};
    ThOptions o = {0};
    ThSignature s = {.target = TH_TARGET_EVERY,
                     .n_symbols = symbols,
                     .n_classes = classes,
                     .symbol = name,
                     .label = name};
    assert_true(th_options_init(&o, th_model_kind(kind)->options, &err));
    assert_true(th_options_set(&o, option, value, &err));
    ThModel *m = th_model_new(th_model_kind(kind), &o, &err);
    th_options_free(&o);
    assert_non_null(m);
    assert_true(th_model_bind(m, &s, 1, &err));
    return m;
}

static void assert_numbers(const char *layers, int symbols, int classes, size_t numbers)
{
    ThModel *m = fresh("lrnn", "layers", layers, symbols, classes);
    assert_int_equal(th_params_count(&m->params), numbers);
    th_model_free(m);
}

/* The numbers of parameters of the released code: sum, even pair, modular arithmetic. */
static void test_sizes(void **state)
{
    (void)state;
    assert_numbers("1", 5, 5, 309381);
    assert_numbers("1", 5, 2, 309186);
    assert_numbers("3", 8, 5, 918469);
}

static void test_beginnings(void **state)
{
    (void)state;
    ThModel *m = fresh("lru", "state", "2000", 4, 4);
    const float *size = find(m, "layer0.", "size"), *phase = find(m, "layer0.", "phase");
    double below = 0, mean = 0, turn = 0;
    for (int k = 0; k < 2000; k++) {
        double square = exp(-2 * exp((double)size[k]));
        assert_true(square >= 0 && square < 1);
        below += square < 0.25 ? 1.0 / 2000 : 0;
        mean += square / 2000;
        turn += exp((double)phase[k]) / 2000;
    }
    assert_true(fabs(below - 0.25) < 0.04 && fabs(mean - 0.5) < 0.03);
    assert_true(fabs(turn - acos(-1)) < 0.2);
    th_model_free(m);
    m = fresh("s4d", "dim", "300", 4, 4);
    double least = 1, greatest = 0;
    for (int c = 0; c < 300; c++) {
        double step = exp((double)find(m, "layer0.", "step")[c]);
        least = fmin(least, step);
        greatest = fmax(greatest, step);
        assert_true(fabs((double)find(m, "layer0.", "frequency")[c * 32 + 7] - 7 * acos(-1)) <
                    1e-5);
        assert_true(fabs(exp((double)find(m, "layer0.", "decay")[c * 32 + 7]) - 0.5) < 1e-6);
    }
    assert_true(least >= 0.001 && least < 0.0015 && greatest <= 0.1 && greatest > 0.07);
    th_model_free(m);
}

/* S4 begins as HiPPO-LegS, whose matrix has the eigenvalues -1, -2, …, -N: Λ - P P* has them where
 * 1 = Σ |P|²/(Λ - eigenvalue).  And its N columns have B = √(2i+1), so that |B|² is N². */
static void test_hippo(void **state)
{
    (void)state;
    ThModel *m = fresh("s4", "state", "64", 4, 4);
    const float *w = find(m, "layer0.", "frequency"), *p = find(m, "layer0.", "rank_one.real"),
                *b = find(m, "layer0.", "input.real");
    for (int eigenvalue = 1; eigenvalue <= 64; eigenvalue++) {
        double complex sum = 0;
        double length = 0;
        for (int k = 0; k < 32; k++) {
            double complex lambda = -0.5 + (double complex)I * (double)w[k];
            sum += pow((double)p[k], 2) *
                   (1 / (lambda + eigenvalue) + 1 / (conj(lambda) + eigenvalue));
            length += 2 * pow((double)b[k], 2);
        }
        if (!(cabs(sum - 1) < 1e-4 && fabs(length - 64 * 64) < 0.01))
            fail_msg("-%d: %g, %g", eigenvalue, cabs(sum - 1), length);
    }
    assert_int_equal(th_params_count(&m->params),
                     24832 + 2 * 4 * 64 + 64 * 64 + 64 + 64 * 4 + 4 - 4 * 64 + 4 * 64);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),   cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_gradients), cmocka_unit_test(test_leaks),
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_hippo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
