/* test_ways.c - automata of models, found by queries, by clusters and by a table of products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "given.h"
#include "inspect/verify.h"
#include "inspect/extraction_methods.h"
#include "proof/check/quantize.h"

static const ThInspectTeaching usual = {
    .length = {0, 30, 1}, .error = 0.01, .confidence = 0.95, .seed = 1};
static const ThInspectExtraction asking = {.states = 60, .samples = 1};

/* A model that is compiled from a task of an automaton, with all that the ways need. */
typedef struct {
    ThAutomaton *automaton;
    ThTask *task;
    ThMonoid *monoid;
    ThModel *model;
    ThInspectTruth truth;
    ThInspectTeacher teacher;
    ThInspectWaysPlan plan;
} Given;

static void give(Given *g, const char *kind, const char *expression)
{
    ThOptions o;
    const ThTaskKind *k = th_task_kind(kind);
    *g = (Given){.automaton = evaluate(expression)};
    assert_true(th_options_init(&o, k->options, NULL));
    g->task = th_task_new(k, &o, &(ThTaskSource){.automaton = g->automaton}, NULL);
    th_options_free(&o);
    assert_non_null(g->task);
    g->monoid = th_monoid_new(g->task->machine, 0, NULL, NULL);
    g->model = th_compile_regulargpt(g->task, g->monoid,
                                     &(ThCompileShape){.chunk = 2, .monoid = true}, NULL, NULL);
    assert_non_null(g->model);
    g->plan = (ThInspectWaysPlan){.model = g->model,
                                  .task = g->task,
                                  .length = {1, 20, 1},
                                  .samples = 200,
                                  .states = 60,
                                  .elements = 100,
                                  .seed = 1};
}

static void teach(Given *g)
{
    ThInspectTeaching how = usual;
    how.truth = &g->truth;
    assert_true(th_inspect_truth_of_task(&g->truth, &g->model->signature, g->task, NULL));
    assert_true(th_inspect_teach_model(&g->teacher, g->model, &how, NULL));
}

static void unteach(Given *g)
{
    th_inspect_teacher_free(&g->teacher);
    g->teacher = (ThInspectTeacher){0};
    th_inspect_truth_free(&g->truth);
}

static void drop(Given *g)
{
    th_model_free(g->model);
    th_monoid_free(g->monoid);
    th_task_free(g->task);
    th_automaton_free(g->automaton);
}

static bool same(const ThDfa *a, const ThDfa *b)
{
    int length;
    int *word = th_dfa_distinguish(a, b, &length, NULL, NULL);
    free(word);
    return length < 0;
}

static void compiled_models_are_found(void **state)
{
    (void)state;
    static const char *const kinds[] = {"recognize", "track", "next_symbols"},
                             *const languages[] = {"tomita(4)", "tomita(6)", "dyck(1, 3)"};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            Given g;
            ThInspectWays w;
            give(&g, kinds[i], languages[j]);
            teach(&g);
            bool wanted[] = {true, j < 2, false}; /* of many rare functions clusters tell less */
            assert_true(th_inspect_ways(&g.teacher, &asking, &g.plan, wanted, &w, NULL));
            ThDfa *due = th_inspect_due(&g.teacher, NULL);
            for (int k = 0; k < 1 + (j < 2); k++) {
                assert_string_equal(w.way[k].why, "");
                assert_true(w.way[k].machine && same(w.way[k].machine, due));
                assert_int_equal(w.way[k].machine->n_states, due->n_states);
                assert_int_equal(w.way[k].wrong, 0);
                assert_true(w.way[k].low <= 0 && w.way[k].high > 0.01 && w.way[k].high < 0.03);
            }
            assert_null(w.way[2].machine);
            assert_int_equal(w.samples, 200);
            th_dfa_free(due);
            th_inspect_ways_free(&w);
            unteach(&g);
            drop(&g);
        }
}

/* A weight is changed: what is extracted is what the model has become, not what it should be. */
static void broken_models_are_told(void **state)
{
    (void)state;
    Given g;
    give(&g, "recognize", "parity");
    int broken = 0;
    for (size_t i = 0; i < g.model->params.total; i += 3) {
        ThInspectVerification words = {.length = {1, 8, 1}, .words = 1000, .seed = 1};
        ThInspectVerified v;
        ThInspectWays w;
        float weight = g.model->params.value[i];
        g.model->params.value[i] = weight + 2;
        teach(&g);
        assert_true(th_inspect_verify(g.model, &g.truth, &words, &v, NULL));
        bool wanted[] = {true, i % 30 == 0, false};
        assert_true(th_inspect_ways(&g.teacher, &asking, &g.plan, wanted, &w, NULL));
        ThDfa *due = th_inspect_due(&g.teacher, NULL), *found = w.way[0].machine;
        assert_true(!found || same(found, due) == (v.word == NULL));
        for (int k = 0; k < 2; k++)
            assert_true(!w.way[k].machine || !v.word || !same(w.way[k].machine, due) ||
                        w.way[k].wrong > 0);
        if (found && v.word)
            assert_int_not_equal(th_dfa_class(found, v.word, (size_t)v.n_word),
                                 th_dfa_class(due, v.word, (size_t)v.n_word));
        broken += v.word != NULL;
        th_dfa_free(due);
        th_inspect_ways_free(&w);
        th_inspect_verified_free(&v);
        unteach(&g);
        g.model->params.value[i] = weight;
    }
    assert_true(broken > 3);
    drop(&g);
}

/* On how many of the strings that are drawn an automaton says otherwise than the teacher, one by
 * one. */
static long long disagreements(Given *g, const ThDfa *d)
{
    ThWordsSample s = {0};
    long long n = 0;
    assert_true(th_inspect_strings(&g->plan, g->plan.samples, &s, NULL));
    for (size_t i = 0; i < s.n; i++) {
        const int *word = s.symbol + s.start[i];
        int said, length = (int)(s.start[i + 1] - s.start[i]);
        assert_true(th_inspect_member(&g->teacher, word, length, &said, NULL));
        n += said != th_dfa_class(d, word, (size_t)length);
    }
    th_words_sample_free(&s);
    return n;
}

/* One answer in fifty is turned: clusters go by what most of their vectors do. */
static void clusters_go_by_most(void **state)
{
    (void)state;
    Given g;
    ThInspectTeaching how = usual;
    give(&g, "recognize", "tomita(6)");
    how.truth = &g.truth;
    how.flip = 0.02;
    g.plan.states = 4;
    assert_true(th_inspect_truth_of_task(&g.truth, &g.model->signature, g.task, NULL));
    assert_true(th_inspect_teach_model(&g.teacher, g.model, &how, NULL));
    ThDfa *d = th_inspect_by_clusters(&g.teacher, &g.plan, NULL);
    ThDfa *due = th_inspect_due(&g.teacher, NULL);
    assert_true(d && same(d, due));
    ThInspectWays w;
    const bool wanted[] = {false, true, false};
    g.plan.samples = 999;
    assert_true(th_inspect_ways(&g.teacher, &asking, &g.plan, wanted, &w, NULL));
    assert_true(w.way[1].wrong > 9 && w.way[1].wrong == disagreements(&g, w.way[1].machine));
    th_inspect_ways_free(&w);
    th_dfa_free(d);
    th_dfa_free(due);
    unteach(&g);
    drop(&g);
}

/* A table that is right is the automaton; and one entry is another, so is the machine. */
static void tables_are_machines(void **state)
{
    (void)state;
    static const char *const languages[] = {"tomita(4)", "tomita(5)", "parity", "dyck(1, 3)"};
    for (size_t i = 0; i < 4; i++) {
        Given g;
        give(&g, "recognize", languages[i]);
        ThProofLabels *l = th_proof_labels_new(g.task->machine, NULL, 2, 1000, NULL, NULL);
        assert_non_null(l);
        ThProofQuantized q = {.labels = l,
                              .product = l->product,
                              .alone = l->alone,
                              .pair = l->pair,
                              .single = l->single,
                              .said = l->answer};
        int empty = g.task->machine->label[g.task->machine->start];
        ThDfa *d = th_proof_quantized_machine(&q, 2, empty, NULL);
        assert_true(d && same(d, g.task->machine));
        th_dfa_free(d);
        d = th_proof_quantized_machine(&q, 2, !empty, NULL);
        int length;
        int *word = th_dfa_distinguish(d, g.task->machine, &length, NULL, NULL);
        assert_true(word && length == 0);
        free(word);
        th_dfa_free(d);
        if (i == 3) {
            for (int x = 0; x < l->n; x++)
                l->alone[x] = l->alone[0];
            d = th_proof_quantized_machine(&q, 2, empty, NULL);
            assert_true(d && !same(d, g.task->machine));
            th_dfa_free(d);
        }
        l->single[0] = l->single[1];
        d = th_proof_quantized_machine(&q, 2, empty, NULL);
        assert_true(d && th_dfa_class(d, (int[]){0}, 1) == th_dfa_class(d, (int[]){1}, 1));
        th_dfa_free(d);
        th_proof_labels_free(l);
        drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_models_are_found),
        cmocka_unit_test(broken_models_are_told),
        cmocka_unit_test(clusters_go_by_most),
        cmocka_unit_test(tables_are_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
