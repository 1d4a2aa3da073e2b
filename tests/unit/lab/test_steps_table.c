/* The loss of table_loss= on recurrent networks, beside one that is computed step by step with the
 * cell that proofs are about: its slopes by parameters and by centres. */
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
#include "proof/cell/cell.h"

enum { MOST_LABELS = 8, MOST_STEPS = 24, MOST_DIM = 16 };

/* Three classes each; in the second one a symbol leads to some of the states alone. */
static const char S3[] = "q a -> r ; q b -> r ; r a -> q ; r b -> p ; p a -> p ; p b -> q\n"
                         "start q\noutput q A\noutput r B\noutput p C";
static const char ENDS[] = "q a -> r ; q b -> q ; r a -> r ; r b -> p ; p a -> r ; p b -> q\n"
                           "start q\noutput q A\noutput r B\noutput p C";

/* ---- the loss, step by step ------------------------------------------------------------------ */

typedef struct {
    ThDfa *machine;
    int labels, dim, n; /* n: steps; label q k + a is state q behind symbol a */
    bool met[MOST_LABELS];
    int from[MOST_STEPS], symbol[MOST_STEPS], into[MOST_STEPS]; /* from -1: a string's start */
    double centre[MOST_LABELS][MOST_DIM], held[MOST_LABELS][MOST_DIM]; /* held: as products */
    double sharp;
    double told[MOST_STEPS], near[MOST_STEPS]; /* what each step counts; they add up to 1 */
} Steps;

static void list_steps(Steps *x)
{
    const ThDfa *d = x->machine;
    int k = d->n_symbols;
    x->labels = d->n_states * k;
    assert_true(x->labels <= MOST_LABELS);
    for (int q = 0; q < d->n_states; q++)
        for (int a = 0; a < k; a++)
            x->met[d->next[q * k + a] * k + a] = true;
    for (int i = -1; i < x->labels; i++)
        for (int a = 0; (i < 0 || x->met[i]) && a < k; a++, x->n++) {
            x->from[x->n] = i;
            x->symbol[x->n] = a;
            x->into[x->n] = d->next[(i < 0 ? d->start : i / k) * k + a] * k + a;
        }
}

static double squared(const double *a, const double *b, int dim)
{
    double squares = 0;
    for (int k = 0; k < dim; k++)
        squares += (a[k] - b[k]) * (a[k] - b[k]);
    return squares;
}

/* Four over the square of the mean distance of centres from their nearest, or of 1. */
static double sharpness(const Steps *x)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < x->labels; i++) {
        double least = HUGE_VAL;
        for (int j = 0; x->met[i] && j < x->labels; j++)
            if (j != i && x->met[j])
                least = fmin(least, squared(x->centre[i], x->centre[j], x->dim));
        sum += x->met[i] ? sqrt(least) : 0;
        n += x->met[i];
    }
    return 4 / pow(fmax(1, sum / n), 2);
}

static void step(const Steps *x, const ThProofCell *f, int i, double *to)
{
    double room[256];
    assert_true(th_proof_cell_room(f) <= 256);
    th_proof_cell_apply(f, x->from[i] < 0 ? f->start : x->centre[x->from[i]], x->symbol[i], room,
                        to);
}

/* Minus the logarithm of the probability of the right label. */
static double entropy(const Steps *x, const double *z, int right)
{
    double own = squared(z, x->held[right], x->dim), sum = 0;
    for (int j = 0; j < x->labels; j++)
        if (x->met[j])
            sum += exp(x->sharp * (own - squared(z, x->held[j], x->dim)));
    return log(sum);
}

static double loss_of(const ThModel *m, const Steps *x)
{
    ThProofCell *f = th_proof_cell_new(m, NULL);
    double z[MOST_DIM], logit[4], steps = 0, answers = 0;
    int asked = 0, k = x->machine->n_symbols;
    for (int i = 0; i < x->n; i++) {
        step(x, f, i, z);
        steps += x->told[i] * entropy(x, z, x->into[i]) +
                 x->near[i] * squared(z, x->centre[x->into[i]], x->dim) * x->sharp / 4;
    }
    for (int i = 0; i < x->labels; i++) {
        double sum = 0;
        if (!x->met[i])
            continue;
        th_proof_cell_logits(f, x->centre[i], logit);
        for (int c = 0; c < f->n_classes; c++)
            sum += exp(logit[c] - logit[x->machine->label[i / k]]);
        answers += log(sum);
        asked++;
    }
    th_proof_cell_free(f);
    return steps + answers / asked;
}

/* Steps count the more the more is lost there, and the farther they come from where they should;
 * nothing beyond half of a gap. */
static void weigh(const ThModel *m, Steps *x)
{
    ThProofCell *f = th_proof_cell_new(m, NULL);
    double z[MOST_DIM], told = 0, near = 0;
    for (int i = 0; i < x->n; i++) {
        step(x, f, i, z);
        told += x->told[i] = 0.01 + entropy(x, z, x->into[i]);
        near += x->near[i] = 0.01 + fmin(1, squared(z, x->centre[x->into[i]], x->dim) * x->sharp);
    }
    for (int i = 0; i < x->n; i++) {
        x->told[i] /= told;
        x->near[i] /= near;
    }
    th_proof_cell_free(f);
}

/* The steps of a model as its table stands. */
static Steps steps_of(const ThModel *m, const ThTask *t)
{
    Steps x = {.machine = th_dfa_minimize(th_task_machine(t, NULL), NULL, NULL)};
    ThProofCell *f = th_proof_cell_new(m, NULL);
    x.dim = f->dim;
    th_proof_cell_free(f);
    list_steps(&x);
    assert_true(x.dim <= MOST_DIM);
    const double *from = th_model_centres(m, x.labels, x.dim);
    assert_non_null(from);
    for (int i = 0; i < x.labels; i++) {
        memcpy(x.centre[i], from + i * x.dim, (size_t)x.dim * sizeof *from);
        memcpy(x.held[i], from + i * x.dim, (size_t)x.dim * sizeof *from);
    }
    x.sharp = sharpness(&x);
    weigh(m, &x);
    return x;
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static const double WEIGHT = 0.7;

static double weighted_loss(const ThModel *m, const void *x)
{
    return WEIGHT * loss_of(m, x);
}

/* A step of gradient descent with the loss beside one without it: the parameters differ by its
 * slope.  The centres move against theirs, by Adam's first step all as far. */
static void check_slopes(const char *kind, const char *settings, const char *automaton)
{
    const double rate = 1e-3;
    const char *rest = "steps=2 batch=1 length=2 lr=1e-3 optimizer=sgd momentum=0 clip=0 seed=5";
    char with[160];
    snprintf(with, sizeof with, "%s table_loss=%g", rest, WEIGHT);
    ThTask *t = made_task("output", "labels=final", automaton);
    ThModel *a = made_model(kind, settings), *b = made_model(kind, settings);
    train_on(a, t, "steps=40 batch=8 length=2..4 table_loss=1 lr=1e-2 seed=5");
    train_on(b, t, "steps=40 batch=8 length=2..4 table_loss=1 lr=1e-2 seed=5");
    Steps x = steps_of(a, t);
    ThTrainer *ta = made_trainer(a, t, with, 1), *tb = made_trainer(b, t, rest, 1);
    float *before = th_copy(a->params.value, a->params.total, sizeof *before, NULL);
    assert_true(th_trainer_step(ta, NULL) && th_trainer_step(tb, NULL));
    check_step_slope(a, b, before, &(StepLoss){kind, rate, 1e-3, weighted_loss, &x});
    double sides[2];
    const double *after = th_model_centres(a, x.labels, x.dim);
    int told = 0, met = 0;
    for (int i = 0; i < x.labels * x.dim; i++) {
        double *number = &x.centre[i / x.dim][i % x.dim], was = *number, moved = after[i] - was;
        assert_true(fabs(after[i]) <= 0.9 + 1e-6);
        for (int side = 0; side < 2; side++) {
            *number = was + (side ? 1e-4 : -1e-4);
            sides[side] = loss_of(a, &x);
        }
        *number = was;
        double slope = (sides[1] - sides[0]) / 2e-4;
        met += x.met[i / x.dim];
        if (!x.met[i / x.dim])
            assert_true(moved == 0);
        if (fabs(slope) < 1e-3 || fabs(was) > 0.89)
            continue;
        told++;
        if (!(moved * slope < 0 && fabs(fabs(moved) / (5 * rate) - 1) < 0.02))
            fail_msg("%s: centre %d moves by %g, and the slope is %g", kind, i / x.dim, moved,
                     slope);
    }
    if (!(told > met / 2))
        fail_msg("%s: only %d of %d numbers have a slope", kind, told, met);
    free(before);
    th_dfa_free(x.machine);
    th_trainer_free(ta);
    th_trainer_free(tb);
    th_model_free(a);
    th_model_free(b);
    th_task_free(t);
}

static void test_slopes(void **state)
{
    (void)state;
    check_slopes("gru", "dim=5", S3);
    check_slopes("gru", "dim=5", ENDS);
    check_slopes("lstm", "dim=3 layers=2", S3);
    check_slopes("rnn", "dim=6 activation=tanh head=linear", ENDS);
    check_slopes("lrnn", "dim=4 block=2", ENDS);
}

/* Noise is for the table alone: a network's run has none. */
static void test_noise(void **state)
{
    (void)state;
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = made_model("gru", "dim=4");
    ThOptions o;
    ThError err;
    set_all(&o, th_train_options, "steps=2 noise=0.1");
    assert_null(th_trainer_new(m, t, &o, 1, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    th_options_free(&o);
    ThModel *other = made_model("gru", "dim=4");
    train_on(m, t, "steps=2 table_loss=1 noise=0.1 seed=3");
    train_on(other, t, "steps=2 table_loss=1 seed=3");
    assert_memory_not_equal(m->params.value, other->params.value,
                            m->params.total * sizeof *m->params.value);
    th_model_free(other);
    th_model_free(m);
    th_task_free(t);
}

/* How far each pair was from right in a model's first step, with noise and without. */
static double *first_distances(const ThTask *t, const char *noise, int *n)
{
    enum { HEAD = 5, PAIRS = 1 };
    char settings[80];
    ThModel *m = made_model("gru", "dim=4");
    snprintf(settings, sizeof settings, "steps=1 table_loss=1 seed=3 noise=%s", noise);
    train_on(m, t, settings);
    *n = (int)m->training.pull[PAIRS];
    double *far = th_copy(m->training.pull + HEAD, (size_t)*n, sizeof *far, NULL);
    th_model_free(m);
    return far;
}

/* What a string begins with is one state, which has none: of the others each copy has its own. */
static void test_start(void **state)
{
    (void)state;
    enum { SYMBOLS = 2, STEPS = 14, COPIES = 16 };
    ThTask *t = made_task("output", "labels=final", S3);
    int n;
    double *still = first_distances(t, "0", &n), *noisy = first_distances(t, "0.5", &n);
    assert_int_equal(n, STEPS * COPIES);
    for (int i = 0; i < n; i++) {
        assert_true(still[i] == still[i % STEPS]);
        if (i % STEPS < SYMBOLS)
            assert_true(noisy[i] == still[i]);
        else
            assert_true(noisy[i] != still[i] && (i < STEPS || noisy[i] != noisy[i % STEPS]));
    }
    free(still);
    free(noisy);
    th_task_free(t);
}

/* Centres begin as states that a step can lead to: of an lstm h has the signs of c.  Copies are no
 * pairs of their own in what is said. */
static void test_drawn(void **state)
{
    (void)state;
    enum { LABELS = 6, DIM = 5, STEPS = 14 };
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = made_model("lstm", "dim=5");
    ThTrainer *tr = made_trainer(m, t, "steps=2 table_loss=1 seed=4", 1);
    ThTrainLevels levels;
    assert_true(th_trainer_step(tr, NULL) && th_trainer_levels(tr, &levels));
    assert_int_equal(levels.pairs, STEPS);
    const double *began = m->training.pull + m->training.n_pull - 2 * LABELS * 2 * DIM;
    for (int i = 0; i < LABELS; i++)
        for (int k = 0; k < DIM; k++) {
            double h = began[i * 2 * DIM + k], c = began[i * 2 * DIM + DIM + k];
            assert_true(h * c > 0 && fabs(h) < fabs(tanh(c)));
        }
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slopes), cmocka_unit_test(test_noise),
                                       cmocka_unit_test(test_start), cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
