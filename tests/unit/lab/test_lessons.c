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

/* ---- ranks ----------------------------------------------------------------------------------- */

enum { RANKS = 3 };
typedef struct {
    pthread_barrier_t barrier;
    int threads; /* of each */
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
    ThTrainer *tr = trainer_of(m, t, settings, threads);
    assert_true(!ranks || th_trainer_share(tr, ranks, NULL));
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    th_trainer_free(tr);
    th_task_free(t);
    return m;
}

static void *train_rank(void *context)
{
    Rank *r = context;
    ThTrainRanks ranks = {r->rank, RANKS, r, add_floats, add_doubles};
    r->model = trained(r->settings, r->meeting->threads, &ranks);
    return NULL;
}

/* Starts all ranks, and waits for them. */
static void run_ranks(Rank *rank, int threads, void *(*run)(void *))
{
    Meeting meeting = {.threads = threads};
    pthread_t thread[RANKS];
    pthread_barrier_init(&meeting.barrier, NULL, RANKS);
    for (int i = 0; i < RANKS; i++) {
        rank[i].meeting = &meeting;
        rank[i].rank = i;
        assert_int_equal(pthread_create(&thread[i], NULL, run, &rank[i]), 0);
    }
    for (int i = 0; i < RANKS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&meeting.barrier);
}

/* All ranks have the same bits, and those of one process with as many threads as all have; or what
 * rounding makes of these, where it adds up in another order. */
static void ranks_agree(const char *settings, int threads, bool exact)
{
    Rank rank[RANKS];
    ThModel *whole = trained(settings, RANKS * threads, NULL);
    size_t size = whole->params.total * sizeof *whole->params.value;
    for (int i = 0; i < RANKS; i++)
        rank[i].settings = settings;
    run_ranks(rank, threads, train_rank);
    for (int i = 0; i < RANKS; i++) {
        const ThModel *m = rank[i].model;
        const float *value = m->params.value;
        assert_memory_equal(value, rank[0].model->params.value, size);
        assert_true(fabs(m->training.mean_loss - whole->training.mean_loss) <= (exact ? 0 : 1e-5));
        size_t known = m->training.n_pull;
        assert_true(known == whole->training.n_pull);
        for (size_t k = 0; exact && k < known; k++)
            assert_true(m->training.pull[k] == whole->training.pull[k]);
        for (size_t k = 0; k < whole->params.total; k++)
            assert_true(fabsf(value[k] - whole->params.value[k]) <= (exact ? 0 : 1e-4F));
    }
    for (int i = 0; i < RANKS; i++)
        th_model_free(rank[i].model);
    th_model_free(whole);
}

static void test_ranks(void **state)
{
    (void)state;
    ranks_agree("steps=6 batch=16 length=2..8 clip=0 noise=0.1 seed=3", 1, true);
    ranks_agree("steps=6 batch=16 length=2..8 clip=0 noise=0.1 seed=3 pull=0.1 aux=1 "
                "optimizer=muon",
                1, true);
    ranks_agree("steps=8 batch=16 length=2..8 clip=0 seed=3 lr=2e-2 pull=0.5 aux=1 gate=1.3", 1,
                true);
    ranks_agree("steps=8 batch=16 length=2..8 clip=0 seed=3 lr=2e-2 pull=0.5 contract=0.3", 1,
                true);
    /* The norm of the gradient is added up thread by thread. */
    ranks_agree("steps=6 batch=16 length=2..8 clip=0.05 noise=0.1 seed=3 optimizer=sgd lr=0.1", 1,
                false);
    ranks_agree("steps=3 batch=17 length=2..8 clip=0.05 noise=0.1 seed=3 optimizer=sgd lr=0.1 "
                "pull=0.1 aux=1",
                2, false);
}

/* Ranks that begin with other models do not begin. */
static void *refuse_rank(void *context)
{
    Rank *r = context;
    ThError err = {0};
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainer *tr = trainer_of(m, t, r->rank == 1 ? r->settings : "steps=6 batch=16 seed=3", 1);
    ThTrainRanks ranks = {r->rank, RANKS, r, add_floats, add_doubles};
    assert_false(th_trainer_share(tr, &ranks, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
    return NULL;
}

static void test_other_models(void **state)
{
    (void)state;
    Rank rank[RANKS];
    for (int i = 0; i < RANKS; i++)
        rank[i].settings = "steps=6 batch=16 seed=4";
    run_ranks(rank, 1, refuse_rank);
}

/* What one rank cannot do, none does: the models stay the same. */
static void *stop_rank(void *context)
{
    enum { STEPS = 4, STOPS = 2 };
    Rank *r = context;
    ThError err = {0};
    volatile sig_atomic_t stop = 0;
    ThTapeBounds bounds = {.stop = &stop};
    ThTask *t = made_task("parity", "", NULL);
    r->model = made_model("regulargpt", "dim=8 heads=2");
    r->model->bounds = &bounds;
    ThTrainer *tr = trainer_of(r->model, t, r->settings, 1);
    ThTrainRanks ranks = {r->rank, RANKS, r, add_floats, add_doubles};
    assert_true(th_trainer_share(tr, &ranks, NULL));
    for (int i = 0; i < STOPS; i++)
        assert_true(th_trainer_step(tr, &err));
    stop = r->rank == 1;
    assert_false(th_trainer_step(tr, &err));
    assert_int_equal(err.code, r->rank == 1 ? TH_EINTERRUPTED : TH_ELIMIT);
    assert_int_equal(r->model->training.step, STOPS);
    th_trainer_free(tr);
    th_task_free(t);
    r->model->bounds = NULL;
    return NULL;
}

static void test_one_stops(void **state)
{
    (void)state;
    Rank rank[RANKS];
    for (int i = 0; i < RANKS; i++)
        rank[i].settings = "steps=4 batch=16 seed=4";
    run_ranks(rank, 1, stop_rank);
    for (int i = RANKS - 1; i >= 0; i--) {
        const ThParams *p = &rank[i].model->params;
        assert_memory_equal(p->value, rank[0].model->params.value, p->total * sizeof *p->value);
        th_model_free(rank[i].model);
    }
}

static void test_too_many_ranks(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("rnn", "dim=2");
    ThTrainer *tr = trainer(m, t, "batch=9");
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
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_no_segments),
        cmocka_unit_test(test_parts_end_with_chunks),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_too_many_ranks),
        cmocka_unit_test(test_other_models),
        cmocka_unit_test(test_one_stops),
    };
    return cmocka_run_group_tests_name("lessons", tests, NULL, NULL);
}
