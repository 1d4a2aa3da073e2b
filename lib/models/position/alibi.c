/* Attention with linear biases (Press, Smith and Lewis 2022): every head subtracts a slope of its
 * own times the distance from the logit.  Without a causal mask the distance counts alike in both
 * directions. */
#include <math.h>

#include "models/position/position.h"

/* For a power of two 2^(-8h/heads), h = 1 …; else those of the next lower power, followed by every
 * second one of twice that power. */
void th_position_slopes(int heads, double *slope)
{
    int power = 1;
    while (2 * power <= heads)
        power *= 2;
    for (int h = 0; h < heads; h++)
        slope[h] = h < power ? exp2(-8.0 * (h + 1) / power)
                             : exp2(-8.0 * (2 * (h - power) + 1) / (2 * power));
}

static ThVar bias(const ThPosition *p, ThTape *t, const int *param TH_UNUSED,
                  const ThPositionSpan *span)
{
    int columns = th_position_columns(p, span);
    float *value = th_tape_take(t, (size_t)p->heads * (size_t)columns, sizeof *value);
    double *slope = th_tape_take(t, (size_t)p->heads, sizeof *slope);
    if (!value || !slope)
        return -1;
    th_position_slopes(p->heads, slope);
    for (int h = 0; h < p->heads; h++)
        for (int c = 0; c < columns; c++)
            value[(size_t)h * (size_t)columns + (size_t)c] =
                (float)(-slope[h] * abs(th_position_distance(span, c)));
    return th_tape_constant(t, p->heads, columns, value);
}

const ThPositionKind th_position_alibi = {
    .name = "alibi",
    .summary = "ALiBi: each head subtracts its own slope times the distance",
    .source = "Press, Smith and Lewis 2022",
    .causal = true,
    .full = true,
    .biased = TH_TAPE_BIAS_DISTANCE,
    .bias = bias,
};
