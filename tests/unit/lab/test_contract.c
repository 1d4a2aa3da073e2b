/* The loss of contract=: the points that it moves get as far as F can take such balls, its centres
 * stand where F takes them, and it serves the models that certify serves. */
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
#include "lab/label_pairs.h"
#include "lab/train_impl.h"
#include "proof/cell/cell.h"
#include "proof/labels.h"
#include "proof/map.h"
#include "proof/matrix.h"

enum { DIM = 8, FIRST = 3 };

/* The first symbol decides: the product of two labels is the left one. */
static const char *const first_symbol =
    "start s; accept yes; s a -> yes; s b, c -> no; yes a, b, c -> yes; no a, b, c -> no";

static ThTrainer *trainer(ThModel *m, const ThTask *t, const char *settings, ThError *err)
{
    ThOptions o;
    set_all(&o, th_train_options, settings);
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, err);
    th_options_free(&o);
    return tr;
}

static void train(ThModel *m, const ThTask *t, const char *settings, ThTrainLevels *levels)
{
    ThTrainer *tr = trainer(m, t, settings, NULL);
    assert_non_null(tr);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    if (levels)
        assert_true(th_trainer_levels(tr, levels));
    th_trainer_free(tr);
}

/* ---- pairs, by brute force ------------------------------------------------------------------- */

typedef struct {
    ThProofMap *f;
    ThProofLabels *l;
    int n;
    const double *centre, *away, *apart; /* as the trainer wrote them down */
} Sets;

static Sets sets_of(const ThModel *m, const ThTask *t)
{
    ThDfa *machine = th_dfa_minimize(th_task_machine(t, NULL), NULL, NULL), *words = NULL;
    assert_true(th_task_words(t, &words, NULL));
    Sets s = {.f = th_proof_map_new(m, NULL)};
    s.l = th_proof_labels_new(machine, words, m->signature.n_classes, 1000, NULL, NULL);
    assert_true(s.f && s.l);
    for (int x = -1; x < s.l->n; x++)
        for (int y = 0; y < s.l->n; y++)
            s.n += th_proof_labels_product(s.l, x, y) >= 0;
    size_t size = (size_t)(FIRST + (s.l->n + 2 * s.n) * DIM + s.n + s.l->n);
    assert_true(m->training.n_pull >= size); /* aux= writes before it */
    const double *known = m->training.pull + m->training.n_pull - size;
    assert_true(known[0] == s.l->n && known[1] == s.n && known[2] == DIM);
    s.centre = known + FIRST;
    s.away = s.centre + s.l->n * DIM;
    s.apart = known + size - s.l->n;
    th_dfa_free(machine);
    th_dfa_free(words);
    return s;
}

static void free_sets(Sets *s)
{
    th_proof_map_free(s->f);
    th_proof_labels_free(s->l);
}

/* How far F gets from the centre of the product, of points that lie `by` times u and v away. */
static double distance(const Sets *s, int x, int y, double by, const double *u, const double *v)
{
    double a[DIM], b[DIM], z[DIM], squares = 0;
    const double *to = s->centre + th_proof_labels_product(s->l, x, y) * DIM;
    for (int k = 0; k < DIM; k++) {
        a[k] = x < 0 ? 0 : s->centre[x * DIM + k] + by * u[k];
        b[k] = s->centre[y * DIM + k] + by * v[k];
    }
    assert_true(th_proof_map_apply(s->f, x < 0 ? NULL : a, b, 1, z, NULL));
    for (int k = 0; k < DIM; k++)
        squares += (z[k] - to[k]) * (z[k] - to[k]);
    return sqrt(squares);
}

static void draw_unit(ThRng *r, double *u)
{
    double squares = 0;
    for (int k = 0; k < DIM; k++) {
        u[k] = th_rng_normal(r);
        squares += u[k] * u[k];
    }
    for (int k = 0; k < DIM; k++)
        u[k] /= sqrt(squares);
}

static double length_of(const double *u)
{
    double squares = 0;
    for (int k = 0; k < DIM; k++)
        squares += u[k] * u[k];
    return sqrt(squares);
}

/* The farthest of both sides of the known points, and the farthest that climbing from random points
 * finds. */
static double known_distance(const Sets *s, int i, int x, int y, double radius)
{
    const double *u = s->away + (size_t)i * DIM, *v = s->away + (size_t)(s->n + i) * DIM;
    assert_true(fabs(length_of(u) - 1) < 1e-5 && fabs(length_of(v) - 1) < 1e-5);
    return fmax(distance(s, x, y, radius, u, v), distance(s, x, y, -radius, u, v));
}

static double climbed_distance(const Sets *s, int x, int y, double radius, ThRng *r)
{
    enum { STARTS = 4, STEPS = 600 };
    double most = 0;
    for (int start = 0; start < STARTS; start++) {
        double u[DIM], v[DIM], at;
        draw_unit(r, u);
        draw_unit(r, v);
        at = distance(s, x, y, radius, u, v);
        for (int step = 0; step < STEPS; step++) {
            double p[DIM], q[DIM], by = 0.5 * pow(0.99, step);
            draw_unit(r, p);
            draw_unit(r, q);
            for (int k = 0; k < DIM; k++) {
                p[k] = u[k] + by * p[k];
                q[k] = v[k] + by * q[k];
            }
            double lp = length_of(p), lq = length_of(q);
            for (int k = 0; k < DIM; k++) {
                p[k] /= lp;
                q[k] /= lq;
            }
            double then = distance(s, x, y, radius, p, q);
            if (then <= at)
                continue;
            at = then;
            memcpy(u, p, sizeof u);
            memcpy(v, q, sizeof v);
        }
        most = fmax(most, at);
    }
    return most;
}

/* With parameters that stand still (lr=0) the points come to where F takes the balls farthest, or
 * near: radius and side change with each step.  (A direction at random gets a third as far.) */
static void test_points(void **state)
{
    (void)state;
    const double radius = 0.1;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThRng r = th_rng(4, "contract", 0);
    train(m, t, "steps=300 batch=32 length=2..8 lr=1e-2 noise=0.1 pull=0.1 aux=1 seed=2", NULL);
    train(m, t, "steps=400 batch=4 length=2..8 lr=0 contract=1 radius=0.1", NULL);
    Sets s = sets_of(m, t);
    int i = 0;
    double sum = 0;
    for (int x = -1; x < s.l->n; x++)
        for (int y = 0; y < s.l->n; y++) {
            if (th_proof_labels_product(s.l, x, y) < 0)
                continue;
            double known = known_distance(&s, i++, x, y, radius);
            double most = climbed_distance(&s, x, y, radius, &r);
            assert_true(known > 0.6 * most && known < 1.05 * most);
            sum += known / most;
        }
    assert_int_equal(i, s.n);
    assert_true(sum / i > 0.88);
    free_sets(&s);
    th_model_free(m);
    th_task_free(t);
}

/* Of more than 131,072 pairs, as the 506 functions of brackets to depth 10 have, directions are not
 * kept: each step draws its own 2,048. */
static void test_many_pairs(void **state)
{
    (void)state;
    enum { AT_ONCE = 2048, MOST_KEPT = 1 << 17, NUMBERS = 2 * AT_ONCE * DIM };
    static double away[2][NUMBERS];
    ThTask *t = made_task("dyck", "depth=10", NULL);
    for (int steps = 1; steps <= 2; steps++) {
        ThModel *m = made_model("regulargpt", "dim=8 heads=2");
        train(m, t,
              steps == 1 ? "steps=1 batch=4 length=2..8 contract=1"
                         : "steps=2 batch=4 length=2..8 contract=1",
              NULL);
        const double *known = m->training.pull;
        int labels = (int)known[0], pairs = (int)known[1];
        assert_true(pairs > MOST_KEPT);
        assert_int_equal(m->training.n_pull, FIRST + labels * DIM + NUMBERS + pairs + labels);
        memcpy(away[steps - 1], known + FIRST + labels * DIM, sizeof away[0]);
        th_model_free(m);
    }
    for (int i = 0; i < 2 * AT_ONCE; i++) {
        double cosine = 0;
        for (int k = i * DIM; k < (i + 1) * DIM; k++)
            cosine += away[0][k] * away[1][k];
        assert_true(fabs(length_of(away[0] + i * DIM) - 1) < 1e-5 && cosine < 0.999999);
    }
    th_task_free(t);
}

/* ---- what it does to a model ----------------------------------------------------------------- */

/* The farthest that climbing gets from the centres, of all pairs. */
static double farthest(const ThModel *m, const ThTask *t, double radius)
{
    ThRng r = th_rng(5, "contract", 0);
    Sets s = sets_of(m, t);
    double most = 0;
    for (int x = -1; x < s.l->n; x++)
        for (int y = 0; y < s.l->n; y++)
            if (th_proof_labels_product(s.l, x, y) >= 0)
                most = fmax(most, climbed_distance(&s, x, y, radius, &r));
    free_sets(&s);
    return most / radius;
}

/* The farthest vector of the lowest level from its label's centre, in radii. */
static double farthest_lowest(const ThModel *m, const ThTask *t, double radius)
{
    Sets s = sets_of(m, t);
    double most = 0;
    for (int x = -1; x < s.l->n_symbols; x++)
        for (int y = 0; y < s.l->n_symbols; y++) {
            int into = x < 0 ? s.l->single[y] : s.l->pair[x * s.l->n_symbols + y];
            double z[DIM], squares = 0;
            const double *a = x < 0 ? NULL : s.f->leaf + x * DIM;
            assert_true(into >= 0 && th_proof_map_apply(s.f, a, s.f->leaf + y * DIM, 1, z, NULL));
            for (int k = 0; k < DIM; k++)
                squares += pow(z[k] - s.centre[into * DIM + k], 2);
            most = fmax(most, sqrt(squares));
        }
    free_sets(&s);
    return most / radius;
}

/* F of the trained model takes balls into those of their products; what the trainer says about
 * them is so. */
static void check_contraction(ThTask *t, double worse)
{
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainLevels first, last;
    train(m, t, "steps=300 batch=32 length=2..8 lr=1e-2 noise=0.1 pull=0.1 aux=1 seed=2", NULL);
    train(m, t, "steps=30 batch=4 length=2..8 lr=0 contract=1 radius=0.1", &first);
    double before = farthest(m, t, 0.1);
    train(m, t,
          "steps=600 batch=16 length=2..8 lr=2e-3 schedule=cosine contract=1 radius=0.1 "
          "aux=0.5 optimizer=muon",
          NULL);
    train(m, t, "steps=100 batch=4 length=2..8 lr=0 contract=1 radius=0.1", &last);
    double after = farthest(m, t, 0.1);
    if (!(before > worse && after < 0.9))
        fail_msg("farthest %g before, %g after", before, after);
    assert_true(farthest_lowest(m, t, 0.1) < 0.9);
    assert_true(m->training.mean_accuracy > 0.999);
    assert_true(last.pairs == first.pairs && last.pairs > 0 && last.n == 0);
    assert_true(last.farthest < 2 * after + 0.1);
    assert_true(last.far < first.far && last.far > 0 && last.farthest >= last.far);
    th_model_free(m);
    th_task_free(t);
}

static void test_contraction(void **state)
{
    (void)state;
    check_contraction(made_task("parity", "", NULL), 1.2);
}

/* Nobody may swap two labels. */
static void test_contraction_of_the_first(void **state)
{
    (void)state;
    check_contraction(made_task("recognize", "", first_symbol), 0.3);
}

/* Centres leave where they were found, for where F takes the points; F stands still. */
static void test_centres(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    train(m, t, "steps=300 batch=32 length=2..8 lr=1e-2 noise=0.1 pull=0.1 aux=1 seed=2", NULL);
    train(m, t, "steps=1 batch=4 length=2..8 lr=0 contract=1 radius=0.1", NULL);
    enum { LABELS = 4 };
    double found[LABELS * DIM], moved = 0;
    memcpy(found, m->training.pull + FIRST, sizeof found);
    train(m, t, "steps=100 batch=4 length=2..8 lr=0 contract=1 radius=0.1", NULL);
    assert_true(m->training.pull[0] == LABELS);
    for (int k = 0; k < LABELS * DIM; k++)
        moved = fmax(moved, fabs(m->training.pull[FIRST + k] - found[k]));
    assert_true(moved > 0.01 && moved < 2);
    th_model_free(m);
    th_task_free(t);
}

static bool rivals(const ThProofLabels *l, int i, int j)
{
    return l->kind[i] == l->kind[j] && !th_proof_labels_same_map(l, i, j);
}

static double between(const double *centre, int i, int j)
{
    return th_proof_length_between(centre + i * DIM, centre + j * DIM, DIM);
}

/* What a training begins with: of each label how far its nearest rival is, where vectors lie. */
static void check_apart(const ThModel *m, const ThTask *t)
{
    Sets s = sets_of(m, t);
    double *centre = malloc((size_t)s.l->n * DIM * sizeof *centre);
    assert_true(th_train_sample_centres(s.f, s.l, centre, NULL));
    for (int i = 0; i < s.l->n; i++) {
        double nearest = 1e300;
        for (int j = 0; j < s.l->n; j++)
            if (rivals(s.l, i, j))
                nearest = fmin(nearest, between(centre, i, j));
        assert_true(fabs(s.apart[i] - nearest) <= 1e-9 * nearest);
    }
    free(centre);
    free_sets(&s);
}

/* A loss of balls that are far too large draws centres together: rivals as far as the less of what
 * they had, and no less; what is no rival as far as it comes. */
static void test_rivals(void **state)
{
    (void)state;
    ThTask *t = made_task("dyck", "depth=2", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    train(m, t, "steps=600 batch=32 length=2..8 lr=1e-2 noise=0.1 pull=0.1 aux=1 seed=2", NULL);
    train(m, t, "steps=1 batch=4 length=2..8 lr=0 contract=1 radius=0.1", NULL);
    check_apart(m, t);
    train(m, t, "steps=400 batch=4 length=2..8 lr=2e-2 contract=9 radius=2", NULL);
    Sets s = sets_of(m, t);
    double nearest = 1e300, others = 1e300;
    int at_first = 0, at_second = 0; /* pairs as near as the one may come, and the other may not */
    for (int i = 0; i < s.l->n; i++)
        for (int j = 0; j < i; j++) {
            double part = between(s.centre, i, j) / fmin(s.apart[i], s.apart[j]);
            if (rivals(s.l, i, j))
                nearest = fmin(nearest, part);
            else if (!th_proof_labels_same_map(s.l, i, j))
                others = fmin(others, part);
            at_first += rivals(s.l, i, j) && part < 1.05 && s.apart[i] < 0.9 * s.apart[j];
            at_second += rivals(s.l, i, j) && part < 1.05 && s.apart[j] < 0.9 * s.apart[i];
        }
    if (!(nearest > 0.99 && others < 0.9 && at_first > 0 && at_second > 0))
        fail_msg("rivals %g, others %g, at the limit %d and %d", nearest, others, at_first,
                 at_second);
    free_sets(&s);
    th_model_free(m);
    th_task_free(t);
}

/* ---- the slope ------------------------------------------------------------------------------- */

/* What the loss is of: two vectors, or symbols, with the label of their product. */
typedef struct {
    double x[DIM], y[DIM], radius, weight;
    bool alone; /* there is no x */
    int into;
} Point;

enum { MOST = 200 };

/* The points of step 1, as contract.c has them: of every pair in a ball whose radius and side are
 * drawn, and of the different words of two symbols of a batch. */
static int find_points(const Sets *s, const ThBatch *b, double radius, Point *to)
{
    int n = 0, k = s->l->n_symbols, met[16] = {0};
    ThRng r = th_rng(3, "train.noise", 1024);
    for (int x = -1; x < s->l->n; x++)
        for (int y = 0; y < s->l->n; y++) {
            int into = th_proof_labels_product(s->l, x, y);
            Point *p = &to[n];
            if (into < 0)
                continue;
            *p = (Point){.alone = x < 0, .into = into};
            p->radius = radius * pow(4, th_rng_uniform(&r));
            double by = th_rng_below(&r, 2) ? p->radius : -p->radius;
            for (int j = 0; j < DIM; j++) {
                p->x[j] = x < 0 ? 0 : s->centre[x * DIM + j] + by * s->away[n * DIM + j];
                p->y[j] = s->centre[y * DIM + j] + by * s->away[(s->n + n) * DIM + j];
            }
            n++;
        }
    assert_int_equal(n, s->n);
    for (int i = 0; i < b->B; i++) {
        const int *word = th_batch_token(b, i);
        if (met[word[0] * k + word[1]]++)
            continue;
        Point *p = &to[n++];
        *p = (Point){.radius = radius, .into = s->l->pair[word[0] * k + word[1]]};
        p->x[0] = word[0]; /* symbols: the vectors are the model's */
        p->y[0] = word[1];
    }
    assert_true(n < MOST);
    return n;
}

/* The loss by the parameters of now, with the weights of before or, if `weigh`, of now. */
static double loss_of(const ThModel *m, const Sets *s, Point *p, int n, bool weigh,
                      double *farthest)
{
    ThProofMap *f = th_proof_map_new(m, NULL);
    double total = 0, loss = 0;
    *farthest = 0;
    for (int i = 0; i < n; i++) {
        bool leaf = i >= s->n;
        const double *x = leaf ? f->leaf + (int)p[i].x[0] * DIM : p[i].x;
        const double *y = leaf ? f->leaf + (int)p[i].y[0] * DIM : p[i].y;
        double z[DIM], squares = 0;
        assert_true(th_proof_map_apply(f, p[i].alone ? NULL : x, y, 1, z, NULL));
        for (int j = 0; j < DIM; j++)
            squares += pow(z[j] - s->centre[p[i].into * DIM + j], 2);
        double far = sqrt(squares) / p[i].radius;
        if (weigh)
            p[i].weight = 1e-3 + (far < 1 ? pow(far, 6) : 1 / far);
        total += p[i].weight;
        loss += p[i].weight * squares / p[i].radius;
        *farthest = fmax(*farthest, far);
    }
    th_proof_map_free(f);
    return loss / total;
}

/* A loss of weight 0.7 whose points are held. */
typedef struct {
    Sets *s;
    Point *p;
    int n;
} Held;

static double held_loss(const ThModel *m, const void *x)
{
    const Held *h = x;
    double most;
    return 0.7 * loss_of(m, h->s, h->p, h->n, false, &most);
}

/* What contract= adds to a step by plain gradient descent is the slope of its loss, weights held
 * still: along this way the loss falls as fast as the way is long. */
static void check_slope(const char *radius)
{
    const double rate = 0.02;
    const char *rest = "steps=2 batch=6 length=2 optimizer=sgd momentum=0 clip=0 seed=3 lr=0.02";
    char with[200];
    static Point p[MOST];
    ThTask *t = made_task("recognize", "", first_symbol);
    ThModel *a = made_model("regulargpt", "dim=8 heads=2"),
            *b = made_model("regulargpt", "dim=8 heads=2");
    snprintf(with, sizeof with, "%s contract=0.7 radius=%s", rest, radius);
    ThTrainer *ta = trainer(a, t, with, NULL), *tb = trainer(b, t, rest, NULL);
    ThTrainLevels l;
    assert_true(th_trainer_step(ta, NULL) && th_trainer_step(tb, NULL));
    assert_true(th_trainer_levels(ta, &l));
    size_t size = a->params.total, n_known = a->training.n_pull;
    double farthest;
    float *before = malloc(size * sizeof *before);
    memcpy(before, a->params.value, size * sizeof *before);
    memcpy(b->params.value, before, size * sizeof *before);
    Sets s = sets_of(a, t);
    double *known = malloc(n_known * sizeof *known);
    memcpy(known, a->training.pull, n_known * sizeof *known);
    s.centre = known + FIRST;
    s.away = s.centre + s.l->n * DIM;
    assert_true(th_train_draw(ta, NULL));
    int n = find_points(&s, &ta->batch, atof(radius), p);
    loss_of(a, &s, p, n, true, &farthest);
    assert_true(th_trainer_step(ta, NULL) && th_trainer_step(tb, NULL));
    assert_true(th_trainer_levels(ta, &l) && fabs(l.farthest / farthest - 1) < 1e-3);
    const Held held = {&s, p, n};
    check_step_slope(a, b, before, &(StepLoss){radius, rate, 0.002, held_loss, &held});
    free(known);
    free(before);
    free_sets(&s);
    th_trainer_free(ta);
    th_trainer_free(tb);
    th_model_free(a);
    th_model_free(b);
    th_task_free(t);
}

/* Vectors nearer than a radius, farther, and some of each. */
static void test_slope(void **state)
{
    (void)state;
    check_slope("0.05");
    check_slope("1");
    check_slope("3");
}

/* ---- what it is not for ---------------------------------------------------------------------- */

static void refused(const char *kind, const char *options, const char *task, const char *settings,
                    ThErrc code)
{
    ThError err = {0};
    ThTask *t = made_task(task, settings, NULL);
    ThModel *m = made_model(kind, options);
    assert_null(trainer(m, t, "contract=1 steps=1", &err));
    assert_int_equal(err.code, code);
    assert_false(m->bound);
    th_model_free(m);
    th_task_free(t);
}

/* Of many pairs each step has some: the farthest, and others in turn, so that all are tried again
 * and again, and those that are far more often. */
static void test_many(void **state)
{
    (void)state;
    enum { SHOTS = 40 };
    ThTask *t = made_task("dyck", "depth=6", NULL);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThTrainer *tr = trainer(m, t, "steps=60 batch=2 length=2..4 lr=0 contract=1 seed=3", NULL);
    for (int i = 0; i < 20; i++)
        assert_true(th_trainer_step(tr, NULL));
    Sets s = sets_of(m, t);
    assert_true(s.n > 1500);
    int *moves = calloc((size_t)s.n, sizeof *moves);
    double *before = malloc((size_t)s.n * sizeof *before);
    for (int i = 0; i < SHOTS; i++) {
        const double *far = m->training.pull + m->training.n_pull - s.n - s.l->n;
        memcpy(before, far, (size_t)s.n * sizeof *before);
        assert_true(th_trainer_step(tr, NULL));
        far = m->training.pull + m->training.n_pull - s.n - s.l->n;
        for (int k = 0; k < s.n; k++) {
            assert_true(far[k] > 0 && far[k] < 1e6); /* each was seen within the first steps */
            moves[k] += far[k] != before[k];
        }
    }
    int never = 0, often = 0;
    for (int k = 0; k < s.n; k++) {
        never += moves[k] == 0;
        often += moves[k] > 2 * SHOTS / 5;
    }
    assert_true(never < s.n / 10 && often > 50 && often < s.n / 4);
    free(before);
    free(moves);
    free_sets(&s);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* A step on the tape is the step that proofs are about. */
static void test_steps(void **state)
{
    (void)state;
    static const char *const model[][2] = {{"rnn", "dim=5"},
                                           {"rnn", "dim=5 activation=tanh"},
                                           {"gru", "dim=5"},
                                           {"lstm", "dim=5 forget=0.7"},
                                           {"rnn", "dim=4 layers=3"},
                                           {"gru", "dim=5 layers=2"},
                                           {"lstm", "dim=3 layers=2 forget=0.7"},
                                           {"lrnn", "dim=6 block=3"}};
    enum { N = 3, NUMBERS = 12 };
    static const int symbol[N] = {0, 2, 1};
    ThTask *task = made_task("recognize", "", first_symbol);
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
        ThModel *m = made_model(model[i][0], model[i][1]);
        assert_true(th_model_bind(m, &task->signature, 3, NULL));
        ThRng r = th_rng(4, "steps", 0);
        for (size_t k = 0; k < m->params.total; k++)
            m->params.value[k] = (float)th_rng_normal(&r);
        ThProofCell *f = th_proof_cell_new(m, NULL);
        float from[N * NUMBERS];
        for (int k = 0; k < N * f->dim; k++)
            from[k] = (float)(2 * th_rng_uniform(&r) - 1);
        ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        ThVar z = th_tape_constant(t, N, f->dim, from);
        const float *got = th_tape_floats(t, m->kind->advance(m, t, z, symbol, N));
        for (int s = 0; s < N; s++) {
            double at[NUMBERS], to[NUMBERS], gates[4 * NUMBERS];
            for (int k = 0; k < f->dim; k++)
                at[k] = (double)from[s * f->dim + k];
            th_proof_cell_apply(f, at, symbol[s], gates, to);
            for (int k = 0; k < f->dim; k++)
                assert_true(fabs((double)got[s * f->dim + k] - to[k]) < 1e-5);
        }
        th_tape_free(t);
        th_proof_cell_free(f);
        th_model_free(m);
    }
    th_task_free(task);
}

/* A cell is made to contract, and the centres of its states stay apart. */
static void test_cell(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", first_symbol);
    ThModel *m = made_model("gru", "dim=8");
    ThTrainLevels before, after;
    train(m, t, "steps=400 batch=32 length=1..8 lr=5e-3 seed=1 recipe=plain", NULL);
    train(m, t, "steps=1 batch=8 length=1..8 lr=0 contraction_loss=1 radius=0.05", &before);
    train(m, t,
          "steps=1200 batch=8 length=1..8 lr=1e-2 contraction_loss=1 radius=0.05 recipe=plain "
          "optimizer=muon schedule=cosine",
          NULL);
    train(m, t, "steps=1 batch=8 length=1..8 lr=0 contraction_loss=1 radius=0.05", &after);
    assert_int_equal(before.pairs, after.pairs);
    assert_int_equal(before.pairs, 3 * (6 + 1)); /* yes and no behind three symbols, and nothing */
    assert_true(after.far < 0.5 * before.far);
    th_model_free(m);
    th_task_free(t);
}

/* The distance between the centres of the two states that a symbol leads to, as the trainer wrote
 * them down; state 0 of three is where none leads. */
static double apart(const ThModel *m, int symbol)
{
    const double *centre = m->training.pull + FIRST;
    double squares = 0;
    for (int k = 0; k < DIM; k++) {
        double x = centre[(3 + symbol) * DIM + k] - centre[(6 + symbol) * DIM + k];
        squares += x * x;
    }
    return sqrt(squares);
}

static void test_spread(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", first_symbol);
    ThModel *m = made_model("rnn", "dim=8 activation=tanh");
    train(m, t, "steps=300 batch=32 length=1..8 lr=5e-3 seed=1 recipe=plain", NULL);
    ThTrainer *tr = trainer(m, t,
                            "steps=400 batch=8 length=1..8 lr=1e-2 contraction_loss=4 radius=0.2 "
                            "recipe=plain optimizer=muon",
                            NULL);
    double before[3];
    assert_true(th_trainer_step(tr, NULL));
    for (int a = 0; a < 3; a++)
        before[a] = apart(m, a);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    for (int a = 0; a < 3; a++)
        assert_true(before[a] > 0.1 && fabs(apart(m, a) / before[a] - 1) < 1e-6);
    th_trainer_free(tr);
    th_model_free(m);
    th_task_free(t);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("regulargpt", "dim=8 heads=2 chunk=3", "parity", "", TH_EVALUE);
    refused("regulargpt", "dim=8 heads=2 thickness=2", "parity", "", TH_EVALUE);
    refused("lstm", "dim=8 head_hidden=4", "parity", "", TH_EVALUE);
    refused("s4d", "dim=8", "parity", "", TH_EVALUE);
    refused("regulargpt", "dim=8 heads=2", "modular_arithmetic", "modulus=8", TH_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),      cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_contraction), cmocka_unit_test(test_contraction_of_the_first),
        cmocka_unit_test(test_centres),     cmocka_unit_test(test_rivals),
        cmocka_unit_test(test_slope),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_steps),       cmocka_unit_test(test_cell),
        cmocka_unit_test(test_spread),      cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
