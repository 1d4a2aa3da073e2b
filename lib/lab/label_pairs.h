/* label_pairs.h - the pairs of vectors that losses on a proof are about.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/attention/routing.h"
#include "proof/sample.h"
#include "tasks/task.h"

/* Vectors of labels x and y, x -1: nothing; their product is `into`. */
typedef struct {
    int x, y, into;
} ThTrainPair;

/* Returns new: the labels of a task's strings for a model of so many classes.  TH_EVALUE, where no
 * automaton labels the task, too, TH_ELIMIT beyond TH_TRAIN_MOST_FUNCTIONS, TH_ENOMEM. */
ThProofLabels *th_train_labels(const ThTask *t, int n_classes, ThError *err);

/* Returns new, for free(): the *n pairs that occur.  TH_ENOMEM. */
ThTrainPair *th_train_pairs(const ThProofLabels *l, int *n, ThError *err);

/* A cell's vectors have the automaton's state and the last symbol for a label: q k + a is state q
 * behind the a-th of k symbols.  By one step it can hold that a symbol came from one of some
 * states, but not, for instance, that it came from an even number of b.
 *
 * Returns new, for free(): its *n steps, each so many times, all copies behind each other.  x is a
 * label, -1: what a string begins with; y is a symbol.  TH_ENOMEM. */
ThTrainPair *th_train_steps(const ThDfa *machine, int copies, int *n, ThError *err);

/* to (dim) <- the state of a cell that a string begins in: zeros, or what an lrnn has learned. */
void th_train_before(const ThModel *m, float *to, int dim);

/* The label of vector i of the lowest level; -1: no string has it there. */
int th_train_lowest(const ThProofLabels *l, const ThModelRouting *r, int i);

/* Fills centre (n, dim): those of vectors of some levels, where certify would begin.  TH_ENOMEM. */
bool th_train_sample_centres(const ThProofMap *f, const ThProofLabels *l, double *centre,
                             ThError *err);

/* Of n numbers moves `most` ≤ n to the front: the `hard` with the greatest far[], and some drawn
 * others. */
void th_train_choose_far(const double *far, int *pick, int n, int hard, int most, ThRng *r);
