#include "stats/summary.h"

#include <math.h>

#include <gsl/gsl_statistics_double.h>

static const ThStatsInterval none = {(double)NAN, (double)NAN};

/* Where several values are all equal: counts may be so for every seed; what was measured to the
 * last digit alike is one run, several times. */
static ThStatsInterval of_equal(double x, const ThStatsSummary *s, bool share)
{
    return share ? s->strings : x == floor(x) ? (ThStatsInterval){x, x} : none;
}

static ThStatsInterval of_mean(const double *x, size_t n, const ThStatsSummary *s, bool share)
{
    if (n > 1 && x[0] == x[n - 1])
        return of_equal(x[0], s, share);
    if (s->two_groups)
        return none;
    ThStatsInterval i = th_stats_mean(x, n);
    if (share && !isnan(i.low)) {
        i.low = fmax(i.low, 0);
        i.high = fmin(i.high, 1);
    }
    return i;
}

static ThStatsInterval of_median(const double *x, size_t n, const ThStatsSummary *s,
                                 const ThStatsMeasure *of)
{
    if (n > 1 && x[0] == x[n - 1])
        return of_equal(x[0], s, of->share);
    if (!of->share || isnan(of->strings) || n < 2)
        return th_stats_median(x, n);
    return th_stats_median_share(x, n, of->strings);
}

ThStatsSummary th_stats_summarize(const double *x, size_t n, ThStatsStatistic statistic,
                                  const ThStatsMeasure *of)
{
    const double gap = 0.15;
    ThStatsSummary s = {.seeds = none, .strings = none};
    s.value = statistic == TH_STATS_MAX      ? x[n - 1]
              : statistic == TH_STATS_MEDIAN ? gsl_stats_median_from_sorted_data(x, 1, n)
                                             : gsl_stats_mean(x, 1, n);
    if (of->share && of->strings >= 1) /* NaN: no */
        s.strings = th_stats_share(s.value * of->strings, of->strings);
    s.two_groups = of->share && th_stats_two_groups(x, n, gap);
    if (statistic == TH_STATS_MEAN)
        s.seeds = of_mean(x, n, &s, of->share);
    else if (statistic == TH_STATS_MEDIAN)
        s.seeds = of_median(x, n, &s, of);
    return s;
}
