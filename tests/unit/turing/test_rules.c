/* Runs by rules, and what a run does for the last time, beside runs step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "turing/analyze.h"

enum { CELLS = 4001, LIMIT = 1990, STATES = 4 };

/* A run of a machine with two symbols, from a string without ---. */
typedef struct {
    int steps; /* after which it stops; 0: not within the limit */
    int ones, blank,
        used[STATES + 1]; /* blank: the first step after which all is; used: the last */
    unsigned char tape[CELLS];
} Plain;

static void run(Plain *p, const char *machine)
{
    int at = CELLS / 2, q = 0;
    *p = (Plain){0};
    for (int n = 1; n <= LIMIT && p->steps == 0; n++) {
        const char *x = machine + 7 * q + 3 * p->tape[at];
        p->used[q] = n;
        p->ones += (*x == '1') - p->tape[at];
        p->tape[at] = *x == '1';
        at += x[1] == 'R' ? 1 : -1;
        q = x[2] - 'A';
        p->steps = x[2] == 'Z' ? n : 0;
        if (p->ones == 0 && p->blank == 0)
            p->blank = n;
    }
}

static void draw(ThRng *rng, int states, char *machine)
{
    for (int i = 0; i < 2 * states; i++) {
        char to =
            (char)(th_rng_below(rng, 7) == 0 ? 'Z' : 'A' + th_rng_below(rng, (uint64_t)states));
        snprintf(machine + 7 * (i / 2) + 3 * (i % 2), 8, "%c%c%c%s",
                 (char)('0' + th_rng_below(rng, 2)), th_rng_below(rng, 2) ? 'R' : 'L', to,
                 i % 2 && i < 2 * states - 1 ? "_" : "");
    }
}

static ThTmTable table_of(const char *machine)
{
    ThError err = {0};
    ThTmTable t;
    ThTm *m = th_tm_read_bb(machine, &err);
    assert_true(th_tm_table(&t, m));
    th_tm_free(m);
    return t;
}

static void test_random(void **state)
{
    (void)state;
    ThRng rng = th_rng(3, "rules", 0);
    static Plain p;
    char machine[40], text[2][20];
    int stops = 0, never = 0, endless = 0;
    for (int i = 0; i < 1500; i++) {
        ThError err = {0};
        ThTmRuled r;
        draw(&rng, 2 + i % 3, machine);
        ThTmTable t = table_of(machine);
        run(&p, machine);
        assert_true(th_tm_ruled(&r, &t, 3, 1000, NULL, &err));
        snprintf(text[0], sizeof text[0], "%d", p.steps);
        snprintf(text[1], sizeof text[1], "%d", p.ones);
        if (r.stops != (p.steps > 0) || (r.never && p.steps > 0))
            fail_msg("%s stops after %d steps", machine, p.steps);
        if (r.stops && (strcmp(r.steps, text[0]) != 0 || strcmp(r.nonblank, text[1]) != 0))
            fail_msg("%s: %s steps, %s ones", machine, r.steps, r.nonblank);
        stops += r.stops && p.steps > 3;
        never += r.never;
        endless += p.steps == 0;
        th_tm_ruled_free(&r);
    }
    if (stops < 30 || never < endless * 8 / 10)
        fail_msg("%d stop; %d of %d never", stops, never, endless);
}

/* Long runs, and one that nobody can make. */
static void test_long(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *steps, *nonblank;
    } runs[] = {{"1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", "47176870", "4098"},
                {"1RB2LA1RA1RA_1LB1LA3RB1RZ", "3932964", "2050"},
                {"1RB2RA2RC_1LC1RZ1LA_1RA2LB1LC", "310341163", "36089"},
                {"1RB1RZ2RB_1LC0LB1RA_1RA2LC1RC", "4939345068", "107900"},
                {"1RB0LA_1RC1RZ_1RD0RB_1LE0RC_1LF0LD_0RF1RA", "~10^1405.0", "~10^702.4"},
                {"1RB0LB_1LC0RE_1RE0LD_1LA1LA_0RA0RF_1RE1RZ", "~10^99.7", "~10^49.8"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        ThError err = {0};
        ThTmRuled r;
        ThTmTable t;
        ThText steps = {0}, nonblank = {0};
        ThTm *m = th_tm_read_bb(runs[i].machine, &err);
        assert_true(th_tm_table(&t, m));
        assert_true(th_tm_ruled(&r, &t, 6, 200000, NULL, &err));
        assert_true(r.stops && !r.never);
        th_tm_big_write(&steps, r.steps);
        th_tm_big_write(&nonblank, r.nonblank);
        assert_string_equal(steps.data, runs[i].steps);
        assert_string_equal(nonblank.data, runs[i].nonblank);
        th_text_free(&steps);
        th_text_free(&nonblank);
        th_tm_ruled_free(&r);
        th_tm_free(m);
    }
}

/* Of runs that repeat themselves, all that comes is as was told. */
static void check_afterwards(const char *machine, const Plain *p, int *quasi, int *blanks)
{
    ThError err = {0};
    ThTmAfterwards x;
    ThTmAnalysis a;
    ThTmTapeWords words = {0};
    ThTmAnalysisLimits limits = {.run = {500, UINT64_MAX}, .run_it = true};
    ThTm *m = th_tm_read_bb(machine, &err);
    ThTmWork w = {.machine = m, .words = &words};
    assert_true(th_tm_analyze(&a, m, &words, limits, NULL, &err));
    bool again = a.proof == TH_TM_PROOF_CYCLE || a.proof == TH_TM_PROOF_TRANSLATION;
    if (again && a.again.step + 2 * a.again.period < LIMIT) {
        int settled = 0;
        assert_true(th_tm_afterwards(&x, &w, a.again.step, a.again.period, &err));
        for (int q = 0; q < x.n && q < STATES; q++) {
            if (x.again[q])
                assert_true((uint64_t)p->used[q] > LIMIT - a.again.period - 1);
            else
                settled = p->used[q] > settled ? p->used[q] : settled;
        }
        assert_int_equal(x.settled, settled);
        assert_int_equal(x.blank, p->blank);
        *quasi += settled > 0;
        *blanks += p->blank > 0;
        th_tm_afterwards_free(&x);
    }
    th_tm_analysis_free(&a, m);
    th_tm_free(m);
}

static void test_afterwards(void **state)
{
    (void)state;
    ThRng rng = th_rng(4, "afterwards", 0);
    static Plain p;
    char machine[40];
    int quasi = 0, blanks = 0;
    for (int i = 0; i < 1000; i++) {
        draw(&rng, 2 + i % 3, machine);
        run(&p, machine);
        if (p.steps == 0)
            check_afterwards(machine, &p, &quasi, &blanks);
    }
    if (quasi < 50 || blanks < 50)
        fail_msg("%d quasihalt, %d are blank", quasi, blanks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_afterwards)};
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
