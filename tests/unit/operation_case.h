/* operation_case.h - checks an operation of the tape whose inputs are parameters: the double
 * gradient against central differences, the float version against the double one.  After cmocka.h.
 */
#ifndef TEST_UNIT_OPERATION_CASE_H
#define TEST_UNIT_OPERATION_CASE_H

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "tensor/tape/params.h"
#include "tensor/tape/tape.h"

/* cmocka compares floats only. */
static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

/* ---- an operation whose inputs are the parameters 0, 1, … ---- */

enum { MAX_INPUTS = 6, SAMPLES = 25 };

typedef struct {
    int n;
    int shape[MAX_INPUTS][2];
    ThVar (*build)(ThTape *t, const void *how);
    const void *how;
} Case;

static void make_inputs(const Case *c, ThParams *p)
{
    ThError err = {0};
    for (int i = 0; i < c->n; i++)
        assert_int_equal(i,
                         th_params_add(p, (const char *[]){"a", "b", "c", "d", "e", "f"}[i],
                                       c->shape[i][0], c->shape[i][1], TH_INIT_NORMAL, 0.7, &err));
    assert_true(th_params_allocate(p, 11, NULL, &err));
}

/* Σ seed ∘ y without gradient. */
static double projected(const Case *c, ThTape *t, const double *seed)
{
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar y = c->build(t, c->how);
    ThError err = {0};
    assert_true(th_tape_ok(t, &err));
    size_t size = (size_t)th_tape_rows(t, y) * (size_t)th_tape_cols(t, y);
    double *value = th_alloc(size, sizeof *value, NULL), sum = 0;
    th_tape_read(t, y, value);
    for (size_t i = 0; i < size; i++)
        sum += seed[i] * value[i];
    free(value);
    return sum;
}

static void check_differences(const Case *c, ThTape *t, const ThParams *p, const double *seed,
                              const double *gradient)
{
    double *x = th_tape_params_double(t);
    ThRng r = th_rng(3, "coordinates", 0);
    for (int i = 0; i < p->n; i++) {
        size_t size = (size_t)p->item[i].rows * (size_t)p->item[i].cols;
        for (size_t k = 0; k < size && k < SAMPLES; k++) {
            size_t at = p->item[i].offset + (size <= SAMPLES ? k : th_rng_below(&r, size));
            double old = x[at], h = 1e-5;
            x[at] = old + h;
            double up = projected(c, t, seed);
            x[at] = old - h;
            double down = projected(c, t, seed);
            x[at] = old;
            double expected = (up - down) / (2 * h);
            assert_close(gradient[at], expected, 1e-7 + 1e-6 * fabs(expected));
        }
    }
}

static void assert_near(const double *a, const double *b, size_t n)
{
    double distance = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        distance += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    assert_true(sqrt(distance) <= 1e-4 * sqrt(size) + 1e-30);
}

/* Value and gradient of the float version against the double one. */
static void check_fast(const Case *c, const ThParams *p, const double *seed, const double *value,
                       const double *gradient)
{
    ThError err = {0};
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, p, &err);
    assert_non_null(t);
    for (int mode = 0; mode < 2; mode++) {
        th_tape_begin(t, mode ? TH_TAPE_GRADIENT : TH_TAPE_NO_GRADIENT);
        ThVar y = c->build(t, c->how);
        size_t size = (size_t)th_tape_rows(t, y) * (size_t)th_tape_cols(t, y);
        double *fast = th_alloc(size, sizeof *fast, NULL);
        th_tape_read(t, y, fast);
        assert_near(fast, value, size);
        free(fast);
        if (mode)
            assert_true(th_tape_backward(t, y, seed, &err));
    }
    double *fast = th_alloc(p->total, sizeof *fast, NULL);
    for (size_t i = 0; i < p->total; i++)
        fast[i] = (double)th_tape_gradient(t)[i];
    for (int i = 0; i < p->n; i++)
        assert_near(fast + p->item[i].offset, gradient + p->item[i].offset,
                    (size_t)p->item[i].rows * (size_t)p->item[i].cols);
    free(fast);
    th_tape_free(t);
}

static void check(const Case *c)
{
    ThError err = {0};
    ThParams p = {0};
    make_inputs(c, &p);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, &err);
    assert_non_null(t);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar y = c->build(t, c->how);
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    size_t size = (size_t)th_tape_rows(t, y) * (size_t)th_tape_cols(t, y);
    double *seed = th_alloc(size, sizeof *seed, NULL), *value = th_alloc(size, sizeof *value, NULL);
    ThRng r = th_rng(5, "seed", 0);
    for (size_t i = 0; i < size; i++)
        seed[i] = th_rng_normal(&r);
    th_tape_read(t, y, value);
    assert_true(th_tape_backward(t, y, seed, &err));
    double *gradient = th_copy(th_tape_gradient_double(t), p.total, sizeof *gradient, NULL);
    check_differences(c, t, &p, seed, gradient);
    check_fast(c, &p, seed, value, gradient);
    free(gradient);
    free(value);
    free(seed);
    th_tape_free(t);
    th_params_free(&p);
}

#endif
