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

/* E(n) of the paper: a digit, one with a minus, either in brackets, or (E(l) op E(n - 3 - l)) with
 * l uniform; 0 where it is none. */
static double of_expression(const char *w, int n, const char *operations)
{
    double all = 0;
    if (n == 1 || n == 2)
        return (n == 1 || w[0] == '-') && strchr("01234x", w[n - 1]) ? 0.2 : 0;
    if (w[0] != '(' || w[n - 1] != ')')
        return 0;
    if (n < 5)
        return of_expression(w + 1, n - 2, operations);
    for (int l = 1; l <= n - 4; l++)
        if (strchr(operations, w[l + 1]))
            all += of_expression(w + 1, l, operations) *
                   of_expression(w + l + 2, n - 3 - l, operations);
    return all / (n - 4) / (double)strlen(operations);
}

static double of_brackets(const char *w)
{
    return of_expression(w, (int)strlen(w), "+-*");
}

/* Of the places of the expression, those from which the first digit, round its end, is x; whatever
 * is behind =, one digit fits. */
static double of_equation(const char *w)
{
    int n = (int)strlen(w) - 2, places = 0;
    for (int i = 0; i < n; i++) {
        int at = i;
        while (!strchr("01234x", w[at]))
            at = (at + 1) % n;
        places += w[at] == 'x';
    }
    return of_expression(w, n, "+-") * places / n;
}

/* Terms and operators in turns: a third of the terms with room for it is in brackets, any odd
 * number of symbols in them; 0 where it is none. */
static double of_terms(const char *w, int n, int depth, double product)
{
    bool may = depth > 0 && n > 2;
    double all = 0;
    for (int l = 1; l <= n; l += 2) { /* the first term */
        double p = l == 1 ? (strchr("01", w[0]) ? 0.5 * (may ? 2 / 3.0 : 1) : 0)
                   : may && w[0] == '(' && w[l - 1] == ')'
                       ? of_terms(w + 1, l - 2, depth - 1, product) / 3 / ((n - 1) / 2)
                       : 0;
        if (l < n)
            p *= w[l] == '*' ? product : strchr("+-", w[l]) ? (1 - product) / 2 : 0;
        all += l < n && p > 0 ? p * of_terms(w + l + 1, n - l - 1, depth, product) : p;
    }
    return all;
}

static double of_flat(const char *w)
{
    return of_terms(w, (int)strlen(w), 0, 1 / 3.0);
}

static double of_depth_one(const char *w)
{
    return of_terms(w, (int)strlen(w), 1, 1 / 3.0);
}

static double of_depth_two(const char *w)
{
    return of_terms(w, (int)strlen(w), 2, 1 / 3.0);
}

/* Behind a plus, and half of the operators are products. */
static double of_products(const char *w)
{
    return w[0] == '+' ? of_terms(w + 1, (int)strlen(w) - 1, 1, 0.5) : 0;
}

static double of_digits(const char *w)
{
    return pow(0.2, (double)strlen(w));
}

/* How many strings there are was counted by writing them all down, elsewhere. */
static const struct {
    const char *kind, *settings;
    int length, strings;
    double (*of)(const char *w);
} rows[] = {
    {"stack_manipulation", "", 4, 2 * 27 + 4 * 9 + 8 * 3, of_stack},
    {"binary_addition", "", 5, 1 * 7 + 3 * 3 + 7 * 1, of_sum},
    {"binary_multiplication", "", 6, 15 + 3 * 7 + 7 * 3 + 15, of_sum},
    {"binary_addition", "", 2, 3, of_root},
    {"compute_sqrt", "", 5, 31, of_root},
    {"compute_sqrt", "order=big", 6, 63, of_root},
    {"missing_duplicate", "", 6, 48, of_missing},
    {"missing_duplicate", "", 7, 48, of_missing},
    {"brackets", "", 5, 75, of_brackets},
    {"brackets", "", 6, 150, of_brackets},
    {"brackets", "", 8, 300, of_brackets},
    {"brackets", "", 9, 2475, of_brackets},
    {"solve_equation", "", 7, 100, of_equation},
    {"solve_equation", "", 9, 300, of_equation},
    {"solve_equation", "", 10, 400, of_equation},
    {"bucket_sort", "", 3, 125, of_digits},
    {"modular_arithmetic", "modulus=2 leading_plus=no", 5, 72, of_flat},
    {"modular_arithmetic", "modulus=2 leading_plus=no depth=1", 7, 876, of_depth_one},
    {"modular_arithmetic", "modulus=2 leading_plus=no depth=2", 7, 936, of_depth_two},
    {"modular_arithmetic", "modulus=2 depth=1 products=0.5", 6, 108, of_products},
};

enum { DRAWS = 150000, ROOM = 16 };

/* The symbols as characters: operations on a stack are p, q and r. */
static void spell(const ThTask *t, const int *word, int n, char *to)
{
    for (int i = 0; i < n; i++) {
        const char *name = t->signature.symbol[word[i]];
        to[i] = name[1] ? "prq"[name[1] == 'u' ? 1 + (name[4] == '1') : 0] : name[0];
    }
    to[n] = '\0';
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void test_strings(void **state)
{
    (void)state;
    char(*word)[ROOM] = malloc(sizeof *word * DRAWS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double chi = 0, all = 0;
        int n = 0, next, length = rows[i].length;
        ThError err = {0};
        ThTask *t = made_task(rows[i].kind, rows[i].settings, NULL);
        ThBatch b = {.B = DRAWS};
        ThRng r = th_rng(i, "test.transduction", 0);
        assert_true(th_task_sample(t, &r, length, &b, &err));
        for (int k = 0; k < DRAWS; k++)
            spell(t, th_batch_token(&b, k), length, word[k]);
        qsort(word, DRAWS, sizeof *word, by_text);
        for (int k = 0; k < DRAWS; k = next, n++) {
            for (next = k + 1; next < DRAWS && strcmp(word[next], word[k]) == 0;)
                next++;
            double p = rows[i].of(word[k]), want = DRAWS * p;
            all += p;
            chi += (next - k - want) * (next - k - want) / want;
        }
        double p = gsl_cdf_chisq_Q(chi, n - 1.0);
        if (n != rows[i].strings || fabs(all - 1) > 1e-9 || !(p > 1e-4))
            fail_msg("%s %s, length %d: %d strings of probability %g, p = %g", rows[i].kind,
                     rows[i].settings, length, n, all, p);
        th_batch_free(&b);
        th_task_free(t);
    }
    free(word);
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
