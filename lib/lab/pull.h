/* pull.h - a loss that draws a model's hidden vectors together: what makes it provable.
 *
 * An automaton says which function on its states the symbols below a node induce.  With `pull` all
 * vectors of one function are drawn to their running centre; with `auxiliary` a throw-away head has
 * to tell the function from the vector, noise added.  Both act on what every level computes.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "lab/slopes.h"
#include "lab/train.h"
#include "models/attention/routing.h"

typedef struct ThTrainPull ThTrainPull;

/* Their weights, and the loss above which vectors are not drawn (0: always). */
typedef struct {
    double pull, auxiliary, gate;
    int shards; /* that call th_train_pull_add at the same time */
} ThTrainPullHow;

/* Returns new.  TH_EUSAGE where the model has no tree of vectors, TH_EVALUE where no automaton
 * labels the task, TH_ELIMIT where it has too many functions; TH_ENOMEM. */
ThTrainPull *th_train_pull_new(const ThModel *m, const ThTask *t, const ThTrainPullHow *how,
                               ThError *err);
void th_train_pull_free(ThTrainPull *p); /* NULL is fine */

/* Of one shard's run: returns the tape's loss with both added, as far as their slopes go; its value
 * means nothing. */
ThVar th_train_pull_add(ThTrainPull *p, ThTape *t, const ThModelRouting *routing, ThVar loss,
                        const ThTrainShard *how);

/* After all shards of a step, which had this loss: moves centres and head. */
void th_train_pull_step(ThTrainPull *p, double loss, double rate);

/* What it knows, as numbers, for the same training to go on from: how many, writing, and taking
 * them. False: they are about other functions or vectors, and nothing is taken. */
size_t th_train_pull_size(const ThTrainPull *p);
void th_train_pull_write(const ThTrainPull *p, double *to);
bool th_train_pull_read(ThTrainPull *p, const double *from, size_t n);

/* Fills *to, zeros before, with what has been counted since the last report. */
void th_train_pull_report(ThTrainPull *p, ThTrainLevels *to);
