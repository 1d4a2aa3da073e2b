/* Gradient descent with heavy-ball momentum. */
#include "tensor/optimizers/optimizer_impl.h"

static void update(const ThOptimizerUpdate *u, const ThOptimizerRun *r)
{
    float decay = r->decays ? (float)u->decay : 0, *m = r->slot[0];
    float rate = (float)u->rate, momentum = (float)u->momentum, clip = (float)u->clip;
    for (size_t i = 0; i < r->n; i++) {
        m[i] = momentum * m[i] + clip * r->g[i] + decay * r->w[i];
        r->w[i] -= rate * m[i];
    }
}

const ThOptimizer th_optimizer_sgd = {
    .name = "sgd",
    .summary = "gradient descent with momentum (default 0.9)",
    .source = "Polyak 1964",
    .slots = 1,
    .momentum = 0.9,
    .update = update,
};
