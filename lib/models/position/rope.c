/* Rotary positions (Su et al. 2021, section 3.2): pairs of columns of queries and keys turn by
 * angles that grow with the position, so that their product depends on the distance. */
#include "models/position/position.h"

static ThVar turn(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows)
{
    return th_position_turn(p, t, x, rows, 0);
}

const ThPositionKind th_position_rope = {
    .name = "rope",
    .summary = "RoPE: pairs of columns of queries and keys turn with the position",
    .source = "Su et al. 2021, section 3.2",
    .options = "rotary_fraction|rotary_pairs|base",
    .causal = true,
    .full = true,
    .check = th_position_turns,
    .at_queries = turn,
    .at_keys = turn,
};
