/* evaluate.h - accuracy by length, with its uncertainty. */
#ifndef TH_EVALUATE_H
#define TH_EVALUATE_H

#include "base/error.h"
#include "models/model.h"
#include "tasks/task.h"

typedef struct ThScore {
    int length;          /* as asked for */
    int tokens;          /* as drawn (modular arithmetic: odd) */
    long long n, right;  /* answers scored (strings, or positions) and right ones */
    double accuracy, lo, hi; /* share, and its 95 % interval (Clopper and Pearson 1934) */
    double chance;       /* of the best answer that does not read the string; NaN: unknown */
    double loss;         /* mean, in nats */
} ThScore;

typedef struct ThEvaluator ThEvaluator;

/* Returns new.  model must be bound and fit the task (TH_EVALUE); both are borrowed. */
ThEvaluator *th_evaluator_new(const ThModel *m, const ThTask *t, long long seed, int threads,
                              ThError *err);
/* Draws `samples` strings of one length, which depend on (seed, length) only, and scores them. */
bool th_evaluator_length(ThEvaluator *e, int length, int samples, ThScore *score, ThError *err);
void th_evaluator_free(ThEvaluator *e); /* NULL is fine */

/* The class (or, for TH_BITS, 0/1 bits) that a bound model gives a word, into answer: 1 entry for
 * TH_FINAL, length otherwise, times n_classes for TH_BITS. */
bool th_predict(const ThModel *m, const int *token, int length, int *answer, ThError *err);

#endif
