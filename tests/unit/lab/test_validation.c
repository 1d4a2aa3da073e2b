/* Trainings that nobody watches: validations, the best parameters, patience, lengths that cannot
 * stick, schedules of a training's own, recipes; and that all of it goes on to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/models/safetensors.h"
#include "given.h"
#include "lab/evaluate.h"
#include "lab/train.h"

static void finish(ThTrainer *tr)
{
    ThError err = {0};
    while (!th_trainer_done(tr))
        if (!th_trainer_step(tr, &err))
            fail_msg("%s", err.msg);
    th_trainer_free(tr);
}

static ThModel *trained(const ThTask *t, const char *settings)
{
    ThModel *m = made_model("rnn", "dim=8");
    finish(made_trainer(m, t, settings, 2));
    return m;
}

static void assert_same_floats(const ThModel *m, const float *a, const float *b)
{
    assert_memory_equal(a, b, m->params.total * sizeof *a);
}

static void test_figures(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m =
        trained(t, "steps=8 batch=8 seed=3 length=1..6 validate=7..9:2 every=3 samples=40");
    const ThModelValidation *v = m->training.validation;
    assert_int_equal(m->training.n_validations, 3);
    assert_int_equal(v[0].step, 3);
    assert_int_equal(v[1].step, 6);
    assert_int_equal(v[2].step, 8);
    ThRng own = th_rng(3, "train.validate", 0);
    ThEvaluator *e = th_evaluator_new(m, t, (long long)th_rng_next(&own), 1, NULL);
    ThScore seven, nine;
    assert_true(th_evaluator_length(e, 7, 40, &seven, NULL));
    assert_true(th_evaluator_length(e, 9, 40, &nine, NULL));
    assert_true(fabs(v[2].accuracy - (seven.accuracy + nine.accuracy) / 2) < 1e-12);
    assert_true(fabs(v[2].loss - (seven.loss + nine.loss) / 2) < 1e-6);
    assert_null(m->training.best);
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(t);
}

/* Of the parameters at all validations those of the best remain, and nothing of the optimiser. */
static void test_keeps_best(void **state)
{
    (void)state;
    const char *settings = "steps=12 batch=8 lr=0.05 seed=2 length=1..3 validate=4..6 every=1 "
                           "samples=16 keep=best";
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, settings);
    const ThModelValidation *best = th_train_best(&m->training, 0);
    assert_int_equal(m->training.n_validations, 12);
    assert_int_equal(m->training.step, 12);
    assert_in_range(best->step, 1, 11);
    for (size_t i = 0; i < 12; i++)
        assert_true(m->training.validation[i].accuracy <= best->accuracy);
    char short_of[100];
    snprintf(short_of, sizeof short_of, "steps=%lld batch=8 lr=0.05 seed=2 length=1..3",
             best->step);
    ThModel *then = trained(t, short_of);
    assert_same_floats(m, m->params.value, then->params.value);
    assert_int_equal(m->training.updates, 0);
    for (size_t i = 0; i < m->params.total; i++)
        assert_true(m->training.moment[0][i] == 0);
    assert_null(m->training.best);
    /* Another training compares with its own validations only. */
    ThTrainer *tr = made_trainer(m, t, "steps=1 batch=8 validate=4 samples=2 keep=best", 2);
    assert_false(th_trainer_done(tr));
    finish(tr);
    assert_int_equal(th_train_best(&m->training, m->training.began)->step, 13);
    th_model_free(m);
    th_model_free(then);
    th_task_free(t);
}

/* Without a rate nothing gets better: the first validation stays the best. */
static void test_patience(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    const char *settings = "steps=100 batch=4 lr=0 validate=3 every=5 patience=3 samples=16";
    ThModel *m = trained(t, settings);
    assert_int_equal(m->training.step, 20);
    assert_int_equal(m->training.n_validations, 4);
    ThTrainer *tr = made_trainer(m, t, settings, 2);
    assert_false(th_trainer_done(tr));
    finish(tr);
    assert_int_equal(m->training.step, 40);
    th_model_free(m);
    th_task_free(t);
}

static ThModel *saved_and_loaded(ThModel *m)
{
    char path[] = "/tmp/validation-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    assert_true(th_safetensors_save(m, path, NULL));
    ThModel *back = th_safetensors_load(path, NULL);
    assert_non_null(back);
    unlink(path);
    return back;
}

/* Cut after every step, saved, loaded and continued: the same bits, whatever is asked for. */
static void test_goes_on(void **state)
{
    (void)state;
    static const char *const all =
        "batch=8 lr=0.05 seed=4 validate=4..6 every=2 samples=16 keep=best patience=4 full=0.3 "
        "schedule=cosine warmup=3 length=1..6";
    for (int paced = 0; paced < 2; paced++) {
        ThTask *t = made_task("parity", "", NULL);
        char settings[300];
        snprintf(settings, sizeof settings, "%s curriculum=%s steps=14", all,
                 paced ? "paced" : "adaptive");
        ThModel *whole = made_model("rnn", "dim=8"), *before = made_model("rnn", "dim=8");
        finish(made_trainer(whole, t, "steps=3 batch=4 seed=2", 2));
        finish(made_trainer(before, t, "steps=3 batch=4 seed=2", 2));
        finish(made_trainer(whole, t, settings, 2));
        ThModel *m = before;
        for (int left = 14; left > 0; left--) {
            snprintf(settings, sizeof settings, "%s curriculum=%s steps=%d", all,
                     paced ? "paced" : "adaptive", left);
            ThTrainer *tr = made_trainer(m, t, settings, 2);
            if (left < 14)
                th_trainer_resume(tr);
            bool more = !th_trainer_done(tr);
            if (more)
                assert_true(th_trainer_step(tr, NULL));
            th_trainer_free(tr);
            ThModel *back = saved_and_loaded(m);
            th_model_free(m);
            m = back;
            if (!more)
                break;
        }
        assert_int_equal(m->training.step, whole->training.step);
        assert_same_floats(m, m->params.value, whole->params.value);
        assert_int_equal(m->training.n_validations, whole->training.n_validations);
        assert_memory_equal(m->training.validation, whole->training.validation,
                            m->training.n_validations * sizeof *m->training.validation);
        for (int k = 0; k < 2; k++)
            assert_same_floats(m, m->training.moment[k], whole->training.moment[k]);
        th_model_free(m);
        th_model_free(whole);
        th_task_free(t);
    }
}

/* A validation that was interrupted is done by the training that goes on. */
static void test_interrupted(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 0;
    ThTapeBounds bounds = {.stop = &stop};
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("rnn", "dim=4");
    m->bounds = &bounds;
    ThTrainer *tr = made_trainer(m, t, "steps=2 batch=4 length=3 validate=5 every=1 samples=8", 2);
    assert_true(th_trainer_step(tr, NULL));
    m->training.n_validations = 0; /* as if it had been within it */
    stop = 1;
    ThError err = {0};
    assert_false(th_trainer_step(tr, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_int_equal(m->training.step, 1);
    stop = 0;
    assert_true(th_trainer_step(tr, NULL));
    assert_int_equal(m->training.step, 1);
    assert_int_equal(m->training.n_validations, 1);
    finish(tr);
    assert_int_equal(m->training.n_validations, 2);
    th_model_free(m);
    th_task_free(t);
}

/* The bound of paced lengths after each step, and how many steps were longer. */
static int watch(const char *settings, int steps, int *longest)
{
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("rnn", "dim=2");
    ThTrainer *tr = made_trainer(m, t, settings, 2);
    int beyond = 0;
    for (int i = 0; i < steps; i++) {
        int bound = th_trainer_progress(tr).longest;
        assert_true(th_trainer_step(tr, NULL));
        ThTrainerProgress p = th_trainer_progress(tr);
        assert_int_equal(p.asked, 48);
        beyond += p.length > bound;
        longest[i] = p.longest;
    }
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
    return beyond;
}

static void test_lengths_that_cannot_stick(void **state)
{
    (void)state;
    /* 3 times 16 to the power of twice the share of the steps. */
    static const int expected[] = {5, 12, 23, 48, 48, 48, 48, 48};
    int longest[400];
    assert_int_equal(watch("steps=8 batch=1 length=1..48 curriculum=paced", 8, longest), 0);
    assert_int_equal(longest[0], 6);
    assert_int_equal(longest[1], expected[1]);
    assert_int_equal(longest[2], 24);
    for (int i = 3; i < 8; i++)
        assert_int_equal(longest[i], expected[i]);
    /* A rate of 0 learns nothing: the bound stays, but a quarter of the steps draws from all. */
    int beyond = watch("steps=400 batch=1 length=1..48 curriculum=adaptive full_length=0.25 lr=0",
                       400, longest);
    assert_int_equal(longest[399], 3);
    assert_in_range(beyond, 60, 140);
    beyond = watch("steps=400 batch=1 length=1..48 curriculum=adaptive lr=0", 400, longest);
    assert_int_equal(beyond, 0);
}

/* A schedule begins with its training, wherever the model stands: 5 equal steps and then 4 that
 * fall, see test_train.c. */
static void test_schedule_of_its_own(void **state)
{
    (void)state;
    static const double rates[] = {1, 0.75, 0.5, 0.25};
    const char *plain = "optimizer=sgd momentum=0 lr=10 clip=0.01 length=9 batch=8";
    char settings[150];
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    snprintf(settings, sizeof settings, "steps=5 %s", plain);
    finish(made_trainer(m, t, settings, 2));
    snprintf(settings, sizeof settings, "steps=4 schedule=linear %s", plain);
    ThTrainer *tr = made_trainer(m, t, settings, 2);
    size_t total = m->params.total;
    float *before = malloc(total * sizeof *before);
    for (int i = 0; i < 4; i++) {
        double squares = 0;
        memcpy(before, m->params.value, total * sizeof *before);
        assert_true(th_trainer_step(tr, NULL));
        for (size_t k = 0; k < total; k++)
            squares += pow((double)m->params.value[k] - (double)before[k], 2);
        if (!(fabs(sqrt(squares) - 0.1 * rates[i]) <= 1e-4))
            fail_msg("step %d: %g", i, sqrt(squares));
    }
    free(before);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

/* The options of a training of a new model, as typed and as a recipe has filled them. */
static ThOptions followed(const char *kind, const char *model, const char *task,
                          const char *settings, const char *typed)
{
    ThOptions o;
    ThTask *t = made_task(task, settings, NULL);
    set_all(&o, th_train_options, typed);
    ThModel *m = made_model(kind, model);
    assert_true(th_train_follow_recipe(&o, m, t, NULL));
    th_model_free(m);
    th_task_free(t);
    return o;
}

static void assert_rich(const char *kind, const char *model, const char *task, const char *settings,
                        bool wanted)
{
    ThOptions o = followed(kind, model, task, settings, "lr=5e-4");
    char *got = th_options_format(&o, NULL);
    assert_string_equal(
        got, wanted ? "steps=4000 lr=5e-4 curriculum=paced full_length=0.2 segments=yes "
                      "optimizer=muon schedule=cosine warmup=200 noise=0.5 auxiliary_loss=1"
                    : "steps=2000 lr=5e-4 curriculum=adaptive full_length=0.2 schedule=cosine "
                      "warmup=100 noise=0.3");
    free(got);
    th_options_free(&o);
}

/* Nodes of a tree are told what they should hold where that is more than little, and not too much:
 * of brackets to depth 1, 2, 4 and 12 there are 6, 15, 56 and 820 elements. */
static void test_recipe_of_monoids(void **state)
{
    (void)state;
    assert_rich("regulargpt", "", "dyck", "depth=1", false);
    assert_rich("regulargpt", "", "dyck", "depth=2", true);
    assert_rich("regulargpt", "", "dyck", "depth=4", true);
    assert_rich("regulargpt", "", "dyck", "depth=12", false);
    assert_rich("regulargpt", "layers_per_level=2", "dyck", "depth=4", false);
}

static void assert_followed(const char *kind, const char *task, const char *typed,
                            const char *wanted)
{
    ThOptions o = followed(kind, "", task, "", typed);
    char *got = th_options_format(&o, NULL);
    assert_string_equal(got, wanted);
    free(got);
    th_options_free(&o);
}

/* What small models need is the default where it was measured, each option for itself; where not,
 * and with recipe=plain, the defaults are those of the table. */
static void test_recipe(void **state)
{
    (void)state;
    assert_followed(
        "regulargpt", "parity", "",
        "steps=2000 curriculum=adaptive full_length=0.2 schedule=cosine warmup=100 noise=0.3");
    assert_followed(
        "rnn", "even_pairs", "steps=50",
        "steps=50 lr=3e-3 curriculum=adaptive full_length=0.2 schedule=cosine warmup=2");
    assert_followed("lstm", "parity", "lr=1e-3 full=0 schedule=constant curriculum=uniform",
                    "steps=2000 warmup=100");
    assert_followed(
        "regulargpt", "parity", "recipe=small lr=5e-4 noise=0 warmup=7",
        "steps=2000 lr=5e-4 recipe=small curriculum=adaptive full_length=0.2 schedule=cosine "
        "warmup=7");
    assert_followed("regulargpt", "parity", "recipe=plain", "recipe=plain");
    assert_followed("regulargpt", "copy", "", "");
    assert_followed("regulargpt", "parity", "aux=1", "auxiliary_loss=1");
    assert_followed("regulargpt", "parity", "pull=0.5 contraction_loss=0", "centre_loss=0.5");
    assert_followed("regulargpt", "parity", "contract=1", "contraction_loss=1");
    assert_followed("lrnn", "parity", "", "");
    assert_followed(
        "lrnn", "copy", "recipe=small steps=400",
        "steps=400 recipe=small curriculum=adaptive full_length=0.2 schedule=cosine warmup=20");
}

/* What the help says of an architecture is what its table has. */
static void test_recipe_is_told(void **state)
{
    (void)state;
    size_t n, told = 0;
    const ThModelKind *const *all = th_model_kinds(&n);
    const ThOptionSpec *o = th_train_options;
    while (strcmp(o->name, "recipe") != 0)
        o++;
    for (size_t i = 0; i < n; i++) {
        told += all[i]->recipe != NULL;
        assert_true(!all[i]->recipe ||
                    (strstr(o->help, all[i]->name) && strstr(o->help, all[i]->recipe)));
    }
    assert_int_equal(told, 4);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[] = {"patience=2", "keep=best", "samples=3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThOptions o;
        ThError err = {0};
        ThTask *t = made_task("parity", "", NULL);
        ThModel *m = made_model("rnn", "dim=2");
        set_all(&o, th_train_options, bad[i]);
        assert_null(th_trainer_new(m, t, &o, 1, &err));
        assert_int_equal(err.code, TH_EUSAGE);
        assert_non_null(strstr(err.msg, "validate="));
        assert_false(m->bound);
        th_options_free(&o);
        th_model_free(m);
        th_task_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_keeps_best),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_lengths_that_cannot_stick),
        cmocka_unit_test(test_schedule_of_its_own),
        cmocka_unit_test(test_recipe),
        cmocka_unit_test(test_recipe_of_monoids),
        cmocka_unit_test(test_recipe_is_told),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
