/* The tables of elementwise functions, and the operations that reduce, join and drop: gradients
 * against differences, floats against doubles, values against formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operation.h"

static void assert_near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart))
        fail_msg("%.9g instead of %.9g", got, wanted);
}

/* ---- functions of one number ---- */

static ThVar build_map(ThTape *t, const ThVar *in, const void *how)
{
    return th_op_map(t, in[0], *(const ThOpMap *)how);
}

/* The second gradient to arrive is added to the first. */
static ThVar build_map_twice(ThTape *t, const ThVar *in, const void *how)
{
    ThVar y = th_op_map(t, in[0], *(const ThOpMap *)how);
    return th_op_beside(t, (ThVar[]){in[0], y, th_op_map(t, in[0], *(const ThOpMap *)how)}, 3);
}

static bool wants_positive(ThOpMap f)
{
    return f == TH_MAP_LOG || f == TH_MAP_SQRT || f == TH_MAP_RECIPROCAL;
}

static void test_maps(void **state)
{
    (void)state;
    for (ThOpMap f = 0; f < TH_TAPE_MAPS; f++) {
        assert_non_null(th_op_map_name(f));
        for (int k = 0; k < 2; k++)
            check_operation(&(Operation){.name = th_op_map_name(f),
                                         .shape = {{7, 83}},
                                         .build = k ? build_map_twice : build_map,
                                         .how = &f,
                                         .positive = wants_positive(f)});
    }
}

/* What each row of the table is, by its definition. */
static void test_map_values(void **state)
{
    (void)state;
    static const struct {
        ThOpMap f;
        double x, y;
    } known[] = {
        {TH_MAP_RELU, -2, 0},           {TH_MAP_RELU, 3, 3},
        {TH_MAP_GELU, 2, 1.954499736},  {TH_MAP_SIGMOID, 1, 0.731058579},
        {TH_MAP_TANH, 0.5, 0.46211716}, {TH_MAP_SILU, 1, 0.731058579},
        {TH_MAP_SILU, -2, -0.23840584}, {TH_MAP_SOFTPLUS, 0, 0.693147181},
        {TH_MAP_EXP, 1, 2.718281828},   {TH_MAP_LOG, 2, 0.693147181},
        {TH_MAP_SQRT, 2, 1.414213562},  {TH_MAP_SQUARE, -3, 9},
        {TH_MAP_RECIPROCAL, -4, -0.25}, {TH_MAP_ABS, -1.5, 1.5},
        {TH_MAP_SIN, 1, 0.841470985},   {TH_MAP_COS, 1, 0.540302306},
    };
    bool met[TH_TAPE_MAPS] = {false};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_near(th_op_map_value(known[i].f, known[i].x), known[i].y, 1e-8);
        met[known[i].f] = true;
    }
    for (ThOpMap f = 0; f < TH_TAPE_MAPS; f++)
        assert_true(met[f]);
}

/* Far from zero functions level off instead of overflowing, in both precisions. */
static void test_map_limits(void **state)
{
    (void)state;
    static const struct {
        ThOpMap f;
        float x;
        double y, slope;
    } far[] = {
        {TH_MAP_SIGMOID, -200, 0, 0},   {TH_MAP_SIGMOID, 200, 1, 0}, {TH_MAP_TANH, 200, 1, 0},
        {TH_MAP_SOFTPLUS, 200, 200, 1}, {TH_MAP_SILU, -200, 0, 0},   {TH_MAP_SILU, 200, 200, 1},
        {TH_MAP_SOFTPLUS, -200, 0, 0},  {TH_MAP_GELU, 200, 200, 1},  {TH_MAP_GELU, -200, 0, 0},
        {TH_MAP_SIGMOID, -2000, 0, 0},  {TH_MAP_ABS, 0, 0, 0},       {TH_MAP_RELU, 0, 0, 0},
    };
    ThParams p = {0};
    th_params_add(&p, "x", 1, 1, TH_INIT_ONE, 0, NULL);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    for (size_t i = 0; i < 2 * (sizeof far / sizeof *far); i++) {
        p.value[0] = far[i / 2].x;
        ThTape *t = th_tape_new(i % 2 ? TH_TAPE_FLOAT : TH_TAPE_DOUBLE, &p, NULL);
        double y, slope;
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar v = th_op_map(t, th_param(t, 0), far[i / 2].f);
        th_tape_read(t, v, &y);
        assert_near(y, far[i / 2].y, 1e-6);
        assert_true(th_tape_backward(t, v, NULL, NULL));
        th_tape_read_gradient(t, th_param(t, 0), &slope);
        assert_near(slope, far[i / 2].slope, 1e-6);
        th_tape_free(t);
    }
    th_params_free(&p);
}

/* ---- functions of two numbers ---- */

static ThVar build_zip(ThTape *t, const ThVar *in, const void *how)
{
    return th_op_zip(t, in[0], in[1], *(const ThOpZip *)how);
}

/* One operand for both, and more than once. */
static ThVar build_zip_same(ThTape *t, const ThVar *in, const void *how)
{
    ThVar y = th_op_zip(t, in[0], in[0], *(const ThOpZip *)how);
    return th_op_zip(t, y, th_op_zip(t, in[1], in[0], *(const ThOpZip *)how), TH_ZIP_ADD);
}

static void test_zips(void **state)
{
    (void)state;
    static const double at_6_4[TH_TAPE_ZIPS] = {
        [TH_ZIP_ADD] = 10, [TH_ZIP_SUBTRACT] = 2, [TH_ZIP_MULTIPLY] = 24, [TH_ZIP_DIVIDE] = 1.5};
    for (ThOpZip f = 0; f < TH_TAPE_ZIPS; f++) {
        assert_non_null(th_op_zip_name(f));
        Operation o = {th_op_zip_name(f), {{7, 83}, {7, 83}}, build_zip, &f, true};
        check_operation(&o);
        o.build = build_zip_same;
        check_operation(&o);
        o = (Operation){th_op_zip_name(f), {{7, 8}, {8, 7}}, build_zip, &f, true};
        assert_non_null(strstr(misfit_of(&o), "(7,8) does not fit (8,7)"));
        const float six = 6, four = 4;
        ThParams p = {0};
        ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, NULL);
        double y;
        th_tape_read(
            t, th_op_zip(t, th_tape_constant(t, 1, 1, &six), th_tape_constant(t, 1, 1, &four), f),
            &y);
        assert_near(y, at_6_4[f], 1e-12);
        th_tape_free(t);
    }
}

/* ---- the others ---- */

static const int to_row[] = {2, 0, -1, 2, 3, 2};

static ThVar build_affine(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_add(t, th_op_affine(t, in[0], -0.7, 0.3), th_op_scale(t, in[0], 3));
}

static ThVar build_times_row(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    ThVar y = th_op_times_row(t, in[0], in[1]);
    return th_op_add(t, y, th_op_times_row(t, in[0], in[1]));
}

static ThVar build_gated_half(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_add(t, th_op_gated_half(t, in[0]), th_op_gated_half(t, in[0]));
}

static ThVar build_times_column(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    ThVar y = th_op_times_column(t, in[0], in[1]);
    return th_op_add(t, y, th_op_times_column(t, in[0], in[1]));
}

static ThVar build_softmax(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_add(t, th_op_softmax(t, in[0]), th_op_softmax(t, in[0]));
}

static ThVar build_row_sums(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_add(t, th_op_row_sums(t, in[0]), th_op_row_sums(t, in[0]));
}

static ThVar build_column_sums(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_add(t, th_op_column_sums(t, in[0]), th_op_column_sums(t, in[0]));
}

static ThVar build_mean(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_mean(t, th_op_map(t, in[0], TH_MAP_SQUARE));
}

static ThVar build_scatter(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_add(t, th_op_scatter(t, in[0], to_row, 5), th_op_scatter(t, in[0], to_row, 5));
}

static ThVar build_beside(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_beside(t, (ThVar[]){in[1], in[0], in[1]}, 3);
}

static ThVar build_reshape(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    return th_op_reshape(t, in[0], 4, 3);
}

/* The block's width, and whether columns lose their mean. */
static ThVar build_bound_blocks(ThTape *t, const ThVar *in, const void *how)
{
    const int *k = how;
    ThVar y = th_op_bound_blocks(t, in[0], k[0], 1.2, k[1]);
    return th_op_add(t, y, th_op_bound_blocks(t, in[0], k[0], 2, k[1]));
}

/* Drawn afresh at every building, so that all precisions and differences see the same mask. */
static ThVar build_dropout(ThTape *t, const ThVar *in, const void *how)
{
    (void)how;
    ThRng r = th_rng(3, "dropout", 0);
    ThVar y = th_op_dropout(t, in[0], 0.4, &r);
    return th_op_add(t, y, th_op_dropout(t, in[0], 0.2, &r));
}

static void test_others(void **state)
{
    (void)state;
    static const int blocks[] = {8, 1, 8, 0, 3, 1, 3, 0};
    static const Operation all[] = {
        {"affine", {{7, 83}}, build_affine, NULL, false},
        {"times row", {{5, 33}, {1, 33}}, build_times_row, NULL, false},
        {"times column", {{5, 33}, {5, 1}}, build_times_column, NULL, false},
        {"gated half", {{5, 66}}, build_gated_half, NULL, false},
        {"softmax", {{5, 33}}, build_softmax, NULL, false},
        {"row sums", {{5, 33}}, build_row_sums, NULL, false},
        {"column sums", {{5, 33}}, build_column_sums, NULL, false},
        {"mean", {{5, 33}}, build_mean, NULL, false},
        {"scatter", {{6, 33}}, build_scatter, NULL, false},
        {"blocks of 8, centred", {{3, 128}}, build_bound_blocks, blocks, false},
        {"blocks of 8, by columns", {{3, 128}}, build_bound_blocks, blocks + 2, false},
        {"blocks of 3, centred", {{4, 27}}, build_bound_blocks, blocks + 4, false},
        {"blocks of 3, by columns", {{4, 27}}, build_bound_blocks, blocks + 6, false},
        {"beside", {{5, 3}, {5, 2}}, build_beside, NULL, false},
        {"reshape", {{2, 6}}, build_reshape, NULL, false},
        {"dropout", {{5, 33}}, build_dropout, NULL, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_operation(&all[i]);
}

/* A block whose columns are all ±u, and the vector of these signs: of columns of p-norm 1 the block
 * makes it as much longer as Fan et al. 2024's bound allows, and with p = 1 no longer. */
static void test_growth(void **state)
{
    (void)state;
    enum { K = 8 };
    float block[K * K], sign[K];
    for (int j = 0; j < K; j++)
        sign[j] = j % 2 ? -1 : 1;
    for (int i = 0; i < K * K; i++)
        block[i] = sign[i / K] * sign[i % K];
    for (int centred = 0; centred < 2; centred++) {
        for (int k = 0; k < 2; k++) {
            double p = k ? 1 : 1.2, y[K * K], x = 0;
            ThParams none = {0};
            ThTape *t = th_tape_new(TH_TAPE_FLOAT, &none, NULL);
            th_tape_begin(t, TH_TAPE_NO_GRADIENT);
            ThVar a = th_tape_constant(t, 1, K * K, block);
            th_tape_read(t, th_op_bound_blocks(t, a, K, p, centred), y);
            for (int j = 0; j < K; j++)
                x += y[j] * (double)sign[j];
            if (!(fabs(x - pow(K, 1 - 1 / p)) < 1e-5))
                fail_msg("p %g: grows by %g", p, x);
            th_tape_free(t);
        }
    }
}

static void test_misfits(void **state)
{
    (void)state;
    static const struct {
        Operation o;
        const char *message;
    } all[] = {
        {{"", {{5, 3}, {1, 4}}, build_times_row, NULL, false}, "(1,4) does not fit (5,3)"},
        {{"", {{5, 3}, {5, 3}}, build_times_row, NULL, false}, "times row"},
        {{"", {{5, 3}, {4, 1}}, build_times_column, NULL, false}, "(4,1) does not fit (5,3)"},
        {{"", {{5, 3}}, build_gated_half, NULL, false}, "3 columns have no half"},
        {{"", {{5, 3}, {4, 2}}, build_beside, NULL, false}, "5 rows beside 4"},
        {{"", {{5, 3}}, build_reshape, NULL, false}, "(4,3) holds not as much as (5,3)"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_non_null(strstr(misfit_of(&all[i].o), all[i].message));
    ThParams p = {0};
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    const float x[6] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(th_op_scatter(t, th_tape_constant(t, 6, 1, x), to_row, 3), -1);
    assert_int_equal(th_op_softmax(t, -1), -1); /* sticky */
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    assert_int_equal(th_op_beside(t, NULL, 0), -1);
    ThRng r = th_rng(1, "dropout", 0);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    assert_int_equal(th_op_dropout(t, th_tape_constant(t, 6, 1, x), 1, &r), -1);
    th_tape_free(t);
}

/* Values of what moves and sums, against those written down. */
static void test_values(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    double y[20];
    ThParams p = {0};
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, NULL);
        ThVar a = th_tape_constant(t, 6, 2, x);
        static const double scattered[] = {3, 4, 0, 0, 19, 22, 9, 10};
        th_tape_read(t, th_op_scatter(t, a, to_row, 4), y);
        for (int i = 0; i < 8; i++)
            assert_near(y[i], scattered[i], 0);
        th_tape_read(t, th_op_row_sums(t, a), y);
        assert_near(y[2], 11, 0);
        th_tape_read(t, th_op_column_sums(t, a), y);
        assert_near(y[1], 42, 0);
        th_tape_read(t, th_op_mean(t, a), y);
        assert_near(y[0], 6.5, 1e-6);
        th_tape_read(t, th_op_beside(t, (ThVar[]){th_op_columns(t, a, 1, 1), a}, 2), y);
        assert_near(y[3], 4, 0);
        assert_near(y[4], 3, 0);
        th_tape_read(t, th_op_softmax(t, th_op_scale(t, a, 100)), y);
        assert_near(y[1], 1, 1e-6);
        th_tape_read(t, th_op_affine(t, a, -1, 1), y);
        assert_near(y[2], -2, 0);
        th_tape_free(t);
    }
}

/* At a rate of 0.2 a fifth is zero, the others are scaled so that the mean stays; and both
 * precisions drop the same. */
static void test_dropout(void **state)
{
    (void)state;
    enum { N = 20000 };
    static double y[2][N];
    static float ones[N];
    ThParams p = {0};
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, NULL);
        ThRng r = th_rng(1, "dropout", 0);
        ThVar a = th_tape_constant(t, 100, N / 100, ones);
        th_tape_read(t, th_op_dropout(t, a, 0.2, &r), y[precision]);
        assert_int_equal(th_op_dropout(t, a, 0, &r), a);
        assert_int_equal(th_op_dropout(t, a, 0.2, NULL), a);
        th_tape_free(t);
    }
    int zeros = 0, pairs = 0;
    for (int i = 0; i < N; i++) {
        zeros += y[0][i] == 0;
        pairs += i % 2 && y[0][i] == 0 && y[0][i - 1] == 0;
        assert_near(y[0][i], y[1][i], 1e-6);
        assert_near(y[1][i], y[1][i] == 0 ? 0 : 1.25, 1e-12);
    }
    assert_near(zeros / (double)N, 0.2, 0.01);
    assert_near(pairs / (double)(N / 2), 0.04, 0.008); /* each by itself */
}

/* The operations with names of their own are rows of the tables. */
/* What hands its gradient on, or works on it where it lies, leaves that of a tagged value as it is;
 * an input whose gradient was handed on gets further ones added. */
static void test_tagged_gradients(void **state)
{
    (void)state;
    enum { N = 4 };
    static const ThOpRotation turn = {
        .columns = 2, .heads = 1, .turned = 2, .base = 1, .T = 2, .first = 1};
    static const double seed[N] = {1, -2, 3, 0.5};
    ThError err = {0};
    ThParams p = {0};
    th_params_add(&p, "x", 2, 2, TH_INIT_NORMAL, 1, &err);
    assert_true(th_params_allocate(&p, 1, NULL, &err));
    for (int precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new((ThTapePrecision)precision, &p, &err);
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar x = th_param(t, 0), square = th_op_map(t, x, TH_MAP_SQUARE);
        ThVar sum = th_tape_tag(t, th_op_add(t, square, th_op_map(t, x, TH_MAP_SQUARE)), "sum", 0);
        ThVar more = th_op_add(t, th_op_add(t, square, sum), x);
        ThVar turned = th_tape_tag(t, th_op_rotate(t, more, &turn), "turned", 0);
        assert_true(th_tape_backward(t, turned, seed, &err));
        double back[N], of_sum[N], of_turned[N];
        th_tape_read_gradient(t, turned, of_turned);
        th_tape_read_gradient(t, sum, of_sum);
        th_tape_read_gradient(t, x, back);
        for (int i = 0; i < N; i++) {
            double at = 1 + i / 2, cosine = cos(at), sine = i % 2 ? -sin(at) : sin(at);
            double slope = cosine * seed[i] + sine * seed[i ^ 1];
            assert_near(of_turned[i], seed[i], 0);
            assert_near(of_sum[i], slope, 1e-6);
            assert_near(back[i], slope * (6 * (double)p.value[i] + 1), 1e-5);
        }
        th_tape_free(t);
    }
    th_params_free(&p);
}

static void test_names(void **state)
{
    (void)state;
    static ThVar (*const named[])(ThTape *, ThVar, ThVar) = {th_op_add, th_op_subtract,
                                                             th_op_multiply, th_op_divide};
    static const ThOpZip zips[] = {TH_ZIP_ADD, TH_ZIP_SUBTRACT, TH_ZIP_MULTIPLY, TH_ZIP_DIVIDE};
    static const double expected[] = {5, -1, 6, 2.0 / 3};
    ThParams p = {0};
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, NULL);
    ThVar a = th_tape_constant(t, 1, 1, (const float[]){2}),
          b = th_tape_constant(t, 1, 1, (const float[]){3});
    for (size_t i = 0; i < 4; i++) {
        double y[2];
        th_tape_read(t, named[i](t, a, b), &y[0]);
        th_tape_read(t, th_op_zip(t, a, b, zips[i]), &y[1]);
        assert_near(y[0], expected[i], 1e-12);
        assert_near(y[1], y[0], 0);
    }
    double sum;
    th_tape_read(t, th_op_sum(t, th_tape_constant(t, 2, 2, (const float[]){1, 2, 3, 4})), &sum);
    assert_near(sum, 10, 1e-12);
    th_tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_map_values),
        cmocka_unit_test(test_zips),
        cmocka_unit_test(test_map_limits),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_tagged_gradients),
    };
    return cmocka_run_group_tests_name("elementwise", tests, NULL, NULL);
}
