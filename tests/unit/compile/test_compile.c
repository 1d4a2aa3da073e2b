/* Compiled models: they answer as the machine does, in every layout, and the proof of it holds, but
 * not of a model of which one weight is another. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "compile/compile.h"
#include "compile/numeric.h"
#include "proof/check/algebra.h"
#include "proof/map_impl.h"
#include "compile/compare_words.h"
#include "given.h"
#include "lab/evaluate.h"

/* What a model is compiled from, and the model. */
typedef struct {
    ThTask *task;
    ThMonoid *monoid;
    ThModel *model;
} Compiled;

static Compiled compiled(ThTask *task, const ThCompileShape *shape)
{
    ThError err = {0};
    Compiled c = {.task = task};
    c.monoid = th_monoid_new(task->machine, 0, NULL, &err);
    assert_non_null(c.monoid);
    c.model = th_compile_regulargpt(task, c.monoid, shape, NULL, &err);
    assert_string_equal(err.msg, "");
    assert_non_null(c.model);
    return c;
}

static void drop(Compiled *c)
{
    th_model_free(c->model);
    th_monoid_free(c->monoid);
    th_task_free(c->task);
}

/* The greatest distance of a logit from what it should be, for one word. */
static double off(const Compiled *c, const int *word, int length)
{
    const ThSignature *g = &c->model->signature;
    const ThDfa *d = c->task->machine;
    ThError err = {0};
    int rows = g->target == TH_TARGET_FINAL ? 1 : length, q = d->start;
    double *z = malloc(sizeof *z * (size_t)(rows * g->n_classes)), worst = 0;
    assert_true(th_lab_logits(c->model, word, length, z, &err));
    for (int i = 0; i < length; i++) {
        q = d->next[q * d->n_symbols + word[i]];
        int row = rows == 1 ? 0 : i;
        if (rows == 1 && i < length - 1)
            continue;
        for (int k = 0; k < g->n_classes; k++) {
            double due = c->task->bits ? (c->task->bits[q * g->n_classes + k] ? 10 : -10)
                                       : (d->label[q] == k ? 10 : 0);
            worst = fmax(worst, fabs(z[row * g->n_classes + k] - due));
        }
    }
    free(z);
    return worst;
}

static double off_at(const Compiled *c, const int *lengths)
{
    ThRng r = th_rng(1, "words", 0);
    double worst = 0;
    for (; *lengths; lengths++) {
        int *word = malloc(sizeof *word * (size_t)*lengths);
        for (int i = 0; i < *lengths; i++)
            word[i] = below(&r, c->model->signature.n_symbols);
        worst = fmax(worst, off(c, word, *lengths));
        free(word);
    }
    return worst;
}

static bool prove(const Compiled *c, ThProofAlgebra *p)
{
    ThError err = {0};
    ThProofAlgebraHow claim = {.radius = 1e-3, .slack = 1e-5};
    ThProofTruth truth = {c->task->machine, c->task->bits, c->monoid};
    assert_true(th_proof_algebra(c->model, &truth, &claim, p, &err));
    return p->right && p->closed;
}

static const char s3[] = "start x ; accept x\n x a -> y ; y a -> z ; z a -> x\n"
                         "x b -> y ; y b -> x ; z b -> z";
static const int few[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 27, 33, 100, 0};

static ThTask *task_number(int i)
{
    switch (i) {
    case 0:
        return made_task("parity", "", NULL);
    case 1:
        return made_task("tomita", "number=7", NULL);
    case 2:
        return made_task("recognize", "", s3);
    case 3:
        return made_task("next_symbols", "", s3);
    case 4:
        return made_task("output", "", s3);
    case 5:
        return made_task("dyck", "depth=3", NULL);
    default:
        return NULL;
    }
}

/* Every layout, and the exact number of its parameters. */
static void test_every_layout_answers_as_the_machine(void **state)
{
    (void)state;
    for (int i = 0; i < 32; i++) {
        ThCompileShape shape = {.monoid = i & 1,
                                .split = i & 2,
                                .plain = i & 4,
                                .pre = i & 8,
                                .gelu = i & 16,
                                .chunk = 2 + i % 3 / 2};
        Compiled c = compiled(task_number(i % 3), &shape);
        double within = shape.plain || shape.pre ? 1e-3 : 2e-5;
        assert_true(off_at(&c, few) < within);
        ThCompileSize z = th_compile_size(c.task, c.monoid, &shape);
        assert_int_equal((long long)z.parameters, (long long)th_params_count(&c.model->params));
        drop(&c);
    }
}

static void test_every_answer(void **state)
{
    (void)state;
    ThTask *t;
    for (int i = 0; (t = task_number(i)); i++) {
        Compiled c = compiled(t, &(ThCompileShape){.chunk = 2});
        ThProofAlgebra p;
        assert_true(off_at(&c, few) < 2e-5);
        assert_true(prove(&c, &p));
        assert_int_equal(p.products, (long long)c.monoid->size * c.monoid->size);
        assert_true(p.stretch < 1e-3 && p.error < 1e-6);
        drop(&c);
    }
}

static void test_three_factors_and_monoids_are_proved(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        ThCompileShape shape = {.chunk = 3, .monoid = i & 1, .gelu = i & 2, .split = i & 2};
        Compiled c = compiled(task_number(2), &shape);
        ThProofAlgebra p;
        assert_true(prove(&c, &p));
        assert_int_equal(p.products, 216);
        drop(&c);
    }
}

/* Plain units hand errors on: right, and proved up to some length only. */
static void test_plain_units_are_not_closed(void **state)
{
    (void)state;
    Compiled c = compiled(task_number(2), &(ThCompileShape){.chunk = 2, .plain = true});
    ThProofAlgebra p;
    assert_false(prove(&c, &p));
    assert_true(p.right && !p.closed && p.levels >= 1 && p.levels < 20);
    drop(&c);
}

/* The proof follows the weights: it fails where any that matters is another. */
static void test_another_weight_is_not_proved(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int at;
        float add;
    } change[] = {{"embedding", 0, 0.5F},
                  {"pad", 1, 1},
                  {"layer0.attention.relative", 1, -199.5F},
                  {"layer0.attention.key_value", 20, 1},
                  {"layer0.attention.output", 5, -1},
                  {"layer0.norm1.gain", 0, -0.2F},
                  {"layer0.norm2.offset", 3, 0.1F},
                  {"layer0.feed_forward.up", 0, -2},
                  {"layer0.feed_forward.up_bias", 0, 1},
                  {"layer0.feed_forward.down_bias", 0, -0.2F},
                  {"layer0.feed_forward.down", 0, 0.1F},
                  {"head", 1, -20},
                  {"head_bias", 0, 11}};
    Compiled c = compiled(task_number(2), &(ThCompileShape){.chunk = 2});
    ThProofAlgebra p;
    assert_true(prove(&c, &p));
    uint64_t before = th_proof_digest(&c.model->params);
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        float *w = th_params_at(&c.model->params, th_params_find(&c.model->params, change[i].name));
        int at = change[i].at;
        float old = w[at];
        w[at] += change[i].add;
        if (prove(&c, &p))
            fail_msg("%s[%d] changed and proved", change[i].name, at);
        assert_true(th_proof_digest(&c.model->params) != before);
        w[at] = old;
    }
    assert_true(th_proof_digest(&c.model->params) == before);
    drop(&c);
}

/* Of two symbols with one function both have to be embedded where it is. */
static void test_every_symbol_is_looked_at(void **state)
{
    (void)state;
    ThTask *t = made_task("recognize", "", "start e ; accept e ; e a,b -> o ; o a,b -> e");
    Compiled c = compiled(t, &(ThCompileShape){.chunk = 2});
    ThProofAlgebra p;
    int d = (int)th_option_int(&c.model->options, "dim");
    assert_true(prove(&c, &p));
    float *b = th_params_at(&c.model->params, th_params_find(&c.model->params, "embedding")) + d;
    for (int i = 0; i < d; i++)
        b[i] = -b[i];
    assert_false(prove(&c, &p));
    drop(&c);
}

/* Where a unit has its bend close to an element's vector, what lies near that is spread. */
static void test_a_bend_nearby_counts(void **state)
{
    (void)state;
    Compiled c = compiled(task_number(2), &(ThCompileShape){.chunk = 2});
    ThProofAlgebra p;
    float *bias = th_params_at(&c.model->params,
                               th_params_find(&c.model->params, "layer0.feed_forward.up_bias"));
    bias[0] += 2.4999F; /* of the pair of units of one term: both are at rest where one factor is */
    bias[1] += 2.4999F;
    assert_false(prove(&c, &p));
    assert_true(p.right && p.error < 1e-6);
    drop(&c);
}

/* A ball is a claim about all that lies in it: vectors off by less than the radius are combined to
 * vectors off by no more than the stretch says, in the model itself. */
static void test_stretch_bounds_what_the_model_does(void **state)
{
    (void)state;
    Compiled c = compiled(task_number(2), &(ThCompileShape){.chunk = 2, .plain = true});
    ThProofAlgebra p;
    ThRng r = th_rng(3, "shifts", 0);
    prove(&c, &p);
    int d = (int)th_option_int(&c.model->options, "dim"), word[2] = {0, 1};
    float *e = th_params_at(&c.model->params, th_params_find(&c.model->params, "embedding"));
    ThError err = {0};
    ThModelTrace *t = th_model_trace(c.model, word, 2, &err);
    for (int round = 0; round < 50; round++) {
        float old[64];
        double moved = 0, far = 0;
        memcpy(old, e, 2 * (size_t)d * sizeof *old);
        for (int i = 0; i < 2 * d; i++) {
            double by = (th_rng_uniform(&r) - 0.5) * 1e-3;
            e[i] += (float)(by / sqrt(d));
            moved += by * by;
        }
        double scale = 1e-3 / sqrt(moved); /* each child within 1e-3 */
        for (int i = 0; i < 2 * d; i++)
            e[i] = old[i] + (e[i] - old[i]) * (float)scale;
        ThModelTrace *u = th_model_trace(c.model, word, 2, &err);
        for (int i = 0; i < d; i++)
            far += pow(u->layer[0].state[i] - t->layer[0].state[i], 2);
        assert_true(sqrt(far) <= p.stretch * 1e-3 + 1e-5);
        th_model_trace_free(u);
        memcpy(e, old, 2 * (size_t)d * sizeof *old);
    }
    th_model_trace_free(t);
    drop(&c);
}

static void test_other_models_are_refused(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *task = task_number(0);
    ThMonoid *monoid = th_monoid_new(task->machine, 0, NULL, &err);
    ThModel *m = made_model("regulargpt", "dim=8 heads=2");
    ThProofTruth truth = {task->machine, NULL, monoid};
    ThProofAlgebraHow claim = {.radius = 1e-3, .slack = 1e-5};
    ThProofAlgebra p;
    assert_true(th_model_bind(m, &task->signature, 1, &err));
    assert_false(th_proof_algebra(m, &truth, &claim, &p, &err));
    assert_non_null(strstr(err.msg, "queries are not zero"));
    th_model_free(m);
    th_monoid_free(monoid);
    th_task_free(task);
}

/* The distance of logits is that of a state whose length has been kept. */
static void test_recurrences_answer_as_the_machine(void **state)
{
    (void)state;
    static const int long_ones[] = {1, 2, 3, 64, 500, 0};
    ThTask *t;
    for (int i = 0; i < 12 && (t = task_number(i / 2)); i++) {
        ThError err = {0};
        ThHolonomy *h = i % 2 ? th_holonomy_new(t->machine, 0, NULL, &err) : NULL;
        ThCompileTrial trial = {.words = 100, .drawn = 2, .length = 100};
        Compiled c = {.task = t, .model = th_compile_lrnn(t, h, NULL, &err)};
        assert_non_null(c.model);
        assert_int_equal(th_option_int(&c.model->options, "layers"), h ? h->n_levels : 1);
        assert_true(off_at(&c, long_ones) < 0.1);
        assert_true(th_compile_try(c.model, t, &trial, &err));
        assert_true(trial.right && trial.tried > 2);
        th_holonomy_free(h);
        drop(&c);
    }
}

/* Phases do not drift, and their length is kept; what does not add is refused. */
static void test_sums_are_phases(void **state)
{
    (void)state;
    static const int long_ones[] = {1, 2, 3, 64, 500, 5000, 0};
    static const char *const sums[] = {"modulus=2", "modulus=3", "modulus=5", "modulus=7",
                                       "modulus=12"};
    ThError err = {0};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        ThTask *t = made_task("sum", sums[i], NULL);
        Compiled c = {.task = t, .monoid = th_monoid_new(t->machine, 0, NULL, &err)};
        c.model = th_compile_lrnn_sum(t, c.monoid, NULL, &err);
        if (!c.model)
            fail_msg("%s", err.msg);
        assert_string_equal(th_option_text(&c.model->options, "norm"), "code");
        assert_true(off_at(&c, long_ones) < 0.2);
        drop(&c);
    }
    ThTask *t = task_number(2);
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, &err);
    assert_null(th_compile_lrnn_sum(t, monoid, NULL, &err));
    assert_non_null(strstr(err.msg, "cyclic"));
    th_monoid_free(monoid);
    th_task_free(t);
}

/* The task that asks for the state of an automaton whose symbols a, b, … permute n points as the
 * words of digits say. */
static ThTask *permuting(int n, const char *const *map, int symbols)
{
    char text[1024] = "accept 0", *end = text + strlen(text);
    for (int a = 0; a < symbols; a++)
        for (int q = 0; q < n; q++)
            end += snprintf(end, 40, " ; %d %c -> %c", q, 'a' + a, map[a][q]);
    snprintf(end, 12, " ; start 1");
    return made_task("track", "", text);
}

/* Every machine by maps; groups by phases, with a layer a step of the derived series and one more,
 * in floats for thousands of symbols. */
static void test_state_spaces_answer_as_the_machine(void **state)
{
    (void)state;
    static const int long_ones[] = {1, 2, 3, 64, 500, 5000, 0};
    static const struct {
        int points, symbols, layers;
        const char *map[3];
    } group[] = {{2, 1, 2, {"10"}},
                 {5, 2, 2, {"12340", "34012"}},
                 {4, 3, 2, {"1032", "2301", "0123"}}, /* two factors at once */
                 {6, 2, 2, {"120345", "012453"}},     /* 3 x 3 */
                 {6, 2, 2, {"123054", "123045"}},     /* 4 x 2: squares of both symbols are alike */
                 {3, 2, 3, {"102", "120"}},
                 {4, 2, 3, {"0321", "1230"}},
                 {4, 2, 3, {"1032", "0231"}},         /* the factor below has two of 2 */
                 {8, 2, 3, {"12305674", "47650321"}}, /* quaternions, or what these make */
                 {4, 2, 4, {"1023", "1230"}}};
    ThError err = {0};
    ThTask *t;
    for (int i = 0; i < 7; i++) { /* the last begins in another state than 0 */
        t = i < 6 ? task_number(i) : made_task("modular_arithmetic", "modulus=3", NULL);
        Compiled c = {.task = t, .model = th_compile_pd_ssm(t, NULL, false, NULL, &err)};
        assert_non_null(c.model);
        assert_true(off_at(&c, long_ones) < 1e-3);
        drop(&c);
    }
    for (size_t i = 0; i < sizeof group / sizeof *group; i++) {
        t = permuting(group[i].points, group[i].map, group[i].symbols);
        Compiled c = {.task = t, .monoid = th_monoid_new(t->machine, 0, NULL, &err)};
        ThModel *m = c.model = th_compile_pd_ssm(t, NULL, false, NULL, &err);
        assert_true(m && off_at(&c, long_ones) < 1e-3);
        th_model_free(m);
        c.model = th_compile_pd_ssm(t, c.monoid, true, NULL, &err);
        if (!c.model)
            fail_msg("%s", err.msg);
        assert_int_equal(th_option_int(&c.model->options, "layers"), group[i].layers);
        assert_true(off_at(&c, long_ones) < 0.1);
        drop(&c);
    }
}

static void test_what_phases_cannot_be(void **state)
{
    (void)state;
    static const char *const five[] = {"10234", "12340"};
    ThError err = {0};
    ThTask *t = permuting(5, five, 2);
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, &err);
    assert_null(th_compile_pd_ssm(t, monoid, true, NULL, &err));
    assert_non_null(strstr(err.msg, "not solvable: 60"));
    err = (ThError){0};
    assert_null(th_compile_pd_ssm(t, NULL, true, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_monoid_free(monoid);
    th_task_free(t);
    t = task_number(1);
    err = (ThError){0};
    monoid = th_monoid_new(t->machine, 0, NULL, &err);
    assert_null(th_compile_pd_ssm(t, monoid, true, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_monoid_free(monoid);
    th_task_free(t);
}

/* A model that is wrong on one word is found out. */
static void test_a_wrong_answer_is_found(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = task_number(4);
    ThCompileTrial trial = {.words = 100, .drawn = 1, .length = 20};
    Compiled c = {.task = t, .model = th_compile_lrnn(t, NULL, NULL, &err)};
    int last = t->machine->next[t->machine->next[t->machine->start * 2] * 2];
    t->machine->label[last] ^= 1;
    assert_true(th_compile_try(c.model, t, &trial, &err));
    assert_false(trial.right);
    assert_true(trial.wrong <= 2);
    drop(&c);
}

/* A value of two numbers that only the first decides, by so much: told from it by one step instead
 * of a unit for each of six pairs, but where a float could not tell. */
static bool is_told(double by)
{
    double first[] = {1, 1, 1, 1 + by, 1 + by, 1 + by}, second[] = {0, 1, 2, 0, 1, 2}, weight[2];
    int halves[] = {0, 0, 0, 1, 1, 1}, thirds[] = {0, 1, 2, 0, 1, 2};
    int base[] = {TH_COMPILE_GATHERED, TH_COMPILE_GATHERED + 1};
    ThCompileColumn column[] = {{.id = halves}, {.id = thirds}};
    ThCompileGathered gathered[] = {{.how = TH_COMPILE_MEAN, .self = 0, .raw = first},
                                    {.how = TH_COMPILE_MEAN, .self = 1, .raw = second}};
    ThCompileObserved o = {.rows = 6, .column = column, .gathered = gathered};
    ThCompileColumn value = {.id = halves, .base = base, .n_bases = 2};
    assert_true(th_compile_numeric(&o, &value, weight, &(ThError){0}));
    assert_true(weight[1] == 0);
    return weight[0] != 0;
}

static void test_told_from_sums(void **state)
{
    (void)state;
    assert_true(is_told(1) && is_told(1.05e-4));
    assert_false(is_told(0.95e-4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_layout_answers_as_the_machine),
        cmocka_unit_test(test_every_answer),
        cmocka_unit_test(test_three_factors_and_monoids_are_proved),
        cmocka_unit_test(test_plain_units_are_not_closed),
        cmocka_unit_test(test_another_weight_is_not_proved),
        cmocka_unit_test(test_every_symbol_is_looked_at),
        cmocka_unit_test(test_a_bend_nearby_counts),
        cmocka_unit_test(test_stretch_bounds_what_the_model_does),
        cmocka_unit_test(test_other_models_are_refused),
        cmocka_unit_test(test_recurrences_answer_as_the_machine),
        cmocka_unit_test(test_sums_are_phases),
        cmocka_unit_test(test_state_spaces_answer_as_the_machine),
        cmocka_unit_test(test_what_phases_cannot_be),
        cmocka_unit_test(test_a_wrong_answer_is_found),
        cmocka_unit_test(test_told_from_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
