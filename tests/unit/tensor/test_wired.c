/* Hidden units that read few coordinates: gradients against differences, floats against doubles,
 * and a layer of them beside the dense layer that it stands for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operation.h"

enum { ROWS = 19, D = 5, UNITS = 7, FAN = 2 }; /* more rows than lanes */

static const float from[UNITS * FAN] = {0, 1, 2, 2, 4, 3, 1, 0, 3, 4, -7, 99, 2.2f, 0.6f};
static const float to[UNITS] = {0, 1, 2, 3, 4, 4, -1};
static const int reads[UNITS * FAN] = {0, 1, 2, 2, 4, 3, 1, 0, 3, 4, 0, 4, 2, 1};
static const int writes[UNITS] = {0, 1, 2, 3, 4, 4, 0};

static ThVar build(ThTape *t, const ThVar *in, const void *how)
{
    return th_op_wired(t, &(ThOpWired){.x = in[0],
                                       .up = in[1],
                                       .from = th_tape_constant(t, UNITS, FAN, from),
                                       .bias = in[2],
                                       .down = in[3],
                                       .to = th_tape_constant(t, 1, UNITS, to),
                                       .gelu = how != NULL});
}

static void test_gradients(void **state)
{
    (void)state;
    Operation o = {.name = "wired units",
                   .shape = {{ROWS, D}, {UNITS, FAN}, {1, UNITS}, {1, UNITS}},
                   .build = build};
    check_operation(&o);
    o.how = "gelu";
    check_operation(&o);
    o.shape[3][1] = 3;
    assert_non_null(strstr(misfit_of(&o), "do not fit 7 units"));
}

/* The same units with a number for every coordinate, most of them zero. */
static void test_is_a_dense_layer(void **state)
{
    (void)state;
    ThParams p = {0};
    ThError err = {0};
    const int shape[4][2] = {{ROWS, D}, {UNITS, FAN}, {1, UNITS}, {1, UNITS}};
    for (int i = 0; i < 4; i++)
        th_params_add(&p, (const char *[]){"x", "up", "bias", "down"}[i], shape[i][0], shape[i][1],
                      TH_INIT_NORMAL, 1, &err);
    assert_true(th_params_allocate(&p, 4, NULL, &err));
    float w1[D * UNITS] = {0}, w2[UNITS * D] = {0};
    for (int h = 0; h < UNITS; h++) {
        for (int f = 0; f < FAN; f++)
            w1[reads[h * FAN + f] * UNITS + h] += th_params_at(&p, 1)[h * FAN + f];
        w2[h * D + writes[h]] = th_params_at(&p, 3)[h];
    }
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, &err);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar in[4] = {th_param(t, 0), th_param(t, 1), th_param(t, 2), th_param(t, 3)};
    ThVar wired = build(t, in, NULL);
    ThVar hidden = th_op_linear_relu(t, in[0], th_tape_constant(t, D, UNITS, w1), in[2]);
    ThVar dense = th_op_linear(t, hidden, th_tape_constant(t, UNITS, D, w2), -1);
    double a[ROWS * D], b[ROWS * D];
    th_tape_read(t, wired, a);
    th_tape_read(t, dense, b);
    for (int i = 0; i < ROWS * D; i++)
        assert_true(fabs(a[i] - b[i]) < 1e-5);
    th_tape_free(t);
    th_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_is_a_dense_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
