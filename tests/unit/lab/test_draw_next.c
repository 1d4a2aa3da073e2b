/* All strings that a task can draw of a length: those that it draws, no more and no less. */
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intern.h"
#include "given.h"
#include "lab/evaluate.h"
#include "turing/tm_machine.h"

/* The number of a row, tokens and targets, among those that were met. */
static int row_number(ThIntern *rows, const ThTask *t, const ThBatch *b, int i)
{
    int line[512], n = th_batch_length(b, i);
    size_t index = 0;
    assert_true(2 * n < 512);
    memcpy(line, th_batch_token(b, i), (size_t)n * sizeof *line);
    memcpy(line + n, th_batch_target(&t->signature, b, i), (size_t)n * sizeof *line);
    assert_true(th_intern(rows, line, 2 * (size_t)n * sizeof *line, &index, NULL));
    return (int)index;
}

/* Goes through all, `at_once` at a time; returns how many strings came. */
static int draw_all(const ThTask *t, int length, int at_once, ThIntern *rows)
{
    ThBatch b = {0};
    ThLabWalk w = {.length = length, .left = LLONG_MAX};
    int n = 0;
    do {
        b.B = at_once;
        assert_true(th_lab_draw_next(t, &w, &b, NULL, NULL));
        assert_true(b.B == at_once || w.done);
        for (int i = 0; i < b.B; i++)
            assert_true(row_number(rows, t, &b, i) <= n++);
    } while (!w.done);
    assert_true(th_lab_draw_next(t, &w, &b, NULL, NULL) && b.B == 0);
    th_lab_walk_free(&w);
    th_batch_free(&b);
    return n;
}

/* Draws 40 times as many, of which none may be new, and none missing. */
static void check_all(ThTask *t, int length, int strings, int different)
{
    ThIntern rows = {0}, drawn = {0}, again = {0};
    assert_int_equal(draw_all(t, length, 7, &rows), strings);
    assert_int_equal(draw_all(t, length, 1000, &again), strings);
    assert_int_equal(rows.n, different);
    ThBatch b = {.B = 40 * strings};
    assert_true(th_lab_draw(t, &(ThLabStrings){3, length, 0}, &b, NULL));
    for (int i = 0; i < b.B; i++) {
        assert_true(row_number(&rows, t, &b, i) < different);
        row_number(&drawn, t, &b, i);
    }
    assert_int_equal(drawn.n, different);
    th_batch_free(&b);
    th_intern_free(&rows);
    th_intern_free(&drawn);
    th_intern_free(&again);
    th_task_free(t);
}

static ThTask *pad_task(const char *pad, const char *settings)
{
    ThTm *m = th_tm_read_bb("1RB1LB_1LA1RZ", NULL);
    ThTask *t = made_pad_task(pad, settings, th_pad_kind(pad)->takes_machine ? m : NULL);
    th_tm_free(m);
    return t;
}

static void test_copies(void **state)
{
    (void)state;
    check_all(made_task("copy", "symbols=3", NULL), 3, 27, 27);
    check_all(pad_task("copy", "letters=3"), 4, 81, 81);
    /* All 8 strings, places for two parts of two letters: one. */
    check_all(pad_task("copy", "letters=2 ngram=2 variant=duplicate"), 4, 16, 4);
    /* A letter that stands once and has one behind it: abb, baa, aba, bab. */
    check_all(made_task("ngram", "ngram=1 symbols=2", NULL), 3, 4, 4);
    ThTask *t = pad_task("copy", "letters=2 ngram=1 variant=prefix");
    ThIntern rows = {0}; /* not drawn: of aab, say, which has none, that is an error */
    assert_int_equal(draw_all(t, 3, 7, &rows), 4);
    th_intern_free(&rows);
    th_task_free(t);
}

static void test_sums(void **state)
{
    (void)state;
    check_all(pad_task("addition", "style=plain"), 1, 100, 100);
    check_all(pad_task("addition", "style=reversed second=1..2"), 1, 1100, 1100);
    /* Two places of three are marked. */
    check_all(pad_task("addition", "style=reversed hints=3"), 1, 300, 300);
    check_all(pad_task("multiplication", "multiplier=1"), 1, 100, 100);
}

/* Of three states two run, with two symbols and heads anywhere; where it may not leave the cells, a
 * head at an end has one of two rules. */
static void test_machines(void **state)
{
    (void)state;
    check_all(pad_task("machine", "steps=1"), 1, 4, 4);
    check_all(pad_task("machine", "steps=1"), 3, 48, 48);
    check_all(pad_task("machine", "steps=1 edge=avoid"), 3, 32, 32);
}

static void test_no_end(void **state)
{
    (void)state;
    ThTask *t = pad_task("sgd", "examples=1..2");
    ThBatch b = {.B = 3};
    ThLabWalk w = {.length = 1, .left = LLONG_MAX};
    ThError err = {0};
    assert_false(th_lab_draw_next(t, &w, &b, NULL, &err));
    assert_true(w.choices.uncountable);
    assert_int_equal(err.code, TH_EVALUE);
    th_lab_walk_free(&w);
    th_batch_free(&b);
    th_task_free(t);
}

/* Of 2^40 strings nearly all are left out: the drawings end where none are left, or at once where
 * somebody stops them; and 16 are enough for the 16 of three symbols, of which four come. */
static void test_ends(void **state)
{
    (void)state;
    static volatile sig_atomic_t stop = 1;
    ThTask *t = made_task("ngram", "ngram=1 symbols=2", NULL);
    ThBatch b = {.B = 100};
    ThLabWalk w = {.length = 40, .left = 5000}, stopped = w;
    ThError err = {0};
    assert_false(th_lab_draw_next(t, &w, &b, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    err = (ThError){0};
    b.B = 100;
    assert_false(th_lab_draw_next(t, &stopped, &b, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    for (int left = 15; left <= 16; left++) {
        ThLabWalk few = {.length = 3, .left = left};
        b.B = 100;
        assert_true(th_lab_draw_next(t, &few, &b, NULL, NULL) == (left == 16));
        assert_true(left < 16 || (b.B == 4 && few.done));
        th_lab_walk_free(&few);
    }
    th_lab_walk_free(&w);
    th_lab_walk_free(&stopped);
    th_batch_free(&b);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies), cmocka_unit_test(test_sums), cmocka_unit_test(test_machines),
        cmocka_unit_test(test_no_end), cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
