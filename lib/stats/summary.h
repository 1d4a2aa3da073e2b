/* summary.h - what runs that differ in their seed say together: a statistic and how sure it is.
 *
 * Two errors are kept apart.  That of the seeds: what another run of the recipe would give.  That
 * of the strings: what other test strings would give the same model; runs that are tested on the
 * same strings share it, and no number of seeds makes it smaller.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "stats/intervals.h"

typedef enum { TH_STATS_MEAN, TH_STATS_MEDIAN, TH_STATS_MAX } ThStatsStatistic;

/* What the values are. */
typedef struct {
    bool share;     /* of right answers, from 0 to 1 */
    double strings; /* that each was measured on; NaN: not known */
} ThStatsMeasure;

typedef struct {
    double value;          /* the statistic */
    ThStatsInterval seeds; /* 95 %: where it lies for the recipe; NaN: the values do not say */
    ThStatsInterval
        strings;     /* 95 %: where it lies for other strings, of one model; NaN: no share */
    bool two_groups; /* shares with a gap wider than 0.15: then no interval of a mean is right */
} ThStatsSummary;

/* x holds n ≥ 1 values, sorted, ascending.  seeds is, of
 *
 * - a mean, Student's t, within 0 to 1 for shares; none for shares in two groups;
 * - a median, for shares th_stats_median_share, for others, and where the number of strings is not
 *   known, th_stats_median;
 * - where n ≥ 2 values are all equal: of shares the interval of the strings, or none where their
 *   number is not known; of whole numbers, of no width; none of others, for seeds that made a
 *   difference would be seen in the last digits;
 * - a maximum, none: no few seeds tell how much better the best of others would be. */
ThStatsSummary th_stats_summarize(const double *x, size_t n, ThStatsStatistic statistic,
                                  const ThStatsMeasure *of);
