/* State space models and convolutions as operations: gradients against differences, floats against
 * doubles, and values against matrices written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operation.h"

enum { B = 3, T = 5, N = B * T };
static const int ragged[B] = {5, 0, 2};

typedef struct {
    bool start;
    ThOpStateSpace s;
} How;

/* The outputs alone: states have no gradient. */
static ThVar build(ThTape *t, const ThVar *in, const void *how)
{
    const How *h = how;
    int d = th_tape_cols(t, in[0]);
    ThVar small = th_op_scale(t, in[1], 0.5); /* states stay bounded */
    ThVar y = th_op_state_space(t, in[0], small, h->start ? in[2] : -1, &h->s);
    return h->s.states ? th_op_columns(t, y, 0, d) : y;
}

static void test_gradients(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int shape[MOST_OPERANDS][2];
        How how;
    } all[] = {
        {"diagonal", {{N, 3}, {1, 36}}, {false, {B, T, 2, NULL, false, false}}},
        {"rank one", {{N, 2}, {1, 60}, {1, 12}}, {true, {B, T, 3, NULL, false, true}}},
        {"products", {{N, 2}, {1, 24}, {B, 8}}, {true, {B, T, 2, ragged, true, false}}},
        {"both", {{N, 1}, {1, 50}, {B, 10}}, {true, {B, T, 5, ragged, true, true}}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Operation o = {.name = all[i].name, .build = build, .how = &all[i].how};
        memcpy(o.shape, all[i].shape, sizeof o.shape);
        check_operation(&o);
    }
}

/* One complex number by hand: x' = a x - w 2 Re(v x) + b u (1 + x). */
static void test_values(void **state)
{
    (void)state;
    const float modes[] = {0.5f, 0.25f, 2, -1, 1, 0.5f, 0.5f, 1, -1, 0.5f}, u[] = {1, -2};
    const double wanted[][3] = {{5, 2, -1}, {0, 0, 0}}; /* from x = 0: b u, and y = 2 Re c x */
    double y[6];
    ThParams none = {0};
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &none, NULL);
        ThVar v =
            th_op_state_space(t, th_tape_constant(t, 2, 1, u), th_tape_constant(t, 1, 10, modes),
                              -1, &(ThOpStateSpace){1, 2, 1, NULL, true, true});
        th_tape_read(t, v, y);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(y[k] - wanted[0][k]) < 1e-6);
        /* x = 2 - i: a x = 5/4 + 0i; 2 Re(v x) = -3; w 2 Re(v x) = -1.5 - 3i;
         * b u (1 + x) = (-4 + 2i)(3 - i) = -10 + 10i; together -7.25 + 13i; y = 2 (-7.25 - 6.5) */
        assert_true(fabs(y[4] + 7.25) < 1e-5 && fabs(y[5] - 13) < 1e-5);
        assert_true(fabs(y[3] + 27.5) < 1e-5);
        th_tape_free(t);
    }
}

static ThVar build_convolution(ThTape *t, const ThVar *in, const void *how)
{
    int strings = *(const int *)how;
    return th_op_convolve(t, in[0], in[1], strings, th_tape_rows(t, in[0]) / strings);
}

static void test_convolutions(void **state)
{
    (void)state;
    static const int shapes[][2][2] = {{{15, 3}, {5, 3}},
                                       {{15, 35}, {2, 35}},
                                       {{15, 1}, {9, 1}},
                                       {{42, 18}, {14, 18}},
                                       {{54, 17}, {9, 17}}};
    static const int strings = 3;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Operation o = {.name = "convolve", .build = build_convolution, .how = &strings};
        memcpy(o.shape, shapes[i], sizeof shapes[i]);
        check_operation(&o);
    }
    /* strings do not see each other */
    const float u[] = {1, 2, 3, 4, 5, 6}, kernel[] = {1, 10, 100, 1000};
    const double wanted[] = {1, 12, 123, 4, 45, 456};
    double y[6];
    ThParams none = {0};
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &none, NULL);
        th_tape_read(t,
                     th_op_convolve(t, th_tape_constant(t, 6, 1, u),
                                    th_tape_constant(t, 4, 1, kernel), 2, 3),
                     y);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(y[i] - wanted[i]) < 1e-4);
        th_tape_free(t);
    }
}

/* Two strings of LONG symbols each, and what the convolution makes of them in floats. */
enum { LONG = 300, LANES = 17 };

static void convolve_long(const float *u, const float *kernel, double *y)
{
    ThParams none = {0};
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &none, NULL);
    th_tape_read(t,
                 th_op_convolve(t, th_tape_constant(t, 2 * LONG, LANES, u),
                                th_tape_constant(t, LONG, LANES, kernel), 2, LONG),
                 y);
    th_tape_free(t);
}

/* However long they are, a later symbol moves no earlier value, not by its last bit. */
static void test_no_leak(void **state)
{
    (void)state;
    enum { CHANGED = 251 * LANES, STRING = LONG * LANES };
    static float u[2 * STRING], kernel[STRING];
    static double before[2 * STRING], after[2 * STRING];
    for (int i = 0; i < 2 * STRING; i++)
        u[i] = sinf((float)i * 0.7f);
    for (int i = 0; i < STRING; i++)
        kernel[i] = cosf((float)i * 1.3f);
    convolve_long(u, kernel, before);
    u[CHANGED] += 1;
    convolve_long(u, kernel, after);
    assert_memory_equal(before, after, CHANGED * sizeof *before);
    assert_memory_equal(before + STRING, after + STRING, STRING * sizeof *before);
    assert_true(after[CHANGED] != before[CHANGED]);
}

static void test_misfits(void **state)
{
    (void)state;
    static const struct {
        int shape[MOST_OPERANDS][2];
        How how;
        const char *message;
    } all[] = {
        {{{N, 3}, {1, 35}}, {false, {B, T, 2, NULL, false, false}}, "5 and 35 modes"},
        {{{9, 3}, {1, 36}}, {false, {B, T, 2, NULL, false, false}}, "(9,3) does not fit 3 strings"},
        {{{N, 3}, {1, 36}, {2, 12}},
         {true, {B, T, 2, NULL, false, false}},
         "the start (2,12) does not fit 3 states of 12"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Operation o = {.build = build, .how = &all[i].how};
        memcpy(o.shape, all[i].shape, sizeof o.shape);
        const char *said = misfit_of(&o);
        if (!strstr(said, all[i].message))
            fail_msg("'%s' does not say '%s'", said, all[i].message);
    }
    static const int strings = B;
    Operation o = {.build = build_convolution, .how = &strings, .shape = {{N, 3}, {T, 2}}};
    assert_non_null(strstr(misfit_of(&o), "5 and 2 columns"));
}

/* The gradient of Σ y² of 3 strings; shape: positions, lags, columns. */
static void convolution_gradient(const int shape[3], ThTapePrecision precision, double *to)
{
    ThError err = {0};
    ThParams p = {0};
    th_params_add(&p, "u", 3 * shape[0], shape[2], TH_INIT_NORMAL, 1, &err);
    th_params_add(&p, "kernel", shape[1], shape[2], TH_INIT_NORMAL, 1, &err);
    assert_true(th_params_allocate(&p, 1, NULL, &err));
    ThTape *t = th_tape_new(precision, &p, &err);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar y = th_op_convolve(t, th_param(t, 0), th_param(t, 1), 3, shape[0]);
    assert_true(th_tape_backward(t, th_op_sum(t, th_op_multiply(t, y, y)), NULL, &err));
    th_tape_read_gradient(t, th_param(t, 0), to);
    th_tape_read_gradient(t, th_param(t, 1), to + 3 * shape[0] * shape[2]);
    th_tape_free(t);
    th_params_free(&p);
}

/* Those of floats are computed by Fourier transforms, but not the values. */
static void test_long_convolutions(void **state)
{
    (void)state;
    static const int shapes[][3] = {{160, 160, 17}, {170, 300, 16}, {300, 161, 3}, {520, 520, 1}};
    enum { MOST = 20000 };
    static double fast[MOST], plain[MOST];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int n = (3 * shapes[i][0] + shapes[i][1]) * shapes[i][2];
        assert_true(n <= MOST);
        convolution_gradient(shapes[i], TH_TAPE_FLOAT, fast);
        convolution_gradient(shapes[i], TH_TAPE_DOUBLE, plain);
        double most = 0;
        for (int k = 0; k < n; k++)
            most = fmax(most, fabs(plain[k]));
        for (int k = 0; k < n; k++)
            assert_true(fabs(fast[k] - plain[k]) < 1e-5 * most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),         cmocka_unit_test(test_values),
        cmocka_unit_test(test_convolutions),      cmocka_unit_test(test_no_leak),
        cmocka_unit_test(test_long_convolutions), cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests_name("state space", tests, NULL, NULL);
}
