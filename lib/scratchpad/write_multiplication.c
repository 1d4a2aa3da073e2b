/* write_multiplication.c - a number times one of few digits, digit by digit from the right (Hou et
 * al., Section 5.1 and Figure 4). */

#include "scratchpad/columns.h"
#include "scratchpad/hints.h"

static const ThOptionSpec options[] = {
    {"digits", TH_RANGE, "2..50", 1, 100000, NULL, "digits of first operands that are drawn"},
    {"multiplier", TH_INT, "3", 1, 10000, NULL, "digits of second operands that are drawn"},
    {"style", TH_CHOICE, "compact", 0, 0, TH_PAD_STYLES_SUM "|columns", "the layout"},
    {"flush", TH_CHOICE, "digit", 0, 0, "digit|once",
     "whether the last carry goes into the result a digit a line, or at once"},
    TH_PAD_HINTS_OPTIONS,
    {"fill", TH_FLAG, NULL, 0, 0, NULL,
     "fill the first operand up with zeros to as many places as the product may have; default: "
     "with hints= and style=columns"},
    {"comments", TH_FLAG, "yes", 0, 0, NULL,
     "style=verbose: explain each line behind a #; never in data sets"},
    {0}};
enum { FLUSH_DIGIT, FLUSH_ONCE };           /* flush= */
enum { COLUMNS = TH_PAD_STYLES_SUM_COUNT }; /* style=, behind those of sums */

static const ThOptionSpec check_options[] = {
    {"flush", TH_CHOICE, "any", 0, 0, "any|digit|once", "of multiplications"}, {0}};

static bool init_columns(ThPad *p, ThError *err)
{
    bool fill = !th_option_given(&p->options, "fill") || th_option_flag(&p->options, "fill");
    p->separator = "|";
    if (!fill)
        return th_fail(err, TH_EUSAGE, "style=columns fills the first operand up");
    return th_pad_add_tokens(p, "0 1 2 3 4 5 6 7 8 9 * ( ) ~ . |", err);
}

static bool init(ThPad *p, ThError *err)
{
    int style = th_option_choice(&p->options, "style");
    if (style == COLUMNS)
        return init_columns(p, err);
    p->words = style == TH_PAD_VERBOSE;
    p->separator = style == TH_PAD_COMPACT ? "|" : style == TH_PAD_VERBOSE ? "\n" : "=";
    bool ok = th_pad_add_tokens(p, "0 1 2 3 4 5 6 7 8 9 *", err);
    if (style > TH_PAD_VERBOSE)
        return ok && th_pad_add_token(p, "=", err);
    return ok && th_pad_add_tokens(p, "a b c d e f g h i j ^ ( , ) ~", err) &&
           (style == TH_PAD_COMPACT
                ? th_pad_add_token(p, "|", err)
                : th_pad_add_tokens(p, "Input: Target: <scratch> </scratch> \n", err));
}

/* Numbers are strings of digits; carry and result are 0 at first. */
typedef struct {
    const char *x, *m;
    size_t nx, k;    /* digits of x that are left, digits of m */
    char *product;   /* (k + 1) */
    char *carry;     /* (k + 1), of which the first is 0: the carry proper is carry + 1 */
    char *result;    /* where the digits found so far begin; they end with the buffer */
    size_t n_result; /* how many there are */
} Steps;

char th_pad_product_step(int d, const char *m, size_t k, char *product, char *carry)
{
    int over = 0, sum_over = 0;
    char last = '0';
    for (size_t i = k + 1; i-- > 0;) {
        int p = over + (i ? d * (m[i - 1] - '0') : 0);
        over = p / 10;
        product[i] = (char)('0' + p % 10);
        int sum = p % 10 + sum_over + (carry[i] - '0');
        sum_over = sum >= 10;
        char digit = (char)('0' + (sum_over ? sum - 10 : sum));
        if (i == k)
            last = digit;
        else
            carry[i + 1] = digit;
    }
    carry[0] = '0';
    return last;
}

static void step(Steps *s)
{
    int d = s->nx ? s->x[s->nx - 1] - '0' : 0;
    *--s->result = th_pad_product_step(d, s->m, s->k, s->product, s->carry);
    s->n_result++;
    s->nx -= s->nx > 0;
}

static bool carries(const Steps *s)
{
    return strspn(s->carry, "0") < s->k + 1;
}

/* The whole carry goes into the result. */
static void flush(Steps *s)
{
    size_t zeros = strspn(s->carry, "0"), n = s->k + 1 - zeros;
    s->result -= n;
    s->n_result += n;
    memcpy(s->result, s->carry + zeros, n);
    memset(s->carry, '0', s->k + 1);
    memset(s->product, '0', s->k + 1);
}

static char *put_line(char *to, const Steps *s, size_t nx)
{
    to = th_pad_put_operand(to, s->x, nx);
    *to++ = '*';
    to = th_pad_put(to, s->m, s->k);
    *to++ = '(';
    to = th_pad_put(to, s->product, s->k + 1);
    *to++ = '~';
    to = th_pad_put(to, s->carry + 1, s->k);
    *to++ = ',';
    to = th_pad_put(to, s->result, s->n_result);
    *to++ = ')';
    *to++ = '|';
    return to;
}

/* Does all steps; writes their lines where `to` is not NULL, and returns their end. */
static char *do_steps(Steps *s, bool once, char *to)
{
    while (s->nx > 0 || carries(s)) {
        size_t nx = s->nx;
        if (nx == 0 && once)
            flush(s);
        else
            step(s);
        if (to)
            to = put_line(to, s, nx);
    }
    return to;
}

static bool steps_begin(Steps *s, const char *x, size_t nx, const char *m, size_t k, ThError *err)
{
    char *room = th_alloc(nx + k + 2 * (k + 2), 1, err);
    *s = (Steps){.x = x, .nx = nx, .m = m, .k = k, .product = room};
    if (!room)
        return false;
    s->carry = room + k + 1;
    s->result = room + nx + k + 2 * (k + 2);
    memset(s->carry, '0', k + 1);
    s->carry[k + 1] = '\0';
    return true;
}

static bool put_compact(ThPadExample *e, const ThPadSum *product, bool once, ThError *err)
{
    const char *x = product->x, *m = product->y;
    size_t nx = product->nx, k = product->ny;
    Steps s;
    size_t lines = nx + k + 2, width = 2 * nx + 4 * k + 16;
    char *to = th_pad_example_begin(e, lines > 100000 ? SIZE_MAX : lines * width, err);
    if (!to || !steps_begin(&s, x, nx, m, k, err))
        return false;
    char *begin = to;
    to = th_pad_put(to, x, nx);
    *to++ = '*';
    to = th_pad_put(to, m, k);
    *to++ = '|';
    to = do_steps(&s, once, to);
    size_t answer = (size_t)(to - begin);
    to = th_pad_put(to, s.result, s.n_result);
    th_pad_example_end(e, to, nx + k + 2, answer);
    free(s.product);
    return true;
}

static bool put(const ThPad *p, ThPadSum *product, ThRng *r, ThPadExample *e, ThError *err)
{
    char *room TH_OWNED(free) = NULL;
    size_t wide = product->nx + product->ny;
    if (th_option_choice(&p->options, "style") == COLUMNS)
        return th_pad_columns_write(e, product, err);
    if (th_pad_sum_filled(p) && !th_pad_sum_fill(product, wide, product->ny, &room, err))
        return false;
    ThPadSumStyle style = (ThPadSumStyle)th_option_choice(&p->options, "style");
    bool once = th_option_choice(&p->options, "flush") == FLUSH_ONCE;
    if (style == TH_PAD_COMPACT)
        return put_compact(e, product, once, err);
    if (style == TH_PAD_VERBOSE) {
        ThPadExample compact TH_OWNED(th_pad_example_free) = {0};
        return put_compact(&compact, product, once, err) &&
               th_pad_verbose(e, compact.text.data, compact.text.size,
                              th_option_flag(&p->options, "comments"), err);
    }
    Steps s;
    if (!steps_begin(&s, product->x, product->nx, product->y, product->ny, err))
        return false;
    do_steps(&s, false, NULL);
    product->z = s.result;
    product->nz = s.n_result;
    bool ok = th_pad_sum_write(e, product, style, 0, r, err);
    free(s.product);
    return ok;
}

static bool write(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err)
{
    ThPadSum s = {.sign = '*'};
    return th_pad_sum_operands(&s, o, "a multiplication", err) && put(p, &s, r, e, err);
}

static bool draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err)
{
    size_t nx = (size_t)th_pad_draw_from(*sizes, r);
    size_t k = (size_t)th_option_int(&p->options, "multiplier");
    char *x TH_OWNED(free) = th_alloc(nx + k, 1, err);
    if (!x)
        return false;
    th_pad_draw_digits(x, nx + k, r);
    ThPadSum s = {.x = x, .nx = nx, .y = x + nx, .ny = k, .sign = '*'};
    return put(p, &s, r, e, err);
}

static size_t most(const ThPad *p, size_t n)
{
    size_t k = (size_t)th_option_int(&p->options, "multiplier");
    int style = th_option_choice(&p->options, "style");
    if (style == COLUMNS)
        return th_pad_columns_most(n, k);
    n += th_pad_sum_filled(p) ? k : 0;
    size_t tokens = 2 * (n + k + 1);
    if (style > TH_PAD_VERBOSE)
        return th_pad_sum_most(n + k);
    for (size_t j = 1; j <= n + k; j++)
        tokens += th_pad_operand_most(n, j) + 3 * k + j + 7;
    return tokens + (style == TH_PAD_VERBOSE ? n + k + TH_PAD_VERBOSE_MARKS : 0);
}

static bool places_fit(const ThPad *p, ThError *err)
{
    return th_option_choice(&p->options, "style") == COLUMNS || th_pad_sum_places_fit(p, err);
}

static void places(int layout, const ThPadPiece *token, size_t n, int *place)
{
    size_t i = 0;
    while (i < n && *token[i].s >= '0' && *token[i].s <= '9')
        i++;
    if (i < n && *token[i].s == '.')
        th_pad_columns_places(token, n, place);
    else
        th_pad_sum_places(layout, token, n, place);
}

/* ---- reading back ---------------------------------------------------------------------------- */

static bool recognise(const ThPadChecking *k)
{
    return th_pad_check_is_sum(k, '*');
}

static bool check(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    bool columns = k->layout >= 0 ? k->layout == COLUMNS
                                  : th_pad_columns_are(k->text + k->begin, k->end - k->begin);
    if (columns)
        return th_pad_check_columns(k, c, err);
    return th_pad_check_has_steps(k) ? th_pad_check_steps(k, '*', c, err)
                                     : th_pad_check_sum(k, '*', c, err);
}

/* As the paper prints its example, and wrongly. */
static const char *const misprints[] = {
    "4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|e*135(0540~058,3740)|^"
    "**135(0000~000,583740)|583740",
    "4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|e*135(0540~058,3740)|^"
    "*135(0000~005,83740)|^**135(0000~000,583740)|583740",
    NULL};

const ThPadKind th_pad_multiplication = {
    .name = "multiplication",
    .summary = "write out a multiplication, digit by digit",
    .source = "Hou et al. 2024, Section 5.1",
    .detail =
        "As scratchpad addition.  On each line the digit under the head is multiplied by the whole "
        "second number: behind them stand that product, ~, the carry that goes out, and the "
        "digits of the result so far.  Once no digits are left, the carry goes into the result: "
        "a digit a line, as in the paper's figure, or at once, as in its footnote.\n\n"
        "With style=columns a line is a column of the product, from the last on: a term D*E(P~S) "
        "for each digit E of the second number, S being the sum so far, which begins with a tenth "
        "of the column before, and P and S written from their last digit; then the column's digit "
        "of the result.  The first number has zeros in front, and behind its point, so that all "
        "columns have as many terms.  Nothing but digits is looked up, so that a small model "
        "learns it, and goes on beyond the lengths of training where hints= say which digits.",
    .example = "scratchpad multiplication 25 4\n"
               "#> 25*4|2f*4(20~2,0)|c*4(08~1,00)|^*4(00~0,100)|100\n"
               "scratchpad multiplication 25 4 style=verbose\n"
               "#> Input:\n"
               "#> 2 5 * 4\n"
               "#> Target:\n"
               "#> <scratch>\n"
               "#> 2 5 * 4\n"
               "#> 2 f * 4 ( 2 0 ~ 2 , 0 )   # 5 * 4 = 20 carry 2\n"
               "#> c * 4 ( 0 8 ~ 1 , 0 0 )   # 2 * 4 = 08 carry 1\n"
               "#> ^ * 4 ( 0 0 ~ 0 , 1 0 0 )   # 0 * 4 = 00 carry 0\n"
               "#> </scratch>\n"
               "#> 1 0 0\n"
               "scratchpad multiplication 25 4 style=columns\n"
               "#> 025.*4|5*4(02~02)0|2*4(80~01)0|0*4(00~10)1|100",
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
    .places = places,
    .places_fit = places_fit,
    .bars = true,
    .misprints = misprints,
};
