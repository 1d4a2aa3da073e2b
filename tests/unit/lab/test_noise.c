/* The noise of training: independent everywhere, another one in every step, and added where the
 * manual says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "lab/train.h"

static void set_range(ThModel *m, double deviation)
{
    ThRng r = th_rng(1, "test.parameters", 0);
    for (size_t i = 0; i < m->params.total; i++)
        m->params.value[i] = (float)(deviation * th_rng_normal(&r));
}

/* ---- the numbers ----------------------------------------------------------------------------- */

enum { ROWS = 128, COLS = 160, N = ROWS * COLS };

static double noise[N];

/* The noise that an operation adds to zeros, and as much again from the same stream. */
static void draw(ThTapePrecision precision, ThRng *r, double *to)
{
    ThParams p = {0};
    th_params_add(&p, "x", ROWS, COLS, TH_INIT_ZERO, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    ThTape *t = th_tape_new(precision, &p, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_tape_read(t, th_op_noise(t, th_param(t, 0), 1, r), to);
    th_tape_free(t);
    th_params_free(&p);
}

/* The correlation of numbers, and of their squares, with those `lag` places further on. */
static void check_lag(const double *x, int lag)
{
    double product = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double a = x[i], b = x[(i + lag) % N];
        product += a * b / N;
        squares += (a * a - 1) * (b * b - 1) / (2.0 * N);
    }
    /* Seven standard deviations, and the tails of squares. */
    if (fabs(product) > 7 / sqrt(N) || fabs(squares) > 0.1)
        fail_msg("noise and noise %d places on correlate: %g, squares %g", lag, product, squares);
}

static void test_numbers_are_independent(void **state)
{
    (void)state;
    static const int lags[] = {1, 2, 3, 4, 8, 16, COLS, 2 * COLS, N / 2, N / 4, N / 2 - 1};
    static double again[N];
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThRng r = th_rng(7, "test.noise", 0);
        draw(precision, &r, noise);
        for (size_t k = 0; k < sizeof lags / sizeof *lags; k++)
            check_lag(noise, lags[k]);
        draw(precision, &r, again);
        double product = 0;
        for (int i = 0; i < N; i++)
            product += noise[i] * again[i] / N;
        assert_true(fabs(product) < 7 / sqrt(N));
    }
}

/* Of an odd number of values the last one, which has no partner, is as random as the others. */
static void test_odd_numbers(void **state)
{
    (void)state;
    enum { DRAWS = 600, SIZE = 15 };
    ThParams p = {0};
    th_params_add(&p, "x", 3, 5, TH_INIT_ZERO, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    ThRng r = th_rng(8, "test.noise", 0);
    double square[SIZE] = {0}, x[SIZE];
    for (int i = 0; i < DRAWS; i++) {
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        th_tape_read(t, th_op_noise(t, th_param(t, 0), 1, &r), x);
        for (int k = 0; k < SIZE; k++)
            square[k] += x[k] * x[k] / DRAWS;
    }
    for (int k = 0; k < SIZE; k++)
        if (!(fabs(square[k] - 1) < 6 * sqrt(2.0 / DRAWS)))
            fail_msg("value %d has a variance of %g", k, square[k]);
    th_tape_free(t);
    th_params_free(&p);
}

/* ---- where it is added ----------------------------------------------------------------------- */

enum { DIM = 32, LENGTH = 64, LEVELS = 6 };

/* The state after a stage, (rows, DIM); returns the number of rows. */
static int state_after(const ThModel *m, double deviation, int stage, double *to)
{
    int token[LENGTH];
    ThRng words = th_rng(2, "test.words", 0), r = th_rng(3, "test.noise", 1);
    for (int i = 0; i < LENGTH; i++)
        token[i] = below(&words, 2);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_model_forward(m, t, &(ThBatch){.B = 1, .T = LENGTH, .token = token},
                     &(ThModelForward){.share = false, .noise = deviation, .rng = &r});
    assert_true(th_tape_ok(t, NULL));
    ThVar v = th_tape_find(t, "state", stage);
    assert_true(v >= 0);
    int rows = th_tape_rows(t, v);
    assert_true(th_tape_cols(t, v) == DIM && rows <= LENGTH);
    th_tape_read(t, v, to);
    th_tape_free(t);
    return rows;
}

/* With two layers in each level the first of them gets none, and the second one's vectors each
 * their own. */
static void test_noise_ends_a_level(void **state)
{
    (void)state;
    static double plain[LENGTH * DIM], noisy[LENGTH * DIM];
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=32 heads=2 thickness=2");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    set_range(m, 0.5);
    int n = state_after(m, 0, 0, plain) * DIM;
    assert_int_equal(state_after(m, 0.25, 0, noisy) * DIM, n);
    for (int i = 0; i < n; i++)
        assert_true(plain[i] == noisy[i]);
    n = state_after(m, 0, 1, plain) * DIM;
    assert_int_equal(state_after(m, 0.25, 1, noisy) * DIM, n);
    double square = 0, neighbours = 0, columns = 0;
    for (int i = 0; i < n; i++) {
        double x = (noisy[i] - plain[i]) / 0.25, y = noisy[(i + DIM) % n] - plain[(i + DIM) % n];
        square += x * x / n;
        neighbours += x * y / 0.25 / n;
        columns += x * (noisy[(i + 1) % n] - plain[(i + 1) % n]) / 0.25 / n;
    }
    assert_true(fabs(square - 1) < 7 * sqrt(2.0 / n));
    assert_true(fabs(neighbours) < 7 / sqrt(n) && fabs(columns) < 7 / sqrt(n));
    th_model_free(m);
    th_task_free(t);
}

/* A layer is a level of a Transformer. */
static void test_noise_of_every_layer(void **state)
{
    (void)state;
    static double plain[LENGTH * DIM], noisy[LENGTH * DIM];
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("transformer", "dim=32 heads=2 layers=2");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    int n = state_after(m, 0, 0, plain) * DIM;
    assert_int_equal(state_after(m, 0.25, 0, noisy) * DIM, n);
    double square = 0;
    for (int i = 0; i < n; i++)
        square += pow((noisy[i] - plain[i]) / 0.25, 2) / n;
    assert_true(fabs(square - 1) < 7 * sqrt(2.0 / n));
    th_model_free(m);
    th_task_free(t);
}

/* ---- in training ----------------------------------------------------------------------------- */

/* Strings of one symbol that are all the same, so that steps and shards differ by nothing but
 * noise. */
static ThModel *model_of_one_word(ThTask **t)
{
    *t = made_task("parity", "probability=1", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    assert_true(th_model_bind(m, &(*t)->signature, 1, NULL));
    set_range(m, 0.5);
    return m;
}

/* Does some steps on a copy of m and returns how far the last one moved it, as a new array of
 * params.total numbers. */
static float *moved_by(const ThModel *m, const ThTask *t, const char *settings, int threads)
{
    ThOptions o;
    ThModel *copy = th_model_copy(m, NULL);
    float *by = calloc(m->params.total, sizeof *by);
    char full[200];
    snprintf(full, sizeof full, "steps=1 optimizer=sgd clip=0 momentum=0 length=1 batch=4 lr=1 %s",
             settings);
    set_all(&o, th_train_options, full);
    ThTrainer *tr = th_trainer_new(copy, t, &o, threads, NULL);
    assert_non_null(tr);
    assert_true(th_trainer_step(tr, NULL));
    for (size_t i = 0; i < m->params.total; i++)
        by[i] = copy->params.value[i] - m->params.value[i];
    th_trainer_free(tr);
    th_options_free(&o);
    th_model_free(copy);
    return by;
}

static double apart(float *a, float *b, size_t n)
{
    double sum = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        sum += pow((double)a[i] - (double)b[i], 2);
        size += pow((double)a[i], 2);
    }
    free(a);
    free(b);
    return sqrt(sum / size);
}

static void test_noise_of_another_step(void **state)
{
    (void)state;
    ThTask *t;
    ThModel *m = model_of_one_word(&t);
    ThModel *later = th_model_copy(m, NULL);
    size_t n = m->params.total;
    later->training.step = 1;
    assert_true(apart(moved_by(m, t, "", 1), moved_by(later, t, "", 1), n) == 0);
    assert_true(apart(moved_by(m, t, "noise=1", 1), moved_by(m, t, "noise=1", 1), n) == 0);
    assert_true(apart(moved_by(m, t, "noise=1", 1), moved_by(later, t, "noise=1", 1), n) > 0.01);
    assert_true(apart(moved_by(m, t, "noise=1", 1), moved_by(m, t, "noise=1 seed=5", 1), n) > 0.01);
    th_model_free(m);
    th_model_free(later);
    th_task_free(t);
}

/* Were the threads' noise the same, two of them would do what one does. */
static void test_noise_of_another_thread(void **state)
{
    (void)state;
    ThTask *t;
    ThModel *m = model_of_one_word(&t);
    size_t n = m->params.total;
    assert_true(apart(moved_by(m, t, "", 1), moved_by(m, t, "", 2), n) < 1e-5);
    assert_true(apart(moved_by(m, t, "noise=1", 1), moved_by(m, t, "noise=1", 2), n) > 0.01);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_independent),
        cmocka_unit_test(test_odd_numbers),
        cmocka_unit_test(test_noise_ends_a_level),
        cmocka_unit_test(test_noise_of_every_layer),
        cmocka_unit_test(test_noise_of_another_step),
        cmocka_unit_test(test_noise_of_another_thread),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
