#include "compile/weights.h"

#include <math.h>

ThModel *th_compile_blank(const char *kind, const ThOptions *options, const ThSignature *s,
                          const ThTapeBounds *bounds, ThError *err)
{
    ThModel *m = th_model_new(th_model_kind(kind), options, err);
    if (m)
        m->bounds = bounds;
    if (!m || !th_model_bind(m, s, 0, err)) {
        th_model_free(m);
        return NULL;
    }
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    return m;
}

float *th_compile_weights(const ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    return i < 0 ? NULL : th_params_at(&m->params, i);
}

void th_compile_norm(const ThModel *m, const char *gain, const char *offset, int ones)
{
    const double eps = 1e-5;
    int d = m->params.item[th_params_find(&m->params, gain)].cols;
    double mean = (double)ones / d;
    float *g = th_compile_weights(m, gain), *o = th_compile_weights(m, offset);
    for (int i = 0; i < d; i++) {
        g[i] = (float)sqrt(mean - mean * mean + eps);
        o[i] = (float)mean;
    }
}

void th_compile_answer(const ThTask *t, int q, float *logits)
{
    int classes = t->signature.n_classes;
    for (int c = 0; t->bits && c < classes; c++)
        logits[c] = (float)(t->bits[q * classes + c] ? TH_COMPILE_CERTAIN : -TH_COMPILE_CERTAIN);
    if (!t->bits && t->machine->label[q] < classes)
        logits[t->machine->label[q]] = (float)TH_COMPILE_CERTAIN;
}
