/* test_base.c - what everything stands on: options and ranges, memory, names by number, text that
 * comes back as it went, random numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sanitized.h"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "base/intern.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/rng.h"
#include "base/scan.h"
#include "base/symbols.h"
#include "base/text.h"

/* ---- options --------------------------------------------------------------------------------- */

static void ranges(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long lo, hi, step;
        size_t count;
    } good[] = {
        {"7", 7, 7, 1, 1},          {"1..9", 1, 9, 1, 9},
        {"1..9:2", 1, 9, 2, 5},     {"41..500:20", 41, 500, 20, 23},
        {"1..9:100", 1, 9, 100, 1}, {"0..8:4", 0, 8, 4, 3},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ThRange r;
        assert_true(th_range_parse(&r, good[i].text, NULL));
        assert_true(r.lo == good[i].lo && r.hi == good[i].hi && r.step == good[i].step);
        assert_int_equal(th_range_count(r), good[i].count);
    }
    /* A step of 0 would never come to an end. */
    static const char *const bad[] = {"1..9:0", "1..9:-1", "9..1", "1..", "..9",   "1..9:",
                                      "1...9",  "+1..9",   "1 2",  "",    "1..9x", "x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThRange r;
        ThError err = {0};
        if (th_range_parse(&r, bad[i], &err))
            fail_msg("'%s' was read", bad[i]);
        assert_int_equal(err.code, TH_EUSAGE);
    }
}

static const ThOptionSpec specs[] = {
    {"number", TH_INT, "3", 1, 9, NULL, "a number"},
    {"share", TH_REAL, "0.5", 0, 1, NULL, "a share"},
    {"way", TH_CHOICE, "all", 0, 0, "all|answer|none", "a choice"},
    {"length", TH_RANGE, "1..4", 1, 40, NULL, "a range"},
    {"loud", TH_FLAG, "no", 0, 0, NULL, "a flag"},
    {0},
};

static void options(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        bool fits;
    } cases[] = {
        {"number", "1", true},        {"number", "9", true},
        {"number", "0", false},       {"number", "10", false},
        {"number", "2.5", false},     {"number", "99999999999999999999", false},
        {"share", "0", true},         {"share", "1", true},
        {"share", "1e-3", true},      {"share", "1.01", false},
        {"share", "nan", false},      {"share", "0x1", false},
        {"share", "-0.1", false},     {"way", "answer", true},
        {"way", "none", true},        {"way", "a", false},
        {"way", "al", false},         {"way", "", false},
        {"way", "all|answer", false}, {"length", "1..40", true},
        {"length", "0..4", false},    {"length", "1..41", false},
        {"length", "1..9:0", false},  {"loud", "yes", true},
        {"loud", "maybe", false},     {"numbers", "1", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThOptions o;
        assert_true(th_options_init(&o, specs, NULL));
        if (th_options_set(&o, cases[i].name, cases[i].value, NULL) != cases[i].fits)
            fail_msg("%s=%s", cases[i].name, cases[i].value);
        if (!cases[i].fits) { /* what is refused changes nothing */
            char *text = th_options_format(&o, NULL);
            assert_string_equal(text, "");
            assert_false(th_option_given(&o, "number"));
            free(text);
        }
        th_options_free(&o);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void arena(void **state)
{
    (void)state;
    ThArena *a = th_arena_new(NULL);
    assert_non_null(a);
    size_t held = 0;
    for (int turn = 0; turn < 3; turn++) {
        char *block[40];
        for (int i = 0; i < 40; i++) {
            size_t n = (size_t)(i * i * i) + 1;
            block[i] = th_arena_take(a, n, 3);
            assert_non_null(block[i]);
            assert_int_equal((uintptr_t)block[i] % 64, 0);
            memset(block[i], i + 1, 3 * n);
        }
        for (int i = 0; i < 40; i++) {
            size_t n = (size_t)(i * i * i) + 1;
            for (size_t j = 0; j < 3 * n; j++)
                assert_int_equal(block[i][j], i + 1);
        }
        assert_true(turn == 0 || th_arena_bytes(a) == held);
        held = th_arena_bytes(a);
        th_arena_reset(a);
    }
    /* Products that wrap around to something small. */
    assert_null(th_arena_take(a, SIZE_MAX / 4 + 1, 4));
    assert_null(th_arena_take(a, SIZE_MAX / 8 + 2, 8));
    assert_null(th_arena_take(a, SIZE_MAX, 1));
    assert_null(th_arena_take(a, SIZE_MAX / 2, 2));
    assert_int_equal(th_arena_bytes(a), held);
    th_arena_free(a);
}

static void growing(void **state)
{
    (void)state;
    int *item = NULL;
    size_t cap = 0;
    ThError err = {0};
    for (size_t n = 1; n <= 1000; n++) {
        assert_true(th_grow(&item, &cap, n, sizeof *item, &err));
        assert_true(cap >= n);
        item[n - 1] = (int)n;
    }
    size_t before = cap;
    assert_false(th_grow(&item, &cap, SIZE_MAX / 4 + 2, sizeof *item, &err));
    assert_int_equal(err.code, TH_ENOMEM);
    assert_int_equal(cap, before);
    for (size_t n = 1; n <= 1000; n++)
        assert_int_equal(item[n - 1], n);
    free(item);
}

/* ---- names by number ------------------------------------------------------------------------- */

static void interning(void **state)
{
    (void)state;
    ThIntern t = {0};
    char name[16];
    size_t index, size;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < 3000; i++) {
            int n = snprintf(name, sizeof name, "%zx", i * i);
            assert_true(th_intern(&t, name, (size_t)n, &index, NULL));
            assert_int_equal(index, i);
        }
    }
    for (size_t i = 0; i < 3000; i++) {
        size_t n = (size_t)snprintf(name, sizeof name, "%zx", i * i);
        assert_memory_equal(th_intern_at(&t, i, &size), name, n);
        assert_int_equal(size, n);
        assert_true(th_intern_find(&t, name, n) == i);
    }
    assert_true(th_intern_find(&t, "none", 4) == SIZE_MAX);
    th_intern_rewind(&t, 1000);
    for (size_t i = 0; i < 3000; i++) {
        size_t n = (size_t)snprintf(name, sizeof name, "%zx", i * i);
        assert_true(th_intern_find(&t, name, n) == (i < 1000 ? i : SIZE_MAX));
    }
    assert_true(th_intern(&t, "new", 3, &index, NULL));
    assert_int_equal(index, 1000);
    th_intern_free(&t);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* What is written as a symbol is read as that symbol, and leaves a string behind it what it is. */
static void quoting(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a",    "a b",  "",      "-", "a-b", "->", "a->b", "\"",  "\\", "a\\nb", "\n", "\t",
        "\x7f", "\x01", "regex", "ε", "x'",  "'x", ".5",   "1.5", "#",  ";",     "{}", "\\u{41}",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ThText text = {0};
        ThTokens t = {0};
        th_text_symbol(&text, names[i]);
        th_text_add(&text, " \"x\\\\y\"");
        assert_true(th_tokens_read(&t, text.data, NULL));
        assert_int_equal(t.n, 3);
        assert_true(th_token_is_name(&t.token[0]));
        assert_string_equal(th_token_text(&t, &t.token[0]), names[i]);
        assert_string_equal(th_token_text(&t, &t.token[1]), "x\\y");
        th_tokens_free(&t);
        th_text_free(&text);
    }
}

static void escapes(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"\"\\n\\t\\\\\\\"\"", "\n\t\\\""},
        {"\"\\u{41}\"", "A"},
        {"\"\\u{e9}\"", "é"},
        {"\"\\u{20AC}\"", "€"},
        {"\"\\u{1F600}\"", "😀"},
        {"\"\\u{10ffff}\"", "\xf4\x8f\xbf\xbf"},
        {"\"\\u{d7ff}\"", "\xed\x9f\xbf"},
        {"regex \"a\\\"b\\.\"", "a\\\"b\\."},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ThTokens t = {0};
        assert_true(th_tokens_read(&t, good[i][0], NULL));
        assert_string_equal(th_token_text(&t, &t.token[t.n - 2]), good[i][1]);
        th_tokens_free(&t);
    }
    static const char *const bad[] = {"\"\\u{0}\"",      "\"\\u{d800}\"", "\"\\u{dfff}\"",
                                      "\"\\u{110000}\"", "\"\\u{}\"",     "\"\\u41\"",
                                      "\"\\x\"",         "\"a",           "\"a\\\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThTokens t = {0};
        ThError err = {0};
        if (th_tokens_read(&t, bad[i], &err))
            fail_msg("%s was read", bad[i]);
        assert_int_equal(err.code, TH_EPARSE);
        th_tokens_free(&t);
    }
}

static void nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"length", "steps", "seed", "samples", "label"};
    static const char *const rows[][2] = {
        {"lengh", "length"}, {"step", "steps"}, {"sed", "seed"}, {"sampls", "samples"},
        {"len", "length"},   {"x", NULL},       {"batch", NULL}, {"le", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = th_nearest(rows[i][0], names, sizeof names / sizeof *names);
        if (found != rows[i][1] && (!found || !rows[i][1] || strcmp(found, rows[i][1]) != 0))
            fail_msg("%s: %s", rows[i][0], found ? found : "none");
    }
}

/* ---- random numbers -------------------------------------------------------------------------- */

/* Three quarters of all 64-bit numbers: taking the rest modulo that would give the lowest third
 * half of the draws. */
static void draws_are_even(void **state)
{
    (void)state;
    enum { DRAWS = 30000 };
    const uint64_t third = (uint64_t)1 << 62;
    ThRng r = th_rng(1, "draws", 0);
    int low = 0;
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = th_rng_below(&r, 3 * third);
        assert_true(x < 3 * third);
        low += x < third;
    }
    assert_true(fabs(low - DRAWS / 3.0) < 5 * sqrt(DRAWS * 2 / 9.0));
    for (int i = 0; i < DRAWS; i++) {
        double x = th_rng_normal(&r), u = th_rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum) < 5 * sqrt(DRAWS));
    assert_true(fabs(squares - DRAWS) < 5 * sqrt(2.0 * DRAWS));
}

static void streams_differ(void **state)
{
    (void)state;
    ThRng a = th_rng(1, "x", 0), same = th_rng(1, "x", 0),
          b[] = {th_rng(2, "x", 0), th_rng(1, "y", 0), th_rng(1, "x", 1)};
    uint64_t first = th_rng_next(&a);
    assert_true(first == th_rng_next(&same));
    for (int i = 0; i < 3; i++)
        assert_true(first != th_rng_next(&b[i]));
}

/* All words of a length, in order; behind the last comes the first. */
static void test_words_in_order(void **state)
{
    (void)state;
    static const int order[][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1},
                                   {1, 2}, {2, 0}, {2, 1}, {2, 2}, {0, 0}};
    int word[2] = {0};
    for (int i = 0; i < 9; i++) {
        assert_memory_equal(word, order[i], sizeof word);
        assert_int_equal(th_symbols_next(word, 2, 3), i < 8);
    }
    assert_memory_equal(word, order[9], sizeof word);
    assert_false(th_symbols_next(word, 0, 3));
}

#ifdef __SANITIZE_ADDRESS__
/* What is behind a piece, and what a reset has taken back, may not be touched. */
static void arena_is_guarded(void **state)
{
    (void)state;
    ThArena *a = th_arena_new(NULL);
    for (size_t n = 1; n < 40; n++) {
        float *x = th_arena_take(a, n, sizeof *x), *y = th_arena_take(a, n, sizeof *y);
        assert_null(__asan_region_is_poisoned(x, n * sizeof *x));
        assert_true(__asan_address_is_poisoned(x + n));
        assert_true(__asan_address_is_poisoned((char *)y - 1));
        th_arena_reset(a);
        assert_true(__asan_address_is_poisoned(x) && __asan_address_is_poisoned(y + n - 1));
    }
    th_arena_free(a);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_in_order),
        cmocka_unit_test(ranges),
        cmocka_unit_test(options),

#ifdef __SANITIZE_ADDRESS__
        cmocka_unit_test(arena_is_guarded),
#endif
        cmocka_unit_test(arena),
        cmocka_unit_test(growing),
        cmocka_unit_test(interning),
        cmocka_unit_test(quoting),
        cmocka_unit_test(escapes),
        cmocka_unit_test(nearest),
        cmocka_unit_test(draws_are_even),
        cmocka_unit_test(streams_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
