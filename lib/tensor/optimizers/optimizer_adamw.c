/* Adam with decoupled weight decay. */
#include "tensor/optimizers/optimizer_impl.h"

static void update(const ThOptimizerUpdate *u, const ThOptimizerRun *r)
{
    th_optimizer_run_adam(u, r, true);
}

const ThOptimizer th_optimizer_adamw = {
    .name = "adamw",
    .summary = "Adam with weight decay beside the gradient",
    .source = "Loshchilov and Hutter 2019",
    .slots = 2,
    .update = update,
};
