#include "models/halting/halting.h"

#include <math.h>

/* All mass is left, but for padding, which has none. */
static ThVar open_account(const ThModelHalting *h, int d)
{
    size_t cols = (size_t)d + 2;
    float *zero = th_tape_take(h->t, (size_t)h->rows * cols, sizeof *zero);
    if (!zero)
        return -1;
    memset(zero, 0, (size_t)h->rows * cols * sizeof *zero);
    for (int i = 0; i < h->rows; i++)
        zero[(size_t)i * cols + (size_t)d] = !h->unit || h->unit[i] >= 0;
    return th_tape_constant(h->t, h->rows, d + 2, zero);
}

bool th_model_halting_begin(ThModelHalting *h, ThTape *t, int d)
{
    h->t = t;
    size_t n = (size_t)h->n;
    h->active = th_tape_take(t, n, sizeof *h->active);
    h->steps = th_tape_take(t, n, sizeof *h->steps);
    h->left = th_tape_take(t, n, sizeof *h->left);
    h->account = d > 0 ? open_account(h, d) : -1;
    if (!h->active || !h->steps || !h->left)
        return false;
    for (int i = 0; i < h->n; i++) {
        h->active[i] = h->most[i] > 0;
        h->steps[i] = 0;
        h->left[i] = 1;
    }
    return d == 0 || h->account >= 0;
}

bool th_model_halting_goes_on(const ThModelHalting *h)
{
    for (int i = 0; i < h->n; i++)
        if (h->active[i])
            return true;
    return false;
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
    int *of = th_tape_take(t, (size_t)h->rows, sizeof *of);
    double *value = th_tape_take(t, (size_t)k, sizeof *value);
    float *seen = th_tape_take(t, 2 * (size_t)h->n, sizeof *seen);
    if (!from || !of || !value || !seen)
        return false;
    if (p >= 0)
        th_tape_read(t, p, value);
    decide(h, p >= 0 ? value : NULL, which, k, from, seen);
    th_tape_tag(t, th_tape_constant(t, h->n, 2, seen), "halting", h->number + step);
    for (int i = 0; i < h->rows; i++) {
        int unit = h->unit ? h->unit[i] : i;
        of[i] = unit < 0 ? -1 : from[unit];
    }
    if (h->account >= 0)
        h->account = th_op_give(t, h->account, p, of, state);
    count(h, which, k);
    return true;
}

ThVar th_model_halting_mean(const ThModelHalting *h, ThVar state)
{
    return th_op_settle(h->t, h->account, state);
}

ThVar th_model_halting_cost(const ThModelHalting *h, const float *weight)
{
    ThVar paid = th_op_columns(h->t, h->account, th_tape_cols(h->t, h->account) - 1, 1);
    return th_op_sum(h->t, th_op_multiply(h->t, paid, th_tape_constant(h->t, h->rows, 1, weight)));
}
