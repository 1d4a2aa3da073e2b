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
    ThTape *t TH_OWNED(th_tape_free) = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
    if (!t)
        return false;
    ThBatch b = {.B = 1, .T = length, .token = word};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, t, &b, &(ThModelForward){.share = true});
    bool ok = th_tape_ok(t, err);
    const float *logit = ok ? th_tape_floats(t, z) : NULL;
    if (ok)
        logit += (size_t)(th_tape_rows(t, z) - 1) * (size_t)g->n_classes;
    *class = 0;
    for (int c = 1; ok && c < g->n_classes; c++)
        if (logit[c] > logit[*class])
            *class = c;
    return ok;
}
