/* Languages by name: all words of small lengths by membership alone against those that reading,
 * counting and drawing know of.  Membership itself is held against Python in tests/cli. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "language/library.h"

enum { CELLS = 1 << 20 };

static const struct {
    const char *name;
    int longest; /* of the lengths that are tried */
    bool counted;
    long words; /* of the greatest */
} rows[] = {
    {"anbn", 12, true, 1},
    {"anbncn", 9, true, 1},
    {"anbncndn", 8, true, 1},
    {"cycle_answer", 4, true, 27},
    {"arithmetic_answer", 5, true, 75},
    {"boolean_3", 6, true, 282},
    {"boolean_5", 6, true, 394},
    {"dyck_2", 8, true, 14 * 16},
    {"dyck_3", 6, true, 5 * 27},
    {"majority", 8, true, 93},
    {"marked_copy", 9, true, 16},
    {"marked_reversal", 9, true, 16},
    {"unmarked_reversal", 10, true, 32},
    {"missing_duplicate", 8, true, 8 * 8},
    {"odds_first", 9, true, 16},
    {"bucket_sort", 7, true, 125},
    {"stack_manipulation", 8, true, 72},
    {"shuffle_2", 8, true, 588},
    {"shuffle_3", 6, true, 285},
    {"shuffle_4", 6, true, 740},
    {"binary_addition", 9, false, 90},
    {"binary_multiplication", 9, false, 81},
    {"compute_sqrt", 9, false, 67},
};

static ThLanguage *named(const char *name)
{
    ThError err = {0};
    ThLanguage *l = th_language_named(name, &err);
    if (!l)
        fail_msg("%s: %s", name, err.msg);
    return l;
}

/* The number of words among all strings, and for each string whether it is one. */
static long members(const ThLanguage *l, int length, bool *is)
{
    int n, word[MAX_WORD] = {0}, i;
    long all = 0, cell = 0;
    ThError err = {0};
    th_language_symbols(l, &n);
    do {
        ThLanguageAnswer answer;
        assert_true(th_language_member(l, (ThLanguageWord){word, length}, NULL, &answer, &err));
        is[cell++] = answer == TH_LANGUAGE_YES;
        all += answer == TH_LANGUAGE_YES;
        for (i = length - 1; i >= 0 && ++word[i] == n; i--)
            word[i] = 0;
    } while (i >= 0);
    return all;
}

static bool add_one(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    (void)word;
    *(long *)context += answer == TH_LANGUAGE_YES;
    return true;
}

/* Which prefixes go on is what finds all words, and which do not ends what cannot be one: every
 * prefix that is viable has a word of up to `longest` symbols behind it, or is near that length. */
static void test_words_are_found(void **state)
{
    (void)state;
    ThError err = {0};
    bool *is = calloc(1 << 24, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThLanguage *l = named(rows[i].name);
        for (int n = 0; n <= rows[i].longest; n++) {
            int k;
            long found = 0, want;
            th_language_symbols(l, &k);
            if (pow(k, n) > CELLS)
                continue;
            want = members(l, n, is);
            assert_true(th_language_each(l, n, 0, add_one, &found, NULL, NULL, &err));
            if (found != want)
                fail_msg("%s, length %d: %ld words found of %ld", rows[i].name, n, found, want);
            ThLanguageWords *w = th_language_words(l, n, NULL, &err);
            assert_non_null(w);
            double counted = th_language_words_log(w);
            if (rows[i].counted &&
                !(want ? fabs(counted - log((double)want)) < 1e-12 : counted == -HUGE_VAL))
                fail_msg("%s, length %d: %g words counted, not %ld", rows[i].name, n, exp(counted),
                         want);
            th_language_words_free(w);
        }
        th_language_free(l);
    }
    free(is);
}

static bool keep_digits(void *context, int length, const char *digits, long long open)
{
    (void)length;
    snprintf(context, 32, "%s", digits);
    return open == 0;
}

/* Numbers that cannot be tried: Catalan(m) Catalan(m + 1) of two kinds of brackets, sums over the
 * kinds' shares of more, and 2^m or 5^m of what is repeated. */
static void test_words_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int length;
        const char *words;
    } exact[] = {{"shuffle_2", 12, "56628"},     {"shuffle_2", 20, "987369656"},
                 {"shuffle_3", 12, "1403028"},   {"shuffle_4", 12, "11925672"},
                 {"shuffle_6", 12, "207637452"}, {"shuffle_6", 11, "0"},
                 {"marked_copy", 41, "1048576"}, {"bucket_sort", 21, "9765625"},
                 {"odds_first", 40, "0"}};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        ThError err = {0};
        char digits[32] = "";
        ThLanguage *l = named(exact[i].name);
        int n = exact[i].length;
        assert_true(th_language_count(l, n, n, keep_digits, digits, NULL, NULL, &err));
        assert_string_equal(digits, exact[i].words);
        th_language_free(l);
    }
}

static int compare_words(const void *a, const void *b)
{
    return memcmp(a, b, MAX_WORD * sizeof(int));
}

/* Draws 40 times as many words as there are; the p of chi-squared, all being equally likely. */
static double uniformity(const ThLanguage *l, int length, long words, uint64_t seed)
{
    ThError err = {0};
    long draws = 40 * words, different = 0;
    int(*word)[MAX_WORD] = calloc((size_t)draws, sizeof *word);
    ThRng r = th_rng(seed, "test.library", 0);
    ThLanguageWords *w = th_language_words(l, length, NULL, &err);
    for (long i = 0; i < draws; i++) {
        ThLanguageAnswer answer;
        assert_true(th_language_draw(w, &r, word[i], &err));
        assert_true(th_language_member(l, (ThLanguageWord){word[i], length}, NULL, &answer, &err));
        assert_int_equal(answer, TH_LANGUAGE_YES);
    }
    qsort(word, (size_t)draws, sizeof *word, compare_words);
    double chi = 0, seen = 0;
    for (long i = 0; i < draws; i++) {
        seen++;
        if (i + 1 < draws && compare_words(word[i], word[i + 1]) == 0)
            continue;
        chi += (seen - 40) * (seen - 40) / 40;
        different++;
        seen = 0;
    }
    assert_int_equal(different, words);
    th_language_words_free(w);
    free(word);
    return words > 1 ? gsl_cdf_chisq_Q(chi, (double)words - 1) : 1;
}

static void test_drawing_is_uniform(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThLanguage *l = named(rows[i].name);
        double p = rows[i].counted ? uniformity(l, rows[i].longest, rows[i].words, i + 1) : 1;
        if (!(p > 1e-4))
            fail_msg("%s: p = %g", rows[i].name, p);
        th_language_free(l);
    }
}

/* Numbers are drawn by the lengths of their parts: every word of small ones comes up, and of long
 * ones, which need more than 64 bits, all are members. */
static void test_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"binary_addition", "binary_multiplication", "compute_sqrt"};
    ThError err = {0};
    int word[400];
    for (size_t i = 0; i < 3; i++) {
        ThLanguage *l = named(names[i]);
        ThLanguageWords *w = th_language_words(l, 400, NULL, &err);
        ThRng r = th_rng(i, "test.library", 1);
        double equals = 0, squares = 0;
        for (int k = 0; k < 2000; k++) {
            ThLanguageAnswer answer;
            assert_true(th_language_draw(w, &r, word, &err));
            if (k < 200)
                assert_true(
                    th_language_member(l, (ThLanguageWord){word, 400}, NULL, &answer, &err));
            assert_true(k >= 200 || answer == TH_LANGUAGE_YES);
            int at = 0, n;
            th_language_symbols(l, &n);
            while (word[at] != n - 1)
                at++;
            equals += at / 2000.0;
            squares += (double)at * at / 2000;
        }
        /* the answer's share: Dirichlet's mean and standard deviation */
        double share[] = {1 / 3.0, 1 / 2.0, 1 / 3.0}, sd[] = {0.2357, 0.2236, 0.2357};
        double mean = 1 - equals / 400, spread = sqrt(squares - equals * equals) / 400;
        if (!(fabs(mean - share[i]) < 0.02) || !(fabs(spread - sd[i]) < 0.015))
            fail_msg("%s: the answer has %g of the symbols, sd %g", names[i], mean, spread);
        th_language_words_free(w);
        th_language_free(l);
    }
}

/* Operands change places, or the first would always be the shorter one. */
static void test_operands(void **state)
{
    (void)state;
    ThError err = {0};
    int word[41], longer = 0, shorter = 0;
    ThLanguage *l = named("binary_addition");
    ThLanguageWords *w = th_language_words(l, 41, NULL, &err);
    ThRng r = th_rng(3, "test.library", 2);
    for (int k = 0; k < 1000; k++) {
        int plus = 0, equals = 0;
        assert_true(th_language_draw(w, &r, word, &err));
        while (word[plus] != 2)
            plus++;
        while (word[equals] != 3)
            equals++;
        longer += plus > equals - plus - 1;
        shorter += plus < equals - plus - 1;
    }
    if (abs(longer - shorter) > 130)
        fail_msg("the first number is longer %d times, shorter %d times", longer, shorter);
    th_language_words_free(w);
    th_language_free(l);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const none[] = {"shuffle_",  "shuffle_0", "shuffle_9", "shuffle_22",
                                       "boolean_x", "dyck",      "anbnc",     ""};
    ThError err = {0};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_null(th_language_named(none[i], &err));
        assert_int_equal(err.code, TH_OK);
    }
    for (size_t i = 0; th_language_library(i); i++) {
        char name[64];
        const ThLanguageRow *row = th_language_library(i);
        for (int k = row->least; k <= row->most; k++) {
            size_t n = strlen(row->name);
            strcpy(name, row->name);
            if (row->most > 0)
                name[n - 1] = (char)('0' + k);
            th_language_free(named(name));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_found),    cmocka_unit_test(test_words_are_counted),
        cmocka_unit_test(test_drawing_is_uniform), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_operands),           cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
