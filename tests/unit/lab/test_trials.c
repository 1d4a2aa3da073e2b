/* What models write behind prompts of tasks: as alone, judged, and where it first goes wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbols.h"
#include "given.h"
#include "inspect/first_errors.h"
#include "lab/evaluate.h"
#include "lab/trials.h"

/* Returns new: a model for a task, as it begins. */
static ThModel *model_of(const char *kind, const ThTask *t)
{
    ThError err = {0};
    ThModel *m = made_model(kind, strcmp(kind, "gpt") == 0 ? "dim=12 heads=3" : "dim=12");
    assert_true(th_model_bind(m, &t->signature, 1, &err));
    return m;
}

/* The text behind a prompt, up to its end or twice the true one: that of string `number`. */
static int alone(const ThModel *m, const ThLabTrial *y, ThGenerateSettings how, int number, int *to)
{
    ThError err = {0};
    int n = 0;
    how.most = 2 * y->truth.n;
    how.end = y->truth.token[y->truth.n - 1];
    how.number = &number;
    ThGeneratePrompts p = {y->prompt.token, 1, y->prompt.n};
    ThLabGenerator *g = th_generate_open(m, &p, &how, &err);
    while (!th_generate_done(g))
        assert_true(th_generate_step(g, &to[n++], &err));
    th_generate_free(g);
    return n;
}

/* Strings to copy of which every third has a letter less: prompts that are not as long as each
 * other. */
static bool draw_uneven(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    if (!th_task_kind("copy")->draw(t, r, length, b, err))
        return false;
    for (int i = 0; i < b->B; i += 3) {
        int *row = th_batch_token(b, i), second = 2 + length; /* $abc|abc. */
        memmove(row + second, row + second + 1, (size_t)(b->length[i] - second - 1) * sizeof *row);
        memmove(row + 1, row + 2, (size_t)(b->length[i] - 3) * sizeof *row);
        b->length[i] -= 2;
    }
    return true;
}

static void check_trials(const ThTask *t, const char *kind, int threads, double temperature)
{
    enum { SAMPLES = 70, LENGTH = 6 };
    ThError err = {0};
    unsigned lengths = 0;
    ThModel *m = model_of(kind, t);
    ThLabTrialsPlan plan = {.model = m, .task = t, .samples = SAMPLES};
    plan.seed = 5;
    plan.length = LENGTH;
    plan.threads = threads;
    plan.how.temperature = temperature;
    plan.how.seed = 4;
    ThLabTrials y;
    assert_true(th_lab_trials(&plan, &y, &err));
    assert_int_equal(y.n, SAMPLES);
    ThBatch b = {.B = SAMPLES};
    assert_true(th_lab_draw(t, &(ThLabStrings){5, LENGTH, 0}, &b, &err));
    for (int i = 0; i < y.n; i++) {
        const ThLabTrial *x = &y.item[i];
        int said[256], n = alone(m, x, plan.how, i, said);
        assert_int_equal(x->said.n, n);
        assert_memory_equal(x->said.token, said, (size_t)n * sizeof *said);
        assert_memory_equal(x->prompt.token, th_batch_token(&b, i),
                            (size_t)x->prompt.n * sizeof *said);
        ThTaskVerdict v;
        assert_true(th_task_judge(t, x->prompt, x->said, &v, &err));
        assert_int_equal(v.at, x->verdict.at);
        assert_int_equal(x->answer, v.right);
        lengths |= 1U << (x->prompt.n % 8);
        assert_true(th_task_judge(t, x->prompt, x->truth, &v, &err));
        assert_true(v.right);
    }
    assert_true(t->kind->draw != draw_uneven || (lengths & (lengths - 1)));
    th_batch_free(&b);
    th_lab_trials_free(&y);
    th_model_free(m);
}

static void test_trials(void **state)
{
    (void)state;
    ThTask *copy = made_task("copy", "symbols=3", NULL),
           *ngram = made_task("ngram", "ngram=2", NULL);
    check_trials(copy, "gru", 1, 0);
    check_trials(copy, "gpt", 2, 3);
    check_trials(ngram, "gru", 2, 0);
    ThTaskKind uneven = *copy->kind;
    uneven.draw = draw_uneven;
    uneven.ragged = true;
    copy->kind = &uneven;
    check_trials(copy, "gru", 2, 0);
    check_trials(copy, "gpt", 1, 3);
    th_task_free(copy);
    th_task_free(ngram);
}

static void test_refusals(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *copy = made_task("copy", "symbols=3", NULL),
           *other = made_task("copy", "symbols=4", NULL);
    ThTask *sum = made_task("tomita", "number=2", NULL);
    ThModel *m = model_of("gru", copy);
    ThLabTrialsPlan plan = {.model = m, .task = sum, .samples = 3, .length = 4, .threads = 1};
    ThLabTrials y;
    assert_false(th_lab_trials(&plan, &y, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    plan.task = other;
    assert_false(th_lab_trials(&plan, &y, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    static volatile sig_atomic_t stop = 1;
    plan.task = copy;
    plan.stop = &stop;
    assert_false(th_lab_trials(&plan, &y, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_int_equal(y.n, 0);
    th_model_free(m);
    th_task_free(copy);
    th_task_free(other);
    th_task_free(sum);
}

/* ---- slips ---- */

static int read_word(const ThTask *t, const char *text, int *token)
{
    int n = 0;
    for (; *text; text++)
        token[n++] = th_symbols_find(t->signature.symbol, t->signature.n_symbols,
                                     (const char[]){*text, '\0'});
    return n;
}

static void test_slips(void **state)
{
    (void)state;
    static const struct {
        const char *prompt, *truth, *said, *kind;
        int line, column, at, repeated;
    } rows[] = {
        {"$abcab|", "abcab.", "abcab.", "right", 0, 0, 6, 0},
        {"$abcab|", "abcab.", "acb", "copy", 2, 2, 1, 1},
        {"$abcab|", "abcab.", "abcabc", "late end", 2, 6, 5, 2},
        {"$abcab|", "abcab.", "ab.", "early end", 2, 3, 2, 2},
        {"$abcab|", "abcab.", "ab|", "separator", 2, 3, 2, 2},
        {"$abcab|", "abcab.", "b", "copy", 2, 1, 0, 0},
        {"$aaaa|", "aaaa.", "aab", "copy", 2, 3, 2, 2},
        {"$abc|", "abc.", "ab", "breaks off", 2, 3, 2, 0},
    };
    ThTask *t = made_task("copy", "symbols=3", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int text[32], said[32], n = read_word(t, rows[i].prompt, text);
        ThLabTrial y = {.prompt = {text, n}, .said = {said, read_word(t, rows[i].said, said)}};
        y.truth = (ThTaskWord){text + n, read_word(t, rows[i].truth, text + n)};
        assert_true(th_task_judge(t, y.prompt, y.said, &y.verdict, NULL));
        ThInspectSlip s = th_inspect_slip(t, 5, &y);
        assert_string_equal(s.kind, rows[i].kind);
        assert_int_equal(s.line, rows[i].line);
        assert_int_equal(s.column, rows[i].column);
        assert_int_equal(s.at, rows[i].at);
        assert_int_equal(s.repeated, rows[i].repeated);
    }
    /* Of abcab. the places behind ab, twice, have two symbols that stand there again. */
    int text[32], n = read_word(t, "$abcab|", text);
    ThLabTrial y = {.prompt = {text, n}};
    y.truth = (ThTaskWord){text + n, read_word(t, "abcab.", text + n)};
    assert_int_equal(th_inspect_repeats(t, &y, 2), 2);
    assert_int_equal(th_inspect_repeats(t, &y, 1), 4);
    assert_int_equal(th_inspect_repeats(t, &y, 3), 0);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trials),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
