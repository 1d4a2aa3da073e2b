/* The nearest of many centres, beside a search through all of them: in clusters of more centres
 * than a neighbourhood holds, with centres that labels share, and from bad guesses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "proof/check/nearest.h"

enum { LABELS = 160, DIM = 11, CLUSTER = 80 };

typedef struct {
    double centre[LABELS * DIM];
    ThProofKind kind[LABELS];
    ThProofLabels l;
} Centres;

/* The clusters are far from each other, and `spread` is small beside that. */
static void draw_centres(Centres *c, ThRng *r, double spread)
{
    c->l = (ThProofLabels){.n = LABELS, .kind = c->kind};
    for (int i = 0; i < LABELS; i++) {
        c->kind[i] = i % 3 == 1 ? TH_PROOF_EDGE : TH_PROOF_COMPLETE;
        for (int k = 0; k < DIM; k++)
            c->centre[i * DIM + k] = i / CLUSTER + spread * th_rng_normal(r);
        if (i % 7 == 5) /* of the same kind, or of the other one */
            memcpy(c->centre + i * DIM, c->centre + (i - i % 5) * DIM, DIM * sizeof *c->centre);
    }
}

static double distance(const double *a, const double *b)
{
    double squares = 0;
    for (int k = 0; k < DIM; k++)
        squares += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(squares);
}

/* The first label of a kind that is nearest, and how much farther the next other centre is. */
static int nearest_of_all(const Centres *c, const double *z, ThProofKind kind, double *margin)
{
    int at = -1;
    double near = HUGE_VAL, next = HUGE_VAL;
    for (int i = 0; i < LABELS; i++)
        if (c->kind[i] == kind && distance(z, c->centre + i * DIM) < near) {
            near = distance(z, c->centre + i * DIM);
            at = i;
        }
    for (int i = 0; i < LABELS; i++)
        if (c->kind[i] == kind && distance(c->centre + at * DIM, c->centre + i * DIM) > 0)
            next = fmin(next, distance(z, c->centre + i * DIM));
    *margin = next - near;
    return at;
}

/* Of two centres far away and as far as each other but for rounding, none is surely nearer. */
static void test_ties(void **state)
{
    (void)state;
    ThRng r = th_rng(9, "ties", 0);
    ThProofKind kind[2] = {TH_PROOF_COMPLETE, TH_PROOF_COMPLETE};
    ThProofLabels l = {.n = 2, .kind = kind};
    int seeming = 0;
    for (int n = 0; n < 2000; n++) {
        double centre[2 * DIM], z[DIM], margin;
        for (int k = 0; k < DIM; k++) {
            centre[k] = 900 * th_rng_normal(&r);
            z[k] = 1e-4 * th_rng_normal(&r);
        }
        for (int k = 0; k < DIM; k++)
            centre[DIM + k] = centre[(k + 1) % DIM];
        for (int k = 1; k < DIM; k++) /* as far from both, in real numbers */
            z[k] = z[0];
        ThProofNearest *s = th_proof_nearest_new(&l, centre, DIM, NULL);
        th_proof_nearest_update(s);
        seeming += distance(z, centre) != distance(z, centre + DIM);
        th_proof_nearest_find(s, z, TH_PROOF_COMPLETE, -1, &margin);
        assert_true(margin <= 0);
        th_proof_nearest_free(s);
    }
    assert_true(seeming > 100);
}

static void test_all(void **state)
{
    (void)state;
    static Centres c;
    ThRng r = th_rng(1, "test.nearest", 0);
    for (int round = 0; round < 20; round++) {
        draw_centres(&c, &r, round % 2 ? 0.3 : 0.01);
        ThProofNearest *s = th_proof_nearest_new(&c.l, c.centre, DIM, NULL);
        th_proof_nearest_update(s);
        for (int i = 0; i < 400; i++) {
            double z[DIM], said, right;
            int own = (int)th_rng_below(&r, LABELS);
            int guess = i % 4 == 0 ? -1 : i % 4 == 1 ? (int)th_rng_below(&r, LABELS) : own;
            double off = i % 8 < 4 ? 0.002 : 0.4;
            for (int k = 0; k < DIM; k++)
                z[k] = c.centre[own * DIM + k] + off * th_rng_normal(&r);
            ThProofKind kind = i % 16 == 3 ? TH_PROOF_EDGE : c.kind[own];
            int label = nearest_of_all(&c, z, kind, &right);
            assert_int_equal(th_proof_nearest_find(s, z, kind, guess, &said), label);
            assert_true(fabs(said - right) < 1e-12);
        }
        th_proof_nearest_free(s);
    }
}

/* Labels that share a centre are known by the first, and only where they are of one kind. */
static void test_shared(void **state)
{
    (void)state;
    static Centres c;
    int shared = 0, apart = 0;
    ThRng r = th_rng(2, "test.nearest", 0);
    draw_centres(&c, &r, 0.3);
    ThProofNearest *s = th_proof_nearest_new(&c.l, c.centre, DIM, NULL);
    th_proof_nearest_update(s);
    for (int i = 0; i < LABELS; i++) {
        int first = 0;
        while (c.kind[first] != c.kind[i] ||
               distance(c.centre + first * DIM, c.centre + i * DIM) > 0)
            first++;
        assert_int_equal(th_proof_nearest_first(s, i), first);
        shared += first < i;
        apart += first == i && i % 7 == 5;
    }
    assert_true(shared > 5 && apart > 5);
    th_proof_nearest_free(s);
}

/* One centre has no other, and a kind of none no label. */
static void test_alone(void **state)
{
    (void)state;
    double centre[3] = {1, 2, 3}, z[3] = {1, 2, 5}, margin;
    ThProofKind kind[1] = {TH_PROOF_EDGE};
    const ThProofLabels l = {.n = 1, .kind = kind};
    ThProofNearest *s = th_proof_nearest_new(&l, centre, 3, NULL);
    th_proof_nearest_update(s);
    assert_int_equal(th_proof_nearest_find(s, z, TH_PROOF_EDGE, 0, &margin), 0);
    assert_true(isinf(margin) && margin > 0);
    assert_int_equal(th_proof_nearest_find(s, z, TH_PROOF_COMPLETE, 0, &margin), -1);
    th_proof_nearest_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ties), cmocka_unit_test(test_all),
                                       cmocka_unit_test(test_shared), cmocka_unit_test(test_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
