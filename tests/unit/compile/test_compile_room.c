/* The bounds of the proof of compiled models, at their edges: what lies in balls under a search for
 * the worst point, answers, slack and closedness where they just hold and just do not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "compile/compile.h"
#include "compile/weights.h"
#include "proof/check/chunk.h"
#include "proof/check/algebra.h"
#include "given.h"
#include "worst.h"

static const char S3[] = "x a -> y ; y a -> z ; z a -> x\n"
                         "x b -> y ; y b -> x ; z b -> z\n"
                         "x c -> x ; y c -> z ; z c -> y\n"
                         "start y\noutput x X\noutput y Y\noutput z Z";

typedef struct {
    ThTask *task;
    ThMonoid *monoid;
    ThModel *model;
} Compiled;

/* The same machine, its states numbered so that the start is not the first. */
static void renumber(ThDfa *d)
{
    ThError err = {0};
    ThDfa *was = th_dfa_copy(d, &err);
    int n = d->n_states, k = d->n_symbols;
    for (int q = 0; q < n; q++) {
        d->label[(q + 1) % n] = was->label[q];
        for (int a = 0; a < k; a++)
            d->next[(q + 1) % n * k + a] = (was->next[q * k + a] + 1) % n;
    }
    d->start = (was->start + 1) % n;
    th_dfa_free(was);
}

static Compiled compiled(const ThCompileShape *shape)
{
    ThError err = {0};
    Compiled c = {.task = made_task("output", "labels=final", S3)};
    c.monoid = th_monoid_new(c.task->machine, 0, NULL, &err);
    c.model = th_compile_regulargpt(c.task, c.monoid, shape, NULL, &err);
    assert_non_null(c.model);
    th_monoid_free(c.monoid);
    renumber(c.task->machine);
    c.monoid = th_monoid_new(c.task->machine, 0, NULL, &err);
    return c;
}

static void drop(Compiled *c)
{
    th_model_free(c->model);
    th_monoid_free(c->monoid);
    th_task_free(c->task);
}

static float *weights(const Compiled *c, const char *name, int *n)
{
    const ThParams *p = &c->model->params;
    int i = th_params_find(p, name);
    assert_true(i >= 0);
    *n = p->item[i].rows * p->item[i].cols;
    return th_params_at(p, i);
}

static void shake(const Compiled *c, const char *name, double by, ThRng *r)
{
    int n;
    float *w = weights(c, name, &n);
    for (int i = 0; i < n; i++) /* zeros are no entries */
        w[i] += w[i] != 0 ? (float)(by * th_rng_normal(r)) : 0;
}

static ThProofAlgebra prove(const Compiled *c, double radius, double slack)
{
    ThError err = {0};
    ThProofAlgebra p;
    ThProofAlgebraHow claim = {.radius = radius, .slack = slack};
    ThProofTruth truth = {c->task->machine, c->task->bits, c->monoid};
    if (!th_proof_algebra(c->model, &truth, &claim, &p, &err))
        fail_msg("%s", err.msg);
    return p;
}

/* ---- one combination ------------------------------------------------------------------------- */

enum { MOST = 3 * 18 };

typedef struct {
    ThProofChunk *f;
    double centre[MOST], at[MOST], each;
} Ball;

/* How far what is made of children within balls gets from what is made of their centres. */
static double moved(const void *given, const double *z)
{
    const Ball *b = given;
    double square = 0;
    for (int i = 0; i < b->f->chunk * b->f->dim; i++)
        b->f->x[i] = b->centre[i] + b->each * z[i];
    th_proof_chunk_combine(b->f, 0);
    for (int i = 0; i < b->f->dim; i++)
        square += (b->f->v[i] - b->at[i]) * (b->f->v[i] - b->at[i]);
    return sqrt(square);
}

/* Returns how near to its bound some combination comes. */
static double check_ball(Ball *b, double each, int begins, uint64_t seed)
{
    size_t size = (size_t)(b->f->chunk * b->f->dim) * sizeof *b->centre;
    memcpy(b->f->x, b->centre, size);
    double bound = th_proof_chunk_combine(b->f, each);
    memcpy(b->at, b->f->v, (size_t)b->f->dim * sizeof *b->at);
    b->each = each;
    WorstPlace p = {.n = b->f->chunk};
    for (int k = 0; k < b->f->chunk; k++)
        p.part[k] = b->f->dim;
    double most = worst(moved, b, &p, begins, seed);
    if (!(most <= bound + 1e-12))
        fail_msg("of balls of %g something gets %.9g away, the bound is %.9g", each, most, bound);
    return most / bound;
}

/* Whatever is shaken, in every layout; small balls and such as wake what rests. */
static void test_combinations(void **state)
{
    (void)state;
    static const double each[] = {1e-4, 1e-2, 0.06, 0.3};
    ThError err = {0};
    for (int i = 0; i < 24; i++) {
        ThCompileShape shape = {
            .chunk = 2, .monoid = i & 1, .plain = i & 2, .pre = i & 4, .gelu = i & 8};
        Compiled c = compiled(&shape);
        ThRng r = th_rng((uint64_t)i, "shake", 0);
        ThProofChunk f;
        double nearest = 0;
        shake(&c, "layer0.feed_forward.up", 0.3, &r);
        shake(&c, "layer0.feed_forward.down", 0.3, &r);
        shake(&c, "layer0.feed_forward.up_bias", i < 16 ? 0 : 1, &r);
        shake(&c, "layer0.norm2.gain", 0.3, &r);
        assert_true(th_proof_chunk_read(&f, c.model, 1, &err));
        Ball b = {.f = &f};
        assert_true(f.chunk * f.dim <= MOST);
        for (int k = 0; k < 8; k++) {
            for (int n = 0; n < f.chunk * f.dim; n++)
                b.centre[n] = below(&r, 3) == 0 ? th_rng_normal(&r) : 0;
            nearest = fmax(nearest, check_ball(&b, each[k % 4], 4, (uint64_t)k));
        }
        if (getenv("PROOF_VERBOSE"))
            print_message("layout %d: at %.3f of the bound\n", i, nearest);
        th_proof_chunk_free(&f);
        drop(&c);
    }
}

/* ---- where a bound is tight ------------------------------------------------------------------ */

enum { D = 4 };

/* Returns new: one whose vectors pass two layer norms that do next to nothing to them, for what is
 * normed is 8000 long and the gain as large, and one hidden unit. */
static ThModel *plain_model(const char *settings)
{
    ThModel *m = bound("regulargpt", settings, TH_TARGET_FINAL, 2);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    for (int i = 0; i < D; i++) {
        th_compile_weights(m, "layer0.norm1.gain")[i] = 4000;
        th_compile_weights(m, "layer0.norm2.gain")[i] = 4000;
        th_compile_weights(m, "layer0.feed_forward.down_bias")[i] = i < 2 ? 4000 : -4000;
    }
    return m;
}

/* A unit that is bent where the ball is counts with its steepest slope, which GELU has at √2. */
static void test_units(void **state)
{
    (void)state;
    ThError err = {0};
    for (int i = 0; i < 8; i++) {
        bool gelu = i % 2;
        ThModel *m = plain_model(gelu ? "dim=4 heads=1 hidden=1 activation=gelu"
                                      : "dim=4 heads=1 hidden=1 activation=relu");
        float *up = th_compile_weights(m, "layer0.feed_forward.up");
        float *down = th_compile_weights(m, "layer0.feed_forward.down");
        up[0] = i < 4 ? 1 : 0.3F;
        up[D] = -up[0];
        th_compile_weights(m, "layer0.feed_forward.up_bias")[0] = gelu ? (float)M_SQRT2 : 1e-4F;
        down[2] = i % 4 < 2 ? 9000 : 900;
        ThProofChunk f;
        assert_true(th_proof_chunk_read(&f, m, 1, &err));
        Ball b = {.f = &f, .centre = {4000, 4000, -4000, -4000}};
        double near = check_ball(&b, 0.005, 32, (uint64_t)i);
        /* The norm takes the mean off, and what goes along its vector: that is not used. */
        assert_true(near > 0.98 * M_SQRT1_2 * (gelu ? 1 : 1 / 1.13));
        th_proof_chunk_free(&f);
        th_model_free(m);
    }
}

/* A unit that rests while what it reads is next to zero wakes where a ball is large. */
static void test_resting(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = plain_model("dim=4 heads=1 hidden=1");
    th_compile_weights(m, "layer0.feed_forward.up")[2 * D] = 1;
    th_compile_weights(m, "layer0.feed_forward.up_bias")[0] = -0.051F;
    th_compile_weights(m, "layer0.feed_forward.down")[3] = 900;
    ThProofChunk f;
    assert_true(th_proof_chunk_read(&f, m, 1, &err));
    Ball b = {.f = &f, .centre = {6000, -6000, 0, 0}};
    assert_true(check_ball(&b, 0.04, 8, 1) > 0.4);
    assert_true(check_ball(&b, 0.3, 8, 1) > 0.4);
    th_proof_chunk_free(&f);
    th_model_free(m);
}

/* What is made of a centre, whose second feed-forward bias is off by so much; its bound in *bound.
 */
static void murmuring(ThModel *m, double off, double *at, double *bound)
{
    ThError err = {0};
    ThProofChunk f;
    static const double centre[] = {6000, -6000, 0, 0};
    th_compile_weights(m, "layer0.feed_forward.down_bias")[3] += (float)off;
    assert_true(th_proof_chunk_read(&f, m, 1, &err));
    memset(f.x, 0, (size_t)(f.chunk * f.dim) * sizeof *f.x);
    memcpy(f.x, centre, sizeof centre);
    *bound = th_proof_chunk_combine(&f, 0);
    memcpy(at, f.v, D * sizeof *at);
    th_proof_chunk_free(&f);
    th_compile_weights(m, "layer0.feed_forward.down_bias")[3] -= (float)off;
}

/* A unit of GELU that rests is not at 0: what it says there, times a weight that makes it seen. */
static void test_murmur(void **state)
{
    (void)state;
    const double weight = 2e15, bias = -8.0501;
    ThModel *m = plain_model("dim=4 heads=1 hidden=1 activation=gelu");
    th_compile_weights(m, "layer0.feed_forward.up")[2 * D] = 1;
    th_compile_weights(m, "layer0.feed_forward.up_bias")[0] = (float)bias;
    th_compile_weights(m, "layer0.feed_forward.down")[3] = (float)weight;
    double at[D], moved[D], bound, other, square = 0;
    murmuring(m, 0, at, &bound);
    murmuring(m, weight * bias * 0.5 * erfc(-bias * M_SQRT1_2), moved, &other);
    for (int i = 0; i < D; i++)
        square += (moved[i] - at[i]) * (moved[i] - at[i]);
    assert_true(sqrt(square) <= bound && sqrt(square) > 0.5 * bound);
    th_model_free(m);
}

typedef struct {
    const ThProofChunk *f;
    double x[D], at[D], radius;
} Norm;

static double normed(const void *given, const double *z)
{
    const Norm *n = given;
    double x[D], radius = 0, square = 0;
    for (int i = 0; i < D; i++)
        x[i] = n->x[i] + n->radius * z[i];
    th_proof_chunk_normalise(n->f, x, "layer0.norm1.gain", "layer0.norm1.offset", &radius);
    for (int i = 0; i < D; i++)
        square += (x[i] - n->at[i]) * (x[i] - n->at[i]);
    return sqrt(square);
}

/* Layer norm is steepest where a ball comes nearest to what has no variance, and by its greatest
 * gain, whichever that is. */
static void test_norms(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = plain_model("dim=4 heads=1 hidden=1");
    ThProofChunk f;
    assert_true(th_proof_chunk_read(&f, m, 1, &err));
    float *gain = th_compile_weights(m, "layer0.norm1.gain");
    const WorstPlace p = {.part = {D}, .n = 1};
    for (int i = 0; i < 24; i++) {
        Norm n = {.f = &f, .radius = i < 8 ? 0.01 : i < 16 ? 0.5 : 1.5};
        for (int k = 0; k < D; k++) { /* the pairs of coordinates turn */
            n.x[(k + i / 2) % D] = k < 2 ? 0 : k == 2 ? 1 : -1;
            gain[(k + i / 2) % D] = i % 2 ? 2 : k < 2 ? 2 : 0.5F;
        }
        double bound = n.radius;
        memcpy(n.at, n.x, sizeof n.at);
        th_proof_chunk_normalise(&f, n.at, "layer0.norm1.gain", "layer0.norm1.offset", &bound);
        double most = worst(normed, &n, &p, 8, (uint64_t)i);
        assert_true(most <= bound * (1 + 1e-9));
        assert_true(i >= 8 || most > 0.95 * bound);
    }
    th_proof_chunk_free(&f);
    th_model_free(m);
}

/* ---- the edges of a proof -------------------------------------------------------------------- */

enum { ELEMENTS = 6 };

/* z (ELEMENTS, dim) <- the vector that the model itself has of each element's word; the pad. */
static int find_vectors(const Compiled *c, double *z)
{
    ThError err = {0};
    int n, d = (int)th_option_int(&c->model->options, "dim"), word[8];
    const float *pad = weights(c, "pad", &n);
    assert_int_equal(c->monoid->size, ELEMENTS);
    for (int i = 0; i < d; i++)
        z[i] = (double)pad[i];
    for (int e = 1; e < ELEMENTS; e++) {
        const float *row = weights(c, "embedding", &n);
        int length = c->monoid->length[e];
        th_monoid_word(c->monoid, e, word);
        for (int i = 0; length == 1 && i < d; i++)
            z[e * d + i] = sqrt(d) * (double)row[word[0] * d + i];
        if (length == 1)
            continue;
        ThModelTrace *t = th_model_trace(c->model, word, length, &err);
        for (int i = 0; i < d; i++)
            z[e * d + i] = t->layer[t->n_layers - 1].state[i];
        th_model_trace_free(t);
    }
    return d;
}

/* How far an element's vector is from where class k begins to win. */
static double margin(const Compiled *c, const double *x, int d, int e, int k)
{
    int n, right = c->task->machine->label[th_monoid_image(c->monoid, e, c->task->machine->start)];
    const float *head = weights(c, "head", &n), *bias = weights(c, "head_bias", &n);
    double ahead = (double)bias[right] - (double)bias[k], square = 0;
    for (int i = 0; right != k && i < d; i++) {
        double w = (double)head[i * n + right] - (double)head[i * n + k];
        ahead += w * x[i];
        square += w * w;
    }
    return right == k ? HUGE_VAL : ahead / sqrt(square);
}

/* Answers are right while the element that is nearest to a class keeps the radius away from it. */
static void test_answers(void **state)
{
    (void)state;
    const double radius = 1e-2;
    double z[ELEMENTS * MOST];
    for (int k = 0; k < 24; k++) {
        Compiled c = compiled(&(ThCompileShape){.chunk = 2, .monoid = k > 5});
        ThRng r = th_rng((uint64_t)k, "head", 0);
        int n;
        shake(&c, "head", 0.5, &r);
        float *bias = weights(&c, "head_bias", &n), was = bias[k % 3];
        double right = 0, wrong = 40;
        for (int i = 0; i < 30; i++) {
            double middle = (right + wrong) / 2;
            bias[k % 3] = was + (float)middle;
            *(prove(&c, radius, 1e-6).right ? &right : &wrong) = middle;
        }
        bias[k % 3] = was + (float)right;
        int d = find_vectors(&c, z);
        double least = HUGE_VAL;
        for (int i = 0; i < ELEMENTS * 3; i++)
            least = fmin(least, margin(&c, z + i / 3 * d, d, i / 3, i % 3));
        assert_true(fabs(least - radius) < 0.02 * radius);
        drop(&c);
    }
}

/* What the proof says of slack is what the products leave of the radius: of their own place, and of
 * all that lies in the balls. */
static void test_slack(void **state)
{
    (void)state;
    ThError err = {0};
    double z[ELEMENTS * MOST];
    for (int i = 0; i < 6; i++) {
        const double radius = i % 2 ? 2e-2 : 5e-3;
        Compiled c = compiled(&(ThCompileShape){.chunk = 2, .monoid = i > 2});
        ThRng r = th_rng((uint64_t)i, "slack", 0);
        ThProofChunk f;
        double off = 0, spread = 0;
        shake(&c, "layer0.feed_forward.down", 2e-5, &r);
        int d = find_vectors(&c, z);
        assert_true(th_proof_chunk_read(&f, c.model, 1, &err));
        for (int e = 0; e < ELEMENTS * ELEMENTS; e++) {
            int before = e / ELEMENTS, after = e % ELEMENTS;
            const double *to = z + th_monoid_product(c.monoid, before, after) * d;
            memcpy(f.x, z + after * d, (size_t)d * sizeof *z);
            memcpy(f.x + d, z + before * d, (size_t)d * sizeof *z);
            double wide = th_proof_chunk_combine(&f, radius), square = 0;
            for (int k = 0; k < d; k++)
                square += (f.v[k] - to[k]) * (f.v[k] - to[k]);
            off = fmax(off, sqrt(square));
            spread = fmax(spread, sqrt(square) + wide);
        }
        if (getenv("PROOF_VERBOSE"))
            print_message("radius %g: off %g, spread %g\n", radius, off, spread);
        assert_true(off > 1e-5 && spread > off && spread < radius);
        assert_true(prove(&c, radius, radius - off - 2e-6).right);
        assert_false(prove(&c, radius, radius - off + 2e-6).right);
        assert_true(prove(&c, radius, radius - spread - 2e-6).closed);
        assert_false(prove(&c, radius, radius - spread + 2e-6).closed);
        th_proof_chunk_free(&f);
        drop(&c);
    }
}

/* Weights that the proof has no use for, keys among them, are used in a run. */
static void test_weights_are_finite(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY};
    for (int i = 0; i < 2; i++) {
        Compiled c = compiled(&(ThCompileShape){.chunk = 2});
        ThProofAlgebra p;
        ThError err = {0};
        ThProofAlgebraHow claim = {.radius = 1e-3, .slack = 1e-6};
        ThProofTruth truth = {c.task->machine, NULL, c.monoid};
        int n;
        weights(&c, "layer0.attention.key_value", &n)[0] = odd[i];
        assert_false(th_proof_algebra(c.model, &truth, &claim, &p, &err));
        assert_int_equal(err.code, TH_ENUMERIC);
        drop(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combinations), cmocka_unit_test(test_units),
        cmocka_unit_test(test_resting),      cmocka_unit_test(test_murmur),
        cmocka_unit_test(test_norms),        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_slack),        cmocka_unit_test(test_weights_are_finite),
    };
    return cmocka_run_group_tests_name("compile_room", tests, NULL, NULL);
}
