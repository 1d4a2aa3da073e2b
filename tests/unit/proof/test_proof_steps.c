/* Certificates of recurrences by their steps: what compile makes holds, what is changed does not.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/compare_words.h"
#include "compile/compile.h"
#include "given.h"
#include "proof/check/check.h"
#include "proof/check/linear_impl.h"

/* Three symbols that do not commute, three classes, and a start that is not the first state. */
static const char S3[] = "x a -> y ; y a -> z ; z a -> x\n"
                         "x b -> y ; y b -> x ; z b -> z\n"
                         "x c -> x ; y c -> z ; z c -> y\n"
                         "start y\noutput x X\noutput y Y\noutput z Z";
/* The first symbol decides, but for one that leads back to the start from there. */
static const char RESET[] = "x a -> y ; y a -> y ; z a -> y\n"
                            "x b -> z ; y b -> x ; z b -> y\n"
                            "start z\noutput x X\noutput y Y\noutput z Z";

typedef enum { LRNN, MAPS, REFLECTIONS, KINDS } Kind;

typedef struct {
    ThTask *task;
    ThModel *model;
    ThProofClaim *claim;
} Made;

static ThModel *compiled(const ThTask *t, Kind kind)
{
    ThError err = {0};
    ThModel *m = kind == LRNN   ? th_compile_lrnn(t, NULL, NULL, &err)
                 : kind == MAPS ? th_compile_pd_ssm(t, NULL, false, NULL, &err)
                                : th_compile_deltaproduct(t, NULL, &err);
    if (!m)
        fail_msg("%s", err.msg);
    return m;
}

static Made make(const char *automaton, Kind kind)
{
    ThError err = {0};
    Made m = {.task = made_task("output", "labels=final", automaton)};
    m.model = compiled(m.task, kind);
    const ThProofAsked asked = {&m.task->signature, m.task->machine, NULL, 0, NULL};
    m.claim = th_proof_claim_new(m.model, &asked, NULL, &err);
    assert_non_null(m.claim);
    return m;
}

static void drop(Made *m)
{
    th_proof_claim_free(m->claim);
    th_model_free(m->model);
    th_task_free(m->task);
}

static ThProofSteps steps_of(const Made *m)
{
    ThError err = {0};
    ThProofSteps p;
    assert_true(th_proof_steps(m->model, m->claim, 500, NULL, &p, &err));
    return p;
}

/* Of every length in both runs where matrices only move ones; reflections round. */
static void test_what_is_compiled_is_proved(void **state)
{
    (void)state;
    static const char *const automata[] = {S3, RESET};
    for (int i = 0; i < 2 * KINDS; i++) {
        Made m = make(automata[i % 2], (Kind)(i / 2));
        ThProofSteps p = steps_of(&m);
        assert_true(th_proof_has_steps(m.model));
        assert_false(p.wrong);
        bool exact = i / 2 != REFLECTIONS;
        assert_true(exact ? isinf(p.length[2]) && isinf(p.length[1])
                          : p.length[1] >= 1000 && !isinf(p.length[1]) && !isinf(p.length[2]));
        assert_true(i / 2 == LRNN ? isinf(p.length[0])
                                  : p.length[0] >= 1000 && !isinf(p.length[0]));
        ThCompileTrial trial = {.words = 1000, .drawn = 4, .length = 900};
        assert_true(th_compile_try(m.model, m.task, &trial, &(ThError){0}) && trial.right);
        drop(&m);
    }
}

/* Phases drift, and marks of the first position fade: states that are told apart more finely reach
 * farther, and all that is shown is so. */
static void test_phases(void **state)
{
    (void)state;
    ThError err = {0};
    Made m = {.task = made_task("output", "labels=final", S3)};
    ThMonoid *monoid = th_monoid_new(m.task->machine, 100, NULL, &err);
    m.model = th_compile_pd_ssm(m.task, monoid, true, NULL, &err);
    assert_non_null(m.model);
    th_monoid_free(monoid);
    const ThProofAsked asked = {&m.task->signature, m.task->machine, NULL, 0, NULL};
    m.claim = th_proof_claim_new(m.model, &asked, NULL, &err);
    ThProofSteps p;
    assert_true(th_proof_steps(m.model, m.claim, 4096, NULL, &p, &err));
    assert_true(p.states > 100 && p.length[0] >= 100 && p.length[1] >= 100 && p.length[2] < 200);
    ThCompileTrial trial = {.words = 1000, .drawn = 4, .length = (int)p.length[0]};
    assert_true(th_compile_try(m.model, m.task, &trial, &err) && trial.right);
    drop(&m);
}

/* Whatever is said of a model with a weight that is off is so of all its short words, and of long
 * ones. */
static void test_changed_weights(void **state)
{
    (void)state;
    static const double by[] = {1e-3, -1e-3, 0.4, -1};
    int refused = 0, said = 0;
    for (int i = 0; i < 240; i++) {
        Made m = make(S3, (Kind)(i % KINDS));
        ThRng r = th_rng((uint64_t)i, "change", 0);
        size_t at = (size_t)th_rng_below(&r, m.model->params.total);
        float *value = &m.model->params.value[at];
        for (int k = 0; i % 2 && *value == 0 && k < 4000; k++)
            value = &m.model->params.value[th_rng_below(&r, m.model->params.total)];
        *value += (float)by[i % 4];
        ThProofSteps p = {.wrong = true};
        if (th_proof_has_steps(m.model))
            p = steps_of(&m);
        int longest = p.length[2] < 200 ? (int)p.length[2] : 200;
        refused += longest < 200;
        said += longest == 200;
        ThCompileTrial trial = {.words = longest < 6 ? 0 : 1000, .drawn = longest > 0 ? 20 : 0};
        trial.length = longest > 0 ? longest : 1;
        assert_true(th_compile_try(m.model, m.task, &trial, &(ThError){0}));
        assert_true(trial.right || longest == 0);
        drop(&m);
    }
    assert_true(refused > 20 && said > 20);
}

static void scale(ThParams *p, const char *name, float by)
{
    int i = th_params_find(p, name);
    assert_true(i >= 0);
    float *x = th_params_at(p, i);
    for (int k = 0; k < p->item[i].rows * p->item[i].cols; k++)
        x[k] *= by;
}

/* A unit of the read-out of reflections bends elsewhere: as far as is proved it is right, and a few
 * times as far it is wrong. */
static void test_bends(void **state)
{
    (void)state;
    int units = 0, tight = 0;
    for (int u = 0; u < 24; u++) {
        double proved = 0, wrong = 0;
        for (double by = 0.0078125; by < 8 && wrong == 0; by *= 1.25) {
            Made m = make(S3, REFLECTIONS);
            int i = th_params_find(&m.model->params, "head_bias");
            int cols = m.model->params.item[i].rows * m.model->params.item[i].cols;
            float *bias = th_params_at(&m.model->params, i) + u / 2 % cols;
            bool used = *bias != 0;
            *bias += (float)(u % 2 ? by : -by);
            ThCompileTrial trial = {.words = used ? 300 : 0, .drawn = used ? 4 : 0, .length = 60};
            assert_true(th_compile_try(m.model, m.task, &trial, &(ThError){0}));
            double length = used ? steps_of(&m).length[2] : 0;
            assert_true(trial.right || length < 60);
            proved = length >= 4 ? by : proved;
            wrong = trial.right ? 0 : by;
            drop(&m);
            if (!used)
                break;
        }
        units += wrong > 0;
        tight += wrong > 0 && proved > wrong / 4;
    }
    print_message("# %d units, %d tight\n", units, tight);
    assert_true(units >= 4 && tight >= units - 1);
}

/* What is right in real numbers, and in double, need not be in single precision, where squares of
 * what is large are more than a float can be; below that the proof holds. */
static void test_large_weights(void **state)
{
    (void)state;
    static const char *const names[][3] = {
        {"layer0.start", "layer0.value.down", "layer0.value.down_bias"},
        {"layer0.output", "layer0.output_bias", "layer0.skip"}};
    for (int i = 0; i < 4; i++) {
        Made m = make(S3, i % 2 ? MAPS : LRNN);
        for (int k = 0; k < 3; k++)
            scale(&m.model->params, names[i % 2][k], i < 2 ? 0x1p20f : 0x1p70f);
        ThProofSteps p = steps_of(&m);
        ThCompileTrial trial = {.words = 1000, .drawn = 4, .length = 100};
        bool runs = th_compile_try(m.model, m.task, &trial, &(ThError){0}) && trial.right;
        assert_int_equal(runs, i < 2);
        assert_int_equal(p.length[2] >= 100, runs);
        assert_true(p.length[1] >= 100);
        drop(&m);
    }
}

/* A weight of a number that always is 0: in a run that times infinity is none. */
static void test_infinite(void **state)
{
    (void)state;
    Made m = make(S3, MAPS);
    ThProofSteps p;
    ThError err = {0};
    float *up = th_params_at(&m.model->params, th_params_find(&m.model->params, "layer0.phase.up"));
    up[0] = -INFINITY;
    assert_false(th_proof_steps(m.model, m.claim, 100, NULL, &p, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    drop(&m);
}

static float *weights(Made *m, const char *name)
{
    scale(&m->model->params, name, 0);
    return th_params_at(&m->model->params, th_params_find(&m->model->params, name));
}

/* What the first layer makes of a state whose first number is x, behind symbol 0, without radii. */
static ThProofLinear *one_layer(const Made *m, int arithmetic, double x)
{
    static const double radius[64];
    double before[64] = {x};
    ThProofLinear *f = th_proof_linear_new(m->model, 0, &(ThError){0});
    assert_true(f && f->parts <= 64 && f->parts * f->part <= 64);
    f->arithmetic = arithmetic;
    f->unit = TH_PROOF_POINT_UNITS[arithmetic == TH_PROOF_IN_FLOAT];
    f->radius = radius;
    th_proof_linear_embed(f, 0);
    th_proof_linear_layer(f, 0, before);
    return f;
}

static bool is_held(const Made *m, int arithmetic, double x)
{
    ThProofLinear *f = one_layer(m, arithmetic, x);
    bool sure = f->sure;
    free(f);
    return sure;
}

/* A state, what is read of it, and what is normed: each up to where its square fits into a run. */
static void test_what_runs_hold(void **state)
{
    (void)state;
    Made m = make(S3, MAPS);
    weights(&m, "layer0.output");
    float *read = weights(&m, "layer0.output_bias");
    assert_true(is_held(&m, TH_PROOF_IN_FLOAT, 0.95e15) &&
                !is_held(&m, TH_PROOF_IN_FLOAT, 1.05e15));
    assert_true(is_held(&m, TH_PROOF_IN_DOUBLE, 1.05e15));
    for (int i = 0; i < 2; i++) {
        *read = i ? 0.525e15f : 0.475e15f;
        assert_int_equal(is_held(&m, TH_PROOF_IN_FLOAT, 1), !i);
    }
    drop(&m);
    m = make(S3, LRNN);
    ThProofLinear *f = one_layer(&m, TH_PROOF_IN_FLOAT, 0);
    th_proof_linear_rounding(f, 2, true, 0.95e15);
    assert_true(f->sure);
    th_proof_linear_rounding(f, 2, true, 1.05e15);
    assert_false(f->sure);
    free(f);
    drop(&m);
}

/* What a state is off by where the matrix has these numbers in its first column. */
static double off_of(Made *m, int arithmetic, float first, float second, double *at)
{
    weights(m, "layer0.transition.blocks");
    float *a = weights(m, "layer0.transition.blocks_bias");
    int n = (int)th_option_int(&m->model->options, "block");
    a[0] = first;
    a[n] = second;
    ThProofLinear *f = one_layer(m, arithmetic, 1);
    double off = f->after[0].off;
    *at = f->after[0].at;
    free(f);
    return off;
}

/* A number that is alone in its column becomes 1, but not surely in a run that may take it for 1;
 * and powers of what is large are rounded by more. */
static void test_columns(void **state)
{
    (void)state;
    const float next = 1 + 0x1p-21f;
    double at;
    Made m = make(S3, LRNN);
    assert_true(off_of(&m, TH_PROOF_IN_FLOAT, 1.5f, 0, &at) == 0 && at == 1);
    assert_true(off_of(&m, TH_PROOF_IN_REALS, next, 0, &at) == 0 && at == 1);
    assert_true(off_of(&m, TH_PROOF_IN_FLOAT, next, 0, &at) > (double)next - 1);
    double small = off_of(&m, TH_PROOF_IN_FLOAT, 2, 2, &at);
    assert_true(off_of(&m, TH_PROOF_IN_FLOAT, 1e6f, 1e6f, &at) > 2 * small);
    drop(&m);
}

/* The certificate is about these weights, this automaton and these lengths. */
static void test_papers(void **state)
{
    (void)state;
    ThError err = {0};
    ThProofChecked k;
    for (int i = 0; i < KINDS; i++) {
        Made m = make(S3, (Kind)i), other = make(RESET, i == MAPS ? LRNN : MAPS);
        double most = i == REFLECTIONS ? 1000 : 0;
        ThProofCertificate *c =
            th_proof_certificate_by(TH_PROOF_BY_STEPS, m.model, m.claim, most, &err);
        assert_true(th_proof_check(c, m.model, m.claim, NULL, &k, &err));
        assert_true(k.holds && k.in_double && k.most == most);
        assert_true(k.in_float || i == REFLECTIONS);
        if (i == REFLECTIONS) { /* every length is claimed, and signed */
            c->ball = 0;
            c->digest = th_proof_certificate_digest(c);
            assert_true(th_proof_check(c, m.model, m.claim, NULL, &k, &err) && !k.holds);
            assert_non_null(strstr(k.why, "errors add up"));
            c->ball = most;
        }
        c->digest ^= 1;
        assert_true(th_proof_check(c, m.model, m.claim, NULL, &k, &err) && !k.holds);
        c->next[1] = (c->next[1] + 1) % 3;
        c->digest = th_proof_certificate_digest(c);
        assert_true(th_proof_check(c, m.model, m.claim, NULL, &k, &err) && !k.holds);
        assert_non_null(strstr(k.why, "its automaton is not that of the task"));
        th_proof_certificate_free(c);
        c = th_proof_certificate_by(TH_PROOF_BY_STEPS, m.model, m.claim, most, &err);
        m.model->params.value[0] += 1e-3F;
        assert_true(!th_proof_check(c, m.model, m.claim, NULL, &k, &err) || !k.holds);
        th_proof_certificate_free(c);
        drop(&m);
        drop(&other);
    }
}

/* A model of one automaton is not one of another, and what it says wrongly is said. */
static void test_other_automata(void **state)
{
    (void)state;
    ThError err = {0};
    for (int i = 0; i < KINDS; i++) {
        Made m = make(S3, (Kind)i);
        int *label = m.claim->machine->label, was = label[0];
        label[0] = label[1];
        label[1] = was;
        ThProofSteps p = steps_of(&m);
        assert_true(p.wrong && p.length[0] == 0 && p.length[2] == 0);
        assert_non_null(strstr(p.why, "the model is wrong on"));
        drop(&m);
    }
    ThTask *t = made_task("recognize", "",
                          "x a -> y ; y a -> y ; z a -> z\nx b -> z ; y b -> x ; "
                          "z b -> y\nstart x\naccept z");
    assert_null(th_compile_deltaproduct(t, NULL, &err));
    assert_non_null(strstr(err.msg, "symbol a joins some states and keeps others apart"));
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_compiled_is_proved),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_changed_weights),
        cmocka_unit_test(test_bends),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_large_weights),
        cmocka_unit_test(test_what_runs_hold),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_papers),
        cmocka_unit_test(test_other_automata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
