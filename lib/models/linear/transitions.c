#include "models/linear/transitions.h"

#include "models/ablation.h"

void th_model_transitions_free(ThModelTransitions *t)
{
    if (!t)
        return;
    TH_FREE(t->a, t->v, t->start, t->state, t);
}

ThModelTransitions *th_model_transitions_new(int length, int blocks, int size, ThError *err)
{
    size_t state = (size_t)blocks * (size_t)size, all = (size_t)length * state;
    ThModelTransitions *t = th_alloc(1, sizeof *t, err);
    if (!t)
        return NULL;
    *t = (ThModelTransitions){.length = length,
                              .blocks = blocks,
                              .size = size,
                              .a = th_alloc(all, (size_t)size * sizeof *t->a, err),
                              .v = th_alloc(all, sizeof *t->v, err),
                              .start = th_alloc(state, sizeof *t->start, err),
                              .state = th_alloc(all, sizeof *t->state, err)};
    return TH_KEEP_IF(t->a && t->v && t->start && t->state, t, th_model_transitions_free);
}

ThModelTransitions *th_model_transitions(const ThModel *m, int layer, const int *token, int length,
                                         ThError *err)
{
    if (!m->kind->transitions)
        return th_null(
            th_fail(err, TH_EVALUE, "the state of %s does not move linearly", m->kind->name));
    if (!m->bound)
        return th_null(
            th_fail(err, TH_EVALUE, "the model has not been trained yet, so it has no alphabet"));
    if (length < 1)
        return th_null(th_fail(err, TH_EVALUE, "a model reads at least one symbol"));
    for (int i = 0; i < length; i++) {
        if (token[i] >= 0 && token[i] < m->signature.n_symbols)
            continue;
        return th_null(th_fail(err, TH_EVALUE, "symbol number %d of an alphabet of %d", token[i],
                               m->signature.n_symbols));
    }
    return th_model_whole(m, "a scan", err) ? m->kind->transitions(m, layer, token, length, err)
                                            : NULL;
}
