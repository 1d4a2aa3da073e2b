/* Proofs about recurrent networks: the step, its enclosures, certificates and what they refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"
#include "lab/train.h"
#include "proof/cell/cell_image.h"
#include "proof/certify.h"
#include "proof/check/check.h"
#include "proof/check/check_impl.h"
#include "worst.h"

enum { MOST = 16 };

enum { KINDS = 4, FORMS = 11 }; /* forms: with options, besides */
static const char *const kinds[FORMS] = {"rnn", "gru",  "lstm", "lrnn", "rnn", "lstm",
                                         "gru", "lstm", "rnn",  "lstm", "gru"};

/* Options for a state of n numbers, or 2 n of an lstm. */
static const char *sized(int kind, int n)
{
    static const char *const size[FORMS][2] = {
        {"dim=1", "dim=6"},
        {"dim=1", "dim=6"},
        {"dim=1", "dim=6"},
        {"dim=1 block=1 norm=paper", "dim=6 block=3 norm=paper"},
        {"dim=1 activation=tanh head=linear", "dim=6 activation=tanh head=linear"},
        {"dim=1 head=linear", "dim=6 head=linear"},
        {"dim=1 layers=2", "dim=4 layers=2"},
        {"dim=1 layers=2 forget=0.3", "dim=3 layers=2"},
        {"dim=1 layers=3 activation=tanh", "dim=3 layers=3"},
        {"dim=1 head=linear head_hidden=2", "dim=6 head=linear head_hidden=9"},
        {"dim=1 layers=2 head=linear head_hidden=1", "dim=4 layers=2 head=linear head_hidden=3"}};
    return size[kind][n > 1];
}

/* ---- the step -------------------------------------------------------------------------------- */

static void check_run(const ThModel *m, const ThProofCell *f)
{
    ThError err = {0};
    double state[MOST] = {0}, next[MOST], gate[4 * MOST], logits[3];
    memcpy(state, f->start, (size_t)f->dim * sizeof *state);
    const int word[] = {0, 2, 1, 1, 0, 2, 2, 1};
    ThModelTrace *t = th_model_trace(m, word, 8, &err);
    assert_non_null(t);
    for (int i = 0; i < 8; i++) {
        th_proof_cell_apply(f, state, word[i], gate, next);
        memcpy(state, next, sizeof state);
        for (int k = 0; k < f->layers * f->width; k++) {
            double h = t->layer[k / f->width].state[i * f->width + k % f->width];
            assert_true(fabs(state[k / f->width * f->own + k % f->width] - h) < 1e-4);
        }
    }
    th_proof_cell_logits(f, state, logits);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(logits[c] - t->output[c]) < 1e-3);
    th_model_trace_free(t);
}

static void test_step(void **state)
{
    (void)state;
    ThError err = {0};
    static const struct {
        const char *kind, *settings;
        int dim;
    } form[] = {{"rnn", "dim=5", 5},
                {"gru", "dim=5", 5},
                {"lstm", "dim=5 forget=0.5", 10},
                {"lrnn", "dim=6 block=3 norm=paper", 6},
                {"lrnn", "dim=6 block=2 p=1.7", 6},
                {"rnn", "dim=5 activation=tanh", 5},
                {"rnn", "dim=5 head=linear", 5},
                {"gru", "dim=5 head=linear", 5},
                {"rnn", "dim=5 layers=2", 10},
                {"gru", "dim=3 layers=3 head=linear", 9},
                {"lstm", "dim=4 layers=2 forget=0.5", 16},
                {"rnn", "dim=5 head=linear head_hidden=7", 5},
                {"lstm", "dim=3 layers=2 head=linear head_hidden=4", 12}};
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        ThModel *m = bound(form[i].kind, form[i].settings, TH_TARGET_FINAL, 3);
        assert_true(th_proof_is_cell(m));
        ThProofCell *f = th_proof_cell_new(m, &err);
        assert_non_null(f);
        assert_int_equal(f->dim, form[i].dim);
        check_run(m, f);
        th_proof_cell_free(f);
        th_model_free(m);
    }
    ThModel *m = bound("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, 2);
    assert_false(th_proof_is_cell(m));
    assert_null(th_proof_cell_new(m, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(m);
    static const char *const refused[][2] = {{"lrnn", "dim=8 layers=2"},
                                             {"rnn", "dim=8 head=tanh"},
                                             {"lstm", "dim=8 head=relu head_hidden=4"},
                                             {"gru", "dim=8 head=linear head_hidden=4 "
                                                     "head_activation=tanh"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        m = bound(refused[i][0], refused[i][1], TH_TARGET_FINAL, 2);
        err = (ThError){0};
        assert_null(th_proof_cell_new(m, &err));
        assert_int_equal(err.code, TH_EVALUE);
        th_model_free(m);
    }
}

/* ---- enclosures ------------------------------------------------------------------------------ */

typedef struct {
    const ThProofCell *f;
    ThProofCellImage *e;
    ThProofCheckSet *k; /* the checker's */
    double shape[2 * MOST * MOST], inverse[2 * MOST * MOST];
    ThRng r;
    double closest, looser;
    double least[3]; /* leads that were met in a set, and the bounds of both */
    long checks;
} Fuzz;

static void unit(double *z, int d)
{
    double square = 0;
    for (int i = 0; i < d; i++)
        square += z[i] * z[i];
    for (int i = 0; i < d; i++)
        z[i] /= square > 0 ? sqrt(square) : 1;
}

/* A direction: any, or one that the linear part takes along some random one. */
static void direction(Fuzz *z, bool aligned, double *to)
{
    int d = z->f->dim;
    double v[MOST];
    for (int i = 0; i < d; i++)
        to[i] = v[i] = th_rng_normal(&z->r);
    const double *g = th_proof_cell_image_linear(z->e);
    for (int i = 0; aligned && i < d; i++) {
        to[i] = 0;
        for (int k = 0; k < d; k++)
            to[i] += g[k * d + i] * v[k];
    }
    unit(to, d);
}

/* |A⁻¹ (next state of centre + radius A z - to)| */
static double distance(Fuzz *z, const ThProofBall *from, int symbol, const double *at,
                       const ThProofBall *into)
{
    int d = z->f->dim;
    double x[MOST] = {0}, next[MOST], gate[4 * MOST], logit[2];
    for (int i = 0; i < d; i++) {
        x[i] = from->centre[i];
        for (int k = 0; k < d; k++)
            x[i] += from->radius * z->shape[(from->shape * d + i) * d + k] * at[k];
    }
    th_proof_cell_logits(z->f, x, logit);
    z->least[0] = fmin(z->least[0], logit[1] - logit[0]);
    th_proof_cell_apply(z->f, x, symbol, gate, next);
    for (int i = 0; i < d; i++)
        next[i] -= into->centre[i];
    return th_proof_cell_image_distance(z->e, into->shape, next);
}

static ThProofEllipsoid ellipsoid(const Fuzz *z, const ThProofBall *b)
{
    int at = b->shape * z->f->dim * z->f->dim;
    return (ThProofEllipsoid){b->centre, z->shape + at, z->inverse + at, b->radius, 1, false, NULL};
}

/* Returns new: what the checker needs. */
static ThProofCheckSet *room_for(const ThProofCell *f)
{
    int wide = f->gates * f->width + f->units;
    return th_proof_check_set_new(f->dim, 1, f->dim + 1, wide > f->dim ? wide : f->dim, NULL);
}

static void check_set(Fuzz *z, double radius)
{
    int d = z->f->dim, symbol = (int)th_rng_below(&z->r, 2);
    double centre[MOST], to[MOST], gate[4 * MOST], at[MOST], most = 0;
    for (int i = 0; i < d; i++)
        centre[i] = th_rng_normal(&z->r);
    ThProofBall from = {centre, radius, (int)th_rng_below(&z->r, 2)};
    ThProofBall into = {to, 0, (int)th_rng_below(&z->r, 2)};
    th_proof_cell_apply(z->f, centre, symbol, gate, to);
    for (int i = 0; i < d; i++)
        to[i] += 0.1 * radius * th_rng_normal(&z->r);
    th_proof_cell_image_find(z->e, &from, symbol);
    z->least[0] = HUGE_VAL;
    for (int i = 0; i < 60; i++, z->checks++) {
        direction(z, i % 2 == 0, at);
        double inside = i % 5 == 4 ? th_rng_uniform(&z->r) : 1;
        for (int k = 0; k < d; k++)
            at[k] *= inside;
        most = fmax(most, distance(z, &from, symbol, at, &into));
    }
    double reach = th_proof_cell_image_reach(z->e, &into);
    ThProofEllipsoid x = ellipsoid(z, &from), y = ellipsoid(z, &into);
    th_proof_check_step(z->k, z->f, &x, symbol);
    double other = th_proof_check_distance(z->k, &y);
    assert_true(most <= reach);
    assert_true(most <= other);
    z->least[1] = th_proof_cell_image_lead(z->e, &from, 1, 0);
    z->least[2] = th_proof_check_step_lead(z->k, z->f, &x, 1, 0);
    assert_true(z->least[1] <= z->least[0]);
    assert_true(z->least[2] <= z->least[0]);
    z->closest = fmax(z->closest, most / fmin(reach, other));
    if (radius <= 0.03) /* where a proof is likely, the checker follows it */
        z->looser = fmax(z->looser, other / reach);
}

static void fuzz(Fuzz *z, const char *kind, const char *settings, double size, uint64_t seed)
{
    static const double radius[] = {0.001, 0.01, 0.03, 0.1, 0.3, 1, 3};
    ThError err = {0};
    ThModel *m = bound(kind, settings, TH_TARGET_FINAL, 2);
    for (size_t i = 0; i < m->params.total; i++)
        m->params.value[i] *= (float)size;
    ThProofCell *f = th_proof_cell_new(m, &err);
    int d = f->dim;
    z->f = f;
    z->r = th_rng(seed, "fuzz", 0);
    memset(z->shape, 0, sizeof z->shape);
    for (int i = 0; i < d; i++)
        z->shape[i * d + i] = z->shape[(d + i) * d + i] = 1;
    double v[MOST];
    for (int i = 0; i < d; i++)
        v[i] = th_rng_normal(&z->r);
    unit(v, d);
    for (int i = 0; i < d * d; i++)
        z->shape[d * d + i] += 1.5 * (v[i / d] * v[i % d]);
    z->e = th_proof_cell_image_new(f, z->shape, 2, &err);
    z->k = room_for(f);
    assert_non_null(z->e);
    assert_non_null(z->k);
    for (int i = 0; i < 2; i++)
        assert_true(th_proof_check_invert(z->k, z->shape + i * d * d, z->inverse + i * d * d));
    for (size_t i = 0; i < sizeof radius / sizeof *radius; i++)
        for (int n = 0; n < 4; n++)
            check_set(z, radius[i]);
    th_proof_cell_image_free(z->e);
    free(z->k);
    th_proof_cell_free(f);
    th_model_free(m);
}

/* No point outside, whatever the weights are and however large the sets. */
static void test_enclosures(void **state)
{
    (void)state;
    static const double size[] = {0.1, 0.3, 1, 2, 4};
    Fuzz z = {0};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int k = 0; k < FORMS; k++) {
            fuzz(&z, kinds[k], sized(k, 6), size[i], 10 * i + (uint64_t)k);
            for (uint64_t n = 0; n < 6; n++) /* of one unit bounds are narrow */
                fuzz(&z, kinds[k], sized(k, 1), size[i], 100 * n + 10 * i + (uint64_t)k);
        }
    if (getenv("PROOF_VERBOSE"))
        print_message("%ld checks, the closest at %.4f of its bound; checker/prover %.3f\n",
                      z.checks, z.closest, z.looser);
    assert_true(z.checks > 20000);
    assert_true(z.closest > 0.9);
    assert_true(z.looser < 1.1); /* of layers that read each other; of one 1.05 */
}

/* ---- what a run rounds ------------------------------------------------------------------------
 */

/* A float run's step from a point, as far off as the checker has it at most.  Returns the share. */
static double check_rounding(ThModel *m, ThRng *r)
{
    enum { SYMBOL = 1 };
    ThProofCell *f = th_proof_cell_new(m, NULL);
    ThProofCheckSet *k = room_for(f);
    float from[MOST];
    double state[MOST], to[MOST], gate[4 * MOST], shape[MOST * MOST] = {0}, most = 0;
    int d = f->dim;
    for (int i = 0; i < d; i++) {
        from[i] = (float)(2 * th_rng_uniform(r) - 1);
        state[i] = (double)from[i];
        shape[i * d + i] = 1;
    }
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    const float *got = th_tape_floats(
        t, m->kind->advance(m, t, th_tape_constant(t, 1, d, from), (int[]){SYMBOL}, 1));
    th_proof_cell_apply(f, state, SYMBOL, gate, to);
    k->unit = TH_PROOF_FLOAT_UNIT;
    ThProofEllipsoid x = {state, shape, shape, 1e-12, 1, true, NULL};
    th_proof_check_step(k, f, &x, SYMBOL);
    for (int i = 0; i < d; i++) {
        double off = fabs((double)got[i] - to[i]), box = th_proof_check_row(k, d + i)[i];
        assert_true(off <= box);
        most = fmax(most, off / box);
    }
    th_tape_free(t);
    free(k);
    th_proof_cell_free(f);
    return most;
}

/* Of a gru: a reset gate that is nearly shut, and beside it large numbers that cancel. */
static void shut(ThModel *m)
{
    int n = (int)th_option_int(&m->options, "dim"), wide = 3 * n;
    float *input = th_params_at(&m->params, th_params_find(&m->params, "input"));
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "input_bias"));
    for (int j = n; j < wide; j++) {
        bias[j] = j < 2 * n ? -20 : 700.3F - 37 * (float)j;
        input[wide + j] = j < 2 * n ? 0 : 0.01F - bias[j];
    }
}

/* Sums of large numbers cancel. */
static void test_rounding(void **state)
{
    (void)state;
    ThRng r = th_rng(7, "rounding", 0);
    for (int kind = 0; kind < FORMS; kind++) {
        double most = 0;
        for (int i = 0; kinds[kind][0] != 'l' || kinds[kind][1] != 'r' ? i < 400 : 0; i++) {
            ThModel *m = bound(kinds[kind], sized(kind, i % 4 ? 6 : 1), TH_TARGET_FINAL, 2);
            for (size_t k = 0; k < m->params.total; k++)
                m->params.value[k] *= (float)(th_rng_normal(&r) * (i % 3 ? 1 : 40));
            if (kind == 1 && i % 2 == 0)
                shut(m);
            most = fmax(most, check_rounding(m, &r));
            th_model_free(m);
        }
        if (getenv("PROOF_VERBOSE"))
            print_message("%s rounds %.4f of its bound\n", kinds[kind], most);
    }
}

/* ---- the worst point ------------------------------------------------------------------------- */

typedef struct {
    Fuzz *z;
    ThProofBall from, into;
    int symbol;
} Step;

static double reached(const void *given, const double *at)
{
    const Step *s = given;
    return distance(s->z, &s->from, s->symbol, at, &s->into);
}

/* Two shapes that see numbers together, with signs: what cancels in one does not in a corner. */
static void make_shapes(Fuzz *z)
{
    int d = z->f->dim;
    memset(z->shape, 0, sizeof z->shape);
    for (int i = 0; i < 2 * d * d; i++) {
        int row = i / d % d, col = i % d, second = i / (d * d);
        z->shape[i] = (row == col) + (second ? 2.0 : 0.5) / d * (row % 2 == col % 2 ? 1 : -1);
    }
}

/* The share of its bound that the worst point reaches, of both. */
static void find_worst(Fuzz *z, double radius, double *share)
{
    int d = z->f->dim;
    double centre[MOST], to[MOST], gate[4 * MOST];
    Step s = {z, {centre, radius, below(&z->r, 2)}, {to, 0, below(&z->r, 2)}, below(&z->r, 2)};
    for (int i = 0; i < d; i++)
        centre[i] = th_rng_normal(&z->r);
    th_proof_cell_apply(z->f, centre, s.symbol, gate, to);
    const WorstPlace place = {1, {d}};
    double most = worst(reached, &s, &place, 6, (uint64_t)z->checks++);
    th_proof_cell_image_find(z->e, &s.from, s.symbol);
    double bound = th_proof_cell_image_reach(z->e, &s.into);
    ThProofEllipsoid x = ellipsoid(z, &s.from), y = ellipsoid(z, &s.into);
    th_proof_check_step(z->k, z->f, &x, s.symbol);
    double other = th_proof_check_distance(z->k, &y);
    assert_true(most <= bound);
    assert_true(most <= other);
    share[0] = fmax(share[0], most / bound);
    share[1] = fmax(share[1], most / other);
}

static void check_worst(int kind, int n, double *share)
{
    static const double radius[] = {0.01, 0.1, 1, 10};
    for (int i = 0; i < 24; i++) {
        ThError err = {0};
        Fuzz z = {.r = th_rng((uint64_t)(100 * kind + i), "worst", 0)};
        ThModel *m = bound(kinds[kind], sized(kind, n), TH_TARGET_FINAL, 2);
        for (size_t k = 0; k < m->params.total; k++)
            m->params.value[k] *= i % 3 ? 1 : 4; /* gates that saturate */
        ThProofCell *f = th_proof_cell_new(m, &err);
        z.f = f;
        make_shapes(&z);
        z.e = th_proof_cell_image_new(f, z.shape, 2, &err);
        z.k = room_for(f);
        for (int k = 0; k < 2; k++)
            assert_true(th_proof_check_invert(z.k, z.shape + k * f->dim * f->dim,
                                              z.inverse + k * f->dim * f->dim));
        find_worst(&z, radius[i % 4], share);
        th_proof_cell_image_free(z.e);
        free(z.k);
        th_proof_cell_free(f);
        th_model_free(m);
    }
}

/* No climb gets past a bound, and of each kind some get so near that 95 % of it would not do. */
static void test_worst(void **state)
{
    (void)state;
    for (int kind = 0; kind < FORMS; kind++)
        for (int n = 1; n <= 6; n += 5) {
            double share[2] = {0};
            check_worst(kind, n, share);
            if (getenv("PROOF_VERBOSE"))
                print_message("%s of %d: %.4f of the prover's, %.4f of the checker's\n",
                              kinds[kind], n, share[0], share[1]);
            assert_true(share[0] > 0.95 && share[1] > 0.95);
        }
}

/* Units that a whole set can wake or not, seen in a shape in which two of them cancel: only one of
 * them awake is farther than both, and that is a corner of the box. */
static void test_corner(void **state)
{
    (void)state;
    ThError err = {0};
    static const double shape[] = {1, 0, 0, 1, 1 / 0.36, 0.8 / 0.36, 0.8 / 0.36, 1 / 0.36};
    ThModel *m = bound("rnn", "dim=2", TH_TARGET_FINAL, 2);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    float *r = th_params_at(&m->params, th_params_find(&m->params, "recurrent"));
    r[0] = r[3] = 1;
    ThProofCell *f = th_proof_cell_new(m, &err);
    Fuzz z = {.f = f};
    memcpy(z.shape, shape, sizeof shape);
    z.e = th_proof_cell_image_new(f, z.shape, 2, &err);
    double centre[2] = {0}, to[2] = {0};
    Step s = {&z, {centre, 1, 0}, {to, 0, 1}, 0};
    const WorstPlace place = {1, {2}};
    double most = worst(reached, &s, &place, 8, 1);
    assert_true(most > 1.28 && most < 1.281);
    th_proof_cell_image_find(z.e, &s.from, 0);
    assert_true(most <= th_proof_cell_image_reach(z.e, &s.into));
    th_proof_cell_image_free(z.e);
    th_proof_cell_free(f);
    th_model_free(m);
}

/* ---- views ----------------------------------------------------------------------------------- */

/* An lrnn of three numbers whose read-out looks along one direction, with a unit that never
 * sleeps. */
static void look_along(ThProofCell *f, ThRng *r, double sign)
{
    memset(f->inner, 0, 9 * sizeof *f->inner);
    memset(f->head, 0, 6 * sizeof *f->head);
    for (int i = 0; i < 3; i++) {
        f->gain[i] = 1;
        f->offset[i] = f->inner_bias[i] = 0;
        f->inner[i * 3] = th_rng_normal(r);
    }
    f->inner_bias[0] = 100;
    f->head[1] = sign;
    f->head_bias[0] = f->head_bias[1] = 0;
}

/* The norm before the read-out turns what a large set shows: no point of it leads by less. */
static void check_view(const ThProofCell *f, ThRng *r, double radius)
{
    double centre[3], x[3], at[3], logit[2], least = HUGE_VAL;
    for (int i = 0; i < 3; i++)
        centre[i] = th_rng_normal(r);
    unit(centre, 3);
    ThProofCellImage *e = th_proof_cell_image_new(f, NULL, 1, NULL);
    ThProofCheckSet *k = room_for(f);
    for (int n = 0; n < 500; n++) {
        for (int i = 0; i < 3; i++)
            at[i] = th_rng_normal(r);
        unit(at, 3);
        for (int i = 0; i < 3; i++)
            x[i] = centre[i] + radius * at[i];
        th_proof_cell_logits(f, x, logit);
        least = fmin(least, logit[1] - logit[0]);
    }
    ThProofBall b = {centre, radius, 0};
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ThProofEllipsoid set = {centre, identity, identity, radius, 1, false, NULL};
    assert_true(th_proof_cell_image_lead(e, &b, 1, 0) <= least);
    assert_true(th_proof_check_step_lead(k, f, &set, 1, 0) <= least);
    th_proof_cell_image_free(e);
    free(k);
}

static void test_views(void **state)
{
    (void)state;
    ThModel *m = bound("lrnn", "dim=3 block=1", TH_TARGET_FINAL, 2);
    ThProofCell *f = th_proof_cell_new(m, NULL);
    ThRng r = th_rng(1, "views", 0);
    for (int n = 0; n < 400; n++) {
        look_along(f, &r, n % 2 ? 1 : -1);
        check_view(f, &r, 0.05 + 0.01 * (n % 100));
    }
    th_proof_cell_free(f);
    th_model_free(m);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static ThModel *trained(const ThTask *t, const char *kind, const char *settings,
                        const char *training)
{
    ThError err = {0};
    ThModel *m = made_model(kind, settings);
    ThOptions o = {0};
    set_all(&o, th_train_options, training);
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, &err);
    if (!tr)
        fail_msg("%s", err.msg);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, &err));
    th_trainer_free(tr);
    th_options_free(&o);
    return m;
}

/* Returns new: that a model answers as a machine does. */
static ThProofClaim *claim_of(const ThModel *m, const ThDfa *machine, const ThDfa *domain)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, machine, domain, 1e-3, NULL};
    ThProofClaim *c = th_proof_claim_new(m, &asked, NULL, &err);
    if (!c)
        fail_msg("%s", err.msg);
    return c;
}

static ThProof *proof_of(const ThModel *m, const ThTask *t)
{
    ThError err = {0};
    ThProofClaim *claim = claim_of(m, th_task_machine(t, &err), NULL);
    ThProofHow how = {.limit = 100, .cover = 16, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    th_proof_claim_free(claim);
    if (!p)
        fail_msg("%s", err.msg);
    return p;
}

static bool holds(const ThProofCertificate *c, const ThModel *m)
{
    ThError err = {0};
    ThProofChecked k;
    ThProofCell *f = th_proof_cell_new(m, &err);
    assert_true(th_proof_check_sets(c, NULL, f, 0, NULL, &k, &err));
    assert_true(k.holds == !*k.why);
    /* Every symbol from the start and from every set, and one other class for each. */
    assert_true(!k.holds || k.checks == (1 + c->n_labels) * c->n_symbols + c->n_labels);
    th_proof_cell_free(f);
    return k.holds;
}

/* Signed as if it had been written like this: what is wrong has to be found by looking. */
static bool holds_signed(ThProofCertificate *c, const ThModel *m)
{
    uint64_t before = c->digest;
    c->digest = th_proof_certificate_digest(c);
    bool found = holds(c, m);
    c->digest = before;
    return found;
}

/* No weight, centre or radius can change unseen, be it by its last bit. */
static void refuse_changes(ThProofCertificate *c, ThModel *m)
{
    for (int i = 0; i < m->params.n; i++) {
        float *w = m->params.value + m->params.item[i].offset, before = *w;
        *w = nextafterf(before, 2);
        assert_false(holds(c, m));
        *w = before;
    }
    for (int i = 0; i < c->n_labels * (c->dim + 1); i++) {
        double *x = i < c->n_labels ? c->radius + i : c->centre + i - c->n_labels, before = *x;
        *x = nextafter(before, 2);
        assert_false(holds(c, m));
        *x = before;
    }
}

/* What is wrong is seen even where all digests agree. */
static void refuse_wrong_sets(ThProofCertificate *c, const ThModel *m)
{
    for (int q = 0; q < c->n_states; q++) {
        c->answer[q] = !c->answer[q];
        assert_false(holds_signed(c, m));
        c->answer[q] = !c->answer[q];
    }
    int *next = c->next, first = *next;
    *next = (first + 1) % c->n_states;
    assert_false(holds_signed(c, m));
    *next = first;
    int states = c->n_states;
    for (int i = 0; i < c->n_labels; i++) {
        double radius = c->radius[i], *centre = c->centre + i * c->dim, x = *centre;
        c->radius[i] = 40;
        assert_false(holds_signed(c, m));
        c->radius[i] = radius;
        *centre += 3;
        assert_false(holds_signed(c, m));
        *centre = x;
        int *map = c->map + i * states + c->start, state = *map;
        *map = (state + 1) % states;
        assert_false(holds_signed(c, m));
        *map = state;
    }
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] /= 8;
    assert_false(holds_signed(c, m));
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] *= 8;
    c->slack = 1;
    assert_false(holds_signed(c, m));
    c->slack = 1e-3;
    double before = c->shape ? c->shape[1] : 0;
    if (c->shape) {
        c->shape[1] += 1e-3; /* no longer symmetric */
        assert_false(holds_signed(c, m));
        c->shape[1] = before;
    }
}

/* Sets whose centres are answered right, but one of them so closely that not all of it can be. */
static void refuse_answers(ThProofCertificate *c, ThModel *m)
{
    ThError err = {0};
    ThProofCell *f = th_proof_cell_new(m, &err);
    int answer = th_params_find(&m->params, "answer_bias"); /* of an lrnn */
    if (answer < 0)
        answer = th_params_find(&m->params, "head_bias");
    float *bias = th_params_at(&m->params, answer), was = *bias;
    double least = HUGE_VAL, logit[2];
    for (int i = 0; i < c->n_labels; i++) {
        th_proof_cell_logits(f, c->centre + i * c->dim, logit);
        if (c->answer[c->map[i * c->n_states + c->start]] == 1)
            least = fmin(least, logit[1] - logit[0]);
    }
    th_proof_cell_free(f);
    *bias += (float)(0.9999 * least);
    f = th_proof_cell_new(m, &err);
    uint64_t weights = c->weights;
    c->weights = f->digest;
    c->slack = 0;
    assert_false(holds_signed(c, m));
    c->slack = 1e-3;
    c->weights = weights;
    *bias = was;
    th_proof_cell_free(f);
}

/* Where the read-out hardly tells the classes apart, closed sets are no proof. */
static void check_faint(ThModel *m, const ThTask *t)
{
    const char *read_out = th_params_find(&m->params, "answer") < 0 ? "head" : "answer";
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        bool last = strncmp(p->name, read_out, strlen(read_out)) == 0;
        for (int k = 0; last && k < p->rows * p->cols; k++)
            m->params.value[p->offset + (size_t)k] *= 1e-5f;
    }
    ThProof *p = proof_of(m, t);
    assert_int_equal(p->verdict, TH_PROOF_OPEN);
    assert_true(p->answers && p->into >= 0);
    th_proof_free(p);
}

/* It holds of runs that are off by 0.98 of what the checker says they may, and not by 1.1 of it,
 * be it the certificate that says so or who asks. */
static void check_edges(ThProofCertificate *c, const ThModel *m)
{
    ThError err = {0};
    ThProofCell *f = th_proof_cell_new(m, &err);
    double slack = c->slack;
    ThProofChecked k, other;
    assert_true(th_proof_check_sets(c, NULL, f, 0, NULL, &k, &err) && k.holds);
    assert_true(th_proof_check_sets(c, NULL, f, 0.98 * k.tolerance, NULL, &other, &err));
    assert_true(other.holds);
    assert_true(th_proof_check_sets(c, NULL, f, 1.1 * k.tolerance, NULL, &other, &err));
    assert_false(other.holds);
    c->slack = 0.98 * k.tolerance;
    assert_true(holds_signed(c, m));
    c->slack = 1.1 * k.tolerance;
    assert_false(holds_signed(c, m));
    c->slack = slack;
    th_proof_cell_free(f);
}

/* Where the claim's slack is too much, a finer one is tried, if that is wanted. */
static void check_finer(const ThModel *m, const ThTask *t)
{
    ThError err = {0};
    ThProofClaim *claim = claim_of(m, th_task_machine(t, &err), NULL);
    claim->slack = 1;
    for (int finer = 0; finer < 2; finer++) {
        ThProofHow how = {.limit = 100, .cover = 16, .seed = 1, .finer = finer};
        ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
        assert_int_equal(p->verdict, finer ? TH_PROOF_PROVED : TH_PROOF_OPEN);
        assert_true(fabs(p->slack - (finer ? 2e-5 * p->dim : 1)) < 1e-12);
        th_proof_free(p);
    }
    th_proof_claim_free(claim);
}

static void check_proof(const ThTask *t, const char *kind, const char *size, const char *training)
{
    ThError err = {0};
    const char *path = "build/test_proof_cell.cert";
    ThModel *m = trained(t, kind, size, training);
    ThProof *p = proof_of(m, t);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    assert_null(p->labels);
    assert_true(p->contraction < 1 && p->float_error > 0 && p->float_error < 1e-4);
    ThProofCertificate *made = th_proof_certificate_new(p, &m->signature, &err);
    assert_true(th_proof_certificate_write(made, path, &err));
    ThProofCertificate *c = th_proof_certificate_read(path, &err);
    assert_non_null(c);
    assert_true(holds(c, m));
    check_edges(c, m);
    refuse_changes(c, m);
    refuse_wrong_sets(c, m);
    refuse_answers(c, m);
    assert_true(holds_signed(c, m));
    th_proof_certificate_free(c);
    th_proof_certificate_free(made);
    th_proof_free(p);
    check_finer(m, t);
    check_faint(m, t);
    th_model_free(m);
    remove(path);
}

static void test_proofs(void **state)
{
    (void)state;
    /* Words that end in ab. */
    ThTask *t = made_task("recognize", "",
                          "start e ; accept y ; e a -> x ; e b -> e ; x a -> x ; x b -> y ; "
                          "y a -> x ; y b -> e");
    static const char *const training = "length=1..20 steps=1500 lr=1e-2 schedule=cosine batch=32 "
                                        "optimizer=adamw decay=0.3 seed=1";
    check_proof(t, "rnn", "dim=8", training);
    check_proof(t, "gru", "dim=8", training);
    check_proof(t, "gru", "dim=6 layers=2", training);
    check_proof(t, "rnn", "dim=6 layers=2 activation=tanh", training);
    check_proof(t, "lrnn", "dim=8",
                "length=1..20 steps=600 lr=5e-3 schedule=cosine batch=32 seed=1");
    th_task_free(t);
}

/* Returns new: an rnn that all but forgets, whose numbers are 1 for the last symbol and 0 for the
 * other one; the first class leads behind a by 1 - lack at the least, the second behind b. */
static ThModel *forgetful(int near, double lack)
{
    static const char *const name[] = {"input", "head"};
    ThModel *m = bound("rnn", "dim=2", TH_TARGET_FINAL, 2);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    for (int i = 0; i < 2; i++) {
        float *w = th_params_at(&m->params, th_params_find(&m->params, name[i]));
        float *r = th_params_at(&m->params, th_params_find(&m->params, "recurrent"));
        for (int k = 0; k < 2; k++) {
            w[3 * k] = 1;
            r[3 * k] = 1e-4F;
        }
    }
    th_params_at(&m->params, th_params_find(&m->params, "head_bias"))[1 - near] = (float)lack;
    return m;
}

static ThProofVerdict last_symbol(const ThModel *m)
{
    ThError err = {0};
    ThDfa *d = th_dfa_new(2, 2, 2, &err);
    for (int i = 0; i < 4; i++)
        d->next[i] = i % 2;
    d->label[1] = 1;
    ThProofClaim *claim = claim_of(m, d, NULL);
    ThProofHow how = {.limit = 100, .cover = 1, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    if (!p)
        fail_msg("%s", err.msg);
    ThProofVerdict v = p->verdict;
    th_proof_free(p);
    th_proof_claim_free(claim);
    th_dfa_free(d);
    return v;
}

/* The answers of one set decide, whichever it is: they lead by less than the slack of two logits.
 */
static void test_each_set(void **state)
{
    (void)state;
    for (int near = 0; near < 2; near++) {
        ThModel *m = forgetful(near, 0.98);
        assert_int_equal(last_symbol(m), TH_PROOF_PROVED);
        th_model_free(m);
        m = forgetful(near, 0.9985);
        assert_int_equal(last_symbol(m), TH_PROOF_OPEN);
        th_model_free(m);
    }
}

/* One state of the automaton, but vectors behind a far from those behind b: between them another
 * answer would be read, so that no ball around all of them will do. */
static void test_behind(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = forgetful(0, 0);
    ThDfa *d = th_dfa_new(1, 2, 2, &err);
    ThProofClaim *claim = claim_of(m, d, NULL);
    ThProofHow how = {.limit = 100, .cover = 1, .seed = 1};
    float *head = th_params_at(&m->params, th_params_find(&m->params, "head"));
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    memcpy(head, (float[]){1, 0, 1, 0}, 4 * sizeof *head);
    bias[1] = 0.5F;
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    assert_int_equal(p->n, 2);
    assert_true(p->state[0] == 0 && p->state[1] == 0 && p->checks == 4);
    ThProofCertificate *c = th_proof_certificate_new(p, &m->signature, &err);
    assert_true(holds_signed(c, m));
    th_proof_certificate_free(c);
    th_proof_free(p);
    bias[1] = 0.9985F;
    p = th_proof_certify(m, claim, &how, NULL, &err);
    assert_int_equal(p->verdict, TH_PROOF_OPEN);
    assert_true(p->answers && p->into == 0 && p->x <= 0);
    th_proof_free(p);
    th_proof_claim_free(claim);
    th_dfa_free(d);
    th_model_free(m);
}

static float *weights(const ThModel *m, const char *name)
{
    return th_params_at(&m->params, th_params_find(&m->params, name));
}

/* Returns new: an lrnn of three numbers that adds (1, 0, 2) / 100 with a and (0, 3, 1) / 100 with b
 * to 0.9 times, or another share, of
 *
 *     a  1  1 -1      b  0  1/3  0
 *        0  0  0         1  1/3  0
 *        0  0  0         0 -1/3 -1
 *
 * whose columns have a sum of magnitudes of 1, so that all products contract.  It answers the first
 * class always. */
static ThModel *turning(double share)
{
    static const double map[2][9] = {{1, 1, -1, 0, 0, 0, 0, 0, 0},
                                     {0, 1. / 3, 0, 1, 1. / 3, 0, 0, -1. / 3, -1}};
    static const float value[2][3] = {{0.01F, 0, 0.02F}, {0, 0.03F, 0.01F}};
    ThModel *m = bound("lrnn", "dim=3 block=3 norm=paper p=1", TH_TARGET_FINAL, 2);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    for (int a = 0; a < 2; a++) {
        weights(m, "embedding")[a * 3 + a] = 1;
        weights(m, "layer0.norm.gain")[a] = 1;
        weights(m, "layer0.transition.up")[a * 9 + a] = 1 / sqrtf(2);
        weights(m, "layer0.value.up")[a * 3 + a] = 1 / sqrtf(2);
        memcpy(weights(m, "layer0.value.down") + a * 3, value[a], sizeof value[a]);
        for (int i = 0; i < 9; i++)
            weights(m, "layer0.transition.blocks")[a * 9 + i] = (float)(share * map[a][i]);
        weights(m, "answer_bias")[a] = a ? -1 : 1;
    }
    return m;
}

/* Of 0.9 times the maps no metric of one set contracts a step, nor one of a set behind the last
 * symbol: the best that is found has 1.04.  Behind the last two symbols there is one, of 0.98; of
 * 0.95 times them that has 1.03, and what does not contract has none. */
static void test_several_steps(void **state)
{
    (void)state;
    static const struct {
        double share;
        int cover, sets; /* 0: open */
        double contraction;
    } all[] = {{0.9, 2, 0, 1.0416}, {0.9, 4, 4, 0.9785}, {0.95, 16, 0, 1.0328}, {1, 16, 0, 1.0872}};
    ThError err = {0};
    ThDfa *d = th_dfa_new(1, 2, 2, &err);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ThModel *m = turning(all[i].share);
        ThProofClaim *claim = claim_of(m, d, NULL);
        claim->slack = 2e-5;
        ThProofHow how = {.limit = 100, .cover = all[i].cover, .seed = 1};
        ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
        if (!p)
            fail_msg("%s", err.msg);
        assert_int_equal(p->verdict, all[i].sets ? TH_PROOF_PROVED : TH_PROOF_OPEN);
        assert_true(fabs(p->contraction - all[i].contraction) < 1e-3);
        for (int k = 0; k < all[i].sets; k++)
            assert_int_equal(p->state[k], 0);
        if (all[i].sets) {
            assert_int_equal(p->n, all[i].sets);
            ThProofCertificate *c = th_proof_certificate_new(p, &m->signature, &err);
            assert_true(holds_signed(c, m));
            th_proof_certificate_free(c);
        }
        th_proof_free(p);
        th_proof_claim_free(claim);
        th_model_free(m);
    }
    th_dfa_free(d);
}

/* A model that has learned nothing is wrong on the string that is named; one that answers one thing
 * always is, too, though its sets are closed. */
static void test_wrong(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("parity", "", NULL);
    for (int i = 0; i < 2 * KINDS; i++) {
        ThModel *m = trained(t, kinds[i % KINDS], "dim=8", "steps=1");
        if (i >= KINDS)
            memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
        ThProof *p = proof_of(m, t);
        assert_int_equal(p->verdict, TH_PROOF_WRONG);
        ThModelTrace *trace = th_model_trace(m, p->word, p->length, &err);
        assert_int_equal(p->said, trace->output[1] > trace->output[0]);
        assert_int_equal(p->right,
                         th_dfa_class(th_task_machine(t, &err), p->word, (size_t)p->length));
        assert_int_not_equal(p->said, p->right);
        th_model_trace_free(trace);
        th_proof_free(p);
        th_model_free(m);
    }
    th_task_free(t);
}

/* Returns new: an rnn that remembers its last symbol alone, as a number of its own; it answers
 * nothing yet. */
static ThModel *of_last_symbol(void)
{
    ThModel *m = bound("rnn", "dim=3 head=linear", TH_TARGET_FINAL, 2);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    for (int a = 0; a < 2; a++)
        weights(m, "input")[a * 3 + a] = 1;
    return m;
}

/* Two answers that are the same in double precision, of which the first is due and counts, and not
 * in single: wrong is what the runs that are meant say. */
static void test_wrong_runs(void **state)
{
    (void)state;
    static const float head[3][2] = {{0, 1000}, {-1e-5F, -1e-5F}, {0, -1000}};
    const ThTapeBounds in_double = {.runs = TH_TAPE_DOUBLE};
    ThError err = {0};
    ThDfa *d = th_dfa_new(1, 2, 2, &err);
    ThModel *m = of_last_symbol();
    for (int i = 0; i < 6; i++) /* all numbers are 1 behind any symbol */
        weights(m, "input")[i] = 1;
    memcpy(weights(m, "head"), head, sizeof head);
    ThProofClaim *claim = claim_of(m, d, NULL);
    const ThProofHow how = {.limit = 100, .cover = 4, .seed = 1};
    for (int i = 0; i < 2; i++) {
        m->bounds = i ? &in_double : NULL;
        ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
        assert_int_equal(p->verdict, i ? TH_PROOF_OPEN : TH_PROOF_WRONG);
        th_proof_free(p);
    }
    th_proof_claim_free(claim);
    th_dfa_free(d);
    th_model_free(m);
}

/* What forgets all at once is proved: no step has a slope, and the checker's rounding has room. */
static void test_forgotten(void **state)
{
    (void)state;
    ThError err = {0};
    ThDfa *d = th_dfa_new(2, 2, 2, &err);
    ThModel *m = of_last_symbol();
    for (int q = 0; q < 2; q++) {
        weights(m, "head")[q * 2 + q] = 1;
        d->label[q] = q;
        d->next[q * 2 + 1] = 1;
    }
    ThProofClaim *claim = claim_of(m, d, NULL);
    const ThProofHow how = {.limit = 100, .cover = 4, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    if (!p)
        fail_msg("%s", err.msg);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    assert_true(p->slope <= 0 && p->n == 2);
    ThProofCertificate *c = th_proof_certificate_new(p, &m->signature, &err);
    assert_true(holds_signed(c, m));
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_proof_claim_free(claim);
    th_dfa_free(d);
    th_model_free(m);
}

/* Right as far as one sees, and no metric contracts it: that is said, with the worst step. */
static void test_open(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, "gru", "dim=16",
                         "length=1..20 steps=1000 lr=5e-3 batch=32 curriculum=adaptive seed=1");
    ThProof *p = proof_of(m, t);
    assert_int_equal(p->verdict, TH_PROOF_OPEN);
    assert_true(p->slope > 1 && p->contraction > 1 && p->excess > 1);
    assert_true(p->into >= 0 && p->into < 2);
    th_proof_free(p);
    th_model_free(m);
    th_task_free(t);
}

/* What is linear and remembers drifts: right on strings of 100 symbols, and wrong on one of several
 * hundred that drawn runs come to, or not proved; what only looks at the last symbols is proved. */
static void test_linear(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, "lrnn", "dim=8 norm=paper",
                         "length=1..40 steps=400 lr=5e-3 batch=32 curriculum=adaptive seed=1");
    ThProof *p = proof_of(m, t);
    assert_int_not_equal(p->verdict, TH_PROOF_PROVED);
    assert_true(p->verdict == TH_PROOF_WRONG || p->contraction >= 1);
    th_proof_free(p);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),       cmocka_unit_test(test_views),
        cmocka_unit_test(test_enclosures), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_worst),

        cmocka_unit_test(test_corner),     cmocka_unit_test(test_each_set),
        cmocka_unit_test(test_behind),     cmocka_unit_test(test_several_steps),
        cmocka_unit_test(test_proofs),     cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_open),       cmocka_unit_test(test_linear),
        cmocka_unit_test(test_wrong_runs), cmocka_unit_test(test_forgotten),
    };
    return cmocka_run_group_tests_name("proof_cell", tests, NULL, NULL);
}
