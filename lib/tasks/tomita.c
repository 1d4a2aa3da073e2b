#include <math.h>

#include "tasks/task_parts.h"

static const ThOptionSpec options[] = {
    {"number", TH_INT, NULL, 1, 7, NULL, "which of the seven languages"},
    {0},
};

typedef struct {
    int n_states;
    const char *accept; /* the accepting states, as digits */
    int next[5][2];
} Language;

static const Language languages[] = {
    {2, "0", {{1, 0}, {1, 1}}},                            /* 1* */
    {3, "0", {{2, 1}, {0, 2}, {2, 2}}},                    /* (10)* */
    {5, "012", {{0, 1}, {3, 0}, {3, 1}, {2, 4}, {4, 4}}},  /* no odd 1s, then odd 0s */
    {4, "012", {{1, 0}, {2, 0}, {3, 0}, {3, 3}}},          /* no 000 */
    {4, "0", {{2, 1}, {3, 0}, {0, 3}, {1, 2}}},            /* even 0s and even 1s */
    {3, "0", {{1, 2}, {2, 0}, {0, 1}}},                    /* as many 0s as 1s modulo 3 */
    {5, "0123", {{0, 1}, {2, 1}, {2, 3}, {4, 3}, {4, 4}}}, /* 0*1*0*1* */
};

static int number(const ThTask *t)
{
    return (int)th_option_int(&t->options, "number");
}

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    if (!th_option_given(&t->options, "number"))
        return th_fail(err, TH_EUSAGE, "tomita needs the number of a language") ||
               th_hint(err, "tomita number=1 … 7");
    const Language *l = &languages[number(t) - 1];
    t->machine = th_dfa_new(l->n_states, 2, 2, err);
    if (!t->machine)
        return false;
    memcpy(t->machine->next, l->next, (size_t)l->n_states * sizeof *l->next);
    for (const char *q = l->accept; *q; q++)
        t->machine->label[*q - '0'] = 1;
    return th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){0, "0 1"},
                             (ThTaskNames){0, "reject accept"}, err);
}

/* Appends up to `room` equal symbols, their number a multiple of `step` and uniform. */
static int append(ThRng *r, int *at, int room, int step, int symbol)
{
    int n = step * (int)th_rng_below(r, (uint64_t)(room / step) + 1);
    for (int i = 0; i < n; i++)
        at[i] = symbol;
    return n;
}

static void blocks_of_3(ThRng *r, int *word, int length)
{
    int ones = 0; /* in the latest run of ones */
    for (int n = 0; n < length;) {
        if (th_rng_below(r, 2)) {
            bool new_run = n > 0 && word[n - 1] == 0;
            int more = append(r, word + n, length - n, 1, 1);
            ones = more == 0 ? ones : new_run ? more : ones + more;
            n += more;
        } else {
            n += append(r, word + n, length - n, ones % 2 ? 2 : 1, 0);
        }
    }
}

static void member_of_3(const ThTask *t, ThRng *r, int *word, int length)
{
    do
        blocks_of_3(r, word, length);
    while (th_dfa_class(t->machine, word, (size_t)length) != 1);
}

static void member_of_4(int *word, ThRng *r, int length)
{
    for (int i = 0, zeros = 0; i < length; i++) {
        word[i] = zeros == 2 ? 1 : (int)th_rng_below(r, 2);
        zeros = word[i] ? 0 : zeros + 1;
    }
}

static void member_of_7(int *word, ThRng *r, int length)
{
    int n = append(r, word, length, 1, 0);
    n += append(r, word + n, length - n, 1, 1);
    n += append(r, word + n, length - n, 1, 0);
    for (; n < length; n++)
        word[n] = 1;
}

static void member(const ThTask *t, ThRng *r, int *word, int length)
{
    switch (number(t)) {
    case 1:
    case 2:
        for (int i = 0; i < length; i++)
            word[i] = number(t) == 1 || i % 2 == 0;
        return;
    case 3:
        member_of_3(t, r, word, length);
        return;
    case 4:
        member_of_4(word, r, length);
        return;
    case 7:
        member_of_7(word, r, length);
        return;
    default:
        do
            th_task_draw_uniform_word(2, r, word, length);
        while (th_dfa_class(t->machine, word, (size_t)length) != 1);
    }
}

/* Which sorts of strings there are at a length, as the samplers of the papers see it. */
static void sorts(const ThTask *t, int length, bool *members, bool *others)
{
    int n = number(t);
    bool even = length % 2 == 0;
    *members = !((n == 2 || n == 5) && !even) && !(n == 6 && length == 1);
    *others = !(n == 3 && length == 1) && !(n == 4 && length < 3) && !(n == 7 && length <= 4);
}

/* The first language has one member of each length: half of the strings are it, the rest uniform.
 */
static void draw_first(const ThTask *t, ThRng *r, ThBatch *b)
{
    for (int i = 0; i < b->B; i++) {
        int *word = th_batch_token(b, i);
        if (th_rng_below(r, 2))
            member(t, r, word, b->T);
        else
            th_task_draw_uniform_word(2, r, word, b->T);
    }
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    bool members, others;
    sorts(t, length, &members, &others);
    if (number(t) == 1)
        draw_first(t, r, b);
    else
        th_task_draw_balanced(t, r, b, member, members, others);
    return true;
}

static double chance(const ThTask *t, int length)
{
    bool members, others;
    sorts(t, length, &members, &others);
    if (number(t) == 1)
        return 0.5 + ldexp(0.5, -length);
    return members && others ? 0.5 : 1;
}

const ThTaskKind th_task_kind_tomita = {
    .name = "tomita",
    .summary = "is the string in the Tomita language number=?",
    .source = "Tomita 1982; Bhattamishra et al. 2020; Chi et al. 2023, Table 1",
    .detail = "1: 1*.  2: (10)*.  3: no odd run of 1s followed by an odd run of 0s.  4: no 000.  "
              "5: even numbers of 0s and of 1s.  6: as many 0s as 1s modulo 3.  7: 0*1*0*1*.\n\n"
              "Half of the strings are members where a length has both sorts, drawn as RegularGPT "
              "does (not uniformly); the others are uniform strings outside the language.  Odd "
              "lengths of 2 and 5 have no members, so answering reject always is right for 0.75 "
              "of all lengths together.  RegularGPT's code takes 0* for language 1.",
    .options = options,
    .init = init,
    .draw = draw,
    .chance = chance,
};
