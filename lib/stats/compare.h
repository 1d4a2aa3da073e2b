/* compare.h - tests between two sorts of runs, between two orders, and between what was found and
 * what is published.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The two-sided p of n differences whose signs are as likely as their opposites, exact: the share
 * of the 2^n choices of signs whose sum is as far from 0 as this one.  1 ≤ n ≤ 20; NaN otherwise.
 * At least 2^(1-n): five pairs never give less than 0.0625. */
double th_stats_sign_flips(const double *d, size_t n);

/* Kendall's tau-b of n pairs, and Spearman's rho, ties taking the mean of their ranks; NaN where
 * one side is all equal or n < 2.  *p, if it is not NULL: the exact two-sided p of tau over all
 * orders, for n ≤ 9; NaN beyond.  work has room for 2 n. */
double th_stats_kendall(const double *x, const double *y, size_t n, double *p);
double th_stats_spearman(const double *x, const double *y, size_t n, double *work);

/* What a paper says of a figure. */
typedef struct {
    double published; /* NaN: only the side is known */
    int side;         /* then: 1 above, 0 at, -1 below what it is compared with */
    double reference; /* that, in the paper: its chance, or its figure of another row; or NaN */
    double near;      /* ≥ 0: what is no difference; 0: the figure has no error */
    int better;       /* 1: higher, -1: lower is better, 0: neither */
    bool relative;    /* the reference is another row, not chance */
} ThStatsClaim;

/* What was found, by some points, each with a seed of its own. */
typedef struct {
    size_t points, failed;
    double value;               /* the statistic that the paper has */
    double low, high;           /* where it lies, 95 %; NaN: not known */
    double lowest, highest;     /* of the points */
    double away_low, away_high; /* its interval less the reference, ours; NaN: not known */
    int learned; /* within the lengths of training above chance: 1, not: 0, not known: -1 */
} ThStatsFound;

typedef enum {
    TH_STATS_NONE, /* the row that others are compared with */
    TH_STATS_BETTER,
    TH_STATS_CONTRADICTED,
    TH_STATS_NOT_LEARNED,
    TH_STATS_NOT_REACHED,
    TH_STATS_NOT_RUN,
    TH_STATS_SAME_DIRECTION,
    TH_STATS_SAME_VALUE,
    TH_STATS_TOO_NOISY,
    TH_STATS_VERDICTS
} ThStatsVerdict;

/* The first of these that is true:
 *
 * - not run: there is no point;
 * - with near = 0: same value if all points have the published figure, else not reached;
 * - not learned: at chance within the lengths of training, and here; or at chance here and in the
 *   paper, and nothing is known of the lengths of training;
 * - same value: the interval lies within `near` of the published figure (an equivalence test: two
 *   one-sided tests at 2.5 %, Schuirmann 1987);
 * - better: it lies beyond the published figure by more than `near`, and above chance;
 * - same direction: it excludes the reference and lies on the paper's side of it, a quarter of the
 *   paper's way at least where that is the way from chance; where the paper is at its reference, or
 *   a figure of it not above its chance, it lies within `near` of ours, or not above that;
 * - contradicted: it excludes the reference on the side where the paper is not, where a side or
 *   another row is what was claimed;
 * - not reached: no point, or all of the interval, comes within `near` of the published figure;
 * - too noisy: none of these.
 *
 * A point that failed takes the interval away: nothing good is said of the others' mean. */
ThStatsVerdict th_stats_judge(const ThStatsClaim *c, const ThStatsFound *f);

/* "same value", ...; "" for TH_STATS_NONE. */
const char *th_stats_verdict_name(ThStatsVerdict v);
