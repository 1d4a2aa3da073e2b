/* Texts as tasks: symbols, parts, windows, what is asked for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "given.h"
#include "lab/evaluate.h"

static ThTask *task_of(const char *text, size_t size, const char *settings, ThError *err)
{
    char path[] = "/tmp/text-XXXXXX";
    int fd = mkstemp(path);
    const ThTaskKind *kind = th_task_kind("text");
    ThOptions o;
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    close(fd);
    set_all(&o, kind->options, settings);
    ThTask *t = th_task_new(kind, &o, &(ThTaskSource){.file = path}, err);
    th_options_free(&o);
    unlink(path);
    return t;
}

static void test_symbols(void **state)
{
    (void)state;
    static const struct {
        const char *text, *settings, *symbols;
    } rows[] = {{"b\xc3\xa9 a\nb", "", "\n| |a|b|\xc3\xa9|"},
                {"b\xc3\xa9 a\nb", "tokens=bytes", "\n| |a|b|<A9>|<C3>|"},
                {"\tx\xff", "tokens=bytes", "<09>|x|<FF>|"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char found[64] = "";
        ThTask *t = task_of(rows[i].text, strlen(rows[i].text), rows[i].settings, NULL);
        assert_non_null(t);
        for (int k = 0; k < t->signature.n_symbols; k++) {
            strcat(strcat(found, t->signature.symbol[k]), "|");
            assert_string_equal(t->signature.symbol[k], t->signature.label[k]);
        }
        assert_string_equal(found, rows[i].symbols);
        assert_true(t->signature.next);
        th_task_free(t);
    }
}

static void test_bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        int line, col;
    } rows[] = {{"ab\na\xff", 5, 2, 2}, {"ab\0c", 4, 1, 3}, {"aaa", 3, 0, 0}, {"", 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThError err = {0};
        assert_null(task_of(rows[i].text, rows[i].size, "", &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_int_equal(err.line, rows[i].line);
        assert_int_equal(err.col, rows[i].col);
    }
}

/* Every place of a text of different numbers says where it was: 300 places, the first 200 to train
 * on.  The bytes are chosen so that three in a row stand nowhere else. */
static void test_windows(void **state)
{
    (void)state;
    enum { N = 300, TRAIN = 200, B = 64, T = 9 };
    char text[N + 1] = "";
    ThRng r = th_rng(1, "test", 0);
    for (int i = 0; i < N; i++)
        text[i] = (char)('A' + below(&r, 50));
    ThTask *made = task_of(text, N, "split=0.6666667 context=10", NULL);
    ThTask *t = th_task_copy(made, NULL);
    th_task_free(made);
    assert_non_null(t);
    ThRange lengths = th_task_lengths(t, (ThRange){1, 2, 1});
    assert_int_equal(lengths.lo, 10);
    assert_int_equal(lengths.hi, 10);
    for (int part = 0; part < 2; part++) {
        ThBatch b = {.B = B};
        int first = N, last = 0;
        assert_true(part ? th_task_sample(t, &r, T + 1, &b, NULL)
                         : t->kind->study(t, &r, &lengths, &b, NULL));
        assert_int_equal(b.T, T);
        for (int i = 0; i < B; i++) {
            char row[T + 2] = "";
            const int *target = th_batch_target(&t->signature, &b, i);
            for (int k = 0; k < T; k++)
                row[k] = *t->signature.symbol[th_batch_token(&b, i)[k]];
            row[T] = *t->signature.label[target[T - 1]];
            const char *at = strstr(text, row);
            assert_non_null(at);
            first = at - text < first ? (int)(at - text) : first;
            last = at - text > last ? (int)(at - text) : last;
            for (int k = 0; k + 1 < T; k++)
                assert_int_equal(target[k], part ? -1 : th_batch_token(&b, i)[k + 1]);
        }
        assert_in_range(first, part ? TRAIN : 0, part ? TRAIN + 9 : 9);
        assert_in_range(last, (part ? N : TRAIN) - T - 10, (part ? N : TRAIN) - T - 1);
        th_batch_free(&b);
    }
    ThBatch b = {.B = 1};
    ThError err = {0};
    assert_false(th_task_sample(t, &r, N - TRAIN + 1, &b, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_true(th_task_sample(t, &r, N - TRAIN, &b, NULL));
    assert_true(th_task_sample(t, &r, 1, &b, NULL)); /* a symbol, and the one before it */
    assert_int_equal(b.T, 1);
    th_batch_free(&b);
    th_task_free(t);
}

/* Every symbol says where it stands.  Windows of all lengths ask for the same, but for those before
 * which there are too few symbols to read. */
static void test_same_symbols(void **state)
{
    (void)state;
    enum { N = 140, TRAIN = 56, B = 48, LONGEST = 40 };
    static const int length[] = {LONGEST, 2, 11};
    char text[3 * N + 1];
    int asked[3][B], moved = 0, apart = 0;
    for (int i = 0; i < N; i++) /* U+4E00 and so on */
        snprintf(text + 3 * i, 4, "\xe4%c%c", (char)(0xb8 + i / 64), (char)(0x80 + i % 64));
    ThTask *t = task_of(text, 3 * N, "split=0.4", NULL);
    for (int k = 0; k < 3; k++) {
        ThBatch b = {.B = B};
        assert_true(th_lab_draw(t, &(ThLabStrings){.seed = 3, .length = length[k]}, &b, NULL));
        assert_int_equal(b.T, length[k] - 1);
        for (int i = 0; i < B; i++) {
            asked[k][i] = th_batch_target(&t->signature, &b, i)[b.T - 1];
            assert_int_equal(th_batch_token(&b, i)[0], asked[k][i] - b.T);
            assert_in_range(asked[k][i], TRAIN + b.T, N - 1);
        }
        th_batch_free(&b);
    }
    for (int i = 0; i < B; i++) {
        bool enough = asked[1][i] >= TRAIN + LONGEST - 1;
        assert_true(!enough || (asked[0][i] == asked[1][i] && asked[2][i] == asked[1][i]));
        moved += !enough;
        apart += i > 0 && asked[1][i] != asked[1][i - 1];
    }
    assert_in_range(moved, B / 5, 4 * B / 5);
    assert_true(apart > B / 2);
    th_task_free(t);
}

static void test_all_scored(void **state)
{
    (void)state;
    ThTask *t = task_of("abcabcabc", 9, "split=0 scored=all", NULL);
    ThBatch b = {.B = 3};
    ThRng r = th_rng(1, "test", 0);
    assert_true(th_task_sample(t, &r, 5, &b, NULL));
    for (int i = 0; i < 3 * b.T; i++)
        assert_int_equal(b.target[i], (b.token[i] + 1) % 3);
    th_batch_free(&b);
    th_task_free(t);
}

/* By hand: of the last eight symbols six are a, two are b. */
static void test_without_reading(void **state)
{
    (void)state;
    ThTask *t = task_of("bbbbbbbbaaabaaab", 16, "split=0.5", NULL);
    ThText lines = {0};
    char wanted[32];
    assert_true(fabs(th_task_chance(t, 10) - 0.75) < 1e-12);
    t->kind->describe(t, &lines);
    snprintf(wanted, sizeof wanted, "perplexity is %.4g\n", pow(0.75, -0.75) * pow(0.25, -0.25));
    assert_non_null(strstr(lines.data, wanted));
    th_text_free(&lines);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),         cmocka_unit_test(test_bad_texts),
        cmocka_unit_test(test_windows),         cmocka_unit_test(test_all_scored),
        cmocka_unit_test(test_without_reading), cmocka_unit_test(test_same_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
