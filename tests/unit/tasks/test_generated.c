/* Tasks whose strings follow a published recipe: what they are, and the figures known of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbols.h"
#include "formulas.h"
#include "given.h"
#include "tasks/task.h"

/* ---- lists ----------------------------------------------------------------------------------- */

/* A second way to evaluate: a stack of half-read lists, and counts of digits instead of order. */
typedef struct {
    int operation, n, count[10];
} Open;

static int closed(const Open *o)
{
    int sum = 0, seen = 0, least = -1, most = -1, low = -1, high = -1;
    for (int v = 0; v < 10; v++) {
        sum += v * o->count[v];
        if (!o->count[v])
            continue;
        least = least < 0 ? v : least;
        most = v;
        if (low < 0 && seen + o->count[v] > (o->n - 1) / 2)
            low = v;
        if (high < 0 && seen + o->count[v] > o->n / 2)
            high = v;
        seen += o->count[v];
    }
    int value[] = {least, most, (low + high) / 2, sum % 10};
    return value[o->operation - 10];
}

static int value_of(const int *token, int n, int *deepest, int *widest)
{
    Open stack[100];
    int depth = 0, value = -1;
    *deepest = *widest = 0;
    for (int i = 0; i < n; i++) {
        if (token[i] >= 10 && token[i] < 14) {
            assert_true(depth < 100);
            stack[depth++] = (Open){.operation = token[i]};
            *deepest = depth > *deepest ? depth : *deepest;
            continue;
        }
        assert_true(token[i] < 10 || depth > 0);
        value = token[i] < 10 ? token[i] : closed(&stack[--depth]);
        if (token[i] == 14) {
            assert_true(stack[depth].n >= 2);
            *widest = stack[depth].n > *widest ? stack[depth].n : *widest;
        }
        if (depth > 0) {
            stack[depth - 1].n++;
            stack[depth - 1].count[value]++;
        } else {
            assert_int_equal(i, n - 1);
        }
    }
    return value;
}

typedef struct {
    int deepest, widest, shortest, longest, n_short, n_up_to[33]; /* rows of at most so many */
    double mean;
} Seen;

/* All rows of a part: every label is checked, and what is seen on the way comes back. */
static Seen look(const ThTask *t, ThTaskPart part)
{
    ThError err = {0};
    ThTaskRows all = {part, 1, 1000000};
    long long n = th_task_count(t, &all);
    Seen s = {.shortest = 1000000};
    ThBatch b = {.B = 100};
    assert_int_equal(n % b.B, 0);
    for (long long at = 0; at < n; at += b.B) {
        assert_true(th_task_take(t, &all, NULL, at, &b, &err));
        for (int i = 0; i < b.B; i++) {
            int size = th_batch_length(&b, i), deep, wide;
            int value = value_of(th_batch_token(&b, i), size, &deep, &wide);
            assert_int_equal(*th_batch_target(&t->signature, &b, i), value);
            ThTaskWord row = {th_batch_token(&b, i), size};
            assert_int_equal(th_task_truth(&t->signature, row), value);
            s.deepest = deep > s.deepest ? deep : s.deepest;
            s.widest = wide > s.widest ? wide : s.widest;
            s.shortest = size < s.shortest ? size : s.shortest;
            s.longest = size > s.longest ? size : s.longest;
            s.n_short += size <= 100;
            for (int k = size; k <= 32; k++)
                s.n_up_to[k]++;
            s.mean += size / (double)n;
        }
    }
    th_batch_free(&b);
    return s;
}

static int by_tokens(const void *a, const void *b)
{
    return memcmp(a, b, 8 * sizeof(int));
}

static void lists_are_right_and_differ(void **state)
{
    (void)state;
    ThTask *t = made_task("list_ops", "count=4000 tests=1000 longest=7 seed=3", NULL);
    Seen s = look(t, TH_TASK_TRAIN);
    look(t, TH_TASK_TEST);
    assert_int_equal(s.longest, 7);
    int(*rows)[8] = calloc(4000, sizeof *rows), n = 0;
    ThError err = {0};
    for (int part = 0; part < 2; part++) {
        ThTaskRows all = {(ThTaskPart)part, 1, 7};
        ThBatch b = {.B = (int)th_task_count(t, &all)};
        assert_true(th_task_take(t, &all, NULL, 0, &b, &err));
        for (int i = 0; i < b.B; i++, n++) {
            rows[n][0] = th_batch_length(&b, i);
            memcpy(rows[n] + 1, th_batch_token(&b, i), (size_t)rows[n][0] * sizeof(int));
        }
        th_batch_free(&b);
    }
    assert_int_equal(n, 4000);
    qsort(rows, 4000, sizeof *rows, by_tokens);
    for (int i = 1; i < n; i++)
        assert_true(by_tokens(rows[i - 1], rows[i]) != 0);
    free(rows);
    th_task_free(t);
}

/* The published test file: mean 42.85 symbols, median 16, 89.33 % of at most 100; nested up to 19.
 */
static void the_pool_is_distributed_as_published(void **state)
{
    (void)state;
    ThTask *t = made_task("list_ops", "", NULL);
    Seen s = look(t, TH_TASK_TEST);
    assert_true(s.mean > 41 && s.mean < 45);
    assert_true(s.n_short > 8870 && s.n_short < 8990);
    assert_true(s.deepest > 10 && s.deepest <= 19);
    assert_int_equal(s.widest, 5);
    ThTaskRows test = {TH_TASK_TEST, 1, 1000000}, train = {TH_TASK_TRAIN, 1, 1000000};
    assert_int_equal(th_task_count(t, &train), 90000);
    double majority = th_task_majority(t, &test);
    assert_true(majority > 0.105 && majority < 0.122);
    s = look(t, TH_TASK_TRAIN);
    assert_true(s.n_up_to[15] < 45000 && s.n_up_to[16] >= 45000);
    th_task_free(t);
}

static void bands_and_arguments_hold(void **state)
{
    (void)state;
    ThTask *t = made_task("list_ops", "split=200_300 count=500", NULL);
    Seen s = look(t, TH_TASK_TEST);
    assert_true(s.shortest >= 201 && s.longest <= 299);
    th_task_free(t);
    t = made_task("list_ops", "split=arguments_15 count=500", NULL);
    s = look(t, TH_TASK_TEST);
    assert_true(s.shortest >= 100 && s.longest <= 1000 && s.deepest <= 8);
    assert_int_equal(s.widest, 15);
    th_task_free(t);
}

/* Lists of one part, deeper than any stack, and what is no list. */
static void strange_lists_have_a_value_or_none(void **state)
{
    (void)state;
    enum { DEEP = 200000, MAX = 11, CLOSE = 14 };
    ThTask *t = made_task("list_ops", "count=20 tests=0 longest=7", NULL);
    int *deep = calloc(2 * DEEP + 1, sizeof *deep);
    for (int i = 0; i < DEEP; i++) {
        deep[i] = MAX;
        deep[DEEP + 1 + i] = CLOSE;
    }
    deep[DEEP] = 6;
    assert_int_equal(th_task_truth(&t->signature, (ThTaskWord){deep, 2 * DEEP + 1}), 6);
    for (int n = 0; n <= 2 * DEEP; n += DEEP / 4)
        assert_int_equal(th_task_truth(&t->signature, (ThTaskWord){deep, n}), -1);
    assert_int_equal(th_task_truth(&t->signature, (ThTaskWord){deep + 1, 2 * DEEP}), -1);
    free(deep);
    static const int odd[][6] = {{2, 3, CLOSE},      {CLOSE, 2},         {MAX, CLOSE},
                                 {3, MAX, 2, CLOSE}, {MAX, 2, CLOSE, 3}, {MAX, 2, CLOSE, CLOSE},
                                 {MAX + 2, CLOSE}};
    static const int length[] = {3, 2, 2, 4, 4, 4, 2};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_int_equal(th_task_truth(&t->signature, (ThTaskWord){odd[i], length[i]}), -1);
    static const int right[] = {MAX, 2, MAX, 3, CLOSE, CLOSE};
    assert_int_equal(th_task_truth(&t->signature, (ThTaskWord){right, 6}), 3);
    th_task_free(t);
    t = made_task("modular_arithmetic", "", NULL);
    assert_int_equal(th_task_truth(&t->signature, (ThTaskWord){&(int){3}, 1}), -1);
    th_task_free(t);
}

static void too_few_strings_are_an_error(void **state)
{
    (void)state;
    const ThTaskKind *k = th_task_kind("list_ops");
    ThOptions o = {0};
    ThError err = {0};
    assert_true(th_options_init(&o, k->options, &err));
    assert_true(th_options_set(&o, "longest", "3", &err));
    assert_null(th_task_new(k, &o, NULL, &err));
    assert_string_equal(err.msg, "there seem to be no more than 10 such strings: count=100000 "
                                 "cannot be drawn");
    th_options_free(&o);
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* The relation by how many assignments make both, one, or none true. */
static const char *related(const int *token, int n, int *operators)
{
    int count[2][2] = {{0}};
    for (int assignment = 0; assignment < 64; assignment++) {
        int left = 0, right = 0;
        const int *at = token;
        bool x = formula_holds(&at, assignment, &left);
        assert_int_equal(*at++, BETWEEN);
        bool y = formula_holds(&at, assignment, &right);
        assert_int_equal(at - token, n);
        count[x][y]++;
        *operators = left > right ? left : right;
    }
    bool both = count[1][1] > 0, none = count[0][0] > 0, first = count[1][0], second = count[0][1];
    assert_true((both || first) && (none || first) && (both || second) && (none || second));
    return !first && !second ? "="
           : !first          ? "<"
           : !second         ? ">"
           : !both           ? (none ? "|" : "^")
           : !none           ? "v"
                             : "#";
}

static void formulas_are_related_as_said(void **state)
{
    (void)state;
    for (int part = 0; part < 2; part++) {
        ThError err = {0};
        ThTask *t = made_task("logical_inference",
                              part ? "split=test count=6000" : "count=6000 operators=1..5", NULL);
        assert_true(t->signature.pairs);
        ThTaskRows test = {TH_TASK_TEST, 1, 1000000}, train = {TH_TASK_TRAIN, 1, 1000000};
        assert_true((th_task_count(t, &train) == 0) == (part == 1));
        ThBatch b = {.B = (int)th_task_count(t, &test)};
        assert_true(b.B > 50);
        assert_true(th_task_take(t, &test, NULL, 0, &b, &err));
        for (int i = 0; i < b.B; i++) {
            int operators;
            const char *wanted = related(th_batch_token(&b, i), th_batch_length(&b, i), &operators);
            assert_string_equal(t->signature.label[*th_batch_target(&t->signature, &b, i)], wanted);
            assert_in_range(operators, part ? 7 : 1, part ? 21 : 5);
        }
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* Operators of the formula that has more, without reading them. */
static int most_operators(const int *token, int n)
{
    int side[2] = {0}, right = 0;
    for (int i = 0; i < n; i++) {
        right |= token[i] == BETWEEN;
        side[right] += token[i] >= AND && token[i] <= NOT;
    }
    int most = side[0] > side[1] ? side[0] : side[1];
    return most < 12 ? most : 12;
}

static bool is_pair(const ThTask *t, const int *token, int n, const char *text)
{
    int length;
    ThError err = {0};
    int *word = th_symbols_read(t->signature.symbol, t->signature.n_symbols, text, &length, &err);
    assert_non_null(word);
    bool same = length == n && memcmp(word, token, (size_t)n * sizeof *token) == 0;
    free(word);
    return same;
}

/* The published sets: 85 in 100 of them, and pairs that the paper explains. */
static void pairs_are_distributed_as_published(void **state)
{
    (void)state;
    static const int published[] = {36,    2729,  14649, 27356, 35734, 40179, 38768,
                                    31378, 22309, 14864, 9625,  5758,  5684};
    static const char *const example[][2] = {{"a , ( not a )", "^"},
                                             {"a , ( a ( or b ) )", "<"},
                                             {"( a ( and b ) ) , ( not a )", "|"},
                                             {"( not a ) , ( a ( or b ) )", "v"},
                                             {"a , b", "#"}};
    ThError err = {0};
    ThTask *t = made_task("logical_inference", "operators=0..12", NULL);
    int count[13] = {0}, found = 0, independent = 0, all = 0;
    for (int part = 0; part < 2; part++) {
        ThTaskRows rows = {(ThTaskPart)part, 1, 1000000};
        ThBatch b = {.B = (int)th_task_count(t, &rows)};
        assert_true(th_task_take(t, &rows, NULL, 0, &b, &err));
        for (int i = 0; i < b.B; i++) {
            const int *token = th_batch_token(&b, i);
            int n = th_batch_length(&b, i);
            const char *label = t->signature.label[*th_batch_target(&t->signature, &b, i)];
            count[most_operators(token, n)]++;
            independent += strcmp(label, "#") == 0;
            all++;
            for (int k = 0; n < 16 && k < 5; k++)
                if (is_pair(t, token, n, example[k][0])) {
                    assert_string_equal(label, example[k][1]);
                    found++;
                }
        }
        th_batch_free(&b);
    }
    assert_int_equal(count[0], 30); /* of 36 */
    for (int k = 1; k < 13; k++)
        if (abs(count[k] - published[k] * 85 / 100) > published[k] * 85 / 100 / 50)
            fail_msg("%d pairs of %d operators", count[k], k);
    assert_true(independent > 0.52 * all && independent < 0.545 * all);
    assert_true(found >= 3);
    th_task_free(t);
}

/* ---- flip-flops ------------------------------------------------------------------------------ */

enum { W, I, R, ZERO, ONE };

static void stored_bits_are_asked_for(void **state)
{
    (void)state;
    ThTask *all = made_task("flip_flop", "ignore=0.5", NULL),
           *last = made_task("flip_flop", "ignore=0.5 reads=last", NULL);
    ThRng r = th_rng(7, "test", 0);
    ThBatch b = {.B = 200};
    ThError err = {0};
    const ThDfa *machine = th_task_machine(all, &err);
    assert_non_null(machine);
    assert_true(th_task_sample(all, &r, 63, &b, &err));
    assert_int_equal(b.T, 63);
    int targets[63];
    for (int i = 0; i < b.B; i++) {
        const int *row = th_batch_token(&b, i), *target = th_batch_target(&all->signature, &b, i);
        for (int k = 0; k < b.T; k++) {
            int wanted = -1, at = k - 2;
            assert_true((row[k] >= ZERO) == (k % 2 == 1));
            while (row[k] == R && row[at] != W)
                at -= 2;
            if (row[k] == R)
                wanted = row[at + 1];
            assert_int_equal(target[k], wanted);
            int class = th_dfa_class(machine, row, (size_t)k + 1);
            assert_int_equal(class, wanted < 0 ? 5 : wanted);
            if (k > 0 && row[k - 1] == R)
                assert_int_equal(row[k], target[k - 1]);
        }
        assert_true(row[0] == W && row[b.T - 1] == R);
    }
    memcpy(targets, th_batch_target(&all->signature, &b, 5), sizeof targets);
    th_task_label(last, &b);
    const int *target = th_batch_target(&last->signature, &b, 5);
    for (int k = 0; k < b.T; k++)
        assert_int_equal(target[k], k == b.T - 1 ? targets[k] : -1);
    th_batch_free(&b);
    th_task_free(all);
    th_task_free(last);
}

/* Reads in a string of 512 symbols, and how often the bit before is right: known figures. */
static void reads_are_as_frequent_as_published(void **state)
{
    (void)state;
    static const struct {
        const char *ignore;
        double reads, same;
    } known[] = {{"ignore=0.8", 26.5, 0.60}, {"ignore=0.1", 115, 0.95}, {"ignore=0.98", 3.6, 0.51}};
    for (int c = 0; c < 3; c++) {
        ThTask *t = made_task("flip_flop", known[c].ignore, NULL);
        ThRng r = th_rng(11, "test", (uint64_t)c);
        ThBatch b = {.B = 2000};
        ThError err = {0};
        assert_true(th_task_sample(t, &r, 512, &b, &err));
        double reads = 0, same = 0;
        for (int i = 0; i < b.B; i++) {
            const int *row = th_batch_token(&b, i), *target = th_batch_target(&t->signature, &b, i);
            for (int k = 0; k < b.T; k++) {
                reads += row[k] == R;
                same += row[k] == R && row[k - 1] == target[k];
            }
        }
        assert_true(reads / b.B > 0.96 * known[c].reads && reads / b.B < 1.04 * known[c].reads);
        assert_true(same / reads > known[c].same - 0.03 && same / reads < known[c].same + 0.03);
        th_batch_free(&b);
        th_task_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_right_and_differ),
        cmocka_unit_test(the_pool_is_distributed_as_published),
        cmocka_unit_test(bands_and_arguments_hold),
        cmocka_unit_test(strange_lists_have_a_value_or_none),
        cmocka_unit_test(too_few_strings_are_an_error),
        cmocka_unit_test(formulas_are_related_as_said),
        cmocka_unit_test(pairs_are_distributed_as_published),
        cmocka_unit_test(stored_bits_are_asked_for),
        cmocka_unit_test(reads_are_as_frequent_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
