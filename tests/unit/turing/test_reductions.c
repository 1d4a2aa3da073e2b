/* Machines that do the same with less: what they were made of is run beside them, on random
 * machines of every sort, with halting states, rules that are missing and heads that stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "turing/reductions.h"
#include "turing/search.h"
#include "turing/tm_run.h"
#include "turing/transform.h"

enum { MOST = 4000000, LONG = 12 };

/* A machine of `states` states that run, one each that halts, accepts and rejects, and rules drawn:
 * `rules` of a hundred cases have one, `more` of these a second. */
typedef struct {
    int states, symbols, tapes, rules, more, stop;
    ThTmMissing missing;
} Shape;

static ThTm *random_machine(const Shape *z, ThRng *r)
{
    ThError err = {0};
    ThTmBuild b = {.m = {.n_tapes = z->tapes, .missing = z->missing}};
    b.m.nondeterministic = z->more > 0;
    char name[16];
    for (int s = 0; s < z->symbols; s++) {
        snprintf(name, sizeof name, "%c", s < 26 ? 'a' + s : 'A' + s - 26);
        th_tm_symbol(&b, name);
    }
    b.m.blank = z->symbols / 2;
    for (int q = 0; q < z->states; q++) {
        snprintf(name, sizeof name, "q%d", q);
        th_tm_new_state(&b, name, TH_TM_RUNS);
    }
    b.m.start = z->states / 2;
    th_tm_new_state(&b, "h", TH_TM_HALTS);
    th_tm_new_state(&b, "y", TH_TM_ACCEPTS);
    th_tm_new_state(&b, "n", TH_TM_REJECTS);
    int cases = 1;
    for (int t = 0; t < z->tapes; t++)
        cases *= z->symbols;
    for (int i = 0; i < z->states * cases; i++) {
        bool one = th_rng_below(r, 100) < (uint64_t)z->rules;
        bool two = one && th_rng_below(r, 100) < (uint64_t)z->more;
        for (int k = 0; k < one + two; k++) {
            ThTmRule rule = {.from = i / cases};
            bool stops = th_rng_below(r, 100) < (uint64_t)z->stop;
            rule.to = stops ? z->states + (int)th_rng_below(r, 3)
                            : (int)th_rng_below(r, (uint64_t)z->states);
            for (int t = 0, rest = i % cases; t < z->tapes; t++, rest /= z->symbols) {
                rule.read[t] = rest % z->symbols;
                rule.write[t] = (int)th_rng_below(r, (uint64_t)z->symbols);
                rule.move[t] = (int)th_rng_below(r, 3) - 1;
            }
            th_tm_add(&b, &rule);
        }
    }
    ThTm *m = th_tm_finish(&b, &err);
    if (!m)
        fail_msg("%s", err.msg);
    return m;
}

static int draw_word(const ThTm *m, int most, ThRng *r, int *word)
{
    int n = (int)th_rng_below(r, (uint64_t)most + 1);
    for (int i = 0; i < n; i++)
        do
            word[i] = (int)th_rng_below(r, (uint64_t)m->n_symbols);
        while (word[i] == m->blank);
    return n;
}

static void start(ThTmRunning *run, const ThTm *m, const int *word, int n)
{
    ThError err = {0};
    const int *words[TH_TM_MOST_TAPES] = {word};
    const int lengths[TH_TM_MOST_TAPES] = {n};
    assert_true(th_tm_running_start(run, m, words, lengths, &err));
}

static void go(ThTmRunning *run, uint64_t steps)
{
    ThError err = {0};
    assert_true(th_tm_running_go(run, steps, (ThTmRunLimits){UINT64_MAX, UINT64_MAX}, NULL, &err));
}

static ThTm *made(ThTm *m, const ThError *err)
{
    if (!m)
        fail_msg("%s", err->msg);
    return m;
}

/* Step by step: the bits of all cells, the head on the first of a cell, the number of steps. */
static void test_binary(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "binary", 0);
    for (int n = 0; n < 80; n++) {
        ThError err = {0};
        Shape z = {1 + n % 5, 2 + n % 9, 1, 90, 0, 8, (ThTmMissing)(n % 2)};
        ThTm *m = random_machine(&z, &r), *b = made(th_tm_binary(m, MOST, NULL, &err), &err);
        int word[LONG], bits[LONG * 4], w = th_tm_binary_width(m),
                                        size = draw_word(m, LONG, &r, word);
        assert_int_equal(b->n_symbols, 2);
        for (int i = 0; i < size * w; i++)
            bits[i] = th_tm_binary_code(m, word[i / w]) >> (w - 1 - i % w) & 1;
        ThTmRunning x = {0}, y = {0};
        start(&x, m, word, size);
        start(&y, b, bits, size * w);
        for (int i = 0; i < 60 && x.verdict == TH_TM_GOES_ON; i++) {
            go(&x, 1);
            bool stopped = x.rule < 0 || x.steps == (uint64_t)i;
            if (!stopped)
                go(&y, (uint64_t)(m->rule[x.rule].move[0] ? 3 * w - 2 : 2 * w - 1));
            else
                go(&y, (uint64_t)w);
            assert_true(x.verdict == y.verdict);
            assert_true(stopped || y.tape[0].head == w * x.tape[0].head);
            for (int64_t k = -70 * w; k < 80 * w; k++) {
                int cell = th_tm_tape_at(&x.tape[0], (k + 1000 * w) / w - 1000, m->blank);
                int bit = th_tm_binary_code(m, cell) >> (w - 1 - (k + 1000 * w) % w) & 1;
                assert_int_equal(th_tm_tape_at(&y.tape[0], k, b->blank), bit);
            }
        }
        th_tm_running_free(&x);
        th_tm_running_free(&y);
        th_tm_free(b);
        th_tm_free(m);
    }
}

/* What a cell x, x.y or x|y of the one-way tape holds, above or below. */
static int half(const ThTm *m, const char *name, bool lower)
{
    int s = 0;
    while (m->symbol[s][0] != name[lower && name[1] ? 2 : 0])
        s++;
    return lower && !name[1] ? m->blank : s;
}

static void test_one_way(void **state)
{
    (void)state;
    ThRng r = th_rng(2, "one way", 0);
    for (int n = 0; n < 100; n++) {
        ThError err = {0};
        Shape z = {1 + n % 4, 2 + n % 4, 1, 92, 0, 6, (ThTmMissing)(n % 2)};
        ThTm *m = random_machine(&z, &r), *b = made(th_tm_one_way(m, MOST, NULL, &err), &err);
        int word[LONG], size = draw_word(m, LONG, &r, word);
        assert_true(b->edge == TH_TM_EDGE_ERROR && b->n_states <= 2 * m->n_states + 1);
        ThTmRunning x = {0}, y = {0};
        start(&x, m, word, size);
        start(&y, b, word, size);
        go(&y, 1);
        for (int i = 0; i < 60 && x.verdict == TH_TM_GOES_ON; i++) {
            go(&x, 1);
            go(&y, 1);
            assert_true(x.verdict == y.verdict && y.steps == x.steps + 1);
            for (int64_t k = -70; k < 80; k++) {
                int64_t at = k < 0 ? -1 - k : k;
                const char *cell = b->symbol[th_tm_tape_at(&y.tape[0], at, b->blank)];
                int wanted = th_tm_tape_at(&x.tape[0], k, m->blank);
                int is = half(m, cell, k < 0);
                assert_int_equal(is, wanted);
            }
        }
        th_tm_running_free(&x);
        th_tm_running_free(&y);
        th_tm_free(b);
        th_tm_free(m);
    }
}

/* One tape in place of two and of three: the verdict, and no more steps than sweeps take. */
static void test_one_tape(void **state)
{
    (void)state;
    ThRng r = th_rng(3, "one tape", 0);
    int ended = 0, far = 0;
    for (int n = 0; n < 120; n++) {
        ThError err = {0};
        int tapes = 2 + (n % 4 == 3);
        Shape z = {1 + n % 3, 2 + (tapes == 2 && n % 2), tapes, 93, 0, 5, (ThTmMissing)(n % 2)};
        ThTm *m = random_machine(&z, &r), *b = made(th_tm_one_tape(m, MOST, NULL, &err), &err);
        assert_int_equal(b->n_tapes, 1);
        for (int k = 0; k < 6; k++) {
            int word[LONG], size = draw_word(m, LONG, &r, word);
            ThTmRunning x = {0}, y = {0};
            start(&x, m, word, size);
            start(&y, b, word, size);
            go(&x, 40);
            uint64_t t = x.steps;
            go(&y, 2 + (t + 1) * (4 * t + 4 * (uint64_t)tapes + 8));
            if (x.verdict != TH_TM_GOES_ON && x.verdict != y.verdict)
                fail_msg("machine %d: %s, not %s", n, th_tm_verdict_name(y.verdict),
                         th_tm_verdict_name(x.verdict));
            ended += x.verdict != TH_TM_GOES_ON;
            far += x.verdict != TH_TM_GOES_ON && t > 8;
            th_tm_running_free(&x);
            th_tm_running_free(&y);
        }
        th_tm_free(b);
        th_tm_free(m);
    }
    assert_true(ended > 200 && far > 25);
}

/* All runs, one after the other, against all runs at once.  Where a run need not end, only what is
 * accepted is decided. */
static void test_deterministic(void **state)
{
    (void)state;
    ThRng r = th_rng(4, "deterministic", 0);
    int yes = 0, no = 0, late = 0;
    for (int n = 0; n < 150; n++) {
        ThError err = {0};
        Shape z = {1 + n % 3, 2 + n % 2, 1, 85, 45, 22, (ThTmMissing)(n % 2)};
        ThTm *m = random_machine(&z, &r), *d = made(th_tm_deterministic(m, MOST, NULL, &err), &err);
        assert_true(!d->nondeterministic && d->n_tapes == 3);
        for (int k = 0; k < 5; k++) {
            int word[LONG], size = draw_word(m, 4, &r, word);
            ThTmTapeWords words = {.word = {word}, .length = {size}};
            ThTmSearch all = {0};
            assert_true(th_tm_search_start(&all, m, &words, (ThTmSearchLimits){9, 1000, 20000},
                                           false, &err));
            while (all.verdict == TH_TM_GOES_ON)
                assert_true(th_tm_search_go(&all, 1000, NULL, &err));
            ThTmRunning y = {0};
            start(&y, d, word, size);
            go(&y, 60000);
            bool ends = all.verdict <= TH_TM_REJECTED && all.verdict != TH_TM_GOES_ON;
            if (all.verdict == TH_TM_ACCEPTED ? y.verdict != TH_TM_ACCEPTED
                                              : ends && y.verdict != TH_TM_REJECTED)
                fail_msg("machine %d: %s, not %s", n, th_tm_verdict_name(y.verdict),
                         th_tm_verdict_name(all.verdict));
            yes += all.verdict == TH_TM_ACCEPTED;
            late += all.verdict == TH_TM_ACCEPTED && y.steps > 200;
            no += ends && all.verdict != TH_TM_ACCEPTED;
            th_tm_running_free(&y);
            th_tm_search_free(&all);
        }
        th_tm_free(d);
        th_tm_free(m);
    }
    assert_true(yes > 100 && no > 200 && late > 10);
}

/* A run leaves nothing on the tape of the next: neither behind a cell that it has not written yet,
 * nor behind one that it has made blank. */
static void test_runs_apart(void **state)
{
    (void)state;
    static const char *const run[] = {
        "g _ -> b R k ; k _ -> _ L m ; k a,b -> S n ; m b -> L p ; p a -> L n ; p a -> S y",
        "g _ -> b R k ; k _ -> b R l ; l _ -> _ L i ; l a,b -> S n ; i b -> L m ; m b -> _ L p\n"
        "p a -> S n ; p a -> S y"};
    for (int i = 0; i < 2; i++) {
        ThError err = {0};
        char text[300];
        snprintf(
            text, sizeof text,
            "nondeterministic ; start s ; accept y ; reject n ; alphabet a b _ ; s a -> R g\n%s",
            run[i]);
        ThTm *m = made(th_tm_parse(text, &err), &err);
        ThTm *d = made(th_tm_deterministic(m, MOST, NULL, &err), &err);
        ThTmRunning y = {0};
        start(&y, d, (const int[]){0}, 1);
        go(&y, 100000);
        assert_true(y.verdict == TH_TM_ACCEPTED);
        th_tm_running_free(&y);
        th_tm_free(d);
        th_tm_free(m);
    }
}

/* The bits of a tape from its first 1 to its last, and a mark before the one under the head. */
static void write_bits(ThText *t, const ThTm *m, const ThTmTape *tape, int64_t from, bool mark)
{
    int64_t first = 0, last = INT64_MIN;
    for (int64_t i = from; i < 200; i++) {
        char c = m->symbol[th_tm_tape_at(tape, i, m->blank)][0];
        if (c == 'b' || c == '1' || c == 'B' ||
            (mark && (c == 'A' || (from < 0 && i == tape->head)))) {
            first = last == INT64_MIN ? i : first;
            last = i;
        }
    }
    for (int64_t i = first; i <= last; i++) {
        char c = m->symbol[th_tm_tape_at(tape, i, m->blank)][0];
        bool here = c == 'A' || c == 'B' || (from < 0 && i == tape->head);
        th_text_printf(t, "%s%d", mark && here ? "^" : "", c == 'b' || c == '1' || c == 'B');
    }
}

/* The universal machine ends with the tape of the machine that it was given, and its head. */
static void test_universal(void **state)
{
    (void)state;
    ThError err = {0};
    ThRng r = th_rng(5, "universal", 0);
    ThTm *u = made(th_tm_universal(&err), &err);
    int ended = 0;
    for (int n = 0; n < 200; n++) {
        Shape z = {1 + n % 4, 2, 1, 94, 0, 15, TH_TM_MISSING_HALT};
        ThTm *m = random_machine(&z, &r);
        m->blank = 0;
        int word[LONG], size = draw_word(m, LONG, &r, word);
        ThTmTapeWords words = {0};
        ThText t = {0}, wanted = {0}, is = {0};
        ThTmRunning x = {0}, y = {0};
        start(&x, m, word, size);
        go(&x, 60);
        assert_true(th_tm_universal_input(&t, m, word, size, &err));
        if (x.verdict != TH_TM_GOES_ON) {
            int64_t tape = 0;
            bool mark = m->role[x.state] != TH_TM_RUNS; /* else it makes a step more */
            assert_true(th_tm_tape_words_read(&words, u, t.data, &err));
            assert_true(th_tm_running_start_words(&y, u, &words, &err));
            go(&y, 1000000);
            assert_true(y.verdict == TH_TM_HALTED);
            while (*u->symbol[th_tm_tape_at(&y.tape[0], tape, u->blank)] != '>')
                tape++;
            write_bits(&wanted, m, &x.tape[0], -100, mark);
            write_bits(&is, u, &y.tape[0], tape, mark);
            if (wanted.size != is.size || (is.size && strcmp(is.data, wanted.data) != 0))
                fail_msg("%s: %s, not %s", t.data, is.data, wanted.data);
            ended++;
        }
        th_text_free(&t);
        th_text_free(&is);
        th_text_free(&wanted);
        th_tm_tape_words_free(&words);
        th_tm_running_free(&x);
        th_tm_running_free(&y);
        th_tm_free(m);
    }
    assert_true(ended > 90);
    th_tm_free(u);
}

/* Two-way tapes in place of one or two with an edge: the same end, or none where that is an error.
 */
static void test_edges(void **state)
{
    (void)state;
    ThRng r = th_rng(8, "edges", 0);
    int ends[TH_TM_ENDLESS] = {0}, flat = 0;
    for (int n = 0; n < 300; n++) {
        ThError err = {0};
        int tapes = 1 + n % 2, word[LONG];
        Shape z = {1 + n % 4, 2 + n % 3, tapes, 90, 0, 8, (ThTmMissing)(n % 2)};
        ThTm *m = random_machine(&z, &r);
        m->edge = (ThTmEdge)(1 + n / 2 % 3);
        ThTm *b = made(th_tm_unbounded(m, MOST, &err), &err), *one = NULL;
        assert_true(b->edge == TH_TM_TWO_WAY && b->n_tapes == tapes);
        if (tapes == 2 && n % 3 == 0)
            one = made(th_tm_one_tape(b, MOST, NULL, &err), &err);
        for (int k = 0; k < 6; k++) {
            int size = draw_word(m, LONG, &r, word);
            ThTmRunning x = {0}, y = {0}, w = {0};
            start(&x, m, word, size);
            start(&y, b, word, size);
            go(&x, 40);
            go(&y, 3 + (x.steps + 1) * (1 + (uint64_t)tapes));
            ThTmVerdict wanted = x.verdict == TH_TM_AT_EDGE ? TH_TM_GOES_ON : x.verdict;
            if (x.verdict != TH_TM_GOES_ON && y.verdict != wanted)
                fail_msg("machine %d: %s, not %s", n, th_tm_verdict_name(y.verdict),
                         th_tm_verdict_name(x.verdict));
            if (one) {
                start(&w, one, word, size);
                go(&w, 20000);
                assert_true(x.verdict == TH_TM_GOES_ON || w.verdict == wanted);
                flat += x.verdict != TH_TM_GOES_ON && x.steps > 4;
            }
            ends[x.verdict] += x.verdict == TH_TM_GOES_ON || x.steps > 2;
            th_tm_running_free(&x);
            th_tm_running_free(&y);
            th_tm_running_free(&w);
        }
        th_tm_free(one);
        th_tm_free(b);
        th_tm_free(m);
    }
    for (int v = 0; v < TH_TM_ENDLESS; v++)
        if (ends[v] < 40 || flat < 20)
            fail_msg("%s %d times, %d of one tape", th_tm_verdict_name((ThTmVerdict)v), ends[v],
                     flat);
}

static void test_refused(void **state)
{
    (void)state;
    ThError err = {0};
    ThRng r = th_rng(6, "refused", 0);
    ThTm *one = random_machine(&(Shape){2, 3, 1, 90, 0, 10, TH_TM_MISSING_HALT}, &r);
    ThTm *two = random_machine(&(Shape){2, 2, 2, 90, 0, 10, TH_TM_MISSING_HALT}, &r);
    ThText t = {0};
    assert_null(th_tm_one_tape(one, MOST, NULL, &err));
    assert_null(th_tm_binary(two, MOST, NULL, &err));
    assert_null(th_tm_one_way(two, MOST, NULL, &err));
    assert_null(th_tm_deterministic(two, MOST, NULL, &err));
    assert_true(err.code == TH_EVALUE);
    err = (ThError){0};
    assert_null(th_tm_one_tape(two, 20, NULL, &err));
    assert_null(th_tm_binary(one, 3, NULL, &err));
    assert_true(err.code == TH_ELIMIT);
    err = (ThError){0};
    static volatile sig_atomic_t stop = 1;
    assert_null(th_tm_one_tape(two, MOST, &stop, &err));
    assert_null(th_tm_deterministic(one, MOST, &stop, &err));
    assert_true(err.code == TH_EINTERRUPTED);
    assert_false(th_tm_universal_input(&t, one, NULL, 0, &err));
    assert_false(th_tm_universal_input(&t, two, NULL, 0, &err));
    th_text_free(&t);
    th_tm_free(one);
    th_tm_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),     cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_one_tape),   cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_runs_apart), cmocka_unit_test(test_universal),
        cmocka_unit_test(test_edges),      cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("reductions", tests, NULL, NULL);
}
