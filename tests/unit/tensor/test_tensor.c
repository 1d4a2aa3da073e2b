/* Every basic operation: the double gradient against central differences, the float value and
 * gradient against the double ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tensor/tape/tape.h"

enum { MOST = 4096 };

static void assert_near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart))
        fail_msg("%.9g instead of %.9g", got, wanted);
}

/* An operation on up to four parameters of given shapes. */
typedef struct {
    const char *name;
    int shape[4][2]; /* rows 0: absent */
    ThVar (*build)(ThTape *t, const ThVar *in);
} Case;

static const int rows_index[] = {2, 0, -1, 2, 4};
static const int classes[] = {1, -1, 0, 2, 2};
static const int bits[] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1};
static const int query[] = {0, 1, 1, 2};
static const int key[] = {0, 3, -1, 1, 0, 4, 1, -1, -1, 4, 2, 3};

static ThVar build_linear(ThTape *t, const ThVar *in)
{
    return th_op_linear(t, in[0], in[1], in[2]);
}

static ThVar build_linear_plain(ThTape *t, const ThVar *in)
{
    return th_op_linear(t, in[0], in[1], -1);
}

static ThVar build_linear_relu(ThTape *t, const ThVar *in)
{
    return th_op_linear_relu(t, in[0], in[1], in[2]);
}

static ThVar build_linear_relu_plain(ThTape *t, const ThVar *in)
{
    return th_op_linear_relu(t, in[0], in[1], -1);
}

static ThVar build_linear_gelu(ThTape *t, const ThVar *in)
{
    return th_op_linear_gelu(t, in[0], in[1], in[2]);
}

static ThVar build_transposed(ThTape *t, const ThVar *in)
{
    return th_op_linear_transposed(t, in[0], in[1]);
}

static ThVar build_rows(ThTape *t, const ThVar *in)
{
    return th_op_rows(t, in[0], rows_index, 5, 1.5);
}

static ThVar build_stack(ThTape *t, const ThVar *in)
{
    return th_op_stack(t, in[0], in[1]);
}

/* Both gradients arrive at one value. */
static ThVar build_twice(ThTape *t, const ThVar *in)
{
    return th_op_stack(t, in[0], in[0]);
}

static ThVar build_columns(ThTape *t, const ThVar *in)
{
    return th_op_columns(t, in[0], 1, 3);
}

static ThVar build_add(ThTape *t, const ThVar *in)
{
    return th_op_add(t, th_op_add(t, in[0], in[1]), in[0]);
}

static ThVar build_add_row(ThTape *t, const ThVar *in)
{
    return th_op_add_row(t, in[0], in[1]);
}

static ThVar build_scale(ThTape *t, const ThVar *in)
{
    return th_op_scale(t, in[0], -0.7);
}

static ThVar build_relu(ThTape *t, const ThVar *in)
{
    return th_op_relu(t, in[0]);
}

static ThVar build_gate(ThTape *t, const ThVar *in)
{
    return th_op_gate(t, in[0], in[1], in[2]);
}

/* Given away twice, then only paid; the account is looked at on the way, and in the end. */
static ThVar build_accounts(ThTape *t, const ThVar *in)
{
    static const int first[] = {2, 0, -1, 2, 1}, then[] = {-1, 1, -1, 0, 0};
    ThVar once = th_op_give(t, in[0], in[1], first, in[2]), so_far = th_op_settle(t, once, in[3]);
    ThVar twice = th_op_give(t, once, in[1], then, in[3]);
    ThVar last = th_op_give(t, twice, -1, first, -1);
    return th_op_beside(t, (ThVar[]){so_far, last, th_op_settle(t, last, in[2])}, 3);
}

static ThVar build_norm(ThTape *t, const ThVar *in)
{
    return th_op_layer_norm(t, in[0], in[1], in[2], in[3]);
}

static ThVar build_norm_plain(ThTape *t, const ThVar *in)
{
    return th_op_layer_norm(t, in[0], -1, in[1], in[2]);
}

static ThVar build_cross_entropy(ThTape *t, const ThVar *in)
{
    return th_op_cross_entropy(t, in[0], classes, 5, 0.25);
}

static ThVar build_bits(ThTape *t, const ThVar *in)
{
    return th_op_binary_cross_entropy(t, in[0], bits, th_tape_rows(t, in[0]), 0.1);
}

static ThVar build_window(ThTape *t, const ThVar *in)
{
    return th_op_window_attention(
        t, in[0], in[1], in[2],
        &(ThOpWindowShape){.query = query, .key = key, .n = 4, .C = 3, .heads = 2});
}

/* Values that are used twice, and an operation whose result no one uses. */
static ThVar build_shared(ThTape *t, const ThVar *in)
{
    ThVar h = th_op_linear_relu(t, in[0], in[1], in[2]);
    th_op_scale(t, h, 3);
    return th_op_layer_norm(t, th_op_add(t, h, in[0]), h, in[2], in[3]);
}

static const Case cases[] = {
    {"linear", {{5, 4}, {4, 3}, {1, 3}}, build_linear},
    {"linear, one row", {{1, 4}, {4, 3}, {1, 3}}, build_linear},
    {"linear without bias", {{5, 4}, {4, 3}}, build_linear_plain},
    {"linear relu", {{5, 4}, {4, 37}, {1, 37}}, build_linear_relu},
    {"linear relu without bias", {{5, 4}, {4, 3}}, build_linear_relu_plain},
    {"linear gelu", {{5, 4}, {4, 3}, {1, 3}}, build_linear_gelu},
    {"transposed", {{5, 4}, {3, 4}}, build_transposed},
    {"rows", {{5, 4}}, build_rows},
    {"gate", {{5, 4}, {5, 4}, {5, 4}}, build_gate},
    {"accounts", {{5, 6}, {3, 1}, {5, 4}, {5, 4}}, build_accounts},
    {"stack", {{5, 4}, {1, 4}}, build_stack},
    {"stack of one value", {{5, 4}}, build_twice},
    {"columns", {{5, 4}}, build_columns},
    {"add", {{5, 4}, {5, 4}}, build_add},
    {"add row", {{5, 4}, {1, 4}}, build_add_row},
    {"scale", {{5, 4}}, build_scale},
    {"relu", {{5, 40}}, build_relu},
    {"norm of a sum", {{5, 6}, {5, 6}, {1, 6}, {1, 6}}, build_norm},
    {"norm", {{5, 33}, {1, 33}, {1, 33}}, build_norm_plain},
    {"cross entropy", {{5, 3}}, build_cross_entropy},
    {"binary cross entropy", {{5, 3}}, build_bits},
    {"window attention, width 2", {{3, 4}, {5, 8}, {2, 3}}, build_window},
    {"window attention, width 16", {{3, 32}, {5, 64}, {2, 3}}, build_window},
    {"window attention, width 32", {{3, 64}, {5, 128}, {2, 3}}, build_window},
    {"shared values", {{5, 4}, {4, 4}, {1, 4}, {1, 4}}, build_shared},
};

static ThVar run(const Case *c, ThTape *t, ThTapeMode mode)
{
    ThVar in[4];
    th_tape_begin(t, mode);
    for (int i = 0; i < 4 && c->shape[i][0]; i++)
        in[i] = th_param(t, i);
    return c->build(t, in);
}

/* Σ seed·y in double precision. */
static double weigh(const Case *c, ThTape *t, const double *seed)
{
    static double y[MOST];
    ThVar v = run(c, t, TH_TAPE_NO_GRADIENT);
    double sum = 0;
    th_tape_read(t, v, y);
    for (int i = 0; i < th_tape_rows(t, v) * th_tape_cols(t, v); i++)
        sum += seed[i] * y[i];
    return sum;
}

static void make_params(const Case *c, ThParams *p)
{
    for (int i = 0; i < 4 && c->shape[i][0]; i++) {
        char name[] = "p0";
        name[1] = (char)('0' + i);
        th_params_add(p, name, c->shape[i][0], c->shape[i][1], TH_INIT_NORMAL, 1, NULL);
    }
    assert_true(th_params_allocate(p, 7, NULL, NULL));
}

static void check_differences(const Case *c, ThTape *t, const ThParams *p, const double *seed)
{
    static double gradient[MOST];
    memcpy(gradient, th_tape_gradient_double(t), p->total * sizeof *gradient);
    double *w = th_tape_params_double(t);
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < p->item[k].rows * p->item[k].cols; i++) {
            size_t at = p->item[k].offset + (size_t)i;
            double kept = w[at], h = 1e-6;
            w[at] = kept + h;
            double up = weigh(c, t, seed);
            w[at] = kept - h;
            double slope = (up - weigh(c, t, seed)) / (2 * h);
            w[at] = kept;
            if (fabs(slope - gradient[at]) > 1e-7 * (1 + fabs(slope)))
                fail_msg("%s: parameter %d, element %d: %g, by differences %g", c->name, k, i,
                         gradient[at], slope);
        }
    }
}

static void check_floats(const Case *c, const ThParams *p, const double *seed, const double *y)
{
    static double fast[MOST];
    ThTape *exact = th_tape_new(TH_TAPE_DOUBLE, p, NULL), *t = th_tape_new(TH_TAPE_FLOAT, p, NULL);
    ThVar v = run(c, exact, TH_TAPE_GRADIENT);
    assert_true(th_tape_backward(exact, v, seed, NULL));
    v = run(c, t, TH_TAPE_GRADIENT);
    assert_true(th_tape_backward(t, v, seed, NULL));
    th_tape_read(t, v, fast);
    for (int i = 0; i < th_tape_rows(t, v) * th_tape_cols(t, v); i++)
        if (fabs(fast[i] - y[i]) > 1e-5 * (1 + fabs(y[i])))
            fail_msg("%s: value %d is %g, should be %g", c->name, i, fast[i], y[i]);
    for (size_t i = 0; i < p->total; i++) {
        double g = th_tape_gradient_double(exact)[i], f = (double)th_tape_gradient(t)[i];
        if (fabs(g - f) > 2e-5 * (1 + fabs(g)))
            fail_msg("%s: gradient %zu is %g, should be %g", c->name, i, f, g);
    }
    th_tape_free(exact);
    th_tape_free(t);
}

static void test_operations(void **state)
{
    (void)state;
    static double seed[MOST], y[MOST];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case *c = &cases[k];
        ThParams p = {0};
        make_params(c, &p);
        ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, NULL);
        ThVar v = run(c, t, TH_TAPE_GRADIENT);
        assert_true(v >= 0);
        ThRng r = th_rng(1, "seed", k);
        for (int i = 0; i < th_tape_rows(t, v) * th_tape_cols(t, v); i++)
            seed[i] = th_rng_normal(&r);
        th_tape_read(t, v, y);
        assert_true(th_tape_backward(t, v, seed, NULL));
        check_differences(c, t, &p, seed);
        check_floats(c, &p, seed, y);
        th_tape_free(t);
        th_params_free(&p);
    }
}

/* Wider than what is added up in one piece; too wide for differences. */
static void test_wide_norm(void **state)
{
    (void)state;
    static double seed[MOST], y[MOST];
    Case c = {"wide norm", {{2, 600}, {1, 600}, {1, 600}}, build_norm_plain};
    ThParams p = {0};
    make_params(&c, &p);
    assert_true(p.total <= MOST);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, NULL);
    ThRng r = th_rng(1, "wide", 0);
    for (int i = 0; i < 2 * 600; i++)
        seed[i] = th_rng_normal(&r);
    th_tape_read(t, run(&c, t, TH_TAPE_NO_GRADIENT), y);
    check_floats(&c, &p, seed, y);
    th_tape_free(t);
    th_params_free(&p);
}

/* What gelu and layer norm are, from their definitions. */
static void test_values(void **state)
{
    (void)state;
    ThParams p = {0};
    th_params_add(&p, "x", 1, 3, TH_INIT_ZERO, 0, NULL);
    th_params_add(&p, "identity", 3, 3, TH_INIT_ZERO, 0, NULL);
    th_params_add(&p, "one", 1, 3, TH_INIT_ONE, 0, NULL);
    th_params_add(&p, "zero", 1, 3, TH_INIT_ZERO, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    const float x[] = {-1, 0, 2};
    memcpy(th_params_at(&p, 0), x, sizeof x);
    for (int i = 0; i < 3; i++)
        th_params_at(&p, 1)[4 * i] = 1;
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    double y[3];
    th_tape_read(t, th_op_linear_gelu(t, th_param(t, 0), th_param(t, 1), -1), y);
    assert_near(y[0], -0.158655, 1e-6);
    assert_near(y[2], 1.954500, 1e-6);
    th_tape_read(t, th_op_layer_norm(t, th_param(t, 0), -1, th_param(t, 2), th_param(t, 3)), y);
    double deviation = sqrt(14.0 / 9 + 1e-5);
    assert_near(y[0], (-1 - 1.0 / 3) / deviation, 1e-6);
    assert_near(y[2], (2 - 1.0 / 3) / deviation, 1e-6);
    th_tape_free(t);
    th_params_free(&p);
}

static void test_misfits_fail(void **state)
{
    (void)state;
    ThParams p = {0};
    ThError err = {0};
    th_params_add(&p, "a", 2, 3, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    ThVar a = th_param(t, 0), bad = th_op_linear(t, a, a, -1);
    assert_int_equal(bad, -1);
    assert_int_equal(th_op_add(t, bad, a), -1); /* sticky */
    assert_false(th_tape_ok(t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    a = th_param(t, 0);
    assert_false(th_tape_backward(t, a, NULL, NULL)); /* six numbers are no loss */
    const int too_far[] = {2};
    th_tape_begin(t, TH_TAPE_GRADIENT);
    assert_int_equal(th_op_rows(t, th_param(t, 0), too_far, 1, 1), -1);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    a = th_param(t, 0);
    assert_int_equal(th_op_settle(t, a, a), -1); /* accounts of one column, states of three */
    th_tape_free(t);
    th_params_free(&p);
}

/* A gradient is taken of a record only. */
static void test_no_record(void **state)
{
    (void)state;
    ThParams p = {0};
    ThError err = {0};
    th_params_add(&p, "a", 1, 1, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    assert_false(th_tape_backward(t, th_param(t, 0), NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    assert_false(th_tape_backward(t, -1, NULL, NULL));
    th_tape_free(t);
    th_params_free(&p);
}

/* What a model diverges to must reach the loss: a rectifier may not turn NaN into 0. */
static void test_nan_passes(void **state)
{
    (void)state;
    ThParams p = {0};
    th_params_add(&p, "x", 1, 40, TH_INIT_ONE, 0, NULL);
    th_params_add(&p, "w", 40, 40, TH_INIT_ONE, 0, NULL);
    th_params_add(&p, "b", 1, 40, TH_INIT_ZERO, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < 40; i++)
            p.value[i] = (float)sign * NAN;
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        ThVar x = th_param(t, 0), w = th_param(t, 1);
        int token = 0;
        ThVar all[] = {th_op_relu(t, x), th_op_linear_relu(t, x, w, th_param(t, 2)),
                       th_op_linear_relu(t, x, w, -1),
                       th_op_rnn(t, x, w, &(ThOpSequence){.B = 1, .T = 1, .index = &token})};
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 40; i++)
                assert_true(isnan(th_tape_floats(t, all[k])[i]));
    }
    th_tape_free(t);
    th_params_free(&p);
}

/* The gradient of a tagged value is of that value in both precisions, not of what backward makes
 * of it on the way. */
static void test_tagged_gradient(void **state)
{
    (void)state;
    ThParams p = {0};
    th_params_add(&p, "a", 3, 2, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        static const int index[] = {2, 0};
        const double seed[] = {1, 2, 3, 4};
        double gradient[4];
        ThTape *t = th_tape_new(precision, &p, NULL);
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar y = th_op_rows(t, th_param(t, 0), index, 2, 8);
        th_tape_tag(t, y, "rows", 0);
        assert_true(th_tape_backward(t, y, seed, NULL));
        th_tape_read_gradient(t, y, gradient);
        for (int i = 0; i < 4; i++)
            assert_near(gradient[i], seed[i], 0);
        th_tape_free(t);
    }
    th_params_free(&p);
}

/* The binary cross-entropy of an answer that is wrong beyond doubt is large, not infinite. */
static void test_certain_and_wrong(void **state)
{
    (void)state;
    ThParams p = {0};
    th_params_add(&p, "z", 1, 2, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    p.value[0] = -2000;
    p.value[1] = 2000;
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        double loss;
        ThTape *t = th_tape_new(precision, &p, NULL);
        th_tape_read(t, th_op_binary_cross_entropy(t, th_param(t, 0), (int[]){1, 0}, 1, 1), &loss);
        assert_near(loss, 4000, 1e-3);
        th_tape_read(t, th_op_cross_entropy(t, th_param(t, 0), (int[]){0}, 1, 1), &loss);
        assert_near(loss, 4000, 1e-3);
        th_tape_free(t);
    }
    th_params_free(&p);
}

/* The same with more rows than are worked on together, of few numbers and of many. */
static void test_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 100 };
    static const int wrong[ROWS] = {0};
    for (int cols = 2; cols <= 20; cols += 18) {
        ThParams p = {0};
        double loss;
        th_params_add(&p, "z", ROWS, cols, TH_INIT_ZERO, 0, NULL);
        assert_true(th_params_allocate(&p, 1, NULL, NULL));
        for (int i = 0; i < ROWS; i++) {
            p.value[i * cols] = (float)-i;
            p.value[i * cols + cols - 1] = 2000;
        }
        ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
        th_tape_read(t, th_op_cross_entropy(t, th_param(t, 0), wrong, ROWS, 0.01), &loss);
        assert_near(loss, 2049.5, 1e-3);
        th_tape_free(t);
        th_params_free(&p);
    }
}

/* What is not a number where nothing is asked stays out of the loss and of its gradient. */
static void test_unscored_nan(void **state)
{
    (void)state;
    for (int cols = 2; cols <= 20; cols += 18) {
        ThParams p = {0};
        double loss;
        th_params_add(&p, "z", 2, cols, TH_INIT_ZERO, 0, NULL);
        assert_true(th_params_allocate(&p, 1, NULL, NULL));
        for (int j = 0; j < cols; j++)
            p.value[j] = NAN;
        ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar v = th_op_cross_entropy(t, th_param(t, 0), (int[]){-1, 0}, 2, 1);
        th_tape_read(t, v, &loss);
        assert_near(loss, log(cols), 1e-6);
        assert_true(th_tape_backward(t, v, NULL, NULL));
        for (int j = 0; j < cols; j++)
            assert_true(th_tape_gradient(t)[j] == 0);
        assert_near((double)th_tape_gradient(t)[cols], 1.0 / cols - 1, 1e-6);
        th_tape_free(t);
        th_params_free(&p);
    }
}

/* A parameter that a step does not use has gradient zero, whatever the step before left there. */
static void test_unused_parameters(void **state)
{
    (void)state;
    ThParams p = {0};
    th_params_add(&p, "a", 1, 1, TH_INIT_ONE, 0, NULL);
    th_params_add(&p, "b", 1, 1, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    assert_true(th_tape_backward(t, th_op_add(t, th_param(t, 0), th_param(t, 1)), NULL, NULL));
    assert_near((double)th_tape_gradient(t)[p.item[1].offset], 1, 0);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    assert_true(th_tape_backward(t, th_op_scale(t, th_param(t, 0), 2), NULL, NULL));
    assert_near((double)th_tape_gradient(t)[p.item[0].offset], 2, 0);
    assert_near((double)th_tape_gradient(t)[p.item[1].offset], 0, 0);
    th_tape_free(t);
    th_params_free(&p);
}

static void test_arena_settles(void **state)
{
    (void)state;
    ThParams p = {0};
    make_params(&cases[0], &p);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    run(&cases[0], t, TH_TAPE_GRADIENT);
    size_t bytes = th_tape_bytes(t);
    for (int i = 0; i < 100; i++)
        run(&cases[0], t, TH_TAPE_GRADIENT);
    assert_int_equal(th_tape_bytes(t), bytes);
    th_tape_free(t);
    th_params_free(&p);
}

/* Noise is normal: mean, deviation and the share within one deviation; and it passes gradients. */
static void test_noise(void **state)
{
    (void)state;
    enum { ROWS = 101, COLS = 201, N = ROWS * COLS };
    ThParams p = {0};
    th_params_add(&p, "x", ROWS, COLS, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    static double y[N], ones[N];
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, NULL);
        ThRng r = th_rng(1, "noise", 0);
        double sum = 0, squares = 0, within = 0;
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar v = th_op_noise(t, th_param(t, 0), 0.5, &r);
        th_tape_read(t, v, y);
        for (int i = 0; i < N; i++) {
            double x = (y[i] - 1) / 0.5;
            sum += x / N;
            squares += x * x / N;
            within += (fabs(x) < 1) / (double)N;
            ones[i] = 1;
        }
        assert_near(sum, 0, 0.03);
        assert_near(squares, 1, 0.04);
        assert_near(within, 0.6827, 0.015);
        assert_true(th_tape_backward(t, v, ones, NULL));
        th_tape_read_gradient(t, th_param(t, 0), y);
        assert_near(y[17], 1, 0);
        th_tape_free(t);
    }
    th_params_free(&p);
}

static void test_initial_values(void **state)
{
    (void)state;
    ThParams p = {0};
    th_params_add(&p, "truncated", 100, 100, TH_INIT_TRUNCATED, 0.5, NULL);
    th_params_add(&p, "normal", 100, 100, TH_INIT_NORMAL, 0.5, NULL);
    assert_true(th_params_allocate(&p, 3, NULL, NULL));
    double squares[2] = {0, 0}, most = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 10000; i++) {
            double x = (double)th_params_at(&p, k)[i];
            squares[k] += x * x / 10000;
            most = k == 0 ? fmax(most, fabs(x)) : most;
        }
    assert_true(most <= 1);
    assert_near(sqrt(squares[0]), 0.5 * 0.8796, 0.01);
    assert_near(sqrt(squares[1]), 0.5, 0.015);
    th_params_free(&p);
}

/* Weights of scores whose exponentials no double holds: those of the scores less the greatest. */
static void test_large_scores(void **state)
{
    (void)state;
    static const float qs[] = {100, 2}, kv[] = {90, 1, 3, 5, 90, 1.5, 7, 11};
    static const int first[] = {0}, both[] = {0, 1};
    const double later = 1 / (1 + exp(-0.5 * 2 / sqrt(2)));
    ThParams p = {0};
    th_params_add(&p, "bias", 1, 2, TH_INIT_NORMAL, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, NULL);
        double y[2];
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        ThVar z = th_op_window_attention(
            t, th_tape_constant(t, 1, 2, qs), th_tape_constant(t, 2, 4, kv), th_param(t, 0),
            &(ThOpWindowShape){.query = first, .key = both, .n = 1, .C = 2, .heads = 1});
        th_tape_read(t, z, y);
        assert_near(y[0], 3 + later * 4, 2e-3);
        assert_near(y[1], 5 + later * 6, 2e-3);
        th_tape_free(t);
    }
    th_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_wide_norm),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_misfits_fail),
        cmocka_unit_test(test_unused_parameters),
        cmocka_unit_test(test_arena_settles),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_no_record),
        cmocka_unit_test(test_nan_passes),
        cmocka_unit_test(test_tagged_gradient),
        cmocka_unit_test(test_certain_and_wrong),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_unscored_nan),
        cmocka_unit_test(test_large_scores),
    };
    return cmocka_run_group_tests_name("tensor", tests, NULL, NULL);
}
