/* The loss of table_loss=, beside one that is computed pair by pair with the map that proofs are
 * about: its slopes by parameters and by centres; what is left of it, which quantize takes; and a
 * training that is interrupted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/models/safetensors.h"
#include "given.h"
#include "lab/label_pairs.h"
#include "lab/train_impl.h"
#include "proof/check/quantize.h"
#include "proof/map.h"

/* Six functions that do not commute, and three classes. */
static const char S3[] = "q a -> r ; q b -> r ; r a -> q ; r b -> p ; p a -> p ; p b -> q\n"
                         "start q\noutput q A\noutput r B\noutput p C";

/* ---- the loss, pair by pair ------------------------------------------------------------------ */

typedef struct {
    ThProofLabels *l;
    double *centre; /* (labels, dim) */
    int dim;
    double sharp;
    const int *word; /* the only string */
    int length;
} Table;

static int first_of(const ThProofLabels *l, int i)
{
    int first = 0;
    while (l->kind[first] != l->kind[i] || !th_proof_labels_same_map(l, i, first))
        first++;
    return first;
}

static double square_distance(const double *a, const double *b, int dim)
{
    double squares = 0;
    for (int k = 0; k < dim; k++)
        squares += (a[k] - b[k]) * (a[k] - b[k]);
    return squares;
}

/* Four over the square of the mean distance of centres from their nearest. */
static double sharpness(const Table *x)
{
    const ThProofLabels *l = x->l;
    double sum = 0;
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        double least = HUGE_VAL;
        for (int j = 0; j < l->n; j++)
            if (first_of(l, j) != first_of(l, i) && l->kind[i] == l->kind[j])
                least = fmin(
                    least, square_distance(x->centre + i * x->dim, x->centre + j * x->dim, x->dim));
        if (first_of(l, i) == i && isfinite(least)) {
            sum += sqrt(least);
            n++;
        }
    }
    return 4 / pow(sum / n, 2);
}

/* Minus the logarithm of the probability of a label among those of its kind. */
static double entropy(const Table *x, const double *z, int label)
{
    const ThProofLabels *l = x->l;
    double own = square_distance(z, x->centre + label * x->dim, x->dim), sum = 0;
    for (int i = 0; i < l->n; i++)
        if (l->kind[i] == l->kind[label] && first_of(l, i) == i)
            sum += exp(x->sharp * (own - square_distance(z, x->centre + i * x->dim, x->dim)));
    return log(sum);
}

static double loss_of(const ThModel *m, const Table *x)
{
    const ThProofLabels *l = x->l;
    ThProofMap *f = th_proof_map_new(m, NULL);
    int d = x->dim, n = 0, asked = 0;
    double z[16], pairs = 0, answers = 0;
    for (int a = -1; a < l->n; a++)
        for (int b = 0; b < l->n; b++) {
            int into = th_proof_labels_product(l, a, b);
            if (into < 0)
                continue;
            assert_true(th_proof_map_apply(f, a < 0 ? NULL : x->centre + a * d, x->centre + b * d,
                                           1, z, NULL));
            pairs += entropy(x, z, into);
            n++;
        }
    for (int i = x->length % 2; i <= x->length; i += 2) {
        int odd = i == 1;
        if (i == 0)
            continue;
        const double *last = f->leaf + x->word[i - 1] * d;
        const double *before = odd ? NULL : f->leaf + x->word[i - 2] * d;
        int into =
            odd ? l->single[x->word[0]] : l->pair[x->word[i - 2] * l->n_symbols + x->word[i - 1]];
        assert_true(into >= 0 && th_proof_map_apply(f, before, last, 1, z, NULL));
        pairs += entropy(x, z, into);
    }
    for (int i = 0; i < l->n; i++) {
        double logit[8], sum = 0;
        if (l->answer[i] < 0)
            continue;
        th_proof_map_logits(f, x->centre + i * d, logit);
        for (int c = 0; c < f->n_classes; c++)
            sum += exp(logit[c] - logit[l->answer[i]]);
        answers += log(sum);
        asked++;
    }
    th_proof_map_free(f);
    return pairs / n + answers / asked;
}

/* The table of a model before a step, whose batch is one word. */
static Table table_of(const ThModel *m, const ThTask *t, const ThBatch *b)
{
    Table x = {
        .l = th_train_labels(t, m->signature.n_classes, NULL), .word = b->token, .length = b->T};
    assert_non_null(x.l);
    x.dim = (int)th_option_int(&m->options, "dim");
    assert_int_equal(m->training.n_centres, x.l->n);
    size_t size = (size_t)x.l->n * (size_t)x.dim;
    x.centre = th_copy(m->training.pull + m->training.n_pull - size, size, sizeof(double), NULL);
    x.sharp = sharpness(&x);
    return x;
}

static void free_table(Table *x)
{
    th_proof_labels_free(x->l);
    free(x->centre);
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
    enum { DIM = 8 };
    const double rate = 1e-3;
    const char *rest = "steps=2 batch=1 length=2 lr=1e-3 optimizer=sgd momentum=0 clip=0 seed=5";
    char with[160];
    snprintf(with, sizeof with, "%s table_loss=%g", rest, WEIGHT);
    ThTask *t = made_task(kind, settings, automaton);
    ThModel *a = made_model("regulargpt", "dim=8 heads=2"),
            *b = made_model("regulargpt", "dim=8 heads=2");
    train_on(a, t, "steps=3 batch=8 length=2..4 table_loss=1 lr=1e-2 seed=5");
    train_on(b, t, "steps=3 batch=8 length=2..4 table_loss=1 lr=1e-2 seed=5");
    ThTrainer *ta = made_trainer(a, t, with, 1), *tb = made_trainer(b, t, rest, 1);
    assert_true(th_train_draw(ta, NULL));
    Table x = table_of(a, t, &ta->batch);
    size_t size = a->params.total, centres = (size_t)x.l->n * DIM;
    float *before = th_copy(a->params.value, size, sizeof *before, NULL);
    assert_true(th_trainer_step(ta, NULL) && th_trainer_step(tb, NULL));
    check_step_slope(a, b, before, &(StepLoss){kind, rate, 1e-3, weighted_loss, &x});
    double sides[2];
    const double *after = a->training.pull + a->training.n_pull - centres;
    int told = 0;
    for (size_t i = 0; i < centres; i++) {
        int label = (int)i / DIM;
        double was = x.centre[i], moved = after[i] - was;
        if (first_of(x.l, label) != label)
            continue;
        for (int side = 0; side < 2; side++) {
            for (int j = 0; j < x.l->n; j++) /* those that share it move, too */
                if (first_of(x.l, j) == label)
                    x.centre[j * DIM + (int)i % DIM] = was + (side ? 1e-4 : -1e-4);
            sides[side] = loss_of(a, &x);
        }
        for (int j = 0; j < x.l->n; j++)
            if (first_of(x.l, j) == label)
                x.centre[j * DIM + (int)i % DIM] = was;
        double slope = (sides[1] - sides[0]) / 2e-4;
        if (fabs(slope) < 1e-4)
            continue;
        told++;
        if (!(moved * slope < 0 && fabs(fabs(moved) / (5 * rate) - 1) < 0.02))
            fail_msg("%s: centre %d moves by %g, and the slope is %g", kind, label, moved, slope);
    }
    assert_true(told > (int)centres / 4);
    free(before);
    free_table(&x);
    th_trainer_free(ta);
    th_trainer_free(tb);
    th_model_free(a);
    th_model_free(b);
    th_task_free(t);
}

static void test_slopes(void **state)
{
    (void)state;
    check_slopes("output", "labels=final", S3);
    check_slopes("modular_arithmetic", "modulus=2", NULL); /* labels share centres there */
}

/* ---- what it is for -------------------------------------------------------------------------- */

static ThProofQuantized *quantized(const ThModel *m, const ThTask *t)
{
    ThDfa *words = NULL;
    assert_true(th_task_words(t, &words, NULL));
    const ThProofAsked asked = {&t->signature, th_task_machine(t, NULL), words, 0, t->bits};
    ThProofClaim *claim = th_proof_claim_new(m, &asked, NULL, NULL);
    ThProofQuantized *q = th_proof_quantize(m, claim, 1000, 1, NULL, NULL);
    assert_non_null(q);
    th_proof_claim_free(claim);
    th_dfa_free(words);
    return q;
}

/* From nothing to a table that is right, with the centres that the training has left; another
 * training forgets them. */
static void test_right(void **state)
{
    (void)state;
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = made_model("regulargpt", "dim=16 heads=2");
    train_on(m, t, "steps=1 batch=4 length=1..4 seed=1");
    assert_int_equal(m->training.n_centres, 0);
    ThProofQuantized *q = quantized(m, t);
    assert_true(q->wrong > q->checked / 2);
    th_proof_quantized_free(q);
    train_on(m, t, "steps=400 batch=4 length=1..4 table_loss=1 optimizer=muon lr=2e-3");
    q = quantized(m, t);
    assert_int_equal(q->wrong, 0);
    assert_int_equal(m->training.n_centres, q->labels->n);
    size_t size = (size_t)q->labels->n * (size_t)q->dim;
    assert_memory_equal(q->centre, m->training.pull + m->training.n_pull - size,
                        size * sizeof *q->centre);
    th_proof_quantized_free(q);
    ThModel *other = th_model_copy(m, NULL);
    assert_non_null(th_model_centres(other, m->training.n_centres, 16));
    assert_null(th_model_centres(other, m->training.n_centres - 1, 16));
    th_train_put_back(other, m->params.value);
    assert_null(th_model_centres(other, m->training.n_centres, 16));
    th_model_free(other);
    train_on(m, t, "steps=1 batch=4 length=1..4 contraction_loss=1 radius=0.01");
    assert_int_equal(m->training.n_centres, 0);
    q = quantized(m, t);
    assert_memory_not_equal(q->centre, m->training.pull + m->training.n_pull - size,
                            size * sizeof *q->centre);
    th_proof_quantized_free(q);
    th_model_free(m);
    th_task_free(t);
}

/* Of more pairs than a step takes, those that are farthest off are taken more often. */
static void test_hard(void **state)
{
    (void)state;
    enum { SHOTS = 60, HEAD = 5 };
    ThTask *t = made_task("modular_arithmetic", "modulus=4", NULL);
    ThModel *m = made_model("regulargpt", "dim=16 heads=2");
    ThTrainer *tr = made_trainer(
        m, t, "steps=200 batch=2 length=2..4 table_loss=1 optimizer=muon lr=2e-3 seed=3", 1);
    for (int i = 0; i < 100; i++)
        assert_true(th_trainer_step(tr, NULL));
    const double *far = m->training.pull + HEAD;
    int n = (int)m->training.pull[1], never = 0;
    assert_true(n > 2048);
    int *moves = calloc((size_t)n, sizeof *moves);
    double *before = malloc((size_t)n * sizeof *before), hard = 0, others = 0;
    for (int i = 0; i < SHOTS; i++) {
        memcpy(before, far, (size_t)n * sizeof *before);
        int wrong = 0, again = 0, right = 0, drawn = 0;
        assert_true(th_trainer_step(tr, NULL));
        for (int k = 0; k < n; k++) {
            assert_true(fabs(far[k]) < 1e6); /* each was seen within the first steps */
            moves[k] += far[k] != before[k];
            wrong += before[k] > 0;
            again += before[k] > 0 && far[k] != before[k];
            right += before[k] <= 0;
            drawn += before[k] <= 0 && far[k] != before[k];
        }
        hard += wrong ? (double)again / wrong : 1;
        others += right ? (double)drawn / right : 0;
    }
    for (int k = 0; k < n; k++)
        never += moves[k] == 0;
    if (!(hard > 1.2 * others && others > 0 && never < n / 10))
        fail_msg("of %d pairs: %g of the wrong, %g of the right, %d never", n, hard / SHOTS,
                 others / SHOTS, never);
    free(before);
    free(moves);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

/* A training that goes on from a file gives the bits of one that was never stopped. */
static void test_goes_on(void **state)
{
    (void)state;
    const char *all = "steps=140 batch=4 length=1..4 table_loss=1 noise=0.1 seed=4",
               *left = "steps=77 batch=4 length=1..4 table_loss=1 noise=0.1 seed=4";
    char path[] = "/tmp/tapehead-table-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *whole = made_model("regulargpt", "dim=8 heads=2"),
            *part = made_model("regulargpt", "dim=8 heads=2");
    train_on(whole, t, all);
    ThTrainer *tr = made_trainer(part, t, all, 1);
    for (int i = 0; i < 63; i++)
        assert_true(th_trainer_step(tr, NULL));
    assert_true(th_safetensors_save(part, path, NULL));
    th_trainer_free(tr);
    ThModel *loaded = th_safetensors_load(path, NULL);
    assert_non_null(loaded);
    assert_int_equal(loaded->training.n_centres, part->training.n_centres);
    tr = made_trainer(loaded, t, left, 1);
    th_trainer_resume(tr);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    th_trainer_free(tr);
    assert_memory_equal(loaded->params.value, whole->params.value,
                        whole->params.total * sizeof(float));
    assert_int_equal(loaded->training.n_pull, whole->training.n_pull);
    assert_memory_equal(loaded->training.pull, whole->training.pull,
                        whole->training.n_pull * sizeof(double));
    remove(path);
    th_model_free(loaded);
    th_model_free(part);
    th_model_free(whole);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slopes), cmocka_unit_test(test_right),
                                       cmocka_unit_test(test_hard), cmocka_unit_test(test_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
