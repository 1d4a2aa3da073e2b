/* Strings of dozens of symbols through what halts and what reads in chunks: nothing looks ahead, by
 * not a bit, wherever chunks end, and a string says in a batch what it says alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bound.h"

enum { SYMBOLS = 4, LONGEST = 41, ROWS = 7 };

/* Room for the logits of a batch; and what its applications cost, or 0, and how they go on. */
typedef struct {
    double z[ROWS * LONGEST * SYMBOLS], cost;
    int n;
} Said;

static void draw(int *token, int n)
{
    ThRng r = th_rng(4, "long", 0);
    for (int i = 0; i < n; i++)
        token[i] = (int)th_rng_below(&r, SYMBOLS);
}

static void say(const ThModel *m, ThTape *t, const ThBatch *b, Said *to)
{
    ThError err = {0};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar v = m->kind->forward(m, t, b, &(ThModelForward){0}), cost = th_tape_find(t, "cost", -1);
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    to->n = th_tape_rows(t, v) * SYMBOLS;
    assert_true(to->n <= ROWS * LONGEST * SYMBOLS);
    th_tape_read(t, v, to->z);
    to->cost = 0;
    if (cost >= 0)
        th_tape_read(t, cost, &to->cost);
}

/* Every symbol in turn is another one: what is said before it stays, to the last bit. */
static void check_leaks(const char *kind, const char *settings)
{
    enum { LENGTH = 37 };
    static Said before, after;
    int token[LENGTH];
    double moved = 0;
    ThModel *m = bound(kind, settings, TH_TARGET_EVERY, SYMBOLS);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
    ThBatch b = {.B = 1, .T = LENGTH, .token = token};
    draw(token, LENGTH);
    say(m, t, &b, &before);
    for (int at = 0; at < LENGTH; at++) {
        token[at] = (token[at] + 1) % SYMBOLS;
        say(m, t, &b, &after);
        token[at] = (token[at] + SYMBOLS - 1) % SYMBOLS;
        for (int k = 0; k < at * SYMBOLS; k++)
            if (before.z[k] - after.z[k] != 0)
                fail_msg("%s %s: symbol %d moves answer %d", kind, settings, at, k / SYMBOLS);
        moved += fabs(before.z[at * SYMBOLS] - after.z[at * SYMBOLS]);
    }
    assert_true(moved > 0.01);
    for (b.T = 1; b.T < LENGTH; b.T++) { /* and so it does when the rest is not there */
        say(m, t, &b, &after);
        for (int k = 0; k < b.T * SYMBOLS; k++)
            if (before.z[k] - after.z[k] != 0)
                fail_msg("%s %s: of %d symbols answer %d is another", kind, settings, b.T,
                         k / SYMBOLS);
    }
    th_tape_free(t);
    th_model_free(m);
}

static void nothing_looks_ahead(void **state)
{
    (void)state;
    static const int chunks[] = {4, 5, 13, 25, 26, 64};
    char settings[160];
    check_leaks("encoder", "dim=4 heads=2 layers=2 causal=yes");
    for (int from = 0; from < 2; from++) {
        snprintf(settings, sizeof settings, "dim=4 heads=2 steps=3 causal=yes halt_from=%d", from);
        check_leaks("universal", settings);
        check_leaks("gated_universal", settings);
        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
            snprintf(settings, sizeof settings,
                     "dim=4 heads=2 steps=3 causal=yes chunk=%d slots=4 halt_from=%d", chunks[i],
                     from);
            check_leaks("gutlb", settings);
            snprintf(settings, sizeof settings,
                     "dim=4 heads=2 layers=2 causal=yes chunk=%d slots=4", chunks[i]);
            if (from == 0)
                check_leaks("tlb", settings);
        }
    }
}

/* Lengths that fill chunks of ten, leave one over, or leave whole chunks empty. */
static void check_alone(const char *kind, const char *settings)
{
    static const int lengths[ROWS] = {1, 2, 7, 10, 20, 23, LONGEST};
    static Said all, one;
    int token[ROWS * LONGEST], own[ROWS];
    double cost = 0;
    ThModel *m = bound(kind, settings, TH_TARGET_FINAL, SYMBOLS);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
    memcpy(own, lengths, sizeof own);
    draw(token, ROWS * LONGEST);
    say(m, t, &(ThBatch){.B = ROWS, .T = LONGEST, .token = token, .length = own}, &all);
    for (int i = 0; i < ROWS; i++) {
        say(m, t, &(ThBatch){.B = 1, .T = own[i], .token = token + i * LONGEST}, &one);
        assert_int_equal(one.n, SYMBOLS);
        cost += one.cost;
        for (int k = 0; k < SYMBOLS; k++)
            if (!(fabs(all.z[i * SYMBOLS + k] - one.z[k]) <= 1e-12))
                fail_msg("%s %s, %d symbols: %.17g is not %.17g", kind, settings, own[i],
                         all.z[i * SYMBOLS + k], one.z[k]);
    }
    assert_true(fabs(all.cost - cost) <= 1e-12 * (1 + cost));
    th_tape_free(t);
    th_model_free(m);
}

static void strings_say_what_they_say_alone(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"encoder", "layers=2"},
        {"universal", "steps=3 ponder=1"},
        {"universal", "steps=3 halt=none"},
        {"gated_universal", "steps=3 ponder=1"},
        {"gated_universal", "steps=3 gate=no ponder=1"},
        {"gated_universal", "steps=3 halt=token ponder=1"},
        {"gated_universal", "steps=3 transition=no threshold=0.6 ponder=1"},
        {"tlb", "layers=2 chunk=10 slots=4"},
        {"gutlb", "steps=3 chunk=10 slots=4 threshold=0.7 ponder=1"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char settings[160];
        snprintf(settings, sizeof settings, "dim=4 heads=2 %s", forms[i][1]);
        check_alone(forms[i][0], settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_looks_ahead),
        cmocka_unit_test(strings_say_what_they_say_alone),
    };
    return cmocka_run_group_tests_name("long_strings", tests, NULL, NULL);
}
