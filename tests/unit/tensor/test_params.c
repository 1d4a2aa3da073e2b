/* The table of parameters: what they start from, where they lie, which decay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/tape/params.h"

enum { SIDE = 100, SIZE = SIDE * SIDE };

static void add(ThParams *p, const char *name, int rows, int cols, ThInit init, double scale)
{
    int before = p->n;
    assert_int_equal(th_params_add(p, name, rows, cols, init, scale, NULL), before);
}

typedef struct {
    double mean, deviation, least, most;
} Figures;

static Figures figures(const float *x, int n)
{
    Figures f = {0, 0, (double)x[0], (double)x[0]};
    for (int i = 0; i < n; i++) {
        f.mean += (double)x[i] / n;
        f.least = fmin(f.least, (double)x[i]);
        f.most = fmax(f.most, (double)x[i]);
    }
    for (int i = 0; i < n; i++)
        f.deviation += pow((double)x[i] - f.mean, 2) / n;
    f.deviation = sqrt(f.deviation);
    return f;
}

static void test_distributions(void **state)
{
    (void)state;
    static const struct {
        ThInit init;
        double deviation, bound;
    } rows[] = {{TH_INIT_ZERO, 0, 0},
                {TH_INIT_NORMAL, 0.5, HUGE_VAL},
                {TH_INIT_TRUNCATED, 0.5 * 0.8796, 1},
                {TH_INIT_UNIFORM, 0.28868, 0.5}};
    for (int i = 0; i < 4; i++) {
        ThParams p = {0};
        add(&p, "w", SIDE, SIDE, rows[i].init, 0.5);
        assert_true(th_params_allocate(&p, 3, NULL, NULL));
        Figures f = figures(p.value, SIZE);
        assert_true(fabs(f.mean) <= 5 * rows[i].deviation / SIDE);
        assert_true(fabs(f.deviation - rows[i].deviation) <= 0.03 * rows[i].deviation);
        assert_true(-rows[i].bound <= f.least && f.most <= rows[i].bound);
        if (rows[i].init == TH_INIT_TRUNCATED || rows[i].init == TH_INIT_UNIFORM)
            assert_true(f.least < -0.99 * rows[i].bound && f.most > 0.99 * rows[i].bound);
        th_params_free(&p);
    }
}

/* Each parameter has a stream of its own: by name and seed, whatever stands before it. */
static void test_streams(void **state)
{
    (void)state;
    ThParams p = {0}, q = {0};
    add(&p, "a", 5, 7, TH_INIT_NORMAL, 1);
    add(&p, "b", 5, 7, TH_INIT_NORMAL, 1);
    add(&q, "b", 5, 7, TH_INIT_NORMAL, 1);
    assert_true(th_params_allocate(&p, 3, NULL, NULL) && th_params_allocate(&q, 3, NULL, NULL));
    size_t bytes = 35 * sizeof(float);
    assert_memory_not_equal(th_params_at(&p, 0), th_params_at(&p, 1), bytes);
    assert_memory_equal(th_params_at(&q, 0), th_params_at(&p, 1), bytes);
    ThParams r = {0};
    add(&r, "b", 5, 7, TH_INIT_NORMAL, 1);
    assert_true(th_params_allocate(&r, 4, NULL, NULL));
    assert_memory_not_equal(th_params_at(&q, 0), th_params_at(&r, 0), bytes);
    th_params_free(&p);
    th_params_free(&q);
    th_params_free(&r);
}

static void test_table(void **state)
{
    (void)state;
    ThParams p = {0};
    add(&p, "matrix", 3, 5, TH_INIT_ONE, 0);
    add(&p, "bias", 1, 5, TH_INIT_ONE, 0);
    add(&p, "tall", 40, 1, TH_INIT_ONE, 0);
    float *before = th_params_floats(p.total, NULL); /* memory that is likely to be had again */
    assert_non_null(before);
    memset(before, 0xff, p.total * sizeof *before);
    free(before);
    assert_true(th_params_allocate(&p, 1, NULL, NULL));
    assert_int_equal(th_params_count(&p), 60);
    assert_true(p.item[0].decays && !p.item[1].decays && p.item[2].decays);
    assert_int_equal(th_params_find(&p, "tall"), 2);
    assert_int_equal(th_params_find(&p, "tal"), -1);
    int ones = 0, zeros = 0;
    for (size_t i = 0; i < p.total; i++) {
        ones += p.value[i] == 1;
        zeros += p.value[i] == 0;
    }
    assert_true(ones == 60 && zeros == (int)p.total - 60); /* padding is 0 */
    for (int i = 0; i < 3; i++) {
        assert_int_equal((uintptr_t)th_params_at(&p, i) % 64, 0);
        assert_true(i == 0 ||
                    p.item[i].offset >= p.item[i - 1].offset + (size_t)p.item[i - 1].rows *
                                                                   (size_t)p.item[i - 1].cols);
    }
    th_params_free(&p);
    assert_null(p.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
