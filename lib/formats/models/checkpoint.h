/* checkpoint.h - trainings that are saved every so many steps, and go on from what was saved.
 *
 * A checkpoint is a .safetensors file with all that a training needs, written whole or not at all:
 * one that is killed and started again gives the bits of one that was not.
 *
 *     ThFormatCheckpoint c = {.path = "m.safetensors", .every = 100};
 *     ThModel *further;
 *     bool ok = th_format_resume(&c, model, &steps, &further, &err) && … th_trainer_new(…) … &&
 *               th_format_train(&c, trainer, model, &err);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_FORMATS_MODELS_CHECKPOINT_H
#define TH_FORMATS_MODELS_CHECKPOINT_H

#include "base/stop.h"
#include "lab/train.h"

typedef struct {
    const char *path; /* NULL: nothing is saved */
    long long every;  /* steps from one saving to the next */
    ThStop *stop;
    void *context;
    /* After each step, before it is saved; may be NULL, and fail by returning false. */
    bool (*stepped)(void *context, const ThTrainer *trainer, ThError *err);
} ThFormatCheckpoint;

/* Looks for a checkpoint that is further than the model, which is to do *steps more steps.  Where
 * there is one, *further gets it (new) and *steps what it has still to do; else *further is NULL,
 * and it is seen to that the file can be written.  Errors: TH_EVALUE for a checkpoint of another
 * model or beyond the last step, TH_EIO, TH_ENOMEM. */
bool th_format_resume(const ThFormatCheckpoint *c, const ThModel *m, long long *steps,
                      ThModel **further, ThError *err);

/* Does all the steps of the trainer of a model, which is saved when a saving is due, after the last
 * step, and when it is stopped: TH_EINTERRUPTED.  Other errors are those of th_trainer_step, of
 * stepped and of th_safetensors_save. */
bool th_format_train(const ThFormatCheckpoint *c, ThTrainer *trainer, const ThModel *m,
                     ThError *err);

#endif
