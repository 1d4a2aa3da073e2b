/* The sines and cosines of Vaswani et al. 2017, section 3.5, added to the embeddings: column 2t of
 * position i holds sin(i/10000^(2t/d)), column 2t+1 the cosine. */
#include <math.h>

#include "models/position/position.h"

static bool check(const ThPosition *p, ThError *err)
{
    return p->dim % 2 == 0 ||
           th_fail(err, TH_EUSAGE,
                   "position=sinusoidal pairs sines with cosines: dim=%d must be even", p->dim);
}

static ThVar at_input(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows)
{
    int d = p->dim, from = rows->position ? 0 : rows->first;
    int n = th_position_last(rows) + 1 - from;
    float *table = th_tape_take(t, (size_t)n * (size_t)d, sizeof *table);
    for (int k = 0; table && k < d; k += 2) {
        double frequency = pow(10000, -(double)k / d);
        for (int i = 0; i < n; i++) {
            float *to = table + (size_t)i * (size_t)d + k;
            to[0] = (float)sin((from + i) * frequency);
            to[1] = (float)cos((from + i) * frequency);
        }
    }
    return table ? th_position_add(t, x, th_tape_constant(t, n, d, table), from, rows) : -1;
}

const ThPositionKind th_position_sinusoidal = {
    .name = "sinusoidal",
    .summary = "sines and cosines of the position, added to the embeddings",
    .source = "Vaswani et al. 2017, section 3.5",
    .causal = true,
    .full = true,
    .check = check,
    .at_input = at_input,
};
