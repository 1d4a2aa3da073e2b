/* test_stats.c - intervals, tests and verdicts: against published values, and by how often they are
 * wrong where the truth is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>

#include "stats/compare.h"
#include "stats/summary.h"

static void near(double x, double due, double by)
{
    if (!(fabs(x - due) <= by))
        fail_msg("%.9g is not within %g of %.9g", x, by, due);
}

static void near_interval(ThStatsInterval i, double low, double high, double by)
{
    near(i.low, low, by);
    near(i.high, high, by);
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* At the lower end as many right answers or more have probability 2.5 %, at the upper end as many
 * or fewer. */
static void shares_by_their_definition(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 2, 10, 64, 400, 512, 1000, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        unsigned n = sizes[k], step = n / 100 + 1;
        for (unsigned x = 0; x <= n; x += step) {
            ThStatsInterval i = th_stats_share(x, n);
            assert_true(i.low <= (double)x / n && (double)x / n <= i.high);
            assert_true(x == 0 ? i.low == 0
                               : fabs(gsl_cdf_binomial_Q(x - 1, i.low, n) - 0.025) < 1e-9);
            assert_true(x == n ? i.high == 1
                               : fabs(gsl_cdf_binomial_P(x, i.high, n) - 0.025) < 1e-9);
        }
    }
}

/* Tables of Clopper and Pearson. */
static void shares_of_tables(void **state)
{
    (void)state;
    near_interval(th_stats_share(2, 3), 0.094, 0.992, 5e-4);
    near_interval(th_stats_share(3, 3), 0.292, 1, 5e-4);
    near_interval(th_stats_share(0, 5), 0, 0.522, 5e-4);
    near_interval(th_stats_share(3, 5), 0.147, 0.947, 5e-4);
    near_interval(th_stats_share(4, 5), 0.284, 0.995, 5e-4);
    near_interval(th_stats_share(282, 288), 0.955, 0.992, 5e-4);
    near_interval(th_stats_share(500, 500), 0.9926, 1, 5e-5);
}

/* The first sample of Student (1908), extra hours of sleep by two drugs on ten patients: R's t.test
 * has 0.7001142 to 2.4598858 for the differences. */
static const double first[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4},
                    second[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};

static void means_of_students_sleep(void **state)
{
    (void)state;
    double more[10];
    for (int i = 0; i < 10; i++)
        more[i] = first[i] - second[i];
    near_interval(th_stats_mean(more, 10), 0.7001142, 2.4598858, 1e-7);
    near_interval(th_stats_mean(second, 10), -0.5297804, 2.0297804, 1e-7);
    assert_true(isnan(th_stats_mean(first, 1).low));
    double two[] = {1, 2};
    near_interval(th_stats_mean(two, 2), 1.5 - 12.7062047 / 2, 1.5 + 12.7062047 / 2, 1e-6);
}

/* Order statistics that cover the median: 1 - 2^(1-n) for the extremes, .9375 of five. */
static void medians(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    assert_true(isnan(th_stats_median(x, 5).low));
    near_interval(th_stats_median(x, 6), 1, 6, 0);
    near_interval(th_stats_median(x, 9), 2, 8, 0);
    near_interval(th_stats_median(x, 10), 2, 9, 0);
    near_interval(th_stats_median(x, 12), 3, 10, 0);
    double five[] = {0.972, 0.981, 0.985, 0.990, 0.994};
    near_interval(th_stats_median_share(five, 5, 500), 0.971, 0.993, 1e-3);
    double groups[] = {0.41, 0.98, 1, 1, 1};
    near_interval(th_stats_median_share(groups, 5, 500), 0.705, 0.9999, 1e-3);
}

static void two_groups(void **state)
{
    (void)state;
    double x[] = {0.2, 0.3, 0.46, 0.47};
    assert_true(th_stats_two_groups(x, 4, 0.15));
    assert_false(th_stats_two_groups(x, 2, 0.15));
    assert_false(th_stats_two_groups(x, 4, 0.17));
    assert_false(th_stats_two_groups(x, 1, 0.15));
}

/* Fan et al. 2023 keep the best of 40 looks at 128 strings: guessing one of five answers is right
 * in .279, and the more frequent of two in .873. */
static void best_of_guesses(void **state)
{
    (void)state;
    near(th_stats_best_of(128, 0.2, 40), 0.279, 1e-3);
    near(th_stats_best_of(128, 0.8, 40), 0.873, 1e-3);
    near(th_stats_best_of(7, 0.3, 1), 0.3, 1e-12);
    near(th_stats_best_of(1, 0.5, 3), 1 - 0.125, 1e-12);
}

/* Newcombe's own example, 56 of 70 and 48 of 80, with Wilson's intervals as there. */
static void differences(void **state)
{
    (void)state;
    ThStatsInterval a = {0.6918335541, 0.8769526079}, b = {0.4904546492, 0.7003817248};
    near_interval(th_stats_difference(0.8, a, 0.6, b), 0.0524, 0.3339, 5e-5);
    near_interval(th_stats_difference(0.6, b, 0.8, a), -0.3339, -0.0524, 5e-5);
}

static void summaries(void **state)
{
    (void)state;
    ThStatsMeasure share = {true, 500}, unknown = {true, (double)NAN}, count = {false, (double)NAN};
    double groups[] = {0.41, 0.98, 1, 1, 1}, equal[] = {1, 1, 1}, close[] = {0.95, 0.99, 1};
    ThStatsSummary s = th_stats_summarize(groups, 5, TH_STATS_MEAN, &share);
    near(s.value, 0.878, 1e-12);
    assert_true(s.two_groups && isnan(s.seeds.low) && isnan(s.seeds.high));
    s = th_stats_summarize(groups, 5, TH_STATS_MEDIAN, &share);
    near(s.value, 1, 0);
    near_interval(s.seeds, 0.705, 0.9999, 1e-3);
    s = th_stats_summarize(groups, 5, TH_STATS_MEAN, &count); /* no share: no groups, no bounds */
    near(s.seeds.high, 0.878 + 0.3252, 1e-3);
    s = th_stats_summarize(groups, 4, TH_STATS_MAX, &share);
    near(s.value, 1, 0);
    assert_true(isnan(s.seeds.low));
    near_interval(s.strings, 0.9926, 1, 5e-5);
    s = th_stats_summarize(equal, 3, TH_STATS_MEAN, &share);
    near_interval(s.seeds, 0.9926, 1, 5e-5);
    assert_true(isnan(th_stats_summarize(equal, 3, TH_STATS_MEAN, &unknown).seeds.low));
    near_interval(th_stats_summarize(equal, 3, TH_STATS_MEAN, &count).seeds, 1, 1, 0);
    const double alike[] = {0.68269, 0.68269, 0.68269, 0.68269, 0.68269, 0.68269};
    assert_true(isnan(th_stats_summarize(alike, 3, TH_STATS_MEAN, &count).seeds.low));
    assert_true(isnan(th_stats_summarize(alike, 6, TH_STATS_MEDIAN, &count).seeds.low));
    s = th_stats_summarize(close, 3, TH_STATS_MEAN, &unknown);
    near(s.seeds.high, 1, 0);
    near(s.seeds.low, 0.98 - 4.3026527 * 0.0264575 / sqrt(3), 1e-5);
    assert_true(isnan(s.strings.low));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static void signs(void **state)
{
    (void)state;
    double up[] = {1, 2, 3, 4, 5}, mixed[] = {1, 2, -3}, none[] = {0, 0};
    near(th_stats_sign_flips(up, 5), 0.0625, 0);
    near(th_stats_sign_flips(up, 3), 0.25, 0);
    near(th_stats_sign_flips(mixed, 3), 1, 0);
    near(th_stats_sign_flips(none, 2), 1, 0);
    double sleep[10];
    for (int i = 0; i < 10; i++)
        sleep[i] = first[i] - second[i];
    near(th_stats_sign_flips(sleep, 10), 0.00390625, 0); /* Fisher's randomisation test: 4 / 1024 */
    assert_true(isnan(th_stats_sign_flips(up, 0)));
}

/* Of 45 pairs 8 stand the other way round; ties as tau-b has them. */
static void orders(void **state)
{
    (void)state;
    double theirs[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, ours[] = {1, 3, 2, 5, 4, 10, 8, 6, 7, 9},
           work[20], p;
    near(th_stats_kendall(theirs, ours, 10, &p), 29.0 / 45, 1e-12);
    assert_true(isnan(p)); /* ten orders are too many */
    near(th_stats_spearman(theirs, ours, 10, work), 1 - 6 * 30.0 / 990, 1e-12);
    double x[] = {12, 2, 1, 12, 2}, y[] = {1, 4, 7, 1, 0};
    near(th_stats_kendall(x, y, 5, NULL), -0.47140452, 1e-8); /* scipy.stats.kendalltau's example */
    double four[] = {1, 2, 3, 4}, back[] = {9, 8, 7, 6}, flat[] = {1, 1, 1, 1};
    near(th_stats_kendall(four, back, 4, &p), -1, 1e-12);
    near(p, 2.0 / 24, 1e-12);
    assert_true(isnan(th_stats_kendall(four, flat, 4, &p)) && isnan(p));
    assert_true(isnan(th_stats_spearman(four, flat, 4, work)));
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Points around a mean, for a claim of chance 50. */
static ThStatsFound found(double low, double high, double lowest, double highest, int learned)
{
    return (ThStatsFound){.points = 3,
                          .value = (low + high) / 2,
                          .low = low,
                          .high = high,
                          .lowest = lowest,
                          .highest = highest,
                          .away_low = low - 50,
                          .away_high = high - 50,
                          .learned = learned};
}

static void expect(const ThStatsClaim *c, ThStatsFound f, ThStatsVerdict due)
{
    ThStatsVerdict v = th_stats_judge(c, &f);
    if (v != due)
        fail_msg("%s, not %s", th_stats_verdict_name(v), th_stats_verdict_name(due));
}

static void verdicts_of_shares(void **state)
{
    (void)state;
    double none = (double)NAN;
    ThStatsClaim high = {90, 0, 50, 3, 1, false}, chance = {51, 0, 50, 3, 1, false};
    expect(&high, (ThStatsFound){.learned = -1}, TH_STATS_NOT_RUN);
    expect(&high, found(88, 92, 89, 91, -1), TH_STATS_SAME_VALUE);
    expect(&high, found(86, 94, 89, 91, -1), TH_STATS_SAME_DIRECTION); /* too wide for the same */
    expect(&high, found(40, 130, 89, 91, -1), TH_STATS_TOO_NOISY);
    expect(&high, found(94, 99, 95, 98, -1), TH_STATS_BETTER);
    expect(&high, found(52, 56, 53, 55, 1),
           TH_STATS_NOT_REACHED); /* above chance by a tenth only */
    expect(&high, found(48, 52, 49, 51, 1), TH_STATS_NOT_REACHED);
    expect(&high, found(48, 52, 49, 51, 0), TH_STATS_NOT_LEARNED);
    expect(&high, found(60, 70, 62, 68, 0), TH_STATS_SAME_DIRECTION); /* so it was learned */
    expect(&high, found(none, none, 50, 100, 1), TH_STATS_TOO_NOISY); /* two groups */
    expect(&high, found(none, none, 50, 60, 1), TH_STATS_NOT_REACHED);
    expect(&chance, found(49, 52, 49, 52, 1), TH_STATS_SAME_VALUE);
    expect(&chance, found(45, 53, 49, 52, 1), TH_STATS_SAME_DIRECTION); /* learned, not extended */
    expect(&chance, found(45, 53, 49, 52, -1), TH_STATS_NOT_LEARNED);
    expect(&chance, found(49, 52, 49, 52, 0), TH_STATS_NOT_LEARNED);
    expect(&chance, found(70, 80, 71, 79, -1), TH_STATS_BETTER);
    /* A figure below chance counts as at chance: being above it is no failure. */
    ThStatsClaim below = {40, 0, 50, 3, 1, false};
    expect(&below, found(55, 60, 56, 59, 1), TH_STATS_BETTER);
    expect(&below, found(46, 52, 47, 51, 1), TH_STATS_SAME_DIRECTION);
    ThStatsFound failed = found(88, 92, 89, 91, -1);
    failed.failed = 1;
    expect(&high, failed, TH_STATS_TOO_NOISY);
    expect(&high, (ThStatsFound){.failed = 3, .low = none, .lowest = none, .highest = none},
           TH_STATS_NOT_REACHED);
}

static void verdicts_of_sides(void **state)
{
    (void)state;
    double none = (double)NAN;
    ThStatsClaim above = {none, 1, 50, 3, 1, false}, below = {none, -1, 50, 3, 1, false},
                 at = {none, 0, 50, 3, 1, false};
    expect(&above, found(51, 60, 52, 58, -1), TH_STATS_SAME_DIRECTION);
    expect(&above, found(49, 60, 52, 58, -1), TH_STATS_TOO_NOISY); /* the reference is in it */
    expect(&above, found(40, 49, 41, 48, 1), TH_STATS_CONTRADICTED);
    expect(&below, found(51, 60, 52, 58, -1), TH_STATS_CONTRADICTED);
    expect(&below, found(40, 49, 41, 48, 1), TH_STATS_SAME_DIRECTION);
    expect(&at, found(48, 52.5, 49, 51, 1), TH_STATS_SAME_DIRECTION);
    expect(&at, found(48, 54, 49, 51, 1), TH_STATS_TOO_NOISY);
    expect(&at, found(54, 56, 54, 56, 1), TH_STATS_CONTRADICTED);
    /* Another row: theirs falls from 98 to 60; the interval is of ours less the other. */
    ThStatsClaim falls = {60, 0, 98, 3, 1, true};
    ThStatsFound f = found(20, 30, 22, 28, -1);
    f.away_low = -9;
    f.away_high = -1;
    expect(&falls, f, TH_STATS_SAME_DIRECTION);
    f.away_high = 1;
    expect(&falls, f, TH_STATS_NOT_REACHED);
    f.away_low = 0.5;
    expect(&falls, f, TH_STATS_CONTRADICTED);
}

static void verdicts_without_error(void **state)
{
    (void)state;
    ThStatsClaim five = {5, 0, 1, 0, 0, false};
    expect(&five, found(5, 5, 5, 5, -1), TH_STATS_SAME_VALUE);
    expect(&five, found(5, 5.1, 5, 6, -1), TH_STATS_NOT_REACHED);
    ThStatsClaim lower = {5, 0, (double)NAN, 1, -1, false};
    expect(&lower, found(3, 3.5, 3, 3.5, -1), TH_STATS_BETTER);
    expect(&lower, found(6.5, 7, 6.5, 7, -1), TH_STATS_NOT_REACHED);
}

/* ---- how often they are wrong ---------------------------------------------------------------- */

enum { DRAWS = 20000 };

/* One recipe: n seeds around a mean. */
static ThStatsFound draw(gsl_rng *g, double mean, double sd, size_t n, bool share)
{
    double x[16];
    for (size_t i = 0; i < n; i++)
        x[i] = mean + gsl_ran_gaussian(g, sd);
    gsl_sort(x, 1, n);
    ThStatsMeasure of = {share, (double)NAN};
    ThStatsSummary s = th_stats_summarize(x, n, TH_STATS_MEAN, &of);
    return (ThStatsFound){.points = n,
                          .value = s.value,
                          .low = s.seeds.low,
                          .high = s.seeds.high,
                          .lowest = x[0],
                          .highest = x[n - 1],
                          .away_low = s.seeds.low - 0.5,
                          .away_high = s.seeds.high - 0.5,
                          .learned = 1};
}

static double share_of(gsl_rng *g, const ThStatsClaim *c, double mean, double sd, size_t n,
                       ThStatsVerdict v)
{
    int times = 0;
    for (int i = 0; i < DRAWS; i++) {
        ThStatsFound f = draw(g, mean, sd, n, false);
        times += th_stats_judge(c, &f) == v;
    }
    return (double)times / DRAWS;
}

/* Where the truth lies at the edge of what is no difference, "same value" is false: it is said in
 * 2.5 % at most, however the seeds spread; and where the truth is the published figure it is said
 * more often the more seeds there are and the less they spread. */
static void same_value_is_seldom_wrong(void **state)
{
    (void)state;
    gsl_rng *g = gsl_rng_alloc(gsl_rng_mt19937);
    ThStatsClaim c = {0.9, 0, 0.5, 0.02, 1, false};
    static const size_t seeds[] = {2, 3, 5, 10};
    static const double sd[] = {0.0005, 0.005, 0.01, 0.02, 0.1};
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 5; i++) {
            assert_true(share_of(g, &c, 0.92, sd[i], seeds[k], TH_STATS_SAME_VALUE) < 0.03);
            assert_true(share_of(g, &c, 0.88, sd[i], seeds[k], TH_STATS_SAME_VALUE) < 0.03);
        }
    }
    near(share_of(g, &c, 0.92, 0.0005, 5, TH_STATS_SAME_VALUE), 0.025, 0.004); /* and is sharp */
    near(share_of(g, &c, 0.9, 0.02 / 3, 5, TH_STATS_SAME_VALUE), 0.97, 0.03);
    assert_true(share_of(g, &c, 0.9, 0.02, 3, TH_STATS_SAME_VALUE) < 0.1); /* no power, no word */
    gsl_rng_free(g);
}

/* At chance "above chance" and "better" are said in 2.5 % at most. */
static void direction_is_seldom_wrong(void **state)
{
    (void)state;
    gsl_rng *g = gsl_rng_alloc(gsl_rng_mt19937);
    ThStatsClaim side = {(double)NAN, 1, 0.5, 0.02, 1, false},
                 number = {0.9, 0, 0.5, 0.02, 1, false}, low = {0.49, 0, 0.5, 0.02, 1, false};
    for (size_t n = 2; n <= 6; n++) {
        near(share_of(g, &side, 0.5, 0.05, n, TH_STATS_SAME_DIRECTION), 0.025, 0.005);
        near(share_of(g, &side, 0.5, 0.05, n, TH_STATS_CONTRADICTED), 0.025, 0.005);
        assert_true(share_of(g, &number, 0.5, 0.05, n, TH_STATS_SAME_DIRECTION) < 0.03);
        assert_true(share_of(g, &low, 0.5, 0.05, n, TH_STATS_BETTER) < 0.03);
    }
    gsl_rng_free(g);
}

/* Three seeds of a recipe of which one in five fails: Student's interval of the mean covers it in
 * half of the cases.  Where the seeds show it, none is given, and the interval of the share of
 * those that reach the goal covers that share in 95 %. */
static void groups_get_no_interval(void **state)
{
    (void)state;
    gsl_rng *g = gsl_rng_alloc(gsl_rng_mt19937);
    int shown = 0, given = 0, covered = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x[5], lowest = 1;
        int good = 0;
        for (int k = 0; k < 5; k++) {
            bool reaches = gsl_ran_bernoulli(g, 0.8);
            x[k] = reaches ? gsl_ran_flat(g, 0.97, 1) : gsl_ran_flat(g, 0.2, 0.6);
            good += reaches;
            lowest = fmin(lowest, x[k]);
        }
        gsl_sort(x, 1, 5);
        ThStatsMeasure of = {true, 500};
        ThStatsSummary s = th_stats_summarize(x, 5, TH_STATS_MEAN, &of);
        shown += good > 0 && good < 5;
        given += good > 0 && good < 5 && !isnan(s.seeds.low);
        ThStatsInterval share = th_stats_share(good, 5);
        covered += share.low <= 0.8 && 0.8 <= share.high;
    }
    assert_true(shown > DRAWS / 2);
    assert_int_equal(given, 0);
    assert_true(covered >= 0.95 * DRAWS);
    gsl_rng_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_by_their_definition),
        cmocka_unit_test(shares_of_tables),
        cmocka_unit_test(means_of_students_sleep),
        cmocka_unit_test(medians),
        cmocka_unit_test(two_groups),
        cmocka_unit_test(best_of_guesses),
        cmocka_unit_test(differences),
        cmocka_unit_test(summaries),
        cmocka_unit_test(signs),
        cmocka_unit_test(orders),
        cmocka_unit_test(verdicts_of_shares),
        cmocka_unit_test(verdicts_of_sides),
        cmocka_unit_test(verdicts_without_error),
        cmocka_unit_test(same_value_is_seldom_wrong),
        cmocka_unit_test(direction_is_seldom_wrong),
        cmocka_unit_test(groups_get_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
