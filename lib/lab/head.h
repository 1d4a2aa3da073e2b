/* head.h - a linear head that is trained beside a model and thrown away: what auxiliary losses ask
 * a model's vectors by.
 *
 * Its gradients are found by hand, since its weights are none of the model's; what it says to whom
 * is its owner's.  Shards use it at the same time, each with a number of its own.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tensor/optimizers/optimizer.h"

typedef struct {
    ThParams weights;                /* (dim, n) and a bias (1, n), zeros at first */
    float *slot[TH_OPTIMIZER_SLOTS]; /* Adam's moments */
    long long updates;
    float *gradient; /* (shards, weights.total) */
    int shards;
} ThTrainHead;

/* TH_ENOMEM; th_train_head_free, then too. */
bool th_train_head_init(ThTrainHead *h, int dim, int n, int shards, ThError *err);
void th_train_head_free(ThTrainHead *h);

/* A shard's run: its gradient <- 0; said (rows, F) <- what the first F outputs are for some rows x
 * (rows, dim); and of given slopes by those adds to its gradient and to the slopes by x. */
void th_train_head_begin(ThTrainHead *h, int shard);
void th_train_head_say(const ThTrainHead *h, const float *x, int rows, int F, float *said);
void th_train_head_back(ThTrainHead *h, int shard, const float *x, const float *by, int rows, int F,
                        float *slope);

/* After all shards of a step: adds their gradients up in their order, and moves by Adam. */
void th_train_head_step(ThTrainHead *h, double rate);

/* Weights and moments as numbers, how many, writing and taking them; updates are apart. */
size_t th_train_head_size(const ThTrainHead *h);
void th_train_head_write(const ThTrainHead *h, double *to);
void th_train_head_read(ThTrainHead *h, const double *from);
