/* What a step of training does, against rules that are written out again here in double precision.
 *
 * A step's gradient is found through the trainer itself: one step of plain gradient descent on a
 * copy of the model, which draws the same strings.  That it is the slope of the mean loss is
 * checked by differences first. */
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

static void step(ThTrainer *tr)
{
    ThError err = {0};
    if (!th_trainer_step(tr, &err))
        fail_msg("%s", err.msg);
}

/* The loss and the gradient (params.total) of the step that the model is about to do; either may be
 * NULL.  The rate is large, so that rounding takes little from small gradients. */
static void look_ahead(const ThModel *m, const ThTask *t, const char *strings, int threads,
                       double *loss, double *gradient)
{
    enum { RATE = 1000 };
    char settings[200];
    snprintf(settings, sizeof settings, "steps=1 optimizer=sgd momentum=0 clip=0 lr=%d %s", RATE,
             strings);
    ThModel *copy = th_model_copy(m, NULL);
    assert_non_null(copy);
    ThTrainer *tr = made_trainer(copy, t, settings, threads);
    step(tr);
    if (loss)
        *loss = th_trainer_progress(tr).loss;
    for (size_t i = 0; gradient && i < m->params.total; i++)
        gradient[i] = ((double)m->params.value[i] - (double)copy->params.value[i]) / RATE;
    th_trainer_free(tr);
    th_model_free(copy);
}

/* A model bound to a task, with parameters that are all far from zero: biases start there, where no
 * decay would show. */
static ThModel *bound_model(const char *kind, const char *settings, const ThTask *t)
{
    ThModel *m = made_model(kind, settings);
    assert_true(th_model_bind(m, &t->signature, 3, NULL));
    ThRng r = th_rng(1, "test.parameters", 0);
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        for (size_t k = 0; k < (size_t)p->rows * (size_t)p->cols; k++) {
            double x = th_rng_normal(&r);
            m->params.value[p->offset + k] = (float)(0.3 * x + (x < 0 ? -0.1 : 0.1));
        }
    }
    return m;
}

static double *numbers(size_t n)
{
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static double distance(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double length_of(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static const char even_b[] = "alphabet a b; start e; accept e; e a -> e; e b -> o; o a -> o; "
                             "o b -> e";

/* One answer a string, one a position, positions without one, and sets of answers. */
static ThTask *task_number(int i)
{
    static const char *const kinds[] = {"parity", "sum", "mod_arith", "next_symbols"};
    return made_task(kinds[i], "", i == 3 ? even_b : NULL);
}

enum { N_TASKS = 4 };

/* ---- the gradient ---------------------------------------------------------------------------- */

static void check_slopes(ThModel *m, const ThTask *t)
{
    double *gradient = numbers(m->params.total), h = 1e-2;
    look_ahead(m, t, "length=5 batch=6", 1, NULL, gradient);
    for (int i = 0; i < m->params.n; i++) {
        for (int k = 0; k < 2; k++) {
            size_t size = (size_t)m->params.item[i].rows * (size_t)m->params.item[i].cols;
            size_t at = m->params.item[i].offset + (k ? size - 1 : 0);
            float *w = &m->params.value[at], kept = *w;
            double up, down;
            *w = kept + (float)h;
            look_ahead(m, t, "length=5 batch=6", 1, &up, NULL);
            *w = kept - (float)h;
            look_ahead(m, t, "length=5 batch=6", 1, &down, NULL);
            *w = kept;
            double slope = (up - down) / (2 * h), apart = fabs(slope - gradient[at]);
            if (!(apart <= 5e-4 + 0.02 * fabs(slope)))
                fail_msg("%s: %g, by differences %g", m->params.item[i].name, gradient[at], slope);
        }
    }
    free(gradient);
}

/* The mean over all answers of a step, whatever their number. */
static void test_slope_of_the_mean_loss(void **state)
{
    (void)state;
    for (int i = 0; i < N_TASKS; i++) {
        ThTask *t = task_number(i);
        ThModel *m = bound_model("lstm", "dim=3", t);
        check_slopes(m, t);
        th_model_free(m);
        th_task_free(t);
    }
}

/* However a batch is cut among threads, and where there are more threads than strings. */
static void test_shards_add_up(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 5, 7, 12};
    for (int i = 0; i < N_TASKS; i++) {
        ThTask *t = task_number(i);
        ThModel *m = bound_model("regulargpt", "dim=8 heads=2", t);
        size_t n = m->params.total;
        double *one = numbers(n), *cut = numbers(n), loss, cut_loss;
        look_ahead(m, t, "length=9 batch=7", 1, &loss, one);
        for (int k = 0; k < 5; k++) {
            look_ahead(m, t, "length=9 batch=7", threads[k], &cut_loss, cut);
            assert_true(distance(one, cut, n) < 1e-5 * length_of(one, n));
            assert_true(fabs(cut_loss - loss) < 1e-6);
        }
        free(one);
        free(cut);
        th_model_free(m);
        th_task_free(t);
    }
}

/* A step's strings depend on the seed and the number of the step, and on nothing else. */
static void test_strings_of_a_step(void **state)
{
    (void)state;
    ThTask *t = made_task("cycle_navigation", "", NULL);
    ThModel *m = bound_model("rnn", "dim=4", t);
    size_t n = m->params.total;
    double *first = numbers(n), *again = numbers(n), *next = numbers(n), *other = numbers(n);
    look_ahead(m, t, "length=9 batch=32", 1, NULL, first);
    look_ahead(m, t, "length=9 batch=32", 1, NULL, again);
    look_ahead(m, t, "length=9 batch=32 seed=8", 1, NULL, other);
    ThTrainer *tr = made_trainer(m, t, "steps=1 lr=0 length=9 batch=32", 1);
    step(tr);
    th_trainer_free(tr);
    look_ahead(m, t, "length=9 batch=32", 1, NULL, next);
    double size = length_of(first, n);
    assert_true(distance(first, again, n) == 0);
    assert_true(distance(first, next, n) > 0.01 * size);
    assert_true(distance(first, other, n) > 0.01 * size);
    free(first);
    free(again);
    free(next);
    free(other);
    th_model_free(m);
    th_task_free(t);
}

/* ---- the rules ------------------------------------------------------------------------------- */

enum { STEPS = 4 };

typedef struct {
    const char *settings;
    char rule; /* 's'gd, 'a'dam or adam'w' */
    double rate, momentum, beta1, beta2, decay, clip;
    double schedule[STEPS]; /* what the rate is multiplied by */
} Rule;

/* Moves one number w, whose gradient, clipped, is g; *m and *v are its moments before and after.
 * Steps count from 0. */
static double moved(const Rule *r, int at, double w, double g, double decay, double *m, double *v)
{
    double rate = r->rate * r->schedule[at], x = g + (r->rule == 'w' ? 0 : decay * w);
    if (r->rule == 's') {
        *m = r->momentum * *m + x;
        return w - rate * *m;
    }
    *m = r->beta1 * *m + (1 - r->beta1) * x;
    *v = r->beta2 * *v + (1 - r->beta2) * x * x;
    double mean = *m / (1 - pow(r->beta1, at + 1)), square = *v / (1 - pow(r->beta2, at + 1));
    return w - rate * mean / (sqrt(square) + 1e-8) - (r->rule == 'w' ? rate * decay * w : 0);
}

/* One step; work holds gradient, moments and what the parameters must be, params.total each. */
static void check_step(const Rule *r, int at, ThModel *m, const ThTask *t, ThTrainer *tr,
                       double *work)
{
    size_t n = m->params.total;
    double *g = work, *first = work + n, *second = work + 2 * n, *expected = work + 3 * n;
    look_ahead(m, t, "length=6 batch=8", 1, NULL, g);
    double norm = length_of(g, n), by = r->clip > 0 && norm > r->clip ? r->clip / norm : 1;
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        double decay = p->rows > 1 ? r->decay : 0; /* matrices only */
        for (size_t k = p->offset; k < p->offset + (size_t)p->rows * (size_t)p->cols; k++)
            expected[k] =
                moved(r, at, (double)m->params.value[k], by * g[k], decay, &first[k], &second[k]);
    }
    step(tr);
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        for (size_t k = p->offset; k < p->offset + (size_t)p->rows * (size_t)p->cols; k++) {
            double got = (double)m->params.value[k];
            if (!(fabs(got - expected[k]) <= 2e-3 * r->rate * r->schedule[at] + 2e-7))
                fail_msg("%s, step %d, %s: %.9g instead of %.9g", r->settings, at, p->name, got,
                         expected[k]);
        }
    }
}

static void check_rule(const Rule *r, const char *kind, const char *shape)
{
    char settings[200];
    snprintf(settings, sizeof settings, "steps=%d length=6 batch=8 %s", STEPS, r->settings);
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound_model(kind, shape, t);
    double *work = numbers(4 * m->params.total);
    ThTrainer *tr = made_trainer(m, t, settings, 1);
    for (int at = 0; at < STEPS; at++)
        check_step(r, at, m, t, tr, work);
    assert_true(th_trainer_done(tr));
    th_trainer_free(tr);
    free(work);
    th_model_free(m);
    th_task_free(t);
}

#define LEVEL                                                                                      \
    {                                                                                              \
        1, 1, 1, 1                                                                                 \
    }

static const Rule rules[] = {
    {"optimizer=sgd lr=0.05 momentum=0 clip=0", 's', 0.05, 0, 0, 0, 0, 0, LEVEL},
    {"optimizer=sgd lr=0.05 clip=0", 's', 0.05, 0.9, 0, 0, 0, 0, LEVEL},
    {"optimizer=sgd lr=0.05 momentum=0.6 decay=0.3 clip=0.1", 's', 0.05, 0.6, 0, 0, 0.3, 0.1,
     LEVEL},
    {"lr=0.01", 'a', 0.01, 0, 0.9, 0.999, 0, 1, LEVEL},
    {"optimizer=adam lr=0.01 beta1=0.7 beta2=0.95 decay=0.2 clip=0.05", 'a', 0.01, 0, 0.7, 0.95,
     0.2, 0.05, LEVEL},
    {"optimizer=adamw lr=0.02 decay=0.4", 'w', 0.02, 0, 0.9, 0.999, 0.4, 1, LEVEL},
    /* Gradients beside which Adam's 1e-8 is not nothing. */
    {"lr=0.01 clip=1e-6", 'a', 0.01, 0, 0.9, 0.999, 0, 1e-6, LEVEL},
    {"optimizer=adamw decay=0.4 lr=0.02 schedule=linear",
     'w',
     0.02,
     0,
     0.9,
     0.999,
     0.4,
     1,
     {1, 0.75, 0.5, 0.25}},
    {"lr=0.02 schedule=cosine warmup=2",
     'a',
     0.02,
     0,
     0.9,
     0.999,
     0,
     1,
     {0.5, 0.8564823, 0.51, 0.1635177}},
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        check_rule(&rules[i], "rnn", "dim=3");
        check_rule(&rules[i], "regulargpt", "dim=8 heads=2");
    }
}

/* Another rule than last time knows nothing of the steps before. */
static void test_another_rule_starts_afresh(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound_model("rnn", "dim=3", t);
    double *work = numbers(4 * m->params.total);
    ThTrainer *tr = made_trainer(m, t, "steps=5 lr=0.05 optimizer=sgd length=6 batch=8", 1);
    while (!th_trainer_done(tr))
        step(tr);
    th_trainer_free(tr);
    tr = made_trainer(m, t, "steps=2 lr=0.01 length=6 batch=8", 1);
    check_step(&rules[3], 0, m, t, tr, work);
    check_step(&rules[3], 1, m, t, tr, work);
    th_trainer_free(tr);
    free(work);
    th_model_free(m);
    th_task_free(t);
}

/* ---- the adaptive curriculum ----------------------------------------------------------------- */

/* Trains, without moving it, a model that always says b on strings of length 1, which are b with a
 * given probability; returns the step after which the curriculum first exceeded each length that it
 * took, 0 for none. */
static void watch_curriculum(const char *probability, int steps, int *grown, int most)
{
    char settings[100];
    ThTask *t = made_task("parity", probability, NULL);
    ThModel *m = made_model("rnn", "dim=2");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    int bias = th_params_find(&m->params, "head_bias");
    th_params_at(&m->params, bias)[1] = 1;
    /* Of the lengths 1 and 41 only the first is within reach. */
    snprintf(settings, sizeof settings,
             "steps=%d batch=1000 lr=0 length=1..41:40 curriculum=adaptive", steps);
    ThTrainer *tr = made_trainer(m, t, settings, 1);
    int longest = th_trainer_progress(tr).longest, n = 0;
    assert_int_equal(longest, 3);
    for (int i = 1; i <= steps; i++) {
        step(tr);
        ThTrainerProgress p = th_trainer_progress(tr);
        assert_int_equal(p.length, 1);
        if (p.longest != longest && n < most)
            grown[n++] = i;
        longest = p.longest;
    }
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

/* It is 0.95 of right answers that must be exceeded. */
static void test_curriculum_threshold(void **state)
{
    (void)state;
    int grown[3] = {0};
    watch_curriculum("probability=0.93", 300, grown, 1);
    assert_int_equal(grown[0], 0);
    watch_curriculum("probability=0.97", 300, grown, 1);
    assert_true(grown[0] > 59);
    /* A running mean of ones, each with a weight of 0.05, from 0 and then from 0.6. */
    watch_curriculum("probability=1", 150, grown, 3);
    assert_int_equal(grown[0], 59);
    assert_int_equal(grown[1], 59 + 41);
    assert_int_equal(grown[2], 59 + 2 * 41);
}

/* The numbers of KERPLE's power form, (4) and (4). */
static void held_numbers(const ThModel *m, float *number)
{
    static const char *const names[] = {"position.scale", "position.power"};
    for (int i = 0; i < 2; i++) {
        int index = th_params_find(&m->params, names[i]);
        assert_true(index >= 0);
        memcpy(number + (ptrdiff_t)4 * i, th_params_at(&m->params, index), 4 * sizeof *number);
    }
}

/* Steps that are too large end at a bound, and the next may leave it: the authors set what is
 * outside to the bound before every forward pass. */
static void test_held_numbers(void **state)
{
    (void)state;
    enum { ALL = 60, N = 8 };
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("transformer", "dim=8 heads=4 layers=1 position=kerple_power");
    ThTrainer *tr = made_trainer(m, t, "steps=60 lr=0.3 batch=4 length=1..6", 1);
    bool low[N] = {0}, high[N] = {0};
    float *power = th_params_at(&m->params, th_params_find(&m->params, "position.power"));
    for (int k = 0; k < 4; k++)
        power[k] = k % 2 ? 3 : -3; /* both count as 2 */
    th_params_hold(&m->params);
    for (int k = 0; k < 4; k++)
        high[4 + k] = power[k] > 1.999F && power[k] <= 2;
    int left_low = 0, left_high = 0;
    for (int i = 0; i < ALL; i++) {
        float number[N];
        step(tr);
        held_numbers(m, number);
        for (int k = 0; k < N; k++) {
            assert_true(number[k] >= 0.01F && (k < 4 || number[k] <= 2));
            left_low += low[k] && number[k] > 0.011F;
            left_high += high[k] && number[k] < 1.9F;
            low[k] = number[k] < 0.0101F;
            high[k] = k >= 4 && number[k] > 1.999F;
        }
    }
    assert_true(left_low > 0 && left_high > 0);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slope_of_the_mean_loss),
        cmocka_unit_test(test_shards_add_up),
        cmocka_unit_test(test_strings_of_a_step),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_another_rule_starts_afresh),
        cmocka_unit_test(test_curriculum_threshold),
        cmocka_unit_test(test_held_numbers),
    };
    return cmocka_run_group_tests_name("training rules", tests, NULL, NULL);
}
