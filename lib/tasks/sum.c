
#include "tasks/task_parts.h"

static const ThOptionSpec options[] = {
    {"modulus", TH_INT, "5", 2, 100, NULL, "the sum is taken modulo this"},
    {"labels", TH_CHOICE, "every", 0, 0, "every|final|last",
     "answers at every position, or one a string; last: at every position, and the last one is "
     "asked"},
    {0},
};

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    int m = (int)th_option_int(&t->options, "modulus");
    int *move TH_OWNED(free) = th_alloc((size_t)m, sizeof *move, err);
    if (!move)
        return false;
    for (int i = 0; i < m; i++)
        move[i] = i;
    t->machine = th_task_cyclic_machine(m, m, move, err);
    return t->machine &&
           th_task_signature(t, th_task_labels(t), (ThTaskNames){m, ""}, (ThTaskNames){m, ""}, err);
}

const ThTaskKind th_task_kind_sum = {
    .name = "sum",
    .summary = "the running sum of numbers, modulo modulus=",
    .source = "Fan et al. 2023 (block-diagonal LRNN), Sum",
    .detail = "Uniform strings over the numbers below modulus=.  With labels=every, as in the "
              "paper, every prefix is labelled with its sum.",
    .options = options,
    .init = init,
    .draw = th_task_draw_uniform,
    .chance = th_task_chance_uniform,
};
