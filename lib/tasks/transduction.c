/* The tasks of Delétang et al. 2023 that no automaton labels: a string, and behind it as many
 * blanks as the answer may be long, at which it is asked for; or a string and one answer. */
#include <math.h>

#include "language/word_functions.h"
#include "tasks/nested.h"
#include "tasks/task_parts.h"

typedef struct {
    const char *name, *symbols, *classes; /* symbols without the blank */
    /* Draws a string of n symbols. */
    void (*draw)(ThRng *r, int n, int *word);
    /* Writes the answers to a string; how many, at most `blanks`; -1: it is no string of the task.
     */
    int (*answer)(const ThTask *t, const int *word, int n, int *to);
    /* The longest answer to n symbols; NULL: one a string. */
    int (*blanks)(int n);
    ThLanguageFunction *of; /* of th_copied */
} Row;

static const Row *row_of(const ThTask *t);

/* ---- lengths of answers ---------------------------------------------------------------------- */

static int same_length(int n)
{
    return n;
}

static int one_more(int n)
{
    return n + 1;
}

static int twice(int n)
{
    return 2 * n;
}

static int half(int n)
{
    return (n + 1) / 2;
}

/* ---- words written in another order ---------------------------------------------------------- */

static void draw_bits(ThRng *r, int n, int *word)
{
    th_task_draw_uniform_word(2, r, word, n);
}

static void draw_digits(ThRng *r, int n, int *word)
{
    th_task_draw_uniform_word(5, r, word, n);
}

static int answer_word(const ThTask *t, const int *word, int n, int *to)
{
    row_of(t)->of(word, n, to);
    return n;
}

static int answer_twice(const ThTask *t TH_UNUSED, const int *word, int n, int *to)
{
    th_language_same(word, n, to);
    th_language_same(word, n, to + n);
    return 2 * n;
}

enum { ODDS, EVENS }; /* the option first= */

static int answer_odds_first(const ThTask *t, const int *word, int n, int *to)
{
    bool evens = th_option_choice(&t->options, "first") == EVENS;
    th_language_odds_first(word, n, to);
    for (int i = 0; evens && i < n; i++)
        to[i] = word[i < n / 2 ? 2 * i + 1 : 2 * (i - n / 2)];
    return n;
}

/* ---- the missing bit ------------------------------------------------------------------------- */

enum { UNKNOWN = 2, FILLING };

static void draw_missing(ThRng *r, int n, int *word)
{
    int m = n / 2;
    draw_bits(r, m, word);
    th_language_same(word, m, word + m);
    word[n - 1] = n % 2 ? FILLING : word[n - 1];
    if (m > 0)
        word[th_rng_below(r, 2 * (uint64_t)m)] = UNKNOWN;
}

static int answer_missing(const ThTask *t TH_UNUSED, const int *word, int n, int *to)
{
    int m = n / 2, found = 0;
    *to = 0;
    for (int i = 0; i < m; i++) {
        int x = word[i], y = word[m + i];
        if (x > UNKNOWN || y > UNKNOWN || (x == UNKNOWN && y == UNKNOWN) ||
            (x != y && x != UNKNOWN && y != UNKNOWN))
            return -1;
        found += x != y;
        *to = x != y ? x + y - UNKNOWN : *to;
    }
    return found == (m > 0) && (n % 2 == 0 || word[n - 1] == FILLING) ? 1 : -1;
}

/* ---- a stack --------------------------------------------------------------------------------- */

enum { POP = 2, PUSH };

static void draw_stack(ThRng *r, int n, int *word)
{
    int bits = n > 1 ? 1 + (int)th_rng_below(r, (uint64_t)n - 1) : 1;
    draw_bits(r, bits, word);
    for (int i = bits; i < n; i++)
        word[i] = POP + (int)th_rng_below(r, 3);
}

/* What is left from its top, and the end, in the place of the stack of which it is made. */
static int answer_stack(const ThTask *t TH_UNUSED, const int *word, int n, int *to)
{
    int size = 0;
    for (int i = 0; i < n; i++) {
        if (word[i] < POP && i > 0 && word[i - 1] >= POP)
            return -1;
        if (word[i] == POP)
            size -= size > 0;
        else
            to[size++] = word[i] < POP ? word[i] : word[i] - PUSH;
    }
    for (int i = 0; i < size / 2; i++) {
        int x = to[i];
        to[i] = to[size - 1 - i];
        to[size - 1 - i] = x;
    }
    to[size] = 2;
    return size + 1;
}

/* ---- numbers, the lowest bit first ----------------------------------------------------------- */

enum { OPERATION = 2 };

/* A number of 1 … 2^n - 1. */
static void draw_number(ThRng *r, int n, int *word)
{
    do
        draw_bits(r, n, word);
    while (memchr(word, 1, (size_t)n * sizeof *word) == NULL);
}

static void draw_two_numbers(ThRng *r, int n, int *word)
{
    int first = n < 3 ? n : 1 + (int)th_rng_below(r, (uint64_t)n - 2);
    draw_number(r, first, word);
    if (first == n)
        return;
    word[first] = OPERATION;
    draw_number(r, n - 1 - first, word + first + 1);
}

static int answer_numbers(const ThTask *t, const int *word, int n, int *to)
{
    int first = 0, bits;
    while (first < n && word[first] < OPERATION)
        first++;
    for (int i = first + 1; i < n; i++)
        if (word[i] == OPERATION)
            return -1;
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    th_language_number(x, word, first);
    if (first < n)
        th_language_number(y, word + first + 1, n - 1 - first);
    if (first < n && row_of(t)->symbols[4] == '*')
        mpz_mul(x, x, y);
    else
        mpz_add(x, x, y);
    bits = mpz_sgn(x) ? (int)mpz_sizeinbase(x, 2) : 0;
    for (int i = 0; i < bits; i++)
        to[i] = mpz_tstbit(x, (mp_bitcnt_t)i);
    mpz_clears(x, y, NULL);
    to[bits] = OPERATION; /* the class `end` */
    return bits < row_of(t)->blanks(n) ? bits + 1 : bits;
}

enum { LITTLE, BIG }; /* the option order= */

static int answer_root(const ThTask *t, const int *word, int n, int *to)
{
    bool big = th_option_choice(&t->options, "order") == BIG;
    int m = half(n), *bits TH_OWNED(free) = th_alloc((size_t)n, sizeof *bits, NULL);
    if (!bits)
        return -1;
    (big ? th_language_reversed : th_language_same)(word, n, bits);
    mpz_t x;
    mpz_init(x);
    th_language_number(x, bits, n);
    mpz_sqrt(x, x);
    for (int i = 0; i < m; i++)
        to[big ? m - 1 - i : i] = mpz_tstbit(x, (mp_bitcnt_t)i);
    mpz_clear(x);
    return m;
}

/* ---- expressions with brackets --------------------------------------------------------------- */

static void draw_brackets(ThRng *r, int n, int *word)
{
    th_task_draw_nested(r, n, 3, word);
}

static int answer_brackets(const ThTask *t TH_UNUSED, const int *word, int n, int *to)
{
    ThTaskLinear value;
    if (!th_task_read_nested(word, n, &value))
        return -1;
    *to = value.value;
    return 1;
}

static void draw_equation(ThRng *r, int n, int *word)
{
    ThTaskLinear value = {0, 0};
    int m = n - 2, at = m > 0 ? (int)th_rng_below(r, (uint64_t)m) : 0;
    for (int i = 0; i < n; i++)
        word[i] = 0;
    if (m < 1)
        return;
    th_task_draw_nested(r, m, 2, word);
    th_task_read_nested(word, m, &value);
    word[m] = TH_TASK_EQUALS;
    word[m + 1] = value.value;
    while (word[at] >= TH_TASK_MODULUS)
        at = (at + 1) % m;
    word[at] = TH_TASK_X;
}

static int answer_equation(const ThTask *t TH_UNUSED, const int *word, int n, int *to)
{
    ThTaskLinear left = {0, 0};
    int m = n - 2, ones = 0;
    *to = 0;
    for (int i = 0; i < n; i++)
        ones += m < 1 ? word[i] == 0 : word[i] == TH_TASK_X;
    if (m < 1)
        return ones == n ? 1 : -1;
    if (ones != 1 || word[m] != TH_TASK_EQUALS || word[m + 1] >= TH_TASK_MODULUS ||
        !th_task_read_nested(word, m, &left))
        return -1;
    *to = left.factor * (word[m + 1] - left.value + TH_TASK_MODULUS) % TH_TASK_MODULUS;
    return 1;
}

/* ---- chance ---------------------------------------------------------------------------------- */

enum { MEASURED = 4096 };

/* The best answer that knows its place only: how often it is right among those asked for. */
static double measured(const ThTask *t, int length)
{
    ThBatch b TH_OWNED(th_batch_free) = {.B = MEASURED};
    ThRng r = th_rng(0, "task.chance", (uint64_t)length);
    if (!th_task_sample(t, &r, length, &b, NULL))
        return (double)NAN;
    int width = (int)th_batch_answers(&t->signature, &b), classes = t->signature.n_classes;
    long *count TH_OWNED(free) = th_alloc((size_t)classes, sizeof *count, NULL);
    long right = 0, all = 0;
    for (int k = 0; count && k < width; k++) {
        long most = 0;
        memset(count, 0, (size_t)classes * sizeof *count);
        for (int i = 0; i < b.B; i++) {
            int answer = b.target[(size_t)i * (size_t)width + (size_t)k];
            if (answer < 0)
                continue;
            all++;
            most = ++count[answer] > most ? count[answer] : most;
        }
        right += most;
    }
    return all ? (double)right / (double)all : (double)NAN;
}

/* Of n uniform digits the k-th in order is v with P(at most k are below v and more than k are not
 * above it). */
static double chance_sorted(int n)
{
    double *below TH_OWNED(free) =
        th_alloc((size_t)(TH_TASK_MODULUS + 1) * (size_t)(n + 1), sizeof *below, NULL);
    double all = 0;
    for (int v = 0; below && v <= TH_TASK_MODULUS; v++) {
        double p = (double)v / TH_TASK_MODULUS, sum = 0, *at = below + (size_t)v * (size_t)(n + 1);
        for (int k = 0; k <= n; k++) { /* P(at most k digits are below v) */
            double one = v == 0 ? k == 0
                         : v == TH_TASK_MODULUS
                             ? k == n
                             : exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) +
                                   k * log(p) + (n - k) * log1p(-p));
            at[k] = sum += one;
        }
    }
    for (int k = 0; below && k < n; k++) {
        double most = 0;
        for (int v = 0; v < TH_TASK_MODULUS; v++)
            most = fmax(most, below[v * (n + 1) + k] - below[(v + 1) * (n + 1) + k]);
        all += most;
    }
    return below ? all / n : (double)NAN;
}

static double chance_bits(int n TH_UNUSED)
{
    return 0.5;
}

static double chance_missing(int n)
{
    return n == 1 ? 1 : 0.5;
}

static double chance_equation(int n)
{
    return n < 3 ? 1 : 1.0 / TH_TASK_MODULUS;
}

static const struct {
    Row row;
    double (*chance)(int n); /* NULL: measured */
} rows[] = {
    {{"stack_manipulation", "0 1 pop push0 push1", "0 1 end", draw_stack, answer_stack, one_more,
      NULL},
     NULL},
    {{"reverse_string", "0 1", "0 1", draw_bits, answer_word, same_length, th_language_reversed},
     chance_bits},
    {{"brackets", "0 1 2 3 4 + - * ( )", "0 1 2 3 4", draw_brackets, answer_brackets, NULL, NULL},
     th_task_chance_nested},
    {{"solve_equation", "0 1 2 3 4 + - * ( ) = x", "0 1 2 3 4", draw_equation, answer_equation,
      NULL, NULL},
     chance_equation},
    {{"duplicate_string", "0 1", "0 1", draw_bits, answer_twice, twice, NULL}, chance_bits},
    {{"missing_duplicate", "0 1 ? .", "0 1", draw_missing, answer_missing, NULL, NULL},
     chance_missing},
    {{"odds_first", "0 1", "0 1", draw_bits, answer_odds_first, same_length, NULL}, chance_bits},
    {{"binary_addition", "0 1 +", "0 1 end", draw_two_numbers, answer_numbers, one_more, NULL},
     NULL},
    {{"binary_multiplication", "0 1 *", "0 1 end", draw_two_numbers, answer_numbers, same_length,
      NULL},
     NULL},
    {{"compute_sqrt", "0 1", "0 1", draw_number, answer_root, half, NULL}, NULL},
    {{"bucket_sort", "0 1 2 3 4", "0 1 2 3 4", draw_digits, answer_word, same_length,
      th_language_sorted},
     chance_sorted},
};

static size_t place_of(const ThTask *t)
{
    size_t i = 0;
    while (strcmp(rows[i].row.name, t->kind->name) != 0)
        i++;
    return i;
}

static const Row *row_of(const ThTask *t)
{
    return &rows[place_of(t)].row;
}

/* ---- what all share -------------------------------------------------------------------------- */

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    const Row *row = row_of(t);
    ThText symbols TH_OWNED(th_text_free) = {0};
    th_text_printf(&symbols, "%s%s", row->symbols, row->blanks ? " _" : "");
    return symbols.data &&
           th_task_signature(t, row->blanks ? TH_TARGET_EVERY : TH_TARGET_FINAL,
                             (ThTaskNames){0, symbols.data}, (ThTaskNames){0, row->classes}, err);
}

static int tokens(const ThTask *t, int length)
{
    const Row *row = row_of(t);
    return length + (row->blanks ? row->blanks(length) : 0);
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    const Row *row = row_of(t);
    for (int i = 0; i < b->B; i++) {
        int *word = th_batch_token(b, i);
        row->draw(r, length, word);
        for (int k = length; k < b->T; k++)
            word[k] = t->signature.n_symbols - 1;
    }
    return true;
}

/* Symbols before the blanks; -1 where there are other blanks than these. */
static int input_length(const ThTask *t, const Row *row, const int *word, int all)
{
    int blank = t->signature.n_symbols - 1, n = 0;
    while (n < all && word[n] != blank)
        n++;
    for (int i = n; i < all; i++)
        if (word[i] != blank)
            return -1;
    return n + row->blanks(n) == all ? n : -1;
}

static void label(const ThTask *t, ThBatch *b)
{
    const Row *row = row_of(t);
    int *answer TH_OWNED(free) = th_alloc(2 * (size_t)b->T + 2, sizeof *answer, NULL);
    for (int i = 0; i < b->B; i++) {
        const int *word = th_batch_token(b, i);
        int all = th_batch_length(b, i), *target = th_batch_target(&t->signature, b, i);
        int n = row->blanks ? input_length(t, row, word, all) : all;
        int found = n > 0 && answer ? row->answer(t, word, n, answer) : -1;
        for (int k = 0; k < (row->blanks ? all : 1); k++) {
            int at = row->blanks ? k - n : 0;
            target[k] = at >= 0 && at < found ? answer[at] : -1;
        }
    }
}

static double chance(const ThTask *t, int length)
{
    size_t i = place_of(t);
    return rows[i].chance ? rows[i].chance(length) : measured(t, length);
}

static void describe(const ThTask *t, ThText *to)
{
    if (!rows[place_of(t)].chance)
        th_text_printf(to, "# chance is measured: the best answer by place of %d strings\n",
                       MEASURED);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

#define DELETANG "Delétang et al. 2023, "
#define BLANKS                                                                                     \
    "  The answer is asked for at the blanks _ behind the string, as many as it can be long.  "    \
    "length= is that of the string without them.  Chance is that of the best answer that knows "   \
    "its place only"

#define TRANSDUCTION(KIND, SUMMARY, SOURCE, OPTIONS, DETAIL)                                       \
    const ThTaskKind th_task_kind_##KIND = {.name = #KIND,                                         \
                                            .summary = SUMMARY,                                    \
                                            .source = DELETANG SOURCE,                             \
                                            .detail = DETAIL,                                      \
                                            .options = OPTIONS,                                    \
                                            .init = init,                                          \
                                            .tokens = tokens,                                      \
                                            .draw = draw,                                          \
                                            .label = label,                                        \
                                            .describe = describe,                                  \
                                            .chance = chance}

static const ThOptionSpec odds_options[] = {
    {"first", TH_CHOICE, "odds", 0, 0, "odds|evens",
     "odds: as the paper says; evens: as its program does"},
    {0},
};

static const ThOptionSpec root_options[] = {
    {"order", TH_CHOICE, "little", 0, 0, "little|big",
     "little: the lowest bit first, as the paper says; big: the highest, as its program does"},
    {0},
};

TRANSDUCTION(stack_manipulation, "what is on a stack after pushes and pops?", "Stack Manipulation",
             NULL,
             "A uniform number of bits, from 1 to all but one, put on a stack, and uniform "
             "operations: pop, push0 and push1; pop does nothing to an empty stack.  The answer is "
             "the stack from its top, and end." BLANKS
             ", and is measured.  A string of one symbol is a bit.");

TRANSDUCTION(reverse_string, "the string backwards, at the blanks behind it", "Reverse String",
             NULL,
             "Uniform strings over 0 and 1." BLANKS
             ": one half.  As a text to be gone on with it is the task reverse.");

TRANSDUCTION(brackets, "the value of an expression with brackets modulo 5",
             "Modular Arithmetic (Brackets)", NULL,
             "Expressions of digits 0 to 4, + - and *, nested to any depth: E(1) is a digit, E(2) "
             "one with a minus, E(3) and E(4) the same in brackets, and E(n) is (E(l) op E(n-3-l)) "
             "with l uniform from 1 to n-4.  One answer a string.  Chance, about 0.3, is that of "
             "the most frequent value, which is 0, exactly.  modular_arithmetic depth= has "
             "expressions without so many brackets.");

TRANSDUCTION(solve_equation, "which digit is x?", "Solve Equation", NULL,
             "An expression as in brackets, without *, = and its value modulo 5; in it the first "
             "digit from a uniform place on, round its end, is replaced by x.  One answer a "
             "string.  Strings of one or two symbols are zeros, and so is the answer.");

TRANSDUCTION(duplicate_string, "the string twice, at the blanks behind it", "Duplicate String",
             NULL,
             "Uniform strings over 0 and 1." BLANKS
             ": one half.  As a text to be gone on with it is the task copy.");

TRANSDUCTION(missing_duplicate, "which bit is missing from a string written twice?",
             "Missing Duplicate String", NULL,
             "A uniform string of 0 and 1, twice, in which one symbol, at a uniform place, is "
             "replaced by ?; a string of odd length ends with a full stop.  One answer a string.");

TRANSDUCTION(odds_first, "the symbols at odd places, then those at even ones", "Odds First",
             odds_options,
             "Uniform strings over 0 and 1; the answer is the first, third, ... symbol, then the "
             "second, fourth, ...; the paper's program begins with the second: "
             "first=evens." BLANKS ": one half.");

TRANSDUCTION(binary_addition, "the sum of two numbers in bits", "Binary Addition", NULL,
             "Two numbers with + between them, the lowest bit first; the length of the first is "
             "uniform from 1 on, and so are both numbers, from 1 on.  The answer is the sum "
             "without leading zeros, and end." BLANKS
             ", and is measured.  A string of one or two symbols is a number, its own sum.");

TRANSDUCTION(binary_multiplication, "the product of two numbers in bits", "Binary Multiplication",
             NULL, "As binary_addition, with * and the product." BLANKS ", and is measured.");

TRANSDUCTION(compute_sqrt, "the square root of a number in bits", "Compute Sqrt", root_options,
             "A uniform number of so many bits, from 1 on; the answer is its root, rounded down, "
             "in half as many bits." BLANKS ", and is measured.");

TRANSDUCTION(bucket_sort, "the string sorted, at the blanks behind it", "Bucket Sort", NULL,
             "Uniform strings over 0 to 4." BLANKS
             ", exactly: 0.77 at length 41 and 0.94 at 500, for the place says most.");
