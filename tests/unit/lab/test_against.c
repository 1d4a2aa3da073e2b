/* test_against.c - training against an automaton: which words join, with which targets; stopping in
 * the middle changes nothing. */
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
#include "inspect/against.h"
#include "lab/evaluate.h"
#include "lab/train_loop.h"
#include "lab/train_impl.h"

/* ---- which words join ------------------------------------------------------------------------ */

static ThModel *bound(const char *kind, const char *settings, const ThTask *t)
{
    ThModel *m = made_model(kind, settings);
    assert_true(th_model_bind(m, &t->signature, 5, NULL));
    return m;
}

/* The targets that the task itself gives a word. */
static void check_target(const ThTask *t, const ThBatch *joined, int i)
{
    ThBatch own = {.B = 1, .T = th_batch_length(joined, i)};
    assert_true(th_batch_reserve(&own, &t->signature, false, NULL));
    memcpy(own.token, th_batch_token(joined, i), (size_t)own.T * sizeof *own.token);
    th_task_label(t, &own);
    assert_memory_equal(own.target, th_batch_target(&t->signature, joined, i),
                        th_batch_answers(&t->signature, &own) * sizeof *own.target);
    th_batch_free(&own);
}

static bool same_row(const ThBatch *b, int i, int j)
{
    int n = th_batch_length(b, i);
    return n == th_batch_length(b, j) &&
           memcmp(th_batch_token(b, i), th_batch_token(b, j), (size_t)n * sizeof(int)) == 0;
}

/* A comparison before the first step: the first word that joins is the shortest wrong one, each
 * joins once, and all with the targets of the task. */
static void check_joined(const char *model, const char *settings, const char *kind,
                         const char *options, const char *automaton)
{
    ThTask *t = made_task(kind, options, automaton);
    ThModel *m = bound(model, settings, t);
    ThInspectTruth truth = {0};
    assert_true(th_inspect_truth_of_task(&truth, &m->signature, t, NULL) &&
                th_inspect_against_fits(&truth, NULL));
    ThInspectAgainst a = {.model = m, .truth = &truth, .length = {1, 9, 1}, .every = 10};
    assert_true(th_inspect_against_begin(&a, false, NULL));
    const ThBatch *joined = &m->training.joined;
    const ThModelComparison *c = m->training.comparison;
    assert_int_equal(m->training.n_comparisons, 1);
    assert_true(c->step == 0 && c->wrong > 0 && c->wrong <= c->words && c->states >= 0);
    assert_in_range(joined->B, 1, TH_INSPECT_AGAINST_WRONG * (TH_INSPECT_AGAINST_NEAR + 1));
    for (int i = 0; i < joined->B; i++) {
        check_target(t, joined, i);
        for (int j = 0; j < i; j++)
            assert_false(same_row(joined, i, j));
    }
    int said[16], *due = th_batch_target(&t->signature, joined, 0), n = th_batch_length(joined, 0);
    assert_true(th_lab_predict(m, th_batch_token(joined, 0), n, said, NULL));
    bool wrong = false;
    ThBatch first = th_batch_slice(joined, &t->signature, 0, 1);
    first.T = n;
    for (size_t i = 0; i < th_batch_answers(&t->signature, &first); i++)
        wrong |= due[i] >= 0 && due[i] != said[i];
    assert_true(wrong);
    th_inspect_truth_free(&truth);
    th_model_free(m);
    th_task_free(t);
}

static void joined_words_have_the_answers_of_the_task(void **state)
{
    (void)state;
    check_joined("regulargpt", "dim=8 heads=2", "parity", "", NULL);
    check_joined("gru", "dim=8", "recognize", "", "start q0; accept q1; q0 a -> q1; q1 a,b -> q0");
    check_joined("rnn", "dim=8", "track", "", "start q0; accept q1; q0 a,b -> q1; q1 a,b -> q0");
    check_joined("lstm", "dim=8", "next_symbols", "",
                 "start q0; accept q0; q0 a -> q1; q1 b -> q0; q1 a -> q2; q2 b -> q1");
}

/* ---- what is due of an automaton with accept= -------------------------------------------------
 */

static void a_rejected_word_has_the_other_class(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound("rnn", "dim=4", t);
    ThAutomaton *odd = parse("start e; accept o; e a -> e; e b -> o; o a -> o; o b -> e");
    ThInspectTruth truth = {0};
    assert_true(th_inspect_truth_of_automaton(&truth, &m->signature, odd, "odd", NULL) &&
                th_inspect_against_fits(&truth, NULL));
    ThInspectAgainst a = {.model = m, .truth = &truth, .length = {1, 6, 1}, .every = 10};
    assert_true(th_inspect_against_begin(&a, false, NULL));
    assert_true(m->training.joined.B > 0);
    for (int i = 0; i < m->training.joined.B; i++)
        check_target(t, &m->training.joined, i);
    th_inspect_truth_free(&truth);
    th_automaton_free(odd);
    th_model_free(m);
    th_task_free(t);
}

static void an_answer_that_is_not_known_is_refused(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("cycle_navigation", "", NULL);
    ThModel *m = bound("rnn", "dim=4", t);
    ThInspectTruth truth = {.wanted = 0, .signature = &m->signature};
    assert_true(m->signature.n_classes > 2);
    assert_false(th_inspect_against_fits(&truth, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(m);
    th_task_free(t);
}

/* ---- going on -------------------------------------------------------------------------------- */

typedef struct {
    ThInspectAgainst against;
    volatile sig_atomic_t stop;
    long long at; /* the step after which it stops: 0: none */
} Watch;

static bool stepped(void *context, const ThTrainer *trainer, ThError *err)
{
    Watch *w = context;
    w->stop = th_trainer_progress(trainer).step == w->at;
    return th_inspect_against_stepped(&w->against, th_trainer_done(trainer), err);
}

/* Trains for some steps; stops after one of them, and then within its comparison if it has one. */
static bool train(ThModel *m, const ThTask *t, long long steps, long long at, bool resumed)
{
    ThOptions o;
    char text[96];
    snprintf(text, sizeof text, "steps=%lld seed=5 length=1..6 batch=8 against=parity lr=1e-2",
             steps);
    set_all(&o, th_train_options, text);
    ThTrainer *tr = th_trainer_new(m, t, &o, 2, NULL);
    ThInspectTruth truth = {0};
    assert_true(tr && th_inspect_truth_of_task(&truth, &m->signature, t, NULL));
    Watch w = {.at = at};
    w.against = (ThInspectAgainst){m, &truth, {1, 6, 1}, 6, &w.stop};
    ThTrainLoop loop = {.stop = &w.stop, .context = &w, .stepped = stepped};
    if (resumed)
        th_trainer_resume(tr);
    bool ok = th_inspect_against_begin(&w.against, resumed, NULL) && th_train_run(&loop, tr, NULL);
    th_trainer_free(tr);
    th_inspect_truth_free(&truth);
    th_options_free(&o);
    return ok;
}

static void same_training(const ThModel *a, const ThModel *b)
{
    const ThModelTraining *x = &a->training, *y = &b->training;
    assert_int_equal(x->step, y->step);
    assert_memory_equal(a->params.value, b->params.value, a->params.total * sizeof(float));
    assert_int_equal(x->n_comparisons, y->n_comparisons);
    for (size_t i = 0; i < x->n_comparisons; i++) {
        const ThModelComparison *c = &x->comparison[i], *d = &y->comparison[i];
        assert_true(c->step == d->step && c->words == d->words && c->wrong == d->wrong &&
                    c->states == d->states);
    }
    assert_int_equal(x->joined.B, y->joined.B);
    for (int i = 0; i < x->joined.B; i++) {
        int n = th_batch_length(&x->joined, i);
        assert_int_equal(n, th_batch_length(&y->joined, i));
        assert_memory_equal(th_batch_token(&x->joined, i), th_batch_token(&y->joined, i),
                            (size_t)n * sizeof(int));
    }
}

/* In the middle, and in the comparison after step 12. */
static void a_stopped_training_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    static const long long stops[] = {8, 12};
    char path[] = "/tmp/tapehead-against-XXXXXX";
    close(mkstemp(path));
    ThTask *t = made_task("parity", "", NULL);
    ThModel *whole = made_model("gru", "dim=6");
    assert_true(train(whole, t, 20, 0, false));
    assert_int_equal(whole->training.n_comparisons, 5); /* 0 6 12 18 20 */
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        ThModel *part = made_model("gru", "dim=6");
        assert_false(train(part, t, 20, stops[i], false));
        assert_int_equal(part->training.step, stops[i]);
        assert_true(th_safetensors_save(part, path, NULL));
        ThModel *copy = th_model_copy(part, NULL), *loaded = th_safetensors_load(path, NULL);
        assert_true(train(copy, t, 20 - stops[i], 0, true));
        assert_true(train(loaded, t, 20 - stops[i], 0, true));
        same_training(whole, copy);
        same_training(whole, loaded);
        th_model_free(part);
        th_model_free(copy);
        th_model_free(loaded);
    }
    th_model_free(whole);
    th_task_free(t);
    remove(path);
}

/* Words of a training before join no batch of one that is against nothing. */
static void words_join_only_where_they_are_asked_for(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m[3];
    for (int i = 0; i < 3; i++) {
        ThOptions o;
        m[i] = bound("rnn", "dim=6", t);
        set_all(&o, th_train_options,
                i == 2 ? "steps=3 batch=4 length=1..6 seed=2 against=parity"
                       : "steps=3 batch=4 length=1..6 seed=2");
        if (i > 0) {
            ThInspectTruth truth = {0};
            assert_true(th_inspect_truth_of_task(&truth, &m[i]->signature, t, NULL));
            ThInspectAgainst a = {.model = m[i], .truth = &truth, .length = {1, 6, 1}, .every = 9};
            assert_true(th_inspect_against_begin(&a, false, NULL));
            th_inspect_truth_free(&truth);
        }
        ThTrainer *tr = th_trainer_new(m[i], t, &o, 1, NULL);
        while (!th_trainer_done(tr))
            assert_true(th_trainer_step(tr, NULL));
        th_trainer_free(tr);
        th_options_free(&o);
    }
    size_t size = m[0]->params.total * sizeof(float);
    assert_memory_equal(m[0]->params.value, m[1]->params.value, size);
    assert_memory_not_equal(m[0]->params.value, m[2]->params.value, size);
    for (int i = 0; i < 3; i++)
        th_model_free(m[i]);
    th_task_free(t);
}

/* The loss of a step is the mean over all answers, those of words that have joined included. */
static void the_loss_is_that_of_all_answers(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound("rnn", "dim=6", t);
    ThOptions o;
    ThInspectTruth truth = {0};
    assert_true(th_inspect_truth_of_task(&truth, &m->signature, t, NULL));
    ThInspectAgainst a = {.model = m, .truth = &truth, .length = {1, 6, 1}, .every = 9};
    assert_true(th_inspect_against_begin(&a, false, NULL));
    set_all(&o, th_train_options, "steps=1 batch=5 length=4 seed=2 against=parity");
    ThTrainer *tr = th_trainer_new(m, t, &o, 2, NULL);
    assert_true(th_train_draw(tr, NULL) && tr->batch.B > 5);
    ThTape *tape = th_model_tape(m, TH_TAPE_FLOAT, 1, NULL);
    double loss;
    th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, tape, &tr->batch, &(ThModelForward){.share = true});
    th_tape_read(tape, th_loss_of_batch(tape, z, &m->signature, &tr->batch, 1.0 / tr->batch.B),
                 &loss);
    assert_true(th_trainer_step(tr, NULL));
    assert_true(fabs(tr->step_loss - loss) < 1e-5);
    th_tape_free(tape);
    th_trainer_free(tr);
    th_options_free(&o);
    th_inspect_truth_free(&truth);
    th_model_free(m);
    th_task_free(t);
}

/* ---- files that lie ---------------------------------------------------------------------------
 */

/* A file whose words are no words of the model is refused. */
static void damaged_words_are_refused(void **state)
{
    (void)state;
    static const int damage[][2] = {{7, 0}, {-1, 0}, {0, 9}, {0, -2}};
    char path[] = "/tmp/tapehead-against-XXXXXX";
    close(mkstemp(path));
    ThTask *t = made_task("parity", "", NULL);
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        ThError err = {0};
        ThModel *m = bound("rnn", "dim=4", t);
        ThInspectTruth truth = {0};
        assert_true(th_inspect_truth_of_task(&truth, &m->signature, t, NULL));
        ThInspectAgainst a = {.model = m, .truth = &truth, .length = {1, 6, 1}, .every = 9};
        assert_true(th_inspect_against_begin(&a, false, NULL));
        m->training.joined.token[0] = damage[i][0];
        m->training.joined.target[0] = damage[i][1];
        assert_true(th_safetensors_save(m, path, NULL));
        assert_null(th_safetensors_load(path, &err));
        assert_int_equal(err.code, TH_EVALUE);
        th_inspect_truth_free(&truth);
        th_model_free(m);
    }
    th_task_free(t);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_words_have_the_answers_of_the_task),
        cmocka_unit_test(a_rejected_word_has_the_other_class),
        cmocka_unit_test(an_answer_that_is_not_known_is_refused),
        cmocka_unit_test(a_stopped_training_goes_on_to_the_same_bits),
        cmocka_unit_test(words_join_only_where_they_are_asked_for),
        cmocka_unit_test(the_loss_is_that_of_all_answers),
        cmocka_unit_test(damaged_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
