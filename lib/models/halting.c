#include "models/halting.h"

#include <math.h>

bool th_model_halting_begin(ThModelHalting *h, ThTape *t)
{
    h->t = t;
    h->given = -1;
    size_t n = (size_t)h->n;
    h->active = th_tape_take(t, n, sizeof *h->active);
    h->steps = th_tape_take(t, n, sizeof *h->steps);
    h->left = th_tape_take(t, n, sizeof *h->left);
    float *one = th_tape_take(t, n, sizeof *one), *zero = th_tape_take(t, n, sizeof *zero);
    if (!h->active || !h->steps || !h->left || !one || !zero)
        return false;
    for (int i = 0; i < h->n; i++) {
        h->active[i] = h->most[i] > 0;
        h->steps[i] = 0;
        h->left[i] = 1;
        one[i] = 1;
        zero[i] = 0;
    }
    h->rest = th_tape_constant(t, h->n, 1, one);
    h->paid = th_tape_constant(t, h->n, 1, zero);
    return true;
}

bool th_model_halting_goes_on(const ThModelHalting *h)
{
    for (int i = 0; i < h->n; i++)
        if (h->active[i])
            return true;
    return false;
}

/* A number a unit as a number a row. */
static ThVar spread(const ThModelHalting *h, ThVar column)
{
    return h->unit ? th_op_rows(h->t, column, h->unit, h->rows, 1) : column;
}

/* Decides by the values alone, p or 0 where that is NULL: stops units, lists in `from` (n) which of
 * the k probabilities counts for each unit, -1 for none, and keeps in `seen` (n, 2) what they were
 * asked and gave. */
static void decide(ThModelHalting *h, const double *p, const int *which, int k, int *from,
                   float *seen)
{
    for (int i = 0; i < h->n; i++) {
        from[i] = -1;
        seen[2 * i] = seen[2 * i + 1] = (float)NAN;
    }
    for (int j = 0; j < k; j++) {
        int i = which[j];
        double stop = p ? p[j] : 0, left = h->left[i] * (1 - stop);
        seen[2 * i] = (float)stop;
        if (p && 1 - left >= h->threshold) {
            h->active[i] = false;
            continue;
        }
        seen[2 * i + 1] = (float)(h->left[i] * stop);
        h->left[i] = left;
        from[i] = j;
    }
}

/* One application more of those that go on, which ends with the last that they may. */
static void count(ThModelHalting *h, const int *which, int k)
{
    for (int j = 0; j < k; j++) {
        int i = which[j];
        h->steps[i] += h->active[i];
        h->active[i] = h->active[i] && h->steps[i] < h->most[i];
    }
}

bool th_model_halting_step(ThModelHalting *h, ThVar p, const int *which, int k, ThVar state)
{
    ThTape *t = h->t;
    int step = h->steps[*which]; /* of all that go on */
    int *from = th_tape_take(t, (size_t)h->n, sizeof *from);
    double *value = th_tape_take(t, (size_t)k, sizeof *value);
    float *seen = th_tape_take(t, 2 * (size_t)h->n, sizeof *seen);
    if (!from || !value || !seen)
        return false;
    if (p >= 0)
        th_tape_read(t, p, value);
    decide(h, p >= 0 ? value : NULL, which, k, from, seen);
    th_tape_tag(t, th_tape_constant(t, h->n, 2, seen), "halting", h->number + step);
    if (p >= 0) {
        ThVar mass = th_op_multiply(t, h->rest, th_op_rows(t, p, from, h->n, 1));
        ThVar given = th_op_times_column(t, state, spread(h, mass));
        h->given = h->given < 0 ? given : th_op_add(t, h->given, given);
        h->paid = th_op_add(t, h->paid, th_op_scale(t, mass, step + 1));
        h->rest = th_op_subtract(t, h->rest, mass);
    }
    count(h, which, k);
    return true;
}

ThVar th_model_halting_mean(const ThModelHalting *h, ThVar state)
{
    ThVar last = th_op_times_column(h->t, state, spread(h, h->rest));
    return h->given < 0 ? last : th_op_add(h->t, h->given, last);
}

ThVar th_model_halting_cost(const ThModelHalting *h, const float *weight)
{
    float *steps = th_tape_take(h->t, (size_t)h->n, sizeof *steps);
    if (!steps)
        return -1;
    for (int i = 0; i < h->n; i++)
        steps[i] = (float)h->steps[i];
    ThVar all = th_op_add(h->t, h->paid,
                          th_op_multiply(h->t, h->rest, th_tape_constant(h->t, h->n, 1, steps)));
    return th_op_sum(h->t, th_op_multiply(h->t, all, th_tape_constant(h->t, h->n, 1, weight)));
}
