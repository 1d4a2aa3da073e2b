/* Fast weights: gradients against differences, floats against doubles, and what the theory says of
 * their transitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operation.h"

enum { B = 2, T = 3, N = B * T };
static const int ragged[B] = {3, 1};

typedef struct {
    bool rate, keep, time, start;
    ThOpFastWeights w;
} How;

/* All operands are parts of the columns of one matrix, but for decay, which has rows of its own. */
static ThVar build(ThTape *t, const ThVar *in, const void *how)
{
    const How *h = how;
    ThOpFastWeights w = h->w;
    int k = w.heads * w.rows, v = w.heads * w.cols, from = 0;
    const struct {
        bool there;
        int cols;
        ThVar *to;
    } part[] = {{true, k, &w.q},
                {true, w.steps * k, &w.k},
                {true, w.steps * v, &w.v},
                {h->rate, w.steps * w.heads, &w.rate},
                {h->keep, w.heads, &w.keep},
                {h->time, v, &w.time}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].to = part[i].there ? th_op_columns(t, in[0], from, part[i].cols) : -1;
        from += part[i].there ? part[i].cols : 0;
    }
    w.decay = h->time ? in[2] : -1;
    w.start = h->start ? in[1] : -1;
    ThVar y = th_op_fast_weights(t, &w);
    return w.states ? th_op_columns(t, y, 0, v) : y;
}

static void test_gradients(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int shape[MOST_OPERANDS][2];
        How how;
    } all[] = {
        {"adds", {{N, 7}}, {.w = {B, T, 1, 2, 3, 1, .length = NULL}}},
        {"delta",
         {{N, 16}, {1, 12}},
         {.rate = true, .start = true, .w = {B, T, 2, 2, 3, 1, .length = NULL}}},
        {"steps",
         {{N, 19}, {B, 9}},
         {.rate = true,
          .keep = true,
          .start = true,
          .w = {B, T, 1, 3, 3, 2, ragged, .states = true}}},
        {"selective",
         {{N, 12}, {1, 8}, {2, 4}},
         {.time = true, .start = true, .w = {B, T, 1, 2, 4, 1, .length = NULL}}},
        {"signed",
         {{N, 18}, {B, 8}, {2, 4}},
         {.time = true,
          .rate = true,
          .start = true,
          .w = {B, T, 2, 2, 2, 1, ragged, .negative = true}}},
        {"of 16",
         {{4, 49}, {1, 256}},
         {.rate = true, .start = true, .w = {2, 2, 1, 16, 16, 1, .length = NULL}}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Operation o = {.name = all[i].name, .build = build, .how = &all[i].how};
        memcpy(o.shape, all[i].shape, sizeof o.shape);
        check_operation(&o);
    }
}

/* With rate 2 and a key of length 1 a step is a reflection, and two are a rotation: the states of a
 * word over a swap and a turn of three walk through the group S_3, for as long as one likes. */
static void test_permutations(void **state)
{
    (void)state;
    enum { LONG = 500 };
    /* the swap of 0 and 1, and then of 1 and 2: together a turn */
    const float half = (float)sqrt(0.5),
                keys[2][6] = {{half, -half, 0, 0, 0, 0}, {half, -half, 0, 0, half, -half}};
    float q[LONG * 3], k[LONG * 6], v[LONG * 2], rate[LONG * 2];
    double y[LONG];
    const float start[] = {0, 1, 2};
    for (int i = 0; i < LONG; i++) {
        memcpy(k + 6 * i, keys[i * 7 % 3 == 0], sizeof keys[0]);
        for (int j = 0; j < 3; j++)
            q[3 * i + j] = j == 0;
        for (int j = 0; j < 2; j++) {
            v[2 * i + j] = 0;
            rate[2 * i + j] = 2;
        }
    }
    ThParams none = {0};
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &none, NULL);
    ThVar got = th_op_fast_weights(
        t, &(ThOpFastWeights){1, LONG, 1, 3, 1, 2, NULL, false, false,
                              th_tape_constant(t, LONG, 3, q), th_tape_constant(t, LONG, 6, k),
                              th_tape_constant(t, LONG, 2, v), th_tape_constant(t, LONG, 2, rate),
                              -1, -1, -1, th_tape_constant(t, 1, 3, start)});
    th_tape_read(t, got, y);
    int at[] = {0, 1, 2};
    for (int i = 0; i < LONG; i++) {
        int swap = at[0];
        at[0] = at[1];
        at[1] = swap;
        if (i * 7 % 3 == 0) {
            swap = at[1];
            at[1] = at[2];
            at[2] = swap;
        }
        assert_true(fabs(y[i] - at[0]) < 1e-3);
    }
    th_tape_free(t);
}

static void test_misfits(void **state)
{
    (void)state;
    static const How how = {.rate = true, .start = true, .w = {B, T, 2, 2, 3, 1, .length = NULL}};
    Operation o = {.build = build, .how = &how, .shape = {{N, 16}, {1, 13}}};
    assert_non_null(strstr(misfit_of(&o), "operand 7 is (1,13), not (1,12)"));
    o = (Operation){.build = build, .how = &how, .shape = {{9, 16}, {1, 12}}};
    assert_non_null(strstr(misfit_of(&o), "operand 0 is (9,4), not (6,4)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests_name("fast weights", tests, NULL, NULL);
}
