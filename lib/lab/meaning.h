/* meaning.h - an auxiliary loss for pairs: what a model makes of each side has to tell what the
 * side says, by a linear head that is thrown away.
 *
 * The relation of a pair tells a model little of either side: that they are independent, mostly.
 * What a formula says has a number for every assignment of its variables.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

typedef struct ThTrainMeaning ThTrainMeaning;

/* Returns new, of a task whose kind has a meaning; the loss counts `weight` times.  TH_EUSAGE where
 * the model does not read the sides apart; TH_ENOMEM. */
ThTrainMeaning *th_train_meaning_new(const ThModel *m, const ThTask *t, double weight, int shards,
                                     ThError *err);
void th_train_meaning_free(ThTrainMeaning *x); /* NULL is fine */

/* Of a shard's run on a batch, which is one of `shards` equal parts: returns the tape's loss with
 * it added, as far as its slopes go; its value means nothing.  -1: memory ran out. */
ThVar th_train_meaning_add(ThTrainMeaning *x, ThTape *t, const ThBatch *b, int shard, ThVar loss);

/* After all shards of a step: moves the head. */
void th_train_meaning_step(ThTrainMeaning *x, double rate);

/* The head as numbers, for the same training to go on from, as in pull.h. */
size_t th_train_meaning_size(const ThTrainMeaning *x);
void th_train_meaning_write(const ThTrainMeaning *x, double *to);
bool th_train_meaning_read(ThTrainMeaning *x, const double *from, size_t n);
