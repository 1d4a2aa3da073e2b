/* balance.h - strings for models that are trees, in which rare functions are as often as others.
 *
 * An automaton says which function on its states the symbols below a node induce.  In parts of
 * strings that a task draws some functions hardly occur, but a model has to compose them as rightly
 * as others if it is to be right on all strings.  Here what two children have is drawn evenly from
 * all pairs of functions that parts of their length have.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tasks/task.h"

typedef struct ThTrainBalance ThTrainBalance;

/* Returns new: for parts of up to `longest` symbols of strings of a task, read by trees whose nodes
 * have `chunk` children.  TH_EVALUE where no automaton labels the task, TH_ELIMIT where there are
 * too many functions or symbols; TH_ENOMEM. */
ThTrainBalance *th_train_balance_new(const ThTask *t, int chunk, int longest, ThError *err);
void th_train_balance_free(ThTrainBalance *b); /* NULL is fine */

/* Writes n symbols, up to `longest`: the end of a full tree, so that nodes at the left edge lack
 * symbols. */
void th_train_balance_draw(ThTrainBalance *b, ThRng *r, int n, int *to);
