/* Rotary positions whose pairs decay with the distance, fast ones first (Sun et al. 2022, section
 * 3): queries grow by ζ^(i/512) and keys by ζ^(-j/512). */
#include "models/position/position.h"

/* ζ is at least 0.4/1.4: farther out the factors leave the range of floats. */
enum { DECAYS = 60 };

static double decay(const ThPosition *p)
{
    return th_option_real_or(p->options, "decay", 512);
}

static ThVar turn(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows, double way)
{
    int last = th_position_last(rows);
    if (last <= DECAYS * decay(p))
        return th_position_turn(p, t, x, rows, way / decay(p));
    th_tape_fail(t, TH_EVALUE,
                 "position=xpos with decay=%g reads %.0f positions, and the input has %d", decay(p),
                 DECAYS * decay(p) + 1, last + 1);
    return -1;
}

static ThVar at_queries(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows)
{
    return turn(p, t, q, rows, 1);
}

static ThVar at_keys(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows)
{
    return turn(p, t, kv, rows, -1);
}

const ThPositionKind th_position_xpos = {
    .name = "xpos",
    .summary = "xPos: RoPE whose pairs decay with the distance",
    .source = "Sun et al. 2022, section 3",
    .options = "rotary_fraction|rotary_pairs|base|decay",
    .causal = true,
    .full = true, /* keys ahead grow with the distance, as published models have it */
    .check = th_position_turns,
    .at_queries = at_queries,
    .at_keys = at_keys,
};
