/* optimizer.h - the update rules, on slices of the parameter block.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_TENSOR_OPTIMIZER_H
#define TH_TENSOR_OPTIMIZER_H

#include <stdbool.h>

#include "tensor/params.h"

typedef enum {
    TH_OPTIMIZER_ADAM,  /* Kingma and Ba 2015; weight decay, if any, is added to the gradient */
    TH_OPTIMIZER_ADAMW, /* Loshchilov and Hutter 2019: decoupled weight decay */
    TH_OPTIMIZER_SGD    /* with heavy-ball momentum */
} ThOptimizerRule;

typedef struct {
    ThOptimizerRule rule;
    double rate; /* learning rate of this step */
    double beta1, beta2, eps;
    double momentum;
    double decay;   /* weight decay; parameters whose table row says so */
    double clip;    /* the gradient is multiplied by this first: global-norm clipping */
    long long step; /* of this update, from 1: bias correction */
} ThOptimizerUpdate;

/* Updates the elements from … to-1 of the block.  moment[0] and moment[1] are (params->total) and
 * zero before the first step (SGD uses the first only).  Slices may run in parallel and in any
 * order: every element is updated by itself. */
void th_optimizer_update(const ThOptimizerUpdate *u, ThParams *p, float *const moment[2],
                         float *gradient, size_t from, size_t to);

#endif
