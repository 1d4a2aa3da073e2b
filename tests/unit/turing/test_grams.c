/* test_grams.c - repeated grams against brute force; the next-token program against the paper's
 * listing, carried out as it stands there, and against its published and measured figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "turing/nexttoken.h"

/* ---- the experiment -------------------------------------------------------------------------- */

/* The share of exact runs by length and n = 1 … 5, measured on the listing itself. */
static const struct {
    int length, runs;
    double exact[5];
} measured[] = {
    {4, 200, {.895, 1, 1, 1, 1}},        {8, 200, {.635, .980, .990, 1, 1}},
    {12, 200, {.410, .970, 1, 1, 1}},    {16, 200, {.215, .885, .985, 1, 1}},
    {24, 200, {.040, .785, .975, 1, 1}}, {32, 200, {.010, .730, .980, .990, 1}},
    {50, 100, {0, .440, .960, .990, 1}}, {100, 100, {0, .010, .840, .970, 1}},
};

static ThTmSimulation trial(int length, int n, uint64_t steps, ThTmKeys keys, uint64_t index)
{
    ThTmNextTrial t = {.length = length, .states = 16, .symbols = 12, .n = n, .steps = steps};
    ThRng g = th_rng(1, "trial", index);
    ThTmSimulation x;
    ThError err = {0};
    t.keys = keys;
    assert_true(th_tm_next_trial(&x, &t, &g, NULL, &err));
    assert_int_equal(x.extent.steps, steps);
    assert_int_equal(x.tokens, steps * (uint64_t)(length + 4));
    return x;
}

/* Four standard errors of the difference of both measurements, and a run in either. */
static double tolerance(double p, int here, int there)
{
    double q = fmin(fmax(p, 0.01), 0.99);
    return 4 * sqrt(q * (1 - q) * (1.0 / here + 1.0 / there)) + 0.5 / here + 0.5 / there;
}

static void table_of_exact_runs(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    for (size_t row = 0; row < sizeof measured / sizeof *measured; row++) {
        double share[5];
        for (int n = 1; n <= 5; n++) {
            int exact = 0;
            for (int i = 0; i < RUNS; i++) {
                ThTmSimulation x =
                    trial(measured[row].length, n, 10, TH_TM_KEYS_TUPLE, (uint64_t)i);
                assert_int_equal(x.exact, x.unique);
                exact += x.exact;
                assert_true(x.exact || x.again >= 0);
            }
            share[n - 1] = (double)exact / RUNS;
        }
        print_message("L=%d: %.3f %.3f %.3f %.3f %.3f\n", measured[row].length, share[0], share[1],
                      share[2], share[3], share[4]);
        for (int n = 0; n < 5; n++) {
            double p = measured[row].exact[n];
            assert_true(fabs(share[n] - p) <= tolerance(p, RUNS, measured[row].runs));
        }
    }
}

/* Integer keys hold the number of configurations in n digits to base 32. */
static void integer_keys_wrap(void **state)
{
    (void)state;
    int unique = 0, late = 0;
    uint64_t first = UINT64_MAX;
    for (uint64_t i = 0; i < 2000; i++) {
        ThTmSimulation x = trial(4, 1, 64, TH_TM_KEYS_INTEGER, i);
        if (!x.unique)
            continue;
        unique++;
        late += !x.exact;
        assert_true(x.exact || x.step >= 33);
        first = !x.exact && x.step < first ? x.step : first;
        assert_true(trial(4, 1, 32, TH_TM_KEYS_INTEGER, i).exact);
        assert_true(trial(4, 1, 128, TH_TM_KEYS_TUPLE, i).exact ==
                    trial(4, 1, 128, TH_TM_KEYS_TUPLE, i).unique);
    }
    print_message(
        "of %d runs of 64 steps without a repeated bigram %d fail, the first at step %d\n", unique,
        late, (int)first);
    assert_true(unique > 500 && late > 50);
    assert_int_equal(first, 33);
}

/* They need 5(2n+1) bits: what does not fit is lost. */
static void integer_keys_overflow(void **state)
{
    (void)state;
    for (int n = 1; n <= 12; n++) {
        int exact = 0, unique = 0;
        for (uint64_t i = 0; i < 60; i++) {
            ThTmSimulation x = trial(24, n, 10, TH_TM_KEYS_INTEGER, i);
            exact += x.exact;
            unique += x.unique;
            assert_true(trial(24, n, 10, TH_TM_KEYS_TUPLE, i).exact == x.unique);
        }
        assert_int_equal(exact, n <= 6 ? unique : 0);
    }
}

/* ---- the listing ----------------------------------------------------------------------------- */

/* NS, NY and MV of the listing for a machine with walls, by tokens. */
typedef struct {
    int state[64][64], cell[64][64], move[64][64];
} Listing;

static void fill_listing(Listing *l, const ThTm *m)
{
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        int from = 4 + m->n_symbols - 2 + r->from;
        int cell = r->read[0] < 2 ? 1 + r->read[0] : 2 + r->read[0];
        l->state[from][cell] = 4 + m->n_symbols - 2 + r->to;
        l->cell[from][cell] = r->write[0] < 2 ? 1 + r->write[0] : 2 + r->write[0];
        l->move[from][cell] = r->move[0] > 0;
    }
}

static int at(const int *x, int n, int p)
{
    return p >= 0 && p < n ? x[p] : 0;
}

/* cur, mv and next of the listing at place p; S: from 16 on. */
static int cur(const Listing *l, const int *x, int n, int p)
{
    int here = at(x, n, p), after = at(x, n, p + 1);
    if (after >= 16)
        return l->cell[after][here];
    return here >= 16 ? l->state[here][at(x, n, p - 1)] : here;
}

static int mv(const Listing *l, const int *x, int n, int p)
{
    return at(x, n, p) >= 16 ? l->move[at(x, n, p)][at(x, n, p - 1)] : 0;
}

static int next_of(const Listing *l, const int *x, int n, int p)
{
    bool here = at(x, n, p) >= 16, before = at(x, n, p - 1) >= 16, after = at(x, n, p + 1) >= 16;
    if ((here && mv(l, x, n, p) == 1) || (after && mv(l, x, n, p + 1) == 0))
        return cur(l, x, n, p + 1);
    if ((before && mv(l, x, n, p - 1) == 1) || (here && mv(l, x, n, p) == 0))
        return cur(l, x, n, p - 1);
    return cur(l, x, n, p);
}

/* Tokens z[j], z[j-1], … z[j-k], those at or before the latest 0 being 0. */
static void gram_of(const int *z, int j, int k, int *gram)
{
    bool over = false;
    for (int i = 0; i <= k; i++) {
        over = over || j - i < 0 || z[j - i] == 0;
        gram[i] = over ? 0 : z[j - i];
    }
}

/* The prediction after x[0 … i], all of it anew. */
static int listing_predicts(const Listing *l, const int *x, int i, int k)
{
    enum { MOST = 4096 };
    static int turned[MOST], follows[MOST];
    int gram[16], other[16], best = 0, count = 0, zeros = 0;
    assert_true(i < MOST && k < 16);
    for (int j = 0; j <= i; j++) {
        turned[j] = j < 2 ? 3 : next_of(l, x, j + 1, j - 3);
        follows[j] = next_of(l, x, j + 1, j - 2);
        count += x[j] == 0;
    }
    gram_of(x, i, k, gram);
    for (int j = 0; j <= i; j++) {
        zeros += turned[j] == 0;
        gram_of(turned, j, k, other);
        if (zeros == count && memcmp(gram, other, sizeof(int) * (size_t)(k + 1)) == 0)
            best = follows[j] > best ? follows[j] : best;
    }
    return best;
}

/* The program's predictions are the listing's at every place, right or wrong, and it generates a
 * run by itself where they are right. */
static void program_is_the_listing(void **state)
{
    (void)state;
    static Listing l;
    static const int sizes[] = {1, 2, 4};
    int wrong = 0, generated = 0;
    for (uint64_t run = 0; run < 60; run++) {
        int n = sizes[run % 3], length = 4 + (int)(run % 5) * 3, steps = 8, total = 0;
        ThRng g = th_rng(7, "listing", run);
        ThError err = {0};
        ThTmTapeWords words;
        ThTm *m = th_tm_random_walled(16, 12, &g, &err);
        assert_true(m && th_tm_random_walled_words(&words, m, length, &g, &err));
        ThTmRunStart s = {.machine = m, .words = &words, .state = 3, .head = 1};
        ThTmTokens tokens = {m, true};
        ThTmRunning r;
        int x[400], y[400], next = 0, size = th_tm_configuration_length(&tokens, 0, length + 1);
        assert_int_equal(size, length + 4);
        assert_true(th_tm_running_from(&r, &s, &err));
        for (int t = 0; t <= steps; t++, total += size) {
            th_tm_configuration_tokens(&tokens, &r, 0, length + 1, x + total);
            assert_true(th_tm_running_go(&r, 1, (ThTmRunLimits){1000, 1000}, NULL, &err));
        }
        fill_listing(&l, m);
        ThTmNext *p = th_tm_next_new(&tokens, n, TH_TM_KEYS_TUPLE, &err);
        bool exact = true;
        for (int i = 0; i + 1 < total; i++) {
            assert_true(th_tm_next_push(p, x[i], &next, &err));
            assert_int_equal(next, listing_predicts(&l, x, i, n));
            exact = exact && (i + 1 < size || next == x[i + 1]);
        }
        th_tm_next_free(p);
        wrong += !exact;
        p = th_tm_next_new(&tokens, n, TH_TM_KEYS_TUPLE, &err);
        memcpy(y, x, sizeof x[0] * (size_t)size);
        for (int i = 0; i + 1 < total; i++) {
            assert_true(th_tm_next_push(p, y[i], &next, &err));
            if (i + 1 >= size)
                y[i + 1] = next;
        }
        th_tm_next_free(p);
        assert_int_equal(exact, memcmp(x, y, sizeof x[0] * (size_t)total) == 0);
        generated += exact;
        th_tm_running_free(&r);
        th_tm_tape_words_free(&words);
        th_tm_free(m);
    }
    assert_true(wrong > 5 && generated > 5);
}

/* The published example: state 17 scans 11, writes 5, moves right as 22, and bounces off the end.
 */
static void worked_example(void **state)
{
    (void)state;
    static const int x[] = {0, 0, 1, 7, 11, 17, 2, 0, 1, 7, 5, 2, 22, 0, 1, 7, 5, 22, 2, 0, 0, 0};
    ThTmBuild b = {0};
    char name[16];
    for (int i = 0; i < 14; i++) {
        snprintf(name, sizeof name, "x%d", i);
        th_tm_symbol(&b, name);
    }
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "q%d", i);
        th_tm_state(&b, name);
    }
    th_tm_add(&b, &(ThTmRule){.from = 1, .read = {9}, .write = {3}, .move = {1}, .to = 6});
    th_tm_add(&b, &(ThTmRule){.from = 6, .read = {1}, .write = {1}, .move = {-1}, .to = 6});
    b.m.n_tapes = 1;
    ThError err = {0};
    ThTm *m = th_tm_finish(&b, &err);
    assert_non_null(m);
    ThTmTokens t = {m, true};
    for (int p = 0; p < 12; p++)
        assert_int_equal(th_tm_next_local(&t, x + p), x[p + 8]);
    th_tm_free(m);
}

static void published_keys(void **state)
{
    (void)state;
    static const int x[] = {1, 7, 11, 17, 2, 0, 1, 5};
    static const int sum[] = {32, 225, 359, 555, 81, 0, 32, 161};
    static const int key[] = {1024, 7200, 11488, 17760, 2592, 1, 1025, 5153};
    uint64_t count = 0;
    for (int i = 0; i < 8; i++) {
        int gram[2];
        gram_of(x, i, 1, gram);
        count += x[i] == 0;
        assert_int_equal(th_tm_next_integer_key(gram, 1, 0), 32 * sum[i]);
        assert_int_equal(th_tm_next_integer_key(gram, 1, count), key[i]);
    }
}

/* ---- repetitions ----------------------------------------------------------------------------- */

/* The longest repetition in cells on one side of the head, cell by cell. */
static int longest_here(const ThTmRunning *r, int64_t first, int64_t last)
{
    const ThTmTape *t = &r->tape[0];
    int best = 0;
    for (int64_t i = first; i <= last; i++) {
        for (int64_t j = i + 1; j <= last; j++) {
            int n = 0;
            while (j + n <= last &&
                   th_tm_tape_at(t, i + n, r->machine->blank) ==
                       th_tm_tape_at(t, j + n, r->machine->blank) &&
                   (n == 0 || (i + n != t->head + 1 && j + n != t->head + 1)))
                n++;
            best = n > best ? n : best;
        }
    }
    return best;
}

static void repetitions_by_brute_force(void **state)
{
    (void)state;
    ThRng g = th_rng(3, "grams", 0);
    int leaving = 0, exact = 0, inexact = 0, seen[64] = {0};
    for (int run = 0; run < 400; run++) {
        ThError err = {0};
        int symbols = 2 + (int)th_rng_below(&g, 8), word[30];
        ThTm *m = th_tm_random(1 + run % 5, symbols, &g, &err);
        assert_non_null(m);
        m->edge = (ThTmEdge)(run % 4);
        for (size_t i = 0; i < m->n_rules; i += 7) {
            m->rule[i].move[0] = 0;
            m->rule[i].write[0] = TH_TM_ANY;
        }
        ThTmTapeWords words = {.word = {word}, .length = {(int)th_rng_below(&g, 30)}};
        for (int i = 0; i < words.length[0]; i++)
            word[i] = (int)th_rng_below(&g, (uint64_t)symbols);
        ThTmRunStart s;
        ThTmRunExtent x;
        ThTmGrams all, first;
        uint64_t from = (uint64_t)run % 3;
        assert_true(th_tm_run_start(&s, m, &words, &err));
        assert_true(th_tm_run_extent(&x, &s, (ThTmRunLimits){40, UINT64_MAX}, NULL, &err));
        assert_true(x.steps == 40 || th_tm_verdict_final(x.verdict));
        leaving += x.leaves;
        assert_true(th_tm_grams(&all, &s, &x, &(ThTmGramsWanted){.from = from}, NULL, &err));
        assert_true(th_tm_grams(&first, &s, &x, &(ThTmGramsWanted){from, 2, true}, NULL, &err));
        for (int n = 0; n <= 3; n++) {
            ThTmSimulation p;
            assert_true(th_tm_simulate(
                &p, &s, &(ThTmSimulationRules){.n = n, .limits = {40, UINT64_MAX}}, NULL, &err));
            assert_true(p.exact || !p.unique);
            inexact += !p.exact;
            exact += p.exact;
        }
        ThTmRunning r;
        int most = 0;
        uint64_t first_step = UINT64_MAX, all_step = 0;
        assert_true(th_tm_running_from(&r, &s, &err));
        for (uint64_t step = 0; step <= x.steps; step++) {
            assert_true(
                th_tm_running_go(&r, step > 0, (ThTmRunLimits){40, UINT64_MAX}, NULL, &err));
            assert_int_equal(r.steps, step);
            int n = step >= from ? longest_here(&r, x.first, x.last) : 0;
            all_step = n > most ? step : all_step;
            most = n > most ? n : most;
            first_step = n > 2 && first_step > step ? step : first_step;
        }
        assert_int_equal(all.longest, most);
        assert_true(most == 0 || all.step == all_step);
        assert_true(first_step == UINT64_MAX ? first.longest == 2 : first.step == first_step);
        seen[most < 63 ? most : 63]++;
        th_tm_running_free(&r);
        th_tm_free(m);
    }
    assert_true(exact > 50 && inexact > 50);
    assert_true(leaving > 20 && seen[1] + seen[2] > 20 && seen[5] > 5);
}

/* A binary counter: each configuration must be looked at, not only the first. */
static void simulate_by_hand(void **state)
{
    (void)state;
    ThError err = {0};
    ThTm *m = th_tm_parse("blank _; start r; halt z; r 0,1 -> R r; r _ -> L c; "
                          "c 1 -> 0 L c; c 0,_ -> 1 L z",
                          &err);
    assert_non_null(m);
    ThTmTapeWords words;
    ThTmRunStart s;
    ThTmSimulation x;
    assert_true(th_tm_tape_words_read(&words, m, "1011", &err));
    assert_true(th_tm_run_start(&s, m, &words, &err));
    assert_true(
        th_tm_simulate(&x, &s, &(ThTmSimulationRules){.n = 1, .limits = {100, 100}}, NULL, &err));
    assert_int_equal(x.extent.steps, 8);
    assert_true(x.extent.leaves);
    assert_int_equal(x.extent.leaves_after, 4);
    assert_int_equal(x.extent.last, 4);
    assert_int_equal(x.tokens, 8 * 9);
    assert_int_equal(x.exact, x.unique);
    assert_true(
        th_tm_simulate(&x, &s, &(ThTmSimulationRules){.n = 3, .limits = {100, 100}}, NULL, &err));
    assert_true(x.exact && x.unique && x.right == x.tokens);
    th_tm_tape_words_free(&words);
    th_tm_free(m);
}

static void stops_when_asked(void **state)
{
    (void)state;
    static const volatile sig_atomic_t now = 1;
    ThError err = {0};
    ThTmNextTrial t = {.length = 50, .states = 16, .symbols = 12, .n = 4, .steps = 10};
    ThRng g = th_rng(1, "trial", 0);
    ThTmSimulation x;
    assert_false(th_tm_next_trial(&x, &t, &g, &now, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_exact_runs),
        cmocka_unit_test(integer_keys_wrap),
        cmocka_unit_test(integer_keys_overflow),
        cmocka_unit_test(program_is_the_listing),
        cmocka_unit_test(worked_example),
        cmocka_unit_test(published_keys),
        cmocka_unit_test(repetitions_by_brute_force),
        cmocka_unit_test(simulate_by_hand),
        cmocka_unit_test(stops_when_asked),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
