/* A learned vector for every position up to a longest, added to the embeddings (Gehring et al.
 * 2017; Vaswani et al. 2017, section 3.5; GPT). */
#include "models/position/position.h"

enum { TABLE };
enum { LONGEST = 512 };

static int longest(const ThPosition *p)
{
    return (int)th_option_int_or(p->options, "longest", LONGEST);
}

static void bind(ThPosition *p, ThModelBuilder *b)
{
    p->param[TABLE] = th_model_build(b, "position", longest(p), p->dim, TH_INIT_NORMAL, 0.02);
}

static ThVar at_input(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows)
{
    int needed = th_position_last(rows) + 1;
    if (needed <= longest(p))
        return th_position_add(t, x, th_param(t, p->param[TABLE]), 0, rows);
    th_tape_fail(t, TH_EVALUE,
                 "position=learned knows %d positions, and the input has %d: a model with "
                 "longest=%d reads it",
                 longest(p), needed, needed);
    return -1;
}

const ThPositionKind th_position_learned = {
    .name = "learned",
    .summary = "a learned vector for each position, added to the embeddings; up to longest=",
    .source = "Gehring et al. 2017, section 3.1",
    .options = "longest",
    .causal = true,
    .full = true,
    .bind = bind,
    .at_input = at_input,
};
