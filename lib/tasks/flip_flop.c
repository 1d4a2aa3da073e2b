/* One bit of memory, kept over a long stretch of noise. */
#include "tasks/task_parts.h"

enum { WRITE, IGNORE, READ, ZERO, ONE };

static const ThOptionSpec options[] = {
    {"ignore", TH_REAL, "0.8", 0, 1, NULL,
     "chance of an instruction to be i, between the first and the last"},
    {"reads", TH_CHOICE, "all", 0, 0, "all|last", "which reads are asked for"},
    {0},
};
enum { READS_ALL, READS_LAST }; /* reads= */

static bool last_only(const ThTask *t)
{
    return th_option_choice(&t->options, "reads") == READS_LAST;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* Its states: an instruction comes next, or the bit that belongs to one; each with what is stored;
 * and one for what is no such string. */
enum { NEXT = 0, IGNORED = 2, ASKED = 4, WRITTEN = 6, BROKEN = 7, N_STATES };

static void set_move(ThDfa *d, int state, int symbol, int to)
{
    d->next[state * d->n_symbols + symbol] = to;
}

/* Answers are symbols; the class behind them asks for nothing. */
static ThDfa *memory_machine(ThError *err)
{
    ThDfa *d = th_dfa_new(N_STATES, 5, 6, err);
    if (!d)
        return NULL;
    for (int i = 0; i < d->n_states * d->n_symbols; i++)
        d->next[i] = BROKEN;
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = d->n_symbols;
    for (int bit = 0; bit < 2; bit++) {
        set_move(d, NEXT + bit, WRITE, WRITTEN);
        set_move(d, NEXT + bit, IGNORE, IGNORED + bit);
        set_move(d, NEXT + bit, READ, ASKED + bit);
        set_move(d, WRITTEN, ZERO + bit, NEXT + bit);
        set_move(d, ASKED + bit, ZERO + bit, NEXT + bit);
        for (int noise = ZERO; noise <= ONE; noise++)
            set_move(d, IGNORED + bit, noise, NEXT + bit);
        d->label[ASKED + bit] = ZERO + bit;
    }
    return d;
}

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    static const ThTaskNames symbols = {0, "w i r 0 1"};
    if (!last_only(t) && !(t->machine = memory_machine(err)))
        return false;
    t->signature.next = true;
    return th_task_signature(t, TH_TARGET_EVERY, symbols, symbols, err);
}

/* ---- strings --------------------------------------------------------------------------------- */

/* The last bit is asked for and not read. */
static int even_length(const ThTask *t TH_UNUSED, int length)
{
    return length < 4 ? 4 : length + length % 2;
}

static int tokens(const ThTask *t TH_UNUSED, int length)
{
    return length - 1;
}

static int draw_instruction(ThRng *r, double ignore)
{
    if (th_rng_uniform(r) < ignore)
        return IGNORE;
    return th_rng_below(r, 2) ? READ : WRITE;
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    double ignore = th_option_real(&t->options, "ignore");
    for (int i = 0; i < b->B; i++) {
        int *row = th_batch_token(b, i), stored = ZERO;
        for (int k = 0; k + 2 < length; k += 2) {
            row[k] = k == 0 ? WRITE : draw_instruction(r, ignore);
            row[k + 1] = row[k] == READ ? stored : ZERO + (int)th_rng_below(r, 2);
            stored = row[k] == WRITE ? row[k + 1] : stored;
        }
        row[length - 2] = READ;
    }
    return true;
}

static void label(const ThTask *t, ThBatch *b)
{
    bool last = last_only(t);
    for (int i = 0; i < b->B; i++) {
        const int *row = th_batch_token(b, i);
        int n = th_batch_length(b, i), *target = th_batch_target(&t->signature, b, i), stored = -1;
        for (int k = 0; k < n; k++) {
            bool asked = row[k] == READ && (!last || k == n - 1);
            target[k] = asked ? stored : -1;
            if (k > 0 && row[k - 1] == WRITE)
                stored = row[k];
        }
    }
}

static double chance(const ThTask *t TH_UNUSED, int length TH_UNUSED)
{
    return 0.5;
}

const ThTaskKind th_task_kind_flip_flop = {
    .name = "flip_flop",
    .summary = "which bit was written last? w1i0i1w0i1r0",
    .source = "Liu et al. 2023 (Exposing Attention Glitches with Flip-Flop Language Modeling); Ray "
              "Chowdhury and Caragea 2024, section 4.3",
    .detail =
        "Pairs of an instruction and a bit, length= symbols in all, an even number.  A bit behind "
        "w is stored, one behind i means nothing, and one behind r is the stored bit, which is "
        "asked for: the answer at r is the symbol that follows.  The first instruction is w, the "
        "last is r, the others are i with a chance of ignore= and else w or r alike.  The last "
        "bit is not read.  ignore=0.98 makes reads and writes rare, so that nothing but a memory "
        "helps; with ignore=0.1 the bit before is right 95 times in 100.\n\n"
        "evaluate gives the share of right bits over all reads, and that over the last reads on a "
        "task with reads=last.  A constant answer is right half of the time.",
    .options = options,
    .init = init,
    .length = even_length,
    .tokens = tokens,
    .draw = draw,
    .label = label,
    .chance = chance,
};
