/* The parts of the checker of certificates, and of the prover, one at a time, so that no slip in
 * one hides behind the room that the others leave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "proof/check/check_impl.h"
#include "proof/tree/enclosure.h"

enum { D = 4 };

static double value_of(ThProofBend bend, double x)
{
    switch (bend) {
    case TH_PROOF_LOGISTIC:
        return 1 / (1 + exp(-x));
    case TH_PROOF_TANH:
        return tanh(x);
    case TH_PROOF_RELU:
        return x > 0 ? x : 0;
    default:
        return 1 / sqrt(x);
    }
}

/* A line's errors are those that are met, no less and hardly more. */
static void check_line(ThRng *r, ThProofBend bend)
{
    enum { PLACES = 400 };
    double by = 3 * th_rng_uniform(r), at = 4 * th_rng_uniform(r) - 2;
    if (bend == TH_PROOF_INVERSE_ROOT)
        at = by + 0.1 + th_rng_uniform(r);
    const double range[] = {at - by, at + by}, share = th_rng_uniform(r) / 2;
    const double loose[] = {-share * by, share * by};
    ThProofLine l = th_proof_check_line(bend, at, range, loose);
    double error = 0, reach = 0;
    for (int i = 0; i <= PLACES; i++) {
        double x = range[0] + (range[1] - range[0]) * i / PLACES, value = value_of(bend, x);
        reach = fmax(reach, fabs(value - l.value));
        for (int side = 0; side < 2; side++) /* x is what is linear, and something loose */
            error = fmax(error, fabs(value - l.value - l.slope * (x - loose[side] - at)));
    }
    assert_true(error <= l.error + 1e-12);
    assert_true(reach <= l.reach + 1e-12);
    assert_true(error >= 0.98 * l.error && reach >= 0.98 * l.reach);
}

/* How far boxes reach is a sum, also through a matrix. */
static void test_widths(void **state)
{
    (void)state;
    enum { PARTS = 3, BOXES = 6 };
    ThError err = {0};
    ThProofCheckSet *s = th_proof_check_set_new(D, PARTS, BOXES, 2 * D, &err);
    double turn[D * D] = {0}, plain[D], turned[D], square[D] = {0}, sum[D] = {0};
    ThRng r = th_rng(3, "widths", 0);
    s->n = PARTS * D + BOXES;
    for (int i = 0; i < D; i++)
        turn[i * D + (i + 1) % D] = -1;
    double all[D] = {0};
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < D; k++) {
            double x = th_rng_normal(&r);
            th_proof_check_row(s, i)[k] = x;
            square[k] += x * x;
            sum[k] += fabs(x);
        }
        for (int k = 0; k < D && (i + 1) % D == 0 && i < PARTS * D; k++) {
            all[k] += sqrt(square[k]);
            square[k] = sum[k] = 0;
        }
    }
    th_proof_check_widths(s, NULL, D, plain);
    th_proof_check_widths(s, turn, D, turned);
    for (int k = 0; k < D; k++) {
        assert_true(fabs(plain[k] - all[k] - sum[k]) < 1e-12);
        assert_true(fabs(turned[(k + 1) % D] - plain[k]) < 1e-12);
    }
    free(s);
}

/* How far a set reaches along v, from its generators: a part is a ball, what is alone a segment. */
static double reach_along(const ThProofCheckSet *s, const double *v)
{
    double reach = 0;
    for (int g = 0, n = 0; g < s->n; g += n) {
        double square = 0;
        n = g < s->n_part ? s->d : 1;
        for (int k = g; k < g + n; k++) {
            double along = 0;
            for (int i = 0; i < s->d; i++)
                along += th_proof_check_row(s, k)[i] * v[i];
            square += along * along;
        }
        reach += sqrt(square);
    }
    return reach;
}

/* Many rectified units that all bend on one line through a set, each alone by its half: what they
 * do together is their sum, which F shows.  One direction only is bent, so that nothing hides it.
 */
static void test_aligned_units(void **state)
{
    (void)state;
    enum { DIM = 32, UNITS = 128 };
    static double zero[DIM * DIM], one[DIM], up[DIM * UNITS], up_bias[UNITS], down[UNITS * DIM],
        down_bias[DIM], identity[DIM * DIM];
    const double small = 1e-2, steep = 100, along = 1 / sqrt(DIM);
    double centre[DIM], way[DIM], across[DIM], y[DIM], out[DIM], worst = 0;
    ThProofMap f = {.dim = DIM,
                    .heads = 1,
                    .hidden = UNITS,
                    .n_symbols = 2,
                    .n_classes = 2,
                    .mask = true,
                    .query = zero,
                    .key = zero,
                    .value = zero,
                    .output = zero,
                    .relative = zero,
                    .relative_size = zero,
                    .gain1 = one,
                    .offset1 = zero,
                    .gain2 = one,
                    .offset2 = zero,
                    .up = up,
                    .up_bias = up_bias,
                    .down = down,
                    .down_bias = down_bias,
                    .leaf = zero,
                    .pad = zero,
                    .head = zero,
                    .head_bias = zero};
    for (int i = 0; i < DIM; i++) {
        one[i] = identity[i * (DIM + 1)] = 1;
        centre[i] = i % 2 ? 1 : -1;
        across[i] = i / 2 % 2 ? 1 : -1;
        way[i] = (i / 4 % 2 ? 1 : -1) * along;
    }
    for (double part = 0.2; part < 0.95; part += 0.1)
        for (double turn = 0.1; turn < 1; turn += 0.2) {
            double by = part / UNITS / (small * steep);
            for (int i = 0; i < DIM; i++) {
                for (int k = 0; k < UNITS; k++) {
                    up[i * UNITS + k] = steep * way[i];
                    down[k * DIM + i] = -by * (centre[i] + turn * across[i]);
                }
                down_bias[i] = -UNITS * small * steep / 4 * down[i];
            }
            ThProofCheckSet *s = th_proof_check_set_new(DIM, 3, 1 + UNITS + 3, UNITS, NULL);
            ThProofCheckWays *ways = th_proof_check_ways_new(&f, NULL);
            s->unit = TH_PROOF_DOUBLE_UNIT;
            th_proof_check_ways(s, &f, identity, ways);
            ThProofEllipsoid e = {centre, identity, identity, small, 1, true, ways};
            th_proof_check_tree(s, &f, NULL, &e);
            for (int side = -1; side <= 1; side += 2) {
                double at = 0, off[DIM];
                for (int i = 0; i < DIM; i++)
                    y[i] = centre[i] + side * small * way[i] * (1 - 1e-9);
                assert_true(th_proof_map_apply(&f, NULL, y, 1, out, NULL));
                for (int i = 0; i < DIM; i++) {
                    off[i] = out[i] - s->row[i];
                    at += off[i] * off[i];
                }
                worst = fmax(worst, at / reach_along(s, off));
            }
            free(ways);
            free(s);
        }
    if (!(worst <= 1 && worst > 0.9))
        fail_msg("%g of what the set reaches", worst);
}

static void test_lines(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "lines", 0);
    for (int i = 0; i < 400; i++)
        check_line(&r, (ThProofBend)(i % 4));
}

/* Whatever numbers the generators get, no vector is farther from the centre. */
static void check_reach(ThProofCheckSet *s, ThRng *r)
{
    enum { TRIES = 64 };
    double most = 0, z[D];
    for (int n = 0; n < TRIES; n++) {
        double v[D] = {0}, length = 0;
        for (int i = 0; i < D; i++) {
            z[i] = th_rng_normal(r);
            length += z[i] * z[i];
        }
        for (int i = 0; i < s->n; i++)
            for (int k = 0; k < D; k++)
                v[k] += th_proof_check_row(s, i)[k] * (i < s->n_part      ? z[i] / sqrt(length)
                                                       : n >> (i % 6) & 1 ? 1
                                                                          : -1);
        double square = 0;
        for (int k = 0; k < D; k++)
            square += v[k] * v[k];
        most = fmax(most, sqrt(square));
    }
    assert_true(most <= th_proof_check_reach(s) * (1 + 1e-12));
}

static void test_reach(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "reach", 0);
    for (int i = 0; i < 300; i++) {
        ThProofCheckSet *s = th_proof_check_set_new(D, i % 2, 6, D, NULL);
        s->n = s->n_part + 1 + i % 6;
        for (int k = 0; k < s->n * D; k++) /* along one line, in some of them */
            th_proof_check_row(s, 0)[k] = k % D > 0 && i % 5 == 0 ? 0 : th_rng_normal(&r);
        check_reach(s, &r);
        free(s);
    }
}

/* ---- one application of F -------------------------------------------------------------------- */

typedef struct {
    ThProofMap f;
    double number[600];
    ThRng r;
} Given;

/* A map with one head that does nothing: all its weight is on the later child. */
static void make_map(Given *g, uint64_t seed)
{
    ThProofMap *f = &g->f;
    memset(g, 0, sizeof *g);
    g->r = th_rng(seed, "map", 0);
    *f = (ThProofMap){.dim = D, .heads = 1, .hidden = D, .n_symbols = 1, .n_classes = 2};
    double **square[] = {&f->query, &f->key, &f->value, &f->output, &f->up, &f->down};
    double **row[] = {&f->relative, &f->gain1,     &f->offset1, &f->gain2,        &f->offset2,
                      &f->up_bias,  &f->down_bias, &f->pad,     &f->relative_size};
    double *at = g->number;
    for (int i = 0; i < 6; i++, at += D * D)
        *square[i] = at;
    for (int i = 0; i < 9; i++, at += D)
        *row[i] = at;
    for (int i = 0; i < D; i++)
        f->gain1[i] = f->gain2[i] = 1;
    f->relative[0] = -40;
}

static void fill(Given *g, double *to, int n, double size)
{
    for (int i = 0; i < n; i++)
        to[i] = size * th_rng_normal(&g->r);
}

/* z: a place in a ball of radius 1, most often on its surface, and often on an axis; to <- centre +
 * radius z. */
static void place(Given *g, const double *centre, double radius, double *z, double *to)
{
    double length = 0, inside = th_rng_uniform(&g->r) < 0.8 ? 1 : th_rng_uniform(&g->r);
    int axis = (int)th_rng_below(&g->r, 2 * D);
    for (int i = 0; i < D; i++) {
        z[i] = axis < D && i != axis ? 0 : th_rng_normal(&g->r);
        length += z[i] * z[i];
    }
    for (int i = 0; i < D; i++) {
        z[i] *= inside / sqrt(length);
        to[i] = centre[i] + radius * z[i];
    }
}

/* How far the remainders reach in the direction a: d rows of what is together, and boxes. */
static double remainder_of(const double *rows, int boxes, const double *a)
{
    double square = 0, sum = 0;
    for (int i = 0; i < D + boxes; i++) {
        double along = th_proof_check_inner(rows + i * D, a, D);
        square += i < D ? along * along : 0;
        sum += i < D ? 0 : fabs(along);
    }
    return sum + sqrt(square);
}

/* The prover's, which keeps what is together as a form. */
static double remainder_proved(const ThProofSet *s, const double *a)
{
    double form = 0, sum = 0;
    for (int i = 0; i < D; i++)
        form += a[i] * th_proof_check_inner(s->q + i * D, a, D);
    for (int j = 0; j < s->n_box; j++)
        sum += fabs(th_proof_check_inner(s->box + j * D, a, D));
    return sum + sqrt(fmax(0, form));
}

/* Of two balls: every vector is where the linear part says, but for the remainders; in what the
 * checker encloses F in, and in what the prover does. */
static void check_balls(Given *g, const double *x, const double *y, const double radius[2])
{
    static const double identity[D * D] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    ThProofEllipsoid ex = {x, identity, identity, radius[0], 1, false, NULL};
    ThProofEllipsoid ey = {y, identity, identity, radius[1], 1, false, NULL};
    ThProofCheckSet *s = th_proof_check_set_new(D, 3, 1 + D + 3, D, NULL);
    ThProofEnclosure *e = th_proof_enclosure_new(&g->f, NULL, 1, NULL);
    ThProofBall bx = {x, radius[0], 0}, by = {y, radius[1], 0};
    th_proof_check_tree(s, &g->f, &ex, &ey);
    const ThProofSet *proved = th_proof_enclose(e, &bx, &by);
    for (int n = 0; n < 2000; n++) {
        double z[2 * D], px[D], py[D], off[D], from[D];
        place(g, x, radius[0], z, px);
        place(g, y, radius[1], z + D, py);
        assert_true(th_proof_map_apply(&g->f, px, py, 1, off, NULL));
        for (int k = 0; k < D; k++) {
            from[k] = off[k] - proved->centre[k];
            off[k] -= s->row[k];
            for (int i = 0; i < 2 * D; i++) {
                off[k] -= z[i] * th_proof_check_row(s, i)[k];
                from[k] -= z[i] * (i < D ? proved->gx : proved->gy)[k * D + i % D];
            }
        }
        const double *rest = th_proof_check_row(s, 2 * D);
        assert_true(th_proof_check_inner(off, off, D) <=
                    remainder_of(rest, s->n - 3 * D, off) * (1 + 1e-9) + 1e-9);
        assert_true(th_proof_check_inner(from, from, D) <=
                    remainder_proved(proved, from) * (1 + 1e-9) + 1e-9);
    }
    th_proof_enclosure_free(e);
    free(s);
}

/* One unit, asleep on one side of the centre. */
static void test_feed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Given g;
        double y[D], length = 0;
        make_map(&g, seed);
        fill(&g, y, D, 1);
        th_proof_check_centre(y, 1, D);
        for (int i = 0; i < D; i++) {
            g.f.up[i * D] = th_rng_normal(&g.r);
            g.f.down[i] = 2 * th_rng_normal(&g.r);
            length += y[i] * y[i] / D;
        }
        for (int i = 0; i < D; i++)
            g.f.up_bias[0] -= y[i] / sqrt(length + TH_PROOF_EPSILON) * g.f.up[i * D];
        check_balls(&g, y, y, (double[]){0.01, 0.01});
    }
}

/* A head that looks from one child to the other, where the values at the centres are the same. */
static void test_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Given g;
        double x[D];
        make_map(&g, seed);
        fill(&g, g.f.query, D * D, 8);
        fill(&g, g.f.key, D * D, 8);
        fill(&g, g.f.output, D * D, 1);
        fill(&g, g.f.value, D * D, 1);
        fill(&g, x, D, 1);
        g.f.relative[0] = 0;
        check_balls(&g, x, x, (double[]){0.3, 0.3});
    }
}

/* With y = (r a, r b, 8000, 0) what goes into a head's weight is 1 + L·b - Q·a², and only the value
 * of x is not 0: all is as in one dimension. */
static void test_weights(void **state)
{
    (void)state;
    static const double linear[] = {0, 0.3, 1, 2, 1}, quadratic[] = {0.5, 0.5, 2, 2, 4};
    for (int n = 0; n < 5; n++) {
        Given g;
        const double x[D] = {0, 0, 0, 8}, y[D] = {0, 0, 8000, 0}, r = 0.3, scale = 0.5;
        double b = sqrt(quadratic[n] / scale) / r;
        make_map(&g, 1);
        g.f.query[0] = g.f.key[0] = b;
        g.f.query[D + 1] = 1;
        g.f.key[3 * D + 1] = linear[n] / scale / r / x[3];
        g.f.value[3 * D] = 10;
        fill(&g, g.f.output, D, 1);
        g.f.relative[0] = 1;
        check_balls(&g, x, y, (double[]){0, r});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),  cmocka_unit_test(test_aligned_units),
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_reach),
        cmocka_unit_test(test_feed),    cmocka_unit_test(test_values),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests_name("proof_check", tests, NULL, NULL);
}
