/* slopes.h - losses of which only the slopes are known, one shard of a step at a time.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tensor/tape/tape.h"

/* A shard's run; noise: the standard deviation of what is added to its vectors, of which r draws
 * more. */
typedef struct {
    int shard;
    double noise;
    ThRng *r;
} ThTrainShard;

/* Returns the loss with Σ slope·z added, slopes (rows of z, columns of z) held still: so much for
 * their way backwards. */
static inline ThVar th_train_add_slopes(ThTape *t, ThVar loss, ThVar z, const float *slope)
{
    ThVar held = th_tape_constant(t, th_tape_rows(t, z), th_tape_cols(t, z), slope);
    return th_op_add(t, loss, th_op_sum(t, th_op_multiply(t, z, held)));
}
