/* What is counted as right, and what the figures of an evaluation depend on. */
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
#include "lab/evaluate.h"
#include "lab/train.h"

static const char even_b[] = "alphabet a b; start e; accept e; e a -> e; e b -> o; o a -> o; "
                             "o b -> e";

/* A model all of whose answers are ties: every parameter is 0. */
static ThModel *undecided(const ThTask *t)
{
    ThModel *m = made_model("rnn", "dim=2");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    return m;
}

static ThScore score(const ThModel *m, const ThTask *t, long long seed, int length, int samples)
{
    ThError err = {0};
    ThScore s;
    ThEvaluator *e = th_evaluator_new(m, t, seed, 1, &err);
    assert_non_null(e);
    if (!th_evaluator_length(e, length, samples, &s, &err))
        fail_msg("%s", err.msg);
    th_evaluator_free(e);
    return s;
}

/* The figures of a step that moves nothing. */
static ThTrainerProgress in_training(ThModel *m, const ThTask *t, const char *length)
{
    ThOptions o;
    char settings[60];
    snprintf(settings, sizeof settings, "steps=1 lr=0 batch=10 length=%s", length);
    set_all(&o, th_train_options, settings);
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    assert_non_null(tr);
    assert_true(th_trainer_step(tr, NULL));
    ThTrainerProgress p = th_trainer_progress(tr);
    th_trainer_free(tr);
    th_options_free(&o);
    return p;
}

static void check_ties(const char *probability, double right)
{
    ThTask *t = made_task("parity", probability, NULL);
    ThModel *m = undecided(t);
    int answer = -1;
    assert_true(th_lab_predict(m, (int[]){0}, 1, &answer, NULL));
    assert_int_equal(answer, 0);
    assert_true(score(m, t, 1, 1, 20).accuracy == right);
    assert_true(in_training(m, t, "1").accuracy == right);
    th_model_free(m);
    th_task_free(t);
}

/* Of equal logits the first class answers: every string of one a is right, every one of one b
 * wrong. */
static void test_first_of_equals(void **state)
{
    (void)state;
    check_ties("probability=0", 1);
    check_ties("probability=1", 0);
}

/* A bit whose logit is 0 is not set.  After every word a and b may follow. */
static void test_undecided_bits(void **state)
{
    (void)state;
    ThTask *t = made_task("next_symbols", "", even_b);
    ThModel *m = undecided(t);
    int answer[6];
    assert_true(th_lab_predict(m, (int[]){0, 1}, 2, answer, NULL));
    for (int i = 0; i < 6; i++)
        assert_int_equal(answer[i], 0);
    assert_true(score(m, t, 1, 5, 20).accuracy == 0);
    assert_true(in_training(m, t, "1").accuracy == 0);
    th_model_free(m);
    th_task_free(t);
}

/* All bits of a position must be right: after an even number of b, all three are set; after an odd
 * one, two of them. */
static void test_all_bits_count(void **state)
{
    (void)state;
    ThTask *t = made_task("next_symbols", "", even_b);
    ThModel *m = undecided(t);
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    bias[0] = bias[1] = bias[2] = 1;
    ThScore all = score(m, t, 1, 9, 64);
    bias[2] = -1;
    ThScore two = score(m, t, 1, 9, 64);
    assert_true(all.right > 0 && two.right > 0);
    assert_int_equal(all.right + two.right, 9 * 64);
    th_model_free(m);
    th_task_free(t);
}

/* A loss is the mean over answers, and over the bits of an answer; that of no opinion is known. */
static void test_loss_of_no_opinion(void **state)
{
    (void)state;
    static const char *const kinds[] = {"parity", "cycle_navigation", "sum", "mod_arith",
                                        "next_symbols"};
    for (int i = 0; i < 5; i++) {
        ThTask *t = made_task(kinds[i], "", i == 4 ? even_b : NULL);
        ThModel *m = undecided(t);
        double expected = i == 4 ? log(2) : log(t->signature.n_classes);
        assert_true(fabs(score(m, t, 1, 9, 33).loss - expected) < 1e-5);
        assert_true(fabs(in_training(m, t, "9").loss - expected) < 1e-5);
        th_model_free(m);
        th_task_free(t);
    }
}

/* Accuracy is a share of the answers: of all positions where each has one, of those that have one
 * elsewhere.  Zeros are a fifth of both. */
static void test_accuracy_is_a_share(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sum", "mod_arith"};
    for (int i = 0; i < 2; i++) {
        ThTask *t = made_task(kinds[i], "modulus=5", NULL);
        ThModel *m = undecided(t);
        double trained = in_training(m, t, "99").accuracy;
        assert_true(fabs(trained - 0.2) < 0.09);
        assert_true(fabs(score(m, t, 1, 99, 20).accuracy - 0.2) < 0.07);
        th_model_free(m);
        th_task_free(t);
    }
}

/* The figures of a length are the same whatever was asked before, and others with another seed. */
static void test_what_figures_depend_on(void **state)
{
    (void)state;
    ThTask *t = made_task("cycle_navigation", "", NULL);
    ThModel *m = made_model("lstm", "dim=4");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    ThScore fresh = score(m, t, 4, 20, 100), other = score(m, t, 5, 20, 100), s;
    ThEvaluator *e = th_evaluator_new(m, t, 4, 2, NULL);
    static const int lengths[] = {3, 20, 19, 20};
    for (int i = 0; i < 4; i++) {
        assert_true(th_evaluator_length(e, lengths[i], 100, &s, NULL));
        assert_true((s.loss == fresh.loss) == (lengths[i] == 20));
    }
    assert_true(other.loss != fresh.loss);
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(t);
}

/* Strings are not drawn twice: a hundred of them are no two of fifty. */
static void test_strings_are_not_repeated(void **state)
{
    (void)state;
    ThTask *t = made_task("cycle_navigation", "", NULL);
    ThModel *m = made_model("lstm", "dim=4");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    ThScore few = score(m, t, 4, 12, 16), twice = score(m, t, 4, 12, 32);
    assert_true(fabs(few.loss - twice.loss) > 1e-7);
    th_model_free(m);
    th_task_free(t);
}

/* Probabilities of logits whose exponentials are beyond any number. */
static void test_probabilities_of_great_logits(void **state)
{
    (void)state;
    double z[] = {1000, 1001, -2000}, bits[] = {-2000, 0, 2000};
    th_lab_probabilities(TH_TARGET_FINAL, z, 3);
    assert_true(fabs(z[1] - 1 / (1 + exp(-1))) < 1e-12 && z[2] == 0);
    assert_true(fabs(z[0] + z[1] - 1) < 1e-12);
    th_lab_probabilities(TH_TARGET_BITS, bits, 3);
    assert_true(bits[0] == 0 && bits[1] == 0.5 && bits[2] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_of_equals),
        cmocka_unit_test(test_undecided_bits),
        cmocka_unit_test(test_all_bits_count),
        cmocka_unit_test(test_loss_of_no_opinion),
        cmocka_unit_test(test_accuracy_is_a_share),
        cmocka_unit_test(test_what_figures_depend_on),
        cmocka_unit_test(test_strings_are_not_repeated),
        cmocka_unit_test(test_probabilities_of_great_logits),
    };
    return cmocka_run_group_tests_name("scores", tests, NULL, NULL);
}
