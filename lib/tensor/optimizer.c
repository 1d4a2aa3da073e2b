#include "tensor/optimizer.h"

#include <math.h>

#include "tensor/kernels.h"

/* A run of elements that belong to one parameter. */
typedef struct {
    float *w, *m, *v, *g;
    size_t n;
    bool decays;
} Run;

static void update_adam(const ThOptimizerUpdate *u, const Run *r)
{
    double decay = r->decays ? u->decay : 0, t = (double)u->step;
    ThKernelAdam a = {.rate = (float)u->rate,
                      .beta1 = (float)u->beta1,
                      .beta2 = (float)u->beta2,
                      .eps = (float)u->eps,
                      .clip = (float)u->clip,
                      .correct1 = (float)(1 / (1 - pow(u->beta1, t))),
                      .correct2 = (float)(1 / (1 - pow(u->beta2, t)))};
    if (u->rule == TH_OPTIMIZER_ADAMW)
        a.decay = (float)(u->rate * decay);
    else
        a.l2 = (float)decay;
    th_kernel_adam(&a, r->w, r->m, r->v, r->g, r->n);
}

static void update_sgd(const ThOptimizerUpdate *u, const Run *r)
{
    float decay = r->decays ? (float)u->decay : 0;
    float rate = (float)u->rate, momentum = (float)u->momentum, clip = (float)u->clip;
    for (size_t i = 0; i < r->n; i++) {
        r->m[i] = momentum * r->m[i] + clip * r->g[i] + decay * r->w[i];
        r->w[i] -= rate * r->m[i];
    }
}

void th_optimizer_update(const ThOptimizerUpdate *u, ThParams *p, float *const moment[2],
                         float *gradient, size_t from, size_t to)
{
    for (int i = 0; i < p->n; i++) {
        const ThParam *item = &p->item[i];
        size_t first = item->offset, last = first + (size_t)item->rows * (size_t)item->cols;
        first = first > from ? first : from;
        last = last < to ? last : to;
        if (first >= last)
            continue;
        Run r = {p->value + first, moment[0] + first, moment[1] ? moment[1] + first : NULL,
                 gradient + first, last - first,      item->decays};
        if (u->rule == TH_OPTIMIZER_SGD)
            update_sgd(u, &r);
        else
            update_adam(u, &r);
    }
}
