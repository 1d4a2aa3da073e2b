#include "turing/tm_run.h"

bool th_tm_running_start(ThTmRunning *r, const ThTm *m, const int *const *word, const int *length,
                         ThError *err)
{
    *r = (ThTmRunning){.machine = m, .state = m->start, .rule = -1, .cells = (uint64_t)m->n_tapes};
    for (int t = 0; t < m->n_tapes; t++) {
        const int *w = word ? word[t] : NULL;
        if (!th_tm_tape_start(&r->tape[t], w, w ? length[t] : 0, m->blank, err)) {
            th_tm_running_free(r);
            return false;
        }
    }
    r->verdict = th_tm_entered(m, m->start);
    return true;
}

/* Puts the head of a tape that has not been used on a cell. */
static bool put_head(ThTmTape *t, int cell, int blank, ThError *err)
{
    while (t->head < cell)
        if (!th_tm_tape_move(t, 1, blank, err))
            return false;
    t->low = t->high = t->head;
    return true;
}

bool th_tm_running_start_words(ThTmRunning *r, const ThTm *m, const ThTmTapeWords *words,
                               ThError *err)
{
    const int *word[TH_TM_MOST_TAPES];
    for (int t = 0; t < TH_TM_MOST_TAPES; t++)
        word[t] = words->word[t];
    bool ok = th_tm_running_start(r, m, word, words->length, err);
    for (int t = 0; ok && t < m->n_tapes; t++)
        ok = put_head(&r->tape[t], words->head[t], m->blank, err);
    return ok;
}

void th_tm_running_free(ThTmRunning *r)
{
    for (int t = 0; t < TH_TM_MOST_TAPES; t++)
        th_tm_tape_free(&r->tape[t]);
    *r = (ThTmRunning){0};
}

static void read_tapes(const ThTmRunning *r, int read[TH_TM_MOST_TAPES])
{
    for (int t = 0; t < r->machine->n_tapes; t++)
        read[t] = *th_tm_tape_scanned(&r->tape[t]);
}

const size_t *th_tm_running_choices(const ThTmRunning *r, size_t *n)
{
    int read[TH_TM_MOST_TAPES];
    read_tapes(r, read);
    return th_tm_choices(r->machine, r->state, read, n);
}

/* The rule that comes next, or -1. */
static int next_rule(const ThTmRunning *r)
{
    int read[TH_TM_MOST_TAPES];
    size_t n;
    read_tapes(r, read);
    if (!r->machine->branching || !r->choose)
        return th_tm_rule(r->machine, r->state, read);
    const size_t *choice = th_tm_choices(r->machine, r->state, read, &n);
    return n == 0 ? -1 : (int)choice[n == 1 ? 0 : th_rng_below(r->choose, n)];
}

/* How many cells a rule would let the heads stand on that they have not stood on yet. */
static uint64_t new_cells(const ThTmRunning *r, const ThTmRule *rule)
{
    uint64_t n = 0;
    for (int t = 0; t < r->machine->n_tapes; t++) {
        int64_t at = r->tape[t].head + rule->move[t];
        bool edge = at < 0 && r->machine->edge != TH_TM_TWO_WAY;
        n += !edge && (at < r->tape[t].low || at > r->tape[t].high);
    }
    return n;
}

/* Writes and moves on every tape.  A move over an edge stays, and *edge is set. */
static bool act(ThTmRunning *r, const ThTmRule *rule, bool *edge, ThError *err)
{
    const ThTm *m = r->machine;
    for (int k = 0; k < m->n_tapes; k++) {
        ThTmTape *t = &r->tape[k];
        bool over = m->edge != TH_TM_TWO_WAY && t->head == 0 && rule->move[k] < 0;
        if (rule->write[k] != TH_TM_ANY)
            *th_tm_tape_scanned(t) = (uint16_t)rule->write[k];
        *edge = *edge || over;
        if (!th_tm_tape_move(t, over ? 0 : rule->move[k], m->blank, err))
            return false;
    }
    return true;
}

bool th_tm_running_apply(ThTmRunning *r, int rule, ThTmRunLimits limits, ThError *err)
{
    const ThTm *m = r->machine;
    const ThTmRule *x = rule < 0 ? NULL : &m->rule[rule];
    bool costs = x || m->missing == TH_TM_MISSING_STEP, edge = false;
    if (costs && r->steps >= limits.steps) {
        r->verdict = TH_TM_OUT_OF_STEPS;
        return true;
    }
    if (!x) {
        r->rule = -1;
        r->verdict = th_tm_missed(m, &r->steps);
        return true;
    }
    uint64_t more = new_cells(r, x);
    if (r->cells + more > limits.cells) {
        r->verdict = TH_TM_OUT_OF_CELLS;
        return true;
    }
    if (!act(r, x, &edge, err))
        return false;
    r->cells += more;
    r->rule = rule;
    r->steps++;
    r->state = x->to == TH_TM_ANY ? r->state : x->to;
    r->verdict = th_tm_entered(m, r->state);
    if (edge)
        r->verdict = th_tm_over_edge(m, r->verdict);
    return true;
}

bool th_tm_running_go(ThTmRunning *r, uint64_t n, ThTmRunLimits limits, ThStop *stop, ThError *err)
{
    enum { LOOK = 4096 };
    if (limits.steps > TH_TM_MOST_STEPS)
        limits.steps = TH_TM_MOST_STEPS;
    if (!th_tm_verdict_final(r->verdict))
        r->verdict = TH_TM_GOES_ON;
    for (uint64_t i = 0; i < n && r->verdict == TH_TM_GOES_ON; i++) {
        if (i % LOOK == 0 && th_stopped(stop, err))
            return false;
        if (!th_tm_running_apply(r, next_rule(r), limits, err))
            return false;
    }
    return true;
}
