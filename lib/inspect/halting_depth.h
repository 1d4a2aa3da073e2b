/* halting_depth.h - does a model that halts by itself think longer where there is more to think
 * about?
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

/* Fills level (length): in how many brackets each symbol stands, its own counted.  A symbol whose
 * name begins with ( [ or { opens one, a symbol ) ] or } closes one.  Returns the greatest. */
int th_inspect_nesting(char *const *symbol, const int *token, int length, int *level);

/* What is known of a string, and how long the model thought about it: applications that counted and
 * what it paid for, means over its units. */
enum {
    TH_INSPECT_NESTING,
    TH_INSPECT_LENGTH,
    TH_INSPECT_OPERATORS,
    TH_INSPECT_DEPTH,
    TH_INSPECT_PONDER,
    TH_INSPECT_THOUGHTS
};
extern const char *const th_inspect_thought[TH_INSPECT_THOUGHTS]; /* their names */

typedef struct {
    int n;
    double *value[TH_INSPECT_THOUGHTS]; /* (n) each */
} ThInspectHalting;

/* Which strings: of a data set the rows to test on that have these lengths, at most `samples`; else
 * as many strings, whose lengths are lo, lo+step, … in turn. */
typedef struct {
    ThRange lengths;
    int samples;
    uint64_t seed;
    ThStop *stop; /* may be NULL */
} ThInspectHaltingPlan;

/* Returns new.  TH_EVALUE where the model does not halt or does not fit the task, or there are no
 * such strings; TH_EINTERRUPTED, TH_ENOMEM. */
ThInspectHalting *th_inspect_halting(const ThModel *m, const ThTask *t,
                                     const ThInspectHaltingPlan *plan, ThError *err);
void th_inspect_halting_free(ThInspectHalting *h); /* NULL is fine */
TH_RELEASES(th_inspect_halting_free, ThInspectHalting)

/* Spearman's rank correlation of n pairs, equal values sharing their mean rank, and its 95 %
 * interval by Fisher's z with the variance (1 + r²/2)/(n - 3) of Bonett and Wright 2000.  NaN where
 * all values of one side are equal; the interval where n < 4.  False without memory. */
typedef struct {
    double r, lo, hi;
} ThInspectRank;
bool th_inspect_rank(const double *x, const double *y, int n, ThInspectRank *to, ThError *err);

/* The means over all units of what a model decided about one string. */
double th_inspect_mean_depth(const ThModelHalted *h);
double th_inspect_mean_ponder(const ThModelHalted *h);
