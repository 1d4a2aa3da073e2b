#include <gsl/gsl_cdf.h>
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
#include "lab/evaluate.h"

/* A model that knows the answer, or always says the first class, or nothing sensible: its outputs
 * are computed from the text of the tasks, not from their machines. */
static const ThOptionSpec options[] = {
    {"mode", TH_CHOICE, "right", 0, 0, "right|first|nan", "what it answers"},
    {"width", TH_INT, "1", 1, 1 << 24, NULL, "numbers that a token seems to need"},
    {0},
};

static bool bind(ThModel *m, ThError *err)
{
    m->layout = th_alloc(1, 1, err);
    int width = (int)th_option_int(&m->options, "width");
    return m->layout && th_params_add(&m->params, "unused", 2, width, TH_INIT_ZERO, 0, err) >= 0;
}

/* The class after a prefix: a sum modulo the number of classes, which is parity for two. */
static int sum_class(const int *token, int length, int n_classes)
{
    int sum = 0;
    for (int i = 0; i < length; i++)
        sum += token[i];
    return sum % n_classes;
}

static void fill_row(const ThModel *m, const int *token, int length, float *z)
{
    const ThSignature *s = &m->signature;
    const char *mode = th_option_text(&m->options, "mode");
    int answer = strcmp(mode, "first") == 0 ? 0 : sum_class(token, length, s->n_classes);
    for (int c = 0; c < s->n_classes; c++)
        z[c] = c == answer ? 2 : 0;
    /* a and b may always follow; the word may end if it has an even number of b */
    for (int c = 0; s->target == TH_TARGET_BITS && c < 3; c++)
        z[c] = c < 2 || sum_class(token, length, 2) == 0 ? 2 : -2;
    if (strcmp(mode, "nan") == 0)
        z[0] = nanf("");
}

static int most_rows; /* of a batch that was run */

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    (void)how;
    most_rows = b->B > most_rows ? b->B : most_rows;
    int n = m->signature.n_classes;
    bool final = m->signature.target == TH_TARGET_FINAL;
    int rows = final ? b->B : b->B * b->T;
    float *z = th_tape_take(t, (size_t)rows * (size_t)n, sizeof *z);
    for (int i = 0; z && i < rows; i++) {
        int string = final ? i : i / b->T, length = final ? b->T : i % b->T + 1;
        fill_row(m, b->token + string * b->T, length, z + i * n);
    }
    return th_tape_constant(t, rows, n, z);
}

/* cmocka compares floats only. */
static void near(double a, double b, double apart)
{
    if (!(fabs(a - b) <= apart))
        fail_msg("%.17g is not %.17g", a, b);
}

static const ThModelKind oracle = {
    .name = "oracle", .options = options, .bind = bind, .forward = forward};

static ThTask *make_task(const char *kind, const char *option, const char *value,
                         const char *automaton)
{
    ThError err = {0};
    ThOptions o;
    assert_true(th_options_init(&o, th_task_kind(kind)->options, &err));
    assert_true(!option || th_options_set(&o, option, value, &err));
    ThAutomaton *a = automaton ? th_automaton_parse(automaton, &err) : NULL;
    ThTask *t = th_task_new(th_task_kind(kind), &o, &(ThTaskSource){.automaton = a}, &err);
    assert_non_null(t);
    th_automaton_free(a);
    th_options_free(&o);
    return t;
}

static ThModel *make_model(const char *mode, const ThTask *t)
{
    ThError err = {0};
    ThOptions o;
    assert_true(th_options_init(&o, options, &err) && th_options_set(&o, "mode", mode, &err));
    ThModel *m = th_model_new(&oracle, &o, &err);
    assert_non_null(m);
    assert_true(!t || th_model_bind(m, &t->signature, 1, &err));
    th_options_free(&o);
    return m;
}

static ThScore score(const ThModel *m, const ThTask *t, int threads, int length, int samples)
{
    ThError err = {0};
    ThScore s;
    ThEvaluator *e = th_evaluator_new(m, t, 5, threads, &err);
    assert_non_null(e);
    if (!th_evaluator_length(e, length, samples, &s, &err))
        fail_msg("%s", err.msg);
    th_evaluator_free(e);
    return s;
}

/* Of long strings, or wide models, fewer than a block are run at once, and all count. */
static void test_blocks_in_parts(void **state)
{
    (void)state;
    static const int width[] = {1, 1 << 23, 1 << 24}, rows[] = {20, 2, 1};
    ThTask *t = make_task("sum", "modulus", "3", NULL);
    ThScore wanted = {0};
    for (int i = 0; i < 3; i++) {
        ThError err = {0};
        ThOptions o;
        char text[20];
        snprintf(text, sizeof text, "%d", width[i]);
        assert_true(th_options_init(&o, options, &err) && th_options_set(&o, "width", text, &err) &&
                    th_options_set(&o, "mode", "first", &err));
        ThModel *m = th_model_new(&oracle, &o, &err);
        assert_true(m && th_model_bind(m, &t->signature, 1, &err));
        most_rows = 0;
        ThScore s = score(m, t, 1, 20, 53);
        if (i == 0)
            wanted = s;
        assert_true(i == 0 ? most_rows > rows[i] : most_rows == rows[i]);
        assert_true(s.n == 53 * 20 && s.n == wanted.n && s.right == wanted.right);
        assert_true(s.strings == wanted.strings && s.exact == wanted.exact);
        near(s.loss, wanted.loss, 1e-6);
        th_model_free(m);
        th_options_free(&o);
    }
    th_task_free(t);
}

/* ---- scores ---------------------------------------------------------------------------------- */

static void test_right_answers(void **state)
{
    (void)state;
    ThTask *t = make_task("parity", NULL, NULL, NULL);
    ThModel *m = make_model("right", t);
    ThScore s = score(m, t, 1, 30, 300);
    assert_int_equal(s.length, 30);
    assert_int_equal(s.tokens, 30);
    assert_int_equal(s.n, 300);
    assert_int_equal(s.right, 300);
    assert_true(s.accuracy == 1 && s.hi == 1);
    near(s.lo, pow(0.025, 1.0 / 300), 1e-12);
    near(s.loss, log1p(exp(-2)), 1e-5);
    near(s.chance, 0.5, 1e-12);
    th_model_free(m);
    th_task_free(t);
}

static void test_constant_answers(void **state)
{
    (void)state;
    ThTask *t = make_task("parity", "probability", "0.9", NULL);
    ThModel *m = make_model("first", t);
    ThScore s = score(m, t, 2, 1, 5001);
    assert_int_equal(s.n, 5001);
    assert_true(fabs(s.accuracy - 0.1) < 5 * sqrt(0.09 / 5001));
    assert_true(s.lo < s.accuracy && s.accuracy < s.hi);
    near(s.chance, 0.9, 1e-12);
    th_model_free(m);
    th_task_free(t);
}

static void test_answers_at_every_position(void **state)
{
    (void)state;
    ThTask *t = make_task("sum", "modulus", "7", NULL);
    ThModel *m = make_model("right", t);
    ThScore s = score(m, t, 1, 9, 50);
    assert_int_equal(s.n, 450);
    assert_int_equal(s.right, 450);
    near(s.lo, pow(0.025, 1.0 / 50), 1e-12); /* as many answers as strings */
    th_model_free(m);
    th_task_free(t);
    t = make_task("mod_arith", NULL, NULL, NULL); /* operators are not asked about */
    m = make_model("first", t);
    s = score(m, t, 1, 10, 50);
    assert_int_equal(s.length, 10);
    assert_int_equal(s.tokens, 9);
    assert_int_equal(s.n, 50 * 5);
    th_model_free(m);
    th_task_free(t);
}

static void test_sets_of_answers(void **state)
{
    (void)state;
    ThTask *t = make_task("next_symbols", NULL, NULL,
                          "alphabet a b; start e; accept e; e a -> e; e b -> o; o a -> o; "
                          "o b -> e");
    ThModel *m = make_model("right", t);
    ThScore s = score(m, t, 1, 9, 50);
    assert_int_equal(s.n, 450);
    assert_int_equal(s.right, 450);
    near(s.loss, log1p(exp(-2)), 1e-5);
    int word[] = {0, 1, 1, 1}, answer[12];
    ThError err = {0};
    assert_true(th_lab_predict(m, word, 4, answer, &err));
    static const int expected[] = {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0};
    assert_memory_equal(answer, expected, sizeof expected);
    th_model_free(m);
    th_task_free(t);
}

/* The strings, and all figures to the last bit, depend on seed and length only. */
static void test_threads_do_not_matter(void **state)
{
    (void)state;
    ThTask *t = make_task("sum", NULL, NULL, NULL);
    ThModel *m = make_model("first", t);
    ThScore one = score(m, t, 1, 700, 300);
    for (int threads = 2; threads <= 4; threads++) {
        ThScore s = score(m, t, threads, 700, 300);
        assert_int_equal(s.right, one.right);
        assert_true(s.loss == one.loss && s.lo == one.lo && s.hi == one.hi);
    }
    ThScore shorter = score(m, t, 1, 699, 300);
    assert_true(shorter.loss != one.loss);
    th_model_free(m);
    th_task_free(t);
}

/* Half members, half others, whatever the number of strings. */
static void test_balance_survives_sharding(void **state)
{
    (void)state;
    ThTask *t = make_task("dyck", NULL, NULL, NULL);
    ThModel *m = make_model("first", t);
    static const int lengths[] = {10, 300, 900}, samples[] = {512, 100, 301};
    for (int i = 0; i < 3; i++) {
        ThScore s = score(m, t, 1, lengths[i], samples[i]);
        assert_int_equal(s.n, samples[i]);
        assert_true(s.right == samples[i] / 2 || s.right == (samples[i] + 1) / 2);
    }
    th_model_free(m);
    th_task_free(t);
}

/* ---- predictions and errors -------------------------------------------------------------------
 */

static void test_predictions(void **state)
{
    (void)state;
    ThTask *t = make_task("parity", NULL, NULL, NULL);
    ThModel *m = make_model("right", t);
    ThError err = {0};
    int word[] = {0, 1, 0}, answer;
    double z[2];
    assert_true(th_lab_predict(m, word, 3, &answer, &err));
    assert_int_equal(answer, 1);
    assert_true(th_lab_logits(m, word, 3, z, &err));
    assert_true(z[0] == 0 && z[1] == 2);
    th_lab_probabilities(TH_TARGET_FINAL, z, 2);
    near(z[1], exp(2) / (1 + exp(2)), 1e-12);
    assert_false(th_lab_predict(m, word, 0, &answer, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(m);
    th_task_free(t);
}

static void expect_no_evaluator(const ThModel *m, const ThTask *t, const char *words)
{
    ThError err = {0};
    assert_null(th_evaluator_new(m, t, 1, 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_non_null(strstr(err.msg, words));
}

static void test_errors(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = make_task("parity", NULL, NULL, NULL);
    ThTask *other = make_task("even_pairs", NULL, NULL, NULL);
    ThTask *cycle = make_task("cycle_navigation", NULL, NULL, NULL);
    ThModel *fresh = make_model("right", NULL), *m = make_model("nan", t);
    expect_no_evaluator(fresh, t, "not been trained");
    expect_no_evaluator(m, cycle, "symbols");
    ThEvaluator *e = th_evaluator_new(m, other, 1, 1, &err); /* same alphabet and classes */
    assert_non_null(e);
    ThScore s;
    assert_false(th_evaluator_length(e, 0, 10, &s, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    assert_false(th_evaluator_length(e, 5, 10, &s, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    th_evaluator_free(e);
    th_evaluator_free(NULL);
    th_model_free(m);
    th_model_free(fresh);
    th_task_free(t);
    th_task_free(other);
    th_task_free(cycle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_in_parts),
        cmocka_unit_test(test_right_answers),
        cmocka_unit_test(test_constant_answers),
        cmocka_unit_test(test_answers_at_every_position),
        cmocka_unit_test(test_sets_of_answers),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_balance_survives_sharding),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
