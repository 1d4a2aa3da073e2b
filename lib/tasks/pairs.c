/* Two papers, one machine: is the first symbol the last one?  It is if and only if the number of
 * unequal neighbours is even over two symbols.  The papers number the classes differently. */
#include "tasks/task_parts.h"

/* State 0 is the start; 1 + 2f and 2 + 2f have seen f first and end with f, or with another. */
static ThDfa *machine(int m, int equal, ThError *err)
{
    ThDfa *d = th_dfa_new(2 * m + 1, m, 2, err);
    if (!d)
        return NULL;
    for (int a = 0; a < m; a++)
        d->next[a] = 1 + 2 * a;
    for (int f = 0; f < m; f++) {
        for (int same = 0; same < 2; same++) {
            int q = 2 + 2 * f - same;
            d->label[q] = same ? equal : 1 - equal;
            for (int a = 0; a < m; a++)
                d->next[q * m + a] = 2 + 2 * f - (a == f);
        }
    }
    return d;
}

static const ThOptionSpec even_pairs_options[] = {
    {"variant", TH_CHOICE, "deletang", 0, 0, "deletang|fan",
     "whose: even or odd of a string of a and b, or different or equal at each position of a "
     "string of numbers"},
    {"modulus", TH_INT, NULL, 2, 100, NULL, "variant=fan: number of symbols, 5 if not given"},
    {"labels", TH_CHOICE, NULL, 0, 0, "every|final|last",
     "variant=fan: answers at every position, as if not given, or one a string; last: at every "
     "position, and the last one is asked"},
    {0},
};

static bool init_even_pair(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    int m = (int)th_option_int_or(&t->options, "modulus", 5);
    t->machine = machine(m, 1, err);
    return t->machine && th_task_signature(t, th_task_labels(t), (ThTaskNames){m, ""},
                                           (ThTaskNames){0, "different equal"}, err);
}

static bool init_even_pairs(ThTask *t, const ThTaskSource *from, ThError *err)
{
    static const char *const of_fan[] = {"modulus", "labels", NULL};
    if (th_task_is_fans(t))
        return init_even_pair(t, from, err);
    if (!th_task_only_fans(t, of_fan, err))
        return false;
    t->machine = machine(2, 0, err);
    return t->machine && th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){0, "a b"},
                                           (ThTaskNames){0, "even odd"}, err);
}

const ThTaskKind th_task_kind_even_pairs = {
    .name = "even_pairs",
    .summary = "is the number of ab and ba in the string even?",
    .source =
        "Delétang et al. 2023, Even Pairs; Chi et al. 2023, Table 1; variant=fan: Fan et al. 2023 "
        "(block-diagonal LRNN), EvenPair",
    .detail =
        "Uniform strings over a and b.  The answer is even exactly where the first symbol is also "
        "the last.\n\n"
        "With variant=fan uniform strings over the numbers below modulus=, and at each position "
        "whether its symbol is the first symbol again, the first trivially equal.  The answer "
        "different is right four times in five for modulus=5.",
    .options = even_pairs_options,
    .init = init_even_pairs,
    .draw = th_task_draw_uniform,
    .chance = th_task_chance_uniform,
};

static const ThOptionSpec even_pair_options[] = {
    {"modulus", TH_INT, "5", 2, 100, NULL, "number of symbols"},
    {"labels", TH_CHOICE, "every", 0, 0, "every|final|last",
     "answers at every position, or one a string; last: at every position, and the last one is "
     "asked"},
    {0},
};

const ThTaskKind th_task_kind_even_pair = {
    .name = "even_pair",
    .summary = "even_pairs variant=fan",
    .detail = "A name of before: help even_pairs says more.",
    .source = "Fan et al. 2023 (block-diagonal LRNN), EvenPair",
    .former = true,
    .options = even_pair_options,
    .init = init_even_pair,
    .draw = th_task_draw_uniform,
    .chance = th_task_chance_uniform,
};
