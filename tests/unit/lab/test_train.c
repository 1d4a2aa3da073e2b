/* Training: it learns, it repeats to the bit, it can be cut and continued, it refuses nonsense. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/evaluate.h"
#include "lab/train.h"
#include "lab/train_impl.h"
#include "sanitized.h"
#include "tensor/tape/tape_impl.h"

static void set_options(ThOptions *o, const ThOptionSpec *specs, const char *options)
{
    char text[300], *save = NULL;
    ThError err = {0};
    assert_true(th_options_init(o, specs, &err));
    strcpy(text, options);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(w, '=');
        *eq = '\0';
        if (!th_options_set(o, w, eq + 1, &err))
            fail_msg("%s", err.msg);
    }
}

static ThTask *make_task(const char *kind)
{
    ThOptions o;
    set_options(&o, th_task_kind(kind)->options, "");
    ThTask *t = th_task_new(th_task_kind(kind), &o, NULL, NULL);
    th_options_free(&o);
    assert_non_null(t);
    return t;
}

static ThModel *make_model(const char *kind, const char *options)
{
    ThOptions o;
    set_options(&o, th_model_kind(kind)->options, options);
    ThModel *m = th_model_new(th_model_kind(kind), &o, NULL);
    th_options_free(&o);
    assert_non_null(m);
    return m;
}

static void train(ThModel *m, const ThTask *t, const char *options, int threads)
{
    ThOptions o;
    ThError err = {0};
    set_options(&o, th_train_options, options);
    ThTrainer *tr = th_trainer_new(m, t, &o, threads, &err);
    th_options_free(&o);
    assert_non_null(tr);
    while (!th_trainer_done(tr))
        if (!th_trainer_step(tr, &err))
            fail_msg("%s", err.msg);
    th_trainer_free(tr);
}

static void test_learns_parity(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=32 init=wide activation=gelu");
    train(m, t, "steps=600 curriculum=adaptive warmup=50 schedule=cosine lr=2e-3", 2);
    ThEvaluator *e = th_evaluator_new(m, t, 1, 2, NULL);
    ThScore s;
    assert_true(th_evaluator_length(e, 300, 200, &s, NULL));
    assert_true(s.accuracy > 0.99);
    assert_int_equal(s.n, 200);
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(t);
}

static void assert_same(const ThModel *a, const ThModel *b)
{
    size_t bytes = a->params.total * sizeof(float);
    assert_int_equal(a->training.step, b->training.step);
    assert_memory_equal(a->params.value, b->params.value, bytes);
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++) {
        const float *x = a->training.moment[k], *y = b->training.moment[k];
        assert_int_equal(!x, !y);
        if (x)
            assert_memory_equal(x, y, bytes);
    }
}

/* Once at a stretch, twice, cut in the middle, and cut with a copy in between: the same bits. */
static void test_repeats_to_the_bit(void **state)
{
    (void)state;
    static const char *const kinds[] = {"regulargpt", "lstm", "regulargpt", "lstm", "rnn"};
    static const char *const shapes[] = {"dim=16 heads=2", "dim=16", "dim=16 heads=2", "dim=16",
                                         "dim=16"};
    ThTask *t = make_task("cycle_navigation");
    for (int k = 0; k < 5; k++) {
        static const char *const also[] = {" noise=0.1", "", " optimizer=muon", " optimizer=muon",
                                           " optimizer=sgd"};
        char options[80], first[80], second[80];
        snprintf(options, 80, "steps=30 curriculum=adaptive seed=4%s", also[k]);
        snprintf(first, 80, "steps=11 curriculum=adaptive seed=4%s", also[k]);
        snprintf(second, 80, "steps=19 curriculum=adaptive%s", also[k]);
        ThModel *a = make_model(kinds[k], shapes[k]), *b = make_model(kinds[k], shapes[k]);
        ThModel *c = make_model(kinds[k], shapes[k]);
        train(a, t, options, 2);
        train(b, t, options, 2);
        assert_same(a, b);
        train(c, t, first, 2);
        ThModel *d = th_model_copy(c, NULL);
        train(d, t, second, 2);
        assert_same(a, d);
        th_model_free(a);
        th_model_free(b);
        th_model_free(c);
        th_model_free(d);
    }
    th_task_free(t);
}

/* Each rule has a momentum of its own where none is asked for. */
static void test_momentum(void **state)
{
    (void)state;
    static const char *const rules[][2] = {{"sgd", "0.9"}, {"muon", "0.95"}};
    ThTask *t = make_task("parity");
    for (int k = 0; k < 2; k++) {
        ThModel *m[3];
        for (int i = 0; i < 3; i++) {
            char options[80];
            snprintf(options, 80, "steps=3 optimizer=%s%s%s", rules[k][0],
                     i == 0 ? "" : " momentum=",
                     i == 0   ? ""
                     : i == 1 ? rules[k][1]
                              : "0.5");
            m[i] = make_model("rnn", "dim=8");
            train(m[i], t, options, 1);
        }
        size_t bytes = m[0]->params.total * sizeof(float);
        assert_memory_equal(m[0]->params.value, m[1]->params.value, bytes);
        assert_memory_not_equal(m[0]->params.value, m[2]->params.value, bytes);
        for (int i = 0; i < 3; i++)
            th_model_free(m[i]);
    }
    th_task_free(t);
}

/* Another rule than last time starts afresh, the same goes on. */
static void test_another_rule(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("rnn", "dim=8");
    train(m, t, "steps=3 optimizer=adam", 1);
    train(m, t, "steps=4 optimizer=adam", 1);
    assert_int_equal(m->training.updates, 7);
    train(m, t, "steps=2 optimizer=sgd", 1);
    assert_int_equal(m->training.updates, 2);
    assert_int_equal(m->training.step, 9);
    assert_non_null(m->training.moment[0]);
    assert_null(m->training.moment[1]);
    th_model_free(m);
    th_task_free(t);
}

/* Which parameters are hidden matrices is what their architecture says: embeddings, heads, biases
 * of attention and norms are none, and what is fused counts. */
static void test_hidden_matrices(void **state)
{
    (void)state;
    static const struct {
        const char *model, *options, *hidden;
    } all[] = {
        {"regulargpt", "dim=8 heads=2",
         "layer0.attention.query 1, layer0.attention.key_value 2, layer0.attention.output 1, "
         "layer0.feed_forward.up 1, layer0.feed_forward.down 1, "},
        {"regulargpt", "dim=8 heads=2 init=wide",
         "layer0.attention.query 1, layer0.attention.key_value 2, layer0.attention.output 1, "
         "layer0.feed_forward.up 1, layer0.feed_forward.down 1, "},
        {"transformer", "dim=8 heads=2 layers=1",
         "layer0.attention.query 1, layer0.attention.key_value 2, layer0.attention.output 1, "
         "layer0.attention.relative 1, layer0.feed_forward.up 1, layer0.feed_forward.down 1, "},
        {"rnn", "dim=8", "recurrent 1, "},
        {"lstm", "dim=8", "recurrent 4, "},
        {"gru", "dim=8", "recurrent 3, "},
    };
    ThTask *t = make_task("parity");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        ThModel *m = make_model(all[k].model, all[k].options);
        char found[400] = "";
        assert_true(th_model_bind(m, &t->signature, 1, NULL));
        for (int i = 0; i < m->params.n; i++) {
            const ThParam *p = &m->params.item[i];
            size_t n = strlen(found);
            if (p->hidden)
                snprintf(found + n, sizeof found - n, "%s %d, ", p->name, p->hidden);
        }
        assert_string_equal(found, all[k].hidden);
        th_model_free(m);
    }
    th_task_free(t);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *a = make_model("regulargpt", "dim=8 heads=2"),
            *b = make_model("regulargpt", "dim=8 heads=2");
    train(a, t, "steps=2 seed=1", 1);
    train(b, t, "steps=2 seed=2", 1);
    assert_memory_not_equal(a->params.value, b->params.value, 64);
    th_model_free(a);
    th_model_free(b);
    th_task_free(t);
}

/* Cutting the batch differently changes only the rounding: one answer a string, one a position,
 * and positions that have none. */
static void test_threads_agree(void **state)
{
    (void)state;
    static const char *const tasks[] = {"parity", "sum", "mod_arith"};
    for (int k = 0; k < 3; k++) {
        ThTask *t = make_task(tasks[k]);
        ThModel *a = make_model("regulargpt", "dim=16 heads=2");
        ThModel *b = make_model("regulargpt", "dim=16 heads=2");
        train(a, t, "steps=1 optimizer=sgd lr=0.1 length=17", 1);
        train(b, t, "steps=1 optimizer=sgd lr=0.1 length=17", 3);
        for (size_t i = 0; i < a->params.total; i++)
            assert_true(fabs((double)a->params.value[i] - (double)b->params.value[i]) < 1e-5);
        assert_true(fabs(a->training.mean_loss - b->training.mean_loss) < 1e-6);
        /* A mean over the answers: an untrained model's is about that of guessing. */
        double guess = log(t->signature.n_classes);
        assert_true(a->training.mean_loss > 0.5 * guess && a->training.mean_loss < guess + 1);
        assert_true(fabs(a->training.mean_accuracy - b->training.mean_accuracy) < 1e-12);
        th_model_free(a);
        th_model_free(b);
        th_task_free(t);
    }
}

/* With a clip that always bites, a step of plain gradient descent is as long as the learning rate
 * times the clip: so schedules and clipping show. */
static void check_rates(const char *schedule, const double *rates, int n)
{
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=8 heads=2");
    char options[200];
    snprintf(options, sizeof options,
             "steps=%d optimizer=sgd momentum=0 lr=10 clip=0.01 length=9 batch=8 %s", n, schedule);
    ThOptions o;
    set_options(&o, th_train_options, options);
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    size_t total = m->params.total;
    float *before = malloc(total * sizeof *before);
    for (int step = 0; step < n; step++) {
        double squares = 0;
        memcpy(before, m->params.value, total * sizeof *before);
        assert_true(th_trainer_step(tr, NULL));
        for (size_t i = 0; i < total; i++)
            squares += pow((double)m->params.value[i] - (double)before[i], 2);
        double expected = 10 * 0.01 * rates[step];
        if (!(fabs(sqrt(squares) - expected) <= 1e-3 * expected))
            fail_msg("%s, step %d: %g instead of %g", schedule, step, sqrt(squares), expected);
    }
    assert_true(th_trainer_done(tr));
    free(before);
    th_trainer_free(tr);
    th_options_free(&o);
    th_model_free(m);
    th_task_free(t);
}

static void test_schedules(void **state)
{
    (void)state;
    check_rates("", (double[]){1, 1, 1}, 3);
    check_rates("warmup=4", (double[]){0.25, 0.5, 0.75, 1, 1}, 5);
    check_rates("schedule=linear", (double[]){1, 0.75, 0.5, 0.25}, 4);
    check_rates("schedule=linear warmup=2", (double[]){0.5, 1, 1, 2 / 3.0, 1 / 3.0}, 5);
    check_rates("schedule=linear warmup=1", (double[]){1, 1, 0.5}, 3);
    check_rates("schedule=linear warmup=9", (double[]){1 / 9.0, 2 / 9.0, 3 / 9.0}, 3);
    check_rates("schedule=root", (double[]){1, 0.70710678, 0.57735027, 0.5}, 4);
    check_rates("schedule=cosine", (double[]){1, 0.51 + 0.245, 0.51 - 0.245}, 3);
    check_rates("schedule=root warmup=4", (double[]){0.125, 0.25, 0.375, 0.5, 0.4472136, 0.4082483},
                6);
    check_rates("schedule=cosine warmup=2", (double[]){0.5, 0.8564823, 0.51, 0.1635177}, 4);
}

/* The paper's warm-up, at the steps that one looks at first: as if so many had been done. */
static void test_root_of_the_paper(void **state)
{
    (void)state;
    static const struct {
        long long step;
        double rate;
    } known[] = {{0, 1.5811388e-6}, {999, 1.5811388e-3}, {3999, 7.9056942e-4}};
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=8 heads=2");
    ThOptions o;
    set_options(&o, th_train_options,
                "steps=5000 length=3 batch=2 lr=0.05 schedule=root warmup=1000");
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        tr->first = m->training.step - known[i].step;
        assert_true(th_trainer_step(tr, NULL));
        assert_true(fabs(tr->update.rate / known[i].rate - 1) < 1e-6);
    }
    th_trainer_free(tr);
    th_options_free(&o);
    th_model_free(m);
    th_task_free(t);
}

/* The adaptive curriculum starts at 3 and grows by 1.3, at least by 2, to the longest. */
static void test_adaptive_lengths(void **state)
{
    (void)state;
    static const int steps[] = {3, 5, 7, 9, 11, 14, 15, 0};
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=32 init=wide");
    ThOptions o;
    set_options(&o, th_train_options, "steps=600 curriculum=adaptive length=1..15 lr=2e-3");
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    int at = 0;
    while (!th_trainer_done(tr)) {
        int longest = th_trainer_progress(tr).longest;
        assert_true(th_trainer_step(tr, NULL));
        ThTrainerProgress p = th_trainer_progress(tr);
        assert_true(p.length >= 1 && p.length <= longest);
        at += p.longest != steps[at];
        assert_int_equal(p.longest, steps[at]);
    }
    assert_int_equal(steps[at], 15);
    th_trainer_free(tr);
    th_options_free(&o);
    th_model_free(m);
    th_task_free(t);
}

/* Always the longest is the longest of those asked for. */
static void test_fixed_length(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("rnn", "dim=4");
    train(m, t, "steps=3 curriculum=fixed length=2..10:3 batch=4", 1);
    assert_int_equal(m->training.trained_lo, 8);
    assert_int_equal(m->training.trained_hi, 8);
    th_model_free(m);
    th_task_free(t);
}

static void test_divergence_stops(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=8 heads=2");
    ThOptions o;
    set_options(&o, th_train_options, "steps=500 optimizer=sgd lr=1000 clip=0 length=5");
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    ThError err = {0};
    while (!th_trainer_done(tr) && th_trainer_step(tr, &err))
        continue;
    assert_int_equal(err.code, TH_ENUMERIC);
    assert_non_null(strstr(err.msg, "not a finite number"));
    for (size_t i = 0; i < m->params.total; i++)
        assert_true(isfinite(m->params.value[i]));
    th_trainer_free(tr);
    th_options_free(&o);
    th_model_free(m);
    th_task_free(t);
}

static void test_other_alphabet(void **state)
{
    (void)state;
    ThTask *p = make_task("parity"), *c = make_task("cycle_navigation");
    ThModel *m = make_model("regulargpt", "dim=8 heads=2");
    ThOptions o;
    ThError err = {0};
    train(m, p, "steps=1", 1);
    set_options(&o, th_train_options, "steps=1");
    assert_null(th_trainer_new(m, c, &o, 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_int_equal(m->training.step, 1);
    th_options_free(&o);
    th_model_free(m);
    th_task_free(p);
    th_task_free(c);
}

static void test_gradcheck(void **state)
{
    (void)state;
    size_t n;
    const ThModelKind *const *kinds = th_model_kinds(&n);
    static const char *const tasks[] = {"cycle_navigation", "sum", "mod_arith"};
    /* What scripts/arm64 runs in emulation takes a hundred times as long. */
    bool part = SANITIZED || getenv("EMULATOR");
    for (size_t k = 0; k < n; k++) {
        for (size_t i = part ? k % 3 : 0; i < 3; i += part ? 3 : 1) {
            ThTask *t = make_task(tasks[i]);
            ThOptions o;
            set_options(&o, kinds[k]->options, "");
            th_options_set(&o, "dim", "8", NULL);
            th_options_set(&o, "heads", "2", NULL);
            ThModel *m = th_model_new(kinds[k], &o, NULL);
            th_options_free(&o);
            ThGradcheck *g = th_gradcheck(m, t, &(ThGradcheckShape){5, 3, 8, 2}, NULL);
            assert_non_null(g);
            /* The maps of PD-SSM are learned by a gradient that is no slope. */
            bool slopes = strcmp(kinds[k]->name, "pd_ssm") != 0;
            if ((slopes && !(g->worst < 1e-5)) || !(g->worst_fast < 1e-3))
                fail_msg("%s on %s: %g, %g", kinds[k]->name, tasks[i], g->worst, g->worst_fast);
            th_gradcheck_free(g);
            th_model_free(m);
            th_task_free(t);
        }
    }
}

/* An operation y = 2x whose gradients are multiplied by what a test wants. */
static double float_fault = 1, double_fault = 1;

static void twice_forward(ThTape *t, ThTapeNode *n)
{
    const float *x = th_tape_in_float(t, n, 0);
    for (int i = 0; i < n->rows * n->cols; i++)
        ((float *)n->value)[i] = 2 * x[i];
}

static void twice_backward(ThTape *t, ThTapeNode *n)
{
    float *dx = th_tape_grad_float_zeroed(t, n, 0);
    for (int i = 0; i < n->rows * n->cols; i++)
        dx[i] += (float)(2 * float_fault) * ((float *)n->grad)[i];
}

static void twice_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *x = th_tape_in_double(t, n, 0);
    for (int i = 0; i < n->rows * n->cols; i++)
        ((double *)n->value)[i] = 2 * x[i];
}

static void twice_backward_double(ThTape *t, ThTapeNode *n)
{
    double *dx = th_tape_grad_double(t, n, 0);
    for (int i = 0; i < n->rows * n->cols; i++)
        dx[i] += 2 * double_fault * ((double *)n->grad)[i];
}

static bool bag_bind(ThModel *m, ThError *err)
{
    return th_params_add(&m->params, "embedding", m->signature.n_symbols, m->signature.n_classes,
                         TH_INIT_NORMAL, 1, err) == 0;
}

/* The answer is twice the row of the last symbol. */
static ThVar bag_forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    static const ThOp twice = {"twice", twice_forward, twice_backward, twice_forward_double,
                               twice_backward_double};
    (void)how;
    int *last = th_tape_take(t, (size_t)b->B, sizeof *last);
    for (int i = 0; i < b->B; i++)
        last[i] = b->token[i * b->T + b->T - 1];
    ThVar x = th_op_rows(t, th_param(t, 0), last, b->B, 1);
    ThTapeNode *n = th_tape_node(t, &twice, b->B, m->signature.n_classes, &x, 1);
    return th_tape_node_run(t, n);
}

static ThGradcheck check_bag(double of_float, double of_double)
{
    static const ThOptionSpec none[] = {{NULL, 0, NULL, 0, 0, NULL, NULL}};
    static const ThModelKind bag = {
        .name = "bag", .options = none, .bind = bag_bind, .forward = bag_forward};
    ThOptions o = {0};
    assert_true(th_options_init(&o, none, NULL));
    ThTask *t = make_task("cycle_navigation");
    ThModel *m = th_model_new(&bag, &o, NULL);
    float_fault = of_float;
    double_fault = of_double;
    ThGradcheck *g = th_gradcheck(m, t, &(ThGradcheckShape){4, 6, 15, 1}, NULL), copy = *g;
    th_gradcheck_free(g);
    th_model_free(m);
    th_task_free(t);
    th_options_free(&o);
    return copy;
}

/* The check finds what is wrong, in the implementation where it is wrong. */
static void test_gradcheck_finds_faults(void **state)
{
    (void)state;
    ThGradcheck g = check_bag(1, 1);
    assert_true(g.worst < 1e-6 && g.worst_fast < 1e-5);
    g = check_bag(1, 1.001);
    assert_true(g.worst > 1e-4 && g.worst_fast > 1e-4);
    g = check_bag(0.99, 1);
    assert_true(g.worst < 1e-6 && g.worst_fast > 1e-3);
    g = check_bag((double)NAN, 1);
    assert_true(g.worst < 1e-6 && isnan(g.worst_fast));
    g = check_bag(1, (double)NAN);
    assert_false(g.worst < 1);
}

/* What cannot be trained says so before anything has changed. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"rnn", "steps=1 noise=0.1", "rnn has none"},
        {"regulargpt", "steps=1 length=1000000 batch=1000000", "too much at a time"}};
    ThTask *t = make_task("parity");
    for (int i = 0; i < 2; i++) {
        ThModel *m = make_model(cases[i][0], "");
        ThOptions o;
        ThError err = {0};
        set_options(&o, th_train_options, cases[i][1]);
        ThTrainer *tr = th_trainer_new(m, t, &o, 2, &err);
        assert_false(tr && th_trainer_step(tr, &err));
        th_trainer_free(tr);
        assert_non_null(strstr(err.msg, cases[i][2]));
        assert_false(m->bound);
        th_options_free(&o);
        th_model_free(m);
    }
    th_task_free(t);
}

/* Tokens that the alphabet does not have are an error, not a read beyond the embeddings. */
static void test_foreign_tokens(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=8 heads=2");
    train(m, t, "steps=1", 1);
    for (int token = -1; token <= 2; token += 3) {
        ThError err = {0};
        int answer;
        assert_false(th_lab_predict(m, (int[]){0, token, 1}, 3, &answer, &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_null(th_model_trace(m, &token, 1, NULL));
    }
    th_model_free(m);
    th_task_free(t);
}

/* Decay alone can make parameters grow; they stay finite, and the training stops. */
static void test_growth_stops(void **state)
{
    (void)state;
    static const char *const kinds[] = {"regulargpt", "rnn", "transformer"};
    static const char *const rules[] = {"adamw", "sgd", "adam", "muon"};
    ThTask *t = make_task("parity");
    for (int i = 0; i < 12; i++) {
        ThModel *m = make_model(kinds[i / 4], "dim=8");
        char options[99];
        snprintf(options, 99, "steps=50 lr=1000 decay=1000 length=5 clip=0 optimizer=%s",
                 rules[i % 4]);
        ThOptions o;
        ThError err = {0};
        set_options(&o, th_train_options, options);
        ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
        while (!th_trainer_done(tr) && th_trainer_step(tr, &err))
            continue;
        assert_true(err.code == TH_ENUMERIC || th_trainer_done(tr));
        for (size_t k = 0; k < m->params.total; k++)
            assert_true(isfinite(m->params.value[k]));
        th_trainer_free(tr);
        th_options_free(&o);
        th_model_free(m);
    }
    th_task_free(t);
}

/* Answers are not disturbed by the noise of training. */
static void test_noise_only_in_training(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim=8 heads=2");
    train(m, t, "steps=3 noise=5", 1);
    int a, b, token[] = {1, 0, 1, 1};
    assert_true(th_lab_predict(m, token, 4, &a, NULL));
    assert_true(th_lab_predict(m, token, 4, &b, NULL));
    assert_int_equal(a, b);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns_parity),
        cmocka_unit_test(test_repeats_to_the_bit),
        cmocka_unit_test(test_hidden_matrices),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_another_rule),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_divergence_stops),
        cmocka_unit_test(test_other_alphabet),
        cmocka_unit_test(test_gradcheck),
        cmocka_unit_test(test_noise_only_in_training),
        cmocka_unit_test(test_gradcheck_finds_faults),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_foreign_tokens),
        cmocka_unit_test(test_growth_stops),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_root_of_the_paper),
        cmocka_unit_test(test_adaptive_lengths),
        cmocka_unit_test(test_fixed_length),
    };
    return cmocka_run_group_tests_name("train", tests, NULL, NULL);
}
