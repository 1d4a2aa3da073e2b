/* Does a certificate say what is claimed of a model?  Names, automaton and strings come from the
 * claim; of the certificate is asked whether it has the same. */
#include <math.h>
#include <stdio.h>

#include "base/symbols.h"
#include "proof/check/check.h"
#include "proof/map_impl.h"
#include "proof/check/hard.h"
#include "proof/check/linear_steps.h"
#include "proof/check/quantize.h"
#include "proof/check/shares.h"

/* Words are bounded, for they go into a line. */
enum { LONGEST = 40 };

/* ---- the automaton --------------------------------------------------------------------------- */

/* The number of a set of answers among those of a claim, or behind them all. */
static int set_number(const ThProofClaim *claim, const int *bits)
{
    size_t n = (size_t)claim->asked.n_classes;
    int p = 0;
    while (p < claim->machine->n_classes &&
           memcmp(claim->bits + (size_t)p * n, bits, n * sizeof *bits) != 0)
        p++;
    return p;
}

/* How many classes states can have, but for that of those that ask for nothing. */
static int classes_of(const ThProofClaim *claim)
{
    return claim->bits ? claim->machine->n_classes : claim->asked.n_classes;
}

/* Returns new: the certificate's automaton, states that ask for nothing in a class behind all
 * others. */
static ThDfa *automaton_of(const ThProofCertificate *c, const ThProofClaim *claim, ThError *err)
{
    int n = classes_of(claim);
    ThDfa *d = th_dfa_new(c->n_states, c->n_symbols, n + 1, err);
    if (!d)
        return NULL;
    memcpy(d->next, c->next, (size_t)c->n_states * (size_t)c->n_symbols * sizeof *c->next);
    d->start = c->start;
    for (int q = 0; q < c->n_states; q++) {
        d->label[q] = c->answer[q] < 0 ? n : c->answer[q];
        if (claim->bits && c->bits) /* both have them or none */
            d->label[q] = set_number(claim, c->bits + (size_t)q * (size_t)c->n_classes);
    }
    return d;
}

/* Returns new: the claim's automaton with one class for all that is not asked. */
static ThDfa *wanted_of(const ThProofClaim *claim, ThError *err)
{
    int n = classes_of(claim), bits = claim->asked.n_classes;
    const ThDfa *m = claim->machine;
    ThDfa *d = th_dfa_new(m->n_states, m->n_symbols, n + 1, err);
    if (!d)
        return NULL;
    memcpy(d->next, m->next, (size_t)m->n_states * (size_t)m->n_symbols * sizeof *m->next);
    d->start = m->start;
    for (int q = 0; q < m->n_states; q++) {
        d->label[q] = m->label[q] < n ? m->label[q] : n;
        if (claim->bits)
            d->label[q] = set_number(claim, claim->bits + (size_t)m->label[q] * (size_t)bits);
    }
    return d;
}

/* Appends the shortest word, if there is one, that two automata put into different classes. */
static bool distinguish(const ThDfa *a, const ThDfa *b, char *const *symbol, ThText *word,
                        ThStop *stop, ThError *err)
{
    int length = 0, *found TH_OWNED(free) = th_dfa_distinguish(a, b, &length, stop, err);
    if (!found)
        return length < 0;
    if (length > LONGEST)
        th_text_printf(word, "a word of %d symbols", length);
    else if (length == 0)
        th_text_add(word, "the empty word");
    else
        th_symbols_write(word, symbol, a->n_symbols, found, length);
    return true;
}

static bool compare_automata(const ThProofCertificate *c, const ThProofClaim *claim, ThText *word,
                             ThStop *stop, ThError *err)
{
    ThDfa *said TH_OWNED(th_dfa_free) = automaton_of(c, claim, err);
    ThDfa *wanted TH_OWNED(th_dfa_free) = said ? wanted_of(claim, err) : NULL;
    return wanted && distinguish(said, wanted, c->symbol, word, stop, err);
}

/* ---- the strings ----------------------------------------------------------------------------- */

/* Returns new: accepts everything, or nothing. */
static ThDfa *constant(int n_symbols, int accepts, ThError *err)
{
    ThDfa *d = th_dfa_new(1, n_symbols, 2, err);
    if (d)
        d->label[0] = accepts;
    return d;
}

/* Appends the first string that the claim asks about and the certificate does not. */
static bool find_missed(const ThProofCertificate *c, const ThProofClaim *claim, ThText *word,
                        ThStop *stop, ThError *err)
{
    static const bool only_first[] = {false, false, true, false};
    if (c->n_domain == 0)
        return true;
    ThDfa *covered TH_OWNED(th_dfa_free) = th_proof_certificate_domain(c, err);
    ThDfa *none TH_OWNED(th_dfa_free) = covered ? constant(c->n_symbols, 0, err) : NULL;
    ThDfa *all TH_OWNED(th_dfa_free) = none ? constant(c->n_symbols, 1, err) : NULL;
    ThDfa *missed TH_OWNED(th_dfa_free) =
        all ? th_dfa_product(claim->domain ? claim->domain : all, covered, only_first, 0, stop, err)
            : NULL;
    return missed && distinguish(missed, none, c->symbol, word, stop, err);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Sets *why to what the certificate does not say of the claim; "" if it says all. */
static bool find_gap(const ThProofCertificate *c, const ThProofClaim *claim, char why[200],
                     ThStop *stop, ThError *err)
{
    const ThSignature *asked = &claim->asked;
    ThText word = {0};
    *why = '\0';
    if (!th_symbols_same(c->symbol, c->n_symbols, asked->symbol, asked->n_symbols))
        snprintf(why, 200, "its symbols, or their order, are not those of the task");
    else if (!th_symbols_same(c->class_name, c->n_classes, asked->label, asked->n_classes))
        snprintf(why, 200, "its classes, or their order, are not those of the task");
    else if ((c->bits != NULL) != (claim->bits != NULL))
        snprintf(why, 200, "its answers are not of the kind that the task asks for");
    if (*why)
        return true;
    bool ok = compare_automata(c, claim, &word, stop, err);
    if (ok && word.data)
        snprintf(why, 200, "its automaton is not that of the task: they differ on %.100s",
                 word.data);
    else if (ok && (ok = find_missed(c, claim, &word, stop, err)) && word.data)
        snprintf(why, 200, "it says nothing about the string %.100s", word.data);
    th_text_free(&word);
    return ok;
}

/* ---- by sets, by algebra, by a table --------------------------------------------------------- */

static bool check_sets(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                       ThStop *stop, ThProofPairs *pairs, ThProofChecked *checked, ThError *err)
{
    bool cell = th_proof_is_cell(m);
    ThProofCell *g TH_OWNED(th_proof_cell_free) = cell ? th_proof_cell_new(m, err) : NULL;
    ThProofMap *f TH_OWNED(th_proof_map_free) = cell ? NULL : th_proof_map_new(m, err);
    return (f || g) && th_proof_check_set_pairs(c, f, g, claim->slack, stop, pairs, checked, err);
}

/* Looks whether balls of the certificate's radius are closed, in double and in single precision. */
static bool look(const ThProofCertificate *c, const ThModel *m, const ThProofTruth *truth,
                 ThProofAlgebraHow how, ThProofChecked *k, ThError *err)
{
    ThProofAlgebra in_float = {.closed = false};
    if (!th_proof_algebra(m, truth, &how, &k->algebra, err))
        return false;
    const ThProofAlgebra *a = &k->algebra;
    k->checks = a->products;
    k->tolerance = how.slack;
    k->tightest = (a->spread + how.slack) / c->ball;
    k->holds = a->right && a->closed;
    if (!a->right)
        snprintf(k->why, sizeof k->why, "%s", a->why);
    else if (!a->closed)
        snprintf(k->why, sizeof k->why,
                 "vectors leave their balls: it is proved up to length %.15g",
                 th_proof_sure_length(pow((double)th_option_int(&m->options, "arity"), a->levels)));
    if (!k->holds)
        return true;
    how.in_float = true;
    if (!th_proof_algebra(m, truth, &how, &in_float, err))
        return false;
    k->in_float = in_float.right && in_float.closed;
    k->in_double = k->holds;
    k->rounding = fmax(0, in_float.spread - a->spread);
    if (!k->in_float)
        snprintf(k->why_float, sizeof k->why_float, "rounding takes vectors out of their balls");
    return true;
}

static bool check_algebra(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                          ThStop *stop, ThProofChecked *checked, ThError *err)
{
    enum { MOST_ELEMENTS = 1 << 16 };
    ThDfa *d TH_OWNED(th_dfa_free) = automaton_of(c, claim, err);
    ThMonoid *monoid TH_OWNED(th_monoid_free) =
        d ? th_monoid_new(d, MOST_ELEMENTS, stop, err) : NULL;
    const ThProofTruth truth = {d, c->bits, monoid};
    const ThProofAlgebraHow how = {c->ball, fmax(claim->slack, c->slack), false, stop};
    return monoid && look(c, m, &truth, how, checked, err);
}

static void describe(const ThProofQuantized *q, const ThSignature *g, char why[200])
{
    ThText word TH_OWNED(th_text_free) = {0};
    if (q->wrong == 0)
        snprintf(why, 200, "a margin of %.3g is too small for the check's own rounding", q->margin);
    else if (!q->word)
        snprintf(why, 200, "its table is not the automaton's");
    else {
        th_symbols_write(&word, g->symbol, g->n_symbols, q->word,
                         q->length < LONGEST ? q->length : LONGEST);
        snprintf(why, 200, "the model is wrong on %.80s%s: it says %.30s, not %.30s", word.data,
                 q->length < LONGEST ? "" : " …", g->label[q->answer], g->label[q->right]);
    }
}

/* The table is made anew; nothing of it is in the file. */
static bool check_table(const ThModel *m, const ThProofClaim *claim, ThStop *stop,
                        ThProofChecked *k, ThError *err)
{
    enum { MOST_ELEMENTS = 10000 };
    if (th_option_int(&m->options, "codebook") == 0)
        return th_fail(err, TH_EVALUE, "the model has no centres that its vectors snap to");
    ThProofQuantized *q TH_OWNED(th_proof_quantized_free) =
        th_proof_quantize(m, claim, MOST_ELEMENTS, 0, stop, err);
    if (!q)
        return false;
    k->holds = k->in_double = q->wrong == 0 && q->in_double;
    k->in_float = k->holds && q->in_float;
    k->wrong = q->wrong > 0 && q->word;
    k->checks = q->checked;
    k->rounding = q->rounding;
    if (!k->holds)
        describe(q, &m->signature, k->why);
    else if (!k->in_float)
        snprintf(k->why_float, sizeof k->why_float, "rounding by %.3g can change an entry",
                 q->rounding);
    return true;
}

static void describe_string(const ThProofWindows *w, const ThSignature *g, char why[200])
{
    ThText word TH_OWNED(th_text_free) = {0};
    th_symbols_write(&word, g->symbol, g->n_symbols, w->word,
                     w->length < LONGEST ? w->length : LONGEST);
    const char *more = w->length < LONGEST ? "" : " …";
    if (w->wrong)
        snprintf(why, 200, "the model is wrong on %.80s%s: it says %.30s, not %.30s", word.data,
                 more, g->label[w->answer], g->label[w->right]);
    else
        snprintf(why, 200, "the answer to %.80s%s is too close for the check's own rounding",
                 word.data, more);
}

double th_proof_sure_length(double length)
{
    const double digits = 1e15;
    if (!(length >= digits) || isinf(length))
        return floor(length);
    double grain = pow(10, floor(log10(length)) - 2);
    return floor(length / grain * (1 - 1e-12)) * grain;
}

double th_proof_sure_result(double length)
{
    const double digits = 1e6, sure = th_proof_sure_length(length);
    if (sure < digits || sure >= 1e15)
        return sure;
    double grain = pow(10, floor(log10(sure)) - 5);
    return floor(sure / grain) * grain;
}

/* By windows, strings or counts.  All is made anew; nothing of it is in the file. */
static bool check_windows(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                          ThStop *stop, ThProofChecked *k, ThError *err)
{
    double slack = fmax(claim->slack, c->slack);
    ThProofWindows *w TH_OWNED(th_proof_windows_free) =
        (c->method == TH_PROOF_BY_COUNTS    ? th_proof_counts
         : c->method == TH_PROOF_BY_STRINGS ? th_proof_strings
                                            : th_proof_windows)(m, claim, slack, stop, err);
    if (!w)
        return false;
    k->holds = w->holds;
    k->in_double = w->holds && !w->endless;
    k->in_float = w->in_float;
    k->boxes = w->boxes;
    k->wrong = w->wrong;
    k->checks = w->answers;
    k->strings = w->strings;
    k->reach = w->reach;
    k->most = c->method == TH_PROOF_BY_STRINGS ? w->reach : 0;
    k->rounding = w->rounding;
    k->tolerance = slack;
    if (!k->holds && w->why[0] && !w->wrong)
        snprintf(k->why, sizeof k->why, "%s", w->why);
    else if (!k->holds)
        describe_string(w, &m->signature, k->why);
    else if (w->endless)
        snprintf(k->why_float, sizeof k->why_float,
                 "sums over all positions are rounded: runs are sure up to length %.15g",
                 th_proof_sure_length(w->certain));
    else if (!k->in_float)
        snprintf(k->why_float, sizeof k->why_float,
                 w->boxes ? "rounding can change an answer"
                          : "rounding by %.3g can change an answer",
                 w->rounding);
    return true;
}

/* How far the proof of soft attention goes, beside what the file says. */
static void check_soft(const ThProofCertificate *c, const ThProofHard *h, ThProofChecked *k)
{
    const double least = c->ball > 0 ? c->ball : HUGE_VAL;
    for (int i = 0; i < 3; i++)
        k->length[i] = h->right ? h->lengths[i] : 0;
    k->holds = k->length[0] >= least;
    k->in_double = k->holds && k->length[1] >= least;
    k->in_float = k->holds && k->length[2] >= least;
    k->most = c->ball;
    k->off = h->off;
    if (h->right && !k->holds)
        snprintf(k->why, sizeof k->why,
                 "soft attention sees what hard attention does up to length %.15g",
                 th_proof_sure_length(k->length[0]));
    else if (k->holds && !k->in_float)
        snprintf(k->why_float, sizeof k->why_float,
                 "weights are rounded: runs are sure up to length %.15g",
                 th_proof_sure_length(k->length[2]));
}

/* What the model can remember is gone through; of the file is what it says of lengths. */
static bool check_hard(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                       ThStop *stop, ThProofChecked *k, ThError *err)
{
    enum { MOST_POINTS = 200000 };
    ThProofHard h;
    if (!th_proof_hard(m, claim, MOST_POINTS, stop, &h, err))
        return false;
    k->holds = h.right;
    k->in_double = k->in_float = h.right && !h.means;
    k->wrong = h.wrong;
    k->checks = h.steps;
    snprintf(k->why, sizeof k->why, "%s", h.why);
    if (th_proof_is_soft(m))
        check_soft(c, &h, k);
    else if (c->ball > 0) {
        snprintf(k->why, sizeof k->why, "it is about a length, and hard attention has none");
        k->holds = k->in_double = k->in_float = false;
    }
    if (h.means)
        snprintf(k->why_float, sizeof k->why_float,
                 "means are rounded: their signs are certain up to length %.15g",
                 th_proof_sure_length(h.length));
    return true;
}

/* All that the model goes through is made anew; of the file is what it says of lengths. */
static bool check_steps(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                        ThStop *stop, ThProofChecked *k, ThError *err)
{
    enum { MOST_STATES = 4096 };
    ThProofSteps p;
    ThProofClaim with = *claim;
    with.slack = fmax(claim->slack, c->slack);
    if (!th_proof_steps(m, &with, MOST_STATES, stop, &p, err))
        return false;
    const double due = c->ball > 0 ? c->ball : HUGE_VAL, *length = p.length;
    const double runs = fmin(length[TH_PROOF_IN_DOUBLE], length[TH_PROOF_IN_FLOAT]);
    k->holds = length[TH_PROOF_IN_REALS] >= due || runs >= due;
    k->in_double = k->holds && length[TH_PROOF_IN_DOUBLE] >= due;
    k->in_float = k->holds && length[TH_PROOF_IN_FLOAT] >= due;
    k->wrong = p.wrong;
    k->checks = p.steps;
    k->strings = p.states;
    k->tolerance = with.slack;
    k->most = c->ball;
    memcpy(k->length, p.length, sizeof k->length);
    snprintf(k->why, sizeof k->why, "%s", p.why);
    if (!k->holds && !p.wrong && p.why[0] == '\0')
        snprintf(
            k->why, sizeof k->why,
            "errors add up: it is so of real numbers up to length %.15g, of runs in float up to "
            "%.15g",
            th_proof_sure_length(length[TH_PROOF_IN_REALS]),
            th_proof_sure_length(length[TH_PROOF_IN_FLOAT]));
    else if (k->holds && !k->in_float)
        snprintf(k->why_float, sizeof k->why_float,
                 "roundings add up: runs are sure up to length %.15g",
                 th_proof_sure_length(length[TH_PROOF_IN_FLOAT]));
    return true;
}

bool th_proof_check(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                    ThStop *stop, ThProofChecked *checked, ThError *err)
{
    return th_proof_check_pairs(c, m, claim, stop, NULL, checked, err);
}

bool th_proof_check_pairs(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                          ThStop *stop, ThProofPairs *pairs, ThProofChecked *checked, ThError *err)
{
    ThProofMethod can;
    if (c->method == TH_PROOF_BY_PROGRAM)
        return th_fail(err, TH_EVALUE, "the certificate is about a formula that counts");
    *checked = (ThProofChecked){.holds = false};
    if (!th_proof_method(m, &can, err) || !th_signature_match(&m->signature, &claim->asked, err) ||
        !find_gap(c, claim, checked->why, stop, err))
        return false;
    if (*checked->why)
        return true;
    if (claim->bits && c->method != TH_PROOF_BY_ALGEBRA)
        return th_fail(err, TH_EVALUE, "answers that are sets of classes cannot be certified");
    if (c->method == TH_PROOF_BY_SETS)
        return check_sets(c, m, claim, stop, pairs, checked, err);
    if (!th_proof_certificate_fits(c, th_proof_digest(&m->params), checked->why))
        return true;
    if (c->method == TH_PROOF_BY_ALGEBRA && !(c->ball > 0 && c->ball < HUGE_VAL)) {
        snprintf(checked->why, sizeof checked->why, "its radius is not positive");
        return true;
    }
    if (c->method == TH_PROOF_BY_STEPS)
        return check_steps(c, m, claim, stop, checked, err);
    if (c->method == TH_PROOF_BY_WINDOWS || c->method == TH_PROOF_BY_COUNTS ||
        c->method == TH_PROOF_BY_STRINGS)
        return check_windows(c, m, claim, stop, checked, err);
    return c->method == TH_PROOF_BY_ALGEBRA ? check_algebra(c, m, claim, stop, checked, err)
           : th_proof_is_hard(m)            ? check_hard(c, m, claim, stop, checked, err)
                                            : check_table(m, claim, stop, checked, err);
}
