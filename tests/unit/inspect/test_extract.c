/* test_extract.c - automata learned from teachers made of automata, tasks and models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/operations/relate.h"
#include "compile/compile.h"
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

/* Of two automata that are both tolerated the smaller one is taken, else the one that is wrong
 * less: few questions leave a small guess where merging finds the language, and many find an
 * automaton where much is tolerated. */
static void the_better_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *language;
        double noise, flip;
        long long queries;
        int states;
        bool right;
    } rows[] = {{"tomita(4)", 0.001, 0, 8, 3, true},
                {"tomita(7)", 0.001, 0, 8, 4, true},
                {"tomita(7)", 0.3, 0.01, 0, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThAutomaton *a = evaluate(rows[i].language);
        ThInspectTeacher t = {0};
        ThInspectTeaching how = usual;
        ThInspectExtracted x;
        ThInspectExtraction noisy = asking;
        how.flip = rows[i].flip;
        how.noise = noisy.noise = rows[i].noise;
        noisy.queries = rows[i].queries;
        noisy.states = 20;
        assert_true(th_inspect_teach_automaton(&t, a, &how, NULL));
        assert_true(th_inspect_extract(&t, &noisy, &x, NULL));
        assert_true(x.merged && x.samples == 2000);
        assert_int_equal(x.automaton->n_states, rows[i].states);
        assert_int_equal(x.wrong == 0, rows[i].right);
        assert_true((double)x.wrong <= rows[i].noise * 2000);
        th_automaton_free(x.automaton);
        th_inspect_teacher_free(&t);
        th_automaton_free(a);
    }
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

/* Many words at once get the classes that each gets by itself, the empty one among them. */
static void words_together(void **state)
{
    (void)state;
    static const char *const kinds[] = {"gru", "regulargpt", "transformer"};
    enum { N = 600 };
    ThTask *task = task_of("cycle_navigation");
    for (size_t k = 0; k < 3; k++) {
        ThOptions o;
        const ThModelKind *kind = th_model_kind(kinds[k]);
        assert_true(th_options_init(&o, kind->options, NULL));
        ThModel *m = th_model_new(kind, &o, NULL);
        th_options_free(&o);
        assert_true(m && th_model_bind(m, &task->signature, 1, NULL));
        ThInspectTeacher t = {0};
        assert_true(th_inspect_teach_model(&t, m, &usual, NULL));
        int symbol[N * 20], label[N], one;
        size_t start[N + 1] = {0};
        ThRng r = th_rng(1, "words", 0);
        for (size_t i = 0; i < N; i++) {
            start[i + 1] = start[i] + (size_t)below(&r, 20);
            for (size_t j = start[i]; j < start[i + 1]; j++)
                symbol[j] = below(&r, t.n_symbols);
        }
        assert_true(th_inspect_members(&t, &(ThLstarWords){N, symbol, start}, label, NULL));
        for (size_t i = 0; i < N; i++) {
            int length = (int)(start[i + 1] - start[i]);
            assert_true(th_inspect_member(&t, symbol + start[i], length, &one, NULL));
            assert_int_equal(label[i], one);
        }
        assert_int_equal(t.asked, 2 * N);
        th_inspect_teacher_free(&t);
        th_model_free(m);
    }
    th_task_free(task);
}

/* Words drawn ahead of one that refutes a guess leave no trace. */
static void blocks_do_not_show(void **state)
{
    (void)state;
    ThAutomaton *a = evaluate("regex \"(a|b){12}(a|b)*\"");
    ThDfa *guess = th_dfa_new(1, 2, 2, NULL);
    ThInspectTeacher t[2] = {{0}, {0}};
    int *word[2] = {NULL}, length[2], next[2][31], n[2];
    for (int i = 0; i < 2; i++) {
        assert_true(th_inspect_teach_automaton(&t[i], a, &usual, NULL));
        t[i].sampling.members = i ? th_inspect_members : NULL;
        assert_true(th_inspect_sampled(&t[i], guess, &word[i], &length[i], NULL));
        n[i] = th_pac_draw(&t[i].sampling, next[i]);
    }
    assert_true(word[0] && length[0] >= 12);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(word[0], word[1], (size_t)length[0] * sizeof(int));
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(next[0], next[1], (size_t)n[0] * sizeof(int));
    assert_true(t[1].asked > t[0].asked);
    for (int i = 0; i < 2; i++) {
        free(word[i]);
        th_inspect_teacher_free(&t[i]);
    }
    th_dfa_free(guess);
    th_automaton_free(a);
}

/* What is learned from a model that is an automaton is that automaton. */
static void compiled_models_are_learned(void **state)
{
    (void)state;
    ThTask *task = made_task("recognize", "",
                             "alphabet a b\nstart p\naccept p q\np a -> q\n"
                             "p b -> p\nq b -> r\nr a -> p\nr b -> q");
    ThMonoid *monoid = th_monoid_new(task->machine, 0, NULL, NULL);
    ThModel *m = th_compile_regulargpt(task, monoid, &(ThCompileShape){.chunk = 2, .monoid = true},
                                       NULL, NULL);
    ThInspectTeacher t = {0};
    ThInspectExtracted x;
    ThInspectTeaching how = usual;
    how.empty = "accept";
    assert_true(m && th_inspect_teach_model(&t, m, &how, NULL));
    assert_true(th_inspect_extract(&t, &asking, &x, NULL));
    ThDfa *d = th_automaton_acceptor(x.automaton, 0, NULL, NULL);
    int length;
    assert_null(th_dfa_distinguish(d, task->machine, &length, NULL, NULL));
    assert_int_equal(length, -1);
    assert_int_equal(x.queries.states, task->machine->n_states);
    th_dfa_free(d);
    th_automaton_free(x.automaton);
    th_inspect_teacher_free(&t);
    th_model_free(m);
    th_monoid_free(monoid);
    th_task_free(task);
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
                                       cmocka_unit_test(the_better_is_kept),
                                       cmocka_unit_test(classes_are_named),
                                       cmocka_unit_test(models_answer),
                                       cmocka_unit_test(words_together),
                                       cmocka_unit_test(blocks_do_not_show),
                                       cmocka_unit_test(compiled_models_are_learned),
                                       cmocka_unit_test(stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
