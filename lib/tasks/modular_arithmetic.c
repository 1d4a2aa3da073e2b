/* Expressions of digits and + - *, the same language under two papers' habits, and with brackets.
 *
 * A state is an unfinished expression reduced to two numbers modulo m: the sum s of the terms that
 * are complete, and what the next digit d multiplies.  Before a digit that is the pair <s,c>, and
 * reading d gives [s, cd], of value s + cd; before an operator it is the pair [s,p], of value
 * s + p.  Where an operator comes first, it does at [0,0]: so has what begins with any operator, as
 * the parts of an expression do, a value.  Within brackets the state is a stack of such pairs:
 * those before the brackets that are open, and the present one. */
#include <math.h>

#include "tasks/task_parts.h"

enum { PLUS, MINUS, TIMES, N_OPERATORS };
enum { MOST_STATES = 1 << 16 };

/* A machine that is being filled. */
typedef struct {
    ThDfa *d;
    int m, open, n; /* open: the symbol of an opening bracket, before that of a closing one */
} Machine;

/* Where brackets are open, `before` is a number of the pairs before them, and `first` the first
 * state with as many. */
typedef struct {
    int first, before;
} Within;

static int before_digit(int m, Within w, int s, int c)
{
    return w.first + 2 * m * m * w.before + s * m + (c % m + m) % m;
}

static int before_operator(int m, Within w, int s, int p)
{
    return w.first + 2 * m * m * w.before + m * m + s * m + p;
}

static void fill_pair(const Machine *k, Within w, int s, int p)
{
    int m = k->m, q = before_operator(m, w, s, p), *next = k->d->next + q * k->n;
    next[m + PLUS] = before_digit(m, w, (s + p) % m, 1);
    next[m + MINUS] = before_digit(m, w, (s + p) % m, -1);
    next[m + TIMES] = before_digit(m, w, s, p);
    for (int digit = 0; digit < m; digit++)
        k->d->next[before_digit(m, w, s, p) * k->n + digit] =
            before_operator(m, w, s, p * digit % m);
}

/* Brackets opened before a digit at <s,c>, and closed again. */
static void fill_brackets(const Machine *k, Within w, Within inner, int s, int c)
{
    int m = k->m;
    inner.before = w.before * m * m + s * m + c;
    k->d->next[before_digit(m, w, s, c) * k->n + k->open] = before_digit(m, inner, 0, 1);
    for (int t = 0; t < m; t++)
        for (int p = 0; p < m; p++)
            k->d->next[before_operator(m, inner, t, p) * k->n + k->open + 1] =
                before_operator(m, w, s, c * (t + p) % m);
}

/* States with brackets open `depth` deep at most, save the sink; MOST_STATES where they are more.
 */
static int count_states(int m, int depth)
{
    int level = 2 * m * m, all = level;
    for (int k = 0; k < depth && all < MOST_STATES; k++)
        all += level = level < MOST_STATES ? level * m * m : level;
    return all < MOST_STATES ? all : MOST_STATES;
}

/* Symbols: the digits, the three operators, and `more` symbols that belong to no expression; then,
 * where depth is above 0, brackets.  With `sign` an operator comes first.  Class m: not the end of
 * an expression. */
static ThDfa *machine(int m, int more, bool sign, int depth, ThError *err)
{
    int open = m + N_OPERATORS + more, n = open + (depth > 0 ? 2 : 0),
        sink = count_states(m, depth);
    ThDfa *d = th_dfa_new(sink + 1, n, m + 1, err);
    if (!d)
        return NULL;
    Machine k = {d, m, open, n};
    Within w = {0, 0}, inner = {2 * m * m, 0};
    d->start = sign ? before_operator(m, w, 0, 0) : before_digit(m, w, 0, 1);
    for (int q = 0; q <= sink; q++)
        d->label[q] = m;
    for (int i = 0; i < (sink + 1) * n; i++)
        d->next[i] = sink;
    for (int i = 0; i < m * m; i++)
        d->label[before_operator(m, w, i / m, i % m)] = (i / m + i % m) % m;
    for (int outer = 1; w.first < sink; outer *= m * m) {
        inner.first = w.first + 2 * m * m * outer;
        for (w.before = 0; w.before < outer; w.before++) {
            for (int i = 0; i < m * m; i++)
                fill_pair(&k, w, i / m, i % m);
            for (int i = 0; inner.first < sink && i < m * m; i++)
                fill_brackets(&k, w, inner, i / m, i % m);
        }
        w.first = inner.first;
    }
    return d;
}

static int modulus(const ThTask *t)
{
    return (int)th_option_int(&t->options, "modulus");
}

static int depth_of(const ThTask *t)
{
    bool may = th_option_known(&t->options, "depth");
    return may ? (int)th_option_int(&t->options, "depth") : 0;
}

/* The symbol of an opening bracket, which one of a closing one follows. */
static int bracket(const ThTask *t)
{
    return t->signature.n_symbols - 2;
}

static bool has_sign(const ThTask *t)
{
    return t->kind == &th_task_kind_modular_arithmetic && !th_task_is_fans(t) &&
           th_option_flag(&t->options, "leading_plus");
}

/* ---- labels without a machine ---------------------------------------------------------------- */

/* The machine's state: <sum, factor> before a digit, [sum, factor] behind one; and the pairs before
 * the brackets that are open. */
typedef struct {
    int sum, factor;
    bool behind;
} Pair;

/* Reads a symbol that belongs to no bracket; false where none of this kind can stand here. */
static bool read_symbol(Pair *x, int m, int symbol)
{
    if (symbol >= m + N_OPERATORS || x->behind == (symbol < m))
        return false;
    x->behind = symbol < m;
    if (symbol < m) {
        x->factor = x->factor * symbol % m;
    } else if (symbol != m + TIMES) {
        x->sum = (x->sum + x->factor) % m;
        x->factor = symbol == m + PLUS ? 1 : m - 1;
    }
    return true;
}

/* The value of an expression, -1 where it is none. */
static int value_of(const ThTask *t, const int *word, int n)
{
    enum { DEEPEST = 8 };
    Pair at[DEEPEST + 1] = {{.factor = !has_sign(t), .behind = has_sign(t)}};
    int m = modulus(t), depth = 0;
    for (int i = 0; i < n; i++) {
        if (word[i] == bracket(t) && !at[depth].behind && depth < depth_of(t)) {
            at[++depth] = (Pair){.factor = 1};
        } else if (word[i] == bracket(t) + 1 && at[depth].behind && depth > 0) {
            Pair inner = at[depth--];
            at[depth].factor = at[depth].factor * (inner.sum + inner.factor) % m;
            at[depth].behind = true;
        } else if (!read_symbol(&at[depth], m, word[i])) {
            return -1;
        }
    }
    return depth == 0 && at[0].behind ? (at[0].sum + at[0].factor) % m : -1;
}

static void label(const ThTask *t, ThBatch *b)
{
    for (int i = 0; i < b->B; i++)
        *th_batch_target(&t->signature, b, i) =
            value_of(t, th_batch_token(b, i), th_batch_length(b, i));
}

/* ---- strings --------------------------------------------------------------------------------- */

static int drawn_length(const ThTask *t, int length)
{
    return has_sign(t) ? length + length % 2 : length - (length % 2 == 0);
}

/* What draw writes. */
static ThDfa *words(const ThTask *t, ThError *err)
{
    /* The last two for each depth. */
    enum { START, NONE, BEFORE_DIGIT, BEHIND_DIGIT, N_WITHIN = 2 };
    int m = modulus(t), n = t->signature.n_symbols, depth = depth_of(t);
    ThDfa *d = th_dfa_new(BEFORE_DIGIT + N_WITHIN * (depth + 1), n, 2, err);
    if (!d)
        return NULL;
    d->start = has_sign(t) ? START : BEFORE_DIGIT;
    d->label[BEHIND_DIGIT] = 1;
    for (int i = 0; i < d->n_states * n; i++)
        d->next[i] = NONE;
    d->next[START * n + m + PLUS] = BEFORE_DIGIT;
    for (int k = 0; k <= depth; k++) {
        int before = BEFORE_DIGIT + N_WITHIN * k, behind = BEHIND_DIGIT + N_WITHIN * k;
        for (int a = 0; a < m; a++)
            d->next[before * n + a] = behind;
        for (int a = m; a < m + N_OPERATORS; a++)
            d->next[behind * n + a] = before;
        if (k < depth)
            d->next[before * n + bracket(t)] = before + N_WITHIN;
        if (k > 0)
            d->next[behind * n + bracket(t) + 1] = behind - N_WITHIN;
    }
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

/* Share of brackets where they have room. */
static const double BRACKETS = 1.0 / 3;

/* Writes an expression of an odd length; returns its end. */
static int *draw_expression(const ThTask *t, ThRng *r, int *at, int length, int depth)
{
    for (int *end = at + length;; *at++ = modulus(t) + draw_operator(t, r)) {
        int room = (int)(end - at) - 2; /* between brackets */
        if (depth > 0 && room > 0 && th_rng_uniform(r) < BRACKETS) {
            int inner = 1 + 2 * (int)th_rng_below(r, (uint64_t)(room + 1) / 2);
            *at++ = bracket(t);
            at = draw_expression(t, r, at, inner, depth - 1);
            *at++ = bracket(t) + 1;
        } else {
            *at++ = (int)th_rng_below(r, (uint64_t)modulus(t));
        }
        if (at == end)
            return at;
    }
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    for (int i = 0; i < b->B; i++) {
        int *word = th_batch_token(b, i);
        if (has_sign(t))
            *word++ = modulus(t) + PLUS;
        draw_expression(t, r, word, length - has_sign(t), depth_of(t));
    }
    return true;
}

static double weight(const void *context, int position, int state TH_UNUSED, int symbol)
{
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

/* What a term of value v, of probability p, makes of the distribution `then` of what comes behind
 * the next operator, NULL for none.  A term is as often v as -v: a difference is distributed as a
 * sum. */
static void add_term(const ThTask *t, double p, int v, const double *then, double *to)
{
    int m = modulus(t);
    if (!then)
        to[v * m] += p;
    for (int i = 0; then && i < m * m; i++) {
        int a = i / m, b = i % m;
        to[v * m + (a + b) % m] += p * (1 - products(t)) * then[i];
        to[v * a % m * m + b] += p * products(t) * then[i];
    }
}

/* The value of an expression that has L symbols behind <s,c> is s + c a + b: the distributions (m,
 * m) of a and b for odd L, one behind the other, from those of values within brackets (m for each
 * odd length), NULL for none. */
static void fill_rest(const ThTask *t, const double *within, int lengths, double *rest)
{
    int m = modulus(t), size = m * m;
    for (int l = 0; l < lengths; l++) { /* L = 2 l + 1 */
        int room = within ? l : 0;      /* lengths that fit between brackets */
        for (int i = -1; i < room; i++) {
            int left = i < 0 ? l : l - 1 - i; /* digit, or brackets with 2 i + 1 symbols */
            double share = i >= 0 ? BRACKETS / room : room > 0 ? 1 - BRACKETS : 1;
            for (int v = 0; v < m; v++)
                add_term(t, share * (i < 0 ? 1.0 / m : within[i * m + v]), v,
                         left > 0 ? rest + (left - 1) * size : NULL, rest + l * size);
        }
    }
}

/* By the distribution of values of all odd lengths, of brackets from the innermost outwards. */
static double chance_with_brackets(const ThTask *t, int length)
{
    int m = modulus(t), lengths = (length + 1) / 2;
    double *rest TH_OWNED(free) = th_alloc((size_t)lengths * (size_t)(m * m), sizeof *rest, NULL);
    double *value TH_OWNED(free) = th_alloc((size_t)lengths * (size_t)m, sizeof *value, NULL),
                  most = 0;
    for (int k = 0; rest && value && k <= depth_of(t); k++) {
        for (int i = 0; i < lengths * m * m; i++)
            rest[i] = 0;
        fill_rest(t, k > 0 ? value : NULL, lengths, rest);
        for (int i = 0; i < lengths * m; i++)
            value[i] = 0;
        for (int i = 0; i < lengths * m * m; i++)
            value[i / (m * m) * m + (i / m + i) % m] += rest[i];
    }
    for (int v = 0; rest && value && v < m; v++)
        most = fmax(most, value[(lengths - 1) * m + v]);
    bool ok = rest && value;
    return ok ? most : (double)NAN;
}

static double chance(const ThTask *t, int length)
{
    return depth_of(t) > 0 ? chance_with_brackets(t, length - has_sign(t))
                           : th_task_chance_by_weight(t, length, weight, t);
}

static bool init_mod_arith(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    int m = modulus(t);
    t->machine = machine(m, 0, false, 0, err);
    return t->machine && th_task_signature(t, th_task_labels(t), (ThTaskNames){m, "+ - *"},
                                           (ThTaskNames){m, ""}, err);
}

static bool init_modular_arithmetic(ThTask *t, const ThTaskSource *from, ThError *err)
{
    static const char *const of_fan[] = {"labels", NULL};
    if (th_task_is_fans(t) && (depth_of(t) > 0 || th_option_given(&t->options, "leading_plus")))
        return th_fail(err, TH_EUSAGE, "depth= and leading_plus= are not for variant=fan");
    if (th_task_is_fans(t))
        return init_mod_arith(t, from, err);
    if (!th_task_only_fans(t, of_fan, err))
        return false;
    int m = modulus(t);
    bool small = count_states(m, depth_of(t)) < MOST_STATES;
    if (small && !(t->machine = machine(m, 1, has_sign(t), depth_of(t), err)))
        return false;
    ThTaskNames symbols = {m, depth_of(t) > 0 ? "+ - * _ ( )" : "+ - * _"};
    return th_task_signature(t, TH_TARGET_FINAL, symbols, (ThTaskNames){m, ""}, err);
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
    {"depth", TH_INT, "0", 0, 8, NULL, "how deep brackets nest at most; 0: there are none"},
    {"variant", TH_CHOICE, "deletang", 0, 0, "deletang|fan",
     "whose: one answer a string, or the value so far after every digit, without leading plus"},
    {"labels", TH_CHOICE, NULL, 0, 0, "every|final|last",
     "variant=fan: answers after every digit, as if not given, or one a string; last: after every "
     "digit, and the last one is asked"},
    {0},
};

const ThTaskKind th_task_kind_modular_arithmetic = {
    .name = "modular_arithmetic",
    .summary = "the value of an expression of digits and + - *, modulo modulus=",
    .source =
        "Delétang et al. 2023, Modular Arithmetic (Simple); Chi et al. 2023, Table 1; variant=fan: "
        "Fan et al. 2023 (block-diagonal LRNN), ModArith",
    .detail =
        "Digits and operators are uniform (see products=) and independent; * binds tighter, "
        "the value is not negative.  The symbol _ belongs to the alphabet but is never drawn.\n\n"
        "RegularGPT's code puts a + in front, so that operator and digit come in pairs: with "
        "leading_plus=yes lengths are even (an odd one is drawn one longer); with "
        "leading_plus=no they are odd (an even one is drawn one shorter).\n\n"
        "With depth= a third of the terms for which there is room are expressions in brackets, "
        "of a uniform length among those that fit.  The automaton has 2 m^2 (1 + m^2 + m^4 + …) "
        "states; where "
        "these are more than 65536 there is none, and strings are labelled by evaluating them.\n\n"
        "With variant=fan lengths are odd (an even one is drawn one shorter), and the value so far "
        "is asked after every digit, nothing after an operator.",
    .options = modular_arithmetic_options,
    .init = init_modular_arithmetic,
    .length = drawn_length,
    .draw = draw,
    .label = label,
    .words = words,
    .chance = chance,
};

static const ThOptionSpec mod_arith_options[] = {
    COMMON_OPTIONS,
    {"labels", TH_CHOICE, "every", 0, 0, "every|final|last",
     "answers after every digit, or one a string; last: after every digit, and the last one is "
     "asked"},
    {0},
};

const ThTaskKind th_task_kind_mod_arith = {
    .name = "mod_arith",
    .summary = "modular_arithmetic variant=fan",
    .detail = "A name of before: help modular_arithmetic says more.",
    .source = "Fan et al. 2023 (block-diagonal LRNN), ModArith",
    .former = true,
    .options = mod_arith_options,
    .init = init_mod_arith,
    .length = drawn_length,
    .draw = draw,
    .words = words,
    .chance = chance,
};
