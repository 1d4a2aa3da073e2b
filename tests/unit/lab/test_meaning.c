/* auxiliary_loss= of pairs: what the head is asked, by reading formulas once more; how much of it
 * moves the model, by differences along its way; and a training that goes on with the same head.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formulas.h"
#include "given.h"
#include "lab/train_impl.h"

enum { DIM = 8, NUMBERS = 64, BATCH = 3, HEAD = 3 }; /* HEAD: what stands before it in a file */

typedef struct {
    ThTask *t;
    ThModel *m;
    ThTrainer *tr;
} Given;

static Given given(const char *settings, int threads)
{
    Given g = {made_task("logical_inference", "count=4000 operators=1..4", NULL),
               made_model("encoder", "dim=8 heads=2 layers=1"), NULL};
    ThOptions o;
    set_all(&o, th_train_options, settings);
    assert_non_null(g.tr = th_trainer_new(g.m, g.t, &o, threads, NULL));
    th_options_free(&o);
    return g;
}

static void release(Given *g)
{
    th_trainer_free(g->tr);
    th_model_free(g->m);
    th_task_free(g->t);
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* How many beginnings of a pair are pairs; fills what the longest of these says. */
static int read_beginnings(const ThTask *t, ThTaskWord pair, float side[2][NUMBERS])
{
    int count = 0;
    for (int n = 0; n <= pair.n; n++)
        count += t->kind->meaning(t, (ThTaskWord){pair.token, n}, side[0], side[1]);
    return count;
}

static void test_truth_tables(void **state)
{
    (void)state;
    ThTask *t = made_task("logical_inference", "split=test count=6000", NULL);
    ThTaskRows rows = {TH_TASK_TEST, 1, 1000000};
    ThBatch b = {.B = (int)th_task_count(t, &rows)};
    assert_true(b.B > 50 && t->kind->n_meaning == NUMBERS);
    assert_true(th_task_take(t, &rows, NULL, 0, &b, NULL));
    for (int i = 0; i < b.B; i++) {
        float side[2][NUMBERS];
        ThTaskWord pair = {th_batch_token(&b, i), th_batch_length(&b, i)};
        assert_int_equal(read_beginnings(t, pair, side), 1);
        for (int k = 0; k < NUMBERS; k++) {
            const int *at = pair.token;
            int operators = 0;
            assert_true((side[0][k] == 1) == formula_holds(&at, k, &operators));
            at++;
            assert_true((side[1][k] == 1) == formula_holds(&at, k, &operators));
        }
    }
    th_batch_free(&b);
    th_task_free(t);
}

/* ---- the slope ------------------------------------------------------------------------------- */

/* The mean cross-entropy of what a head says of both sides of the pairs that the trainer drew. */
static double told(const Given *g, const double *head)
{
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &g->m->params, NULL);
    const ThBatch *b = &g->tr->batch;
    double loss = 0;
    assert_non_null(t);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    assert_true(th_model_forward(g->m, t, b, &(ThModelForward){0}) >= 0);
    ThVar read = th_tape_find(t, "sentence", -1);
    assert_true(th_tape_rows(t, read) == 2 * b->B && th_tape_cols(t, read) == DIM);
    for (int i = 0; i < BATCH; i++) { /* what has joined them is no pair */
        const int *at = th_batch_token(b, i);
        for (int side = 0; side < 2; side++) {
            const int *first = at;
            int operators = 0;
            for (int k = 0; k < NUMBERS; k++) {
                double z = head[DIM * NUMBERS + k];
                for (int d = 0; d < DIM; d++)
                    z += th_tape_at(t, read, (size_t)((side * b->B + i) * DIM + d)) *
                         head[d * NUMBERS + k];
                at = first;
                loss += log1p(exp(formula_holds(&at, k, &operators) ? -z : z));
            }
            at++;
        }
    }
    th_tape_free(t);
    return loss / (2 * b->B * NUMBERS);
}

/* One formula where there should be two joins every batch. */
static void join_formula(Given *g)
{
    ThBatch *b = &g->m->training.joined;
    b->B = b->T = 1;
    assert_true(th_batch_reserve(b, &g->t->signature, 1, NULL));
    *th_batch_token(b, 0) = 2;
    *th_batch_target(&g->t->signature, b, 0) = 0;
    g->tr->joins = true;
}

/* What it adds to a step by plain gradient descent is its own slope: along this way its loss falls
 * as fast as the way is long. */
static void check_slope(int threads, bool joined)
{
    const double rate = 0.05, weight = 30, h = 0.02;
    const char *rest = "batch=3 steps=9 optimizer=sgd momentum=0 clip=0 seed=3 lr=0.05";
    char with[200];
    snprintf(with, sizeof with, "%s auxiliary_loss=30", rest);
    Given a = given(with, threads), b = given(rest, threads);
    if (joined) {
        join_formula(&a);
        join_formula(&b);
    }
    size_t n = a.m->params.total;
    double *way = calloc(n, sizeof *way), length = 0, loss[2];
    float *before = malloc(n * sizeof *before);
    assert_true(th_trainer_step(a.tr, NULL) && th_trainer_step(b.tr, NULL));
    assert_memory_equal(a.m->params.value, b.m->params.value, n * sizeof *before);
    memcpy(before, a.m->params.value, n * sizeof *before);
    double head[DIM * NUMBERS + NUMBERS];
    assert_int_equal(a.m->training.n_pull, HEAD + 3 * sizeof head / sizeof *head);
    memcpy(head, a.m->training.pull + HEAD, sizeof head);
    assert_true(th_trainer_step(a.tr, NULL) && th_trainer_step(b.tr, NULL));
    for (size_t i = 0; i < n; i++) {
        way[i] = (double)a.m->params.value[i] - (double)b.m->params.value[i];
        length += way[i] * way[i];
    }
    assert_true(length > 1e-8);
    for (int side = 0; side < 2; side++) {
        double by = (side ? h : -h) / sqrt(length);
        for (size_t i = 0; i < n; i++)
            a.m->params.value[i] = (float)((double)before[i] + by * way[i]);
        loss[side] = weight * told(&a, head);
    }
    double slope = (loss[1] - loss[0]) / (2 * h), wanted = -sqrt(length) / rate;
    if (!(fabs(slope / wanted - 1) < 0.02))
        fail_msg("the slope is %g, and the step says %g", slope, wanted);
    free(way);
    free(before);
    release(&a);
    release(&b);
}

static void test_slope(void **state)
{
    (void)state;
    check_slope(1, false);
    check_slope(3, false);
    check_slope(1, true);
}

/* ---- going on -------------------------------------------------------------------------------- */

/* Another trainer of the same model goes on with the same head, of which Adam knows as much. */
static void test_goes_on(void **state)
{
    (void)state;
    const char *settings = "batch=3 steps=8 auxiliary_loss=2 seed=4";
    Given a = given(settings, 1), b = given(settings, 1);
    for (int i = 0; i < 8; i++) {
        if (i == 5) {
            ThOptions o;
            th_trainer_free(b.tr);
            set_all(&o, th_train_options, "batch=3 steps=3 auxiliary_loss=2 seed=4");
            assert_non_null(b.tr = th_trainer_new(b.m, b.t, &o, 1, NULL));
            th_options_free(&o);
            th_trainer_resume(b.tr);
        }
        assert_true(th_trainer_step(a.tr, NULL) && th_trainer_step(b.tr, NULL));
        assert_memory_equal(a.m->training.pull, b.m->training.pull,
                            a.m->training.n_pull * sizeof *a.m->training.pull);
        assert_memory_equal(a.m->params.value, b.m->params.value,
                            a.m->params.total * sizeof *a.m->params.value);
    }
    release(&a);
    release(&b);
}

static void test_refusals(void **state)
{
    (void)state;
    ThTask *t = made_task("logical_inference", "count=4000 operators=1..4", NULL);
    ThModel *m = made_model("rnn", "");
    ThOptions o;
    ThError err = {0};
    set_all(&o, th_train_options, "auxiliary_loss=1");
    assert_null(th_trainer_new(m, t, &o, 1, &err));
    assert_string_equal(err.msg, "auxiliary_loss= asks what each side of a pair says, and rnn does "
                                 "not read them apart");
    th_options_free(&o);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth_tables),
                                       cmocka_unit_test(test_slope), cmocka_unit_test(test_goes_on),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("meaning", tests, NULL, NULL);
}
