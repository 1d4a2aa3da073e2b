/* domain.c - which strings certify, quantize and check certificate speak of. */

#include "commands/inspection/proofs.h"

/* Returns new: the acceptor of an automaton as one over a task's symbols. */
static ThDfa *words_of(ShSession *s, const ThAutomaton *a, const ThSignature *g, ThError *err)
{
    ThDfa *own TH_OWNED(th_dfa_free) =
        th_automaton_acceptor(a, (size_t)sh_setting_int(s, "limit-states"), sh_stop(s), err);
    int *from TH_OWNED(free) = own ? th_alloc((size_t)g->n_symbols, sizeof *from, err) : NULL;
    bool ok = from != NULL;
    for (int i = 0; ok && i < g->n_symbols; i++)
        from[i] = th_symbols_find(a->symbol, a->n_symbols, g->symbol[i]);
    for (int i = 0; ok && i < a->n_symbols; i++)
        if (th_symbols_find(g->symbol, g->n_symbols, a->symbol[i]) < 0)
            ok = th_fail(err, TH_EVALUE, "the task has no symbol '%s'", a->symbol[i]);
    return ok ? th_dfa_widen(own, g->n_symbols, from, err) : NULL;
}

bool sh_find_domain(ShSession *s, const ShCall *call, const ThModel *m, const ShObject *task,
                    ShDomain *d, ThError *err)
{
    const ThTask *t = task->as.task;
    *d = (ShDomain){NULL, "", "", ""};
    if (!th_option_known(&call->options, "domain") || !th_option_given(&call->options, "domain")) {
        if (th_proof_is_cell(m))
            return true;
        bool ok = th_task_words(t, &d->words, err);
        if (d->words)
            *d = (ShDomain){d->words, " that ", task->name, " draws"};
        return ok;
    }
    const char *name = th_option_text(&call->options, "domain");
    if (strcmp(name, "all") == 0)
        return true;
    const ThAutomaton *a = sh_need_automaton(s, name, err);
    d->words = a ? words_of(s, a, &t->signature, err) : NULL;
    *d = (ShDomain){d->words, " in ", name, ""};
    return d->words || th_option_error(&call->options, "domain", err);
}
