/* test_checkpoint.c - a training that is stopped and goes on from its checkpoint. */
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

#include "base/file.h"
#include "formats/models/checkpoint.h"
#include "formats/models/safetensors.h"
#include "given.h"
#include "lab/train_loop.h"

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

/* What a training saves, and where; a file may be NULL. */
typedef struct {
    Watch *watch;
    const ThModel *m;
    const char *file;
} Saved;

static bool saved_stepped(void *context, const ThTrainer *trainer, ThError *err)
{
    const Saved *s = context;
    return !s->watch || stepped(s->watch, trainer, err);
}

static bool save(void *context, ThError *err)
{
    const Saved *s = context;
    return !s->file || th_safetensors_save(s->m, s->file, err);
}

static ThTrainLoop loop_of(Saved *s, long long every)
{
    return (ThTrainLoop){s->watch ? &s->watch->stop : NULL, s, saved_stepped, save, every};
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

/* Trains for `steps` more, with a file, or without one, and a watch, or none; what th_train_run
 * returned. */
static bool train(const char *file, Watch *w, ThModel *m, const ThTask *t, long long steps,
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
    Saved saved = {w, m, file};
    ThTrainLoop loop = loop_of(&saved, 3);
    bool ok = th_train_run(&loop, tr, err);
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
    assert_true(train(NULL, NULL, whole, t, 11, NULL));

    Watch w = {.at = 7};
    ThError err = {0};
    long long steps = 11;
    assert_true(th_format_resume(file, part, &steps, &further, &err));
    assert_null(further);
    assert_int_equal(access(file, F_OK), -1); /* a look does not write */
    assert_false(train(file, &w, part, t, steps, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_non_null(strstr(err.msg, "step 7"));
    assert_int_equal(w.steps, 7);

    w = (Watch){.at = -1};
    assert_true(th_format_resume(file, again, &steps, &further, NULL));
    assert_non_null(further);
    assert_int_equal(steps, 4);
    assert_int_equal(further->training.step, 7);
    assert_true(train(file, &w, further, t, steps, NULL));
    assert_int_equal(w.steps, 4);
    same_model(whole, further);
    th_model_free(further);

    steps = 11; /* the last step was saved, too */
    assert_true(th_format_resume(file, again, &steps, &further, NULL));
    assert_int_equal(steps, 0);
    same_model(whole, further);
    ThModel *other;
    steps = 20; /* what is no further is left alone */
    assert_true(th_format_resume(file, further, &steps, &other, NULL));
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
    ThError err = {0};
    assert_true(train(file, NULL, m, t, 5, NULL));
    long long steps = 9;
    assert_false(th_format_resume(file, wide, &steps, &further, &err));
    assert_non_null(strstr(err.msg, "another model"));
    err = (ThError){0};
    steps = 4;
    assert_false(th_format_resume(file, fresh, &steps, &further, &err));
    assert_non_null(strstr(err.msg, "is at step 5, this training ends at 4"));
    assert_null(further);
    err = (ThError){0};
    const char *nowhere = "/tmp/no/such/folder/m.safetensors";
    assert_false(th_format_resume(nowhere, fresh, &steps, &further, &err));
    assert_int_equal(err.code, TH_EIO);
    unlink(file);
    rmdir(path);
    th_model_free(m);
    th_model_free(wide);
    th_model_free(fresh);
    th_task_free(t);
}

/* ---- pull=, aux= and contract= --------------------------------------------------------------- */

enum { STEPS = 23 };
#define PULLED "pull=0.4 aux=0.5"

/* Trains a tree to step 23 of a training with pull=, aux= or contract=, as `how` says, from a file
 * where one is given, and stops after a step (-1: does not). */
static ThModel *pulled(const ThTask *t, const char *file, long long at, const char *how)
{
    Watch w = {.at = at};
    ThOptions o, own;
    ThError err = {0};
    const ThModelKind *k = th_model_kind("regulargpt");
    assert_true(th_options_init(&own, k->options, NULL) && th_options_set(&own, "dim", "8", NULL) &&
                th_options_set(&own, "heads", "2", NULL));
    ThModel *m = th_model_new(k, &own, NULL), *further;
    th_options_free(&own);
    long long steps = STEPS;
    assert_true(th_format_resume(file, m, &steps, &further, &err));
    char text[200];
    snprintf(text, sizeof text,
             "steps=%lld length=1..9 batch=8 lr=1e-2 noise=0.2 ramp=0.5 schedule=cosine seed=5 %s",
             steps, how);
    set_all(&o, th_train_options, text);
    if (further) {
        th_model_free(m);
        m = further;
    }
    ThTrainer *tr = th_trainer_new(m, t, &o, 2, NULL);
    assert_non_null(tr);
    if (further)
        th_trainer_resume(tr);
    Saved saved = {&w, m, file};
    ThTrainLoop loop = loop_of(&saved, 5);
    assert_true(th_train_run(&loop, tr, &err) == (at < 0));
    th_trainer_free(tr);
    th_options_free(&o);
    return m;
}

/* Interrupted anywhere, read back and continued, it is what it is without: weights, moments,
 * centres, the head, whether vectors were drawn, and points. */
static void pull_goes_on(void **state)
{
    (void)state;
    static const char *const hows[] = {PULLED " gate=0", PULLED " gate=0.9", PULLED " gate=0.0001",
                                       PULLED " contract=0.3", "contract=0.3"};
    enum { HOWS = sizeof hows / sizeof *hows };
    static const long long stops[] = {1, 4, 11, 22};
    char path[] = "/tmp/checkpoint-XXXXXX", file[64];
    assert_true(mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/m.safetensors", path);
    ThTask *t = parity();
    for (int g = 0; g < HOWS; g++) {
        ThModel *whole = pulled(t, NULL, -1, hows[g]);
        for (int i = 0; i < 4; i++) {
            th_model_free(pulled(t, file, stops[i], hows[g]));
            ThModel *m = pulled(t, file, -1, hows[g]), *copy = th_model_copy(m, NULL);
            same_model(whole, m);
            assert_true(m->training.n_pull > 0 && m->training.n_pull == whole->training.n_pull);
            assert_memory_equal(m->training.pull, whole->training.pull,
                                m->training.n_pull * sizeof *m->training.pull);
            assert_memory_equal(copy->training.pull, whole->training.pull,
                                m->training.n_pull * sizeof *m->training.pull);
            assert_true(train(NULL, NULL, m, t, 1, NULL)); /* another training, without */
            assert_null(m->training.pull);
            th_model_free(m);
            th_model_free(copy);
            unlink(file);
        }
        th_model_free(whole);
    }
    rmdir(path);
    th_task_free(t);
}

/* Numbers that are not what such a training writes are not taken: it begins anew. */
static void other_pull_is_left(void **state)
{
    (void)state;
    enum { COUNTS = 5 };
    char path[] = "/tmp/checkpoint-XXXXXX", file[64];
    assert_true(mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/m.safetensors", path);
    ThTask *t = parity();
    ThModel *without = NULL;
    const int functions = 2, dim = 8;
    const struct {
        int at;
        double value;
    } change[] = {{-1, 0},
                  {0, 3},
                  {1, 16},
                  {2, 3},
                  {2, 0.5},
                  {4, -1},
                  {4, 1e300},
                  {COUNTS + functions * dim, 1e9},
                  {COUNTS + functions * dim, -2},
                  {COUNTS + functions * dim + 1, 0.5}};
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        ThModel *m = pulled(t, file, 11, PULLED);
        assert_int_equal((int)m->training.pull[0], functions);
        if (change[i].at >= 0)
            m->training.pull[change[i].at] = change[i].value;
        else { /* as in a file of before */
            free(m->training.pull);
            m->training.pull = NULL;
            m->training.n_pull = 0;
        }
        assert_true(th_safetensors_save(m, file, NULL));
        th_model_free(m);
        m = pulled(t, file, -1, PULLED);
        if (!without)
            without = m;
        same_model(without, m);
        if (m != without)
            th_model_free(m);
        unlink(file);
    }
    ThModel *whole = pulled(t, NULL, -1, PULLED);
    assert_memory_not_equal(whole->params.value, without->params.value,
                            whole->params.total * sizeof *whole->params.value);
    th_model_free(whole);
    th_model_free(without);
    rmdir(path);
    th_task_free(t);
}

/* A file in which they are damaged is none. */
static void bad_pull_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/checkpoint-XXXXXX", file[64];
    assert_true(mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/m.safetensors", path);
    ThTask *t = parity();
    ThModel *m = pulled(t, NULL, 11, PULLED);
    for (int i = 0; i < 2; i++) {
        ThError err = {0};
        size_t size;
        m->training.pull[m->training.n_pull - 1] = i == 0 ? (double)NAN : 0;
        assert_true(th_safetensors_save(m, file, NULL));
        char *text = th_file_read(file, 1 << 20, &size, NULL);
        char *type = strstr(text + 8, "F64"); /* behind the length of the header */
        assert_non_null(type);
        if (i == 1)
            memcpy(type, "I64", 3);
        assert_null(th_safetensors_parse(text, size, &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_non_null(strstr(err.msg, i == 0 ? "not finite" : "holds I64, not F64"));
        free(text);
        unlink(file);
    }
    rmdir(path);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on), cmocka_unit_test(other_models_are_refused),
        cmocka_unit_test(pull_goes_on), cmocka_unit_test(other_pull_is_left),
        cmocka_unit_test(bad_pull_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
