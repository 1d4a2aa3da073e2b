/* Bounds of the prover and of the checker, each where one of their terms is all that there is: a
 * search for the worst point never gets past a bound, and gets so near that 95 % of it would not
 * do. */
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
#include "worst.h"

enum { D = 4 };
static const double ROUNDED = 1e-10; /* of numbers of some ten thousands */

/* ---- maps in which one thing happens --------------------------------------------------------- */

/* A logit at + by_x x1 + by_y y1 + both y0 x1 - own y0² (numbers of x and y being those of a unit
 * ball) weighs a value, gap + value x0 for x and value y0 for y, which goes along (1, -1, 0, 0)
 * and, by a share, along y's centre; x and y each vary along an axis.  A layer norm is as good as
 * linear where what it norms is far longer than what varies in it: y (`level`), or what the
 * feed-forward layer adds (`second`, across everything).  `third` is added along y's centre.  A
 * hidden unit reads what goes along and writes there `writes` times what it is, with its bend where
 * it reads `bend`. */
typedef struct {
    double at, by_x, by_y, both, own, gap, value, rx, ry;
    int axis_x, axis_y;
    double level, second, third, along, writes, bend;
} Case;

typedef struct {
    Case c;
    ThProofMap f;
    double number[6 * D * D + 9 * D], x[D], y[D], shape[2 * D * D], inverse[2 * D * D];
    ThProofCheckSet *s;
    ThProofEnclosure *e;
    const ThProofSet *proved;
    int who; /* prover, checker */
} Given;

static const double far = 8000;

static void point_at(Given *g)
{
    ThProofMap *f = &g->f;
    double **square[] = {&f->query, &f->key, &f->value, &f->output, &f->up, &f->down};
    double **row[] = {&f->relative, &f->gain1,     &f->offset1, &f->gain2,        &f->offset2,
                      &f->up_bias,  &f->down_bias, &f->pad,     &f->relative_size};
    double *at = g->number;
    for (int i = 0; i < 6; i++, at += D * D)
        *square[i] = at;
    for (int i = 0; i < 9; i++, at += D)
        *row[i] = at;
}

/* Everything is 1e-4 as wide as along the axis. */
static void make_shape(double *a, int axis)
{
    for (int i = 0; i < D; i++)
        a[i * (D + 1)] = i == axis ? 1 : 1e-4;
}

static void make_attention(Given *g)
{
    ThProofMap *f = &g->f;
    const Case *c = &g->c;
    const double scale = sqrt(D);
    f->relative[0] = c->at;
    f->query[2 * D] = c->by_x != 0 ? 1 / g->y[2] : 0;
    f->key[1 * D] = scale * c->by_x / c->rx;
    f->query[1 * D + 1] = c->by_y != 0;
    f->key[3 * D + 1] = scale * c->by_y / c->ry / g->x[3];
    f->query[2] = c->both != 0;
    f->key[1 * D + 2] = scale * c->both / c->rx / c->ry;
    f->query[3] = c->own != 0;
    f->key[3] = scale * c->own / c->ry / c->ry;
    f->value[0] = c->value;
    f->value[3 * D] = c->gap / g->x[3];
    f->output[0] = 1;
    f->output[1] = -1;
    f->output[2] = c->along;
}

/* Behind the norm of y, whose centred length is √¾ of its level, and which the gain undoes. */
static void make_unit(Given *g)
{
    const Case *c = &g->c;
    for (int i = 0; i < D; i++) {
        g->f.gain1[i] = sqrt(0.75 * c->level * c->level / D + TH_PROOF_EPSILON);
        g->f.gain2[i] = far;
    }
    g->f.up[0] = 0.5;
    g->f.up[D] = -0.5;
    g->f.up_bias[0] = -c->bend;
    g->f.down[0] = c->writes;
    g->f.down[1] = -c->writes;
    const double across[D] = {1, 1, 0, -2};
    for (int i = 0; i < D; i++)
        g->f.down_bias[i] = across[i] * c->second + (i == 2 ? c->third : 0);
}

static void make(Given *g, const Case *c)
{
    *g = (Given){.c = *c};
    point_at(g);
    g->f.dim = D;
    g->f.heads = 1;
    g->f.hidden = D;
    g->f.n_symbols = 1;
    g->f.n_classes = 2;
    g->x[3] = far;
    g->y[2] = c->level;
    make_shape(g->shape, c->axis_x);
    make_shape(g->shape + D * D, c->axis_y);
    make_attention(g);
    make_unit(g);
    g->s = th_proof_check_set_new(D, 3, 1 + D + 3, D, NULL);
    g->e = th_proof_enclosure_new(&g->f, g->shape, 2, NULL);
    for (int i = 0; i < 2; i++)
        assert_true(th_proof_check_invert(g->s, g->shape + i * D * D, g->inverse + i * D * D));
}

static void drop(Given *g)
{
    th_proof_enclosure_free(g->e);
    free(g->s);
}

static void enclose(Given *g)
{
    const double *a = g->shape;
    ThProofEllipsoid x = {g->x, a, g->inverse, g->c.rx, 1e4, false, NULL};
    ThProofEllipsoid y = {g->y, a + D * D, g->inverse + D * D, g->c.ry, 1e4, false, NULL};
    ThProofBall bx = {g->x, g->c.rx, 0}, by = {g->y, g->c.ry, 1};
    th_proof_check_tree(g->s, &g->f, &x, &y);
    g->proved = th_proof_enclose(g->e, &bx, &by);
}

/* ---- how near a point comes ------------------------------------------------------------------ */

static void apply(const Given *g, const double *z, double *out)
{
    double x[D], y[D];
    for (int i = 0; i < D; i++) {
        x[i] = g->x[i] + g->c.rx * g->shape[i * (D + 1)] * z[i];
        y[i] = g->y[i] + g->c.ry * g->shape[D * D + i * (D + 1)] * z[D + i];
    }
    assert_true(th_proof_map_apply(&g->f, x, y, 1, out, NULL));
}

/* How far the remainders reach along a. */
static double remainder_along(const Given *g, const double *a)
{
    double square = 0, sum = 0;
    if (g->who == 0) {
        const ThProofSet *s = g->proved;
        for (int i = 0; i < D; i++)
            square += a[i] * th_proof_check_inner(s->q + i * D, a, D);
        for (int j = 0; j < s->n_box; j++)
            sum += fabs(th_proof_check_inner(s->box + j * D, a, D));
        return sum + sqrt(fmax(0, square));
    }
    for (int i = 2 * D; i < g->s->n; i++) {
        double along = th_proof_check_inner(th_proof_check_row(g->s, i), a, D);
        square += i < 3 * D ? along * along : 0;
        sum += i < 3 * D ? 0 : fabs(along);
    }
    return sum + sqrt(square);
}

/* What is left of F at z when the linear part is taken off, as a share of what the remainders
 * allow: in its own direction, and in that in which heads and units write. */
static double share(const void *given, const double *z)
{
    static const double across[D] = {1, -1, 0, 0};
    const Given *g = given;
    double off[D];
    apply(g, z, off);
    for (int k = 0; k < D; k++) {
        off[k] -= g->who == 0 ? g->proved->centre[k] : g->s->row[k];
        for (int i = 0; i < 2 * D; i++)
            off[k] -= z[i] * (g->who == 1 ? th_proof_check_row(g->s, i)[k]
                                          : (i < D ? g->proved->gx : g->proved->gy)[k * D + i % D]);
    }
    double length = sqrt(th_proof_check_inner(off, off, D));
    double own = length * (length - ROUNDED) / fmax(remainder_along(g, off), 1e-20);
    double along = fabs(th_proof_check_inner(off, across, D)) - ROUNDED;
    return fmax(own, along / remainder_along(g, across));
}

/* No point is outside, for prover and checker; nearest[i] becomes how near to their bounds some
 * are, if that is nearer. */
static void check(const Case *c, int number, double nearest[2])
{
    Given g;
    make(&g, c);
    enclose(&g);
    const WorstPlace place = {.part = {D, D}, .n = 2};
    double most[2];
    for (g.who = 0; g.who < 2; g.who++)
        most[g.who] = worst(share, &g, &place, 24, (uint64_t)number);
    if (getenv("PROOF_VERBOSE"))
        print_message("case %d: prover %.4f, checker %.4f\n", number, most[0], most[1]);
    for (int i = 0; i < 2; i++) {
        if (!(most[i] <= 1))
            fail_msg("case %d: a point at %.9f of the bound of the %s", number, most[i],
                     i ? "checker" : "prover");
        nearest[i] = fmax(nearest[i], most[i]);
    }
    drop(&g);
}

/* A bound of `share` of what it is would be too little. */
static void tight(double share, const double nearest[2])
{
    for (int i = 0; i < 2; i++)
        if (!(nearest[i] >= share))
            fail_msg("nothing beyond %.4f of the bounds of the %s", nearest[i],
                     i ? "checker" : "prover");
}

/* The weight of a head, by each part of its logit; what it weighs varies in the other child. */
static void test_heads(void **state)
{
    (void)state;
    static const double at[] = {-1.5, 0, 1.5}, by[] = {0.3, 1.5, 3}, radius[] = {0.03, 0.3};
    for (int i = 0; i < 36; i++) {
        Case c = {.at = at[i % 3],
                  .rx = radius[i / 9 % 2],
                  .ry = radius[1 - i / 9 % 2],
                  .level = far,
                  .second = far};
        double size = by[i / 3 % 3];
        bool later = i >= 18;
        *(later ? &c.by_y : &c.by_x) = size;
        c.value = 10;
        c.axis_x = later ? 0 : 1;
        c.axis_y = later ? 1 : 0;
        double nearest[2] = {0};
        check(&c, i, nearest);
        tight(0.99, nearest);
    }
}

/* What is quadratic in it, with a value that does not vary. */
static void test_products(void **state)
{
    (void)state;
    static const double at[] = {-1.5, 0, 1.5}, by[] = {-2, -0.5, 0.5, 2};
    double nearest[8][2] = {0};
    for (int i = 0; i < 24; i++) {
        Case c = {.at = at[i % 3], .rx = 0.3, .ry = 0.03, .level = far, .second = far, .gap = 10};
        *(i < 12 ? &c.both : &c.own) = by[i / 3 % 4];
        c.axis_x = 1;
        double *near = nearest[i / 3];
        check(&c, 100 + i, near);
        if (i % 3 == 2)
            tight(0.95, near);
    }
}

/* A layer norm: of what varies across the vector, and along it. */
static void test_norms(void **state)
{
    (void)state;
    static const double by[] = {0.02, 0.2, 0.5}, along[] = {0, 0.3, 1, 3};
    double nearest[4][2] = {0};
    for (int i = 0; i < 12; i++) {
        Case c = {.at = 60, .rx = 0.3, .ry = 1e-6, .level = 1, .second = far};
        c.value = by[i % 3] / (i < 9 ? 1 : 4);
        c.along = along[i / 3];
        check(&c, 200 + i, nearest[i / 3]);
        if (i % 3 == 2)
            tight(0.98, nearest[i / 3]);
    }
}

/* The second one, of what an ellipsoid gathers, and of what a box does. */
static void test_norms_of_remainders(void **state)
{
    (void)state;
    double nearest[6][2] = {0};
    for (int i = 0; i < 36; i++) {
        Case c = {.rx = 0.3, .ry = 0.03, .level = far, .third = 1 - far};
        double size = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.5 : 1;
        c.axis_y = i % 12 < 6;
        c.along = i / 12;
        if (i % 12 < 6) {
            c.by_y = i % 2 ? 4 : 1;
            c.value = size / (1 + c.along);
        } else {
            c.at = 1;
            c.own = i % 2 ? 4 : 1;
            c.axis_x = 1;
            c.gap = size / (1 + c.along);
        }
        check(&c, 250 + i, nearest[i / 6]);
        if (i % 6 == 5)
            tight(0.93, nearest[i / 6]);
    }
}

/* A hidden unit, where what it reads comes from the earlier child, the later one, the weight of a
 * head for what varies, and that for what does not. */
static void test_units(void **state)
{
    (void)state;
    double nearest[4][2] = {0};
    static const double bend[] = {-0.7, -0.2, 0, 0.2, 0.7};
    for (int i = 0; i < 40; i++) {
        Case c = {.at = 60, .rx = 0.3, .ry = 0.03, .level = far, .second = far};
        c.value = 10;
        c.writes = i % 2 ? -0.5 : 1;
        c.bend = bend[i / 2 % 5];
        if (i / 10 == 0) {
            c.value = 10;
            c.bend *= c.value * c.rx;
        } else if (i / 10 == 1) {
            c.at = -60;
            c.value = 100;
            c.bend *= c.value * c.ry;
        } else if (i / 10 == 2) {
            c.at = 0;
            c.by_y = 1;
            c.axis_y = 1;
            c.bend *= c.value * c.rx;
        } else {
            c.value = 0;
            c.at = 1;
            c.own = 2;
            c.axis_x = 1;
            c.gap = 10;
            c.bend = 10 * (0.7 + 0.5 * c.bend);
        }
        check(&c, 300 + i, nearest[i / 10]);
    }
    for (int i = 0; i < 4; i++)
        tight(i < 3 ? 0.99 : 0.75, nearest[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads), cmocka_unit_test(test_products),
        cmocka_unit_test(test_norms), cmocka_unit_test(test_norms_of_remainders),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests_name("proof_tight", tests, NULL, NULL);
}
