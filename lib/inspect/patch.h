/* patch.h - what a model answers when one vector of it is replaced by that of another string:
 * whether the vector is the cause of the answer, and not only goes with it (Vig et al. 2020; Geiger
 * et al. 2021).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "inspect/lens.h"
#include "tasks/task.h"

/* Which vectors are replaced. */
typedef struct {
    int layer;             /* from 0; -1: of every layer */
    int first, last;       /* those about these positions; -1: all */
    int of_first, of_last; /* by those about these positions of the other string; -1: the same */
} ThInspectPatchWhich;

typedef struct {
    int n_rows, n_layers, n_classes, length;
    ThInspectLensRow *row; /* (n_rows): level by level; their logits are of the last answer, own */
    double *source, *target; /* (n_classes): the last answers of the two strings as they are */
} ThInspectPatch;

/* Returns new: the answers of `to` with vectors of `from`, one at a time.  In a model of trees
 * vectors are about segments; else about their last position.  TH_EVALUE where the vectors of the
 * model are read by nothing but its answer, where there is no such vector, or the strings differ in
 * length and no segment is named.  TH_EINTERRUPTED, TH_ENOMEM. */
ThInspectPatch *th_inspect_patch(const ThModel *m, const ThTaskWord *from, const ThTaskWord *to,
                                 const ThInspectPatchWhich *which, ThStop *stop, ThError *err);
void th_inspect_patch_free(ThInspectPatch *p); /* NULL is fine */
TH_RELEASES(th_inspect_patch_free, ThInspectPatch)

/* Whether two rows of logits give the same answer. */
bool th_inspect_same_answer(const ThSignature *s, const double *a, const double *b);

/* The probability that a row of logits gives to the answer of another. */
double th_inspect_probability(const ThSignature *s, const double *logit, const double *answer);

/* Of a level: how often a vector was replaced by one whose segment has the same function, or
 * another, and how often the answer was then that of the string with the segment replaced. */
typedef struct {
    long long same, same_right, other, other_right;
} ThInspectCause;

typedef struct {
    uint64_t seed;
    int length, pairs; /* of strings */
} ThInspectPairs;

/* Returns new: of every level, *n of them.  Replaces each vector that the answer of a drawn string
 * is made of by that of a second one.  machine tells functions apart.  TH_EVALUE where vectors
 * stand for no segment, or the model does not fit the task; TH_EINTERRUPTED, TH_ENOMEM. */
ThInspectCause *th_inspect_causes(const ThModel *m, const ThTask *t, const ThDfa *machine,
                                  const ThInspectPairs *pairs, ThStop *stop, int *n, ThError *err);
