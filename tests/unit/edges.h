/* edges.h - compiled models of three classes and symbols, shaken so that proofs of them have edges;
 * and what prover and checker say of them.  After cmocka.h. */
#ifndef TEST_UNIT_EDGES_H
#define TEST_UNIT_EDGES_H

#include <string.h>

#include "compile/compile.h"
#include "given.h"
#include "proof/cell/cell.h"
#include "proof/certify.h"
#include "proof/check/check.h"

/* The six permutations of three states, which are the classes. */
static const char S3[] = "x a -> y ; y a -> z ; z a -> x\n"
                         "x b -> y ; y b -> x ; z b -> z\n"
                         "x c -> x ; y c -> z ; z c -> y\n"
                         "start y\noutput x X\noutput y Y\noutput z Z";

/* ---- models ---------------------------------------------------------------------------------- */

/* Returns new: a compiled model. */
static inline ThModel *compiled(const ThTask *t)
{
    ThError err = {0};
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, &err);
    ThModel *m = th_compile_regulargpt(t, monoid, &(ThCompileShape){.chunk = 2}, NULL, &err);
    if (!m)
        fail_msg("%s", err.msg);
    th_monoid_free(monoid);
    return m;
}

static inline float *weights(const ThModel *m, const char *name, int *n)
{
    int i = th_params_find(&m->params, name);
    assert_true(i >= 0);
    if (n)
        *n = m->params.item[i].rows * m->params.item[i].cols;
    return th_params_at(&m->params, i);
}

static inline void shake(const ThModel *m, const char *name, double by, ThRng *r)
{
    int n;
    float *w = weights(m, name, &n);
    for (int i = 0; i < n; i++)
        w[i] += (float)(by * th_rng_normal(r));
}

/* All of it a little, so that every vector is off by something and moves with what it is made of;
 * and what stands below the lowest level, and for nothing, by more. */
static inline void shake_all(const ThModel *m, double by, double leaves, double pad, uint64_t seed)
{
    static const char *const all[] = {"layer0.attention.key_value", "layer0.attention.output",
                                      "layer0.feed_forward.up", "layer0.feed_forward.down"};
    ThRng r = th_rng(seed, "shake", 0);
    for (int i = 0; i < 4; i++)
        shake(m, all[i], by, &r);
    shake(m, "embedding", leaves, &r);
    shake(m, "pad", pad, &r);
}

/* ---- what both say --------------------------------------------------------------------------- */

/* Returns new: of the strings of a domain, NULL: of all. */
static inline ThProofClaim *claim_of(const ThModel *m, const ThDfa *machine, const ThDfa *domain,
                                     double slack)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, machine, domain, slack, NULL};
    ThProofClaim *c = th_proof_claim_new(m, &asked, NULL, &err);
    if (!c)
        fail_msg("%s", err.msg);
    return c;
}

static inline ThProof *proof_in(const ThModel *m, const ThDfa *machine, const ThDfa *domain,
                                double slack)
{
    ThError err = {0};
    ThProofClaim *claim = claim_of(m, machine, domain, slack);
    ThProofHow how = {.limit = 100, .cover = 8, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    th_proof_claim_free(claim);
    if (!p)
        fail_msg("%s", err.msg);
    return p;
}

static inline ThProof *proof_of(const ThModel *m, const ThDfa *machine, double slack)
{
    return proof_in(m, machine, NULL, slack);
}

static inline ThProofCertificate *certificate_of(const ThProof *p, const ThModel *m)
{
    ThError err = {0};
    ThProofCertificate *c = th_proof_certificate_new(p, &m->signature, &err);
    assert_non_null(c);
    return c;
}

/* Are its sets a proof of what it says, signed anew, of the weights that the model has? */
static inline bool holds(ThProofCertificate *c, const ThModel *m)
{
    ThError err = {0};
    ThProofChecked k;
    bool cell = th_proof_is_cell(m);
    ThProofMap *f = cell ? NULL : th_proof_map_new(m, &err);
    ThProofCell *g = cell ? th_proof_cell_new(m, &err) : NULL;
    c->weights = f ? f->digest : g->digest;
    c->digest = th_proof_certificate_digest(c);
    assert_true(th_proof_check_sets(c, f, g, 0, NULL, &k, &err));
    th_proof_map_free(f);
    th_proof_cell_free(g);
    return k.holds;
}

#endif
