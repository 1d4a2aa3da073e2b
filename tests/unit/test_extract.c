/* test_extract.c - automata learned from teachers made of automata, tasks and models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/operations/relate.h"
#include "given.h"
#include "inspect/extract.h"

static const ThInspectTeaching usual = {
    .length = {0, 30, 1}, .error = 0.01, .confidence = 0.95, .seed = 1, .most_states = 100000};
static const ThInspectExtraction asking = {.states = 1000, .samples = 2000};

static ThTask *task_of(const char *kind)
{
    ThOptions o;
    const ThTaskKind *k = th_task_kind(kind);
    assert_true(th_options_init(&o, k->options, NULL));
    ThTask *t = th_task_new(k, &o, NULL, NULL);
    th_options_free(&o);
    assert_non_null(t);
    return t;
}

static void exact_of_automata(void **state)
{
    (void)state;
    static const char *const languages[] = {"parity", "tomita(4)", "tomita(7)", "even_pairs"};
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        ThAutomaton *a = evaluate(languages[i]);
        ThAutomaton *least = th_automaton_minimize(a, 1000, NULL, NULL);
        ThInspectTeacher t = {0};
        ThInspectExtracted x;
        assert_true(th_inspect_teach_automaton(&t, a, &usual, NULL));
        assert_true(t.language && t.machine && t.n_classes == 2);
        assert_true(th_inspect_extract(&t, &asking, &x, NULL));
        assert_true(x.exact && !x.merged && x.queries.asked > 0);
        assert_int_equal(x.automaton->n_states, least->n_states);
        th_automaton_free(x.automaton);
        th_inspect_teacher_free(&t);
        th_automaton_free(least);
        th_automaton_free(a);
    }
}

/* Every tenth answer is turned: words that are drawn and merged mend what questions spoil. */
static void noise_is_tolerated(void **state)
{
    (void)state;
    ThTask *task = task_of("parity");
    ThInspectTeaching how = usual;
    ThInspectExtraction noisy = asking;
    how.flip = 0.1;
    how.noise = noisy.noise = 0.15;
    noisy.states = 20;
    ThInspectTeacher t = {0};
    ThInspectExtracted x;
    assert_true(th_inspect_teach_task(&t, task, &how, NULL));
    assert_true(th_inspect_extract(&t, &noisy, &x, NULL));
    assert_true(!x.exact && x.samples == 2000);
    assert_int_equal(x.automaton->n_states, 2);
    double share = (double)x.wrong / (double)x.samples;
    assert_true(x.low < share && share < x.high && share > 0.06 && share < 0.14);
    th_automaton_free(x.automaton);
    th_inspect_teacher_free(&t);
    th_task_free(task);
}

static void classes_are_named(void **state)
{
    (void)state;
    ThTask *task = task_of("cycle_navigation");
    ThInspectTeaching how = usual;
    ThInspectTeacher t = {0};
    ThError err = {0};
    how.accept = "3";
    assert_true(th_inspect_teach_task(&t, task, &how, &err));
    assert_true(t.language && t.wanted == 3);
    int word[] = {1, 1, 1}, label;
    assert_true(th_inspect_member(&t, word, 3, &label, NULL));
    assert_int_equal(label, 1);
    assert_true(th_inspect_member(&t, word, 2, &label, NULL));
    assert_int_equal(label, 0);
    assert_int_equal(t.asked, 2);
    th_inspect_teacher_free(&t);
    t = (ThInspectTeacher){0};
    how.accept = "9";
    assert_false(th_inspect_teach_task(&t, task, &how, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_non_null(strstr(err.msg, "accept=9"));
    th_inspect_teacher_free(&t);
    th_task_free(task);
}

static void models_answer(void **state)
{
    (void)state;
    ThOptions o;
    ThError err = {0};
    const ThModelKind *k = th_model_kind("rnn");
    assert_true(th_options_init(&o, k->options, NULL));
    ThModel *m = th_model_new(k, &o, NULL);
    ThTask *task = task_of("parity");
    ThInspectTeacher t = {0};
    assert_false(th_inspect_teach_model(&t, m, &usual, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_inspect_teacher_free(&t);
    assert_true(th_model_bind(m, &task->signature, 1, NULL));
    t = (ThInspectTeacher){0};
    ThInspectTeaching how = usual;
    how.empty = task->signature.label[1];
    assert_true(th_inspect_teach_model(&t, m, &how, NULL));
    int label = -1;
    assert_true(th_inspect_member(&t, NULL, 0, &label, NULL));
    assert_int_equal(label, 1);
    th_inspect_teacher_free(&t);
    t = (ThInspectTeacher){0};
    how.accept = task->signature.label[0]; /* which the empty word is not */
    assert_true(th_inspect_teach_model(&t, m, &how, NULL));
    assert_true(th_inspect_member(&t, NULL, 0, &label, NULL));
    assert_int_equal(label, 0);
    th_inspect_teacher_free(&t);
    th_options_free(&o);
    th_task_free(task);
    th_model_free(m);
}

static void stops(void **state)
{
    (void)state;
    volatile sig_atomic_t now = 1;
    ThAutomaton *a = evaluate("tomita(7)");
    ThInspectTeacher t = {0};
    ThInspectExtracted x;
    ThInspectExtraction how = asking;
    ThError err = {0};
    how.stop = &now;
    assert_true(th_inspect_teach_automaton(&t, a, &usual, NULL));
    assert_false(th_inspect_extract(&t, &how, &x, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_null(x.automaton);
    th_inspect_teacher_free(&t);
    th_automaton_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_of_automata),
                                       cmocka_unit_test(noise_is_tolerated),
                                       cmocka_unit_test(classes_are_named),
                                       cmocka_unit_test(models_answer), cmocka_unit_test(stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
