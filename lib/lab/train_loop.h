/* train_loop.h - all the steps of a training, with what is done between them.
 *
 *     ThTrainLoop loop = {.stop = stop, .stepped = show};
 *     bool ok = th_train_run(&loop, trainer, &err);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "lab/train.h"

typedef struct {
    ThStop *stop; /* borrowed; may be NULL */
    void *context;
    /* After each step, before it is saved; may be NULL, and fail by returning false. */
    bool (*stepped)(void *context, const ThTrainer *trainer, ThError *err);
    /* Every `every` steps, after the last step, and when the training is stopped; may be NULL. */
    bool (*save)(void *context, ThError *err);
    long long every;
} ThTrainLoop;

/* Does all the steps of a trainer.  TH_EINTERRUPTED when it is stopped: the model is as after the
 * last finished step, and saved.  Other errors are those of th_trainer_step, of stepped and of
 * save. */
bool th_train_run(const ThTrainLoop *loop, ThTrainer *trainer, ThError *err);
