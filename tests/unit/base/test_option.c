/* test_option.c - options: choices by their place in the list, tables that are joined. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arithmetic.h"
#include "base/option.h"

static const ThOptionSpec first[] = {
    {"loss", TH_CHOICE, "all", 0, 0, "all|answer|al", "choices that begin alike"},
    {"edge", TH_CHOICE, NULL, 0, 0, "stay|extend", "without a default"},
    {"n", TH_INT, "3", 1, 9, NULL, "a number"},
    {0}};
static const ThOptionSpec second[] = {{"rate", TH_REAL, "0.5", 0, 1, NULL, "another"},
                                      {"n", TH_INT, "7", 1, 9, NULL, "a name that is taken"},
                                      {0}};

static void choices(void **state)
{
    (void)state;
    ThOptions o;
    ThError err = {0};
    assert_true(th_options_init(&o, first, &err));
    assert_int_equal(th_option_choice(&o, "loss"), 0);
    assert_int_equal(th_option_choice(&o, "edge"), -1);
    assert_true(th_options_set(&o, "loss", "answer", &err));
    assert_int_equal(th_option_choice(&o, "loss"), 1);
    assert_true(th_options_set(&o, "loss", "al", &err));
    assert_int_equal(th_option_choice(&o, "loss"), 2);
    assert_true(th_options_set(&o, "edge", "extend", &err));
    assert_int_equal(th_option_choice(&o, "edge"), 1);
    assert_false(th_options_set(&o, "loss", "a", &err)); /* no abbreviations */
    assert_false(th_options_set(&o, "loss", "all|answer", &err));
    assert_false(th_options_set(&o, "loss", "", &err));
    assert_int_equal(th_option_choice(&o, "loss"), 2);
    ThOptions copy;
    assert_true(th_options_copy(&copy, &o, &err));
    assert_int_equal(th_option_choice(&copy, "loss"), 2);
    th_options_free(&copy);
    th_options_free(&o);
}

/* Former names of options, and of words of choices, mean what they meant; beside an option that is
 * called so now they mean that one, also where the other table is joined later. */
static void renamed(void **state)
{
    static const ThOptionSpec tree[] = {
        {"mlp_ratio", TH_INT, "4", 1, 64, NULL, "once hidden"},
        {"counterexamples", TH_STRING, NULL, 0, 0, NULL, "once against"},
        {"method", TH_CHOICE, "all", 0, 0, "all|unreachable|ngram_cps", "once contexts"},
        {0}};
    static const ThOptionSpec plain[] = {
        {"hidden", TH_INT, "256", 1, 1e6, NULL, "not the other"},
        {"published", TH_STRING, NULL, 0, 0, NULL, "once against, too"},
        {0}};
    (void)state;
    ThOptions o;
    ThError err = {0};
    assert_true(th_options_init(&o, tree, &err));
    assert_true(th_option_known(&o, "hidden") && !th_option_known(&o, "gate"));
    assert_true(th_options_set(&o, "hidden", "7", &err));
    assert_int_equal(th_option_int(&o, "mlp_ratio"), 7);
    assert_true(th_option_given(&o, "mlp_ratio"));
    assert_true(th_options_set(&o, "against", "A", &err));
    assert_true(th_options_set(&o, "method", "contexts", &err));
    assert_int_equal(th_option_choice(&o, "method"), 2);
    assert_false(th_options_set(&o, "method", "context", &err));
    char *text = th_options_format(&o, &err);
    assert_string_equal(text, "mlp_ratio=7 counterexamples=A method=ngram_cps");
    free(text);
    assert_true(th_options_add(&o, plain, &err));
    assert_int_equal(th_option_int(&o, "hidden"), 256);
    assert_true(th_options_set(&o, "hidden", "300", &err));
    assert_int_equal(th_option_int(&o, "hidden"), 300);
    assert_int_equal(th_option_int(&o, "mlp_ratio"), 7);
    th_options_free(&o);
    assert_true(th_options_init(&o, plain, &err));
    assert_true(th_options_set(&o, "against", "B", &err));
    assert_string_equal(th_option_text(&o, "published"), "B");
    th_options_free(&o);
}

static void joined(void **state)
{
    (void)state;
    ThOptions o;
    ThError err = {0};
    assert_true(th_options_init(&o, first, &err));
    assert_true(th_options_set(&o, "n", "4", &err));
    assert_true(th_options_add(&o, second, &err));
    assert_true(th_options_add(&o, NULL, &err));
    assert_int_equal(o.n, 4);
    assert_int_equal(th_option_int(&o, "n"), 4);
    assert_true(th_option_real(&o, "rate") == 0.5);
    assert_true(th_option_known(&o, "rate") && !th_option_known(&o, "rat"));
    th_options_free(&o);
    assert_true(th_options_init(&o, NULL, &err));
    assert_false(th_options_set(&o, "n", "4", &err));
    th_options_free(&o);
}

static void integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long value;
    } right[] = {{"0", 0},          {"-7", -7},
                 {"007", 7},        {"1_000_000", 1000000},
                 {"1e6", 1000000},  {"1.5e3", 1500},
                 {"10^6", 1000000}, {"2^62", 1LL << 62},
                 {"-2^3", -8},      {"-1^1_000_001", -1},
                 {"0^0", 1},        {"9223372036854775807", INT64_MAX}};
    static const char *const wrong[] = {
        "",     "-",    "x",    "1x", "1_",    "_1",    "1__0",
        "+1",   " 1",   "1 ",   "1e", "1.5",   "1.5e0", "1e-1",
        "1e19", "2^63", "2^-1", "2^", "10^6x", "0x10",  "9223372036854775808",
        "inf",  "nan",  "1e6_0"};
    long long value;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(th_integer_read(right[i].text, &value));
        assert_int_equal(value, right[i].value);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(th_integer_read(wrong[i], &value));
}

static void arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long value;
    } right[] = {{"2*(3+1)", 8},
                 {" 1 + 2 * 3 ", 7},
                 {"7-2-1", 4},
                 {"2^3^2", 512},
                 {"10^6-1", 999999},
                 {"12/4", 3},
                 {"17%5", 2},
                 {"-3+5", 2},
                 {"2*-3", -6},
                 {"-(2+1)^2", -9},
                 {"1e3*2", 2000},
                 {"1_000+1", 1001},
                 {"(-1)^1000000000000", 1},
                 {"0^9e18", 0},
                 {"9223372036854775807-1", 9223372036854775806},
                 {"(-9223372036854775807-1)%-1", 0}};
    static const char *const wrong[] = {
        "",      "1+",   "(1",     "1)",  "2/4",  "1/0",
        "1%0",   "2^-1", "x",      "1 2", "1..2", "9223372036854775807+1",
        "10^19", "1.5",  "1+0.5",  "++1", "2**3", "(-9223372036854775807-1)/-1",
        "inf-1", "0x10", "1e400*0"};
    long long value;
    double x;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(th_integer_evaluate(right[i].text, &value));
        assert_int_equal(value, right[i].value);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(th_integer_evaluate(wrong[i], &value));
    char deep[2001];
    memset(deep, '(', 2000);
    deep[2000] = '\0';
    assert_false(th_integer_evaluate(deep, &value));
    memset(deep, '-', 2000);
    assert_false(th_integer_evaluate(deep, &value));
    assert_true(th_real_evaluate("1e-3*3", &x) && x == 1e-3 * 3);
    assert_true(th_real_evaluate("1/4", &x) && x == 0.25);
    assert_true(th_real_evaluate("2^-1", &x) && x == 0.5);
    assert_false(th_real_evaluate("1e308*10", &x));
    assert_false(th_real_evaluate("(0-1)^0.5", &x));
}

/* Options take what is computed, and keep an integer in digits. */
static void computed(void **state)
{
    (void)state;
    static const ThOptionSpec specs[] = {{"steps", TH_INT, "1", 0, 100, NULL, ""},
                                         {"lr", TH_REAL, "1", 0, 1, NULL, ""},
                                         {"length", TH_RANGE, "1..2", 1, 100, NULL, ""},
                                         {NULL, 0, NULL, 0, 0, NULL, NULL}};
    ThOptions o = {0};
    ThError err = {0};
    assert_true(th_options_init(&o, specs, &err));
    assert_true(th_options_set(&o, "steps", "3*4", &err));
    assert_int_equal(th_option_int(&o, "steps"), 12);
    assert_string_equal(th_option_text(&o, "steps"), "12");
    assert_true(th_options_set(&o, "lr", "1/8", &err));
    assert_true(th_option_real(&o, "lr") == 0.125);
    assert_true(th_options_set(&o, "length", "2+1..2*(3+4):2-1", &err));
    assert_int_equal(th_option_range(&o, "length").lo, 3);
    assert_int_equal(th_option_range(&o, "length").hi, 14);
    assert_false(th_options_set(&o, "steps", "99+2", &err));
    th_options_free(&o);
}

/* Numbers are set as numbers: what text would be refused is, and text says the same again. */
static void numbers(void **state)
{
    (void)state;
    static const ThOptionSpec specs[] = {{"steps", TH_INT, "1", 0, 100, NULL, ""},
                                         {"lr", TH_REAL, "1", 0, 1, NULL, ""},
                                         {"length", TH_RANGE, "1..2", 1, 100, NULL, ""},
                                         {NULL, 0, NULL, 0, 0, NULL, NULL}};
    ThOptions o = {0}, again = {0};
    ThError err = {0};
    assert_true(th_options_init(&o, specs, &err) && th_options_init(&again, specs, &err));
    assert_true(th_options_set_int(&o, "steps", 100, &err));
    assert_true(th_option_given(&o, "steps") && th_option_int(&o, "steps") == 100);
    assert_true(th_options_set_real(&o, "steps", 7.0, &err) && th_option_int(&o, "steps") == 7);
    assert_true(th_options_set_real(&o, "lr", 0.1, &err) && th_option_real(&o, "lr") == 0.1);
    assert_true(th_options_set_range(&o, "length", (ThRange){3, 11, 4}, &err));
    assert_true(th_option_range(&o, "length").hi == 11 && th_option_range(&o, "length").step == 4);
    for (size_t i = 0; i < o.n; i++)
        assert_true(th_options_set(&again, o.item[i].spec->name, o.item[i].text, &err));
    assert_true(th_option_real(&again, "lr") == 0.1 && th_option_int(&again, "steps") == 7 &&
                th_option_range(&again, "length").lo == 3);
    assert_false(th_options_set_int(&o, "steps", 101, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    assert_false(th_options_set_int(&o, "steps", -1, NULL));
    assert_false(th_options_set_real(&o, "steps", 7.5, NULL));
    assert_false(th_options_set_real(&o, "lr", (double)NAN, NULL));
    assert_false(th_options_set_real(&o, "lr", 1.0001, NULL));
    assert_false(th_options_set_int(&o, "lr", 1, NULL));
    assert_false(th_options_set_range(&o, "length", (ThRange){0, 11, 1}, NULL));
    assert_false(th_options_set_range(&o, "length", (ThRange){3, 2, 1}, NULL));
    assert_false(th_options_set_range(&o, "length", (ThRange){3, 101, 1}, NULL));
    assert_false(th_options_set_int(&o, "speed", 1, NULL));
    assert_true(th_option_int(&o, "steps") == 7 && th_option_range(&o, "length").hi == 11);
    th_options_free(&again);
    th_options_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(choices),    cmocka_unit_test(renamed),
                                       cmocka_unit_test(joined),     cmocka_unit_test(integers),
                                       cmocka_unit_test(arithmetic), cmocka_unit_test(computed),
                                       cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
