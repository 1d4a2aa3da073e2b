/* test_search.c - all runs of nondeterministic machines, against an enumeration of every run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intern.h"
#include "base/memory.h"
#include "given.h"
#include "turing/search.h"

/* ---- the enumeration: knows nothing of the library's engines --------------------------------- */

enum { CELLS = 64, MIDDLE = 32, MOST_RUNS = 60000 };

typedef struct {
    int tape[2][CELLS], head[2], state, steps;
    ThTmVerdict verdict;
} Naive;

typedef struct {
    const ThTm *m;
    int depth, runs;
    int soonest[TH_TM_ENDLESS]; /* by verdict: least steps, -1: never */
    bool open;                  /* some run goes on after `depth` steps */
    ThIntern seen;              /* configurations within `depth` steps */
} Enumeration;

static bool fits(const ThTm *m, const ThTmRule *r, const Naive *x)
{
    bool good = r->from == TH_TM_ANY || r->from == x->state;
    for (int k = 0; k < m->n_tapes; k++)
        good = good && (r->read[k] == TH_TM_ANY || r->read[k] == x->tape[k][x->head[k]]);
    return good;
}

/* The rank of a rule by what it names: own state first, then own symbols from the first tape on. */
static int rank(const ThTm *m, const ThTmRule *r)
{
    int n = r->from == TH_TM_ANY;
    for (int k = 0; k < m->n_tapes; k++)
        n = 2 * n + (r->read[k] == TH_TM_ANY);
    return n;
}

static void move(const ThTm *m, Naive *x, const ThTmRule *r)
{
    static const ThTmVerdict of_role[] = {TH_TM_GOES_ON, TH_TM_HALTED, TH_TM_ACCEPTED,
                                          TH_TM_REJECTED};
    bool over = false;
    for (int k = 0; k < m->n_tapes; k++) {
        int *at = &x->head[k];
        if (r->write[k] != TH_TM_ANY)
            x->tape[k][*at] = r->write[k];
        *at += r->move[k];
        if (*at < MIDDLE && m->edge != TH_TM_TWO_WAY) {
            *at = MIDDLE;
            over = true;
        }
    }
    if (r->to != TH_TM_ANY)
        x->state = r->to;
    x->steps++;
    x->verdict = of_role[m->role[x->state]];
    if (over && m->edge == TH_TM_EDGE_REJECT)
        x->verdict = TH_TM_REJECTED;
    if (over && m->edge == TH_TM_EDGE_ERROR)
        x->verdict = TH_TM_AT_EDGE;
}

/* The configuration as text: how it looks from the head, where no edge gives positions a meaning.
 */
static void note(Enumeration *e, const Naive *x)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%d %d", x->state, (int)x->verdict);
    for (int k = 0; k < e->m->n_tapes; k++) {
        n += snprintf(text + n, sizeof text - (size_t)n, " |");
        if (e->m->edge != TH_TM_TWO_WAY)
            n += snprintf(text + n, sizeof text - (size_t)n, " %d", x->head[k]);
        for (int i = 0; i < CELLS; i++)
            if (x->tape[k][i] != e->m->blank)
                n += snprintf(text + n, sizeof text - (size_t)n, " %d:%d", i - x->head[k],
                              x->tape[k][i]);
    }
    size_t index;
    assert_true(th_intern(&e->seen, text, (size_t)n, &index, NULL));
}

static void end(Enumeration *e, ThTmVerdict v, int steps)
{
    if (e->soonest[v] < 0 || steps < e->soonest[v])
        e->soonest[v] = steps;
}

/* Every run from a configuration on. */
static void enumerate(Enumeration *e, Naive *x)
{
    int best = 1000, followed = 0;
    for (size_t i = 0; x->verdict == TH_TM_GOES_ON && i < e->m->n_rules; i++)
        if (fits(e->m, &e->m->rule[i], x) && rank(e->m, &e->m->rule[i]) < best)
            best = rank(e->m, &e->m->rule[i]);
    if (x->verdict == TH_TM_GOES_ON && best == 1000 && e->m->missing != TH_TM_MISSING_STEP)
        x->verdict = e->m->missing == TH_TM_MISSING_REJECT ? TH_TM_REJECTED : TH_TM_HALTED;
    note(e, x);
    if (x->verdict != TH_TM_GOES_ON) {
        end(e, x->verdict, x->steps);
        return;
    }
    if (x->steps == e->depth || e->runs > MOST_RUNS) {
        e->open = true;
        return;
    }
    if (best == 1000) {
        end(e, TH_TM_HALTED, x->steps + 1);
        return;
    }
    for (size_t i = 0; i < e->m->n_rules; i++) {
        if (!fits(e->m, &e->m->rule[i], x) || rank(e->m, &e->m->rule[i]) != best)
            continue;
        Naive y = *x;
        e->runs += followed++ > 0;
        move(e->m, &y, &e->m->rule[i]);
        enumerate(e, &y);
    }
}

static Enumeration enumeration(const ThTm *m, const ThTmTapeWords *w, int depth)
{
    static const ThTmVerdict of_role[] = {TH_TM_GOES_ON, TH_TM_HALTED, TH_TM_ACCEPTED,
                                          TH_TM_REJECTED};
    Enumeration e = {.m = m, .depth = depth};
    Naive x = {.state = m->start, .verdict = of_role[m->role[m->start]]};
    for (int k = 0; k < m->n_tapes; k++) {
        for (int i = 0; i < CELLS; i++)
            x.tape[k][i] = m->blank;
        for (int i = 0; i < w->length[k]; i++)
            x.tape[k][MIDDLE + i] = w->word[k][i];
        x.head[k] = MIDDLE;
    }
    memset(e.soonest, -1, sizeof e.soonest);
    enumerate(&e, &x);
    return e;
}

/* ---- random machines ------------------------------------------------------------------------- */

static int pattern(ThRng *g, int n)
{
    return th_rng_below(g, 8) == 0 ? TH_TM_ANY : (int)th_rng_below(g, (uint64_t)n);
}

static ThTm *any_machine(ThRng *g)
{
    int states = 2 + (int)th_rng_below(g, 3), symbols = 2 + (int)th_rng_below(g, 2);
    int rules = 3 + (int)th_rng_below(g, 10);
    ThTmBuild b = {.m = {.n_tapes = 1 + (th_rng_below(g, 3) == 0), .nondeterministic = true}};
    char name[16];
    for (int q = 0; q < states; q++) {
        snprintf(name, sizeof name, "q%d", q);
        th_tm_state(&b, name);
    }
    for (int s = 0; s < symbols; s++) {
        snprintf(name, sizeof name, "%d", s);
        th_tm_symbol(&b, name);
    }
    for (int q = 1; q < states; q++)
        if (th_rng_below(g, 3) == 0)
            b.m.role[q] = (ThTmRole)(TH_TM_HALTS + (int)th_rng_below(g, 3));
    for (int i = 0; i < rules; i++) {
        ThTmRule r = {.from = pattern(g, states), .to = pattern(g, states)};
        if (r.from != TH_TM_ANY && b.m.role[r.from] != TH_TM_RUNS)
            r.from = 0;
        for (int k = 0; k < b.m.n_tapes; k++) {
            r.read[k] = pattern(g, symbols);
            r.write[k] = pattern(g, symbols);
            r.move[k] = (int)th_rng_below(g, 3) - 1;
        }
        th_tm_add(&b, &r);
    }
    b.m.edge = th_rng_below(g, 2) ? TH_TM_TWO_WAY : (ThTmEdge)th_rng_below(g, 4);
    b.m.missing = (ThTmMissing)th_rng_below(g, 3);
    ThTm *m = th_tm_finish(&b, NULL);
    assert_non_null(m);
    return m;
}

/* ---- the two against each other -------------------------------------------------------------- */

static ThTmSearch search(const ThTm *m, const ThTmTapeWords *w, uint64_t steps, bool all)
{
    ThTmSearch x;
    ThTmSearchLimits limits = {steps, UINT64_MAX, 100000};
    assert_true(th_tm_search_start(&x, m, w, limits, all, NULL));
    while (x.verdict == TH_TM_GOES_ON)
        assert_true(th_tm_search_go(&x, 7, NULL, NULL));
    return x;
}

/* The run that the search found is a run. */
static void check_path(ThTmSearch *x, const ThTmTapeWords *w)
{
    ThTmRunning r;
    ThTmRunLimits none = {TH_TM_MOST_STEPS, UINT64_MAX};
    int *path = th_tm_search_path(x, x->goal, NULL);
    assert_non_null(path);
    assert_true(th_tm_running_start_words(&r, x->machine, w, NULL));
    for (uint32_t i = 0; i < x->node[x->goal].depth; i++) {
        size_t n, at = 0;
        const size_t *choice = th_tm_running_choices(&r, &n);
        while (at < n && (int)choice[at] != path[i])
            at++;
        assert_true(at < n || (n == 0 && path[i] == -1));
        assert_int_equal(r.verdict, TH_TM_GOES_ON);
        assert_true(th_tm_running_apply(&r, path[i], none, NULL));
    }
    if (r.verdict == TH_TM_GOES_ON)
        assert_true(th_tm_running_go(&r, 1, none, NULL, NULL));
    assert_int_equal(r.verdict, x->verdict);
    assert_int_equal(r.steps, x->node[x->goal].depth);
    free(path);
    th_tm_running_free(&r);
}

static bool has_accepting_state(const ThTm *m)
{
    for (int q = 0; q < m->n_states; q++)
        if (m->role[q] == TH_TM_ACCEPTS)
            return true;
    return false;
}

/* What the search says where nothing was left open. */
static ThTmVerdict settled(const Enumeration *e)
{
    static const ThTmVerdict order[] = {TH_TM_ACCEPTED, TH_TM_HALTED, TH_TM_AT_EDGE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (e->soonest[order[i]] >= 0)
            return order[i];
    return TH_TM_REJECTED;
}

static void compare(const ThTm *m, const ThTmTapeWords *w, int depth, int *verdicts)
{
    ThTmSearch x = search(m, w, (uint64_t)depth, false);
    Enumeration e = enumeration(m, w, depth);
    ThTmVerdict target = has_accepting_state(m) ? TH_TM_ACCEPTED : TH_TM_HALTED;
    verdicts[x.verdict]++;
    if (e.soonest[target] >= 0) {
        assert_int_equal(x.verdict, target);
        assert_int_equal(x.node[x.goal].depth, e.soonest[target]);
    } else if (!e.open) {
        assert_int_equal(x.verdict, settled(&e));
    } else {
        assert_true(x.verdict != target || x.node[x.goal].depth > (uint32_t)depth);
    }
    if (x.verdict == TH_TM_OUT_OF_STEPS)
        assert_true(e.open);
    if (x.verdict == TH_TM_ENDLESS || (e.open && th_tm_verdict_final(x.verdict))) {
        Enumeration longer = enumeration(m, w, depth + 6);
        if (longer.runs <= MOST_RUNS && x.verdict == TH_TM_ENDLESS)
            assert_true(longer.open);
        th_intern_free(&longer.seen);
    }
    if (x.goal != TH_TM_NO_NODE)
        check_path(&x, w);
    th_tm_search_free(&x);
    th_intern_free(&e.seen);
}

static void all_runs(void **state)
{
    (void)state;
    int verdicts[TH_TM_OUT_OF_TIME + 1] = {0};
    for (uint64_t seed = 0; seed < 6000; seed++) {
        ThRng g = th_rng(seed, "test.search", 0);
        ThTm *m = any_machine(&g);
        ThTmTapeWords w = any_words(&g, m, 5);
        compare(m, &w, 1 + (int)th_rng_below(&g, 7), verdicts);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
    assert_true(verdicts[TH_TM_ACCEPTED] > 100 && verdicts[TH_TM_HALTED] > 100);
    assert_true(verdicts[TH_TM_REJECTED] > 100 && verdicts[TH_TM_AT_EDGE] > 10);
    assert_true(verdicts[TH_TM_ENDLESS] > 100 && verdicts[TH_TM_OUT_OF_STEPS] > 100);
}

/* The nodes within a depth are the different configurations of all runs. */
static void all_configurations(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        ThRng g = th_rng(seed, "test.nodes", 0);
        ThTm *m = any_machine(&g);
        ThTmTapeWords w = any_words(&g, m, 5);
        int depth = 1 + (int)th_rng_below(&g, 6);
        ThTmSearch x = search(m, &w, (uint64_t)depth, true);
        Enumeration e = enumeration(m, &w, depth);
        size_t n = 0, edges, again = 0;
        for (size_t i = 0; i < x.n; i++) {
            const ThTmSearchEdge *edge = th_tm_search_edges(&x, (uint32_t)i, &edges);
            for (size_t j = 0; j < edges; j++)
                again += edge[j].again;
            bool added = x.node[i].rule < 0 && i > 0; /* the last step where no rule applies */
            n += !added || x.node[i].verdict != TH_TM_HALTED;
        }
        assert_int_equal(n, e.seen.n);
        assert_int_equal(again, x.again);
        assert_int_equal(x.n_edges - x.again, x.n - 1);
        th_tm_search_free(&x);
        th_intern_free(&e.seen);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
}

/* Limits are said, and the start is always there. */
static void limits(void **state)
{
    (void)state;
    ThTm *m = th_tm_parse("nondeterministic; start a; accept z; a _ -> 1 R a; a _ -> 0 R a\n"
                          "a 0,1 -> S a; alphabet 0 1 _; states a z",
                          NULL);
    ThTmTapeWords w = {0};
    ThTmSearch x;
    static const struct {
        ThTmSearchLimits limits;
        ThTmVerdict verdict;
        size_t n;
    } cases[] = {{{5, UINT64_MAX, 1000000}, TH_TM_OUT_OF_STEPS, 63},
                 {{0, UINT64_MAX, 1000000}, TH_TM_OUT_OF_STEPS, 1},
                 {{1000, UINT64_MAX, 40}, TH_TM_OUT_OF_CONFIGURATIONS, 40},
                 {{1000, UINT64_MAX, 0}, TH_TM_OUT_OF_CONFIGURATIONS, 1},
                 {{1000, 3, 1000000}, TH_TM_OUT_OF_CELLS, 7},
                 {{1000, 0, 1000000}, TH_TM_OUT_OF_CELLS, 1}};
    assert_non_null(m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(th_tm_search_start(&x, m, &w, cases[i].limits, false, NULL));
        assert_true(th_tm_search_go(&x, SIZE_MAX, NULL, NULL));
        assert_int_equal(x.verdict, cases[i].verdict);
        assert_int_equal(x.n, cases[i].n);
        assert_int_equal(x.goal, TH_TM_NO_NODE);
        th_tm_search_free(&x);
    }
    volatile sig_atomic_t stop = 1;
    ThError err = {0};
    assert_true(th_tm_search_start(&x, m, &w, cases[0].limits, false, NULL));
    assert_false(th_tm_search_go(&x, SIZE_MAX, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    th_tm_search_free(&x);
    th_tm_free(m);
}

/* Random choices are runs too, each rule as likely as the others. */
static void random_choices(void **state)
{
    (void)state;
    ThTm *m = th_tm_parse("nondeterministic; start a; accept y; reject n\n"
                          "a _ -> S y; a _ -> S n; a _ -> S y",
                          NULL);
    ThRng g = th_rng(1, "test.random", 0);
    int accepted = 0;
    assert_non_null(m);
    for (int i = 0; i < 3000; i++) {
        ThTmRunning r;
        assert_true(th_tm_running_start(&r, m, NULL, NULL, NULL));
        r.choose = &g;
        assert_true(th_tm_running_go(&r, 10, (ThTmRunLimits){10, 10}, NULL, NULL));
        assert_true(r.verdict == TH_TM_ACCEPTED || r.verdict == TH_TM_REJECTED);
        accepted += r.verdict == TH_TM_ACCEPTED;
        th_tm_running_free(&r);
    }
    assert_in_range(accepted, 1850, 2150);
    th_tm_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_runs),
        cmocka_unit_test(all_configurations),
        cmocka_unit_test(limits),
        cmocka_unit_test(random_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
