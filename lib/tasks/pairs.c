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

static bool init_even_pairs(ThTask *t, const ThTaskSource *from, ThError *err)
{
    (void)from;
    t->machine = machine(2, 0, err);
    return t->machine && th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){0, "a b"},
                                           (ThTaskNames){0, "even odd"}, err);
}

const ThTaskKind th_task_kind_even_pairs = {
    .name = "even_pairs",
    .summary = "is the number of ab and ba in the string even?",
    .source = "Delétang et al. 2023, Even Pairs; Chi et al. 2023, Table 1",
    .detail = "Uniform strings over a and b.  The answer is even exactly where the first symbol "
              "is also the last.",
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

static bool init_even_pair(ThTask *t, const ThTaskSource *from, ThError *err)
{
    (void)from;
    int m = (int)th_option_int(&t->options, "modulus");
    t->machine = machine(m, 1, err);
    return t->machine && th_task_signature(t, th_task_labels(t), (ThTaskNames){m, ""},
                                           (ThTaskNames){0, "different equal"}, err);
}

const ThTaskKind th_task_kind_even_pair = {
    .name = "even_pair",
    .summary = "is the symbol at each position the first symbol again?",
    .source = "Fan et al. 2023 (block-diagonal LRNN), EvenPair",
    .detail = "Uniform strings over the numbers below modulus=.  With labels=every, as in the "
              "paper, every prefix is labelled, the first trivially equal.  The answer different "
              "is right four times in five for modulus=5.",
    .options = even_pair_options,
    .init = init_even_pair,
    .draw = th_task_draw_uniform,
    .chance = th_task_chance_uniform,
};
