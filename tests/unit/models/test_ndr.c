/* The Neural Data Router: what it begins with, and that positions whose gate is held stay as they
 * were.  Its values are those of tests/reference. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"

enum { LONG = 200, DIM = 12 };

static void test_begins(void **state)
{
    (void)state;
    ThModel *m = made_model("ndr", "dim=12 heads=3");
    ThTask *t = made_task("parity", "", NULL);
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    static const struct {
        const char *name;
        double value;
    } all[] = {{"gate.down_bias", -3},      {"attention.by_product", 0.5},
               {"attention.by_side", 1},    {"attention.base", 0},
               {"attention.query_bias", 0}, {"feed_forward.down_bias", 0},
               {"attention.side_bias", 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ThParam *p = &m->params.item[th_params_find(&m->params, all[i].name)];
        for (int k = 0; k < p->rows * p->cols; k++)
            assert_true(fabs((double)m->params.value[p->offset + (size_t)k] - all[i].value) < 1e-7);
    }
    th_model_free(m);
    th_task_free(t);
}

/* How many of the rows an application of the block left as they were. */
static int left_alone(const ThModel *m, ThRng *r)
{
    int token[LONG], same = 0;
    double before[LONG * DIM], after[LONG * DIM];
    for (int i = 0; i < LONG; i++)
        token[i] = i % 2;
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
    th_tape_keep_named(t, true);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_model_forward(m, t, &(ThBatch){.B = 1, .T = LONG, .token = token},
                     &(ThModelForward){.rng = r});
    assert_true(th_tape_ok(t, NULL));
    th_tape_read(t, th_tape_find(t, "state", 0), before);
    th_tape_read(t, th_tape_find(t, "state", 1), after);
    for (int i = 0; i < LONG; i++)
        same += memcmp(before + (ptrdiff_t)i * DIM, after + (ptrdiff_t)i * DIM,
                       DIM * sizeof *after) == 0;
    th_tape_free(t);
    return same;
}

static void test_held(void **state)
{
    (void)state;
    ThModel *m = bound("ndr", "dim=12 heads=3 steps=2 gate_dropout=0.25", TH_TARGET_EVERY, 2);
    ThRng r = th_rng(1, "held", 0);
    int held = 0;
    for (int k = 0; k < 20; k++)
        held += left_alone(m, &r);
    assert_int_equal(left_alone(m, NULL), 0);
    assert_in_range(held, 890, 1110); /* of 4,000: four deviations */
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begins),
        cmocka_unit_test(test_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
