/* Attention with linear biases (Press, Smith and Lewis 2022): every head subtracts a slope of its
 * own times the distance from the logit.  Without a causal mask the distance counts alike in both
 * directions. */
#include <math.h>
#include <stdlib.h>

#include "models/position.h"

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

/* Column span-1+j-i of row `head` is what key j of query i gets; with a causal mask only the first
 * `span` columns are ever asked for. */
static ThVar biases(const ThPosition *p, ThTape *t, int span)
{
    int columns = p->causal ? span : 2 * span - 1;
    float *bias = th_tape_take(t, (size_t)p->heads * (size_t)columns, sizeof *bias);
    double *slope = th_tape_take(t, (size_t)p->heads, sizeof *slope);
    if (!bias || !slope)
        return -1;
    th_position_slopes(p->heads, slope);
    for (int h = 0; h < p->heads; h++)
        for (int c = 0; c < columns; c++)
            bias[(size_t)h * (size_t)columns + (size_t)c] = (float)(-slope[h] * abs(span - 1 - c));
    return th_tape_constant(t, p->heads, columns, bias);
}

static void at_attention(const ThPosition *p, ThTape *t, int layer, ThVar bias, int span,
                         ThOpAttention *how)
{
    (void)p, (void)t, (void)layer, (void)span;
    how->biased = TH_TAPE_BIAS_DISTANCE;
    how->bias = bias;
}

const ThPositionKind th_position_alibi = {
    .name = "alibi",
    .summary = "ALiBi: each head subtracts its own slope times the distance",
    .source = "Press, Smith and Lewis 2022",
    .causal = true,
    .full = true,
    .prepare = biases,
    .at_attention = at_attention,
};
