/* What a session allows a model: it can be stopped within a step, and takes no more memory than it
 * may; both leave it as after the last finished step. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "base/memory.h"
#include "inspect/receptive_field.h"
#include "lab/evaluate.h"
#include "lab/train.h"
#include "tensor/kernels/blas.h"

static volatile sig_atomic_t stop;

static void on_alarm(int sig)
{
    (void)sig;
    stop = 1;
}

/* From now on in some milliseconds; 0: not at all. */
static void stop_soon(int milliseconds)
{
    struct itimerval timer = {.it_value.tv_usec = milliseconds * 1000};
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    stop = 0;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ThTask *make_task(void)
{
    ThOptions o = {0};
    ThError err = {0};
    assert_true(th_options_init(&o, th_task_kind("parity")->options, &err));
    ThTask *t = th_task_new(th_task_kind("parity"), &o, NULL, &err);
    th_options_free(&o);
    assert_non_null(t);
    return t;
}

static void set(ThOptions *o, const char *name, const char *value)
{
    ThError err = {0};
    if (!th_options_set(o, name, value, &err))
        fail_msg("%s", err.msg);
}

static ThModel *make_model(const char *kind, const char *dim, const ThTapeBounds *bounds)
{
    ThOptions o = {0};
    ThError err = {0};
    assert_true(th_options_init(&o, th_model_kind(kind)->options, &err));
    set(&o, "dim", dim);
    ThModel *m = th_model_new(th_model_kind(kind), &o, &err);
    th_options_free(&o);
    assert_non_null(m);
    m->bounds = bounds;
    return m;
}

static ThTrainer *make_trainer(ThModel *m, const ThTask *t, const char *length, const char *batch,
                               ThError *err)
{
    ThOptions o = {0};
    assert_true(th_options_init(&o, th_train_options, err));
    set(&o, "length", length);
    set(&o, "batch", batch);
    ThTrainer *tr = th_trainer_new(m, t, &o, 2, err);
    th_options_free(&o);
    return tr;
}

static void step(ThTrainer *tr)
{
    ThError err = {0};
    if (!th_trainer_step(tr, &err))
        fail_msg("%s", err.msg);
}

/* Three steps, of which the last is stopped after some milliseconds, as often as it takes; the same
 * as three steps. */
static void test_stopped_step(void **state)
{
    (void)state;
    static const char *const kinds[] = {"regulargpt", "transformer", "lstm"};
    ThTapeBounds bounds = {.stop = &stop};
    ThTask *t = make_task();
    for (int k = 0; k < 3; k++) {
        ThError err = {0};
        ThModel *plain = make_model(kinds[k], "16", NULL), *m = make_model(kinds[k], "16", &bounds);
        ThTrainer *a = make_trainer(plain, t, "40", "64", &err);
        ThTrainer *b = make_trainer(m, t, "40", "64", &err);
        for (int i = 0; i < 3; i++)
            step(a);
        step(b);
        step(b);
        stop = 1;
        assert_false(th_trainer_step(b, &err));
        assert_int_equal(err.code, TH_EINTERRUPTED);
        assert_int_equal(m->training.step, 2);
        for (int i = 1; i < 6 && m->training.step == 2; i++) {
            stop_soon(i);
            th_trainer_step(b, NULL);
        }
        stop_soon(0);
        if (m->training.step == 2)
            step(b);
        assert_memory_equal(plain->params.value, m->params.value, m->params.total * sizeof(float));
        th_trainer_free(a);
        th_trainer_free(b);
        th_model_free(plain);
        th_model_free(m);
    }
    th_task_free(t);
}

/* A model that was never trained stays without an alphabet. */
static void test_first_step(void **state)
{
    (void)state;
    ThTapeBounds bounds = {.stop = &stop};
    ThTask *t = make_task();
    ThError err = {0};
    ThModel *m = make_model("gru", "16", &bounds);
    ThTrainer *tr = make_trainer(m, t, "100000", "1", &err);
    double started = seconds();
    stop_soon(20);
    assert_false(th_trainer_step(tr, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_true(seconds() - started < 1);
    th_trainer_free(tr);
    assert_false(m->bound);
    stop = 1;
    err = (ThError){0};
    assert_null(make_trainer(m, t, "40", "1", &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_false(m->bound);
    th_model_free(m);
    th_task_free(t);
}

static void test_stopped_inspections(void **state)
{
    (void)state;
    ThTapeBounds bounds = {.stop = &stop};
    ThTask *t = make_task();
    ThError err = {0};
    stop = 0;
    ThModel *m = make_model("lstm", "32", &bounds);
    ThTrainer *tr = make_trainer(m, t, "4", "1", &err);
    step(tr);
    th_trainer_free(tr);
    ThEvaluator *e = th_evaluator_new(m, t, 1, 1, &err);
    ThScore score;
    double started = seconds();
    stop_soon(20);
    assert_false(th_evaluator_length(e, 100000, 16, &score, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    stop_soon(20);
    assert_null(th_field(m, t, 50000, 1, 1, NULL, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    stop_soon(20);
    assert_null(th_gradcheck(m, t, &(ThGradcheckShape){1000, 100, 10, 1}, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_true(seconds() - started < 3);
    assert_true(m->bound);
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(t);
}

static void test_memory(void **state)
{
    (void)state;
    static const ThTapeBounds bounds = {.memory = 32 << 20};
    ThTask *t = make_task();
    ThError err = {0};
    ThModel *wide = make_model("gru", "65536", &bounds), *m = make_model("gru", "64", &bounds);
    assert_null(make_trainer(wide, t, "4", "1", &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_false(wide->bound);
    err = (ThError){0};
    assert_null(make_trainer(m, t, "1..100000", "1000", &err)); /* before it draws the long ones */
    assert_int_equal(err.code, TH_ELIMIT);
    assert_false(m->bound);
    err = (ThError){0};
    ThTrainer *tr = make_trainer(m, t, "100", "2000", &err);
    assert_non_null(tr);
    assert_false(th_trainer_step(tr, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_true(th_trainer_bytes(tr) < 40 << 20);
    th_trainer_free(tr);
    tr = make_trainer(m, t, "10", "20", &err);
    step(tr);
    th_trainer_free(tr);
    th_model_free(wide);
    th_model_free(m);
    th_task_free(t);
}

static void test_arena_limit(void **state)
{
    (void)state;
    ThArena *a = th_arena_new(NULL);
    th_arena_limit(a, 1 << 20);
    assert_non_null(th_arena_take(a, 1000000, 1));
    assert_null(th_arena_take(a, 1000000, 1));
    assert_true(th_arena_bytes(a) <= 1 << 20);
    th_arena_reset(a);
    assert_non_null(th_arena_take(a, 1000000, 1));
    th_arena_limit(a, 0);
    assert_non_null(th_arena_take(a, 1000000, 1));
    th_arena_free(a);
}

/* A product that takes long comes in parts: the same numbers, and none once work is to stop. */
static void long_products(void **state)
{
    (void)state;
    enum { M = 300, N = 2048, K = 2048 };
    static ThBlasProduct *const product[] = {th_blas_gemm_nn, th_blas_gemm_nt, th_blas_gemm_tn};
    ThStop go_on = 0, ended = 1;
    ThBlasGemm g = {M, N, K, K, N, N, 0};
    float *a = calloc((size_t)M * K, sizeof *a), *b = calloc((size_t)K * N, sizeof *b);
    float *c = calloc((size_t)M * N, sizeof *c), *d = calloc((size_t)M * N, sizeof *d);
    assert_true(a && b && c && d);
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i % 5 - 2);
    for (int p = 0; p < 3; p++) {
        g.lda = p == 2 ? M : K;
        product[p](&g, a, b, c);
        th_blas_gemm_stopping(product[p], &g, a, b, d, &go_on);
        assert_memory_equal(c, d, (size_t)M * N * sizeof *c); /* small integers are exact */
    }
    memset(d, 0, (size_t)M * N * sizeof *d);
    th_blas_gemm_stopping(th_blas_gemm_nn, &g, a, b, d, &ended);
    for (int i = 0; i < M * N; i++)
        assert_true(d[i] == 0);
    free(a);
    free(b);
    free(c);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_products),   cmocka_unit_test(test_stopped_step),
        cmocka_unit_test(test_first_step), cmocka_unit_test(test_stopped_inspections),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_arena_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
