/* What the checker lets an onlooker see of pairs: how much of their sets they take, and where along
 * ways what they make can be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "edges.h"
#include "proof/check/check_impl.h"

enum { WAYS = 3 };

typedef struct {
    ThTask *t;
    ThModel *m;
    ThProof *p;
    ThProofCertificate *c;
    ThProofMap *f;
    double way[WAYS][64];
    ThProofPairs pairs;
    ThProofChecked k;
    ThRng r;
} Given;

static void open_given(Given *g)
{
    ThError err = {0};
    *g = (Given){.t = made_task("output", "labels=final", S3)};
    g->m = compiled(g->t);
    shake_all(g->m, 0.0003, 0.004, 0.05, 3);
    g->p = proof_of(g->m, g->t->machine, 1e-6);
    g->c = certificate_of(g->p, g->m);
    g->f = th_proof_map_new(g->m, &err);
    g->r = th_rng(1, "pairs", 0);
    assert_true(g->c->dim <= 64);
    double *way = &g->way[0][0];
    for (int i = 0; i < WAYS * g->c->dim; i++)
        way[i] = th_rng_normal(&g->r);
    g->pairs = (ThProofPairs){.way = way, .n_ways = WAYS};
    ThProofClaim *claim = claim_of(g->m, g->t->machine, NULL, 1e-6);
    assert_true(th_proof_check_pairs(g->c, g->m, claim, NULL, &g->pairs, &g->k, &err));
    assert_true(g->k.holds);
    th_proof_claim_free(claim);
}

static void close_given(Given *g)
{
    th_proof_pairs_free(&g->pairs);
    th_proof_map_free(g->f);
    th_proof_certificate_free(g->c);
    th_proof_free(g->p);
    th_model_free(g->m);
    th_task_free(g->t);
}

/* to <- a point of set i, at its edge, or a symbol's vector. */
static void draw(Given *g, int i, double *to)
{
    const ThProofCertificate *c = g->c;
    double square = 0;
    for (int k = 0; k < c->dim; k++) {
        to[k] = th_rng_normal(&g->r);
        square += to[k] * to[k];
    }
    for (int k = 0; k < c->dim; k++)
        to[k] = i < c->n_labels ? c->centre[i * c->dim + k] + c->radius[i] * to[k] / sqrt(square)
                                : g->f->leaf[(i - c->n_labels) * c->dim + k];
}

/* Every pair that can be is there once, and none gets farther than the tightest. */
static void test_shares(void **state)
{
    (void)state;
    Given g;
    open_given(&g);
    const ThProofLabels *l = g.p->labels;
    size_t n = 0;
    double most = 0;
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++)
            n += (size_t)(l->product[i * l->n + j] >= 0) + (size_t)(i == 0 && l->alone[j] >= 0);
    n += 3 * 3 + 3; /* symbols, and nothing with one */
    assert_int_equal(g.pairs.n, n);
    for (size_t i = 0; i < g.pairs.n; i++) {
        const ThProofPair *p = &g.pairs.pair[i];
        most = fmax(most, p->share);
        if (p->x >= 0 && p->x < l->n)
            assert_int_equal(p->into, l->product[p->x * l->n + p->y]);
        else if (p->x < 0 && p->y < l->n)
            assert_int_equal(p->into, l->alone[p->y]);
    }
    assert_true(most <= g.k.tightest && most > 0.05);
    close_given(&g);
}

/* Points of two sets become points that lie between the lines seen; the farthest come near them. */
static void test_ways(void **state)
{
    (void)state;
    enum { TRIES = 40 };
    Given g;
    ThError err = {0};
    double x[64], y[64], out[64], nearest = 0;
    open_given(&g);
    for (size_t i = 0; i < g.pairs.n; i++) {
        const ThProofPair *p = &g.pairs.pair[i];
        for (int n = 0; n < TRIES; n++) {
            if (p->x >= 0)
                draw(&g, p->x, x);
            draw(&g, p->y, y);
            assert_true(th_proof_map_apply(g.f, p->x < 0 ? NULL : x, y, 1, out, &err));
            for (int w = 0; w < WAYS; w++) {
                const double *seen = g.pairs.seen + i * 2 * WAYS + w;
                double along = th_proof_check_inner(out, g.pairs.way + w * g.c->dim, g.c->dim);
                assert_true(fabs(along - seen[0]) <= seen[WAYS] + 1e-9);
                nearest = fmax(nearest, fabs(along - seen[0]) / seen[WAYS]);
            }
        }
    }
    assert_true(nearest > 0.3);
    close_given(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares), cmocka_unit_test(test_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
