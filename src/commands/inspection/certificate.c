/* certificate.c - what compile and certify say of proofs by algebra. */
#include <math.h>

#include "commands/inspection/proofs.h"

static void set_algebra(ShSession *s, const ThProofAlgebra *p, double radius, double slack)
{
    sh_results(s,
               "elements:i products:i radius:r slack:r error:r stretch:r margin:r levels:i right:b "
               "closed:b",
               (long long)p->elements, (long long)p->products, radius, slack, p->error, p->stretch,
               p->margin, (long long)p->levels, p->right, p->closed);
}

void sh_say_algebra(ShSession *s, const ThModel *m, const ThProofCertificate *c,
                    const ThProofChecked *k)
{
    const ThProofAlgebra *p = &k->algebra;
    set_algebra(s, p, c->ball, k->tolerance);
    if (!p->right) {
        sh_say(s, "  NOT proved: %s\n", k->why);
        return;
    }
    sh_say(s,
           "  %lld products of the %d elements checked: each to within %.2g, a change\n"
           "  of the factors counts by at most %.2g, every answer has a margin of %.2g\n",
           p->products, p->elements, p->error, p->stretch, p->margin);
    if (k->holds)
        sh_say_arithmetic(s, k);
    else
        sh_say(s,
               "  proved of real numbers up to length %.15g, where each product is off by %.2g\n",
               th_proof_sure_length(pow((double)th_option_int(&m->options, "arity"), p->levels)),
               k->tolerance);
}

/* By steps, or of soft attention: of every length, or up to what was found to be so. */
static ThProofCertificate *decide_length(ShSession *s, const ThModel *m, ThProofMethod method,
                                         const ThProofClaim *claim, ThProofChecked *k, ThError *err)
{
    double most = 0;
    for (int i = 0; i < 2; i++) {
        ThProofCertificate *c = th_proof_certificate_by(method, m, claim, most, err);
        bool ok = c && th_proof_check(c, m, claim, sh_stop(s), k, err);
        most = fmax(k->length[0], fmin(k->length[1], k->length[2]));
        if (ok && (k->holds || i == 1 || !(most > 0)))
            return c;
        th_proof_certificate_free(c);
        if (!ok)
            return NULL;
    }
    return NULL;
}

ThProofCertificate *sh_decide(ShSession *s, const ThModel *m, ThProofMethod method,
                              const ThProofClaim *claim, ThProofChecked *k, ThError *err)
{
    static const double ball[] = {1e-3, 3e-3, 1e-2, 3e-2};
    enum { BALLS = sizeof ball / sizeof *ball };
    ThProofCertificate *best = NULL;
    if (method == TH_PROOF_BY_STEPS || th_proof_is_soft(m))
        return decide_length(s, m, method, claim, k, err);
    for (int i = 0; i < BALLS && !(best && (k->in_float || method != TH_PROOF_BY_ALGEBRA)); i++) {
        ThProofChecked now;
        if (i < BALLS - 1 && ball[i] <= 2 * claim->slack)
            continue;
        ThProofCertificate *c = th_proof_certificate_by(method, m, claim, ball[i], err);
        if (!c || !th_proof_check(c, m, claim, sh_stop(s), &now, err)) {
            th_proof_certificate_free(c);
            th_proof_certificate_free(best);
            return NULL;
        }
        bool better = !best || now.in_float || (now.holds && !k->holds);
        th_proof_certificate_free(better ? best : c);
        *k = better ? now : *k;
        best = better ? c : best;
    }
    return best;
}

/* Returns new: what sh_decide does of a task, at every string. */
static ThProofCertificate *decide_task(ShSession *s, const ThModel *m, const ThTask *t,
                                       ThProofMethod method, double slack, ThProofChecked *k,
                                       ThError *err)
{
    const ThProofAsked asked = {&t->signature, t->machine, NULL, slack, t->bits};
    ThProofClaim *claim TH_OWNED(th_proof_claim_free) =
        th_proof_claim_new(m, &asked, sh_stop(s), err);
    return claim ? sh_decide(s, m, method, claim, k, err) : NULL;
}

/* The lengths up to which it is so, as results that are nowhere rounded up. */
static void set_lengths(ShSession *s, const ThProofChecked *k)
{
    static const char *const name[] = {"real_length", "double_length", "float_length"};
    for (int i = 0; i < 3; i++)
        sh_result_real(s, name[i], th_proof_sure_result(k->length[i]));
}

void sh_say_soft(ShSession *s, const ThProofChecked *k)
{
    sh_say(
        s,
        "  up to length %.15g heads see what hard attention would to within %.2g; units undo less "
        "than 1/4\n",
        th_proof_sure_length(k->most), k->off);
    sh_result_real(s, "off", k->off);
    set_lengths(s, k);
}

bool sh_prove_hard(ShSession *s, const ThModel *m, const ThTask *t, ThError *err)
{
    ThProofChecked k = {0};
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        decide_task(s, m, t, TH_PROOF_BY_TABLE, 0, &k, err);
    if (!c)
        return false;
    if (!k.holds)
        return th_fail(err, TH_EVALUE, "the model is not proved right: %s", k.why);
    sh_say(s, "  %lld steps of all that it can remember checked beside the automaton\n", k.checks);
    if (k.most > 0)
        sh_say_soft(s, &k);
    sh_say_arithmetic(s, &k);
    return true;
}

void sh_say_program(ShSession *s, const ThProofChecked *k)
{
    sh_say(s, "  program      what the weights compute is the formula, part by part: %lld parts\n",
           k->checks);
    sh_say_arithmetic(s, k);
    sh_results(s, "parts:i float_length:r double_length:r", k->checks,
               th_proof_sure_result(k->length[2]), th_proof_sure_result(k->length[1]));
}

bool sh_prove_program(ShSession *s, const ThModel *m, const ThSignature *asked, const char *formula,
                      ThError *err)
{
    ThProofChecked k;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        th_proof_certificate_program(m, formula, err);
    if (!c || !th_proof_check_program(c, m, asked, formula, &k, err))
        return false;
    if (!k.holds)
        return th_fail(err, TH_EVALUE, "the model is not proved right: %s", k.why);
    sh_say_program(s, &k);
    return true;
}

void sh_say_steps(ShSession *s, const ThProofChecked *k)
{
    sh_say(s, "  steps        from %lld states beside the automaton's\n", k->strings);
    sh_results(s, "states:i", k->strings);
    set_lengths(s, k);
}

void sh_write_lengths(const ThProofChecked *k, char text[64])
{
    snprintf(text, 64, k->most > 0 ? "up to %.15g symbols" : "every length",
             th_proof_sure_length(k->most));
}

bool sh_prove_steps(ShSession *s, const ThModel *m, const ThTask *t, ThError *err)
{
    ThProofChecked k = {0};
    char lengths[64];
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        decide_task(s, m, t, TH_PROOF_BY_STEPS, 0, &k, err);
    if (!c)
        return false;
    if (!k.holds)
        return th_fail(err, k.wrong ? TH_EVALUE : TH_ELIMIT, "%s", k.why);
    sh_write_lengths(&k, lengths);
    sh_say(s, "  right on strings of %s\n", lengths);
    sh_say_steps(s, &k);
    sh_say_arithmetic(s, &k);
    return true;
}

bool sh_prove(ShSession *s, const ThModel *m, const ThTask *t, ThError *err)
{
    ThProofChecked k = {0};
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        decide_task(s, m, t, TH_PROOF_BY_ALGEBRA, SH_COMPILED_SLACK, &k, err);
    if (!c)
        return false;
    sh_say_algebra(s, m, c, &k);
    return k.algebra.right || th_fail(err, TH_EVALUE, "the model is not proved right: %s", k.why);
}
