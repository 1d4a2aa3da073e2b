/* test_option.c - options: choices by their place in the list, tables that are joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(choices), cmocka_unit_test(joined),
                                       cmocka_unit_test(integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
