/* How the strings of Delétang et al. are drawn: every string of a length has its probability.  What
 * is answered to them is held against Python in tests/cli. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"

/* The probability of a string, from how the paper's program draws it. */
static double of_stack(const char *w)
{
    size_t n = strlen(w), bits = strspn(w, "01");
    return pow(0.5, (double)bits) * pow(1 / 3.0, (double)(n - bits)) / ((double)n - 1);
}

static double of_sum(const char *w)
{
    size_t n = strlen(w), x = strcspn(w, "+*"), y = n - 1 - x;
    return 1 / (pow(2, (double)x) - 1) / (pow(2, (double)y) - 1) / ((double)n - 2);
}

static double of_root(const char *w)
{
    return 1 / (pow(2, (double)strlen(w)) - 1);
}

static double of_missing(const char *w)
{
    size_t half = strlen(w) / 2;
    return pow(0.5, (double)half) / (2 * (double)half);
}

static double of_five(const char *w) /* (d op d) */
{
    (void)w;
    return 1 / 75.0;
}

static double of_six(const char *w) /* (d op -d) or (-d op d) */
{
    (void)w;
    return 1 / 150.0;
}

/* (d+d)=v: from the places 0, 1 and 4 on the first digit is found, from 2 and 3 the second. */
static double of_equation(const char *w)
{
    return (w[1] == 'x' ? 0.6 : 0.4) / 50;
}

static double of_digits(const char *w)
{
    return pow(0.2, (double)strlen(w));
}

static const struct {
    const char *kind;
    int length, strings;
    double (*of)(const char *w);
} rows[] = {
    {"stack_manipulation", 4, 2 * 27 + 4 * 9 + 8 * 3, of_stack},
    {"binary_addition", 5, 1 * 7 + 3 * 3 + 7 * 1, of_sum},
    {"binary_multiplication", 6, 15 + 3 * 7 + 7 * 3 + 15, of_sum},
    {"compute_sqrt", 5, 31, of_root},
    {"missing_duplicate", 6, 48, of_missing},
    {"brackets", 5, 75, of_five},
    {"brackets", 6, 150, of_six},
    {"solve_equation", 7, 100, of_equation},
    {"bucket_sort", 3, 125, of_digits},
};

enum { DRAWS = 20000, MOST = 200 };

/* The symbols as characters: operations on a stack are p, q and r. */
static void spell(const ThTask *t, const int *word, int n, char *to)
{
    for (int i = 0; i < n; i++) {
        const char *name = t->signature.symbol[word[i]];
        to[i] = name[1] ? "prq"[name[1] == 'u' ? 1 + (name[4] == '1') : 0] : name[0];
    }
    to[n] = '\0';
}

static void test_strings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char seen[MOST][16];
        double times[MOST] = {0}, chi = 0, all = 0;
        int n = 0, length = rows[i].length;
        ThError err = {0};
        ThTask *t = made_task(rows[i].kind, "", NULL);
        ThBatch b = {.B = DRAWS};
        ThRng r = th_rng(i, "test.transduction", 0);
        assert_true(th_task_sample(t, &r, length, &b, &err));
        for (int k = 0; k < DRAWS; k++) {
            char word[16];
            int at = 0;
            spell(t, th_batch_token(&b, k), length, word);
            while (at < n && strcmp(seen[at], word) != 0)
                at++;
            assert_true(at < MOST);
            if (at == n)
                strcpy(seen[n++], word);
            times[at]++;
        }
        for (int k = 0; k < n; k++) {
            double want = DRAWS * rows[i].of(seen[k]);
            all += rows[i].of(seen[k]);
            chi += (times[k] - want) * (times[k] - want) / want;
        }
        double p = gsl_cdf_chisq_Q(chi, n - 1.0);
        if (n != rows[i].strings || fabs(all - 1) > 1e-9 || !(p > 1e-4))
            fail_msg("%s, length %d: %d strings of probability %g, p = %g", rows[i].kind, length, n,
                     all, p);
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* The share of the best constant by place, of many strings, against what chance says. */
static void test_chance(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int length;
        double published; /* of the paper's tasks, counted by a program of others */
    } known[] = {{"brackets", 500, 0.316},
                 {"bucket_sort", 41, 0.77},
                 {"bucket_sort", 500, 0.94},
                 {"solve_equation", 41, 0.2},
                 {"stack_manipulation", 150, 0.51},
                 {"binary_addition", 41, 0.51},
                 {"binary_multiplication", 150, 0.51},
                 {"compute_sqrt", 41, 0.52},
                 {"missing_duplicate", 1, 1},
                 {"reverse_string", 7, 0.5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThTask *t = made_task(known[i].kind, "", NULL);
        double chance = th_task_chance(t, known[i].length);
        if (!(fabs(chance - known[i].published) < 0.012))
            fail_msg("%s, length %d: chance %g", known[i].kind, known[i].length, chance);
        th_task_free(t);
    }
}

/* The exact chance of the sorted string and of brackets, by counting answers. */
static void test_exact_chance(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int length;
    } given[] = {{"bucket_sort", 6}, {"brackets", 11}, {"brackets", 8}};
    for (size_t i = 0; i < 3; i++) {
        ThError err = {0};
        ThTask *t = made_task(given[i].kind, "", NULL);
        ThBatch b = {.B = 100000};
        ThRng r = th_rng(9, "test.transduction", 1);
        assert_true(th_task_sample(t, &r, given[i].length, &b, &err));
        int width = (int)th_batch_answers(&t->signature, &b);
        double right = 0, all = 0;
        for (int k = 0; k < width; k++) {
            double times[5] = {0}, most = 0;
            for (int j = 0; j < b.B; j++) {
                int x = b.target[j * width + k];
                if (x >= 0)
                    times[x]++;
                all += x >= 0;
            }
            for (int v = 0; v < 5; v++)
                most = fmax(most, times[v]);
            right += most;
        }
        double chance = th_task_chance(t, given[i].length);
        if (!(fabs(right / all - chance) < 0.004))
            fail_msg("%s: chance %g, counted %g", given[i].kind, chance, right / all);
        th_batch_free(&b);
        th_task_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strings),
                                       cmocka_unit_test(test_chance),
                                       cmocka_unit_test(test_exact_chance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
