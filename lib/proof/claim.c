#include "proof/claim.h"

/* What can be asked at all: one class for every string, or behind every symbol. */
static bool can_be_asked(const ThProofAsked *a, ThError *err)
{
    if (a->task->target == TH_TARGET_BITS && !a->bits)
        return th_fail(err, TH_EVALUE, "answers that are sets of classes cannot be certified");
    if (a->machine->n_symbols != a->task->n_symbols)
        return th_fail(err, TH_EVALUE, "the task has %d symbols, the automaton %d",
                       a->task->n_symbols, a->machine->n_symbols);
    return !a->domain || a->domain->n_symbols == a->task->n_symbols ||
           th_fail(err, TH_EVALUE, "the task has %d symbols, the domain %d", a->task->n_symbols,
                   a->domain->n_symbols);
}

/* Returns new: the acceptor of all prefixes of what d accepts. */
static ThDfa *prefixes_of(const ThDfa *d, ThError *err)
{
    ThDfa *to = th_dfa_copy(d, err);
    bool *from TH_OWNED(free) = to ? th_alloc((size_t)d->n_states, sizeof *from, err) : NULL;
    bool ok = from && th_dfa_leads_to(d, 1, 1, from, err);
    for (int q = 0; ok && q < d->n_states; q++)
        to->label[q] = from[q];
    return TH_KEEP_IF(ok, to, th_dfa_free);
}

static ThDfa *domain_of(const ThProofAsked *a, ThStop *stop, ThError *err)
{
    bool every = a->task->target == TH_TARGET_EVERY;
    ThDfa *closed TH_OWNED(th_dfa_free) = every ? prefixes_of(a->domain, err) : NULL;
    ThDfa *to = closed || !every ? th_dfa_minimize(every ? closed : a->domain, stop, err) : NULL;
    bool empty = true;
    for (int i = 0; to && i < to->n_states * to->n_symbols; i++)
        empty = empty && to->label[to->next[i]] == 0;
    if (!to || !empty)
        return to;
    th_dfa_free(to);
    th_fail(err, TH_EVALUE, "the domain has no strings but the empty one");
    return NULL;
}

/* Returns new: the set of every class of states. */
static int *sets_of(const ThProofAsked *a, ThError *err)
{
    size_t n = (size_t)a->task->n_classes;
    int *to = th_alloc((size_t)a->machine->n_classes * n, sizeof *to, err);
    for (int q = 0; to && q < a->machine->n_states; q++)
        memcpy(to + (size_t)a->machine->label[q] * n, a->bits + (size_t)q * n, n * sizeof *to);
    return to;
}

ThProofClaim *th_proof_claim_new(const ThModel *m, const ThProofAsked *asked, ThStop *stop,
                                 ThError *err)
{
    if ((m->bound && !th_signature_match(&m->signature, asked->task, err)) ||
        !can_be_asked(asked, err))
        return NULL;
    ThProofClaim *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    c->slack = asked->slack;
    return TH_KEEP_IF(th_signature_copy(&c->asked, asked->task, err) &&
                          (c->machine = th_dfa_minimize(asked->machine, stop, err)) &&
                          (c->given = th_dfa_copy(asked->machine, err)) &&
                          (!asked->bits || (c->bits = sets_of(asked, err))) &&
                          (!asked->domain || (c->domain = domain_of(asked, stop, err))),
                      c, th_proof_claim_free);
}

void th_proof_claim_free(ThProofClaim *c)
{
    if (!c)
        return;
    th_signature_free(&c->asked);
    th_dfa_free(c->machine);
    th_dfa_free(c->given);
    th_dfa_free(c->domain);
    TH_FREE(c->bits, c);
}
