/* write_addition.c - adding two numbers digit by digit from the right (Hou et al., Section 3). */

#include "scratchpad/hints.h"
#include "scratchpad/writing.h"

static const ThOptionSpec options[] = {
    {"digits", TH_RANGE, "2..50", 1, 100000, NULL, "digits of operands that are drawn"},
    {"second", TH_RANGE, NULL, 1, 100000, NULL,
     "digits of the second operand; default: drawn from digits= as well"},
    {"style", TH_CHOICE, "compact", 0, 0, TH_PAD_STYLES_SUM "|blanks|hints|reversed-hints",
     "the layout"},
    {"final-carry", TH_CHOICE, "line", 0, 0, "line|fold",
     "whether a last carry gets a line of its own or only goes into the answer"},
    {"blanks", TH_REAL, "0.3", 0, 1, NULL,
     "style=blanks: how likely a blank is between two digits of an operand"},
    TH_PAD_HINTS_OPTIONS,
    {"fill", TH_FLAG, NULL, 0, 0, NULL,
     "fill operands up with zeros to one place more than the longer has; default: with hints="},
    {"comments", TH_FLAG, "yes", 0, 0, NULL,
     "style=verbose: explain each line behind a #; never in data sets"},
    {0}};
enum { CARRY_LINE, CARRY_FOLD }; /* final-carry= */

static const ThOptionSpec check_options[] = {
    TH_PAD_MARKS_OPTION, /* of all kinds */
    {"final-carry", TH_CHOICE, "any", 0, 0, "any|line|fold", "of additions"},
    {0}};

static bool init(ThPad *p, ThError *err)
{
    int style = th_option_choice(&p->options, "style");
    bool steps = style <= TH_PAD_VERBOSE;
    bool hints = style == TH_PAD_HINTS || style == TH_PAD_REVERSED_HINTS;
    p->words = style == TH_PAD_VERBOSE;
    p->separator = style == TH_PAD_COMPACT ? "|" : style == TH_PAD_VERBOSE ? "\n" : "=";
    bool ok = th_pad_add_tokens(p, "0 1 2 3 4 5 6 7 8 9 +", err);
    if (steps)
        return ok && th_pad_add_tokens(p, "a b c d e f g h i j ^ ( , )", err) &&
               (style == TH_PAD_COMPACT
                    ? th_pad_add_token(p, "|", err)
                    : th_pad_add_tokens(p, "Input: Target: <scratch> </scratch> \n", err));
    ok = ok && th_pad_add_token(p, "=", err);
    if (style == TH_PAD_BLANKS)
        return ok && th_pad_add_token(p, " ", err);
    for (char c = 'a'; ok && hints && c <= 'z'; c++)
        ok = th_pad_add_token(p, (const char[]){c, '\0'}, err);
    return ok;
}

/* The sum of two operands as digits, right-aligned before `end`, as many as the longer operand has
 * and one more for a last carry.  Returns how many. */
static size_t add(const char *x, size_t nx, const char *y, size_t ny, char *end)
{
    size_t n = 0;
    int carry = 0;
    while (nx > 0 || ny > 0 || carry) {
        int sum = carry + (nx ? x[nx - 1] - '0' : 0) + (ny ? y[ny - 1] - '0' : 0);
        carry = sum >= 10;
        end[-(ptrdiff_t)++n] = (char)('0' + (carry ? sum - 10 : sum));
        nx -= nx > 0;
        ny -= ny > 0;
    }
    return n;
}

/* All lines but the first and the last, of which `sum` (n digits) is known: a line is the operands
 * up to the head, the carry that goes out and the end of the sum. */
static char *put_steps(char *to, const ThPadSum *s, const char *sum, size_t n, size_t lines)
{
    const char *x = s->x, *y = s->y;
    size_t nx = s->nx, ny = s->ny;
    int carry = 0;
    for (size_t k = 1; k <= lines; k++) {
        int digits = carry + (nx ? x[nx - 1] - '0' : 0) + (ny ? y[ny - 1] - '0' : 0);
        carry = digits >= 10;
        to = th_pad_put_operand(to, x, nx);
        *to++ = '+';
        to = th_pad_put_operand(to, y, ny);
        *to++ = '(';
        *to++ = (char)('0' + carry);
        *to++ = ',';
        to = th_pad_put(to, sum + n - k, k);
        *to++ = ')';
        *to++ = '|';
        nx -= nx > 0;
        ny -= ny > 0;
    }
    return to;
}

static bool put_compact(ThPadExample *e, const ThPadSum *s, bool fold, ThError *err)
{
    const char *x = s->x, *y = s->y;
    size_t nx = s->nx, ny = s->ny;
    size_t longer = nx > ny ? nx : ny, width = nx + ny + longer + 12;
    char *to = th_pad_example_begin(e, longer > 30000 ? SIZE_MAX : (longer + 3) * width, err);
    char *sum TH_OWNED(free) = to ? th_alloc(longer + 1, 1, err) : NULL;
    if (!sum)
        return false;
    char *begin = to;
    size_t n = add(x, nx, y, ny, sum + longer + 1);
    const char *digits = sum + longer + 1 - n;
    to = th_pad_put(to, x, nx);
    *to++ = '+';
    to = th_pad_put(to, y, ny);
    *to++ = '|';
    to = put_steps(to, s, digits, n, fold ? longer : n);
    size_t answer = (size_t)(to - begin);
    to = th_pad_put(to, digits, n);
    th_pad_example_end(e, to, nx + ny + 2, answer);
    return true;
}

static bool put_sum(const ThPad *p, ThPadSumStyle style, ThPadExample *e, ThPadSum *s, ThRng *r,
                    ThError *err)
{
    size_t most = (s->nx > s->ny ? s->nx : s->ny) + 1;
    char *z TH_OWNED(free) = th_alloc(most, 1, err);
    if (!z)
        return false;
    s->nz = add(s->x, s->nx, s->y, s->ny, z + most);
    s->z = z + most - s->nz;
    return th_pad_sum_write(e, s, style, th_option_real(&p->options, "blanks"), r, err);
}

static bool put(const ThPad *p, ThPadSum *s, ThRng *r, ThPadExample *e, ThError *err)
{
    char *room TH_OWNED(free) = NULL;
    size_t wide = (s->nx > s->ny ? s->nx : s->ny) + 1;
    if (th_pad_sum_filled(p) && !th_pad_sum_fill(s, wide, wide, &room, err))
        return false;
    ThPadSumStyle style = (ThPadSumStyle)th_option_choice(&p->options, "style");
    bool fold = th_option_choice(&p->options, "final-carry") == CARRY_FOLD;
    if (style == TH_PAD_COMPACT)
        return put_compact(e, s, fold, err);
    if (style != TH_PAD_VERBOSE)
        return put_sum(p, style, e, s, r, err);
    ThPadExample compact TH_OWNED(th_pad_example_free) = {0};
    return put_compact(&compact, s, fold, err) &&
           th_pad_verbose(e, compact.text.data, compact.text.size,
                          th_option_flag(&p->options, "comments"), err);
}

static bool write(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err)
{
    ThPadSum s = {.sign = '+'};
    return th_pad_sum_operands(&s, o, "an addition", err) && put(p, &s, r, e, err);
}

static ThRange second(const ThPad *p, ThRange first)
{
    const ThOptions *o = &p->options;
    return th_option_given(o, "second") ? th_option_range(o, "second") : first;
}

static bool draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err)
{
    size_t nx = (size_t)th_pad_draw_from(*sizes, r);
    size_t ny = (size_t)th_pad_draw_from(second(p, *sizes), r);
    char *x TH_OWNED(free) = th_alloc(nx + ny, 1, err);
    if (!x)
        return false;
    th_pad_draw_digits(x, nx + ny, r);
    ThPadSum s = {.x = x, .nx = nx, .y = x + nx, .ny = ny, .sign = '+'};
    return put(p, &s, r, e, err);
}

/* Of n digits with as many as the second operand may have. */
static size_t most(const ThPad *p, size_t n)
{
    size_t m = (size_t)second(p, (ThRange){(long long)n, (long long)n, 1}).hi;
    size_t longer = (n > m ? n : m) + th_pad_sum_filled(p);
    if (th_pad_sum_filled(p))
        n = m = longer;
    size_t tokens = n + m + 2 + longer + 1;
    int style = th_option_choice(&p->options, "style");
    if (style > TH_PAD_VERBOSE)
        return th_pad_sum_most(longer);
    for (size_t k = 1; k <= longer + 1; k++)
        tokens += th_pad_operand_most(n, k) + th_pad_operand_most(m, k) + k + 6;
    return tokens + (style == TH_PAD_VERBOSE ? n + m + TH_PAD_VERBOSE_MARKS : 0);
}

/* ---- reading back ---------------------------------------------------------------------------- */

static bool recognise(const ThPadChecking *k)
{
    return th_pad_check_is_sum(k, '+');
}

static bool check(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    return th_pad_check_has_steps(k) ? th_pad_check_steps(k, '+', c, err)
                                     : th_pad_check_sum(k, '+', c, err);
}

/* As the paper prints its example, and wrongly. */
static const char *const misprints[] = {
    "4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,463)|4463",
    "4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^{(0,463)}|4463", NULL};

const ThPadKind th_pad_addition = {
    .name = "addition",
    .summary = "write out an addition, digit by digit",
    .source = "Hou et al. 2024, Section 3",
    .detail =
        "A Turing Program (Hou et al. 2024): each line is the one before with a small change.  The "
        "head is on the last digit of both numbers, which is written as a letter, a for 0 to j for "
        "9, and is gone on the next line; ^ stands for a number that has no digits left.  Behind "
        "them stand the carry that goes out and the digits of the sum so far.  | ends a line.\n\n"
        "Layouts, by style=: compact, what models were trained on; verbose, a line each with "
        "comments, as in the paper's figures; and without steps: plain, 576+361=937; reversed, "
        "675+163=739; blanks, reversed with random blanks; hints, a letter for each place, "
        "a5b7c6+a3b6c1=a9b3c7, shorter numbers filled up with zeros; reversed-hints.\n\n"
        "Those letters always begin with a, so that long numbers have some that short ones never "
        "had.  With hints=K the marks of a text are drawn, of so many: @3 6 @7 7 @9 0 + @3 1 ..., "
        "and every place, a digit here, has its mark in front of it wherever it is written again.  "
        "A model looks the next mark up in the question, as it does for any number of digits "
        "(index hints, Zhou et al. 2024; theirs begin anywhere and have no gaps).  Both operands "
        "are filled up with zeros, so that the question has all marks.  Multiplications, copies, "
        "points of sgd and cells of a machine have hints=, too.",
    .example = "scratchpad addition 4324 139\n"
               "#> 4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,4463)|4463\n"
               "scratchpad addition 99 1 final-carry=fold\n"
               "#> 99+1|9j+b(1,0)|j+^(1,00)|100\n"
               "scratchpad addition digits=2..4 count=2 style=plain seed=1\n"
               "#> 0000+915=0915\n"
               "#> 6042+6187=12229",
    .operand = {"X", "Y", NULL},
    .options = options,
    .layout = "style",
    .check_options = check_options,
    .context = 500,
    .init = init,
    .write = write,
    .draw = draw,
    .most = most,
    .size = "digits",
    .recognise = recognise,
    .check = check,
    .places = th_pad_sum_places,
    .places_fit = th_pad_sum_places_fit,
    .bars = true,
    .misprints = misprints,
};
