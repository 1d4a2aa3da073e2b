/* Expressions of digits and + - *, without brackets: the same language under two papers' habits.
 *
 * A state is an unfinished expression reduced to two numbers modulo m: the sum s of the terms that
 * are complete, and what the next digit d multiplies.  Before a digit that is the pair <s,c>, and
 * reading d gives [s, cd], of value s + cd; before an operator it is the pair [s,p], of value
 * s + p.  Where an operator comes first, it does at [0,0]: so has what begins with any operator, as
 * the parts of an expression do, a value. */
#include "tasks/kit.h"

enum { PLUS, MINUS, TIMES, N_OPERATORS };

static int before_digit(int m, int s, int c)
{
    return s * m + (c % m + m) % m;
}

static int before_operator(int m, int s, int p)
{
    return m * m + s * m + p;
}

/* Symbols: the digits, the three operators, and `more` symbols that belong to no expression.  With
 * `sign` an operator comes first.  Class m: not the end of an expression. */
static ThDfa *machine(int m, int more, bool sign, ThError *err)
{
    int n = m + N_OPERATORS + more, sink = 2 * m * m;
    ThDfa *d = th_dfa_new(2 * m * m + 1, n, m + 1, err);
    if (!d)
        return NULL;
    d->start = sign ? before_operator(m, 0, 0) : before_digit(m, 0, 1);
    for (int q = 0; q <= sink; q++)
        d->label[q] = m;
    for (int i = 0; i < (sink + 1) * n; i++)
        d->next[i] = sink;
    for (int s = 0; s < m; s++) {
        for (int p = 0; p < m; p++) {
            int q = before_operator(m, s, p);
            int *next = d->next + q * n;
            d->label[q] = (s + p) % m;
            next[m + PLUS] = before_digit(m, (s + p) % m, 1);
            next[m + MINUS] = before_digit(m, (s + p) % m, -1);
            next[m + TIMES] = before_digit(m, s, p);
            for (int digit = 0; digit < m; digit++)
                d->next[before_digit(m, s, p) * n + digit] = before_operator(m, s, p * digit % m);
        }
    }
    return d;
}

static int modulus(const ThTask *t)
{
    return (int)th_option_int(&t->options, "modulus");
}

static bool has_sign(const ThTask *t)
{
    return t->kind == &th_task_kind_modular_arithmetic &&
           th_option_flag(&t->options, "leading_plus");
}

static int drawn_length(const ThTask *t, int length)
{
    return has_sign(t) ? length + length % 2 : length - (length % 2 == 0);
}

/* What draw writes. */
static ThDfa *words(const ThTask *t, ThError *err)
{
    enum { START, BEFORE_DIGIT, BEHIND_DIGIT, NONE, N_STATES };
    int m = modulus(t), n = t->signature.n_symbols;
    ThDfa *d = th_dfa_new(N_STATES, n, 2, err);
    if (!d)
        return NULL;
    d->start = has_sign(t) ? START : BEFORE_DIGIT;
    d->label[BEHIND_DIGIT] = 1;
    for (int i = 0; i < N_STATES * n; i++)
        d->next[i] = NONE;
    d->next[START * n + m + PLUS] = BEFORE_DIGIT;
    for (int a = 0; a < m; a++)
        d->next[BEFORE_DIGIT * n + a] = BEHIND_DIGIT;
    for (int a = m; a < m + N_OPERATORS; a++)
        d->next[BEHIND_DIGIT * n + a] = BEFORE_DIGIT;
    return d;
}

static double products(const ThTask *t)
{
    return th_option_real_or(&t->options, "products", 1.0 / N_OPERATORS);
}

static int draw_operator(const ThTask *t, ThRng *r)
{
    if (!th_option_given(&t->options, "products"))
        return (int)th_rng_below(r, N_OPERATORS);
    return th_rng_uniform(r) < products(t) ? TIMES : (int)th_rng_below(r, TIMES);
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    (void)err;
    int m = modulus(t), sign = has_sign(t);
    for (int i = 0; i < b->B; i++) {
        int *word = th_batch_token(b, i);
        if (sign)
            word[0] = m + PLUS;
        for (int k = sign; k < length; k++)
            word[k] = (k - sign) % 2 ? m + draw_operator(t, r) : (int)th_rng_below(r, (uint64_t)m);
    }
    return true;
}

static double weight(const void *context, int position, int state, int symbol)
{
    (void)state;
    const ThTask *t = context;
    int m = modulus(t), k = position - has_sign(t);
    if (k < 0)
        return symbol == m + PLUS;
    if (k % 2 == 0)
        return symbol < m ? 1.0 / m : 0;
    if (symbol == m + TIMES)
        return products(t);
    return symbol == m + PLUS || symbol == m + MINUS ? (1 - products(t)) / TIMES : 0;
}

static double chance(const ThTask *t, int length)
{
    return th_task_chance_by_weight(t, length, weight, t);
}

static bool init_modular_arithmetic(ThTask *t, const ThTaskSource *from, ThError *err)
{
    (void)from;
    int m = modulus(t);
    t->machine = machine(m, 1, has_sign(t), err);
    return t->machine && th_task_signature(t, TH_TARGET_FINAL, (ThTaskNames){m, "+ - * _"},
                                           (ThTaskNames){m, ""}, err);
}

#define COMMON_OPTIONS                                                                             \
    {"modulus", TH_INT, "5", 2, 30, NULL, "number of digits; the value is taken modulo this"},     \
    {                                                                                              \
        "products", TH_REAL, NULL, 0, 0.99, NULL,                                                  \
            "share of the operators that are *, a third if not given"                              \
    }

static const ThOptionSpec modular_arithmetic_options[] = {
    COMMON_OPTIONS,
    {"leading_plus", TH_FLAG, "yes", 0, 0, NULL, "start every expression with a +"},
    {0},
};

const ThTaskKind th_task_kind_modular_arithmetic = {
    .name = "modular_arithmetic",
    .summary = "the value of an expression of digits and + - *, modulo modulus=",
    .source = "Delétang et al. 2023, Modular Arithmetic (Simple); Chi et al. 2023, Table 1",
    .detail =
        "Digits and operators are uniform (see products=) and independent; * binds tighter, "
        "the value is not negative.  The symbol _ belongs to the alphabet but is never drawn.\n\n"
        "RegularGPT's code puts a + in front, so that operator and digit come in pairs: with "
        "leading_plus=yes lengths are even (an odd one is drawn one longer); with "
        "leading_plus=no they are odd (an even one is drawn one shorter).",
    .options = modular_arithmetic_options,
    .init = init_modular_arithmetic,
    .length = drawn_length,
    .draw = draw,
    .words = words,
    .chance = chance,
};

static bool init_mod_arith(ThTask *t, const ThTaskSource *from, ThError *err)
{
    (void)from;
    int m = modulus(t);
    t->machine = machine(m, 0, false, err);
    return t->machine && th_task_signature(t, th_task_labels(t), (ThTaskNames){m, "+ - *"},
                                           (ThTaskNames){m, ""}, err);
}

static const ThOptionSpec mod_arith_options[] = {
    COMMON_OPTIONS,
    {"labels", TH_CHOICE, "every", 0, 0, "every|final|last",
     "answers after every digit, or one a string; last: after every digit, and the last one is "
     "asked"},
    {0},
};

const ThTaskKind th_task_kind_mod_arith = {
    .name = "mod_arith",
    .summary = "the value of an expression so far, after every digit",
    .source = "Fan et al. 2023 (block-diagonal LRNN), ModArith",
    .detail = "Expressions of odd length (an even length is drawn one shorter), digits and "
              "operators uniform and independent.  With labels=every, as in the paper, the value "
              "is asked after every digit; nothing is asked after an operator.",
    .options = mod_arith_options,
    .init = init_mod_arith,
    .length = drawn_length,
    .draw = draw,
    .words = words,
    .chance = chance,
};
