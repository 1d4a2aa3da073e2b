/* What a run in single precision rounds: the program's own runs against the bound of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "models/linear/linear.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"
#include "proof/check/points.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_recurrent.h"
#include "tensor/kernels/level.h"

enum { D = 8, SYMBOLS = 3, POINTS = 200, MOST_GATES = 4 * D };

/* ---- models whose runs round a lot ----------------------------------------------------------- */

static float *weights(ThModel *m, const char *name)
{
    int index = th_params_find(&m->params, name);
    if (index < 0)
        fail_msg("there is no %s", name);
    return th_params_at(&m->params, index);
}

/* Some of what is summed is a thousand times the rest, and cancels in real numbers. */
typedef void Spoil(ThModel *m);

static void spoil_nothing(ThModel *m)
{
    (void)m;
}

/* Pairs of hidden units that are always on, and the same but for the sign of what they give. */
static void spoil_units(ThModel *m)
{
    enum { H = 2 * D };
    float *up = weights(m, "layer0.feed_forward.up"),
          *down = weights(m, "layer0.feed_forward.down");
    float *bias = weights(m, "layer0.feed_forward.up_bias");
    for (int k = 0; k < H; k += 2) {
        bias[k] = bias[k + 1] = 300;
        for (int i = 0; i < D; i++) {
            up[i * H + k + 1] = up[i * H + k];
            down[k * D + i] *= 1000;
            down[(k + 1) * D + i] = -down[k * D + i];
        }
    }
}

/* Values of a head come twice, with signs. */
static void spoil_values(ThModel *m)
{
    float *both = weights(m, "layer0.attention.key_value");
    float *out = weights(m, "layer0.attention.output");
    for (int j = 0; j < D; j += 2)
        for (int i = 0; i < D; i++) {
            both[i * 2 * D + D + j] *= 300;
            both[i * 2 * D + D + j + 1] = both[i * 2 * D + D + j];
            out[j * D + i] *= 10;
            out[(j + 1) * D + i] = -out[j * D + i];
        }
}

/* Keys of a head, too. */
static void spoil_keys(ThModel *m)
{
    float *both = weights(m, "layer0.attention.key_value");
    float *query = weights(m, "layer0.attention.query");
    for (int j = 0; j < D; j += 2)
        for (int i = 0; i < D; i++) {
            both[i * 2 * D + j] *= 100;
            both[i * 2 * D + j + 1] = -both[i * 2 * D + j];
            query[i * D + j + 1] = query[i * D + j];
        }
}

/* Scores that are large and about the same. */
static void spoil_distances(ThModel *m)
{
    float *relative = weights(m, "layer0.attention.relative");
    for (int i = 0; i < 4; i++)
        relative[i] = relative[i] * 0.1F + 999;
}

/* What layer norm takes off. */
static void spoil_mean(ThModel *m)
{
    float *bias = weights(m, "layer0.feed_forward.down_bias");
    for (int i = 0; i < D; i++)
        bias[i] += 990;
}

/* What it scales up. */
static void spoil_gain(ThModel *m)
{
    float *gain = weights(m, "layer0.norm2.gain"), *offset = weights(m, "layer0.norm2.offset");
    for (int i = 0; i < D; i++) {
        gain[i] *= 500;
        offset[i] *= 300;
    }
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* F(x, y), or of y alone, as the model itself computes it. */
static void run(const ThModel *m, const float *x, const float *y, double *to)
{
    float both[2 * D];
    memcpy(both, y, D * sizeof *y);
    memcpy(both + D, x ? x : y, D * sizeof *x);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    const int child[] = {0, x ? 1 : -1};
    ThVar z = m->kind->combine(m, t, th_tape_constant(t, 2, D, both), child, 1);
    assert_true(th_tape_ok(t, NULL));
    th_tape_read(t, z, to);
    th_tape_free(t);
}

typedef struct {
    ThProofCheckSet *s;
    double eye[D * D], centre[2][D], radius;
} Sets;

static ThProofEllipsoid ball(Sets *z, int i)
{
    return (ThProofEllipsoid){.centre = z->centre[i], .shape = z->eye, .radius = z->radius};
}

/* Returns how far a run has been seen from the centre of the set, as a share of what it may be: the
 * points are inside the balls, and climb to where they are farthest. */
static double climb(const ThModel *m, const ThProofMap *f, Sets *z, bool alone, ThRng *r)
{
    ThProofEllipsoid x = ball(z, 0), y = ball(z, 1);
    th_proof_check_tree(z->s, f, alone ? NULL : &x, &y);
    double centre[D], reach = 0, most = 0, best[2][D] = {0};
    memcpy(centre, z->s->row, sizeof centre);
    reach = th_proof_check_reach(z->s);
    for (int n = 0; n < POINTS; n++) {
        float at[2][D];
        double to[D], off[2][D], far = 0;
        for (int i = 0; i < 2; i++) {
            double square = 0;
            for (int k = 0; k < D; k++) {
                off[i][k] = n < POINTS / 4 ? th_rng_normal(r) : best[i][k] + th_rng_normal(r) * 0.3;
                square += off[i][k] * off[i][k];
            }
            for (int k = 0; k < D; k++) {
                off[i][k] *= 0.999999 / sqrt(square);
                at[i][k] = (float)(z->centre[i][k] + z->radius * off[i][k]);
            }
        }
        run(m, alone ? NULL : at[0], at[1], to);
        for (int k = 0; k < D; k++)
            far += (to[k] - centre[k]) * (to[k] - centre[k]);
        if (sqrt(far) / reach > most) {
            most = sqrt(far) / reach;
            memcpy(best, off, sizeof best);
        }
    }
    return most;
}

/* Points of floats: all that the bound has is rounding.  `least` is how near to the bound of it a
 * run gets at least: less, and the test would not see a bound without that part. */
static const struct {
    const char *name;
    Spoil *spoil;
    double least;
} cases[] = {{"as it is", spoil_nothing, 0.001},
             {"units", spoil_units, 0.006},
             {"values", spoil_values, 0.03},
             {"keys", spoil_keys, 0.0008},
             {"distances", spoil_distances, 0.006},
             {"mean", spoil_mean, 0.003},
             {"gain", spoil_gain, 0.001}};

static void test_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mask = 0; mask < 2; mask++) {
            ThError err = {0};
            ThModel *m =
                bound("regulargpt",
                      mask ? "dim=8 heads=2 hidden=2 missing=mask" : "dim=8 heads=2 hidden=2",
                      TH_TARGET_FINAL, SYMBOLS);
            cases[i].spoil(m);
            ThProofMap *f = th_proof_map_new(m, &err);
            if (!f)
                fail_msg("%s", err.msg);
            ThRng r = th_rng(i, "rounding", (uint64_t)mask);
            double nearest = 0, widest = 0;
            for (int k = 0; k < 12; k++) {
                Sets z = {.radius = k % 3 == 0 ? 0 : k % 3 == 1 ? 1e-5 : 0.02};
                for (int j = 0; j < D; j++)
                    z.eye[j * (D + 1)] = 1;
                for (int j = 0; j < 2 * D; j++)
                    z.centre[j / D][j % D] = (double)(float)th_rng_normal(&r);
                z.s = th_proof_check_set_new(D, 3, 2 + 2 * D + 3, 2 * D, &err);
                z.s->unit = TH_PROOF_FLOAT_UNIT;
                double most = climb(m, f, &z, k % 4 == 3, &r);
                *(z.radius == 0 ? &nearest : &widest) =
                    fmax(z.radius == 0 ? nearest : widest, most);
                free(z.s);
            }
            if (!(nearest <= 1 && widest <= 1 && nearest >= cases[i].least))
                fail_msg("%s: runs reach %g and %g of the bound, the first at least %g if it sees "
                         "anything",
                         cases[i].name, nearest, widest, cases[i].least);
            th_proof_map_free(f);
            th_model_free(m);
        }
}

/* Σ of the widths of what two points become, over all coordinates, in units of the arithmetic: what
 * it was when no run had come near to it.  Nothing attains it, so that nothing else would notice a
 * twentieth of a term that is missing. */
static double pinned(const ThModel *m, bool alone)
{
    const double units = 0x1p36;
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThRng r = th_rng(7, "pinned", 0);
    double width[D], sum = 0;
    Sets z = {.radius = 0, .s = th_proof_check_set_new(D, 3, 2 + 2 * D + 3, 2 * D, NULL)};
    for (int j = 0; j < 2 * D; j++)
        z.centre[j / D][j % D] = th_rng_normal(&r);
    ThProofEllipsoid x = ball(&z, 0), y = ball(&z, 1);
    z.s->unit = 1 / units;
    th_proof_check_tree(z.s, f, alone ? NULL : &x, &y);
    th_proof_check_widths(z.s, NULL, D, width);
    for (int j = 0; j < D; j++)
        sum += width[j];
    free(z.s);
    th_proof_map_free(f);
    return sum * units;
}

static void test_pinned(void **state)
{
    (void)state;
    static const double wanted[][2] = {{3405.371577, 3722.071843}, {1269137952, 1349097312},
                                       {3956056.257, 3829556.859}, {9001.049097, 10110.38612},
                                       {13587.69171, 17079.59969}, {563467.9471, 562625.4233},
                                       {1663934.239, 1820493.42}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThModel *m = bound("regulargpt", "dim=8 heads=2 hidden=2", TH_TARGET_FINAL, SYMBOLS);
        cases[i].spoil(m);
        for (int alone = 0; alone < 2; alone++) {
            double is = pinned(m, alone);
            if (!(fabs(is - wanted[i][alone]) <= 1e-6 * is))
                fail_msg("%s: the widths are %.10g, and were %.10g", cases[i].name, is,
                         wanted[i][alone]);
        }
        th_model_free(m);
    }
}

/* ---- many points at once --------------------------------------------------------------------- */

enum { PAIRS = 12 };

typedef struct {
    float x[PAIRS * D], y[PAIRS * D];
    double of_x[PAIRS * D], of_y[PAIRS * D], z[PAIRS * D];
} Pairs;

static void draw_pairs(Pairs *p, const ThProofMap *f, bool alone, ThRng *r)
{
    for (int i = 0; i < PAIRS * D; i++) {
        p->of_x[i] = (double)(p->x[i] = (float)th_rng_normal(r));
        p->of_y[i] = (double)(p->y[i] = (float)th_rng_normal(r));
    }
    assert_true(th_proof_map_apply(f, alone ? NULL : p->of_x, p->of_y, PAIRS, p->z, NULL));
    for (int i = 0; alone && i < PAIRS * D; i++)
        p->of_x[i] = f->pad[i % D];
}

/* Returns how far a run has been seen from F, as a share of what it may be. */
static double share_of_points(const ThModel *m, const ThProofMap *f, ThProofPoints *p, bool alone,
                              ThRng *r)
{
    Pairs q;
    double off[PAIRS], most = 0;
    draw_pairs(&q, f, alone, r);
    th_proof_points_off(p, &(ThProofPointRows){q.of_x, q.of_y, q.z, PAIRS, alone, false},
                        TH_PROOF_FLOAT_UNIT, off);
    for (int i = 0; i < PAIRS; i++) {
        double to[D], square = 0;
        run(m, alone ? NULL : q.x + i * D, q.y + i * D, to);
        for (int k = 0; k < D; k++)
            square += pow(to[k] - q.z[i * D + k], 2);
        most = fmax(most, sqrt(square) / off[i]);
    }
    return most;
}

static void test_points(void **state)
{
    (void)state;
    static const double least[] = {1e-3, 6e-6, 1e-4, 7e-5, 8e-4, 3e-3, 1e-3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mask = 0; mask < 2; mask++) {
            ThModel *m =
                bound("regulargpt",
                      mask ? "dim=8 heads=2 hidden=2 missing=mask" : "dim=8 heads=2 hidden=2",
                      TH_TARGET_FINAL, SYMBOLS);
            cases[i].spoil(m);
            ThProofMap *f = th_proof_map_new(m, NULL);
            ThProofPoints *p = th_proof_points_new(f, PAIRS, NULL);
            ThRng r = th_rng(i, "points", (uint64_t)mask);
            double most = 0;
            for (int k = 0; k < 40; k++)
                most = fmax(most, share_of_points(m, f, p, k % 4 == 3, &r));
            if (!(most <= 1 && most >= least[i]))
                fail_msg("%s: runs reach %g of the bound, at least %g if it sees anything",
                         cases[i].name, most, least[i]);
            th_proof_points_free(p);
            th_proof_map_free(f);
            th_model_free(m);
        }
}

/* The sums of the bounds, as they were when no run had come near to them; of embedded symbols,
 * too. */
static void test_points_pinned(void **state)
{
    (void)state;
    static const double wanted[][3] = {
        {4322.716104, 3975.569709, 4783.748518}, {327794614.2, 334596877.5, 328493007.9},
        {12621204.77, 10617171.04, 14312677.13}, {126062.9725, 86661.61233, 163070.7675},
        {134628.3454, 150566.8277, 135069.3244}, {137504.6797, 135207.6227, 137965.7107},
        {2156625.053, 1982993.56, 2387141.265}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThModel *m = bound("regulargpt", "dim=8 heads=2 hidden=2", TH_TARGET_FINAL, SYMBOLS);
        cases[i].spoil(m);
        ThProofMap *f = th_proof_map_new(m, NULL);
        ThProofPoints *p = th_proof_points_new(f, PAIRS, NULL);
        for (int how = 0; how < 3; how++) {
            ThRng r = th_rng(7, "pinned", 0);
            Pairs q;
            double off[PAIRS], sum = 0;
            draw_pairs(&q, f, how == 1, &r);
            th_proof_points_off(p,
                                &(ThProofPointRows){q.of_x, q.of_y, q.z, PAIRS, how == 1, how == 2},
                                0x1p-36, off);
            for (int k = 0; k < PAIRS; k++)
                sum += off[k] * 0x1p36 / PAIRS;
            if (!(fabs(sum - wanted[i][how]) <= 1e-6 * sum))
                fail_msg("%s: the mean is %.10g, and was %.10g", cases[i].name, sum,
                         wanted[i][how]);
        }
        th_proof_points_free(p);
        th_proof_map_free(f);
        th_model_free(m);
    }
}

/* ---- read-outs ------------------------------------------------------------------------------- */

/* Heads of large numbers that cancel: the lead in float of a point is above its bound. */
static void test_lead(void **state)
{
    (void)state;
    ThModel *m = bound("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, SYMBOLS);
    float *head = weights(m, "head");
    for (int i = 0; i < D * SYMBOLS; i++)
        head[i] = 900 + head[i];
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThProofCheckSet *s = th_proof_check_set_new(D, 3, 2 + 4 * D + 3, 4 * D, NULL);
    ThRng r = th_rng(1, "lead", 0);
    double eye[D * D] = {0}, closest = 0;
    s->unit = TH_PROOF_FLOAT_UNIT;
    for (int n = 0; n < 2000; n++) {
        float at[D];
        double centre[D], z[SYMBOLS];
        for (int k = 0; k < D; k++)
            centre[k] = (double)(at[k] = (float)th_rng_normal(&r));
        ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        th_tape_read(t, m->kind->answer(m, t, th_tape_constant(t, 1, D, at)), z);
        th_tape_free(t);
        const ThProofEllipsoid e = {.centre = centre, .shape = eye};
        double real[SYMBOLS];
        th_proof_map_logits(f, centre, real);
        double least = th_proof_check_tree_lead(s, f, &e, 0, 2);
        assert_true(z[0] - z[2] >= least);
        closest = fmax(closest, (real[0] - real[2] - (z[0] - z[2])) / (real[0] - real[2] - least));
    }
    assert_true(closest > 0.05);
    free(s);
    th_proof_map_free(f);
    th_model_free(m);
}

/* 1 + u + u + … loses every u, if it is added up in order: all roundings go one way, and the bound
 * of a sum is attained but for the few that it has more. */
static void test_attained(void **state)
{
    enum { WIDE = 128, ROWS = 16 };
    static float at[ROWS][WIDE];
    static double centre[WIDE], eye[WIDE * WIDE], z[ROWS * SYMBOLS];
    (void)state;
    ThModel *m = bound("regulargpt", "dim=128 heads=1 mlp_ratio=1", TH_TARGET_FINAL, SYMBOLS);
    memset(weights(m, "head_bias"), 0, SYMBOLS * sizeof(float));
    for (int i = 0; i < WIDE; i++) {
        for (int c = 0; c < SYMBOLS; c++)
            weights(m, "head")[i * SYMBOLS + c] = c == 0 ? 1 : 0;
        centre[i] = i == 0 ? 1 : TH_PROOF_FLOAT_UNIT;
        for (int r = 0; r < ROWS; r++)
            at[r][i] = (float)centre[i];
    }
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThProofCheckSet *s = th_proof_check_set_new(WIDE, 3, 2 + WIDE, WIDE, NULL);
    s->unit = TH_PROOF_FLOAT_UNIT;
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_tape_read(t, m->kind->answer(m, t, th_tape_constant(t, ROWS, WIDE, at[0])), z);
    th_tape_free(t);
    const ThProofEllipsoid e = {.centre = centre, .shape = eye};
    double real = 1 + (WIDE - 1) * TH_PROOF_FLOAT_UNIT;
    double share = (real - (z[0] - z[2])) / (real - th_proof_check_tree_lead(s, f, &e, 0, 2));
    if (!(share <= 1 && (share > 0.96 || !th_kernel_is_wide())))
        fail_msg("a run is off by %g of the bound", share);
    free(s);
    th_proof_map_free(f);
    th_model_free(m);
}

/* An embedded symbol of a run is a product with a root, which is no float. */
static void test_leaf(void **state)
{
    (void)state;
    ThModel *m = bound("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, SYMBOLS);
    ThProofMap *f = th_proof_map_new(m, NULL);
    ThProofCheckSet *s = th_proof_check_set_new(D, 3, 2 + 4 * D + 3, 4 * D, NULL);
    double shape[D * D] = {0}, most = 0;
    s->unit = TH_PROOF_FLOAT_UNIT;
    for (int a = 0; a < SYMBOLS; a++) {
        ThProofEllipsoid e = {.centre = f->leaf + a * D};
        double run_leaf[D], within = 0;
        ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        int index = th_params_find(&m->params, "embedding");
        th_tape_read(t, th_op_rows(t, th_param(t, index), &a, 1, sqrt(D)), run_leaf);
        th_tape_free(t);
        th_proof_check_leaf(s, shape, &e);
        for (int k = 0; k < D; k++)
            within += pow((run_leaf[k] - e.centre[k]) / (e.radius * shape[k * (D + 1)]), 2);
        most = fmax(most, within);
    }
    assert_true(most <= 1 && most > 1e-4);
    free(s);
    th_proof_map_free(f);
    th_model_free(m);
}

/* ---- compiled models ------------------------------------------------------------------------- */

/* Layer norms that do next to nothing, for what they norm is 11,000 long and the gain as large:
 * what is rounded before them comes through. */
static void clear(ThModel *m)
{
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    for (int i = 0; i < D; i++) {
        weights(m, "layer0.norm1.gain")[i] = weights(m, "layer0.norm2.gain")[i] = 4000;
        weights(m, "layer0.feed_forward.down_bias")[i] = i % 2 ? -4000 : 4000;
    }
}

/* Values, or hidden units, of a first coordinate of about 4000 that write it to the third: 30,000
 * times as large, then as it is, then that taken off. */
static void spoil_clear_values(ThModel *m)
{
    static const float out[] = {100, 3e-3F, -100};
    clear(m);
    for (int j = 0; j < 3; j++) {
        weights(m, "layer0.attention.key_value")[D + j] = 300;
        weights(m, "layer0.attention.output")[j * D + 2] = out[j];
    }
}

static void spoil_clear_units(ThModel *m)
{
    static const float down[] = {100, 3e-3F, -100};
    clear(m);
    for (int k = 0; k < 3; k++) {
        weights(m, "layer0.feed_forward.up")[k] = 300;
        weights(m, "layer0.feed_forward.down")[k * D + 2] = down[k];
    }
}

/* What a run makes of children, the latest first, is as far from what they come to in double as
 * this share of the bound. */
static double chunk_ratio(ThProofChunk *f, const float *child)
{
    enum { FAR = 2 * D };
    double to[D], off = 0;
    for (int i = 0; i < FAR; i++)
        f->x[i] = f->centre[i] = (double)child[i];
    assert_true(th_proof_chunk_round(f, TH_PROOF_FLOAT_UNIT, 2, 0, NULL));
    double bound = th_proof_chunk_combine(f, 0);
    run(f->m, child + D, child, to);
    for (int i = 0; i < D; i++)
        off += (to[i] - f->v[i]) * (to[i] - f->v[i]);
    return sqrt(off) / bound;
}

/* The same at the worst children that a climb finds, around ±mean. */
static double worst_chunk(ThProofChunk *f, double mean, ThRng *r)
{
    float best[2 * D], child[2 * D];
    double most = -1;
    for (int n = 0; n < 4 * POINTS; n++) {
        for (int i = 0; i < 2 * D; i++)
            child[i] = (float)(n < POINTS ? (i % 2 ? -mean : mean) + th_rng_normal(r)
                                          : (double)best[i] + 0.1 * th_rng_normal(r));
        double ratio = chunk_ratio(f, child);
        if (ratio > most)
            memcpy(best, child, sizeof best);
        most = fmax(most, ratio);
    }
    return most;
}

/* Of models whose attention has no content, as compiled ones: the bound of a run's rounding holds
 * at the worst point found.  It is hundreds of times what is met, for it takes magnitudes and the
 * norms' steepest slopes; `least` is about half of how near a run got to it. */
static void test_chunk(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        Spoil *spoil;
        double mean;
        double least;
    } chunks[] = {{"norm=post activation=relu", spoil_nothing, 0, 3e-4},
                  {"norm=post activation=gelu", spoil_gain, 0, 4e-5},
                  {"norm=post activation=gelu", spoil_mean, 0, 4e-3},
                  {"norm=post activation=relu", spoil_distances, 0, 1e-5},
                  {"norm=post activation=relu", spoil_nothing, 900, 2e-4},
                  {"norm=pre activation=gelu", spoil_nothing, 0, 1e-4},
                  {"norm=pre activation=relu", spoil_nothing, 900, 5e-3},
                  {"norm=post activation=relu", spoil_clear_values, 4000, 8e-4},
                  {"norm=post activation=relu", spoil_clear_units, 4000, 6e-4},
                  {"norm=post activation=gelu", spoil_clear_units, 4000, 6e-4}};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        char settings[80];
        ThError err = {0};
        ThProofChunk f;
        snprintf(settings, sizeof settings, "dim=8 heads=1 hidden=1 %s", chunks[i].settings);
        ThModel *m = bound("regulargpt", settings, TH_TARGET_FINAL, SYMBOLS);
        chunks[i].spoil(m);
        memset(weights(m, "layer0.attention.query"), 0, D * D * sizeof(float));
        if (th_params_find(&m->params, "layer0.attention.query_bias") >= 0)
            memset(weights(m, "layer0.attention.query_bias"), 0, D * sizeof(float));
        if (!th_proof_chunk_read(&f, m, 2, &err))
            fail_msg("%s", err.msg);
        ThRng r = th_rng(i, "chunk", 0);
        double most = worst_chunk(&f, chunks[i].mean, &r);
        if (!(most <= 1 && most >= chunks[i].least))
            fail_msg("%s, case %zu: runs reach %g of the bound", settings, i, most);
        th_proof_chunk_free(&f);
        th_model_free(m);
    }
}

/* GELU in single precision, against what the bound of compiled models takes it to be off by. */
static void test_gelu(void **state)
{
    (void)state;
    double most = 0;
    for (int i = -200000; i <= 200000; i++) {
        float x = (float)i * 1e-4F, y;
        th_kernel_gelu(&y, &x, 1);
        double right = 0.5 * (double)x * erfc(-(double)x * M_SQRT1_2);
        if (i != 0)
            most = fmax(most, fabs((double)y - right) / (fabs((double)x) * TH_PROOF_FLOAT_UNIT));
    }
    assert_true(most > 1 && most <= 32);
}

/* ---- recurrent networks ---------------------------------------------------------------------- */

/* One step of an lstm's run from states of h and c, which traces of it do not have both of. */
static void step_lstm(ThModel *m, int symbol, const double *before, double *after)
{
    enum { WIDE = 4 * D };
    const float *x = weights(m, "input") + symbol * WIDE;
    const float *bias = weights(m, "bias"), *w = weights(m, "recurrent");
    float in[WIDE], gate[WIDE] = {0}, from[2 * D], to[2 * D];
    int first = 0;
    for (int i = 0; i < 2 * D; i++)
        from[i] = (float)before[i];
    for (int j = 0; j < WIDE; j++)
        in[j] = x[j] + bias[j];
    for (int i = 0; i < D * WIDE; i++)
        gate[i % WIDE] += from[i / WIDE] * w[i];
    th_kernel_lstm(&(ThKernelCell){.B = 1,
                                   .H = D,
                                   .x = in,
                                   .index = &first,
                                   .stride = WIDE,
                                   .forget = (float)th_option_real(&m->options, "forget"),
                                   .h_before = from,
                                   .c_before = from + D,
                                   .h_after = to,
                                   .c_after = to + D,
                                   .gate = gate});
    for (int i = 0; i < 2 * D; i++)
        after[i] = (double)to[i];
}

/* Some states of a run, and the one after each of three symbols, against the bound of the step. */
static double step_ratio(ThModel *m, const ThProofCell *g)
{
    enum { LONG = 24 };
    ThProofCheckSet *s = th_proof_check_set_new(g->dim, 1, g->dim + 1, MOST_GATES, NULL);
    ThModelTrace *t = NULL;
    double eye[4 * D * D] = {0}, before[2 * D] = {0}, most = 0;
    int word[LONG];
    ThRng r = th_rng(3, "word", 0);
    for (int i = 0; i < LONG; i++)
        word[i] = (int)th_rng_below(&r, SYMBOLS);
    t = th_model_trace(m, word, LONG, NULL);
    memcpy(before, g->start, (size_t)g->dim * sizeof *before);
    s->unit = TH_PROOF_FLOAT_UNIT;
    for (int i = 0; i < LONG; i++) {
        const ThProofEllipsoid e = {.centre = before, .shape = eye};
        th_proof_check_step(s, g, &e, word[i]);
        double off = 0, centre[2 * D];
        memcpy(centre, s->row, (size_t)g->dim * sizeof *centre);
        double reach = th_proof_check_reach(s);
        if (g->kind == TH_PROOF_LSTM)
            step_lstm(m, word[i], before, before);
        for (int k = 0; k < g->dim; k++) {
            if (g->kind != TH_PROOF_LSTM)
                before[k] = t->layer[0].state[i * g->dim + k];
            off += pow(before[k] - centre[k], 2);
        }
        most = fmax(most, sqrt(off) / reach);
    }
    th_model_trace_free(t);
    free(s);
    return most;
}

static void test_step(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *bias;
        double large, least;
    } cells[] = {{"rnn", "input_bias", 0, 0.01},  {"rnn", "recurrent_bias", 990, 0.008},
                 {"gru", "input_bias", 0, 0.005}, {"gru", "candidate_bias", 20, 0.005},
                 {"lstm", "bias", 0, 0.001},      {"lstm", "bias", 20, 0.001}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        ThModel *m = bound(cells[i].kind, "dim=8", TH_TARGET_FINAL, SYMBOLS);
        int at = th_params_find(&m->params, cells[i].bias);
        const ThParam *p = &m->params.item[at];
        for (int k = 0; k < p->cols; k++)
            th_params_at(&m->params, at)[k] += (float)cells[i].large * (k % 2 ? 1 : -1);
        if (cells[i].large > 900) /* and it cancels */
            for (int k = 0; k < p->cols; k++)
                weights(m, "input_bias")[k] -= (float)cells[i].large * (k % 2 ? 1 : -1);
        ThProofCell *g = th_proof_cell_new(m, NULL);
        double most = step_ratio(m, g);
        if (!(most <= 1 && most >= cells[i].least))
            fail_msg("%s: runs reach %g of the bound, %g if it sees anything", cells[i].kind, most,
                     cells[i].least);
        th_proof_cell_free(g);
        th_model_free(m);
    }
}

/* Pairs of hidden units of a network that are always on, and the same but for the sign of what they
 * give: nothing in real numbers. */
static void spoil_network(ThModel *m, const char *up, const char *up_bias, const char *down)
{
    const ThParam *p = &m->params.item[th_params_find(&m->params, down)];
    int H = p->rows, wide = p->cols;
    for (int k = 0; k < H; k += 2) {
        weights(m, up_bias)[k] = weights(m, up_bias)[k + 1] = 300;
        for (int i = 0; i < D; i++)
            weights(m, up)[i * H + k + 1] = weights(m, up)[i * H + k];
        for (int j = 0; j < wide; j++)
            weights(m, down)[(k + 1) * wide + j] = -weights(m, down)[k * wide + j];
    }
}

static void spoil_transitions(ThModel *m)
{
    spoil_network(m, "layer0.transition.up", "layer0.transition.up_bias",
                  "layer0.transition.blocks");
}

static void spoil_inputs(ThModel *m)
{
    spoil_network(m, "layer0.value.up", "layer0.value.up_bias", "layer0.value.down");
}

/* The offset of the norm before the read-out, which its biases take off again. */
static void spoil_view(ThModel *m)
{
    for (int i = 0; i < D; i++) {
        weights(m, "final_norm.offset")[i] += 500;
        for (int k = 0; k < D; k++)
            weights(m, "head_bias")[k] -= 500 * weights(m, "head")[i * D + k];
    }
}

/* Linear recurrences: states of a run against the bound of a step, and by how much the answers of a
 * run lead against that of the read-out. */
static void test_linear(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        Spoil *spoil;
        double size, least; /* of weights; how near a run gets to the bound of a step at least */
    } linear[] = {{"dim=8 block=8 norm=paper", spoil_transitions, 0.4, 8e-5},
                  {"dim=8 block=4", spoil_transitions, 0.4, 1.4e-4},
                  {"dim=8 block=4", spoil_inputs, 0.4, 3e-3},
                  {"dim=8 block=4", spoil_view, 0.4, 4e-4},
                  {"dim=8 block=8", spoil_nothing, 0.4, 4e-4},
                  {"dim=8 block=4 norm=paper", spoil_nothing, 0.4, 5e-4},
                  {"dim=8 block=8 norm=paper p=2", spoil_nothing, 2, 2.5e-3},
                  {"dim=8 block=2 p=1", spoil_nothing, 2, 3e-3},
                  {"dim=8 block=1", spoil_nothing, 1, 4e-3},
                  {"dim=8 block=4 p=3", spoil_nothing, 0.1, 1e-3},
                  /* powers that overflow in single precision: there is no bound */
                  {"dim=8 block=8 norm=paper p=10", spoil_nothing, 5, 0},
                  {"dim=8 block=4 p=100", spoil_nothing, 1.9, 0}};
    for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
        double closest = 0, eye[D * D] = {0};
        ThModel *m = bound("lrnn", linear[i].settings, TH_TARGET_FINAL, SYMBOLS);
        scatter(m, linear[i].size);
        linear[i].spoil(m);
        ThProofCell *g = th_proof_cell_new(m, NULL);
        double most = step_ratio(m, g);
        ThProofCheckSet *s = th_proof_check_set_new(D, 1, D + 1, D, NULL);
        ThRng r = th_rng(i, "linear", 0);
        for (int n = 0; n < 300; n++) {
            float at[D];
            double z[SYMBOLS], real[SYMBOLS], centre[D];
            for (int k = 0; k < D; k++)
                centre[k] = (double)(at[k] = (float)th_rng_normal(&r));
            ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
            th_tape_begin(t, TH_TAPE_NO_GRADIENT);
            th_tape_read(t, th_model_linear_answer(m, t, th_tape_constant(t, 1, D, at)), z);
            th_tape_free(t);
            const ThProofEllipsoid e = {.centre = centre, .shape = eye};
            s->unit = TH_PROOF_FLOAT_UNIT;
            double least = th_proof_check_step_lead(s, g, &e, 0, 2);
            th_proof_cell_logits(g, centre, real);
            assert_true(z[0] - z[2] >= least);
            closest =
                fmax(closest, (real[0] - real[2] - (z[0] - z[2])) / (real[0] - real[2] - least));
        }
        if (!(most <= 1 && most >= linear[i].least && closest >= 0.005))
            fail_msg("%s: runs reach %g of a step's bound, %g of the lead's", linear[i].settings,
                     most, closest);
        free(s);
        th_proof_cell_free(g);
        th_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),   cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_points), cmocka_unit_test(test_points_pinned),
        cmocka_unit_test(test_lead),   cmocka_unit_test(test_attained),
        cmocka_unit_test(test_leaf),   cmocka_unit_test(test_chunk),
        cmocka_unit_test(test_gelu),   cmocka_unit_test(test_step),
        cmocka_unit_test(test_linear),
    };
    return cmocka_run_group_tests_name("proof_rounding", tests, NULL, NULL);
}
