/* Geometric attention: weights that were computed by hand, gradients against differences, floats
 * against doubles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operation.h"

typedef struct {
    bool sides;
    ThOpGeometric how;
} How;

static ThVar build(ThTape *t, const ThVar *in, const void *how)
{
    const How *h = how;
    return th_op_geometric_attention(t, in[0], in[1], h->sides ? in[2] : -1, &h->how);
}

static const int ragged[3] = {4, 1, 3};

static void test_gradients(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int shape[MOST_OPERANDS][2];
        How how;
    } all[] = {
        {"one head", {{5, 2}, {5, 4}}, {.how = {1, 5, 1, .length = NULL}}},
        {"sides",
         {{12, 6}, {12, 12}, {12, 6}},
         {.sides = true, .how = {3, 4, 3, .length = ragged}}},
        {"behind",
         {{10, 4}, {10, 8}, {10, 4}},
         {.sides = true, .how = {2, 5, 2, .causal = true, .length = NULL}}},
        {"alone", {{2, 3}, {2, 6}}, {.how = {2, 1, 1, .length = NULL}}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Operation o = {.name = all[i].name, .build = build, .how = &all[i].how};
        memcpy(o.shape, all[i].shape, sizeof o.shape);
        check_operation(&o);
    }
}

/* The weights where logit (i,j) is given: values that are the unit vectors show them, and keys that
 * are unit vectors make queries the logits. */
static void weights(const float *logit, int n, bool causal, double *to)
{
    enum { MOST = 4 };
    float q[MOST * MOST], kv[MOST * 2 * MOST] = {0};
    ThParams none = {0};
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &none, NULL);
    memcpy(q, logit, (size_t)(n * n) * sizeof *q);
    for (int i = 0; i < n; i++)
        kv[i * 2 * n + i] = kv[i * 2 * n + n + i] = 1;
    ThVar y = th_op_geometric_attention(t, th_tape_constant(t, n, n, q),
                                        th_tape_constant(t, n, 2 * n, kv), -1,
                                        &(ThOpGeometric){1, n, 1, causal, NULL, 0});
    assert_true(th_tape_ok(t, NULL));
    th_tape_read(t, y, to);
    th_tape_free(t);
}

static void expect(const double *got, const double *wanted, int n)
{
    for (int i = 0; i < n; i++)
        if (fabs(got[i] - wanted[i]) > 1e-6)
            fail_msg("number %d is %g, not %g", i, got[i], wanted[i]);
}

/* What a position says of itself counts for nothing; of two keys as near the one ahead is first. */
static void test_outward(void **state)
{
    (void)state;
    static const float logit[] = {9, 1, -1, 2, 0.5F, 9, 0, -0.5F, 2, -2, 9, 1, 0, 0, 0, 9};
    static const double wanted[] = {0,     0.731059, 0.072329, 0.173175, 0.311230, 0,
                                    0.5,   0.071268, 0.208646, 0.032059, 0,        0.731059,
                                    0.125, 0.25,     0.5,      0};
    double got[16];
    weights(logit, 4, false, got);
    expect(got, wanted, 16);
}

static void test_behind(void **state)
{
    (void)state;
    static const float logit[] = {9, 9, 9, 9, 1, 9, 9, 9, 0.5F, -1, 9, 9, 2, 0, -2, 9};
    static const double wanted[] = {0,        0,        0, 0, 0.731059, 0,        0,        0,
                                    0.455054, 0.268941, 0, 0, 0.387902, 0.440399, 0.119203, 0};
    double got[16];
    weights(logit, 4, true, got);
    expect(got, wanted, 16);
}

static void test_misfits(void **state)
{
    (void)state;
    static const How wide = {.how = {2, 3, 2, .length = NULL}},
                     sided = {.sides = true, .how = {2, 3, 2, .length = NULL}};
    static const int beyond[2] = {3, 4};
    How longer = wide;
    longer.how.length = beyond;
    const Operation misfits[] = {
        {.name = "", .shape = {{6, 4}, {6, 4}}, .build = build, .how = &wide},
        {.name = "", .shape = {{6, 3}, {6, 6}}, .build = build, .how = &wide},
        {.name = "", .shape = {{5, 4}, {5, 8}}, .build = build, .how = &wide},
        {.name = "", .shape = {{6, 4}, {6, 8}, {6, 2}}, .build = build, .how = &sided},
        {.name = "", .shape = {{6, 4}, {6, 8}}, .build = build, .how = &longer},
    };
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++)
        assert_non_null(strstr(misfit_of(&misfits[i]), "geometric attention"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_outward),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
