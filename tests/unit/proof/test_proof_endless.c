/* The checker of machines, beside the machines themselves: no proof holds of a machine that stops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "proof/machine/endless.h"
#include "turing/analyze.h"

static ThProofMachine checked(const char *machine, const char *proof, const char *numbers)
{
    ThError err = {0};
    ThProofMachine found;
    assert_true(th_proof_machine(machine, proof, numbers, NULL, &found, &err));
    assert_true(found.holds == (found.why[0] == '\0'));
    return found;
}

typedef struct {
    const char *machine, *proof, *numbers;
    bool holds;
} Case;

static void test_cases(void **state)
{
    (void)state;
    static const Case cases[] = {
        {"1RB1LB_1LA1RZ", "run", "6", true},
        {"1RB1LB_1LA1RZ", "run", "5", false},
        {"1RB1LB_1LA1RZ", "run", "7", false},
        {"1RB 1LB  1LA ---", "run", "6", true},
        {"1RA---", "unreachable", "", false},
        {"1RB---_0LA1RA", "unreachable", "", false},
        {"1RB1LA_1LA1RB", "unreachable", "", true},
        {"1RB---_1LA---", "cycler", "0 2 0", false},
        {"1RA---", "translated_cycler", "0 1 1", true},
        {"1RA---", "translated_cycler", "0 1 0", false},
        {"1RA---", "translated_cycler", "0 1 -1", false},
        {"1RA---", "translated_cycler", "0 0 0", false},
        {"0RB---_0LA---", "cycler", "0 2 0", true},
        {"1RB---_1LB1LB", "translated_cycler", "3 1 -1", true},
        {"1RB---_1LB1LB", "translated_cycler", "2 1 -1", false},
        {"0RB---_0RC---_1LD---_0LE---_0RE---", "translated_cycler", "4 1 1", false},
        {"0LB---_0LC---_1RD---_0RE---_0LE---", "translated_cycler", "4 1 -1", false},
        {"1RB1LB_1LA1RC_---0RA", "translated_cycler", "3 12 -2", true},
        {"1RB1LB_1LA1RC_---0RA", "translated_cycler", "3 12 -1", false},
        {"1RB1LB_1LA1RC_---0RA", "translated_cycler", "3 11 -2", false},
        {"1RB1LB_1LA1RC_---0RA", "translated_cycler", "3 12", false},
        {"1RB1LB_1LA1RC_---0RA", "translated_cycler", "3 12 -2 0", false},
        {"1RB1LB_1LA1RC_---0RA", "translated_cycler", "3 12 x", false},
        {"1RA0LC_1RA1LA_---0RB", "backward_reasoning", "2", true},
        {"1RA0LC_1RA1LA_---0RB", "backward_reasoning", "1", false},
        {"1RB1LB_1LA1RC_---0RA", "far", "1 0 1 0 0", true},
        {"1RB1LB_1LA1RC_---0RA", "far", "0 0 1 0 0", false},
        {"1RB1LB_1LA1RC_---0RA", "far", "1 0 0 0 0", false},
        {"1RB1LB_1LA1RC_---0RA", "far", "1 0 1 0 2", false},
        {"1RB1LB_1LA1RC_---0RA", "far", "1 0 1 0", false},
        {"1RB1LA_1LA1RB", "far", "1 0 0", true},
        {"1RB1LC_1LA1RD_1LD1LA_1RA1RE_---1RB", "repeated_words", "6 2", true},
        {"1RB1LC_1LA1RD_1LD1LA_1RA1RE_---1RB", "repeated_words", "5 2", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "13 0 42 0 4 110 6 11010", true},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "13 0 41 0 4 110 6 11010", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "13 0 42 0 4 111 6 11010", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "13 1 42 0 4 110 6 11010", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "12 0 42 0 4 110 6 11010", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "13 0 0 0 4 110 6 11010", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "bouncers", "13 0 42 0 4 110", false},
        /* copies of a word beside its block are whole */
        {"1RB---_1RB---", "bouncers", "1 1 2 0 2 11 1 1", true},
        {"1RB---_1RB---", "bouncers", "1 1 1 0 2 11 1 1", false},
        {"1RB---_1RB---", "bouncers", "1 1 1 0 2 10 1 1", false},
        /* of an odd number of ones it would stop, and a block of one is left in another state */
        {"1RB1LA_1LA1RC_---1RB", "bouncers", "3 0 9 0 2 11 2 11", true},
        {"1RB1LA_1LA1RC_---1RB", "bouncers", "3 0 9 0 1 1 2 11", false},
        /* it stops in the second word, where what the head took along is another */
        {"1RB3LA3LA3LA---_4LA------3LC4LA_---2RD---------_---------3RB---", "bouncers",
         "3 0 5 1 4 1 3 0", false},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "repeated_words", "4 2", true},
        {"1RB---_0RC---_0RD0LD_1LE0RE_0LA1LC", "repeated_words", "1 2", false},
        {"1RB1LC_0LA0RE_0LD1LB_1RD1RA_---0RC", "ngram_cps", "6 0", true},
        {"1RB1LC_0LA0RE_0LD1LB_1RD1RA_---0RC", "ngram_cps", "3 0", false},
        {"1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", "repeated_words", "3 2", false},
        {"1RB2LA_1LA1RB", "run", "1", false},
        {"1RB1LA_1LA", "run", "1", false},
        {"1RB1LA_1LA1RB", "sworn", "1", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThProofMachine found = checked(cases[i].machine, cases[i].proof, cases[i].numbers);
        if (found.holds != cases[i].holds)
            fail_msg("%s %s %s: %s", cases[i].machine, cases[i].proof, cases[i].numbers, found.why);
        assert_true(!found.holds || found.stops == (strcmp(cases[i].proof, "run") == 0));
    }
}

/* ---- machines that are run ------------------------------------------------------------------- */

enum { CELLS = 401, LIMIT = 190 };

/* The steps after which a machine of two symbols stops; 0: not within the limit. */
static int steps_of(const char *machine)
{
    unsigned char tape[CELLS] = {0};
    int at = CELLS / 2, q = 0;
    for (int n = 1; n <= LIMIT; n++) {
        const char *x = machine + 7 * q + 3 * tape[at];
        if (*x == '-')
            return n;
        tape[at] = (unsigned char)(*x - '0');
        at += x[1] == 'R' ? 1 : -1;
        q = x[2] - 'A';
    }
    return 0;
}

static void draw(ThRng *rng, int states, char *machine)
{
    for (int i = 0; i < 2 * states; i++) {
        char *x = machine + 7 * (i / 2) + 3 * (i % 2);
        snprintf(x, 8, "%c%c%c", (char)('0' + th_rng_below(rng, 2)),
                 th_rng_below(rng, 2) ? 'R' : 'L',
                 (char)('A' + th_rng_below(rng, (uint64_t)states)));
        if (th_rng_below(rng, 6) == 0)
            snprintf(x, 8, "---");
        if (i % 2 && i < 2 * states - 1)
            snprintf(x + 3, 8, "_");
    }
}

/* Proofs of machines that stop do not hold, whatever their numbers are; and its steps do. */
static void check_stops(ThRng *rng, const char *machine, int steps)
{
    static const char *const proofs[] = {
        "unreachable",        "backward_reasoning 0", "backward_reasoning 6",
        "ngram_cps 1 0",      "ngram_cps 2 1",        "ngram_cps 3 2",
        "repeated_words 1 2", "repeated_words 2 3",   "repeated_words 3 2"};
    char text[100];
    for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++) {
        snprintf(text, sizeof text, "%s ", proofs[i]);
        char *numbers = strchr(text, ' ');
        *numbers++ = '\0';
        assert_false(checked(machine, text, numbers).holds);
    }
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "%d %d %d", (int)th_rng_below(rng, 8),
                 (int)th_rng_below(rng, 12), (int)th_rng_below(rng, 5) - 2);
        assert_false(checked(machine, "translated_cycler", text).holds);
        int n = 1 + (int)th_rng_below(rng, 3), at = snprintf(text, sizeof text, "%d 0", i % 2);
        for (int k = 1; k < 2 * n; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, " %d",
                           (int)th_rng_below(rng, (uint64_t)n));
        assert_false(checked(machine, "far", text).holds);
    }
    snprintf(text, sizeof text, "%d", steps);
    assert_true(checked(machine, "run", text).holds);
    snprintf(text, sizeof text, "%d", steps + 1);
    assert_false(checked(machine, "run", text).holds);
}

/* What is decided of a machine that goes on has a certificate that holds. */
static void check_decided(const char *machine, int *proofs)
{
    ThError err = {0};
    ThTmAnalysis a;
    ThText text = {0};
    ThTmTapeWords words = {0};
    ThTmAnalysisLimits limits = {.run = {2000, UINT64_MAX},
                                 .configurations = 1,
                                 .depth = 20,
                                 .width = 4,
                                 .history = 2,
                                 .reach = true,
                                 .backward = true,
                                 .contexts = true};
    ThTm *m = th_tm_read_bb(machine, &err);
    limits.run_it = *proofs % 2; /* that others have something to decide */
    assert_true(th_tm_analyze(&a, m, &words, limits, NULL, &err));
    th_tm_certificate(&text, &a);
    if (a.proof != TH_TM_PROOF_NONE) {
        ThProofMachine found =
            checked(machine, th_tm_proof_name(a.proof), text.data ? text.data : "");
        if (!found.holds || found.stops)
            fail_msg("%s %s %s: %s", machine, th_tm_proof_name(a.proof), text.data, found.why);
        ++*proofs;
    }
    th_text_free(&text);
    th_tm_analysis_free(&a, m);
    th_tm_free(m);
}

/* What sets decide; certificates of machines that go on hold, and there are none of others. */
static void check_closed(const char *machine, bool stops, int *proofs)
{
    ThError err = {0};
    ThTmAnalysis a = {0};
    ThTmTable t;
    bool proved;
    ThTm *m = th_tm_read_bb(machine, &err);
    assert_true(th_tm_table(&t, m));
    for (int i = 0; i < 2; i++) {
        ThText text = {0};
        assert_true(i ? th_tm_far(&a.far, &t, 4, NULL, &proved, &err)
                      : th_tm_repeated(&a.repeated, &t, 3, NULL, &proved, &err));
        assert_false(proved && stops);
        a.proof = i ? TH_TM_PROOF_FAR : TH_TM_PROOF_WORDS;
        th_tm_certificate(&text, &a);
        if (proved && !checked(machine, th_tm_proof_name(a.proof), text.data).holds)
            fail_msg("%s %s", machine, text.data);
        proofs[i] += proved;
        th_text_free(&text);
    }
    th_tm_free(m);
}

static void test_closed(void **state)
{
    (void)state;
    ThRng rng = th_rng(9, "closed", 0);
    char machine[40];
    int proofs[2] = {0}, endless = 0, stops = 0;
    for (int i = 0; i < 600; i++) {
        draw(&rng, 2 + i % 3, machine);
        int steps = steps_of(machine);
        check_closed(machine, steps > 0, proofs);
        endless += steps == 0;
        stops += steps > 3;
    }
    if (proofs[0] < endless * 9 / 10 || proofs[1] < endless * 9 / 10 || stops < 10)
        fail_msg("%d and %d proofs of %d, %d stop", proofs[0], proofs[1], endless, stops);
}

/* Machines for which what was there before finds nothing. */
static void test_hard(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        int words, far;
        const char *numbers;
    } hard[] = {{"1RB1LC_1LA1RD_1LD1LA_1RA1RE_---1RB", 6, 0, "6 2"},
                {"1RB1LA_0LA0RC_0RD0RE_1LD0LA_---1RD", 2, 0, "2 4"},
                {"1RB1LB_1LA1RC_---0RA", 0, 2, "1 0 1 0 0"},
                {"1RB1LB_0RC1LE_1LD1RC_0LA1LA_---1LD", 0, 7, "1 0 1 2 3 3 4 3 3 3 5 3 6 2 2"}};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        ThError err = {0};
        ThTmAnalysis a = {.proof = hard[i].far ? TH_TM_PROOF_FAR : TH_TM_PROOF_WORDS};
        ThTmTable t;
        ThText text = {0};
        bool proved;
        ThTm *m = th_tm_read_bb(hard[i].machine, &err);
        assert_true(th_tm_table(&t, m));
        for (int less = 1; less >= 0; less--) {
            assert_true(hard[i].far ? th_tm_far(&a.far, &t, hard[i].far - less, NULL, &proved, &err)
                                    : th_tm_repeated(&a.repeated, &t, hard[i].words - less, NULL,
                                                     &proved, &err));
            assert_true(proved == !less);
        }
        th_tm_certificate(&text, &a);
        assert_string_equal(text.data, hard[i].numbers);
        assert_true(checked(hard[i].machine, th_tm_proof_name(a.proof), text.data).holds);
        th_text_free(&text);
        th_tm_free(m);
    }
}

/* The same machine with one case that stops. */
static void stop_at(const char *machine, int state, int symbol, char *to)
{
    snprintf(to, 40, "%s", machine);
    memcpy(to + 7 * state + 3 * symbol, "---", 3);
}

/* The certificate with one number changed. */
static void change(ThRng *rng, const char *numbers, char *to)
{
    int n = 0, which = 0, at = 0;
    for (const char *s = numbers; *s; s++)
        n += *s == ' ';
    which = (int)th_rng_below(rng, (uint64_t)n + 1);
    for (const char *s = numbers; *s; n = 0) {
        char *end;
        long long is = strtoll(s, &end, 10);
        is += which-- == 0 ? 1 - 2 * (int)th_rng_below(rng, 2) : 0;
        at += sprintf(to + at, "%s%lld", at ? " " : "", is);
        s = end + (*end == ' ');
    }
}

/* What is found holds, and no more of the machine with a case that stops it; found[0] of bouncers,
 * found[1] of those that rules find, and found[2] of those that either does. */
static void check_bouncer(ThRng *rng, const char *machine, bool stops, int *found, int *refused)
{
    ThError err = {0};
    ThTmAnalysis a = {.proof = TH_TM_PROOF_BOUNCER};
    ThTmTable t;
    bool proved = false;
    char other[40], numbers[2000];
    ThText text TH_OWNED(th_text_free) = {0};
    ThTm *m = th_tm_read_bb(machine, &err);
    assert_true(th_tm_table(&t, m) && th_tm_bouncer(&a.bouncer, &t, 20000, NULL, &proved, &err));
    ThTmRuled ruled = {0};
    assert_true(stops || th_tm_ruled(&ruled, &t, 4, 2000, NULL, &err));
    assert_false(stops && proved);
    found[0] += proved;
    found[1] += ruled.never;
    found[2] += proved || ruled.never;
    th_tm_ruled_free(&ruled);
    th_tm_free(m);
    if (!proved)
        return;
    th_tm_certificate(&text, &a);
    ThProofMachine is = checked(machine, "bouncers", text.data);
    if (!is.holds)
        fail_msg("%s %s: %s", machine, a.bouncer.formula, text.data);
    for (int i = 0; i < 2 * t.states; i++) {
        stop_at(machine, i / 2, i % 2, other);
        if (steps_of(other) == 0)
            continue;
        assert_false(checked(other, "bouncers", text.data).holds);
        change(rng, text.data, numbers);
        assert_false(checked(other, "bouncers", numbers).holds);
        ++*refused;
    }
    change(rng, text.data, numbers);
    refused[1] += !checked(machine, "bouncers", numbers).holds;
}

/* A formula of the tape after some steps, when the head is at an end, with a drawn word put in;
 * false: it is at none. */
static bool draw_formula(ThRng *rng, const char *machine, int steps, int *moves, char *to)
{
    unsigned char tape[CELLS] = {0};
    int at = CELLS / 2, q = 0, low = at, high = at, n = 0;
    char word[CELLS];
    for (int i = 0; i < steps; i++) {
        const char *x = machine + 7 * q + 3 * tape[at];
        low = at < low ? at : low;
        high = at > high ? at : high;
        tape[at] = (unsigned char)(*x - '0');
        at += x[1] == 'R' ? 1 : -1;
        q = x[2] - 'A';
    }
    int right = at > high;
    if (at >= low && at <= high)
        return false;
    for (int i = 0; i <= high - low; i++)
        word[n++] = (char)('0' + tape[right ? low + i : high - i]);
    int before = (int)th_rng_below(rng, (uint64_t)(n < 14 ? n : 14) + 1);
    int size = 1 + (int)th_rng_below(rng, 3), letters = (int)th_rng_below(rng, 8);
    if (n > 14)
        return false;
    *moves = sprintf(to, "%d %d ", steps, right);
    to += sprintf(to, "%d %d 10 %d ", steps, right, before);
    to += before ? sprintf(to, "%.*s ", before, word) : 0;
    to += sprintf(to, "%d %d%d%d ", size, size > 2 ? letters >> 2 & 1 : 0,
                  size > 1 ? letters >> 1 & 1 : 0, letters & 1);
    to += sprintf(to, "%d", n - before);
    if (n > before)
        sprintf(to, " %.*s", n - before, word + before);
    return true;
}

/* Holds no formula of a machine that stops, after 1 to 24 moves? */
static bool try_formula(ThRng *rng, const char *machine, int steps)
{
    char numbers[200];
    int moves, at = 1 + (int)th_rng_below(rng, (uint64_t)steps - 2);
    if (!draw_formula(rng, machine, at, &moves, numbers))
        return false;
    for (int n = 1; n < 25; n++) {
        numbers[moves] = (char)('0' + n / 10);
        numbers[moves + 1] = (char)('0' + n % 10);
        if (checked(machine, "bouncers", numbers).holds)
            fail_msg("%s stops after %d steps: %s", machine, steps, numbers);
    }
    return true;
}

/* No formula holds of a machine that stops. */
static void test_no_bouncers(void **state)
{
    (void)state;
    ThRng rng = th_rng(6, "no bouncers", 0);
    char machine[40];
    int machines = 0, formulas = 0;
    for (int i = 0; machines < 100; i++) {
        draw(&rng, 2 + i % 3, machine);
        int steps = steps_of(machine);
        machines += steps > 12;
        for (int k = 0; steps > 12 && k < 100; k++)
            formulas += try_formula(&rng, machine, steps);
    }
    assert_true(formulas > 800);
}

static void test_bouncers(void **state)
{
    (void)state;
    enum { ALL = 3000 };
    ThRng rng = th_rng(5, "bouncers", 0);
    char machine[40];
    int found[3] = {0}, refused[2] = {0};
    for (int i = 0; i < ALL; i++) {
        draw(&rng, 3 + i % 3, machine);
        int steps = steps_of(machine);
        check_bouncer(&rng, machine, steps > 0, found, refused);
    }
    print_message("# %d bouncers, %d by rules, %d by either; refused %d and %d\n", found[0],
                  found[1], found[2], refused[0], refused[1]);
    assert_true(found[0] > 20 && refused[0] > 50 && refused[1] > found[0] / 2);
}

static void test_random(void **state)
{
    (void)state;
    ThRng rng = th_rng(7, "endless", 0);
    char machine[40];
    int stops = 0, proofs = 0;
    for (int i = 0; i < 4000; i++) {
        draw(&rng, 2 + i % 3, machine);
        int steps = steps_of(machine);
        if (steps > 0)
            check_stops(&rng, machine, steps);
        else
            check_decided(machine, &proofs);
        stops += steps > 3;
    }
    if (stops < 100 || proofs < 500)
        fail_msg("%d stop, %d proofs", stops, proofs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),    cmocka_unit_test(test_no_bouncers),
        cmocka_unit_test(test_bouncers), cmocka_unit_test(test_random),
        cmocka_unit_test(test_closed),   cmocka_unit_test(test_hard)};
    return cmocka_run_group_tests_name("endless", tests, NULL, NULL);
}
