/* Certificates at the edge of their room: the prover's word and the checker's agree there, on
 * languages of three classes and three symbols whose words do not commute, and of another start
 * than the first state. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "edges.h"
#include "lab/train.h"
#include "proof/check/check_impl.h"

/* 24 maps, groups of two and three among them; the classes are the states. */
static const char THREE[] = "q a -> r ; q b -> q ; q c -> p\n"
                            "r a -> r ; r b -> p ; r c -> q\n"
                            "p a -> p ; p b -> p ; p c -> r\n"
                            "start r\noutput q A\noutput r B\noutput p C";
/* ---- the edges of a certificate -------------------------------------------------------------- */

static bool holds_times(ThProofCertificate *c, const ThModel *m, double by)
{
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] *= by;
    bool found = holds(c, m);
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] /= by;
    return found;
}

/* ---- the room of a tree ---------------------------------------------------------------------- */

/* The sets of a proof are in the middle of those that are proofs, from 1/√room to √room: the
 * checker says so of both ends, and of nothing `beyond` them.  Returns whether they are ellipsoids.
 */
static bool check_room_beyond(const ThModel *m, const ThDfa *machine, double slack, double beyond)
{
    ThProof *p = proof_of(m, machine, slack);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    assert_true(p->room > 1.3 && p->room < 28); /* up to 32 is looked */
    ThProofCertificate *c = certificate_of(p, m);
    double widest = sqrt(p->room);
    assert_true(holds(c, m));
    assert_true(holds_times(c, m, 0.98 * widest));
    assert_true(holds_times(c, m, 1.02 / widest));
    assert_false(holds_times(c, m, beyond * widest));
    assert_false(holds_times(c, m, 0.9 / widest));
    bool shaped = p->shape != NULL;
    th_proof_certificate_free(c);
    th_proof_free(p);
    return shaped;
}

static bool check_room(const ThModel *m, const ThDfa *machine, double slack)
{
    return check_room_beyond(m, machine, slack, 1.1);
}

/* What each set has to hold comes from products, from symbols, from what has no earlier child. */
static void test_rooms(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        ThTask *t = made_task("output", "labels=final", i == 1 ? THREE : S3);
        ThModel *m = compiled(t);
        shake_all(m, 0.0003, i % 3 == 1 ? 0.004 : 0, i % 3 == 2 ? 0.05 : 0, (uint64_t)i);
        check_room(m, t->machine, i < 3 ? 1e-6 : 1e-3);
        th_model_free(m);
        th_task_free(t);
    }
}

/* The read-out with numbers as small as this lets answers depend on slack. */
static void soften(const ThModel *m, double by)
{
    static const char *const name[] = {"head", "head_bias"};
    for (int i = 0; i < 2; i++) {
        int n;
        float *w = weights(m, name[i], &n);
        for (int k = 0; k < n; k++)
            w[k] *= (float)by;
    }
}

static double length_of(const float *head, int d, int n, int a, int b)
{
    double square = 0;
    for (int i = 0; i < d; i++)
        square += pow((double)head[i * n + a] - (double)head[i * n + b], 2);
    return sqrt(square);
}

/* Class k is brought so near to others that balls of so much radius are as large as they can be. */
static void favour(const ThModel *m, const ThProof *p, int k, double radius)
{
    ThError err = {0};
    ThProofMap *f = th_proof_map_new(m, &err);
    double least = HUGE_VAL, logit[8];
    for (int i = 0; i < p->n; i++) {
        int a = p->labels->answer[i];
        th_proof_map_logits(f, p->centre + i * p->dim, logit);
        if (a != k && a >= 0) {
            double far = radius * length_of(weights(m, "head", NULL), p->dim, f->n_classes, a, k);
            least = fmin(least, logit[a] - logit[k] - far);
        }
    }
    weights(m, "head_bias", NULL)[k] += (float)least;
    th_proof_map_free(f);
}

/* Answers are what limits the room: of each class, with a slack that counts and one that does not.
 */
static void test_answers(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        ThTask *t = made_task("output", "labels=final", S3);
        ThModel *m = compiled(t);
        double slack = i < 3 ? 1e-6 : 1e-3;
        shake_all(m, 0.0003, 0, 0, (uint64_t)i);
        soften(m, 0.05);
        ThProof *p = proof_of(m, t->machine, slack);
        favour(m, p, i % 3, 3 * p->radius[0] / sqrt(p->room));
        check_room(m, t->machine, slack);
        th_proof_free(p);
        th_model_free(m);
        th_task_free(t);
    }
}

/* ---- what is farthest ------------------------------------------------------------------------ */

/* Returns new: one that was trained as certify needs it. */
static ThModel *trained(const ThTask *t, const char *size, const char *seed)
{
    ThError err = {0};
    ThOptions o = {0};
    ThModel *m = made_model("regulargpt", size);
    set_all(&o, th_train_options,
            "length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 ramp=0.4 pull=0.3 "
            "aux=0.5 gate=0.2");
    assert_true(th_options_set(&o, "seed", seed, &err));
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, &err);
    assert_non_null(tr);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, &err));
    th_trainer_free(tr);
    th_options_free(&o);
    return m;
}

/* In these models what has no earlier child gets a tenth to a third farther than anything else. */
static void test_alone(void **state)
{
    (void)state;
    static const char *const size[] = {"dim=16 heads=2", "dim=8 heads=2"};
    static const char *const seed[] = {"3", "14"};
    ThError err = {0};
    ThTask *t = made_task("parity", "", NULL);
    for (int i = 0; i < 2; i++) {
        ThModel *m = trained(t, size[i], seed[i]);
        /* the checker's ellipsoid around many bent units is a little nearer than the prover's */
        check_room_beyond(m, th_task_machine(t, &err), 1e-3, 1.2);
        th_model_free(m);
    }
    th_task_free(t);
}

/* Returns new: one whose vectors are 20 long, along (1, 1, -1, -1), and what they have across it is
 * halved, five sixths of the later child's and one of the earlier one's. */
static ThModel *shrinking(void)
{
    static const int sign[] = {1, 1, -1, -1};
    ThModel *m = bound("regulargpt", "dim=4 heads=1 hidden=1", TH_TARGET_FINAL, 3);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    for (int i = 0; i < 4; i++) {
        for (int s = 0; s < m->signature.n_symbols; s++)
            weights(m, "embedding", NULL)[4 * s + i] = 5.0F * (float)sign[i];
        weights(m, "pad", NULL)[i] = 10.0F * (float)sign[i];
        weights(m, "layer0.norm1.gain", NULL)[i] = weights(m, "layer0.norm2.gain", NULL)[i] = 10;
        weights(m, "layer0.feed_forward.down_bias", NULL)[i] = 10.0F * (float)sign[i];
        weights(m, "layer0.attention.key_value", NULL)[8 * i + 4 + i] = 0.5F;
        weights(m, "layer0.attention.output", NULL)[5 * i] = 1;
    }
    return m;
}

/* All strings are alike, and vectors get shorter with every level: those of pairs of symbols are
 * the farthest, on both sides of the centre, or on one: of one symbol alone, twice. */
static void check_lowest(float first_by, float last_by)
{
    ThError err = {0};
    ThModel *m = shrinking();
    ThDfa *one = th_dfa_new(1, m->signature.n_symbols, 3, &err);
    float *first = weights(m, "embedding", NULL), *last = first + 8;
    for (int k = 0; k < 2; k++) {
        first[k] += k ? first_by : -first_by;
        last[k] -= k ? last_by : -last_by;
    }
    weights(m, "head_bias", NULL)[0] = 1;
    weights(m, "head", NULL)[1] = 2;
    weights(m, "head", NULL)[4] = -2;
    assert_false(check_room(m, one, 1e-6));
    th_dfa_free(one);
    th_model_free(m);
}

static void test_lowest(void **state)
{
    (void)state;
    check_lowest(0.05F, 0.05F);
    check_lowest(0.05F, 0.01F);
    check_lowest(0.01F, 0.05F);
}

/* What is across in one direction grows into the other before it is halved: no
 * balls are closed, ellipsoids are, and see slack as they see all else. */
static void test_ellipsoids(void **state)
{
    (void)state;
    static const float across[] = {1.16F, 1.24F, 1.4F};
    static const double slack[] = {0.006, 0.018, 0.018};
    ThError err = {0};
    for (int i = 0; i < 3; i++) {
        ThModel *m = shrinking();
        ThDfa *one = th_dfa_new(1, m->signature.n_symbols, 3, &err);
        float *value = weights(m, "layer0.attention.key_value", NULL) + 4;
        for (int k = 0; k < 4; k++)
            value[8 * (2 + k / 2) + k % 2] += (k / 2 == k % 2 ? across[i] : -across[i]);
        weights(m, "head_bias", NULL)[0] = 1;
        weights(m, "head", NULL)[1] = 0.5F;
        weights(m, "head", NULL)[4] = -0.5F;
        assert_true(check_room(m, one, slack[i]));
        th_dfa_free(one);
        th_model_free(m);
    }
}

/* ---- slack ----------------------------------------------------------------------------------- */

static bool holds_with(ThProofCertificate *c, const ThModel *m, double slack)
{
    c->slack = slack;
    return holds(c, m);
}

/* The greatest slack with which it holds. */
static double greatest_slack(ThProofCertificate *c, const ThModel *m)
{
    double low = 0, high = 1;
    assert_true(holds_with(c, m, low));
    assert_false(holds_with(c, m, high));
    for (int i = 0; i < 26; i++) {
        double middle = (low + high) / 2;
        *(holds_with(c, m, middle) ? &low : &high) = middle;
    }
    return low;
}

/* Who asks for more slack than the certificate says gets it where there is room, and not beyond. */
static void check_asked(const ThProofCertificate *c, const ThModel *m, double known)
{
    ThError err = {0};
    ThProofMap *f = th_proof_map_new(m, &err);
    for (int i = 0; i < 2; i++) {
        ThProofChecked k;
        double slack = (i ? 1.1 : 0.98) * known;
        assert_true(th_proof_check_sets(c, f, NULL, slack, NULL, &k, &err));
        assert_true(k.holds == !i);
    }
    th_proof_map_free(f);
}

/* The same sets written otherwise: in each label's own measure. */
static void write_otherwise(ThProofCertificate *c)
{
    ThError err = {0};
    size_t square = (size_t)c->dim * (size_t)c->dim;
    c->shape = th_alloc((size_t)c->n_labels * square, sizeof *c->shape, &err);
    for (int i = 0; i < c->n_labels; i++) {
        double by = 0.3 + 0.5 * (i % 7);
        for (int k = 0; k < c->dim; k++)
            c->shape[(size_t)i * square + (size_t)(k * (c->dim + 1))] = by;
        c->radius[i] /= by;
    }
}

/* All vectors are one, with leads of 1 over the second class and 2 over the third, and balls of
 * radius `radius`, which the read-out sees `steep` times as wide: what slack there is, is known. */
static void check_known_slack(const ThTask *t, double radius, double steep)
{
    ThError err = {0};
    ThDfa *one = th_dfa_new(1, t->machine->n_symbols, 3, &err);
    ThModel *m = compiled(t);
    int d, n;
    float *gain = weights(m, "layer0.norm2.gain", &d), *head = weights(m, "head", &n);
    float *bias = weights(m, "head_bias", NULL);
    memset(gain, 0, (size_t)d * sizeof *gain);
    memset(weights(m, "layer0.norm2.offset", NULL), 0, (size_t)d * sizeof *gain);
    memset(head, 0, (size_t)n * sizeof *head);
    head[3] = (float)steep;
    for (int k = 0; k < 3; k++)
        bias[k] = (float)-k;
    ThProof *p = proof_of(m, one, 1e-6);
    ThProofCertificate *c = certificate_of(p, m);
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] = radius;
    double known = fmin(radius, (1 - radius * (double)head[3]) / 2);
    assert_true(fabs(greatest_slack(c, m) - known) < 1e-3 * known);
    assert_true(holds_with(c, m, 0));
    check_asked(c, m, known);
    write_otherwise(c);
    assert_true(fabs(greatest_slack(c, m) - known) < 1e-3 * known);
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_model_free(m);
    th_dfa_free(one);
}

static void test_known_slack(void **state)
{
    (void)state;
    ThTask *t = made_task("output", "labels=final", S3);
    check_known_slack(t, 0.1, 0);
    check_known_slack(t, 0.1, 9);
    check_known_slack(t, 3, 0);
    check_known_slack(t, 0.7, 1);
    th_task_free(t);
}

static void test_slack(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        ThTask *t = made_task("output", "labels=final", S3);
        ThModel *m = compiled(t);
        shake_all(m, 0.0003, 0, 0, (uint64_t)i);
        soften(m, i % 2 ? 1 : 0.002);
        ThProof *p = proof_of(m, t->machine, 1e-4);
        ThProofCertificate *c = certificate_of(p, m);
        double slack = greatest_slack(c, m);
        assert_true(slack > 1e-4);
        write_otherwise(c);
        assert_true(fabs(greatest_slack(c, m) - slack) < 1e-5 * slack + 1e-7);
        th_proof_certificate_free(c);
        th_proof_free(p);
        th_model_free(m);
        th_task_free(t);
    }
}

/* ---- the least radii ------------------------------------------------------------------------- */

typedef struct {
    ThProofCertificate *c;
    ThProofMap *f;
    ThProofCheckSet *s;
    double *identity;
} Own;

/* Places: -1 nothing, labels, symbols. */
static ThProofEllipsoid place(const Own *o, int i)
{
    const ThProofCertificate *c = o->c;
    if (i < c->n_labels)
        return (ThProofEllipsoid){
            c->centre + i * c->dim, o->identity, o->identity, c->radius[i], 1, false, NULL};
    return (ThProofEllipsoid){
        o->f->leaf + (i - c->n_labels) * c->dim, o->identity, o->identity, 0, 1, false, NULL};
}

static int follow(const Own *o, int i, int q)
{
    const ThProofCertificate *c = o->c;
    return i < 0             ? q
           : i < c->n_labels ? c->map[i * c->n_states + q]
                             : c->next[q * c->n_symbols + i - c->n_labels];
}

static int label_of(const Own *o, int i, int j)
{
    const ThProofCertificate *c = o->c;
    for (int to = 0; to < c->n_labels; to++) {
        bool same = c->complete[to] == (i >= c->n_labels || (i >= 0 && c->complete[i]));
        for (int q = 0; q < c->n_states; q++)
            same = same && c->map[to * c->n_states + q] == follow(o, j, follow(o, i, q));
        if (same)
            return to;
    }
    fail_msg("no label");
    return -1;
}

/* far <- how far from each label's centre anything gets, of all that can meet: symbols with
 * symbols, labels with complete labels, and nothing with all of them. */
static void find_far(const Own *o, double *far)
{
    const ThProofCertificate *c = o->c;
    int all = c->n_labels + c->n_symbols;
    memset(far, 0, (size_t)c->n_labels * sizeof *far);
    for (int i = -1; i < all; i++)
        for (int j = 0; j < all; j++) {
            bool symbols = j >= c->n_labels;
            if (i >= 0 && ((i >= c->n_labels) != symbols || (!symbols && !c->complete[j])))
                continue;
            ThProofEllipsoid x = place(o, i < 0 ? 0 : i), y = place(o, j);
            int to = label_of(o, i, j);
            ThProofEllipsoid into = place(o, to);
            th_proof_check_tree(o->s, o->f, i < 0 ? NULL : &x, &y);
            far[to] = fmax(far[to], th_proof_check_distance(o->s, &into) + c->slack);
        }
}

/* Each radius is brought, one at a time, to just above what has to lie in it, and to just below. */
static void check_least(const Own *o, const ThModel *m)
{
    enum { MOST = 64 };
    ThProofCertificate *c = o->c;
    double far[MOST];
    assert_true(c->n_labels <= MOST);
    for (int i = 0; i < c->n_labels; i++) {
        double radius = c->radius[i];
        for (int k = 0; k < 3; k++) { /* what it reaches depends on it */
            find_far(o, far);
            c->radius[i] = far[i];
        }
        c->radius[i] = far[i] * 1.001;
        assert_true(holds(c, m));
        c->radius[i] = far[i] * 0.999;
        assert_false(holds(c, m));
        c->radius[i] = radius;
    }
}

static Own own_of(const ThProof *p, const ThModel *m)
{
    ThError err = {0};
    Own o = {.c = certificate_of(p, m), .f = th_proof_map_new(m, &err)};
    int d = o.f->dim;
    o.s = th_proof_check_set_new(d, 3, o.f->heads + o.f->hidden + 3, o.f->hidden, &err);
    o.identity = th_alloc((size_t)(d * d), sizeof *o.identity, &err);
    for (int k = 0; k < d; k++)
        o.identity[k * (d + 1)] = 1;
    return o;
}

static void drop(Own *o)
{
    free(o->s);
    free(o->identity);
    th_proof_map_free(o->f);
    th_proof_certificate_free(o->c);
}

/* The least radii of the prover hold all that has to lie in each set, of whatever kind the farthest
 * is; and in some models the checker has each to within a thousandth. */
static void test_least_radii(void **state)
{
    (void)state;
    enum { MODELS = 6 };
    ThTask *t = made_task("output", "labels=final", S3);
    for (int i = 0; i < MODELS; i++) {
        double far[64];
        ThModel *m = compiled(t);
        shake_all(m, 0.0003, i % 3 == 1 ? 0.004 : 0, i % 3 == 2 ? 0.05 : 0, (uint64_t)i);
        ThProof *p = proof_of(m, t->machine, 1e-6);
        if (p->verdict == TH_PROOF_PROVED) {
            Own o = own_of(p, m);
            if (i < 2)
                check_least(&o, m);
            for (int k = 0; k < p->n; k++)
                o.c->radius[k] /= sqrt(p->room);
            find_far(&o, far);
            for (int k = 0; k < p->n; k++)
                assert_true(far[k] <= 1.01 * o.c->radius[k]);
            drop(&o);
        }
        assert_true(p->verdict == TH_PROOF_PROVED || i % 3 == 1);
        th_proof_free(p);
        th_model_free(m);
    }
    th_task_free(t);
}

/* ---- the room of a recurrent network --------------------------------------------------------- */

/* An rnn of which all is known: behind a its state is (2, 1) and behind b (1, 2), plus HELD times
 * the one before; nothing is negative, and the classes lead by the difference of both numbers. */
#define HELD 0.25
static ThModel *holding(void)
{
    ThModel *m = bound("rnn", "dim=2", TH_TARGET_FINAL, 2);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    float *input = weights(m, "input", NULL), *recurrent = weights(m, "recurrent", NULL),
          *head = weights(m, "head", NULL);
    for (int i = 0; i < 2; i++) {
        input[3 * i] = 2;
        input[2 * i + 1 - i] = 1;
        recurrent[3 * i] = (float)HELD;
        head[3 * i] = 1;
    }
    return m;
}

/* How far a step can take a set's points from the centre of another: the exact distance, of the
 * set's farthest point. */
static double farthest(const ThProofCertificate *c, int from, int to, const double *radius)
{
    double square = 0;
    for (int i = 0; i < 2; i++) {
        double at = (to == i ? 2 : 1) + (from < 0 ? 0 : HELD * c->centre[2 * from + i]);
        square += pow(at - c->centre[2 * to + i], 2);
    }
    return sqrt(square) + (from < 0 ? 0 : HELD * radius[from]);
}

/* Do sets of these radii hold all that comes into them, and lead to the right answers, their
 * numbers taken one by one, as ReLU does?  Above 1 they do not. */
static double excess(const ThProofCertificate *c, const double *radius)
{
    double most = 0;
    for (int to = 0; to < 2; to++) {
        double lead = (c->centre[2 * to + to] - c->centre[2 * to + 1 - to]) / 2;
        most = fmax(most, radius[to] / lead);
        for (int from = -1; from < 2; from++)
            most = fmax(most, farthest(c, from, to, radius) / radius[to]);
    }
    return most;
}

/* The radii of a cell's sets, together and one by one: at what is known to be their greatest and
 * least factor the checker says yes within it by a fiftieth, and no beyond it by a tenth. */
static void check_radii(ThProofCertificate *c, const ThModel *m, int which)
{
    const double least_step = 1e-4, own[2] = {c->radius[0], c->radius[1]};
    double edge[2];
    for (int side = 0; side < 2; side++) {
        double radius[2], by = 1;
        do {
            by *= side ? 1 + least_step : 1 - least_step;
            for (int i = 0; i < 2; i++)
                radius[i] = which < 0 || which == i ? by * own[i] : own[i];
        } while (excess(c, radius) <= 1 && by > 1e-3 && by < 1e3);
        edge[side] = by;
    }
    const double inside[] = {1.02 * edge[0], 0.98 * edge[1]},
                 out[] = {0.9 * edge[0], 1.1 * edge[1]};
    assert_true(inside[0] < 1 && inside[1] > 1);
    for (int k = 0; k < 4; k++) {
        double by = k < 2 ? inside[k] : out[k - 2];
        for (int i = 0; i < 2; i++)
            c->radius[i] = which < 0 || which == i ? by * own[i] : own[i];
        assert_int_equal(holds(c, m), k < 2);
    }
    c->radius[0] = own[0];
    c->radius[1] = own[1];
}

static void test_cell_radii(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = holding();
    ThDfa *last = th_dfa_new(2, 2, 2, &err);
    for (int i = 0; i < 4; i++)
        last->next[i] = i % 2;
    last->label[1] = 1;
    ThProofClaim *claim = claim_of(m, last, NULL, 0);
    ThProofHow how = {.limit = 100, .cover = 1, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    assert_non_null(p);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    ThProofCertificate *c = certificate_of(p, m);
    assert_true(c->n_labels == 2 && !c->shape);
    c->slack = 0;
    if (c->map[0] != 0) /* set 0 is that of a */
        fail_msg("the sets stand in another order");
    assert_true(excess(c, c->radius) <= 1);
    for (int which = -1; which < 2; which++)
        check_radii(c, m, which);
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_proof_claim_free(claim);
    th_dfa_free(last);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rooms),      cmocka_unit_test(test_alone),
        cmocka_unit_test(test_lowest),     cmocka_unit_test(test_ellipsoids),
        cmocka_unit_test(test_answers),    cmocka_unit_test(test_known_slack),
        cmocka_unit_test(test_slack),      cmocka_unit_test(test_least_radii),
        cmocka_unit_test(test_cell_radii),
    };
    return cmocka_run_group_tests_name("proof_room", tests, NULL, NULL);
}
