/* How long models think: what they decided adds up, and is what they pay for; and whether that goes
 * with what there is to think about. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"
#include "inspect/halting_depth.h"

/* Of a pair the left side has two symbols; symbol 2 stands between. */
enum { SYMBOLS = 3, LENGTH = 7, LEFT = 2 };

static const int word[LENGTH] = {0, 1, 2, 1, 0, 1, 1};

static void close_to(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.15g is not %.15g", found, wanted);
}

static const char *const forms[][2] = {
    {"universal", "ponder=1"},
    {"universal", "ponder=1 threshold=0.6"},
    {"universal", "ponder=1 causal=yes halt_from=1"},
    {"gated_universal", "ponder=1"},
    {"gated_universal", "ponder=1 threshold=0.7"},
    {"gated_universal", "ponder=1 causal=yes threshold=0.8"},
};

/* What training pays for the string. */
static double cost_of(const ThModel *m)
{
    ThError err = {0};
    ThTape *t = th_model_tape(m, TH_TAPE_FLOAT, 1, &err);
    int token[LENGTH];
    memcpy(token, word, sizeof token);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_model_forward(m, t, &(ThBatch){.B = 1, .T = LENGTH, .token = token}, &(ThModelForward){0});
    assert_true(th_tape_ok(t, &err));
    double cost;
    th_tape_read(t, th_tape_find(t, "cost", -1), &cost);
    th_tape_free(t);
    return cost;
}

static void check_unit(const ThModelHalted *h, int i)
{
    const ThModelHaltedUnit *u = &h->unit[i];
    const double *mass = h->mass + i * (h->most + 1), *p = h->p + i * (h->most + 1);
    double all = 0, ponder = 0, left = 1;
    assert_in_range(u->steps, 0, h->most);
    for (int l = 0; l <= h->most; l++) {
        bool last = l == u->steps;
        if (l < u->steps)
            close_to(mass[l], left * p[l], 1e-6);
        close_to(l > u->steps ? mass[l] : 0, 0, 0);
        ponder += mass[l] * (last ? l : l + 1);
        left -= mass[l];
        all += mass[l];
    }
    close_to(all, 1, 1e-12);
    close_to(u->ponder, ponder, 1e-12);
    bool other = u->first == LEFT && u->first == h->unit[i - 1].last; /* the right side begins */
    assert_int_equal(u->first, i == 0 ? h->unit[0].first : other ? LEFT : h->unit[i - 1].last + 1);
}

/* The mean of what the two sides of a pair pay. */
static double mean_of_sides(const ThModelHalted *h)
{
    int right = 1;
    while (h->unit[right].first != h->unit[right - 1].last)
        right++;
    double sum[2] = {0};
    for (int i = 0; i < h->n; i++)
        sum[i >= right] += h->unit[i].ponder;
    return (sum[0] / right + sum[1] / (h->n - right)) / 2;
}

static void masses_add_up_to_what_is_paid(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int k = 0; k < 3; k++) {
            char settings[120];
            ThError err = {0};
            bool pairs = k == 2;
            ThTarget target = k == 1 ? TH_TARGET_EVERY : TH_TARGET_FINAL;
            snprintf(settings, sizeof settings, "dim=4 heads=2 steps=4 %s", forms[i][1]);
            ThModel *m = bound_to(forms[i][0], settings, target, SYMBOLS, pairs);
            ThModelHalted *h = th_model_halted(m, word, LENGTH, &err);
            assert_non_null(h);
            for (int u = 0; u < h->n; u++)
                check_unit(h, u);
            int around = target == TH_TARGET_FINAL; /* a symbol before the string and one behind */
            assert_int_equal(h->unit[0].first, -around);
            assert_int_equal(h->unit[h->n - 1].last, LENGTH - 1 + around);
            close_to(pairs ? mean_of_sides(h) : th_inspect_mean_ponder(h), cost_of(m), 1e-5);
            th_model_halted_free(h);
            th_model_free(m);
        }
}

/* Before training a decision is about even: nine applications of ten or so, two of them paid. */
static void they_begin_undecided(void **state)
{
    (void)state;
    static const char *const kinds[] = {"universal", "gated_universal", "gutlb"};
    char names[2][2] = {"a", "b"}, *symbols[] = {names[0], names[1]};
    ThSignature s = {.n_symbols = 2, .n_classes = 2, .symbol = symbols, .label = symbols};
    const int token[20] = {0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ThError err = {0};
        ThModel *m = made_model(kinds[i], "dim=64 heads=4 steps=10");
        assert_true(th_model_bind(m, &s, 3, &err));
        ThModelHalted *h = th_model_halted(m, token, 20, &err);
        assert_non_null(h);
        for (int u = 0; u < h->n; u++) {
            close_to(h->p[u * (h->most + 1)], 0.5, 0.1);
            assert_in_range(h->unit[u].steps, 8, 10);
        }
        close_to(th_inspect_mean_ponder(h), 2.1, 0.15);
        th_model_halted_free(h);
        th_model_free(m);
    }
}

static void models_that_do_not_halt_say_so(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = bound("gru", "dim=4", TH_TARGET_FINAL, SYMBOLS);
    assert_null(th_model_halted(m, word, LENGTH, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(m);
}

static void brackets_nest(void **state)
{
    (void)state;
    char max[] = "[MAX", two[] = "2", end[] = "]", open[] = "(", close[] = ")", odd[] = "{x";
    char *const symbol[] = {max, two, end, open, close, odd};
    const int token[] = {0, 1, 0, 1, 2, 1, 2, 1, 3, 4, 2, 5};
    const int wanted[] = {1, 1, 2, 2, 2, 1, 1, 0, 1, 1, 0, 1};
    int level[12];
    assert_int_equal(th_inspect_nesting(symbol, token, 12, level), 2);
    assert_memory_equal(level, wanted, sizeof level);
}

static void ranks_are_those_of_the_books(void **state)
{
    (void)state;
    ThError err = {0};
    ThInspectRank rank;
    const double x[] = {1, 2, 3, 4, 5}, y[] = {10, 20, 30, 50, 40};
    assert_true(th_inspect_rank(x, y, 5, &rank, &err));
    close_to(rank.r, 0.9, 1e-12);
    close_to(rank.lo, -0.16889565860999556, 1e-12);
    close_to(rank.hi, 0.9960685924750513, 1e-12);
    const double tied[] = {1, 1, 2, 3, 3}, other[] = {2, 1, 4, 4, 6};
    assert_true(th_inspect_rank(tied, other, 5, &rank, &err));
    close_to(rank.r, 8.25 / sqrt(85.5), 1e-12);
    const double falling[] = {5, 4, 3, 2, 1}, same[] = {7, 7, 7, 7, 7};
    assert_true(th_inspect_rank(x, falling, 5, &rank, &err));
    close_to(rank.r, -1, 1e-12);
    close_to(rank.hi, -1, 1e-6);
    assert_true(th_inspect_rank(x, same, 5, &rank, &err));
    assert_true(isnan(rank.r) && isnan(rank.lo));
    assert_true(th_inspect_rank(x, falling, 3, &rank, &err));
    assert_true(isnan(rank.lo));
}

static void strings_of_a_task_are_measured(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("list_ops", "depth=4 shortest=4 longest=20 count=60 tests=30", NULL);
    ThModel *m = made_model("universal", "dim=4 heads=2 steps=3 halt=none");
    assert_true(th_model_bind(m, &t->signature, 1, &err));
    ThInspectHaltingPlan plan = {.lengths = {5, 20, 1}, .samples = 1000, .seed = 1};
    ThInspectHalting *h = th_inspect_halting(m, t, &plan, &err);
    assert_non_null(h);
    assert_int_equal(h->n, th_task_count(t, &(ThTaskRows){TH_TASK_TEST, 5, 20}));
    for (int i = 0; i < h->n; i++) {
        double length = h->value[TH_INSPECT_LENGTH][i], n = h->value[TH_INSPECT_OPERATORS][i];
        assert_true(length >= 5 && length <= 20 && length >= 3 * n + 1);
        assert_true(h->value[TH_INSPECT_NESTING][i] >= 1 && h->value[TH_INSPECT_NESTING][i] <= n);
        close_to(h->value[TH_INSPECT_DEPTH][i], 3, 0);
        close_to(h->value[TH_INSPECT_PONDER][i], 3, 0);
    }
    th_inspect_halting_free(h);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_add_up_to_what_is_paid),
        cmocka_unit_test(they_begin_undecided),
        cmocka_unit_test(models_that_do_not_halt_say_so),
        cmocka_unit_test(brackets_nest),
        cmocka_unit_test(ranks_are_those_of_the_books),
        cmocka_unit_test(strings_of_a_task_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
