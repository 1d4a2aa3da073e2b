/* mean_activation.h - what a part of a model computes on the average, to put in its place.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/ablation.h"
#include "tasks/task.h"

typedef struct {
    const ThTask *task;
    int length, strings;
    uint64_t seed;
} ThInspectStrings;

/* Sets a->mean, new, of a part that fits: over all vectors of its level, or of all, while the model
 * reads strings that are drawn.  TH_EVALUE where the strings do not reach it; TH_EINTERRUPTED,
 * TH_ENOMEM. */
bool th_inspect_mean(const ThModel *m, ThModelAblation *a, const ThInspectStrings *strings,
                     ThStop *stop, ThError *err);
