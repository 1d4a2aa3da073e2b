/* extraction_methods.h - what automaton is a model?  Three answers, which can be held against each
 * other.
 *
 *     queries    L* asks the model about words (extract.h)
 *     clusters   its vectors after words are put into clusters, which become states; a symbol leads
 *                where most vectors of a cluster go, and clusters whose vectors disagree are split
 *     algebra    its vectors snap to centres, whose products are a table (proof/check/quantize.h)
 *
 * All three are measured on the same strings, drawn as the task draws them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "inspect/extract.h"

enum { TH_INSPECT_QUERIES, TH_INSPECT_CLUSTERS, TH_INSPECT_ALGEBRA, TH_INSPECT_WAYS };

typedef struct {
    const ThModel *model;
    const ThTask *task;
    ThRange length;  /* of the strings drawn */
    int samples;     /* how many */
    int states;      /* at most, of any automaton */
    size_t elements; /* of the task's semigroup, at most */
    uint64_t seed;
    ThStop *stop;
} ThInspectWaysPlan;

typedef struct {
    ThDfa *machine; /* minimal, in the teacher's classes; NULL: not found */
    char why[200];  /* why not */
    long long wrong;
    double low, high; /* 95 % interval of the share that is wrong (Clopper and Pearson) */
} ThInspectWay;

typedef struct {
    ThInspectWay way[TH_INSPECT_WAYS];
    long long samples;
} ThInspectWays;

/* Tries the ways that `wanted` says; t was made of the plan's model, with the task's truth where
 * an automaton labels it.  A way that
 * leads nowhere says why.  *w is to be freed also after a failure.  Errors: TH_EINTERRUPTED,
 * TH_ENOMEM, those of the task's and the model's on strings of such lengths. */
bool th_inspect_ways(ThInspectTeacher *t, const ThInspectExtraction *asking,
                     const ThInspectWaysPlan *plan, const bool wanted[TH_INSPECT_WAYS],
                     ThInspectWays *w, ThError *err);
void th_inspect_ways_free(ThInspectWays *w);

/* Returns new: the machine of the model's clusters.  TH_EVALUE where it has no vectors to look at;
 * TH_ELIMIT beyond the states; TH_ENUMERIC for vectors that are not finite. */
ThDfa *th_inspect_by_clusters(ThInspectTeacher *t, const ThInspectWaysPlan *plan, ThError *err);

/* Strings as the task draws them, n of them of lengths uniform in a range.  Freed with
 * th_words_sample_free. */
bool th_inspect_strings(const ThInspectWaysPlan *plan, int n, ThWordsSample *to, ThError *err);
