/* foretell.h - what a model expects to come next, beside what is true.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

/* Of the strings of a length, in bits a string, or an answer where the length has no probability;
 * of all of them, where there are no more than were asked for, else of some that are drawn. */
typedef struct {
    int length;
    long long strings;
    bool all;
    double probability;    /* of the length; NaN: unknown */
    double cross, entropy; /* mean -log2 of the model's, and of the true probability */
    double variation;      /* the sum of max(0, P - Q) over the strings: over all lengths the total
                              variation.  Where the length has no probability of its own, the mean over
                              the answers of half the sum of |p - q| */
    double accuracy;       /* share of the answers where what the model expects most is possible */
} ThLabForetold;

/* Draws strings of a task that knows what is true (kind->foretell), which depend on (seed, length)
 * only.  Errors: TH_EVALUE where the task does not, the model is not bound or does not fit, or the
 * length has no strings; TH_ENUMERIC if its output is not finite; TH_EINTERRUPTED. */
bool th_lab_foretell(const ThModel *m, const ThTask *t, ThTaskForetold which, uint64_t seed,
                     ThLabForetold *to, ThStop *stop, ThError *err);
