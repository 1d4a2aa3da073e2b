/* validation.h - evaluations while a model is trained, on strings that training does not see by
 * their stream: they decide which parameters are kept, and when to stop.
 *
 * Internal: a part of train.h.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

typedef struct ThTrainValidation ThTrainValidation;

/* Returns new: what the options validate, samples, keep, patience and every ask for, NULL and no
 * error where they ask for nothing.  Model and task are borrowed.  TH_EUSAGE for options without
 * validate, TH_EVALUE for a task without such strings, TH_ENOMEM, TH_ELIMIT. */
bool th_train_validation_new(ThTrainValidation **to, ThModel *m, const ThTask *t,
                             const ThOptions *options, int threads, ThError *err);
void th_train_validation_free(ThTrainValidation *v); /* NULL is fine */

/* Is there one to be done after the model's present step, which is the last or not? */
bool th_train_validation_due(const ThTrainValidation *v, bool last);

/* Evaluates the model and writes it down in its training; keeps parameters better than those since
 * step `first`, where that was asked for.  Errors are those of th_evaluator_length and TH_ENOMEM:
 * nothing is written down. */
bool th_train_validate(ThTrainValidation *v, long long first, ThError *err);

/* Since step `first` there were as many validations without a better one as there may be. */
bool th_train_out_of_patience(const ThTrainValidation *v, long long first);
