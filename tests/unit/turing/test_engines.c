/* test_engines.c - both engines against a naive stepper, which shares nothing with them, on random
 * machines: the same configuration after every number of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "given.h"
#include "sanitized.h"
#include "turing/fast_blocks.h"
#include "turing/engine.h"

/* Of the random machines, which are thousands; and how many of them must end in each way. */
enum { PART = SANITIZED ? 100 : 500, MANY = SANITIZED ? 10 : 100 };

/* ---- the naive stepper ----------------------------------------------------------------------- */

enum { CELLS = 4096, ORIGIN = 2048, MOST_STEPS = 1500, TAPES = 3 };

typedef struct {
    const ThTm *m;
    int tape[TAPES][CELLS];
    bool stood[TAPES][CELLS];
    int head[TAPES], state;
    uint64_t steps, cells;
    ThTmVerdict verdict;
} Naive;

static ThTmVerdict role_of(const Naive *x)
{
    switch (x->m->role[x->state]) {
    case TH_TM_HALTS:
        return TH_TM_HALTED;
    case TH_TM_ACCEPTS:
        return TH_TM_ACCEPTED;
    case TH_TM_REJECTS:
        return TH_TM_REJECTED;
    default:
        return TH_TM_GOES_ON;
    }
}

static void start(Naive *x, const ThTm *m, const ThTmTapeWords *w)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    x->state = m->start;
    for (int k = 0; k < m->n_tapes; k++) {
        for (int i = 0; i < CELLS; i++)
            x->tape[k][i] = m->blank;
        for (int i = 0; i < w->length[k]; i++)
            x->tape[k][ORIGIN + i] = w->word[k][i];
        x->head[k] = ORIGIN;
        x->stood[k][ORIGIN] = true;
        x->cells++;
    }
    x->verdict = role_of(x);
}

/* The rule that fits best: own state before any, then own symbol before any, tape by tape. */
static const ThTmRule *best_rule(const Naive *x)
{
    const ThTmRule *best = NULL;
    int least = 1 << 20;
    for (size_t i = 0; i < x->m->n_rules; i++) {
        const ThTmRule *r = &x->m->rule[i];
        bool fits = r->from == TH_TM_ANY || r->from == x->state;
        int rank = r->from == TH_TM_ANY;
        for (int k = 0; k < x->m->n_tapes; k++) {
            fits = fits && (r->read[k] == TH_TM_ANY || r->read[k] == x->tape[k][x->head[k]]);
            rank = 2 * rank + (r->read[k] == TH_TM_ANY);
        }
        if (fits && rank < least) {
            best = r;
            least = rank;
        }
    }
    return best;
}

/* One step; false where the step or cell limit forbids it, which is then the verdict. */
static bool step(Naive *x, ThTmRunLimits limits)
{
    const ThTmRule *r = best_rule(x);
    bool over = false;
    uint64_t fresh = 0;
    if ((r || x->m->missing == TH_TM_MISSING_STEP) && x->steps == limits.steps) {
        x->verdict = TH_TM_OUT_OF_STEPS;
        return false;
    }
    if (!r) {
        x->steps += x->m->missing == TH_TM_MISSING_STEP;
        x->verdict = x->m->missing == TH_TM_MISSING_REJECT ? TH_TM_REJECTED : TH_TM_HALTED;
        return true;
    }
    for (int k = 0; k < x->m->n_tapes; k++) {
        int to = x->head[k] + r->move[k];
        fresh += (to >= ORIGIN || x->m->edge == TH_TM_TWO_WAY) && !x->stood[k][to];
    }
    if (x->cells + fresh > limits.cells) {
        x->verdict = TH_TM_OUT_OF_CELLS;
        return false;
    }
    for (int k = 0; k < x->m->n_tapes; k++) {
        if (r->write[k] != TH_TM_ANY)
            x->tape[k][x->head[k]] = r->write[k];
        x->head[k] += r->move[k];
        if (x->head[k] < ORIGIN && x->m->edge != TH_TM_TWO_WAY) {
            x->head[k] = ORIGIN;
            over = true;
        }
        x->stood[k][x->head[k]] = true;
    }
    x->cells += fresh;
    x->steps++;
    if (r->to != TH_TM_ANY)
        x->state = r->to;
    x->verdict = role_of(x);
    if (over && x->m->edge == TH_TM_EDGE_REJECT)
        x->verdict = TH_TM_REJECTED;
    if (over && x->m->edge == TH_TM_EDGE_ERROR)
        x->verdict = TH_TM_AT_EDGE;
    return true;
}

/* Goes on until the machine or a limit stops it. */
static void go(Naive *x, ThTmRunLimits limits)
{
    if (x->verdict == TH_TM_OUT_OF_STEPS || x->verdict == TH_TM_OUT_OF_CELLS)
        x->verdict = TH_TM_GOES_ON;
    while (x->verdict == TH_TM_GOES_ON && step(x, limits))
        ;
}

/* ---- comparing ------------------------------------------------------------------------------- */

typedef struct {
    const Naive *x;
    int64_t at;
    uint64_t seen; /* cells that are not blank */
} Comparison;

static void compare_stretch(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Comparison *c = context;
    for (uint64_t i = 0; i < count; i++) {
        for (int j = 0; j < n; j++, c->at++) {
            int64_t at = c->at + ORIGIN;
            if (at < 0 || at >= CELLS) {
                assert_int_equal(cell[j], c->x->m->blank);
                continue;
            }
            assert_int_equal(cell[j], c->x->tape[0][at]);
            c->seen += cell[j] != c->x->m->blank;
        }
    }
}

static void compare_fast(const Naive *x, const ThTmFast *f)
{
    ThTmFastFigures y = th_tm_fast_figures(f);
    Comparison c = {.x = x, .at = th_tm_fast_left_end(f)};
    int first = -1, last = -1;
    uint64_t score = 0;
    for (int i = 0; i < CELLS; i++) {
        if (x->tape[0][i] == x->m->blank)
            continue;
        first = first < 0 ? i : first;
        last = i;
        score++;
    }
    assert_int_equal(y.verdict, x->verdict);
    assert_int_equal(y.state, x->state);
    assert_int_equal(y.steps, x->steps);
    assert_int_equal(y.cells, x->cells);
    assert_int_equal(y.nonblank, score);
    assert_int_equal(y.head, x->head[0] - ORIGIN);
    if (score > 0)
        assert_true(y.first == first - ORIGIN && y.last == last - ORIGIN);
    th_tm_fast_each(f, compare_stretch, &c);
    assert_int_equal(c.seen, score);
}

static void compare_plain(const Naive *x, const ThTmRunning *r)
{
    assert_int_equal(r->verdict, x->verdict);
    assert_int_equal(r->state, x->state);
    assert_int_equal(r->steps, x->steps);
    assert_int_equal(r->cells, x->cells);
    for (int k = 0; k < x->m->n_tapes; k++) {
        const ThTmTape *t = &r->tape[k];
        int64_t first, last;
        uint64_t score = 0;
        assert_int_equal(t->head, x->head[k] - ORIGIN);
        for (int i = 0; i < CELLS; i++) {
            assert_int_equal(th_tm_tape_at(t, i - ORIGIN, x->m->blank), x->tape[k][i]);
            score += x->tape[k][i] != x->m->blank;
        }
        assert_int_equal(th_tm_tape_extent(t, x->m->blank, &first, &last), score);
        if (score > 0)
            assert_true(x->tape[k][first + ORIGIN] != x->m->blank &&
                        x->tape[k][last + ORIGIN] != x->m->blank);
    }
}

/* ---- random machines ------------------------------------------------------------------------- */

static int own_or_any(ThRng *g, int n, int one_in)
{
    return th_rng_below(g, (uint64_t)one_in) == 0 ? TH_TM_ANY : (int)th_rng_below(g, (uint64_t)n);
}

static bool known_case(const ThTmBuild *b, const ThTmRule *r)
{
    for (size_t i = 0; i < b->m.n_rules; i++) {
        const ThTmRule *a = &b->m.rule[i];
        bool same = a->from == r->from;
        for (int k = 0; k < b->m.n_tapes; k++)
            same = same && a->read[k] == r->read[k];
        if (same)
            return true;
    }
    return false;
}

/* Rules for single cases and with wildcards, states of every kind, every edge, every way to miss a
 * rule; long enough runs are frequent. */
static ThTm *any_machine(ThRng *g, int tapes)
{
    int states = 1 + (int)th_rng_below(g, 6), symbols = 2 + (int)th_rng_below(g, 3);
    int rules = states * symbols * (tapes > 1 ? 4 : 2), wild = 3 + (int)th_rng_below(g, 20);
    ThTmBuild b = {.m.n_tapes = tapes};
    char name[16];
    for (int q = 0; q < states; q++) {
        snprintf(name, sizeof name, "q%d", q);
        th_tm_state(&b, name);
        if (q > 0 && th_rng_below(g, 7) == 0)
            b.m.role[q] = (ThTmRole)(TH_TM_HALTS + (int)th_rng_below(g, 3));
    }
    for (int s = 0; s < symbols; s++) {
        snprintf(name, sizeof name, "%d", s);
        th_tm_symbol(&b, name);
    }
    for (int i = 0; i < rules; i++) {
        ThTmRule r = {.from = own_or_any(g, states, wild), .to = own_or_any(g, states, wild)};
        for (int k = 0; k < tapes; k++) {
            r.read[k] = own_or_any(g, symbols, tapes > 1 ? 3 : wild);
            r.write[k] = own_or_any(g, symbols, wild);
            r.move[k] = th_rng_below(g, 9) ? (th_rng_below(g, 2) ? 1 : -1) : 0;
        }
        if ((r.from == TH_TM_ANY || b.m.role[r.from] == TH_TM_RUNS) && !known_case(&b, &r))
            th_tm_add(&b, &r);
    }
    b.m.blank = (int)th_rng_below(g, (uint64_t)symbols);
    b.m.edge = (ThTmEdge)th_rng_below(g, 4);
    b.m.missing = (ThTmMissing)th_rng_below(g, 3);
    ThTm *m = th_tm_finish(&b, NULL);
    assert_non_null(m);
    return m;
}

static ThTmFast *fast(const ThTm *m, const ThTmTapeWords *w, int block)
{
    ThTmFast *f = th_tm_fast_new(m, w->word[0], w->length[0], block, NULL);
    assert_non_null(f);
    return f;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Every number of steps, both engines going on from the one before. */
static void every_number_of_steps(void **state)
{
    (void)state;
    Naive *x = th_alloc(1, sizeof *x, NULL);
    int ends[TH_TM_OUT_OF_TIME] = {0};
    for (uint64_t seed = 0; seed < 5 * PART; seed++) {
        ThRng g = th_rng(seed, "test.every", 0);
        ThTm *m = any_machine(&g, 1);
        ThTmTapeWords w = any_words(&g, m, 14);
        ThTmFast *f = fast(m, &w, (int)th_rng_below(&g, 13));
        ThTmRunning r;
        uint64_t most = th_rng_below(&g, 5) ? 60 : 300;
        assert_true(th_tm_running_start_words(&r, m, &w, NULL));
        start(x, m, &w);
        for (uint64_t n = 0; n <= most && !th_tm_verdict_final(x->verdict); n++) {
            ThTmRunLimits limits = {n, UINT64_MAX};
            go(x, limits);
            assert_true(th_tm_fast_go(f, UINT64_MAX, limits, NULL, NULL));
            assert_true(th_tm_running_go(&r, UINT64_MAX, limits, NULL, NULL));
            compare_fast(x, f);
            if (n % 8 == 0 || th_tm_verdict_final(x->verdict))
                compare_plain(x, &r);
        }
        ends[x->verdict]++;
        th_tm_fast_free(f);
        th_tm_running_free(&r);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
    free(x);
    assert_true(ends[TH_TM_HALTED] > MANY && ends[TH_TM_ACCEPTED] > MANY &&
                ends[TH_TM_REJECTED] > MANY);
    assert_true(ends[TH_TM_AT_EDGE] > MANY / 2 && ends[TH_TM_OUT_OF_STEPS] > 2 * MANY);
}

/* From the start to any number of steps at once, by blocks of any length; runs are longer. */
static void any_number_at_once(void **state)
{
    (void)state;
    Naive *x = th_alloc(1, sizeof *x, NULL);
    for (uint64_t seed = 0; seed < 5 * PART; seed++) {
        ThRng g = th_rng(seed, "test.once", 0);
        ThTm *m = any_machine(&g, 1);
        ThTmTapeWords w = any_words(&g, m, 14);
        start(x, m, &w);
        for (uint64_t at = 0; at < MOST_STEPS && !th_tm_verdict_final(x->verdict);) {
            at += th_rng_below(&g, 500);
            ThTmRunLimits limits = {at < MOST_STEPS ? at : MOST_STEPS, UINT64_MAX};
            ThTmFast *f = fast(m, &w, (int)th_rng_below(&g, 33));
            go(x, limits);
            assert_true(th_tm_fast_go(f, UINT64_MAX, limits, NULL, NULL));
            compare_fast(x, f);
            th_tm_fast_free(f);
        }
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
    free(x);
}

/* Where cells are limited, both stop at the same step; a higher limit lets them go on. */
static void limited_cells(void **state)
{
    (void)state;
    Naive *x = th_alloc(1, sizeof *x, NULL);
    int met = 0;
    for (uint64_t seed = 0; seed < 3 * PART; seed++) {
        ThRng g = th_rng(seed, "test.cells", 0);
        ThTm *m = any_machine(&g, 1);
        ThTmTapeWords w = any_words(&g, m, 14);
        ThTmFast *f = fast(m, &w, (int)th_rng_below(&g, 13));
        ThTmRunning r;
        assert_true(th_tm_running_start_words(&r, m, &w, NULL));
        start(x, m, &w);
        for (uint64_t cells = 1; cells < 60 && !th_tm_verdict_final(x->verdict);) {
            ThTmRunLimits limits = {MOST_STEPS, cells};
            go(x, limits);
            assert_true(th_tm_fast_go(f, UINT64_MAX, limits, NULL, NULL));
            assert_true(th_tm_running_go(&r, UINT64_MAX, limits, NULL, NULL));
            compare_fast(x, f);
            compare_plain(x, &r);
            met += x->verdict == TH_TM_OUT_OF_CELLS;
            cells += 1 + th_rng_below(&g, 9);
        }
        th_tm_fast_free(f);
        th_tm_running_free(&r);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
    free(x);
    assert_true(met > 2 * PART);
}

/* Two and three tapes, which only the plain engine runs. */
static void several_tapes(void **state)
{
    (void)state;
    Naive *x = th_alloc(1, sizeof *x, NULL);
    for (uint64_t seed = 0; seed < 2 * PART; seed++) {
        ThRng g = th_rng(seed, "test.tapes", 0);
        ThTm *m = any_machine(&g, 2 + (int)th_rng_below(&g, 2));
        ThTmTapeWords w = any_words(&g, m, 14);
        ThTmRunning r;
        assert_false(th_tm_fast_possible(m));
        assert_true(th_tm_running_start_words(&r, m, &w, NULL));
        start(x, m, &w);
        for (uint64_t n = 0; n <= 60 && !th_tm_verdict_final(x->verdict); n++) {
            ThTmRunLimits limits = {n, th_rng_below(&g, 4) ? UINT64_MAX : 8 + n};
            go(x, limits);
            assert_true(th_tm_running_go(&r, UINT64_MAX, limits, NULL, NULL));
            compare_plain(x, &r);
        }
        th_tm_running_free(&r);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
    free(x);
}

/* In the middle of a run the moves are forgotten, and the tape is cut into shorter blocks where
 * even its own are too many; the run goes on as if nothing had been. */
static void forgetting(void **state)
{
    (void)state;
    Naive *x = th_alloc(1, sizeof *x, NULL);
    int shorter = 0;
    for (uint64_t seed = 0; seed < 3 * PART; seed++) {
        ThRng g = th_rng(seed, "test.forget", 0);
        ThTm *m = any_machine(&g, 1);
        ThTmTapeWords w = any_words(&g, m, 100);
        ThTmFast *f = fast(m, &w, 2 + (int)th_rng_below(&g, 15));
        start(x, m, &w);
        for (uint64_t n = 20; n <= 200; n += 60) {
            ThTmRunLimits limits = {n, UINT64_MAX};
            int before = th_tm_fast_block(f);
            assert_true(th_tm_fast_forget(f, th_rng_below(&g, 200), NULL));
            shorter += th_tm_fast_block(f) < before;
            compare_fast(x, f);
            go(x, limits);
            assert_true(th_tm_fast_go(f, UINT64_MAX, limits, NULL, NULL));
            compare_fast(x, f);
        }
        th_tm_fast_free(f);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
    assert_true(shorter > PART);
    free(x);
}

/* A billion steps on a bounded tape: the moves that are kept stay bounded, whatever the machine
 * does there.  The counter goes through all words of 18 cells again and again. */
static void bounded_memory(void **state)
{
    (void)state;
    ThError err = {0};
    ThTm *m = th_tm_parse("start a; alphabet 0 1 e x\nblank 0\n"
                          "a x -> R a; a 0 -> 1 L b; a 1 -> 0 R a; a e -> L c\n"
                          "b 0,1 -> L b; b x -> R a\n"
                          "c 0,1 -> L c; c x -> R a",
                          &err);
    assert_non_null(m);
    ThTmTapeWords w;
    assert_true(th_tm_tape_words_read(&w, m, "x000000000000000000e", NULL));
    ThTmFast *f = fast(m, &w, 0);
    assert_true(th_tm_fast_go(f, UINT64_MAX, (ThTmRunLimits){1000000000, UINT64_MAX}, NULL, NULL));
    ThTmFastFigures x = th_tm_fast_figures(f);
    assert_int_equal(x.steps, 1000000000);
    assert_int_equal(x.cells, 20);
    assert_true(th_tm_fast_bytes(f) < 200 << 20);
    th_tm_fast_free(f);
    th_tm_tape_words_free(&w);
    th_tm_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_steps),
        cmocka_unit_test(any_number_at_once),
        cmocka_unit_test(limited_cells),
        cmocka_unit_test(several_tapes),
        cmocka_unit_test(forgetting),
        cmocka_unit_test(bounded_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
