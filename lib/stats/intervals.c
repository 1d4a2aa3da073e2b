#include "stats/intervals.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

static const ThStatsInterval none = {(double)NAN, (double)NAN};

/* The x with P(Beta(a, b) ≤ x) = p, by bisection: GSL's gsl_cdf_beta_Pinv gives up on some a and b
 * of ordinary size. */
static double beta_quantile(double p, double a, double b)
{
    double lo = 0, hi = 1;
    for (int i = 0; i < 52; i++) {
        double x = (lo + hi) / 2;
        *(gsl_cdf_beta_P(x, a, b) < p ? &lo : &hi) = x;
    }
    return (lo + hi) / 2;
}

ThStatsInterval th_stats_share(double right, double n)
{
    return (ThStatsInterval){right > 0 ? beta_quantile(0.025, right, n - right + 1) : 0,
                             right < n ? beta_quantile(0.975, right + 1, n - right) : 1};
}

/* From the sum and the sum of squares around the mean. */
static ThStatsInterval student(double mean, double squares, size_t n)
{
    if (n < 2)
        return none;
    double error = sqrt(squares / (double)(n - 1) / (double)n);
    double reach = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * error;
    return (ThStatsInterval){mean - reach, mean + reach};
}

ThStatsInterval th_stats_mean(const double *x, size_t n)
{
    double mean = gsl_stats_mean(x, 1, n);
    return student(mean, n > 1 ? gsl_stats_tss_m(x, 1, n, mean) : 0, n);
}

ThStatsInterval th_stats_median(const double *x, size_t n)
{
    size_t k = 0; /* values left out at each end: P(at most k below the median) ≤ 2.5 % */
    while (gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)n) <= 0.025)
        k++;
    return k == 0 ? none : (ThStatsInterval){x[k - 1], x[n - k]};
}

ThStatsInterval th_stats_median_share(const double *x, size_t n, double strings)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double right = x[i] * strings, z = log((right + 0.5) / (strings - right + 0.5));
        squares += (z - mean) * (z - mean) * (double)i / (double)(i + 1);
        mean += (z - mean) / (double)(i + 1);
    }
    ThStatsInterval z = student(mean, squares, n);
    double all = (strings + 1) / strings, half = 0.5 / strings; /* (k + 1/2) / (m + 1) backwards */
    return (ThStatsInterval){fmax(0, all / (1 + exp(-z.low)) - half),
                             fmin(1, all / (1 + exp(-z.high)) - half)};
}

ThStatsInterval th_stats_difference(double a, ThStatsInterval of_a, double b, ThStatsInterval of_b)
{
    return (ThStatsInterval){a - b - hypot(a - of_a.low, of_b.high - b),
                             a - b + hypot(of_a.high - a, b - of_b.low)};
}

bool th_stats_two_groups(const double *x, size_t n, double gap)
{
    bool two = false;
    for (size_t i = 1; i < n; i++)
        two = two || x[i] - x[i - 1] > gap;
    return two;
}

double th_stats_best_of(int m, double p, int looks)
{
    double mean = 0;
    for (int j = 0; j < m; j++) /* the mean of a count: the sum of P(it is above j) */
        mean += 1 - pow(gsl_cdf_binomial_P((unsigned)j, p, (unsigned)m), looks);
    return mean / m;
}
