/* What a certificate may say, and what it may not: claims come from the task. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "proof/check/check.h"

enum { SYMBOLS = 3 };

/* All of its vectors are one, and it always says the first class, "a", of three. */
static ThModel *constant_model(ThTarget target)
{
    ThModel *m = bound("regulargpt", "dim=2 heads=1", target, SYMBOLS);
    float *gain = th_params_at(&m->params, th_params_find(&m->params, "layer0.norm2.gain"));
    memset(gain, 0, 2 * sizeof *gain);
    *th_params_at(&m->params, th_params_find(&m->params, "head_bias")) += 30;
    return m;
}

/* Returns new: "a" behind an even number of the symbol `counts`, else `odd`; the start is state 1.
 */
static ThDfa *counting(int counts, int odd)
{
    ThDfa *d = th_dfa_new(2, SYMBOLS, SYMBOLS + 1, NULL);
    for (int q = 0; q < 2; q++)
        for (int a = 0; a < SYMBOLS; a++)
            d->next[q * SYMBOLS + a] = a == counts ? 1 - q : q;
    d->start = 1;
    d->label[0] = odd;
    return d;
}

/* Returns new: accepts strings of even length. */
static ThDfa *even_lengths(void)
{
    ThDfa *d = th_dfa_new(2, SYMBOLS, 2, NULL);
    for (int i = 0; i < 2 * SYMBOLS; i++)
        d->next[i] = i < SYMBOLS;
    d->label[0] = 1;
    return d;
}

/* Returns new: what is asked by a machine, in a domain, of a model. */
static ThProofClaim *claim_of(const ThModel *m, const ThDfa *machine, const ThDfa *domain)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, machine, domain, 1e-3, NULL};
    ThProofClaim *c = th_proof_claim_new(m, &asked, NULL, &err);
    if (!c)
        fail_msg("%s", err.msg);
    return c;
}

/* Returns new: the certificate of a claim that is true. */
static ThProofCertificate *prove(const ThModel *m, const ThProofClaim *claim)
{
    ThError err = {0};
    ThProofHow how = {.limit = 100, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    assert_non_null(p);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    ThProofCertificate *c = th_proof_certificate_new(p, &m->signature, &err);
    th_proof_free(p);
    return c;
}

/* Why a certificate, signed as it is now, says nothing of a claim; "" if it holds. */
static const char *refusal(ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim)
{
    static ThProofChecked k;
    ThError err = {0};
    c->digest = th_proof_certificate_digest(c);
    if (!th_proof_check(c, m, claim, NULL, &k, &err))
        fail_msg("%s", err.msg);
    assert_true(k.holds == !*k.why);
    return k.why;
}

static void assert_refused(ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                           const char *why)
{
    const char *said = refusal(c, m, claim);
    if (!strstr(said, why))
        fail_msg("\"%s\" instead of \"%s\"", said, why);
}

static void swap(char **a, char **b)
{
    char *c = *a;
    *a = *b;
    *b = c;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* With two symbols, or two classes, in another order the tables are the same and mean something
 * else. */
static void test_names(void **state)
{
    (void)state;
    ThModel *m = constant_model(TH_TARGET_FINAL);
    ThDfa *machine = counting(1, SYMBOLS);
    ThProofClaim *claim = claim_of(m, machine, NULL);
    ThProofCertificate *c = prove(m, claim);
    assert_string_equal(refusal(c, m, claim), "");
    swap(&c->symbol[1], &c->symbol[2]);
    assert_refused(c, m, claim, "symbols");
    swap(&c->symbol[1], &c->symbol[2]);
    swap(&c->class_name[1], &c->class_name[2]);
    assert_refused(c, m, claim, "classes");
    swap(&c->class_name[1], &c->class_name[2]);
    char other[] = "\x1b[31ma", *name = c->symbol[0];
    c->symbol[0] = other;
    assert_refused(c, m, claim, "symbols");
    c->symbol[0] = name;
    assert_string_equal(refusal(c, m, claim), "");
    th_proof_certificate_free(c);
    th_proof_claim_free(claim);
    th_dfa_free(machine);
    th_model_free(m);
}

/* A claim is made of a task whose names are the model's, in their order. */
static void test_claims(void **state)
{
    (void)state;
    ThModel *m = constant_model(TH_TARGET_FINAL);
    ThDfa *machine = counting(1, 0), *narrow = th_dfa_new(1, 2, 2, NULL);
    ThSignature other = {0};
    ThError err = {0};
    assert_true(th_signature_copy(&other, &m->signature, &err));
    ThProofAsked asked = {&other, machine, NULL, 0, NULL};
    swap(&other.symbol[0], &other.symbol[1]);
    assert_null(th_proof_claim_new(m, &asked, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    swap(&other.symbol[0], &other.symbol[1]);
    swap(&other.label[0], &other.label[2]);
    assert_null(th_proof_claim_new(m, &asked, NULL, NULL));
    swap(&other.label[0], &other.label[2]);
    other.target = TH_TARGET_EVERY;
    assert_null(th_proof_claim_new(m, &asked, NULL, NULL));
    other.target = TH_TARGET_FINAL;
    asked.machine = narrow;
    assert_null(th_proof_claim_new(m, &asked, NULL, NULL));
    asked.machine = machine;
    asked.domain = narrow;
    assert_null(th_proof_claim_new(m, &asked, NULL, NULL));
    asked.domain = NULL;
    ThProofClaim *claim = th_proof_claim_new(m, &asked, NULL, &err);
    assert_non_null(claim);
    th_proof_claim_free(claim);
    th_signature_free(&other);
    th_dfa_free(narrow);
    th_dfa_free(machine);
    th_model_free(m);
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* The model says "a" to everything.  A certificate that asks for nothing behind odd numbers of b is
 * true, and no proof of a task that asks for "c" there, or that counts c. */
static void test_asked(void **state)
{
    (void)state;
    ThModel *m = constant_model(TH_TARGET_FINAL);
    ThDfa *mild = counting(1, SYMBOLS), *strict = counting(1, 2), *other = counting(2, SYMBOLS);
    ThProofClaim *less = claim_of(m, mild, NULL), *more = claim_of(m, strict, NULL),
                 *else_where = claim_of(m, other, NULL);
    ThProofCertificate *c = prove(m, less);
    assert_string_equal(refusal(c, m, less), "");
    assert_refused(c, m, more, "automaton");
    assert_refused(c, m, else_where, "automaton");
    mild->label[1] = 1; /* "b", where the model and the certificate say "a" */
    ThProofClaim *wrong = claim_of(m, mild, NULL);
    assert_refused(c, m, wrong, "automaton");
    th_proof_claim_free(wrong);
    for (int q = 0; q < c->n_states; q++)
        c->answer[q] = -1;
    assert_refused(c, m, less, "automaton");
    assert_refused(c, m, more, "automaton");
    th_proof_certificate_free(c);
    th_proof_claim_free(less);
    th_proof_claim_free(more);
    th_proof_claim_free(else_where);
    th_dfa_free(mild);
    th_dfa_free(strict);
    th_dfa_free(other);
    th_model_free(m);
}

/* With an answer behind every symbol the prefixes of a domain's strings are asked, too: the model
 * is right behind an even number of symbols, and nowhere else. */
static void test_prefixes(void **state)
{
    (void)state;
    static const ThTarget target[] = {TH_TARGET_FINAL, TH_TARGET_EVERY};
    ThDfa *machine = th_dfa_new(2, SYMBOLS, SYMBOLS + 1, NULL), *domain = even_lengths();
    memcpy(machine->next, domain->next, 2 * SYMBOLS * sizeof *machine->next);
    machine->label[1] = 1;
    for (int i = 0; i < 2; i++) {
        ThModel *m = constant_model(target[i]);
        ThProofClaim *claim = claim_of(m, machine, domain);
        ThProofHow how = {.limit = 100, .seed = 1};
        ThError err = {0};
        ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
        assert_non_null(p);
        assert_int_equal(p->verdict, i ? TH_PROOF_WRONG : TH_PROOF_PROVED);
        assert_int_equal(p->length % 2, i);
        th_proof_free(p);
        th_proof_claim_free(claim);
        th_model_free(m);
    }
    th_dfa_free(machine);
    th_dfa_free(domain);
}

/* ---- tolerance ------------------------------------------------------------------------------- */

/* What a certificate says of slack adds to what is asked for, and takes nothing from it. */
static void test_slack(void **state)
{
    (void)state;
    ThModel *m = constant_model(TH_TARGET_FINAL);
    ThDfa *machine = counting(1, SYMBOLS);
    ThProofClaim *claim = claim_of(m, machine, NULL);
    ThProofCertificate *c = prove(m, claim);
    ThProofChecked k;
    assert_true(th_proof_check(c, m, claim, NULL, &k, NULL) && k.holds && k.in_float);
    assert_true(k.tolerance >= 1e-3 && k.rounding < k.tolerance);
    c->slack = 1e-300;
    claim->slack = 0.98 * k.tolerance;
    assert_string_equal(refusal(c, m, claim), "");
    claim->slack = 1.02 * k.tolerance;
    assert_refused(c, m, claim, "radius");
    claim->slack = 0;
    c->slack = 1.02 * k.tolerance;
    assert_refused(c, m, claim, "radius");
    c->slack = HUGE_VAL;
    assert_refused(c, m, claim, "slack");
    th_proof_certificate_free(c);
    th_proof_claim_free(claim);
    th_dfa_free(machine);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_claims),
        cmocka_unit_test(test_asked), cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_slack),
    };
    return cmocka_run_group_tests_name("proof_claim", tests, NULL, NULL);
}
