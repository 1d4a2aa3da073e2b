/* Gradients that several tapes add up, in parts, where products of few rows wait for the sum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tensor/tape/tape.h"

enum { IN = 6, WIDE = 1300, OUT = 3, MANY = 40, TAPES = 3 };
enum { UP, BIAS, DOWN, UNUSED };

static void make_params(ThParams *p)
{
    th_params_add(p, "up", IN, WIDE, TH_INIT_NORMAL, 0.5, NULL);
    th_params_add(p, "bias", 1, WIDE, TH_INIT_NORMAL, 0.5, NULL);
    th_params_add(p, "down", WIDE, OUT, TH_INIT_NORMAL, 0.5, NULL);
    th_params_add(p, "unused", 2, 2, TH_INIT_NORMAL, 0.5, NULL);
    assert_true(th_params_allocate(p, 1, NULL, NULL));
}

static ThVar network(ThTape *t, int rows, int from)
{
    float x[MANY * IN];
    int *target = th_tape_take(t, (size_t)rows, sizeof *target);
    for (int i = 0; i < rows * IN; i++)
        x[i] = sinf((float)(i + from));
    for (int i = 0; i < rows; i++)
        target[i] = (i + from) % OUT;
    ThVar up =
        th_op_linear_relu(t, th_tape_constant(t, rows, IN, x), th_param(t, UP), th_param(t, BIAS));
    ThVar y = th_op_linear(t, up, th_param(t, DOWN), -1);
    return th_op_cross_entropy(t, y, target, rows, 1);
}

/* Matrices multiply 3 rows; or 3 and 40, one after the other; or 3 rows twice. */
static ThTape *gradient_of(const ThParams *p, int k, bool keep)
{
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, p, NULL);
    th_tape_keep_products(t, keep);
    for (int again = 0; again < 2; again++) {
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar loss = network(t, k % 4 == 1 ? MANY : 3, 7 * k + again);
        if (k % 4 > 0)
            loss = th_op_add(t, loss, network(t, k % 4 == 2 ? MANY : 3, 9 * k + again));
        assert_true(th_tape_backward(t, loss, NULL, NULL));
        if (again == 0) /* what a step leaves is not to be found in the next */
            th_tape_sum_gradients(&t, 1, 0, 1);
    }
    return t;
}

static void check_sum(const ThParams *p, int first, int tapes, int parts)
{
    ThTape *t[TAPES], *plain[TAPES];
    for (int k = 0; k < tapes; k++) {
        t[k] = gradient_of(p, first + k, true);
        plain[k] = gradient_of(p, first + k, false);
    }
    double squares = 0, whole = 0;
    for (int part = 0; part < parts; part++)
        squares += th_tape_sum_gradients(t, tapes, part, parts);
    for (size_t i = 0; i < p->total; i++) {
        double sum = 0, got = (double)th_tape_gradient(t[0])[i];
        for (int k = 0; k < tapes; k++)
            sum += (double)th_tape_gradient(plain[k])[i];
        whole += sum * sum;
        if (!(fabs(got - sum) <= 1e-5 * (1 + fabs(sum))))
            fail_msg("%d tapes, %d parts, number %zu: %g instead of %g", tapes, parts, i, got, sum);
    }
    assert_true(fabs(squares - whole) <= 1e-5 * whole);
    for (int k = 0; k < tapes; k++) {
        th_tape_free(t[k]);
        th_tape_free(plain[k]);
    }
}

static void test_sums(void **state)
{
    (void)state;
    ThParams p = {0};
    make_params(&p);
    for (int tapes = 1; tapes <= TAPES; tapes++)
        for (int parts = 1; parts <= 7; parts++)
            for (int first = 0; first < 4; first++)
                check_sum(&p, first, tapes, parts);
    th_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests_name("tape sum", tests, NULL, NULL);
}
