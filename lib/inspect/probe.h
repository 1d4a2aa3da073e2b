/* probe.h - what can be read from the vectors of a model by a linear map alone (Alain and Bengio
 * 2016): multinomial logistic regression, for every level by itself, judged on strings that it was
 * not fitted to.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

/* What is to be read from a vector that is about the positions first … last: the function that
 * these induce on the states of a machine; its state after the positions 0 … last; the symbol at
 * last. */
typedef enum { TH_INSPECT_FUNCTION, TH_INSPECT_STATE, TH_INSPECT_SYMBOL } ThInspectLabel;

typedef struct {
    ThInspectLabel label;
    const ThDfa *machine;
    int length, strings; /* half of the strings are held out */
    uint64_t seed;
    ThStop *stop;
} ThInspectProbing;

typedef struct {
    int dim, n_labels;      /* different ones among those that it was fitted to */
    long long fitted, held; /* vectors */
    long long right;        /* of those held out */
    double low, high;       /* 95 % interval of right / held */
    double chance;          /* share of the held ones with the most frequent label of the others */
} ThInspectProbed;

/* Returns new: of every level, *n of them.  The same bits for the same seed.  TH_EVALUE for a model
 * that is not bound, that does not fit the task or that has no vectors; TH_EINTERRUPTED, TH_ENOMEM.
 * GSL's error handler must be off. */
ThInspectProbed *th_inspect_probe(const ThModel *m, const ThTask *t, const ThInspectProbing *how,
                                  int *n, ThError *err);
