#include "inspect/extraction_methods.h"

#include <stdio.h>

#include "proof/check/quantize.h"
#include "stats/intervals.h"

/* ---- the ways -------------------------------------------------------------------------------- */

static ThDfa *by_queries(ThInspectTeacher *t, const ThInspectExtraction *asking, ThError *err)
{
    ThInspectExtracted found;
    return th_inspect_learn(t, asking, &found, err);
}

static ThDfa *by_algebra(ThInspectTeacher *t, const ThInspectWaysPlan *plan, ThError *err)
{
    if (t->wanted >= 0 || plan->model->signature.target != TH_TARGET_FINAL)
        return th_null(
            th_fail(err, TH_EVALUE, "the model does not answer whole strings with classes"));
    int word = 0, empty;
    if (!th_task_machine(plan->task, err))
        return NULL;
    const ThProofAsked asked = {.task = &plan->task->signature, .machine = plan->task->machine};
    ThProofClaim *claim TH_OWNED(th_proof_claim_free) =
        th_proof_claim_new(plan->model, &asked, plan->stop, err);
    ThProofQuantized *q TH_OWNED(th_proof_quantized_free) =
        claim ? th_proof_quantize(plan->model, claim, plan->elements, plan->seed, plan->stop, err)
              : NULL;
    bool ok = q && th_inspect_member(t, &word, 0, &empty, err);
    ThDfa *d TH_OWNED(th_dfa_free) =
        ok ? th_proof_quantized_machine(q, plan->model->signature.n_classes, empty, err) : NULL;
    for (int i = 0; d && t->language && i < d->n_states; i++)
        d->label[i] = d->label[i] == 1;
    if (d)
        d->n_classes = t->n_classes;
    return d ? th_dfa_minimize(d, plan->stop, err) : NULL;
}

/* Keeps what a way came to; false where that is an end of all. */
static bool note(ThInspectWay *way, ThDfa *found, const ThError *own, ThError *err)
{
    way->machine = found;
    if (found)
        return true;
    snprintf(way->why, sizeof way->why, "%.*s", (int)sizeof way->why - 1, own->msg);
    return (own->code != TH_EINTERRUPTED && own->code != TH_ENOMEM) ||
           th_fail(err, own->code, "%s", own->msg);
}

/* How often each automaton says something else than the model. */
static bool measure(ThInspectTeacher *t, const ThInspectWaysPlan *plan, ThInspectWays *w,
                    ThError *err)
{
    ThWordsSample s TH_OWNED(th_words_sample_free) = {0};
    bool ok = th_inspect_strings(plan, plan->samples, &s, err);
    s.label = ok ? th_alloc(s.n + 1, sizeof *s.label, err) : NULL;
    ThLstarWords words = {s.n, s.symbol, s.start};
    ok = s.label && th_inspect_members(t, &words, s.label, err);
    w->samples = (long long)s.n;
    for (int k = 0; ok && k < TH_INSPECT_WAYS; k++) {
        ThInspectWay *way = &w->way[k];
        for (size_t i = 0; way->machine && i < s.n; i++)
            way->wrong += s.label[i] != th_dfa_class(way->machine, s.symbol + s.start[i],
                                                     s.start[i + 1] - s.start[i]);
        ThStatsInterval share = th_stats_share((double)way->wrong, (double)s.n);
        way->low = share.low;
        way->high = share.high;
    }
    return ok;
}

bool th_inspect_ways(ThInspectTeacher *t, const ThInspectExtraction *asking,
                     const ThInspectWaysPlan *plan, const bool wanted[TH_INSPECT_WAYS],
                     ThInspectWays *w, ThError *err)
{
    *w = (ThInspectWays){0};
    for (int k = 0; k < TH_INSPECT_WAYS; k++) {
        ThError own = {0};
        if (!wanted[k])
            continue;
        ThDfa *d = k == TH_INSPECT_QUERIES    ? by_queries(t, asking, &own)
                   : k == TH_INSPECT_CLUSTERS ? th_inspect_by_clusters(t, plan, &own)
                                              : by_algebra(t, plan, &own);
        if (!note(&w->way[k], d, &own, err))
            return false;
    }
    return measure(t, plan, w, err);
}

void th_inspect_ways_free(ThInspectWays *w)
{
    for (int k = 0; k < TH_INSPECT_WAYS; k++)
        th_dfa_free(w->way[k].machine);
    *w = (ThInspectWays){0};
}
