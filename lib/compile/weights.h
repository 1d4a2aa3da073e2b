/* weights.h - what compilers write into models with.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

/* Logit of the right answer, where others have 0; of a bit, that or its negative. */
static const double TH_COMPILE_CERTAIN = 10;

/* Returns new: a bound model of a kind all of whose parameters are zero. */
ThModel *th_compile_blank(const char *kind, const ThOptions *options, const ThSignature *s,
                          const ThTapeBounds *bounds, ThError *err);

/* View of a parameter, by name; NULL: the model has none of that name. */
float *th_compile_weights(const ThModel *m, const char *name);

/* Makes a layer norm give back what it gets, which has `ones` ones and zeros else. */
void th_compile_norm(const ThModel *m, const char *gain, const char *offset, int ones);

/* Writes what a task answers in state q into the logits, n_classes. */
void th_compile_answer(const ThTask *t, int q, float *logits);
