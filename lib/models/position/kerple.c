/* Kernelised relative positions, logarithmic form (Chi, Fan, Ramadge and Rudnicky 2022, section 4):
 * each head subtracts r1 ln(1 + r2 distance), both learned and positive. */
#include <float.h>

#include "models/position/position.h"

enum { SCALE, RATE };

static void bind(const ThPosition *p, int *param, ThModelBuilder *b)
{
    param[SCALE] = th_position_build(p, b, "position.scale", 2, (double)FLT_MAX);
    param[RATE] = th_position_build(p, b, "position.rate", 1, (double)FLT_MAX);
}

static ThVar bias(const ThPosition *p, ThTape *t, const int *param, const ThPositionSpan *span)
{
    int columns = th_position_columns(p, span);
    float *distance = th_tape_take(t, (size_t)columns, sizeof *distance);
    for (int c = 0; distance && c < columns; c++)
        distance[c] = (float)abs(th_position_distance(span, c));
    if (!distance)
        return -1;
    ThVar scale = th_position_positive(t, th_param(t, param[SCALE]));
    ThVar rate = th_position_positive(t, th_param(t, param[RATE]));
    ThVar inner = th_op_linear(t, rate, th_tape_constant(t, 1, columns, distance), -1);
    ThVar logarithm = th_op_map(t, th_op_affine(t, inner, 1, 1), TH_MAP_LOG);
    return th_op_scale(t, th_op_times_column(t, logarithm, scale), -1);
}

const ThPositionKind th_position_kerple = {
    .name = "kerple",
    .summary = "KERPLE, logarithmic: each head subtracts r1 ln(1 + r2 distance), both learned",
    .source = "Chi, Fan, Ramadge and Rudnicky 2022, section 4",
    .options = "tied",
    .causal = true,
    .full = true,
    .biased = TH_TAPE_BIAS_DISTANCE,
    .bias = bias,
    .bind_bias = bind,
};
