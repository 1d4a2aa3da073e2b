#include "tasks/task_parts.h"

static const ThOptionSpec options[] = {
    {"depth", TH_INT, "2", 1, 1000, NULL, "greatest depth of brackets"},
    {0},
};

/* States 0 … n are depths, n+1 is the sink. */
static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    int n = (int)th_option_int(&t->options, "depth");
    ThDfa *d = th_dfa_new(n + 2, 2, 2, err);
    if (!d)
        return false;
    t->machine = d;
    d->label[0] = 1;
    for (int q = 0; q <= n + 1; q++) {
        d->next[2 * q] = q < n ? q + 1 : n + 1;
        d->next[2 * q + 1] = q == 0 || q > n ? n + 1 : q - 1;
    }
    return th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){0, "( )"},
                             (ThTaskNames){0, "reject accept"}, err);
}

/* Length of what stands inside a pair, m being the most: three quarters of it, more or less, and
 * even. */
static int inner_length(ThRng *r, int m)
{
    int inner = (int)(0.75 * m + 0.075 * m * th_rng_normal(r));
    inner -= (inner % 2 + 2) % 2;
    return inner < 0 ? 0 : inner > m ? m : inner;
}

/* Writes a word of D_n of an even length; returns its end. */
static int *generate(ThRng *r, int n, int *at, int length)
{
    if (n == 0)
        return at;
    int *end = at + length;
    while (at < end) {
        int inner = inner_length(r, (int)(end - at) - 2);
        *at++ = 0;
        at = generate(r, n - 1, at, inner);
        *at++ = 1;
    }
    return at;
}

static void member(const ThTask *t, ThRng *r, int *word, int length)
{
    generate(r, (int)th_option_int(&t->options, "depth"), word, length);
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    th_task_draw_balanced(t, r, b, member, length % 2 == 0, true);
    return true;
}

static double chance(const ThTask *t TH_UNUSED, int length)
{
    return length % 2 ? 1 : 0.5;
}

const ThTaskKind th_task_kind_dyck = {
    .name = "dyck",
    .summary = "are the brackets balanced, with depth at most depth=?",
    .source = "Bhattamishra et al. 2020, D_n; Chi et al. 2023, Table 1",
    .detail = "D_0 is the empty word, D_n any sequence of words of D_n-1 in brackets, as "
              "recognition.  Half of the strings of an even length are "
              "members, built from pairs whose inside takes about three quarters of the room that "
              "is left; the others are uniform strings outside D_n.  No string of odd length is a "
              "member, so answering reject always is right for 0.75 of all lengths together.",
    .options = options,
    .init = init,
    .draw = draw,
    .chance = chance,
};
