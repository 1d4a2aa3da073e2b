#include "stats/compare.h"

#include <math.h>
#include <stdint.h>

#include <gsl/gsl_permutation.h>
#include <gsl/gsl_statistics_double.h>

double th_stats_sign_flips(const double *d, size_t n)
{
    if (n < 1 || n > 20)
        return (double)NAN;
    double found = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        found += d[i];
        size += fabs(d[i]);
    }
    uint32_t as_far = 0, all = UINT32_C(1) << n;
    for (uint32_t signs = 0; signs < all; signs++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += signs >> i & 1 ? -d[i] : d[i];
        as_far +=
            fabs(sum) >= fabs(found) - 1e-12 * size; /* sums that are equal but for rounding */
    }
    return (double)as_far / (double)all;
}

/* ---- orders ---------------------------------------------------------------------------------- */

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

/* Pairs in the same order less those in the opposite one, y taken in the order of p. */
static int concordance(const double *x, const double *y, const size_t *p, size_t n)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            sum += order(x[i], x[k]) * order(y[p ? p[i] : i], y[p ? p[k] : k]);
    return sum;
}

/* The share of all orders of y with as great a concordance. */
static double order_p(const double *x, const double *y, size_t n)
{
    enum { MOST = 9 };
    size_t place[MOST];
    if (n > MOST)
        return (double)NAN;
    gsl_permutation p = {.size = n, .data = place};
    int found = concordance(x, y, NULL, n);
    double as_far = 0, all = 0;
    gsl_permutation_init(&p);
    do {
        int one = concordance(x, y, place, n);
        as_far += one * (one < 0 ? -1 : 1) >= found * (found < 0 ? -1 : 1);
        all++;
    } while (gsl_permutation_next(&p) == 0);
    return as_far / all;
}

double th_stats_kendall(const double *x, const double *y, size_t n, double *p)
{
    double pairs_x = concordance(x, x, NULL, n), pairs_y = concordance(y, y, NULL, n);
    double tau = concordance(x, y, NULL, n) / sqrt(pairs_x * pairs_y); /* 0 / 0: NaN */
    if (p)
        *p = isnan(tau) ? tau : order_p(x, y, n);
    return tau;
}

double th_stats_spearman(const double *x, const double *y, size_t n, double *work)
{
    double none = (double)NAN;
    return n < 2 || isnan(th_stats_kendall(x, y, n, NULL))
               ? none
               : gsl_stats_spearman(x, 1, y, 1, n, work);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static bool has_interval(const ThStatsFound *f)
{
    return f->failed == 0 && !isnan(f->low);
}

/* The side of its reference on which the paper is: 1, 0, -1; 2: not known.  A share that is not
 * above chance is at it: nobody answers worse than by guessing but by luck. */
static int their_side(const ThStatsClaim *c)
{
    double d = c->published - c->reference;
    if (isnan(c->published))
        return c->side;
    if (isnan(d))
        return 2;
    int side = fabs(d) <= c->near ? 0 : d > 0 ? 1 : -1;
    return !c->relative && side == -c->better ? 0 : side;
}

/* Is a claim that something is at its reference one of chance, of which nothing below counts? */
static bool is_of_chance(const ThStatsClaim *c)
{
    return !c->relative && !isnan(c->published) && c->better != 0;
}

static bool is_at_reference(const ThStatsClaim *c, const ThStatsFound *f)
{
    bool above = c->better >= 0 ? f->away_high <= c->near : -f->away_low <= c->near;
    return is_of_chance(c) ? above
                           : f->away_low >= -c->near && f->away_high <= c->near; /* NaN: no */
}

static bool excludes(const ThStatsFound *f, int side)
{
    return side > 0 ? f->away_low > 0 : f->away_high < 0;
}

static bool is_same_value(const ThStatsClaim *c, const ThStatsFound *f)
{
    return f->low >= c->published - c->near && f->high <= c->published + c->near;
}

static bool is_better(const ThStatsClaim *c, const ThStatsFound *f)
{
    if (c->relative || c->better == 0 || isnan(c->published))
        return false;
    bool beyond =
        c->better > 0 ? f->low > c->published + c->near : f->high < c->published - c->near;
    return beyond && (isnan(f->away_low) || excludes(f, c->better));
}

/* A quarter of the paper's way from chance. */
static bool goes_far(const ThStatsClaim *c, const ThStatsFound *f)
{
    double way = (f->away_low + f->away_high) / 2;
    return c->relative || isnan(c->published) || fabs(way) >= fabs(c->published - c->reference) / 4;
}

static bool is_same_direction(const ThStatsClaim *c, const ThStatsFound *f, int side)
{
    if (side == 2)
        return false;
    return side == 0 ? is_at_reference(c, f) : excludes(f, side) && goes_far(c, f);
}

static bool is_contradicted(const ThStatsClaim *c, const ThStatsFound *f, int side)
{
    if (side == 2 || is_of_chance(c))
        return false;
    return side == 0 ? f->away_low > c->near || f->away_high < -c->near : excludes(f, -side);
}

static bool is_not_reached(const ThStatsClaim *c, const ThStatsFound *f)
{
    double least = c->published - c->near, most = c->published + c->near;
    bool under = f->highest < least || (has_interval(f) && f->high < least);
    bool over = f->lowest > most || (has_interval(f) && f->low > most);
    return f->points == 0 || (c->better > 0 ? under : c->better < 0 ? over : under || over);
}

/* Nothing shows that anything was learned. */
static bool is_not_learned(const ThStatsClaim *c, const ThStatsFound *f, int side)
{
    bool above = f->away_low > 0 && c->better >= 0, below = f->away_high < 0 && c->better < 0;
    if (f->points == 0 || (f->failed == 0 && !c->relative && (above || below)))
        return false;
    return f->learned == 0 ||
           (f->learned < 0 && is_of_chance(c) && side == 0 && is_at_reference(c, f));
}

ThStatsVerdict th_stats_judge(const ThStatsClaim *c, const ThStatsFound *f)
{
    int side = their_side(c);
    if (f->points + f->failed == 0)
        return TH_STATS_NOT_RUN;
    if (c->near == 0 && !isnan(c->published))
        return f->failed == 0 && f->lowest == c->published && f->highest == c->published
                   ? TH_STATS_SAME_VALUE
                   : TH_STATS_NOT_REACHED;
    if (is_not_learned(c, f, side))
        return TH_STATS_NOT_LEARNED;
    if (has_interval(f)) {
        if (is_same_value(c, f))
            return TH_STATS_SAME_VALUE;
        if (is_better(c, f))
            return TH_STATS_BETTER;
        if (is_same_direction(c, f, side))
            return TH_STATS_SAME_DIRECTION;
        if (is_contradicted(c, f, side))
            return TH_STATS_CONTRADICTED;
    }
    return is_not_reached(c, f) ? TH_STATS_NOT_REACHED : TH_STATS_TOO_NOISY;
}

const char *th_stats_verdict_name(ThStatsVerdict v)
{
    static const char *const names[] = {
        "",        "better",         "contradicted", "not learned", "not reached",
        "not run", "same direction", "same value",   "too noisy"};
    return names[v];
}
