/* Adam. */
#include <math.h>

#include "tensor/kernels/kernels.h"
#include "tensor/optimizers/optimizer_impl.h"

void th_optimizer_run_adam(const ThOptimizerUpdate *u, const ThOptimizerRun *r, bool decoupled)
{
    double decay = r->decays ? u->decay : 0, t = (double)u->step;
    ThKernelAdam a = {.rate = (float)u->rate,
                      .beta1 = (float)u->beta1,
                      .beta2 = (float)u->beta2,
                      .eps = (float)u->eps,
                      .clip = (float)u->clip,
                      .correct1 = (float)(1 / (1 - pow(u->beta1, t))),
                      .correct2 = (float)(1 / (1 - pow(u->beta2, t)))};
    if (decoupled)
        a.decay = (float)(u->rate * decay);
    else
        a.l2 = (float)decay;
    th_kernel_adam(&a, r->w, r->slot[0], r->slot[1], r->g, r->n);
}

static void update(const ThOptimizerUpdate *u, const ThOptimizerRun *r)
{
    th_optimizer_run_adam(u, r, false);
}

const ThOptimizer th_optimizer_adam = {
    .name = "adam",
    .summary = "moments of the gradient; weight decay, if any, is added to the gradient",
    .source = "Kingma and Ba 2015",
    .slots = 2,
    .update = update,
};
