/* intervals.h - how sure one can be of a share, a mean or a median, from few values.
 *
 * All intervals are of 95 %.  Where a number of values says nothing of its uncertainty both ends
 * are NaN.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    double low, high;
} ThStatsInterval;

/* Of a share, `right` out of n ≥ 1 independent ones, by Clopper and Pearson (1934): 2.5 % and 97.5
 * % quantiles of Beta(right, n - right + 1) and Beta(right + 1, n - right). */
ThStatsInterval th_stats_share(double right, double n);

/* Of the mean of what n ≥ 1 values were drawn from, by Student's t; none where n is 1. */
ThStatsInterval th_stats_mean(const double *x, size_t n);

/* Of the median: the inmost two of the values that it lies between in 95 % of all samples of n
 * (binomial with one half); none where n < 6.  x is sorted, ascending. */
ThStatsInterval th_stats_median(const double *x, size_t n);

/* Of the median of shares measured on `strings` strings each: Student's t on ln((k + 1/2) / (m - k
 * + 1/2)), taken back to shares.  None where n is 1; of no width where all are equal. */
ThStatsInterval th_stats_median_share(const double *x, size_t n, double strings);

/* Of the difference a - b of two shares, each with its own interval: squared distances to the near
 * ends are added up (Newcombe 1998, method 10, with those intervals in place of Wilson's). */
ThStatsInterval th_stats_difference(double a, ThStatsInterval of_a, double b, ThStatsInterval of_b);

/* Do the values fall into two groups, with a gap wider than `gap` between sorted neighbours?  Then
 * no interval of a mean covers it as it says.  x is sorted, ascending. */
bool th_stats_two_groups(const double *x, size_t n, double gap);

/* The mean of the best of `looks` shares of right answers to m strings, each right with probability
 * p: what guessing reaches where the best is reported. */
double th_stats_best_of(int m, double p, int looks);
