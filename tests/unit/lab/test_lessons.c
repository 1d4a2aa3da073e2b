/* What a training draws beyond whole strings, and what it tells of a model's tree by level. */
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
#include "lab/train_impl.h"

/* Returns new, a trainer of a new model, or NULL where the options do not fit. */
static ThTrainer *trainer_of(ThModel *m, const ThTask *t, const char *settings, int threads)
{
    ThOptions o;
    set_all(&o, th_train_options, settings);
    ThError err = {0};
    ThTrainer *tr = th_trainer_new(m, t, &o, threads, &err);
    assert_true(tr || err.code == TH_EUSAGE);
    th_options_free(&o);
    return tr;
}

static ThTrainer *trainer(ThModel *m, const ThTask *t, const char *settings)
{
    return trainer_of(m, t, settings, 2);
}

/* Parts of an expression that end where a chunk does begin with any operator; the answer is that of
 * the automaton, from its start. */
static void check_segments(const char *settings)
{
    ThTask *t = made_task("modular_arithmetic", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainer *tr = trainer(m, t, settings);
    assert_true(th_train_draw(tr, NULL));
    const ThBatch *b = &tr->batch;
    assert_int_equal(b->T, 6);
    assert_int_equal(tr->length, 6);
    int first[9] = {0};
    for (int i = 0; i < b->B; i++) {
        const int *word = th_batch_token(b, i);
        first[word[0]]++;
        for (int k = 0; k < 6; k++)
            assert_true(k % 2 ? word[k] < 5 : word[k] >= 5 && word[k] < 8);
        assert_int_equal(*th_batch_target(&t->signature, b, i),
                         t->machine->label[th_dfa_walk(t->machine, t->machine->start, word, 6)]);
    }
    assert_true(first[5] && first[6] && first[7]);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

static void test_segments(void **state)
{
    (void)state;
    check_segments("length=6..6 batch=64 segments=yes");
    check_segments("length=6..6 batch=64 segments=balanced");
}

/* Strings whose symbols say how far they are from the end. */
static bool draw_places(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    (void)r;
    (void)err;
    for (int i = 0; i < b->B; i++)
        for (int k = 0; k < length; k++)
            th_batch_token(b, i)[k] = (length - 1 - k) % t->signature.n_symbols;
    return true;
}

/* Parts end where chunks do, counted from the end of the whole string, also where the chunks do not
 * fill it; and there are parts that end elsewhere than the whole. */
static void test_parts_end_with_chunks(void **state)
{
    (void)state;
    ThTask *t = made_task("sum", "modulus=30 labels=last", NULL);
    ThTaskKind places = *t->kind;
    places.draw = draw_places;
    t->kind = &places;
    ThModel *m = made_model("regulargpt", "dim=6 heads=2 chunk=3");
    ThTrainer *tr = trainer(m, t, "length=7 batch=64 segments=yes");
    assert_true(th_train_draw(tr, NULL));
    int ends[30] = {0};
    for (int i = 0; i < tr->batch.B; i++) {
        const int *word = th_batch_token(&tr->batch, i);
        ends[word[6]]++;
        for (int k = 0; k < 6; k++)
            assert_int_equal(word[k], word[6] + 6 - k);
    }
    assert_int_equal(ends[0] + ends[3] + ends[6], 64);
    assert_true(ends[0] && ends[3] && ends[6]);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

static void test_no_segments(void **state)
{
    (void)state;
    ThTask *t = made_task("copy", "", NULL);
    ThModel *m = made_model("gru", "dim=2");
    assert_null(trainer(m, t, "segments=yes"));
    th_task_free(t);
    t = made_task("parity", "", NULL);
    assert_null(trainer(m, t, "segments=balanced"));
    th_model_free(m);
    th_task_free(t);
}

/* From accuracy 0 every step is above a threshold of 0, and the bound doubles. */
static void test_growth(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("rnn", "dim=2");
    ThTrainer *tr = trainer(m, t, "curriculum=adaptive threshold=0 growth=2 batch=64");
    for (int bound = 6; bound <= 24; bound *= 2) {
        assert_true(th_trainer_step(tr, NULL));
        assert_int_equal(th_trainer_progress(tr).longest, bound);
    }
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

/* Three steps; what they tell is of these alone. */
static void watch_levels(const char *settings, bool head, int n, int functions)
{
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainLevels l;
    ThTrainer *tr = trainer(m, t, settings);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    assert_int_equal(th_trainer_levels(tr, &l), functions > 0);
    for (int i = 0; functions && i < l.n; i++) {
        const ThTrainLevel *v = &l.level[i];
        assert_true(v->vectors > 0 && v->vectors <= 3 * 16 * (8 >> (i + 1)));
        assert_true(head ? v->wrong >= 0 && v->wrong <= 1 : isnan(v->wrong));
        assert_true(v->spread > 0 && v->reach >= v->spread);
    }
    if (functions) {
        assert_int_equal(l.n, n);
        assert_int_equal(l.functions, functions);
        assert_true(l.nearest > 0 && fabs(l.nearest - l.mean) < 1e-9); /* there are two */
        assert_true((l.pairs > 0) == (strstr(settings, "contract") != NULL));
        assert_true(l.pairs == 0 || (l.farthest >= l.far && l.far > 0));
        assert_true(th_trainer_levels(tr, &l));
        assert_true(l.n == 0 && l.farthest == 0 && l.far == 0);
    }
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

static void test_levels(void **state)
{
    (void)state;
    watch_levels("steps=3 batch=16 length=8..8 pull=0.1 aux=1", true, 3, 2);
    watch_levels("steps=3 batch=16 length=8..8 pull=0.1", false, 3, 2);
    watch_levels("steps=3 batch=16 length=8..8 pull=0.1 contract=1", false, 3, 2);
    watch_levels("steps=3 batch=16 length=8..8", false, 0, 0);
}

/* ---- threads --------------------------------------------------------------------------------- */

static ThModel *trained(const char *settings, int threads)
{
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainer *tr = trainer_of(m, t, settings, threads);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    th_trainer_free(tr);
    th_task_free(t);
    return m;
}

/* Threads add up in another order than one does alone; nothing else may differ. */
static void threads_agree(const char *settings, int threads)
{
    ThModel *one = trained(settings, 1), *all = trained(settings, threads);
    assert_true(fabs(all->training.mean_loss - one->training.mean_loss) <= 1e-5);
    for (size_t k = 0; k < one->params.total; k++)
        assert_true(fabsf(all->params.value[k] - one->params.value[k]) <= 1e-4F);
    th_model_free(one);
    th_model_free(all);
}

static void test_threads(void **state)
{
    (void)state;
    threads_agree("steps=6 batch=16 length=2..8 clip=0 seed=3 optimizer=muon", 3);
    threads_agree("steps=6 batch=17 length=2..8 clip=0.05 seed=3 optimizer=sgd lr=0.1", 3);
    threads_agree("steps=3 batch=17 length=2..8 clip=0.05 seed=3 optimizer=sgd lr=0.1", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_no_segments),
        cmocka_unit_test(test_parts_end_with_chunks),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("lessons", tests, NULL, NULL);
}
