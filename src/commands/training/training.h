/* training.h - what the commands that train share. */
#pragma once

#include "command.h"

/* Writes down in a model what it is trained on, and that it was not evaluated since. */
bool sh_note_task(ThModel *m, const ShObject *task, ThError *err);

/* Continues from a checkpoint (NULL: none) if it is further than the object's model, which it takes
 * the place of, and says so; *steps is what remains to be done, *resumed whether it did.  One that
 * was trained on another task is refused. */
bool sh_resume(ShSession *s, ShObject *object, const ShObject *task, const char *checkpoint,
               long long *steps, bool *resumed, ThError *err);

/* train MODEL on TASK until=proved, with options that are complete. */
bool sh_train_until_proved(ShSession *s, const ShCall *call, const ThOptions *o, ThError *err);

/* evaluate MODEL on TASK where what is true is known of the task. */
bool sh_evaluate_foretold(ShSession *s, const ShCall *call, ThError *err);
