/* afterwards.c - what a run does for the last time: uses a state, has a tape that is not blank. */

#include "turing/closed/afterwards.h"

static bool is_blank(const ThTmRunning *r)
{
    const ThTmTape *t = &r->tape[0];
    return t->left + t->right == 0 && *th_tm_tape_scanned(t) == r->machine->blank;
}

bool th_tm_afterwards(ThTmAfterwards *x, const ThTmWork *w, uint64_t begins, uint64_t period,
                      ThError *err)
{
    const ThTm *m = w->machine;
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    ThTmRunLimits limits = {begins + period, UINT64_MAX};
    *x = (ThTmAfterwards){.n = m->n_states};
    x->used = th_alloc((size_t)m->n_states, sizeof *x->used, err);
    x->again = th_alloc((size_t)m->n_states, sizeof *x->again, err);
    if (!x->used || !x->again || !th_tm_running_start_words(&r, m, w->words, err)) {
        th_tm_afterwards_free(x);
        return false;
    }
    bool ok = true;
    while (ok && r.steps < begins + period && !th_tm_verdict_final(r.verdict)) {
        int q = r.state;
        uint64_t before = r.steps;
        ok = th_tm_running_go(&r, 1, limits, before % 65536 == 0 ? w->stop : NULL, err);
        if (!ok || r.steps == before)
            break;
        x->used[q] = r.steps;
        x->again[q] = x->again[q] || before >= begins;
        if (x->blank == 0 && m->n_tapes == 1 && is_blank(&r))
            x->blank = r.steps;
    }
    for (int q = 0; q < m->n_states; q++)
        if (!x->again[q] && x->used[q] > x->settled)
            x->settled = x->used[q];
    if (!ok)
        th_tm_afterwards_free(x);
    return ok;
}

void th_tm_afterwards_free(ThTmAfterwards *x)
{
    TH_FREE(x->used, x->again);
    *x = (ThTmAfterwards){0};
}
