/* test_checkpoint.c - a training that is stopped and goes on from its checkpoint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/checkpoint.h"

typedef struct {
    volatile sig_atomic_t stop;
    long long at; /* the step after which it stops */
    int steps;
} Watch;

static bool stepped(void *context, const ThTrainer *trainer, ThError *err)
{
    (void)err;
    Watch *w = context;
    w->steps++;
    w->stop = th_trainer_progress(trainer).step == w->at;
    return true;
}

static ThModel *new_model(const char *dim)
{
    ThOptions o;
    const ThModelKind *k = th_model_kind("rnn");
    assert_true(th_options_init(&o, k->options, NULL) && th_options_set(&o, "dim", dim, NULL));
    ThModel *m = th_model_new(k, &o, NULL);
    th_options_free(&o);
    assert_non_null(m);
    return m;
}

static ThTask *parity(void)
{
    ThOptions o;
    const ThTaskKind *k = th_task_kind("parity");
    assert_true(th_options_init(&o, k->options, NULL));
    ThTask *t = th_task_new(k, &o, NULL, NULL);
    th_options_free(&o);
    return t;
}

/* Trains for `steps` more; what th_format_train returned. */
static bool train(const ThFormatCheckpoint *c, ThModel *m, const ThTask *t, long long steps,
                  ThError *err)
{
    ThOptions o;
    char text[24];
    snprintf(text, sizeof text, "%lld", steps);
    assert_true(th_options_init(&o, th_train_options, NULL));
    assert_true(th_options_set(&o, "steps", text, NULL) && th_options_set(&o, "seed", "5", NULL) &&
                th_options_set(&o, "length", "1..6", NULL) &&
                th_options_set(&o, "batch", "4", NULL));
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    assert_non_null(tr);
    bool ok = th_format_train(c, tr, m, err);
    th_trainer_free(tr);
    th_options_free(&o);
    return ok;
}

static void same_model(const ThModel *a, const ThModel *b)
{
    assert_int_equal(a->training.step, b->training.step);
    assert_int_equal(a->params.total, b->params.total);
    assert_memory_equal(a->params.value, b->params.value,
                        (size_t)a->params.total * sizeof *a->params.value);
}

static void goes_on(void **state)
{
    (void)state;
    char path[] = "/tmp/checkpoint-XXXXXX";
    assert_true(mkdtemp(path) != NULL);
    char file[64];
    snprintf(file, sizeof file, "%s/m.safetensors", path);
    ThTask *t = parity();
    ThModel *whole = new_model("8"), *part = new_model("8"), *again = new_model("8"), *further;
    ThFormatCheckpoint none = {.every = 1000};
    assert_true(train(&none, whole, t, 11, NULL));

    Watch w = {.at = 7};
    ThError err = {0};
    ThFormatCheckpoint c = {
        .path = file, .every = 3, .stop = &w.stop, .context = &w, .stepped = stepped};
    long long steps = 11;
    assert_true(th_format_resume(&c, part, &steps, &further, &err));
    assert_null(further);
    assert_int_equal(access(file, F_OK), -1); /* a look does not write */
    assert_false(train(&c, part, t, steps, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_non_null(strstr(err.msg, "step 7"));
    assert_int_equal(w.steps, 7);

    w = (Watch){.at = -1};
    assert_true(th_format_resume(&c, again, &steps, &further, NULL));
    assert_non_null(further);
    assert_int_equal(steps, 4);
    assert_int_equal(further->training.step, 7);
    assert_true(train(&c, further, t, steps, NULL));
    assert_int_equal(w.steps, 4);
    same_model(whole, further);
    th_model_free(further);

    steps = 11; /* the last step was saved, too */
    assert_true(th_format_resume(&c, again, &steps, &further, NULL));
    assert_int_equal(steps, 0);
    same_model(whole, further);
    ThModel *other;
    steps = 20; /* what is no further is left alone */
    assert_true(th_format_resume(&c, further, &steps, &other, NULL));
    assert_true(!other && steps == 20);
    th_model_free(further);
    unlink(file);
    rmdir(path);
    th_model_free(whole);
    th_model_free(part);
    th_model_free(again);
    th_task_free(t);
}

static void other_models_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/checkpoint-XXXXXX";
    assert_true(mkdtemp(path) != NULL);
    char file[64];
    snprintf(file, sizeof file, "%s/m.safetensors", path);
    ThTask *t = parity();
    ThModel *m = new_model("8"), *wide = new_model("16"), *fresh = new_model("8"), *further;
    ThFormatCheckpoint c = {.path = file, .every = 100};
    ThError err = {0};
    assert_true(train(&c, m, t, 5, NULL));
    long long steps = 9;
    assert_false(th_format_resume(&c, wide, &steps, &further, &err));
    assert_non_null(strstr(err.msg, "another model"));
    err = (ThError){0};
    steps = 4;
    assert_false(th_format_resume(&c, fresh, &steps, &further, &err));
    assert_non_null(strstr(err.msg, "is at step 5, this training ends at 4"));
    assert_null(further);
    err = (ThError){0};
    c.path = "/tmp/no/such/folder/m.safetensors";
    assert_false(th_format_resume(&c, fresh, &steps, &further, &err));
    assert_int_equal(err.code, TH_EIO);
    unlink(file);
    rmdir(path);
    th_model_free(m);
    th_model_free(wide);
    th_model_free(fresh);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_on),
                                       cmocka_unit_test(other_models_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
