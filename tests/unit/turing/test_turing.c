/* test_turing.c - Turing machines: reference results, and the fast engine against the plain one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/symbols.h"
#include "same_machine.h"
#include "sanitized.h"
#include "turing/census.h"
#include "turing/engine.h"
#include "turing/fast.h"
#include "turing/tm_machine.h"
#include "turing/tm_run.h"
#include "turing/transform.h"

static const ThTmRunLimits no_limits = {TH_TM_MOST_STEPS, UINT64_MAX};

static ThTm *bb(const char *text)
{
    ThError err = {0};
    ThTm *m = th_tm_read_bb(text, &err);
    if (!m)
        print_error("%s: %d: %s\n", text, err.col, err.msg);
    assert_non_null(m);
    return m;
}

static ThTm *block(const char *text)
{
    ThError err = {0};
    ThTm *m = th_tm_parse(text, &err);
    if (!m)
        print_error("%d:%d: %s\n", err.line, err.col, err.msg);
    assert_non_null(m);
    return m;
}

/* ---- reference results: steps, score, cells, head -------------------------------------------- */

typedef struct {
    const char *machine;
    uint64_t steps, score, cells;
    int64_t head;
} Champion;

static const Champion champions[] = {
    {"1RZ---", 1, 1, 2, 1},
    {"1RB1LB_1LA1RZ", 6, 4, 4, 0},
    {"1RB0LB_1LA1RZ", 6, 3, 4, 0},
    {"1RB1RZ_1LB1LA", 6, 3, 3, 0},
    {"1RB1RZ_0LB1LA", 6, 2, 3, 0},
    {"0RB1RZ_1LA1RB", 6, 2, 3, 2},
    {"1RB1RZ_1LB0RC_1LC1LA", 21, 5, 5, 1},
    {"1RB1RZ_0RC1RB_1LC1LA", 14, 6, 6, 2},
    {"1RB1LC_1LA1RB_1LB1RZ", 13, 6, 6, 1},
    {"1RB1LB_1LA0LC_1RZ1LD_1RD0RA", 107, 13, 14, -9},
    {"1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", 47176870, 4098, 12289, -12242},
    {"1RB2LB1RZ_2LA2RB1LB", 38, 9, 9, 2},
    {"1RB2LA1RA1RA_1LB1LA3RB1RZ", 3932964, 2050, 2050, 2034},
};

static void champions_plain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof champions / sizeof *champions; i++) {
        const Champion *c = &champions[i];
        if (SANITIZED && c->steps > 10000000)
            continue;
        ThTm *m = bb(c->machine);
        ThTmRunning r;
        int64_t first, last;
        assert_true(th_tm_running_start(&r, m, NULL, NULL, NULL));
        assert_true(th_tm_running_go(&r, UINT64_MAX, no_limits, NULL, NULL));
        assert_int_equal(r.verdict, TH_TM_HALTED);
        assert_int_equal(r.steps, c->steps);
        assert_int_equal(r.cells, c->cells);
        assert_int_equal(r.tape[0].head, c->head);
        assert_int_equal(th_tm_tape_extent(&r.tape[0], m->blank, &first, &last), c->score);
        th_tm_running_free(&r);
        th_tm_free(m);
    }
}

static void champions_fast(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof champions / sizeof *champions; i++) {
        for (int k = 0; k <= 6; k += 3) {
            const Champion *c = &champions[i];
            ThTm *m = bb(c->machine);
            ThTmFast *f = th_tm_fast_new(m, NULL, 0, k, NULL);
            assert_non_null(f);
            assert_true(th_tm_fast_go(f, UINT64_MAX, no_limits, NULL, NULL));
            ThTmFastFigures x = th_tm_fast_figures(f);
            assert_int_equal(x.verdict, TH_TM_HALTED);
            assert_int_equal(x.steps, c->steps);
            assert_int_equal(x.nonblank, c->score);
            assert_int_equal(x.cells, c->cells);
            assert_int_equal(x.head, c->head);
            th_tm_fast_free(f);
            th_tm_free(m);
        }
    }
}

/* This one never halts and stays on 54 cells for more than 4·10^8 steps. */
static void never_halts(void **state)
{
    (void)state;
    ThTm *m = bb("1RB---_0LC1LC_0RD0LB_1RA0RE_1RD1RZ");
    ThTmFast *f = th_tm_fast_new(m, NULL, 0, 0, NULL);
    assert_true(th_tm_fast_go(f, UINT64_MAX, (ThTmRunLimits){400000000, UINT64_MAX}, NULL, NULL));
    ThTmFastFigures x = th_tm_fast_figures(f);
    assert_int_equal(x.verdict, TH_TM_OUT_OF_STEPS);
    assert_int_equal(x.steps, 400000000);
    assert_int_equal(x.cells, 54);
    th_tm_fast_free(f);
    th_tm_free(m);
}

/* ---- the fast engine against the plain one --------------------------------------------------- */

typedef struct {
    uint16_t *cell;
    size_t n, cap;
} Cells;

static void collect(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Cells *c = context;
    assert_true(count < 1 << 20);
    assert_true(th_grow(&c->cell, &c->cap, c->n + (size_t)n * count, sizeof *cell, NULL));
    for (uint64_t i = 0; i < count; i++, c->n += (size_t)n)
        memcpy(c->cell + c->n, cell, (size_t)n * sizeof *cell);
}

static void same_configuration(const ThTmRunning *r, const ThTmFast *f)
{
    ThTmFastFigures x = th_tm_fast_figures(f);
    const ThTmTape *t = &r->tape[0];
    int64_t first, last;
    Cells c = {0};
    uint64_t score = th_tm_tape_extent(t, r->machine->blank, &first, &last);
    assert_int_equal(x.verdict, r->verdict);
    assert_int_equal(x.state, r->state);
    assert_int_equal(x.steps, r->steps);
    assert_int_equal(x.cells, r->cells);
    assert_int_equal(x.head, t->head);
    assert_int_equal(x.nonblank, score);
    if (score > 0) {
        assert_int_equal(x.first, first);
        assert_int_equal(x.last, last);
    }
    th_tm_fast_each(f, collect, &c);
    size_t at = 0;
    while (score > 0 && c.cell[at] == r->machine->blank)
        at++;
    for (int64_t i = first; i <= last; i++)
        assert_int_equal(c.cell[at + (size_t)(i - first)], th_tm_tape_at(t, i, r->machine->blank));
    free(c.cell);
}

/* A random machine; some states stop, some rules are missing, the tape may be bounded, the head may
 * stay. */
static ThTm *any_machine(ThRng *g)
{
    int states = 1 + (int)th_rng_below(g, 5), symbols = 1 + (int)th_rng_below(g, 4);
    ThTm *whole = th_tm_random(states, symbols, g, NULL);
    ThTmBuild b = {0};
    assert_non_null(whole);
    for (int q = 0; q < states; q++)
        th_tm_state(&b, whole->state[q]);
    for (int s = 0; s < symbols; s++)
        th_tm_symbol(&b, whole->symbol[s]);
    for (int q = 1; q < states; q++)
        if (th_rng_below(g, 12) == 0)
            b.m.role[q] = (ThTmRole)(TH_TM_HALTS + (int)th_rng_below(g, 3));
    for (size_t i = 0; i < whole->n_rules; i++) {
        ThTmRule r = whole->rule[i];
        if (b.m.role[r.from] != TH_TM_RUNS || th_rng_below(g, 16) == 0)
            continue;
        if (th_rng_below(g, 8) == 0)
            r.move[0] = 0;
        th_tm_add(&b, &r);
    }
    b.m.n_tapes = 1;
    b.m.edge = th_rng_below(g, 2) ? TH_TM_TWO_WAY : (ThTmEdge)th_rng_below(g, 4);
    b.m.missing = (ThTmMissing)th_rng_below(g, 3);
    th_tm_free(whole);
    ThTm *m = th_tm_finish(&b, NULL);
    assert_non_null(m);
    return m;
}

static void compare_engines(const ThTm *m, const int *word, int length, int k, ThTmRunLimits l)
{
    ThTmRunning r;
    const int *words[] = {word};
    ThTmFast *f = th_tm_fast_new(m, word, length, k, NULL);
    assert_non_null(f);
    assert_true(th_tm_running_start(&r, m, words, &length, NULL));
    assert_true(th_tm_running_go(&r, UINT64_MAX, l, NULL, NULL));
    assert_true(th_tm_fast_go(f, UINT64_MAX, l, NULL, NULL));
    same_configuration(&r, f);
    th_tm_running_free(&r);
    th_tm_fast_free(f);
}

static void engines_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (SANITIZED ? 400 : 2000); seed++) {
        ThRng g = th_rng(seed, "test.engines", 0);
        ThTm *m = any_machine(&g);
        int word[12], length = (int)th_rng_below(&g, 12), k = (int)th_rng_below(&g, 9);
        for (int i = 0; i < length; i++)
            word[i] = (int)th_rng_below(&g, (uint64_t)m->n_symbols);
        for (int i = 0; i < 6; i++) {
            ThTmRunLimits l = {th_rng_below(&g, i % 2 ? 3000 : 60), UINT64_MAX};
            if (i == 5)
                l.cells = 1 + th_rng_below(&g, 40);
            compare_engines(m, word, length, k, l);
        }
        th_tm_free(m);
    }
}

/* Going on by pieces ends where going on at once does. */
static void engines_agree_by_pieces(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        ThRng g = th_rng(seed, "test.pieces", 0);
        ThTm *m = any_machine(&g);
        ThTmRunning r;
        ThTmFast *f = th_tm_fast_new(m, NULL, 0, 1 + (int)th_rng_below(&g, 16), NULL);
        uint64_t until = 0;
        assert_true(th_tm_running_start(&r, m, NULL, NULL, NULL));
        for (int i = 0; i < 30; i++) {
            until += th_rng_below(&g, 200);
            ThTmRunLimits l = {until, UINT64_MAX};
            assert_true(th_tm_running_go(&r, UINT64_MAX, l, NULL, NULL));
            assert_true(th_tm_fast_go(f, UINT64_MAX, l, NULL, NULL));
            same_configuration(&r, f);
        }
        th_tm_running_free(&r);
        th_tm_fast_free(f);
        th_tm_free(m);
    }
}

/* 2^62 steps of a machine that only runs to the right; counters do not wrap. */
static void enormous(void **state)
{
    (void)state;
    ThTm *m = block("start a; a * -> 1 R b; b * -> 0 R a; alphabet 0 1 _");
    ThTmFast *f = th_tm_fast_new(m, NULL, 0, 0, NULL);
    assert_true(th_tm_fast_go(f, UINT64_MAX, no_limits, NULL, NULL));
    ThTmFastFigures x = th_tm_fast_figures(f);
    assert_int_equal(x.verdict, TH_TM_OUT_OF_STEPS);
    assert_true(x.steps == TH_TM_MOST_STEPS && x.head == (int64_t)TH_TM_MOST_STEPS);
    assert_true(x.nonblank == TH_TM_MOST_STEPS);
    th_tm_fast_free(f);
    th_tm_free(m);
}

/* ---- all machines of a size ------------------------------------------------------------------ */

static void census(void **state)
{
    static const uint64_t two[] = {0, 729, 324, 72, 26, 4, 10, 0};
    static const uint64_t three[] = {0,    371293, 228488, 105456, 41236, 23712, 9452, 5896,
                                     2076, 1184,   528,    268,    152,   88,    64,   20,
                                     16,   60,     16,     8,      8,     4,     0};
    (void)state;
    ThTmCensus c;
    assert_true(th_tm_census(&c, &(ThTmCensusWork){.states = 1, .symbols = 2, .limit = 10}, NULL));
    assert_int_equal(c.machines, 25);
    assert_int_equal(c.halting, 5);
    assert_int_equal(c.by_steps[1], 5);
    assert_int_equal(c.by_ones[1], 5); /* the step that halts writes a 1 */
    th_tm_census_free(&c);
    assert_true(th_tm_census(&c, &(ThTmCensusWork){.states = 2, .symbols = 2, .limit = 7}, NULL));
    assert_int_equal(c.machines, 6561);
    assert_int_equal(c.halting, 1165);
    assert_int_equal(c.by_ones[4], 2);
    assert_memory_equal(c.by_steps, two, sizeof two);
    th_tm_census_free(&c);
    assert_true(th_tm_census(&c, &(ThTmCensusWork){.states = 3, .symbols = 2, .limit = 22}, NULL));
    assert_int_equal(c.machines, 4826809);
    assert_int_equal(c.halting, 790025);
    assert_int_equal(c.by_ones[6], 20);
    assert_memory_equal(c.by_steps, three, sizeof three);
    th_tm_census_free(&c);
    assert_false(th_tm_census(&c, &(ThTmCensusWork){.states = 9, .symbols = 9, .limit = 10}, NULL));
}

static uint64_t digest_after(const char *machine, const char *input)
{
    ThTm *m = block(machine);
    ThTmTapeWords w;
    ThTmEngine e;
    ThError err = {0};
    assert_true(th_tm_tape_words_read(&w, m, input, &err));
    assert_true(th_tm_engine_start(&e, m, &w, &err));
    assert_true(th_tm_engine_go(&e, UINT64_MAX, no_limits, NULL, &err));
    uint64_t digest = th_tm_engine_digest(&e, false);
    th_tm_engine_free(&e);
    th_tm_tape_words_free(&w);
    th_tm_free(m);
    return digest;
}

/* What is on the tape counts, by name, to its end; not where it is, nor what the blank is called,
 * nor in which engine it is. */
static void digests(void **state)
{
    (void)state;
    enum { LONG = 70000 };
    static const char right[] = "start a ; halt z\na 0,1 -> R a\na _ -> 1 S z",
                      gap[] = "start a ; halt z\na 0,1 -> R a\na _ -> R b\nb _ -> 1 S z",
                      end0[] = "start a ; halt z\na 0,1 -> R a\na _ -> 0 S z",
                      named[] =
                          "blank B ; start a ; halt z\na 1,0 -> R a\na B -> 1 S z\na xx -> S z",
                      two[] = "tapes 2 ; start a ; halt z\na 0|_ -> R|S a\na 1|_ -> R|S a\n"
                              "a _|_ -> 1 S|S z",
                      beside[] = "tapes 2 ; start a ; halt z\na 0|_ -> R|S a\na 1|_ -> R|S a\n"
                                 "a _|_ -> S|1 S z";
    uint64_t due = digest_after(right, "01");
    assert_true(digest_after(named, "0 1") == due && digest_after(right, "_*01") == due);
    assert_true(digest_after(gap, "01") != due && digest_after(end0, "01") != due);
    assert_true(digest_after(two, "01 | ") != digest_after(beside, "01 | "));
    assert_true(digest_after(two, "01 | ") == digest_after(two, "0*1 | "));
    char *input = malloc(LONG + 1);
    for (int i = 0; i < LONG; i++) /* no runs, no period */
        input[i] = i * (long)i / 7 % 3 ? '1' : '0';
    input[LONG] = '\0';
    due = digest_after(right, input);
    assert_true(digest_after(right, input) == due && digest_after(end0, input) != due);
    free(input);
}

/* A * says where the head starts, on every engine; where it is a symbol it is one. */
static void head_mark(void **state)
{
    (void)state;
    ThTm *m = block("start a ; halt z\na 0 -> 1 R a\na 1 -> 0 R a\na _ -> S z");
    ThTmTapeWords w;
    ThTmEngine e;
    ThTmFastFigures last;
    ThText tape = {0};
    ThError err = {0};
    assert_true(th_tm_tape_words_read(&w, m, "10*1_1", &err));
    assert_true(w.length[0] == 5 && w.head[0] == 2 && w.word[0][3] == m->blank);
    assert_true(th_tm_engine_start(&e, m, &w, &err));
    assert_true(th_tm_engine_go(&e, 100, no_limits, NULL, &err));
    last = th_tm_engine_figures(&e);
    assert_true(th_tm_engine_tape(&tape, &e, 100, &err));
    assert_string_equal(tape.data, "100_1");
    assert_true(last.steps == 2 && last.head == 3 && last.cells == 2);
    assert_false(th_tm_tape_words_at_start(&w, &err));
    th_tm_engine_free(&e);
    th_tm_tape_words_free(&w);
    th_text_free(&tape);
    assert_true(th_tm_tape_words_read(&w, m, "*", &err) && w.length[0] == 0 && w.head[0] == 0);
    assert_true(th_tm_tape_words_at_start(&w, &err));
    th_tm_tape_words_free(&w);
    err = (ThError){0};
    assert_false(th_tm_tape_words_read(&w, m, "1_1 0", &err) || err.col != 4 || !*err.hint);
    err = (ThError){0};
    assert_false(th_tm_tape_words_read(&w, m, "1*1*", &err));
    err = (ThError){0};
    assert_false(th_tm_tape_words_read(&w, m, "1*0x", &err));
    assert_int_equal(err.col, 4);
    th_tm_free(m);
    m = block("start a ; halt z ; tapes 2\na ab | _ -> R | S z\na * | ab -> R | S z");
    assert_true(th_tm_tape_words_read(&w, m, "ab * | ab * ab", &err));
    assert_true(w.head[0] == 1 && w.head[1] == 1 && w.length[1] == 2);
    th_tm_tape_words_free(&w);
    th_tm_free(m);
    m = block("start a ; halt z\na \"*\" -> R z");
    assert_true(th_tm_tape_words_read(&w, m, "**", &err) && w.length[0] == 2 && w.head[0] == 0);
    th_tm_tape_words_free(&w);
    th_tm_free(m);
}

/* Has a machine halted within so many steps on the blank tape?  *steps: after how many. */
static bool halts(const char *text, uint64_t limit, uint64_t *steps)
{
    ThTm *m = bb(text);
    ThTmFast *f = th_tm_fast_new(m, NULL, 0, 0, NULL);
    assert_non_null(f);
    assert_true(th_tm_fast_go(f, UINT64_MAX, (ThTmRunLimits){limit, UINT64_MAX}, NULL, NULL));
    ThTmFastFigures x = th_tm_fast_figures(f);
    th_tm_fast_free(f);
    th_tm_free(m);
    *steps = x.steps;
    return x.verdict == TH_TM_HALTED;
}

typedef struct {
    int limit, n, longest;
    uint64_t stands_for; /* machines that begin with 1RB and differ where the run does not come */
    char last[64];
} Listed;

static bool check_listed(void *context, const ThTmCensusMachine *m)
{
    Listed *l = context;
    uint64_t steps, same = 1;
    assert_int_equal(halts(m->text, (uint64_t)l->limit, &steps), m->halted);
    assert_int_equal(steps, m->steps);
    assert_string_not_equal(m->text, l->last);
    snprintf(l->last, sizeof l->last, "%s", m->text);
    const char *open = strstr(m->text, "---"); /* one of them is where it halts */
    while (open && (open = strstr(open + 3, "---")))
        same *= 9;
    l->stands_for += m->halted && *m->text == '1' ? same : 0;
    l->longest = m->halted && m->steps > l->longest ? m->steps : l->longest;
    l->n++;
    return true;
}

static void tree_normal_form(void **state)
{
    static const char *const action[] = {"0LA", "0LB", "0RA", "0RB", "1LA",
                                         "1LB", "1RA", "1RB", "---"};
    (void)state;
    Listed l = {.limit = 10};
    ThTmCensus c;
    uint64_t halting = 0, steps;
    char text[16];
    ThTmCensusWork work = {2, 2, 10, NULL, NULL, check_listed, &l};
    assert_true(th_tm_census(&c, &work, NULL));
    assert_true(l.n == 42 && l.longest == 6 && c.machines == 42 && c.halting == 16);
    th_tm_census_free(&c);
    for (int i = 0; i < 9 * 9 * 9; i++) {
        snprintf(text, sizeof text, "1RB%s_%s%s", action[i % 9], action[i / 9 % 9], action[i / 81]);
        halting += halts(text, 10, &steps);
    }
    assert_int_equal(l.stands_for, halting);
    l = (Listed){.limit = 30};
    assert_true(th_tm_census(&c, &(ThTmCensusWork){3, 2, 30, NULL, NULL, check_listed, &l}, NULL));
    assert_true(l.longest == 21);
    th_tm_census_free(&c);
    l = (Listed){.limit = 40};
    assert_true(th_tm_census(&c, &(ThTmCensusWork){2, 3, 40, NULL, NULL, check_listed, &l}, NULL));
    assert_true(l.longest == 38);
    th_tm_census_free(&c);
    ThError err = {0};
    assert_false(
        th_tm_census(&c, &(ThTmCensusWork){2, 11, 40, NULL, NULL, check_listed, &l}, &err));
    assert_int_equal(err.code, TH_EVALUE);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* What is written is read as the same machine. */
static void round_trip(const ThTm *m)
{
    ThText t = {0};
    ThError err = {0};
    th_tm_write(&t, m, "M");
    char *open = strchr(t.data, '{'), *close = strrchr(t.data, '}');
    assert_true(open && close);
    *close = '\0';
    ThTm *again = th_tm_parse(open + 1, &err);
    assert_non_null(again);
    assert_true(same_machine(m, again));
    th_tm_free(again);
    th_text_free(&t);
}

static void blocks_round_trip(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        ThRng g = th_rng(seed, "test.blocks", 0);
        ThTm *m = any_machine(&g);
        round_trip(m);
        th_tm_free(m);
    }
    ThTm *m = block("tapes 2; start c; accept z; * * | _ -> R | 0 R *; c 1,0 | * -> 1 S | L z");
    assert_int_equal(m->n_rules, 3);
    round_trip(m);
    th_tm_free(m);
}

/* The rules are chosen in the order own case, own state, own symbol, any. */
static void precedence(void **state)
{
    (void)state;
    ThTm *m = block("start p; p a -> 1 R p; p * -> 2 R p; * a -> 3 R q; * * -> 4 R q");
    int p = 0, q = 1, a = -1, other = -1;
    for (int s = 0; s < m->n_symbols; s++) {
        a = strcmp(m->symbol[s], "a") == 0 ? s : a;
        other = strcmp(m->symbol[s], "4") == 0 ? s : other;
    }
    assert_int_equal(th_tm_rule(m, p, &a), 0);
    assert_int_equal(th_tm_rule(m, p, &other), 1);
    assert_int_equal(th_tm_rule(m, q, &a), 2);
    assert_int_equal(th_tm_rule(m, q, &other), 3);
    th_tm_free(m);
}

/* Rules for any state are not for those that stop, with a table and without. */
static void stopping_states_have_no_rules(void **state)
{
    (void)state;
    static const char *const texts[] = {"start p; halt z; p a -> 1 R z; * * -> R p",
                                        "tapes 2; start p; halt z; p a | * -> R | R z; "
                                        "* * | * -> R | L p"};
    for (size_t i = 0; i < 2; i++) {
        ThTm *m = block(texts[i]);
        for (int q = 0; q < m->n_states; q++) {
            for (int s = 0; s < m->n_symbols; s++) {
                int read[TH_TM_MOST_TAPES] = {s, s};
                size_t n;
                th_tm_choices(m, q, read, &n);
                assert_int_equal(n, m->role[q] == TH_TM_RUNS);
                assert_int_equal(th_tm_rule(m, q, read) >= 0, m->role[q] == TH_TM_RUNS);
            }
        }
        th_tm_free(m);
    }
}

/* Missing rules lead to the state of the name given, else to the first that has the role, else to a
 * new one. */
static void goals_of_missing_rules(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"start p; reject no out; p a -> R p; p b -> R no; p c -> R out", "out"},
        {"start p; reject no; p a -> R p; p b -> R no", "no"},
        {"start p; reject no off; p a -> R p; p b -> R no; p c -> R off", "no"},
        {"start p; halt out; p a -> R p; p b -> R out", NULL},
        {"start p; p a -> R p", "out"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThTm *m = block(rows[i][0]), *total = th_tm_total(m, TH_TM_REJECTS, "out", 100, NULL);
        assert_non_null(total);
        assert_true(th_tm_misses(m) && !th_tm_misses(total));
        int rule = th_tm_rule(total, total->start, &total->blank);
        int to = total->rule[rule].to;
        if (!rows[i][1])
            assert_int_not_equal(to, th_symbols_find(m->state, m->n_states, "out"));
        else
            assert_string_equal(total->state[to], rows[i][1]);
        assert_int_equal(total->role[to], TH_TM_REJECTS);
        th_tm_free(total);
        th_tm_free(m);
    }
}

/* A machine may have as many rules as the limit says. */
static void limits_of_rules(void **state)
{
    (void)state;
    ThTm *m = block("alphabet _ a b c; start p; p * -> R q; q a -> L p; * _ -> S q");
    ThTm *whole = th_tm_expand(m, SIZE_MAX, NULL);
    assert_non_null(whole);
    assert_int_equal(whole->n_rules, 4 + 2); /* all cases of p; a and the blank in q */
    ThTm *same = th_tm_expand(m, 6, NULL);
    ThError err = {0};
    assert_true(same && same_machine(whole, same));
    assert_null(th_tm_expand(m, 5, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_tm_free(same);
    th_tm_free(whole);
    th_tm_free(m);
}

/* Of several rules for one case there is a choice; rules for less special cases are none of it. */
static void choices(void **state)
{
    (void)state;
    ThTm *m = block("nondeterministic; start p; p a -> 1 R p; q * -> L p; p a -> 2 L q !\n"
                    "p a,b -> 1 R p; p * -> S q; * a -> R p");
    size_t n;
    int a = m->rule[0].read[0], b = m->rule[4].read[0];
    const size_t *choice = th_tm_choices(m, 0, &a, &n);
    assert_true(m->branching && n == 3);
    assert_true(choice[0] == 0 && choice[1] == 2 && choice[2] == 3);
    assert_true(m->rule[2].pause && !m->rule[3].pause);
    assert_int_equal(th_tm_rule(m, 0, &a), 0);
    choice = th_tm_choices(m, 0, &b, &n);
    assert_true(n == 1 && choice[0] == 4);
    choice = th_tm_choices(m, 0, &m->blank, &n);
    assert_true(n == 1 && choice[0] == 5);
    choice = th_tm_choices(m, 1, &a, &n);
    assert_true(n == 1 && choice[0] == 1);
    round_trip(m);
    ThTm *copy = th_tm_copy(m, NULL);
    assert_true(same_machine(m, copy) && copy->branching);
    copy->rule[3].pause = true; /* a breakpoint, too, is part of a machine */
    assert_false(same_machine(m, copy));
    assert_false(th_tm_fast_possible(m));
    th_tm_free(copy);
    th_tm_free(m);
    m = block("tapes 2; nondeterministic; a 0 | 1 -> R | R a; a 0 | 1 -> L | S a");
    choice = th_tm_choices(m, 0, (int[]){m->rule[0].read[0], m->rule[0].read[1]}, &n);
    assert_true(n == 2 && choice[0] == 0 && choice[1] == 1);
    round_trip(m);
    th_tm_free(m);
}

static void spellings(void **state)
{
    static const char *const same[] = {"1RB1LB_1LA1RZ",   "1RB 1LB  1LA 1RZ",
                                       "1RB 1LB;1LA 1RZ", "1RB1LB1LA1RZ",
                                       "1RB1LB_1LA1RH",   "https://bbchallenge.org/1RB1LB_1LA1RZ"};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ThTm *m = bb(same[i]);
        ThText t = {0};
        assert_int_equal(m->n_states, 3);
        assert_true(th_tm_write_bb(&t, m, NULL));
        assert_int_equal(strncmp(t.data, "1RB1LB_1LA1R", 12), 0);
        th_text_free(&t);
        th_tm_free(m);
    }
}

/* What was read is written as it was, wherever states and blanks have their numbers. */
static void written_strings(void **state)
{
    static const char *const same[] = {"1RB---_1LA1RZ",
                                       "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA",
                                       "1RB2LA1RA_1LB1LA1RZ",
                                       "1RA 1LZ 2RA ---",
                                       "0RA---",
                                       "0RB_0LA",
                                       "1RB1LB_1LA1RC",
                                       "1RB1RH_1LA---"};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ThTm *m = bb(same[i]);
        ThText t = {0};
        assert_true(th_tm_write_bb(&t, m, NULL));
        assert_string_equal(t.data, same[i]);
        th_text_free(&t);
        th_tm_free(m);
    }
    ThTm *open = bb("1RB...  ...1LA");
    ThText unspecified = {0};
    assert_true(th_tm_write_bb(&unspecified, open, NULL));
    assert_string_equal(unspecified.data, "1RB---_---1LA");
    th_text_free(&unspecified);
    th_tm_free(open);
    ThError err = {0};
    ThTm *m = th_tm_parse("alphabet x 0 1; blank 0; states b z a; start a; halt z; "
                          "a 0 -> 1 R b; a 1 -> x L b; a x -> L a; "
                          "b 0 -> 1 L a; b 1 -> R z; b x -> 0 R a",
                          &err);
    ThText t = {0};
    assert_non_null(m);
    assert_true(th_tm_write_bb(&t, m, &err));
    assert_string_equal(t.data, "2RB1LA1LB_2LA0RA2RZ");
    th_text_free(&t);
    th_tm_free(m);
}

static void bad_strings(void **state)
{
    static const struct {
        const char *text;
        int col;
    } bad[] = {{"", 1},
               {"1RB", 1},
               {"1RB1LB_1LA", 8},
               {"1RB2LB_1LA1RZ", 4},
               {"1RB1XB_1LA1RZ", 5},
               {"1RB1Lb_1LA1RZ", 6},
               {"1RB1LB_", 8},
               {"1RB1LX", 6},
               {"1RB1RZ_1LA1RH", 13},
               {"1RB1LX_1LA1RB", 6},
               {"1RB1LB_1L", 10}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_tm_read_bb(bad[i].text, &err));
        assert_int_equal(err.code, TH_EPARSE);
        assert_int_equal(err.col, bad[i].col);
    }
}

static void bad_blocks(void **state)
{
    static const struct {
        const char *text;
        int line, col;
    } bad[] = {{"", 1, 1},
               {"start a\na 0 -> R a\na 0 -> L a", 3, 1},
               {"a 0 -> R", 1, 9},
               {"a 0 -> X a", 1, 8},
               {"a 0 -> 1 Q a", 1, 10},
               {"a 0 R a", 1, 1},
               {"halt a\na 0 -> R a", 2, 1},
               {"tapes 6", 1, 7},
               {"tapes 2\na 0 -> R a", 2, 5},
               {"tape one-way edge=no", 1, 19},
               {"a 0 -> R a\nhalt b", 2, 6},
               {"alphabet 0 0", 1, 12},
               {"alphabet 0\na 1 -> R a", 2, 3},
               {"a 0 -> 1 R a ! !", 1, 16},
               {"nondeterministic yes\na 0 -> R a", 1, 18},
               {"a \"x -> R a", 1, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_tm_parse(bad[i].text, &err));
        if (err.line != bad[i].line || err.col != bad[i].col)
            print_error("%s: %d:%d %s\n", bad[i].text, err.line, err.col, err.msg);
        assert_true(err.line == bad[i].line && err.col == bad[i].col);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(champions_plain),
        cmocka_unit_test(champions_fast),
        cmocka_unit_test(never_halts),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(engines_agree_by_pieces),
        cmocka_unit_test(enormous),
        cmocka_unit_test(census),
        cmocka_unit_test(tree_normal_form),
        cmocka_unit_test(head_mark),
        cmocka_unit_test(blocks_round_trip),
        cmocka_unit_test(precedence),
        cmocka_unit_test(limits_of_rules),
        cmocka_unit_test(goals_of_missing_rules),
        cmocka_unit_test(stopping_states_have_no_rules),
        cmocka_unit_test(choices),
        cmocka_unit_test(digests),
        cmocka_unit_test(spellings),
        cmocka_unit_test(written_strings),
        cmocka_unit_test(bad_strings),
        cmocka_unit_test(bad_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
