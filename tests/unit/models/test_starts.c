/* What parameters begin with where a paper says so, and positions that are drawn where there is but
 * one way to draw them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"
#include "lab/evaluate.h"

static ThModel *fresh(const char *kind, const char *settings)
{
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model(kind, settings);
    assert_true(th_model_bind(m, &t->signature, 3, NULL));
    th_task_free(t);
    return m;
}

static const float *param_of(const ThModel *m, const char *name, int *rows, int *cols)
{
    int i = th_params_find(&m->params, name);
    assert_true(i >= 0);
    *rows = m->params.item[i].rows;
    *cols = m->params.item[i].cols;
    return th_params_at(&m->params, i);
}

/* Mamba (Gu and Dao 2023, appendix and code): A = -1, -2, …, one for each number of a channel's
 * state; time steps log-uniform from 0.001 to 0.1. */
static void test_mamba(void **state)
{
    (void)state;
    int rows, cols;
    ThModel *m = fresh("mamba", "dim=200 layers=1 state=5");
    const float *decay = param_of(m, "layer0.decay", &rows, &cols);
    assert_true(rows == 5 && cols == 400);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < cols; k++)
            assert_true(fabs(exp((double)decay[i * cols + k]) - (i + 1)) < 1e-5);
    const float *time = param_of(m, "layer0.time_bias", &rows, &cols);
    double below = 0, least = 1, greatest = 0;
    for (int k = 0; k < rows * cols; k++) {
        double step = log1p(exp((double)time[k]));
        least = fmin(least, step);
        greatest = fmax(greatest, step);
        below += step < 0.01 ? 1.0 / (rows * cols) : 0;
    }
    assert_true(least >= 0.000999 && least < 0.0012 && greatest <= 0.1001 && greatest > 0.085);
    assert_true(fabs(below - 0.5) < 0.1);
    th_model_free(m);
}

/* KERPLE: the scale begins up to 2 (as a size; its sign means nothing), the rate up to 1. */
static void test_kerple(void **state)
{
    (void)state;
    static const char *const names[] = {"position.scale", "position.rate"};
    ThModel *m = fresh("transformer", "dim=64 heads=64 layers=1 position=kerple");
    for (int i = 0; i < 2; i++) {
        int rows, cols;
        const float *x = param_of(m, names[i], &rows, &cols);
        double most = i == 0 ? 2 : 1, greatest = 0, mean = 0;
        for (int k = 0; k < rows * cols; k++) {
            greatest = fmax(greatest, fabs((double)x[k]));
            mean += fabs((double)x[k]) / (rows * cols);
        }
        assert_true(rows * cols == 64 && greatest <= most && greatest > 0.85 * most);
        assert_true(fabs(mean - most / 2) < 0.15 * most);
    }
    th_model_free(m);
}

/* As many positions as there are symbols leave one way to draw them: 0, 1, 2, …; the model is that
 * without drawing. */
static void test_drawn_positions(void **state)
{
    (void)state;
    enum { T = 9, CLASSES = 5 };
    static const char *const kinds[][2] = {
        {"sinusoidal", ""}, {"alibi", ""},  {"rope", ""}, {"hard_alibi", "masked=3"},
        {"t5", ""},         {"kerple", ""}, {"fire", ""}, {"hard_alibi", "masked=4 windowed=1"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char plain[160], drawn[160];
        const char *shape = "dim=16 heads=4 layers=2 causal=yes";
        snprintf(plain, sizeof plain, "%s position=%s%s%s", shape, kinds[i][0],
                 *kinds[i][1] ? " " : "", kinds[i][1]);
        snprintf(drawn, sizeof drawn, "%s position=random longest=%d over=%s%s%s", shape, T,
                 kinds[i][0], *kinds[i][1] ? " " : "", kinds[i][1]);
        ThModel *a = bound("transformer", plain, TH_TARGET_EVERY, CLASSES),
                *b = bound("transformer", drawn, TH_TARGET_EVERY, CLASSES);
        int word[T];
        double x[T * CLASSES], y[T * CLASSES], apart = 0;
        ThRng r = th_rng(2, "test.words", i);
        for (int k = 0; k < T; k++)
            word[k] = below(&r, CLASSES);
        assert_true(th_lab_logits(a, word, T, x, NULL) && th_lab_logits(b, word, T, y, NULL));
        for (int k = 0; k < T * CLASSES; k++)
            apart = fmax(apart, fabs(x[k] - y[k]));
        if (!(apart < 1e-4))
            fail_msg("%s: %g", drawn, apart);
        th_model_free(a);
        th_model_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mamba), cmocka_unit_test(test_kerple),
                                       cmocka_unit_test(test_drawn_positions)};
    return cmocka_run_group_tests_name("starts", tests, NULL, NULL);
}
