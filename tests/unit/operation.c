#include "operation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"

static int operands_of(const Operation *o)
{
    int n = 0;
    while (n < MOST_OPERANDS && o->shape[n][0] > 0)
        n++;
    return n;
}

static void make_operands(const Operation *o, ThParams *p)
{
    static const char *const names[MOST_OPERANDS] = {"a", "b", "c", "d"};
    for (int i = 0; i < operands_of(o); i++)
        th_params_add(p, names[i], o->shape[i][0], o->shape[i][1],
                      o->positive ? TH_INIT_UNIFORM : TH_INIT_NORMAL, 1, NULL);
    assert_true(th_params_allocate(p, 11, NULL, NULL));
    for (size_t i = 0; o->positive && i < p->total; i++)
        p->value[i] += 1.2f;
}

static ThVar run(const Operation *o, ThTape *t, ThTapeMode mode)
{
    ThVar in[MOST_OPERANDS];
    th_tape_begin(t, mode);
    for (int i = 0; i < operands_of(o); i++)
        in[i] = th_param(t, i);
    return o->build(t, in, o->how);
}

static size_t size_of(const ThTape *t, ThVar v)
{
    return (size_t)th_tape_rows(t, v) * (size_t)th_tape_cols(t, v);
}

/* Σ seed ∘ y. */
static double weigh(const Operation *o, ThTape *t, const double *seed)
{
    ThVar v = run(o, t, TH_TAPE_NO_GRADIENT);
    size_t n = size_of(t, v);
    double *y = th_alloc(n, sizeof *y, NULL), sum = 0;
    th_tape_read(t, v, y);
    for (size_t i = 0; i < n; i++)
        sum += seed[i] * y[i];
    free(y);
    return sum;
}

static void check_differences(const Operation *o, ThTape *t, const ThParams *p, const double *seed,
                              const double *gradient)
{
    double *w = th_tape_params_double(t), h = 1e-5;
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < p->item[k].rows * p->item[k].cols; i++) {
            size_t at = p->item[k].offset + (size_t)i;
            double kept = w[at];
            w[at] = kept + h;
            double up = weigh(o, t, seed);
            w[at] = kept - h;
            double slope = (up - weigh(o, t, seed)) / (2 * h);
            w[at] = kept;
            if (!(fabs(slope - gradient[at]) <= 1e-6 * (1 + fabs(slope))))
                fail_msg("%s: operand %d, element %d: %.9g, by differences %.9g", o->name, k, i,
                         gradient[at], slope);
        }
    }
}

static void compare(const char *name, const char *what, const double *wanted, const double *got,
                    size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(wanted[i] - got[i]) <= 2e-5 * (1 + fabs(wanted[i]))))
            fail_msg("%s: %s %zu is %g, should be %g", name, what, i, got[i], wanted[i]);
}

static void check_floats(const Operation *o, const ThParams *p, const double *seed, const double *y,
                         const double *gradient)
{
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, p, NULL);
    for (ThTapeMode mode = TH_TAPE_NO_GRADIENT; mode <= TH_TAPE_GRADIENT; mode++) {
        ThVar v = run(o, t, mode);
        double *fast = th_alloc(size_of(t, v), sizeof *fast, NULL);
        th_tape_read(t, v, fast);
        compare(o->name, "value", y, fast, size_of(t, v));
        free(fast);
        if (mode == TH_TAPE_GRADIENT)
            assert_true(th_tape_backward(t, v, seed, NULL));
    }
    double *fast = th_alloc(p->total, sizeof *fast, NULL);
    for (size_t i = 0; i < p->total; i++)
        fast[i] = (double)th_tape_gradient(t)[i];
    compare(o->name, "gradient", gradient, fast, p->total);
    free(fast);
    th_tape_free(t);
}

void check_operation(const Operation *o)
{
    ThParams p = {0};
    ThError err = {0};
    make_operands(o, &p);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, NULL);
    ThVar v = run(o, t, TH_TAPE_GRADIENT);
    if (!th_tape_ok(t, &err))
        fail_msg("%s: %s", o->name, err.msg);
    size_t n = size_of(t, v);
    double *seed = th_alloc(n, sizeof *seed, NULL), *y = th_alloc(n, sizeof *y, NULL);
    ThRng r = th_rng(1, "seed", 0);
    for (size_t i = 0; i < n; i++)
        seed[i] = th_rng_normal(&r);
    th_tape_read(t, v, y);
    assert_true(th_tape_backward(t, v, seed, NULL));
    double *gradient = th_copy(th_tape_gradient_double(t), p.total, sizeof *gradient, NULL);
    check_differences(o, t, &p, seed, gradient);
    check_floats(o, &p, seed, y, gradient);
    free(gradient);
    free(y);
    free(seed);
    th_tape_free(t);
    th_params_free(&p);
}

const char *misfit_of(const Operation *o)
{
    static ThError err;
    ThParams p = {0};
    err = (ThError){0};
    make_operands(o, &p);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, NULL);
    assert_int_equal(run(o, t, TH_TAPE_GRADIENT), -1);
    assert_false(th_tape_ok(t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tape_free(t);
    th_params_free(&p);
    return err.msg;
}
