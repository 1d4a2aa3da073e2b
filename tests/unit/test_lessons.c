/* What a training draws beyond whole strings, and what it tells of a model's tree by level. */
#include <math.h>
#include <pthread.h>
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
static ThTrainer *trainer(ThModel *m, const ThTask *t, const char *settings)
{
    ThOptions o;
    set_all(&o, th_train_options, settings);
    ThError err = {0};
    ThTrainer *tr = th_trainer_new(m, t, &o, 2, &err);
    assert_true(tr || err.code == TH_EUSAGE);
    th_options_free(&o);
    return tr;
}

/* Parts of an expression that end where a chunk does begin with any operator; the answer is that of
 * the automaton, from its start. */
static void test_segments(void **state)
{
    (void)state;
    ThTask *t = made_task("modular_arithmetic", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainer *tr = trainer(m, t, "length=6..6 batch=64 segments=yes");
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

static void test_no_segments(void **state)
{
    (void)state;
    ThTask *t = made_task("copy", "", NULL);
    ThModel *m = made_model("gru", "dim=2");
    assert_null(trainer(m, t, "segments=yes"));
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
        assert_true(th_trainer_levels(tr, &l));
        assert_int_equal(l.n, 0);
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
    watch_levels("steps=3 batch=16 length=8..8", false, 0, 0);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

enum { RANKS = 3 };
typedef struct {
    pthread_barrier_t barrier;
    void *x[RANKS];
} Meeting;
typedef struct {
    Meeting *meeting;
    int rank;
    const char *settings;
    ThModel *model;
} Rank;

/* Adds up what the ranks bring, in their order; width tells floats from doubles. */
static void add_up(Rank *r, void *x, size_t n, size_t width)
{
    Meeting *m = r->meeting;
    void *sum = calloc(n, width);
    m->x[r->rank] = x;
    pthread_barrier_wait(&m->barrier);
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < RANKS; i++) {
            if (width == sizeof(float))
                ((float *)sum)[k] =
                    i ? ((float *)sum)[k] + ((float *)m->x[i])[k] : ((float *)m->x[i])[k];
            else
                ((double *)sum)[k] += ((double *)m->x[i])[k];
        }
    }
    pthread_barrier_wait(&m->barrier);
    memcpy(x, sum, n * width);
    free(sum);
}

static void add_floats(void *context, float *x, size_t n)
{
    add_up(context, x, n, sizeof *x);
}

static void add_doubles(void *context, double *x, size_t n)
{
    add_up(context, x, n, sizeof *x);
}

static ThModel *trained(const char *settings, int threads, const ThTrainRanks *ranks)
{
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThOptions o;
    set_all(&o, th_train_options, settings);
    ThTrainer *tr = th_trainer_new(m, t, &o, threads, NULL);
    assert_non_null(tr);
    assert_true(!ranks || th_trainer_share(tr, ranks, NULL));
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    th_trainer_free(tr);
    th_options_free(&o);
    th_task_free(t);
    return m;
}

static void *train_rank(void *context)
{
    Rank *r = context;
    ThTrainRanks ranks = {r->rank, RANKS, r, add_floats, add_doubles};
    r->model = trained(r->settings, 1, &ranks);
    return NULL;
}

/* So many ranks of one thread give the bits of one process with as many threads. */
static void ranks_agree(const char *settings)
{
    Meeting meeting;
    Rank rank[RANKS];
    pthread_t thread[RANKS];
    ThModel *whole = trained(settings, RANKS, NULL);
    size_t size = whole->params.total * sizeof *whole->params.value;
    pthread_barrier_init(&meeting.barrier, NULL, RANKS);
    for (int i = 0; i < RANKS; i++) {
        rank[i] = (Rank){&meeting, i, settings, NULL};
        assert_int_equal(pthread_create(&thread[i], NULL, train_rank, &rank[i]), 0);
    }
    for (int i = 0; i < RANKS; i++) {
        pthread_join(thread[i], NULL);
        assert_memory_equal(rank[i].model->params.value, whole->params.value, size);
        assert_true(rank[i].model->training.mean_loss == whole->training.mean_loss);
        th_model_free(rank[i].model);
    }
    pthread_barrier_destroy(&meeting.barrier);
    th_model_free(whole);
}

/* Where no gradient is cut: its norm is added up thread by thread. */
static void test_ranks(void **state)
{
    (void)state;
    ranks_agree("steps=6 batch=16 length=2..8 clip=0 noise=0.1 seed=3");
    ranks_agree("steps=6 batch=16 length=2..8 clip=0 noise=0.1 seed=3 pull=0.1 aux=1 "
                "optimizer=muon");
}

static void test_too_many_ranks(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("rnn", "dim=2");
    ThTrainer *tr = trainer(m, t, "batch=4");
    ThTrainRanks ranks = {0, 5, NULL, add_floats, add_doubles};
    ThError err = {0};
    assert_false(th_trainer_share(tr, &ranks, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments), cmocka_unit_test(test_no_segments),
        cmocka_unit_test(test_growth),   cmocka_unit_test(test_levels),
        cmocka_unit_test(test_ranks),    cmocka_unit_test(test_too_many_ranks),
    };
    return cmocka_run_group_tests_name("lessons", tests, NULL, NULL);
}
