/* test_stepper.c - runs by hand, configurations as text, and files of tests. */
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
#include "turing/test_cases.h"
#include "turing/configuration.h"
#include "turing/engine.h"
#include "turing/stepper.h"

static ThTm *block(const char *text)
{
    ThError err = {0};
    ThTm *m = th_tm_parse(text, &err);
    if (!m)
        print_error("%d:%d: %s\n", err.line, err.col, err.msg);
    assert_non_null(m);
    return m;
}

/* A random machine with one to three tapes; names of symbols and states of several lengths. */
static ThTm *any_machine(ThRng *g)
{
    static const char *const names[][4] = {
        {"_", "0", "1", "x"}, {"_", "ab", "c", "wide"}, {"_", "é", "漢", "x"}};
    static const char *const states[] = {"q", "state", "漢", "z"};
    const char *const *symbol = names[th_rng_below(g, 3)];
    ThTmBuild b = {.m = {.n_tapes = 1 + (int)th_rng_below(g, 3), .nondeterministic = true}};
    for (int s = 0; s < 4; s++)
        th_tm_symbol(&b, symbol[s]);
    for (int q = 0; q < 4; q++)
        th_tm_state(&b, states[q]);
    b.m.role[3] = (ThTmRole)th_rng_below(g, 4);
    for (int i = 0; i < 40; i++) {
        ThTmRule r = {.from = (int)th_rng_below(g, 3), .to = (int)th_rng_below(g, i % 8 ? 3 : 4)};
        for (int k = 0; k < b.m.n_tapes; k++) {
            r.read[k] = th_rng_below(g, 3) ? (int)th_rng_below(g, 4) : TH_TM_ANY;
            r.write[k] = (int)th_rng_below(g, 4);
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

/* ---- forwards and backwards ------------------------------------------------------------------ */

/* A configuration with all that belongs to it, as text; marks are counted anew. */
static char *snapshot(const ThTmRunning *r)
{
    ThText t = {0};
    th_text_printf(&t, "%d %d %d %llu %llu", r->state, r->rule, (int)r->verdict,
                   (unsigned long long)r->steps, (unsigned long long)r->cells);
    for (int k = 0; k < r->machine->n_tapes; k++) {
        const ThTmTape *tape = &r->tape[k];
        uint64_t left = 0, right = 0;
        th_text_printf(&t, " | %lld %lld %lld:", (long long)tape->head, (long long)tape->low,
                       (long long)tape->high);
        for (int64_t i = tape->base; i < tape->base + (int64_t)tape->size; i++) {
            int symbol = th_tm_tape_at(tape, i, r->machine->blank);
            left += symbol != r->machine->blank && i < tape->head;
            right += symbol != r->machine->blank && i > tape->head;
            if (symbol != r->machine->blank)
                th_text_printf(&t, " %lld=%d", (long long)i, symbol);
        }
        assert_true(left == tape->left && right == tape->right);
    }
    return th_text_take(&t, NULL);
}

/* Every step taken back leads to where the run stood before it. */
static void back_to_where_it_was(void **state)
{
    enum { STEPS = 120 };
    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        ThRng g = th_rng(seed, "test.stepper", 0);
        ThTm *m = any_machine(&g);
        ThTmTapeWords w = any_words(&g, m, 8);
        ThTmStepper *s = th_tm_stepper_new(m, NULL);
        size_t undo = th_rng_below(&g, 3) ? th_rng_below(&g, 100) : 1000, at;
        char *shot[STEPS + 2];
        int n = 0;
        assert_true(th_tm_stepper_start(s, &w, undo, seed, 0, NULL));
        const ThTmRunning *r = th_tm_stepper_running(s);
        shot[n++] = snapshot(r);
        while (n <= STEPS && r->verdict == TH_TM_GOES_ON) {
            assert_true(th_tm_stepper_go(s, 1, 0, &at, NULL, NULL));
            shot[n++] = snapshot(r);
        }
        size_t kept = th_tm_stepper_undo(s);
        assert_int_equal(kept, (size_t)n - 1 < undo ? (size_t)n - 1 : undo);
        for (int round = 0; round < 3 && kept > 0; round++) {
            size_t back = 1 + th_rng_below(&g, kept);
            uint64_t steps = r->steps;
            size_t left = back;
            while (left > 0) {
                uint64_t before = r->steps;
                size_t held = th_tm_stepper_undo(s);
                uint64_t made = th_tm_stepper_back(s, 1);
                assert_int_equal(made, before - r->steps);
                left -= held - th_tm_stepper_undo(s) < left ? held - th_tm_stepper_undo(s) : left;
                char *now = snapshot(r);
                assert_string_equal(now, shot[r->steps]);
                free(now);
            }
            assert_true(r->steps < steps || back == 1);
            kept = th_tm_stepper_undo(s);
        }
        while (n > 0)
            free(shot[--n]);
        th_tm_stepper_free(s);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
}

/* More is asked back than there is. */
static void undo_ends(void **state)
{
    (void)state;
    ThTm *m = block("start a; a _ -> 1 R a");
    ThTmStepper *s = th_tm_stepper_new(m, NULL);
    ThTmTapeWords w = {0};
    size_t at;
    static const struct {
        size_t undo;
        uint64_t steps, asked, made;
    } cases[] = {{1000, 50, 20, 20}, {1000, 50, 60, 50}, {10, 50, 20, 10}, {0, 50, 1, 0},
                 {8, 8, 9, 8},       {9, 100000, 9, 9},  {1000, 0, 5, 0},  {13, 14, 13, 13}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(th_tm_stepper_start(s, &w, cases[i].undo, 0, 0, NULL));
        assert_true(th_tm_stepper_go(s, cases[i].steps, 0, &at, NULL, NULL));
        uint64_t made = th_tm_stepper_back(s, cases[i].asked);
        assert_int_equal(made, cases[i].made);
        assert_int_equal(th_tm_stepper_running(s)->steps, cases[i].steps - cases[i].made);
        assert_true(th_tm_stepper_go(s, 3, 0, &at, NULL, NULL));
        assert_int_equal(th_tm_stepper_running(s)->tape[0].left,
                         cases[i].steps - cases[i].made + 3);
    }
    th_tm_stepper_free(s);
    th_tm_free(m);
}

static void breakpoints(void **state)
{
    (void)state;
    ThTm *m = block("start right; halt done; right 0,1 -> R right; right _ -> L carry !\n"
                    "carry 1 -> 0 L carry; carry 0,_ -> 1 L done");
    ThTmStepper *s = th_tm_stepper_new(m, NULL);
    ThTmTapeWords w;
    ThError err = {0};
    size_t at, n;
    assert_int_equal(th_tm_stepper_breaks(s), 1);
    assert_true(th_tm_tape_words_read(&w, m, "1011", NULL));
    assert_true(th_tm_stepper_start(s, &w, 100, 0, 0, NULL));
    const ThTmRunning *r = th_tm_stepper_running(s);
    assert_true(th_tm_stepper_go(s, 100, 0, &at, NULL, NULL));
    assert_true(at == 0 && r->steps == 5);
    int *rule = th_tm_rules_for(m, "carry 1", &n, &err);
    assert_true(rule && n == 1 && rule[0] == 3);
    ThTmBreakpoint by_rule = {-1, m->rule[4].read[0], rule[0]}, by_state = {m->rule[4].to, -1, -1};
    free(rule);
    assert_true(th_tm_stepper_break(s, by_rule, NULL) && th_tm_stepper_break(s, by_state, NULL));
    assert_true(th_tm_stepper_break(s, by_rule, NULL));
    assert_int_equal(th_tm_stepper_breaks(s), 3);
    assert_true(th_tm_stepper_go(s, 100, 0, &at, NULL, NULL));
    assert_true(at == 1 && r->steps == 7);
    assert_true(th_tm_stepper_go(s, 100, 0, &at, NULL, NULL));
    assert_true(at == 2 && r->steps == 8 && r->verdict == TH_TM_HALTED);
    th_tm_stepper_clear(s, 0);
    assert_int_equal(th_tm_stepper_back(s, 8), 8);
    assert_true(th_tm_stepper_go(s, 100, 0, &at, NULL, NULL));
    assert_true(at == 0 && r->steps == 7);
    th_tm_stepper_clear(s, 1);
    th_tm_stepper_clear(s, 0);
    assert_true(th_tm_stepper_go(s, 100, 0, &at, NULL, NULL) && at == SIZE_MAX);
    static const char *const bad[] = {"",          "carry", "carry 2", "fly 1",
                                      "carry 1 0", "* 1",   "carry ,", "carry 1 | 0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError why = {0};
        assert_null(th_tm_rules_for(m, bad[i], &n, &why));
        assert_true(why.code == TH_EPARSE || why.code == TH_EVALUE);
    }
    th_tm_tape_words_free(&w);
    th_tm_stepper_free(s);
    th_tm_free(m);
}

/* The user chooses the rule. */
static void choosing(void **state)
{
    (void)state;
    ThTm *m = block("nondeterministic; start a; a _ -> 1 R a; a _ -> 2 R a; a _ -> 3 R a");
    ThTmStepper *s = th_tm_stepper_new(m, NULL);
    ThTmTapeWords w = {0};
    ThError err = {0};
    size_t at;
    assert_true(th_tm_stepper_start(s, &w, 10, 0, 0, NULL));
    for (int i = 3; i >= 1; i--)
        assert_true(th_tm_stepper_go(s, 1, i, &at, NULL, NULL));
    const ThTmRunning *r = th_tm_stepper_running(s);
    for (int i = 0; i < 3; i++)
        assert_int_equal(th_tm_tape_at(&r->tape[0], i, 0), m->rule[2 - i].write[0]);
    assert_false(th_tm_stepper_go(s, 1, 4, &at, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_false(th_tm_stepper_start(s, &w, 10, 0, 4, NULL));
    assert_int_equal(r->steps, 3);
    th_tm_stepper_free(s);
    th_tm_free(m);
}

/* ---- configurations -------------------------------------------------------------------------- */

/* The cells of a tape that a form shows, worked out from the whole tape. */
static void naive_tape(ThText *t, const ThTmRunning *r, int k, bool brackets, int width)
{
    const ThTm *m = r->machine;
    const ThTmTape *tape = &r->tape[k];
    int64_t first = tape->head, last = tape->head;
    bool single = true;
    for (int s = 0; s < m->n_symbols; s++)
        single = single && th_utf8_length(m->symbol[s]) == 1;
    for (int64_t i = tape->base; i < tape->base + (int64_t)tape->size; i++) {
        if (th_tm_tape_at(tape, i, m->blank) == m->blank)
            continue;
        first = i < first ? i : first;
        last = i > last ? i : last;
    }
    bool left = width > 0 && tape->head - first > width / 2;
    bool right = width > 0 && last - tape->head > width / 2;
    first = left ? tape->head - width / 2 : first;
    last = right ? tape->head + width / 2 : last;
    th_text_add(t, left ? ".." : "");
    for (int64_t i = first; i <= last; i++) {
        const char *symbol = m->symbol[th_tm_tape_at(tape, i, m->blank)];
        th_text_add(t, i > first && !single ? " " : "");
        if (i == tape->head && brackets)
            th_text_printf(t, "[%s]", symbol);
        else if (i == tape->head)
            th_text_printf(t, "%s%s%s", m->state[r->state], single ? "" : " ", symbol);
        else
            th_text_add(t, symbol);
    }
    th_text_add(t, right ? ".." : "");
}

static void check_configuration(const ThTmRunning *r, int width)
{
    for (int form = 0; form < 2; form++) {
        ThText want = {0}, got = {0};
        for (int k = 0; k < r->machine->n_tapes; k++) {
            th_text_add(&want, k ? " | " : "");
            naive_tape(&want, r, k, form == 0, width);
        }
        th_tm_running_write(&got, r, form == 0 ? TH_TM_SHOW_HEAD : TH_TM_SHOW_STATE, width);
        assert_string_equal(got.data, want.data);
        th_text_free(&want);
        th_text_free(&got);
    }
}

/* The caret stands under the scanned cell of the line above. */
static void check_caret(const ThTmRunning *r, int width)
{
    ThText lines = {0}, heads = {0};
    th_tm_running_write(&lines, r, TH_TM_SHOW_CARET, width);
    th_tm_running_write(&heads, r, TH_TM_SHOW_HEAD, width);
    char *second = strchr(lines.data, '\n');
    assert_non_null(second);
    *second++ = '\0';
    int n = 0;
    for (char *open = strchr(heads.data, '['); open; open = strchr(open + 1, '['), n++) {
        char kept = *open;
        *open = '\0';
        int column = th_utf8_width(heads.data) - 2 * n;
        *open = kept;
        assert_true((size_t)column < strlen(second) && second[column] == '^');
    }
    assert_int_equal(n, r->machine->n_tapes);
    th_text_free(&lines);
    th_text_free(&heads);
}

/* Runs written out give the cells again. */
static void check_runs(const ThTmRunning *r)
{
    ThText runs = {0}, cells = {0}, want = {0};
    const ThTm *m = r->machine;
    th_tm_running_write(&runs, r, TH_TM_SHOW_RUNS, 0);
    int64_t at = -1, head = -1;
    for (char *item = strtok(runs.data, " "); item; item = strtok(NULL, " ")) {
        size_t n = strlen(item);
        char *power = strchr(item, '^');
        bool left = *item == '<', right = item[n - 1] == '>';
        if (left || right)
            head = left ? at : at + 1;
        if (power)
            *power = '\0';
        long count = power ? strtol(power + 1, NULL, 10) : 1;
        for (long i = 0; !left && !right && i < count; i++, at++)
            th_text_printf(&cells, "%s ", item);
    }
    int64_t first, last;
    const ThTmTape *t = &r->tape[0];
    if (th_tm_tape_extent(t, m->blank, &first, &last) == 0)
        first = last = t->head;
    first = t->head < first ? t->head : first;
    last = t->head > last ? t->head : last;
    for (int64_t i = first; i <= last; i++)
        th_text_printf(&want, "%s ", m->symbol[th_tm_tape_at(t, i, m->blank)]);
    assert_string_equal(cells.data, want.data);
    assert_int_equal(head, t->head - first);
    th_text_free(&runs);
    th_text_free(&cells);
    th_text_free(&want);
}

static void configurations(void **state)
{
    static const int widths[] = {0, 1, 2, 5, 8, 60};
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        ThRng g = th_rng(seed, "test.configurations", 0);
        ThTm *m = any_machine(&g);
        ThTmTapeWords w = any_words(&g, m, 8);
        ThTmRunning r;
        assert_true(th_tm_running_start_words(&r, m, &w, NULL));
        for (int i = 0; i < 40; i++) {
            int width = widths[th_rng_below(&g, 6)];
            check_configuration(&r, width);
            check_caret(&r, width);
            if (m->n_tapes == 1)
                check_runs(&r);
            assert_true(th_tm_running_go(&r, 1 + th_rng_below(&g, 5),
                                         (ThTmRunLimits){TH_TM_MOST_STEPS, UINT64_MAX}, NULL,
                                         NULL));
        }
        th_tm_running_free(&r);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
}

static void forms(void **state)
{
    (void)state;
    ThTm *m = block("start A; A * -> 1 R B; B * -> 1 L A");
    static const char *const want[] = {"3  B  1[1]", "3  1B1", "3  B  11\n       ^", "3  1 B> 1"};
    ThTmRunning r;
    assert_true(th_tm_running_start(&r, m, NULL, NULL, NULL));
    assert_true(th_tm_running_go(&r, 3, (ThTmRunLimits){3, 10}, NULL, NULL));
    for (int form = 0; form < 4; form++) {
        ThTmConfigurationWriter w;
        ThText t = {0};
        assert_true(th_tm_configuration_writer(&w, m, (ThTmConfigurationForm)form, 60, NULL));
        th_tm_configuration_line(&t, &w, &r);
        assert_int_equal(t.data[t.size - 1], '\n');
        t.data[t.size - 1] = '\0';
        assert_string_equal(t.data, want[form]);
        th_tm_configuration_writer_free(&w);
        th_text_free(&t);
    }
    th_tm_running_free(&r);
    th_tm_free(m);
}

/* ---- files of tests -------------------------------------------------------------------------- */

static void good_cases(void **state)
{
    (void)state;
    ThTmTestCases c;
    const char *text = "\xef\xbb\xbfinput,verdict,tape\r\n1011,accept\n\n  \t\n,reject,\r\n"
                       "\"a,\"\"b\" , halted , 0 1 \nx y,limit,\"\"\nedge,edge\nverdict,endless";
    static const struct {
        const char *input, *tape, *expected;
        int line, col;
    } want[] = {{"1011", NULL, "accept", 2, 1}, {"", "", "reject", 5, 1},
                {"a,\"b", "0 1", "halt", 6, 2}, {"x y", "", "limit", 7, 1},
                {"edge", NULL, "edge", 8, 1},   {"verdict", NULL, "endless", 9, 1}};
    assert_true(th_tm_test_cases_read(&c, text, NULL));
    assert_int_equal(c.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < c.n; i++) {
        assert_string_equal(c.item[i].input, want[i].input);
        assert_string_equal(th_tm_test_expected(&c.item[i]), want[i].expected);
        assert_true(!c.item[i].tape == !want[i].tape);
        if (want[i].tape)
            assert_string_equal(c.item[i].tape, want[i].tape);
        assert_true(c.item[i].line == want[i].line && c.item[i].col == want[i].col);
    }
    assert_true(th_tm_test_fulfilled(&c.item[0], TH_TM_ACCEPTED));
    assert_false(th_tm_test_fulfilled(&c.item[0], TH_TM_HALTED));
    assert_true(th_tm_test_fulfilled(&c.item[3], TH_TM_OUT_OF_CELLS));
    assert_false(th_tm_test_fulfilled(&c.item[3], TH_TM_ENDLESS));
    assert_false(th_tm_test_fulfilled(&c.item[5], TH_TM_OUT_OF_STEPS));
    th_tm_test_cases_free(&c);
}

static void bad_cases(void **state)
{
    static const struct {
        const char *text;
        int line, col;
    } bad[] = {{"1011", 1, 5},
               {"a,accept\nb,maybe", 2, 3},
               {"a,accept\n\"b,accept\nc,reject", 2, 1},
               {"a,accept,1,2", 1, 12},
               {"a\"b,accept", 1, 2},
               {"\"ab\"c,accept", 1, 5},
               {"é,\xff", 1, 3},
               {"é é,", 1, 5},
               {"a,Accept", 1, 3},
               {"a,accept\ninput,verdict", 2, 7}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThTmTestCases c;
        ThError err = {0};
        assert_false(th_tm_test_cases_read(&c, bad[i].text, &err));
        if (err.line != bad[i].line || err.col != bad[i].col)
            print_error("%s: %d:%d %s\n", bad[i].text, err.line, err.col, err.msg);
        assert_true(err.line == bad[i].line && err.col == bad[i].col);
        assert_true(c.n == 0 && !c.item);
    }
}

/* ---- a run that goes on by hand -------------------------------------------------------------- */

/* Stopped anywhere, the fast engine stands where the plain one does. */
static void taken_over(void **state)
{
    static const char *const machine[] = {
        ("blank 0; start A; halt Z; A 0 -> 1 R B; A 1 -> 1 L B; B 0 -> 1 L A; B 1 -> 0 L C; "
         "C 0 -> 1 R Z; C 1 -> 1 L D; D 0 -> 1 R D; D 1 -> 0 R A"),
        "tape one-way edge=stay; start a; a _ -> 1 R b; a 1 -> L a; b _ -> 1 L a; b 1 -> R b",
        "start a; a _ -> x R a; a x -> R a",
        "tapes 2; start a; a _ | _ -> 1 R | 1 L b; b _ | _ -> 1 L | R a; a 1 | _ -> R | L b"};
    (void)state;
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) {
        ThTm *m = block(machine[i]);
        for (uint64_t n = 0; n <= 200; n += 1 + n / 10) {
            ThTmRunLimits limits = {n, UINT64_MAX};
            ThTmTapeWords words = {0};
            ThTmEngine e;
            ThTmRunning plain, taken;
            assert_true(th_tm_engine_start(&e, m, &words, NULL));
            assert_true(th_tm_engine_go(&e, UINT64_MAX, limits, NULL, NULL));
            assert_true(th_tm_engine_take(&e, &taken, NULL));
            assert_true(th_tm_running_start_words(&plain, m, &words, NULL));
            assert_true(th_tm_running_go(&plain, UINT64_MAX, limits, NULL, NULL));
            plain.rule = taken.rule = -1;
            char *x = snapshot(&taken), *y = snapshot(&plain);
            assert_string_equal(x, y);
            free(x);
            free(y);
            th_tm_running_free(&plain);
            th_tm_running_free(&taken);
        }
        th_tm_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_to_where_it_was), cmocka_unit_test(undo_ends),
        cmocka_unit_test(breakpoints),          cmocka_unit_test(choosing),
        cmocka_unit_test(configurations),       cmocka_unit_test(forms),
        cmocka_unit_test(good_cases),           cmocka_unit_test(bad_cases),
        cmocka_unit_test(taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
