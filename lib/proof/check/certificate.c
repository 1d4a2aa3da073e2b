#include "proof/check/certificate_impl.h"

#include <math.h>
#include <stdio.h>

#include "models/position/position.h"
#include "proof/cell/cell.h"
#include "proof/check/chunk.h"
#include "proof/check/linear_steps.h"
#include "proof/check/shares.h"
#include "proof/check/hard.h"
#include "proof/map_impl.h"
#include "proof/provable.h"

static const char *const methods[] = {"sets",   "algebra", "table",   "windows",
                                      "counts", "steps",   "program", "strings"};

/* ---- sizes ----------------------------------------------------------------------------------- */

static size_t shape_size(const ThProofCertificate *c)
{
    return c->shape ? (size_t)c->n_labels * (size_t)c->dim * (size_t)c->dim : 0;
}

/* The states of automaton and domain. */
static size_t states_of(const ThProofCertificate *c)
{
    return (size_t)c->n_states + (size_t)c->n_domain;
}

bool th_proof_certificate_take(ThProofCertificate *c, ThError *err)
{
    size_t states = states_of(c), labels = (size_t)c->n_labels;
    c->next = th_alloc(states * (size_t)c->n_symbols, sizeof *c->next, err);
    c->inside = th_alloc((size_t)c->n_domain, sizeof *c->inside, err);
    c->answer = th_alloc((size_t)c->n_states, sizeof *c->answer, err);
    c->symbol = th_alloc((size_t)c->n_symbols, sizeof *c->symbol, err);
    c->class_name = th_alloc((size_t)c->n_classes, sizeof *c->class_name, err);
    c->complete = th_alloc(labels, sizeof *c->complete, err);
    c->map = th_alloc(labels * states, sizeof *c->map, err);
    c->centre = th_alloc(labels * (size_t)c->dim, sizeof *c->centre, err);
    c->radius = th_alloc(labels, sizeof *c->radius, err);
    return c->next && c->inside && c->answer && c->symbol && c->class_name && c->complete &&
           c->map && c->centre && c->radius;
}

void th_proof_certificate_free(ThProofCertificate *c)
{
    if (!c)
        return;
    TH_FREE_EACH(c->symbol, c->n_symbols);
    TH_FREE_EACH(c->class_name, c->n_classes);
    TH_FREE(c->bits, c->next, c->inside, c->answer, c->complete, c->map, c->centre, c->radius,
            c->shape, c->formula, c);
}

static uint64_t add_bytes(uint64_t digest, const void *bytes, size_t n)
{
    return th_hash_mix(digest ^ th_hash_bytes(bytes, n));
}

uint64_t th_proof_certificate_digest(const ThProofCertificate *c)
{
    const int count[] = {c->dim, c->n_states, c->n_symbols, c->n_classes, c->n_labels, c->start};
    size_t states = states_of(c), labels = (size_t)c->n_labels;
    uint64_t d = add_bytes(c->weights, count, sizeof count);
    for (int i = 0; i < c->n_symbols; i++)
        d = th_hash_mix(d ^ th_hash_text(c->symbol[i]));
    for (int i = 0; i < c->n_classes; i++)
        d = th_hash_mix(d ^ th_hash_text(c->class_name[i]));
    d = add_bytes(d, c->next, states * (size_t)c->n_symbols * sizeof *c->next);
    d = add_bytes(d, c->answer, (size_t)c->n_states * sizeof *c->answer);
    d = add_bytes(d, c->complete, labels * sizeof *c->complete);
    d = add_bytes(d, c->map, labels * states * sizeof *c->map);
    d = add_bytes(d, c->centre, labels * (size_t)c->dim * sizeof *c->centre);
    d = add_bytes(d, c->radius, labels * sizeof *c->radius);
    d = add_bytes(d, c->shape ? c->shape : c->radius, shape_size(c) * sizeof *c->shape);
    if (c->n_domain > 0) { /* without one it is as before there were any */
        d = add_bytes(d, c->inside, (size_t)c->n_domain * sizeof *c->inside);
        d = add_bytes(d, &c->first, sizeof c->first);
    }
    if (c->method != TH_PROOF_BY_SETS) { /* those are as they were when there was nothing else */
        d = add_bytes(d, methods[c->method], strlen(methods[c->method]));
        d = add_bytes(d, &c->ball, sizeof c->ball);
    }
    if (c->formula)
        d = add_bytes(d, c->formula, strlen(c->formula));
    if (c->bits)
        d = add_bytes(d, c->bits, th_proof_certificate_bits(c) * sizeof *c->bits);
    return add_bytes(d, &c->slack, sizeof c->slack);
}

bool th_proof_certificate_fits(const ThProofCertificate *c, uint64_t weights, char why[200])
{
    const char *problem = NULL;
    if (th_proof_certificate_digest(c) != c->digest)
        problem = "it was changed after it was written";
    else if (c->weights != weights)
        problem = "it is about other weights";
    else if (!(c->slack >= 0 && c->slack < HUGE_VAL))
        problem = "its slack is negative";
    snprintf(why, 200, "%s", problem ? problem : "");
    return !problem;
}

/* ---- from a proof ---------------------------------------------------------------------------- */

static const ThDfa *machine_of(const ThProof *p)
{
    return p->labels ? p->labels->machine : p->machine;
}

static bool copy_names(char **to, char *const *from, int n, ThError *err)
{
    for (int i = 0; i < n; i++)
        if (!(to[i] = th_strdup(from[i], err)))
            return false;
    return true;
}

static const ThDfa *domain_of(const ThProof *p)
{
    return p->labels ? p->labels->domain : NULL;
}

/* What a proof's sets stand for: maps of states; of a recurrent network the constant ones. */
static void fill_maps(ThProofCertificate *c, const ThProof *p)
{
    const ThProofLabels *l = p->labels;
    int states = (int)states_of(c);
    for (int i = 0; i < c->n_labels; i++) {
        c->complete[i] = l && l->kind[i] == TH_PROOF_COMPLETE;
        for (int q = 0; q < states; q++)
            c->map[i * states + q] = l ? th_monoid_image(l->monoid, l->element[i], q) : p->state[i];
    }
}

static void fill_domain(ThProofCertificate *c, const ThDfa *d)
{
    int *next = c->next + c->n_states * c->n_symbols;
    c->first = c->n_states + d->start;
    memcpy(c->inside, d->label, (size_t)c->n_domain * sizeof *c->inside);
    for (int i = 0; i < c->n_domain * c->n_symbols; i++)
        next[i] = c->n_states + d->next[i];
}

/* Names, automaton and domain; room for all else. */
static bool fill_claim(ThProofCertificate *c, const ThDfa *machine, const ThDfa *domain,
                       const ThSignature *s, ThError *err)
{
    c->n_states = machine->n_states;
    c->n_domain = domain ? domain->n_states : 0;
    c->n_symbols = s->n_symbols;
    c->n_classes = s->n_classes;
    c->start = machine->start;
    if (!th_proof_certificate_take(c, err) ||
        !copy_names(c->symbol, s->symbol, c->n_symbols, err) ||
        !copy_names(c->class_name, s->label, c->n_classes, err))
        return false;
    size_t states = (size_t)c->n_states;
    memcpy(c->next, machine->next, states * (size_t)c->n_symbols * sizeof *c->next);
    for (int q = 0; q < c->n_states; q++)
        c->answer[q] = machine->label[q] < c->n_classes ? machine->label[q] : -1;
    if (domain)
        fill_domain(c, domain);
    return true;
}

static bool fill(ThProofCertificate *c, const ThProof *p, const ThSignature *s, ThError *err)
{
    if (!fill_claim(c, machine_of(p), domain_of(p), s, err))
        return false;
    size_t labels = (size_t)c->n_labels;
    fill_maps(c, p);
    memcpy(c->centre, p->centre, labels * (size_t)c->dim * sizeof *c->centre);
    memcpy(c->radius, p->radius, labels * sizeof *c->radius);
    size_t square = labels * (size_t)c->dim * (size_t)c->dim;
    return !p->shape || (c->shape = th_copy(p->shape, square, sizeof *c->shape, err));
}

static bool fill_bits(ThProofCertificate *c, const ThProofClaim *claim, ThError *err)
{
    size_t n = (size_t)c->n_classes;
    c->bits = th_alloc(th_proof_certificate_bits(c), sizeof *c->bits, err);
    for (int q = 0; c->bits && q < c->n_states; q++) {
        memcpy(c->bits + (size_t)q * n, claim->bits + (size_t)claim->given->label[q] * n,
               n * sizeof *c->bits);
        c->answer[q] = -1;
    }
    return c->bits != NULL;
}

ThProofCertificate *th_proof_certificate_by(ThProofMethod method, const ThModel *m,
                                            const ThProofClaim *claim, double ball, ThError *err)
{
    ThProofCertificate *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    c->method = method;
    c->dim = (int)th_option_int(&m->options, "dim");
    bool soft = method == TH_PROOF_BY_TABLE && th_proof_is_soft(m);
    c->ball = method == TH_PROOF_BY_ALGEBRA || method == TH_PROOF_BY_STEPS || soft ? ball : 0;
    c->slack = claim->slack;
    c->weights = th_proof_digest(&m->params);
    const ThDfa *domain = method == TH_PROOF_BY_ALGEBRA ? NULL : claim->domain;
    if (!fill_claim(c, claim->given, domain, &m->signature, err) ||
        (claim->bits && !fill_bits(c, claim, err))) {
        th_proof_certificate_free(c);
        return NULL;
    }
    c->digest = th_proof_certificate_digest(c);
    return c;
}

ThProofCertificate *th_proof_certificate_program(const ThModel *m, const char *formula,
                                                 ThError *err)
{
    const ThSignature *s = &m->signature;
    ThProofCertificate *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    *c = (ThProofCertificate){.method = TH_PROOF_BY_PROGRAM,
                              .dim = (int)th_option_int(&m->options, "dim"),
                              .n_symbols = s->n_symbols,
                              .n_classes = s->n_classes,
                              .weights = th_proof_digest(&m->params)};
    c->formula = th_strdup(formula, err);
    bool ok = c->formula && th_proof_certificate_take(c, err) &&
              copy_names(c->symbol, s->symbol, c->n_symbols, err) &&
              copy_names(c->class_name, s->label, c->n_classes, err);
    c->digest = ok ? th_proof_certificate_digest(c) : 0;
    return TH_KEEP_IF(ok, c, th_proof_certificate_free);
}

bool th_proof_method(const ThModel *m, ThProofMethod *method, ThError *err)
{
    bool tree = strcmp(m->kind->name, "regulargpt") == 0;
    *method = TH_PROOF_BY_SETS;
    if (th_proof_is_hard(m) || (tree && m->bound && th_option_int(&m->options, "codebook") > 0))
        *method = TH_PROOF_BY_TABLE;
    else if (th_proof_has_steps(m))
        *method = TH_PROOF_BY_STEPS;
    else if (tree && m->bound && th_proof_chunk_fits(m))
        *method = TH_PROOF_BY_ALGEBRA;
    else if (th_proof_windows_fit(m))
        *method = TH_PROOF_BY_WINDOWS;
    else if (th_proof_counts_fit(m))
        *method = TH_PROOF_BY_COUNTS;
    else if (th_proof_strings_fit(m))
        *method = TH_PROOF_BY_STRINGS;
    if (tree || *method != TH_PROOF_BY_SETS || th_proof_is_cell(m))
        return true;
    const ThProofProvable *p = th_proof_provable_kind(m->kind->name);
    if (th_position_has_places(&m->options))
        return th_fail(err, TH_EVALUE, "no proof is known of models with places=");
    return th_fail(err, TH_EVALUE, "no proof is known of models of kind %s%s%s", m->kind->name,
                   p && p->why ? ": " : "", p && p->why ? p->why : "") ||
           th_hint(err, "help proofs says what can be proved of each kind of model");
}

const char *th_proof_method_name(ThProofMethod method)
{
    return methods[method];
}

ThProofCertificate *th_proof_certificate_new(const ThProof *p, const ThSignature *s, ThError *err)
{
    ThProofCertificate *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    c->dim = p->dim;
    c->n_labels = p->n;
    c->slack = p->slack;
    c->weights = p->digest;
    if (!fill(c, p, s, err)) {
        th_proof_certificate_free(c);
        return NULL;
    }
    c->digest = th_proof_certificate_digest(c);
    return c;
}

/* The empty string has a state of its own, for the start can be met again. */
ThDfa *th_proof_certificate_domain(const ThProofCertificate *c, ThError *err)
{
    int n = c->n_domain, k = c->n_symbols;
    ThDfa *d = th_dfa_new(n + 1, k, 2, err);
    if (!d)
        return NULL;
    d->start = n;
    d->label[n] = 1;
    memcpy(d->label, c->inside, (size_t)n * sizeof *d->label);
    for (int i = 0; i < (n + 1) * k; i++)
        d->next[i] = c->next[(i < n * k ? c->n_states : c->first - n) * k + i] - c->n_states;
    return d;
}
