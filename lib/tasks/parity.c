#include "tasks/task_parts.h"

static const ThOptionSpec options[] = {
    {"probability", TH_REAL, "0.5", 0, 1, NULL, "probability of b at every position"},
    {0},
};

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    t->machine = th_task_cyclic_machine(2, 2, (const int[]){0, 1}, err);
    return t->machine && th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){0, "a b"},
                                           (ThTaskNames){0, "even odd"}, err);
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    double p = th_option_real(&t->options, "probability");
    for (size_t i = 0; i < (size_t)b->B * (size_t)length; i++)
        b->token[i] = th_rng_uniform(r) < p;
    return true;
}

static double weight(const void *context, int position TH_UNUSED, int state TH_UNUSED, int symbol)
{
    const double *p = context;
    return symbol == 1 ? *p : 1 - *p;
}

static double chance(const ThTask *t, int length)
{
    double p = th_option_real(&t->options, "probability");
    return th_task_chance_by_weight(t, length, weight, &p);
}

const ThTaskKind th_task_kind_parity = {
    .name = "parity",
    .summary = "is the number of b even or odd?",
    .source = "Delétang et al. 2023, Parity Check; Chi et al. 2023, Tables 1 and 2",
    .detail = "Strings over a and b; every symbol is b with probability probability=, "
              "independently.  Table 2 of RegularGPT trains at 0.5 and tests from 0.1 to 0.9.",
    .options = options,
    .init = init,
    .draw = draw,
    .chance = chance,
};
