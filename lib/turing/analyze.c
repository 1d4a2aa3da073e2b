#include "turing/analyze.h"
#include "turing/search.h"

const char *th_tm_proof_name(ThTmProof p)
{
    static const char *const name[] = {"none",
                                       "run",
                                       "unreachable",
                                       "cycler",
                                       "translated_cycler",
                                       "backward_reasoning",
                                       "ngram_cps",
                                       "choices",
                                       "far",
                                       "repeated_words",
                                       "bouncers",
                                       "rules"};
    return name[p];
}

void th_tm_analysis_free(ThTmAnalysis *a, const ThTm *m)
{
    th_tm_reach_free(&a->any, m);
    th_tm_reach_free(&a->here, m);
    th_tm_backward_free(&a->backward);
    th_tm_contexts_free(&a->contexts);
    th_tm_ruled_free(&a->ruled);
    *a = (ThTmAnalysis){0};
}

typedef struct {
    ThTmAnalysis *a;
    const ThTm *m;
    const ThTmTapeWords *words;
    ThTmAnalysisLimits limits;
    ThStop *stop;
    ThError *err;
} Task;

/* The node that stops the machine: of a run that accepts or halts, else of any that ends. */
static uint32_t stopping(const ThTmSearch *x)
{
    static const ThTmVerdict end[] = {TH_TM_ACCEPTED, TH_TM_HALTED, TH_TM_REJECTED, TH_TM_AT_EDGE};
    for (size_t i = 0; i < sizeof end / sizeof *end; i++)
        if (x->first[end[i]] != TH_TM_NO_NODE)
            return x->first[end[i]];
    return TH_TM_NO_NODE;
}

/* All runs of a machine with choices, up to so many configurations. */
static bool try_choices(Task *k, uint64_t configurations)
{
    enum { WORK = 1 << 12 };
    ThTmSearchLimits limits = {k->limits.run.steps, k->limits.run.cells, configurations};
    ThTmSearch x TH_OWNED(th_tm_search_free) = {0};
    bool ok = th_tm_search_start(&x, k->m, k->words, limits, false, k->err);
    while (ok && x.verdict == TH_TM_GOES_ON)
        ok = th_tm_search_go(&x, WORK, k->stop, k->err);
    if (ok) {
        uint32_t end = stopping(&x);
        k->a->runs = x.verdict;
        k->a->configurations = x.n;
        k->a->end.steps = end == TH_TM_NO_NODE ? th_tm_search_depth(&x) : x.node[end].depth;
        if (end != TH_TM_NO_NODE) {
            k->a->end.verdict = x.node[end].verdict;
            k->a->proof = TH_TM_PROOF_STOPS;
        } else if (x.verdict == TH_TM_ENDLESS) {
            k->a->proof = TH_TM_PROOF_CHOICES;
        }
    }
    return ok;
}

static bool try_run(Task *k, uint64_t steps)
{
    if (k->limits.run_it && k->m->branching)
        return try_choices(k, k->limits.configurations < steps ? k->limits.configurations : steps);
    ThTmRunLimits limits = k->limits.run;
    limits.steps = limits.steps < steps ? limits.steps : steps;
    if (!k->limits.run_it)
        return true;
    ThTmWork w = {k->m, k->words, limits, k->stop};
    return th_tm_recur(&w, &k->a->again, &k->a->proof, &k->a->end, k->err);
}

static bool try_backward(Task *k)
{
    bool proved;
    if (!k->limits.backward)
        return true;
    ThTmWork w = {.machine = k->m, .words = k->words, .stop = k->stop};
    if (!th_tm_backward(&w, &k->a->here, k->limits.depth, &k->a->backward, &proved, k->err))
        return false;
    if (proved)
        k->a->proof = TH_TM_PROOF_BACKWARD;
    else
        th_tm_backward_free(&k->a->backward);
    return true;
}

static bool try_widths(Task *k, int history)
{
    ThTmWork w = {.machine = k->m, .words = k->words, .stop = k->stop};
    for (int width = 1; width <= k->limits.width; width++) {
        bool proved;
        if (!th_tm_contexts(&w, width, history, &k->a->contexts, &proved, k->err))
            return false;
        if (proved) {
            k->a->proof = TH_TM_PROOF_CONTEXTS;
            return true;
        }
        th_tm_contexts_free(&k->a->contexts);
    }
    return true;
}

/* Histories 0, 1, 2, 4, … up to the limit. */
static bool try_contexts(Task *k)
{
    for (int history = 0; k->limits.contexts && k->a->proof == TH_TM_PROOF_NONE;) {
        if (!try_widths(k, history))
            return false;
        int next = history ? 2 * history : 1;
        if (history >= k->limits.history)
            break;
        history = next < k->limits.history ? next : k->limits.history;
    }
    return true;
}

static bool is_blank_table(const Task *k, ThTmTable *t)
{
    return k->a->proof == TH_TM_PROOF_NONE && k->words->length[0] == 0 && k->words->head[0] == 0 &&
           th_tm_table(t, k->m);
}

static bool try_bouncers(Task *k)
{
    ThTmTable t;
    bool proved = false;
    if (k->limits.bouncers == 0 || !is_blank_table(k, &t))
        return true;
    if (!th_tm_bouncer(&k->a->bouncer, &t, k->limits.bouncers, k->stop, &proved, k->err))
        return false;
    k->a->proof = proved ? TH_TM_PROOF_BOUNCER : k->a->proof;
    return true;
}

/* Sets from a blank tape. */
static bool try_closed(Task *k)
{
    ThTmTable t;
    bool proved = false;
    if ((!k->limits.words && !k->limits.far) || !is_blank_table(k, &t))
        return true;
    if (!th_tm_far(&k->a->far, &t, k->limits.far, k->stop, &proved, k->err))
        return false;
    if (proved)
        k->a->proof = TH_TM_PROOF_FAR;
    else if (!th_tm_repeated(&k->a->repeated, &t, k->limits.words, k->stop, &proved, k->err))
        return false;
    else if (proved)
        k->a->proof = TH_TM_PROOF_WORDS;
    return true;
}

static bool try_rules(Task *k)
{
    enum { LONGEST = 6 };
    ThTmTable t;
    if (k->limits.rules == 0 || !is_blank_table(k, &t))
        return true;
    if (!th_tm_ruled(&k->a->ruled, &t, LONGEST, k->limits.rules, k->stop, k->err))
        return false;
    if (k->a->ruled.stops || k->a->ruled.never)
        k->a->proof = TH_TM_PROOF_RULES;
    return true;
}

bool th_tm_analyze(ThTmAnalysis *a, const ThTm *m, const ThTmTapeWords *words,
                   ThTmAnalysisLimits limits, ThStop *stop, ThError *err)
{
    enum { FEW = 2000 };
    *a = (ThTmAnalysis){.end.last = -1};
    Task k = {a, m, words, limits, stop, err};
    bool ok = th_tm_tape_words_at_start(words, err) && th_tm_reach(&a->any, m, NULL, stop, err) &&
              th_tm_reach(&a->here, m, words, stop, err);
    if (ok && limits.reach && !a->here.stops)
        a->proof = TH_TM_PROOF_REACH;
    if (ok && a->proof == TH_TM_PROOF_NONE)
        ok = try_run(&k, FEW);
    if (ok && a->proof == TH_TM_PROOF_NONE)
        ok = try_backward(&k);
    if (ok && a->proof == TH_TM_PROOF_NONE)
        ok = try_contexts(&k) && try_closed(&k) && try_bouncers(&k);
    uint64_t most = m->branching ? limits.configurations : limits.run.steps;
    if (ok && a->proof == TH_TM_PROOF_NONE && most > FEW)
        ok = try_run(&k, most);
    ok = ok && try_rules(&k);
    if (!ok)
        th_tm_analysis_free(a, m);
    return ok;
}
