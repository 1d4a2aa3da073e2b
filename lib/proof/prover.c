#include "proof/prover.h"

#include <math.h>

void th_proof_open(ThProof *p, double slack)
{
    p->slack = slack;
    p->verdict = TH_PROOF_OPEN;
    p->x = p->y = p->into = -1;
    p->excess = HUGE_VAL;
    p->room = 1;
}

void th_proof_free(ThProof *p)
{
    if (!p)
        return;
    th_proof_labels_free(p->labels);
    th_dfa_free(p->machine);
    TH_FREE(p->state, p->centre, p->radius, p->shape, p->word, p);
}

bool th_proof_ask(const ThModel *m, int *word, int length, int *class, ThError *err)
{
    const ThSignature *g = &m->signature;
    ThTape *t TH_OWNED(th_tape_free) = th_model_run_tape(m, 1, err);
    if (!t)
        return false;
    ThBatch b = {.B = 1, .T = length, .token = word};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, t, &b, &(ThModelForward){.share = true});
    bool ok = th_tape_ok(t, err);
    const size_t n = (size_t)g->n_classes, last = ok ? (size_t)(th_tape_rows(t, z) - 1) * n : 0;
    size_t best = 0;
    for (size_t c = 1; ok && c < n; c++)
        if (th_tape_at(t, z, last + c) > th_tape_at(t, z, last + best))
            best = c;
    *class = (int)best;
    return ok;
}
