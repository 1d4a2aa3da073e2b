/* Bounds on what models do to sets of vectors, and the proofs that are made of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"
#include "lab/train.h"
#include "proof/check/points.h"
#include "proof/matrix.h"
#include "proof/rounding.h"
#include "proof/sample.h"
#include "proof/certify.h"
#include "proof/tree/closure.h"
#include "proof/check/check.h"
#include "proof/check/check_impl.h"
#include "proof/tree/enclosure.h"
#include "proof/check/quantize.h"

enum { MOST = 32 };

/* ---- the map --------------------------------------------------------------------------------- */

/* The vectors of every level of a string by the map, one after the other as a trace has them. */
static void check_levels(const char *settings)
{
    ThError err = {0};
    ThModel *m = bound("regulargpt", settings, TH_TARGET_FINAL, 3);
    ThProofMap *f = th_proof_map_new(m, &err);
    assert_non_null(f);
    int d = f->dim;
    for (int length = 1; length <= 9; length++) {
        int word[9];
        double at[10 * MOST];
        for (int i = 0; i < length; i++) {
            word[i] = (i * i + length) % 3;
            memcpy(at + i * d, f->leaf + word[i] * d, (size_t)d * sizeof *at);
        }
        ThModelTrace *t = th_model_trace(m, word, length, &err);
        assert_non_null(t);
        for (int l = 0, n = length; l < t->n_layers; l++) {
            int odd = n % 2, from = 0;
            assert_int_equal(t->layer[l].n_rows, (n + odd) / 2);
            for (int i = 0; i < (n + odd) / 2; i++, from += i == 1 && odd ? 1 : 2) {
                bool alone = i == 0 && odd;
                double out[MOST];
                assert_true(th_proof_map_apply(f, alone ? NULL : at + from * d,
                                               at + (from + !alone) * d, 1, out, &err));
                for (int k = 0; k < d; k++)
                    assert_true(fabs(out[k] - t->layer[l].state[i * d + k]) < 1e-4);
                memcpy(at + i * d, out, sizeof *out * (size_t)d);
            }
            n = (n + odd) / 2;
        }
        double logits[3];
        th_proof_map_logits(f, at, logits);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(logits[c] - t->output[c]) < 1e-3);
        th_model_trace_free(t);
    }
    th_proof_map_free(f);
    th_model_free(m);
}

static void test_map(void **state)
{
    (void)state;
    check_levels("dim=8 heads=2");
    check_levels("dim=12 heads=3 hidden=2 missing=mask");
    check_levels("dim=16 heads=1 init=wide");
}

static void test_map_refuses(void **state)
{
    (void)state;
    const char *settings[] = {"dim=8 heads=2 chunk=3",  "dim=8 heads=2 thickness=2",
                              "dim=8 heads=2 norm=pre", "dim=8 heads=2 activation=gelu",
                              "dim=8 heads=2 fan=3",    "dim=8 heads=2 fan=1"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        ThError err = {0};
        ThModel *m = bound("regulargpt", settings[i], TH_TARGET_FINAL, 2);
        assert_null(th_proof_map_new(m, &err));
        assert_int_equal(err.code, TH_EVALUE);
        th_model_free(m);
    }
}

/* ---- the enclosure --------------------------------------------------------------------------- */

typedef struct {
    const ThProofMap *f;
    ThProofEnclosure *e;
    ThProofCheckSet *k;  /* the checker's */
    const double *shape; /* (2, dim, dim) */
    double inverse[2 * MOST * MOST];
    ThRng r;
    double closest; /* to the bound, as a share of it */
    double looser;  /* the checker's bound over the prover's, at most */
    long checks;
} Fuzz;

static void random_direction(Fuzz *z, double *to)
{
    double square = 0;
    for (int k = 0; k < z->f->dim; k++) {
        to[k] = th_rng_normal(&z->r);
        square += to[k] * to[k];
    }
    for (int k = 0; k < z->f->dim; k++)
        to[k] /= sqrt(square);
}

/* A point on the ball's surface: centre + radius A z. */
static void point_of(const Fuzz *z, const ThProofBall *b, const double *at, double *to)
{
    int d = z->f->dim;
    for (int i = 0; i < d; i++) {
        to[i] = b->centre[i];
        for (int k = 0; k < d; k++)
            to[i] += b->radius * z->shape[(b->shape * d + i) * d + k] * at[k];
    }
}

static double length_of_product(const double *g, const double *a, int d)
{
    double square = 0;
    for (int k = 0; k < d; k++) {
        double sum = 0;
        for (int i = 0; i < d; i++)
            sum += a[i] * g[i * d + k];
        square += sum * sum;
    }
    return sqrt(square);
}

/* How far the set reaches in the direction of a. */
static double support(const ThProofSet *s, const double *a)
{
    int d = s->dim;
    double q = 0, sum = length_of_product(s->gx, a, d) + length_of_product(s->gy, a, d);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            q += a[i] * s->q[i * d + j] * a[j];
    sum += sqrt(fmax(0, q));
    for (int j = 0; j < s->n_box; j++) {
        double along = 0;
        for (int i = 0; i < d; i++)
            along += a[i] * s->box[j * d + i];
        sum += fabs(along);
    }
    return sum;
}

static void inside(Fuzz *z, const ThProofSet *s, const double *off, const double *a)
{
    double along = 0, size = 0;
    for (int k = 0; k < s->dim; k++) {
        along += a[k] * off[k];
        size += a[k] * a[k];
    }
    double reach = support(s, a);
    if (!(along <= reach * (1 + TH_PROOF_BUDGET) + TH_PROOF_BUDGET * sqrt(size)))
        fail_msg("a point lies %.17g along, the bound is %.17g", along, reach);
    z->closest = fmax(z->closest, along / reach);
    z->checks++;
}

/* Of a place zx, zy: the set without its remainders must hold the point, and so must all of it. */
static void check_point(Fuzz *z, const ThProofBall *x, const ThProofBall *y, const ThProofSet *s,
                        double *zx, double *zy)
{
    ThError err = {0};
    int d = z->f->dim;
    double px[MOST], py[MOST], out[MOST], off[MOST] = {0}, a[MOST];
    if (x)
        point_of(z, x, zx, px);
    point_of(z, y, zy, py);
    assert_true(th_proof_map_apply(z->f, x ? px : NULL, py, 1, out, &err));
    for (int k = 0; k < d; k++)
        off[k] = out[k] - s->centre[k];
    inside(z, s, off, off);
    random_direction(z, a);
    inside(z, s, off, a);
    /* The next place is where the linear part reaches farthest that way. */
    for (int k = 0; k < d; k++) {
        zx[k] = zy[k] = 0;
        for (int i = 0; i < d; i++) {
            zx[k] += off[i] * s->gx[i * d + k];
            zy[k] += off[i] * s->gy[i * d + k];
        }
    }
    double lx = 0, ly = 0;
    for (int k = 0; k < d; k++) {
        lx += zx[k] * zx[k];
        ly += zy[k] * zy[k];
    }
    for (int k = 0; k < d; k++) {
        zx[k] = lx > 0 ? zx[k] / sqrt(lx) : 0;
        zy[k] = ly > 0 ? zy[k] / sqrt(ly) : 0;
    }
}

static ThProofEllipsoid ellipsoid(const Fuzz *z, const ThProofBall *b)
{
    size_t at = (size_t)b->shape * (size_t)z->f->dim * (size_t)z->f->dim;
    return (ThProofEllipsoid){b->centre, z->shape + at, z->inverse + at, b->radius, 1, false, NULL};
}

/* The set that the checker makes, which it keeps as rows of generators. */
static void find_rows(Fuzz *z, const ThProofBall *x, const ThProofBall *y)
{
    ThProofEllipsoid ey = ellipsoid(z, y), ex = x ? ellipsoid(z, x) : ey;
    th_proof_check_tree(z->k, z->f, x ? &ex : NULL, &ey);
}

/* The same points are in it. */
static void check_rows(Fuzz *z, const ThProofBall *x, const ThProofBall *y)
{
    enum { BOXES = 4 * MOST + 8, PLACES = 6 };
    double gx[MOST * MOST], gy[MOST * MOST], q[MOST * MOST] = {0}, box[BOXES * MOST];
    double zx[MOST], zy[MOST], *rest = th_proof_check_row(z->k, 2 * z->f->dim);
    int d = z->f->dim, boxes = z->k->n - 3 * d;
    assert_true(boxes <= BOXES);
    for (int i = 0; i < d * d; i++) {
        gx[i % d * d + i / d] = th_proof_check_row(z->k, 0)[i];
        gy[i % d * d + i / d] = th_proof_check_row(z->k, d)[i];
        for (int r = 0; r < d; r++)
            q[i] += rest[r * d + i / d] * rest[r * d + i % d];
    }
    memcpy(box, rest + d * d, (size_t)(boxes * d) * sizeof *box);
    ThProofSet s = {d, boxes, z->k->row, gx, gy, q, box};
    for (int i = 0; i < PLACES; i++) {
        if (i % 3 == 0) {
            random_direction(z, zx);
            random_direction(z, zy);
        }
        check_point(z, x, y, &s, zx, zy);
    }
}

static void check_balls(Fuzz *z, double radius)
{
    ThError err = {0};
    int d = z->f->dim;
    double cx[MOST], cy[MOST], zx[MOST], zy[MOST], centre[MOST], reach;
    for (int k = 0; k < d; k++) {
        cx[k] = 1.5 * th_rng_normal(&z->r);
        cy[k] = 1.5 * th_rng_normal(&z->r);
        centre[k] = 0.1 * th_rng_normal(&z->r);
    }
    ThProofBall x = {cx, radius * (0.2 + 0.8 * th_rng_uniform(&z->r)), below(&z->r, 2)};
    ThProofBall y = {cy, radius * (0.2 + 0.8 * th_rng_uniform(&z->r)), below(&z->r, 2)};
    bool missing = below(&z->r, 4) == 0;
    const ThProofSet *s = th_proof_enclose(z->e, missing ? NULL : &x, &y);
    for (int k = 0; k < d; k++)
        centre[k] += s->centre[k];
    enum { PLACES = 12 };
    double farthest = 0;
    ThProofBall target = {centre, 0, below(&z->r, 2)};
    for (int i = 0; i < PLACES; i++) {
        if (i % 3 == 0) {
            random_direction(z, zx);
            random_direction(z, zy);
        }
        double px[MOST], py[MOST], out[MOST];
        point_of(z, &x, zx, px);
        point_of(z, &y, zy, py);
        assert_true(th_proof_map_apply(z->f, missing ? NULL : px, py, 1, out, &err));
        for (int k = 0; k < d; k++)
            out[k] -= centre[k];
        farthest = fmax(farthest, th_proof_distance(z->e, target.shape, out));
        check_point(z, missing ? NULL : &x, &y, s, zx, zy);
    }
    assert_true(th_proof_reach(z->e, &target, &reach, &err));
    assert_true(farthest <= reach);
    find_rows(z, missing ? NULL : &x, &y);
    check_rows(z, missing ? NULL : &x, &y);
    ThProofEllipsoid into = ellipsoid(z, &target);
    double other = th_proof_check_distance(z->k, &into);
    assert_true(farthest <= other);
    if (reach <= radius) /* where a proof is likely, the checker follows it */
        z->looser = fmax(z->looser, other / reach);
}

/* Two matrices: the identity, and one that stretches along random axes. */
static void make_shapes(ThRng *r, int d, double *shape)
{
    memset(shape, 0, (size_t)(2 * d * d) * sizeof *shape);
    for (int i = 0; i < d; i++)
        shape[i * d + i] = shape[(d + i) * d + i] = 1;
    double *a = shape + d * d;
    for (int n = 0; n < 6; n++) {
        double v[MOST], square = 0, by = exp(0.5 * th_rng_normal(r)) - 1;
        for (int k = 0; k < d; k++) {
            v[k] = th_rng_normal(r);
            square += v[k] * v[k];
        }
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                a[i * d + j] += by / square / 2 * (v[i] * v[j]);
    }
}

static void fuzz(const char *settings, double size, uint64_t seed, Fuzz *z)
{
    static const double radius[] = {0.001, 0.01, 0.03, 0.1, 0.3, 1, 3};
    ThError err = {0};
    ThModel *m = bound("regulargpt", settings, TH_TARGET_FINAL, 2);
    for (size_t i = 0; i < m->params.total; i++)
        m->params.value[i] *= (float)size;
    ThProofMap *f = th_proof_map_new(m, &err);
    double *shape = th_alloc(2 * MOST * MOST, sizeof *shape, &err);
    z->r = th_rng(seed, "fuzz", 0);
    make_shapes(&z->r, f->dim, shape);
    z->f = f;
    z->shape = shape;
    z->e = th_proof_enclosure_new(f, shape, 2, &err);
    z->k = th_proof_check_set_new(f->dim, 3, f->heads + f->hidden + 3, f->hidden, &err);
    assert_non_null(z->e);
    assert_non_null(z->k);
    for (int i = 0; i < 2; i++)
        assert_true(th_proof_check_invert(z->k, shape + i * f->dim * f->dim,
                                          z->inverse + i * f->dim * f->dim));
    for (size_t i = 0; i < sizeof radius / sizeof *radius; i++)
        for (int k = 0; k < 3; k++)
            check_balls(z, radius[i]);
    th_proof_enclosure_free(z->e);
    free(z->k);
    th_proof_map_free(f);
    th_model_free(m);
    free(shape);
}

/* No point outside, whatever the weights are and however large the sets. */
static void test_enclosure(void **state)
{
    (void)state;
    static const double size[] = {0.1, 0.3, 0.7, 1, 2, 4};
    Fuzz z = {0};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        fuzz("dim=8 heads=2", size[i], i, &z);
        fuzz("dim=16 heads=4 hidden=2 missing=mask", size[i], i + 10, &z);
        fuzz("dim=12 heads=1", size[i], i + 20, &z);
    }
    if (getenv("PROOF_VERBOSE"))
        print_message("%ld checks, the closest at %.4f of its bound; checker/prover %.3f\n",
                      z.checks, z.closest, z.looser);
    assert_true(z.checks > 8000);
    assert_true(z.closest > 0.9); /* a bound that is far off would prove nothing */
    assert_true(z.looser < 1.07); /* what was proved with some room can be checked */
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static const char TRAINING[] = "length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 "
                               "ramp=0.4 pull=0.3 aux=0.5 gate=0.2";

static ThModel *trained(const ThTask *t, const char *settings, const char *training)
{
    ThError err = {0};
    ThModel *m = made_model("regulargpt", settings);
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
    ThProofHow how = {.limit = 100, .seed = 1};
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
    ThProofMap *f = th_proof_map_new(m, &err);
    assert_true(th_proof_check_sets(c, f, NULL, 0, NULL, &k, &err));
    assert_true(k.holds == !*k.why);
    /* Six strings of one and two symbols, eight products and four alone, four answers. */
    assert_true(!k.holds || k.checks == 6 + 12 + 4);
    th_proof_map_free(f);
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

/* How near the certificate is to not holding: the sets of products decide that here. */
static double tightest_signed(ThProofCertificate *c, const ThModel *m)
{
    ThError err = {0};
    ThProofChecked k;
    uint64_t before = c->digest;
    ThProofMap *f = th_proof_map_new(m, &err);
    c->digest = th_proof_certificate_digest(c);
    assert_true(th_proof_check_sets(c, f, NULL, 0, NULL, &k, &err) && k.holds);
    c->digest = before;
    th_proof_map_free(f);
    return k.tightest;
}

/* No weight, centre or radius can change unseen, be it by its last bit. */
static void refuse_changes(ThProofCertificate *c, ThModel *m)
{
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        size_t last = (size_t)p->rows * (size_t)p->cols - 1, place[] = {0, last / 2, last};
        for (int k = 0; k < 3; k++) {
            float *w = m->params.value + p->offset + place[k], before = *w;
            *w = nextafterf(before, 2);
            assert_false(holds(c, m));
            *w = before;
        }
    }
    for (int i = 0; i < c->n_labels * (c->dim + 1); i++) {
        double *x = i < c->n_labels ? c->radius + i : c->centre + i - c->n_labels, before = *x;
        *x = nextafter(before, 2);
        assert_false(holds(c, m));
        *x = before;
    }
}

/* What is wrong is seen even where all digests agree. */
static void refuse_wrong_sets(ThProofCertificate *c, ThModel *m)
{
    for (int i = 0; i < c->n_labels; i++) {
        double radius = c->radius[i];
        c->radius[i] = radius / 8;
        assert_false(holds_signed(c, m));
        c->radius[i] = 40;
        assert_false(holds_signed(c, m));
        c->radius[i] = radius;
        double *centre = c->centre + i * c->dim, first = *centre;
        *centre += 1;
        assert_false(holds_signed(c, m));
        *centre = first;
        c->complete[i] = !c->complete[i];
        assert_false(holds_signed(c, m));
        c->complete[i] = !c->complete[i];
    }
    for (int q = 0; q < c->n_states; q++) {
        c->answer[q] = !c->answer[q];
        assert_false(holds_signed(c, m));
        c->answer[q] = !c->answer[q];
    }
    double tightest = tightest_signed(c, m);
    c->slack = 0;
    assert_true(tightest_signed(c, m) < tightest - 1e-3);
    c->slack = 1;
    assert_false(holds_signed(c, m));
    c->slack = -1;
    assert_false(holds_signed(c, m));
    c->slack = 1e-3;
    assert_true(holds_signed(c, m));
    float *bias = th_params_at(&m->params, th_params_find(&m->params, "head_bias"));
    uint64_t weights = c->weights;
    float before = *bias;
    *bias += 30;
    ThError err = {0};
    ThProofMap *f = th_proof_map_new(m, &err);
    c->weights = f->digest;
    assert_false(holds_signed(c, m)); /* closed still, but all answers are one */
    th_proof_map_free(f);
    c->weights = weights;
    *bias = before;
}

static void test_certificate(void **state)
{
    (void)state;
    ThError err = {0};
    const char *path = "build/test_proof.cert";
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, "dim=16 heads=2", TRAINING);
    ThProof *p = proof_of(m, t);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    assert_int_equal(p->labels->n, 4);
    assert_true(p->float_error > 0 && p->float_error < 1e-4);
    ThProofCertificate *made = th_proof_certificate_new(p, &m->signature, &err);
    assert_true(th_proof_certificate_write(made, path, &err));
    ThProofCertificate *c = th_proof_certificate_read(path, &err);
    assert_non_null(c);
    assert_true(th_proof_certificate_digest(c) == made->digest);
    assert_true(holds(c, m));
    refuse_changes(c, m);
    refuse_wrong_sets(c, m);
    assert_true(holds(c, m));
    th_proof_certificate_free(c);
    th_proof_certificate_free(made);
    th_proof_free(p);
    th_model_free(m);
    th_task_free(t);
    remove(path);
}

/* A word that a model is said to be wrong on. */
static void check_word(const ThModel *m, const ThTask *t, const ThProof *p)
{
    ThError err = {0};
    assert_int_equal(p->verdict, TH_PROOF_WRONG);
    ThModelTrace *trace = th_model_trace(m, p->word, p->length, &err);
    int said = 0;
    for (int c = 1; c < trace->n_classes; c++)
        if (trace->output[c] > trace->output[said])
            said = c;
    assert_int_equal(said, p->said);
    assert_int_equal(p->right, th_dfa_class(th_task_machine(t, &err), p->word, (size_t)p->length));
    assert_int_not_equal(said, p->right);
    th_model_trace_free(trace);
}

/* Models that are wrong are never proved: answers come from the automaton, and a model whose sets
 * are closed because all vectors are one is wrong, too. */
static void test_wrong(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, "dim=8 heads=2", "steps=1");
    ThProof *p = proof_of(m, t);
    check_word(m, t, p);
    th_proof_free(p);
    float *gain = th_params_at(&m->params, th_params_find(&m->params, "layer0.norm2.gain"));
    memset(gain, 0, 8 * sizeof *gain);
    p = proof_of(m, t);
    check_word(m, t, p);
    th_proof_free(p);
    th_model_free(m);
    th_task_free(t);
}

/* A model that was trained with noise alone is right as far as one sees, but not proved. */
static void test_open(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m =
        trained(t, "dim=16 heads=2", "steps=500 batch=32 curriculum=adaptive lr=3e-3 noise=0.3");
    ThProof *p = proof_of(m, t);
    assert_int_equal(p->verdict, TH_PROOF_OPEN);
    assert_true(p->excess > 1 && p->excess < 100);
    assert_true(p->into >= 0 && p->into < p->labels->n);
    th_proof_free(p);
    th_model_free(m);
    th_task_free(t);
}

static ThProofClosure *closure_of(const ThModel *m, const ThTask *t)
{
    ThError err = {0};
    ThProofClosureHow how = {.levels = 6, .keep = 5, .pairs = 1000, .limit = 100, .seed = 1};
    ThProofClosure *c = th_proof_closure(m, th_task_machine(t, &err), &how, NULL, &err);
    if (!c)
        fail_msg("%s", err.msg);
    return c;
}

/* Noise makes clusters that hold.  Every product is visited: of six vectors, four of them complete,
 * and then of five of each label. */
static void test_closed(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m =
        trained(t, "dim=16 heads=2", "steps=500 batch=32 curriculum=adaptive lr=3e-3 noise=0.3");
    ThProofClosure *c = closure_of(m, t);
    assert_int_equal(c->first, -1);
    assert_null(c->word);
    const long long visited[] = {6, 6 + 6 * 4, 20 + 20 * 10};
    for (int i = 0; i < c->levels; i++) {
        const ThProofClosureLevel *v = &c->level[i];
        assert_true(v->all && v->wrong == 0 && v->purity == 1);
        assert_int_equal(v->clusters, 4);
        assert_true(v->gap > 2 * v->radius && v->between > v->at && v->at > 0);
        if (i < 3)
            assert_int_equal(v->visited, visited[i]);
    }
    assert_int_equal(c->level[5].kept, 20);
    th_proof_closure_free(c);
    th_model_free(m);
    th_task_free(t);
}

/* The vectors of one and two symbols, those that stand alone first, and their labels. */
enum { SYMBOLS = 2, LOW = SYMBOLS + SYMBOLS * SYMBOLS, MADE = LOW + LOW * LOW };

static void lowest(const ThProofMap *f, const ThProofLabels *l, double *z, int *label)
{
    for (int i = 0; i < LOW; i++) {
        int b = i < SYMBOLS ? i : i % SYMBOLS, a = i < SYMBOLS ? -1 : (i - SYMBOLS) / SYMBOLS;
        label[i] = a < 0 ? l->single[b] : l->pair[a * SYMBOLS + b];
        th_proof_map_apply(f, a < 0 ? NULL : f->leaf + a * f->dim, f->leaf + b * f->dim, 1,
                           z + i * f->dim, NULL);
    }
}

/* Of strings of up to four symbols all pairs are what is computed here once more, from the map. */
static void test_closure_pairs(void **state)
{
    (void)state;
    ThTask *t = made_task("tomita", "number=5", NULL);
    ThModel *m = trained(t, "dim=8 heads=2", "steps=300 batch=32 lr=3e-3 noise=0.3");
    ThProofClosureHow how = {.levels = 2, .keep = 5, .pairs = 1000, .limit = 100, .seed = 1};
    ThProofClosure *c = th_proof_closure(m, th_task_machine(t, NULL), &how, NULL, NULL);
    ThProofMap *f = th_proof_map_new(m, NULL);
    const ThProofLabels *l = c->labels;
    int d = f->dim, low[LOW], n = 0, of[MADE][3], *count = calloc((size_t)l->n, sizeof *count);
    double *z = calloc((size_t)(LOW * d), sizeof *z), *made = calloc((size_t)(MADE * d), sizeof *z),
           *mean = calloc((size_t)(l->n * d), sizeof *z), spread = 0, gap = HUGE_VAL;
    lowest(f, l, z, low);
    for (int x = -1; x < LOW; x++)
        for (int y = 0; y < LOW; y++) {
            int into = th_proof_labels_product(l, x < 0 ? -1 : low[x], low[y]);
            if (into < 0)
                continue;
            th_proof_map_apply(f, x < 0 ? NULL : z + x * d, z + y * d, 1, made + n * d, NULL);
            for (int k = 0; k < d; k++)
                mean[into * d + k] += made[n * d + k];
            count[into]++;
            memcpy(of[n++], (int[]){x < 0 ? -1 : low[x], low[y], into}, sizeof *of);
        }
    for (int i = 0; i < l->n * d; i++)
        mean[i] /= count[i / d];
    for (int i = 0; i < c->n_pairs; i++) {
        const ThProofClosurePair *p = &c->pair[i];
        double far = 0, near = HUGE_VAL;
        for (int k = 0; k < n; k++)
            if (of[k][0] == p->x && of[k][1] == p->y)
                far = fmax(far, th_proof_length_between(made + k * d, mean + p->into * d, d));
        for (int k = 0; k < l->n; k++)
            if (k != p->into && count[k] && l->kind[k] == l->kind[p->into])
                near = fmin(near, th_proof_length_between(mean + k * d, mean + p->into * d, d));
        assert_int_equal(p->into, th_proof_labels_product(l, p->x, p->y));
        bool met = false;
        for (int k = 0; k < n; k++)
            met |= of[k][0] == p->x && of[k][1] == p->y;
        assert_true(met ? fabs(p->spread - far) < 1e-9 : isnan(p->spread));
        assert_true(fabs(p->gap / near - 1) < 1e-9 && p->at > 0 && p->between > 0);
        if (met)
            assert_true(fabs(th_proof_closure_share(p) - far / (near / 2)) < 1e-9);
        spread = fmax(spread, p->spread);
        gap = fmin(gap, p->gap);
    }
    assert_true(c->n_pairs > 12 && fabs(spread - c->level[1].radius) < 1e-9 &&
                fabs(gap - c->level[1].gap) < 1e-9);
    free(z);
    free(made);
    free(mean);
    free(count);
    th_proof_map_free(f);
    th_proof_closure_free(c);
    th_model_free(m);
    th_task_free(t);
}

/* A model that has learned nothing is not closed: the string has as many symbols as its level can
 * have, and is answered as is said. */
static void test_not_closed(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, "dim=8 heads=2", "steps=1");
    ThProofClosure *c = closure_of(m, t);
    assert_true(c->first >= 0 && c->level[c->first].wrong > 0 && c->level[c->first].purity < 1);
    for (int i = 0; i < c->first; i++)
        assert_true(c->level[i].wrong == 0);
    assert_true(c->length <= 2 << c->first && 2 * c->length > 2 << c->first);
    ThModelTrace *trace = th_model_trace(m, c->word, c->length, &err);
    assert_int_equal(c->said, trace->output[1] > trace->output[0]);
    assert_int_equal(c->right, th_dfa_class(th_task_machine(t, &err), c->word, (size_t)c->length));
    th_model_trace_free(trace);
    th_proof_closure_free(c);
    th_model_free(m);
    th_task_free(t);
}

/* The class that a snapped model gives a word, level by level through the whole table. */
static int snapped(const ThProofQuantized *q, const int *word, int length)
{
    int at[16], n = (length + 1) / 2, odd = length % 2;
    for (int i = 0; i < n; i++) {
        const int *later = word + 2 * i + 1 - odd;
        at[i] =
            i == 0 && odd ? q->single[*later] : q->pair[later[-1] * q->labels->n_symbols + *later];
    }
    for (; n > 1; n = (n + 1) / 2)
        for (int i = 0; i < (n + 1) / 2; i++) {
            int k = 2 * i + 1 - n % 2;
            at[i] =
                i == 0 && n % 2 ? q->alone[at[k]] : q->product[at[k - 1] * q->labels->n + at[k]];
        }
    return q->said[at[0]];
}

/* The snapped model is its table: its vectors are centres, also in the form that answers every
 * position, and it says what they say. */
static void check_model(const ThModel *m, const ThProofQuantized *q)
{
    ThError err = {0};
    int word[MAX_WORD], length = 0;
    ThModel *s = th_proof_snapped(m, q, &err);
    assert_non_null(s);
    while (next_word(word, &length, 2, 7)) {
        ThModelTrace *trace = th_model_trace(s, word, length, &err);
        assert_int_equal(trace->output[1] > trace->output[0], snapped(q, word, length));
        for (int l = 0; l < trace->n_layers; l++)
            for (int i = 0; i < trace->layer[l].n_rows; i++) {
                bool edge = trace->layer[l].last[i] + 1 < 2 << l;
                int n = 0;
                for (int c = 0; c < q->labels->n; c++)
                    if (q->labels->kind[c] == (edge ? TH_PROOF_EDGE : TH_PROOF_COMPLETE)) {
                        bool same = true;
                        for (int k = 0; k < q->dim; k++)
                            same &=
                                trace->layer[l].state[i * q->dim + k] == q->centre[c * q->dim + k];
                        n += same;
                    }
                assert_int_equal(n, 1);
            }
        th_model_trace_free(trace);
    }
    assert_null(th_proof_map_new(s, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(s);
}

/* By how much the nearest of the centres of a kind is nearer to F(x, y) than the next. */
static double lead_of_nearest(const ThProofMap *f, const ThProofQuantized *q, ThProofKind kind,
                              const double *x, const double *y)
{
    double z[16], near = HUGE_VAL, next = HUGE_VAL;
    assert_true(q->dim <= 16 && th_proof_map_apply(f, x, y, 1, z, NULL));
    for (int i = 0; i < q->labels->n; i++) {
        double squares = 0;
        for (int k = 0; k < q->dim; k++)
            squares += pow(z[k] - q->centre[i * q->dim + k], 2);
        if (q->labels->kind[i] != kind)
            continue;
        next = fmin(next, fmax(near, sqrt(squares)));
        near = fmin(near, sqrt(squares));
    }
    return next - near;
}

/* The margin is the least of all products and of all words of one and two symbols. */
static void check_margin(const ThModel *m, const ThProofQuantized *q)
{
    const ThProofLabels *l = q->labels;
    ThProofMap *f = th_proof_map_new(m, NULL);
    double least = HUGE_VAL;
    for (int x = -1; x < l->n; x++)
        for (int y = 0; y < l->n; y++)
            if (th_proof_labels_product(l, x, y) >= 0)
                least = fmin(least, lead_of_nearest(f, q, x < 0 ? TH_PROOF_EDGE : l->kind[x],
                                                    x < 0 ? NULL : q->centre + x * q->dim,
                                                    q->centre + y * q->dim));
    for (int a = -1; a < l->n_symbols; a++)
        for (int b = 0; b < l->n_symbols; b++)
            least = fmin(least, lead_of_nearest(f, q, a < 0 ? TH_PROOF_EDGE : TH_PROOF_COMPLETE,
                                                a < 0 ? NULL : f->leaf + a * q->dim,
                                                f->leaf + b * q->dim));
    assert_true(fabs(q->margin - least) < 1e-9);
    th_proof_map_free(f);
}

static void check_snapped(const ThModel *m, const ThTask *t)
{
    ThError err = {0};
    const ThDfa *machine = th_task_machine(t, &err);
    ThProofClaim *claim = claim_of(m, machine, NULL);
    ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, &err);
    th_proof_claim_free(claim);
    assert_non_null(q);
    assert_true(q->wrong == 0 || q->word);
    int word[MAX_WORD], length = 0;
    while (next_word(word, &length, 2, 10)) {
        if (q->word && length >= q->length)
            break;
        assert_int_equal(snapped(q, word, length), th_dfa_class(machine, word, (size_t)length));
    }
    if (q->word && q->length <= 16) {
        assert_int_equal(snapped(q, q->word, q->length), q->answer);
        assert_int_equal(th_dfa_class(machine, q->word, (size_t)q->length), q->right);
        assert_int_not_equal(q->answer, q->right);
    }
    check_model(m, q);
    check_margin(m, q);
    th_proof_quantized_free(q);
}

/* A model that noise alone has trained is right once its vectors snap; one that has learned nothing
 * is wrong, and on no shorter word than is said. */
static void test_quantized(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThError err = {0};
    for (int i = 0; i < 6; i++) {
        char training[128];
        snprintf(training, sizeof training,
                 "steps=%d batch=32 curriculum=adaptive lr=3e-3 noise=0.3 seed=%d",
                 i == 0 ? 500 : 20 * i, i + 1);
        ThModel *m = trained(t, "dim=16 heads=2", training);
        check_snapped(m, t);
        if (i == 0) {
            ThProofClaim *claim = claim_of(m, th_task_machine(t, &err), NULL);
            ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, &err);
            th_proof_claim_free(claim);
            assert_int_equal(q->wrong, 0);
            assert_int_equal(q->checked, 22);
            assert_true(q->margin > 0);
            th_proof_quantized_free(q);
        }
        th_model_free(m);
    }
    th_task_free(t);
}

/* Margins are exact where many centres are near, as after a training that has just begun. */
static void test_margins(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 101; steps += 50) {
        char training[64];
        snprintf(training, sizeof training, "steps=%d batch=32 length=2..8 seed=%d", steps, steps);
        ThTask *t = made_task("cycle_navigation", "", NULL);
        ThModel *m = trained(t, "dim=16 heads=2", training);
        ThProofClaim *claim = claim_of(m, th_task_machine(t, NULL), NULL);
        ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, NULL);
        assert_int_equal(q->labels->n, 10);
        check_margin(m, q);
        th_proof_quantized_free(q);
        th_proof_claim_free(claim);
        th_model_free(m);
        th_task_free(t);
    }
}

/* The label of a kind whose centre is nearest to F(x, y). */
static int nearest(const ThProofMap *f, const ThProofLabels *l, const double *centre,
                   ThProofKind kind, const double *x, const double *y)
{
    double z[16], near = HUGE_VAL;
    int label = -1;
    assert_true(f->dim <= 16 && th_proof_map_apply(f, x, y, 1, z, NULL));
    for (int i = 0; i < l->n; i++) {
        double squares = 0;
        for (int k = 0; k < f->dim; k++)
            squares += pow(z[k] - centre[i * f->dim + k], 2);
        if (l->kind[i] != kind || squares >= near)
            continue;
        near = squares;
        label = i;
    }
    return label;
}

/* How many entries of the table are wrong with these centres. */
static int count_wrong(const ThModel *m, const ThProofLabels *l, const double *centre)
{
    ThProofMap *f = th_proof_map_new(m, NULL);
    int wrong = 0, d = f->dim;
    for (int x = -1; x < l->n; x++)
        for (int y = 0; y < l->n; y++) {
            int right = th_proof_labels_product(l, x, y);
            ThProofKind kind = x < 0 ? TH_PROOF_EDGE : l->kind[x];
            wrong += right >= 0 && nearest(f, l, centre, kind, x < 0 ? NULL : centre + x * d,
                                           centre + y * d) != right;
        }
    for (int a = -1; a < l->n_symbols; a++)
        for (int b = 0; b < l->n_symbols; b++) {
            int right = a < 0 ? l->single[b] : l->pair[a * l->n_symbols + b];
            ThProofKind kind = a < 0 ? TH_PROOF_EDGE : TH_PROOF_COMPLETE;
            wrong += right >= 0 && nearest(f, l, centre, kind, a < 0 ? NULL : f->leaf + a * d,
                                           f->leaf + b * d) != right;
        }
    for (int i = 0; i < l->n; i++) {
        double logit[2];
        th_proof_map_logits(f, centre + i * d, logit);
        wrong += l->answer[i] >= 0 && (logit[1] > logit[0]) != l->answer[i];
    }
    th_proof_map_free(f);
    return wrong;
}

/* The same with the centres of samples of so many levels. */
static int count_wrong_of_samples(const ThModel *m, const ThProofLabels *l, int levels)
{
    double centre[64 * 16], reach = 0;
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThProofSample s;
    const ThProofSampleShape shape = {.levels = levels, .per_level = 1200, .seed = 1};
    assert_true(l->n <= 64 && th_proof_sample(f, l, &shape, NULL, &s, NULL) &&
                th_proof_centres(f, l, &s, centre, &reach, NULL));
    int wrong = count_wrong(m, l, centre);
    th_proof_sample_free(&s);
    th_proof_map_free(f);
    return wrong;
}

/* Centres that are moved to where the map takes pairs of them make far fewer entries wrong than
 * those of vectors, and the table is that of the centres that it comes with. */
static void test_moved(void **state)
{
    (void)state;
    ThTask *t = made_task("tomita", "number=7", NULL);
    int moved = 0, low = 0, high = 0;
    for (int seed = 1; seed <= 3; seed++) {
        char training[160];
        snprintf(training, sizeof training,
                 "steps=300 batch=32 length=1..8 noise=0.1 lr=3e-3 auxiliary_loss=1 "
                 "segments=balanced optimizer=muon seed=%d",
                 seed);
        ThModel *m = trained(t, "dim=16 heads=2", training);
        ThProofClaim *claim = claim_of(m, th_task_machine(t, NULL), NULL);
        ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, NULL);
        assert_int_equal(q->wrong, count_wrong(m, q->labels, q->centre));
        moved += q->wrong;
        high += count_wrong_of_samples(m, q->labels, 12);
        low += count_wrong_of_samples(m, q->labels, 6);
        th_proof_quantized_free(q);
        th_proof_claim_free(claim);
        th_model_free(m);
    }
    if (!(moved > 0 && 2 * moved < low && 2 * moved < high))
        fail_msg("%d entries are wrong, %d of low levels, %d of high ones", moved, low, high);
    th_task_free(t);
}

static float *weights(ThModel *m, const char *name)
{
    return th_params_at(&m->params, th_params_find(&m->params, name));
}

/* Could a float run of any entry snap elsewhere?  One pair at a time. */
static bool stays_in_float(const ThModel *m, const ThProofQuantized *q)
{
    const ThProofLabels *l = q->labels;
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThProofPoints *p = th_proof_points_new(f, 1, NULL);
    bool ok = true;
    for (int leaves = 0; leaves < 2; leaves++) {
        int n = leaves ? l->n_symbols : l->n;
        const double *at = leaves ? f->leaf : q->centre;
        for (int x = -1; x < n; x++)
            for (int y = 0; y < n; y++) {
                double z[16], off;
                const double *before = x < 0 ? NULL : at + x * q->dim, *later = at + y * q->dim;
                ThProofKind kind = x < 0 ? TH_PROOF_EDGE : leaves ? TH_PROOF_COMPLETE : l->kind[x];
                if (!leaves && th_proof_labels_product(l, x, y) < 0)
                    continue;
                assert_true(th_proof_map_apply(f, before, later, 1, z, NULL));
                const ThProofPointRows r = {before ? before : f->pad, later, z, 1, !before, leaves};
                th_proof_points_off(p, &r, TH_PROOF_FLOAT_UNIT, &off);
                ok &= 2 * off < lead_of_nearest(f, q, kind, before, later);
            }
    }
    th_proof_points_free(p);
    th_proof_map_free(f);
    return ok;
}

/* Runs in float are proved as long as none of their vectors gets half of the way to where it would
 * snap elsewhere: two hidden units that cancel more and more cost as much. */
static void test_rounded(void **state)
{
    (void)state;
    enum { DIM = 16, HIDDEN = 64, LARGER = 30 };
    int proved = 0, all = 0;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t, "dim=16 heads=2",
                         "steps=500 batch=32 curriculum=adaptive lr=3e-3 noise=0.3 seed=1");
    float *up = weights(m, "layer0.feed_forward.up"),
          *bias = weights(m, "layer0.feed_forward.up_bias");
    float *down = weights(m, "layer0.feed_forward.down"), first[DIM];
    memcpy(first, down, sizeof first);
    for (int i = 0; i < DIM; i++)
        up[i * HIDDEN + 1] = up[i * HIDDEN] *= LARGER;
    bias[1] = bias[0] *= LARGER;
    for (float more = 1; more < 900; more *= 1.4F, all++) {
        for (int i = 0; i < DIM; i++) {
            down[i] = first[i] / LARGER + more;
            down[DIM + i] = -more;
        }
        ThProofClaim *claim = claim_of(m, th_task_machine(t, NULL), NULL);
        ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, NULL);
        assert_int_equal(q->wrong, 0);
        assert_int_equal(q->in_float, stays_in_float(m, q));
        proved += q->in_float;
        th_proof_quantized_free(q);
        th_proof_claim_free(claim);
    }
    assert_true(proved > 0 && proved < all);
    th_model_free(m);
    th_task_free(t);
}

/* Labels of strings are what the automaton's monoid says, whatever tree there is above them. */
static void test_labels(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("tomita", "number=5", NULL);
    ThProofLabels *l = th_proof_labels_new(th_task_machine(t, &err), NULL, 2, 100, NULL, &err);
    assert_non_null(l);
    int complete = 0;
    for (int i = 0; i < l->n; i++)
        complete += l->kind[i] == TH_PROOF_COMPLETE;
    /* Two symbols leave both counts, or change both: even words only. */
    assert_int_equal(complete, 2);
    assert_int_equal(l->n, 2 + 4);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) {
            int to = l->product[i * l->n + j];
            assert_true((to < 0) == (l->kind[j] == TH_PROOF_EDGE));
            if (to >= 0)
                assert_int_equal(l->element[to],
                                 th_monoid_product(l->monoid, l->element[i], l->element[j]));
        }
    th_proof_labels_free(l);
    assert_null(th_proof_labels_new(th_task_machine(t, &err), NULL, 2, 3, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),         cmocka_unit_test(test_map_refuses),
        cmocka_unit_test(test_enclosure),   cmocka_unit_test(test_labels),
        cmocka_unit_test(test_certificate), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_open),        cmocka_unit_test(test_quantized),
        cmocka_unit_test(test_closed),      cmocka_unit_test(test_closure_pairs),
        cmocka_unit_test(test_margins),     cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_moved),       cmocka_unit_test(test_not_closed),
    };
    return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
