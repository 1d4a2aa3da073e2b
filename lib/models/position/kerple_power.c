/* Kernelised relative positions, power form (Chi, Fan, Ramadge and Rudnicky 2022, section 4): each
 * head subtracts r1 distance^r2, both learned, r1 positive, r2 in (0, 2]. */
#include <float.h>
#include <math.h>

#include "models/position/position.h"

enum { SCALE, POWER };

static void bind(const ThPosition *p, int *param, ThModelBuilder *b)
{
    param[SCALE] = th_position_build(p, b, "position.scale", 1, (double)FLT_MAX);
    param[POWER] = th_position_build(p, b, "position.power", 2, 2);
}

/* At most 2, as the theorem wants it. */
static ThVar power_of(ThTape *t, ThVar weight)
{
    ThVar over = th_op_affine(t, th_position_positive(t, weight), 1, -2);
    return th_op_affine(t, th_op_relu(t, th_op_scale(t, over, -1)), -1, 2);
}

/* distance^r2 = exp(r2 ln distance), and 0 at distance 0. */
static ThVar bias(const ThPosition *p, ThTape *t, const int *param, const ThPositionSpan *span)
{
    int columns = th_position_columns(p, span);
    float *logarithm = th_tape_take(t, 2 * (size_t)columns, sizeof *logarithm);
    float *apart = logarithm ? logarithm + columns : NULL;
    for (int c = 0; logarithm && c < columns; c++) {
        int distance = abs(th_position_distance(span, c));
        logarithm[c] = distance ? (float)log(distance) : 0;
        apart[c] = distance ? -1 : 0;
    }
    if (!logarithm)
        return -1;
    ThVar scale = th_position_positive(t, th_param(t, param[SCALE]));
    ThVar power = power_of(t, th_param(t, param[POWER]));
    ThVar exponent = th_op_linear(t, power, th_tape_constant(t, 1, columns, logarithm), -1);
    ThVar value = th_op_times_column(t, th_op_map(t, exponent, TH_MAP_EXP), scale);
    return th_op_times_row(t, value, th_tape_constant(t, 1, columns, apart));
}

const ThPositionKind th_position_kerple_power = {
    .name = "kerple_power",
    .summary = "KERPLE, power: each head subtracts r1 distance^r2, both learned, r2 up to 2",
    .source = "Chi, Fan, Ramadge and Rudnicky 2022, section 4",
    .options = "tied",
    .causal = true,
    .full = true,
    .biased = TH_TAPE_BIAS_DISTANCE,
    .bias = bias,
    .bind_bias = bind,
};
