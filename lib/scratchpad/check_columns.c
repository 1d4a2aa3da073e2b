/* check_columns.c - products column by column: each is written again and compared, up to the first
 * that differs. */

#include "scratchpad/checker.h"
#include "scratchpad/columns.h"

typedef struct {
    const char *s;
    size_t n, at;
} Text;

static bool digit_is_at(const Text *t, size_t at)
{
    return at < t->n && t->s[at] >= '0' && t->s[at] <= '9';
}

/* Digits and the mark behind them.  False where there are none, or another mark: *at is there. */
static bool number(Text *t, char mark, const char **from, size_t *n)
{
    size_t begin = t->at;
    *from = t->s + begin;
    while (digit_is_at(t, t->at))
        t->at++;
    *n = t->at - begin;
    bool ends = t->at < t->n && t->s[t->at] == mark;
    t->at += ends;
    return ends;
}

static bool are_zeros(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i] == '0')
        i++;
    return i == n;
}

/* Nothing but digits is left. */
static bool is_last(const Text *t)
{
    size_t at = t->at;
    while (digit_is_at(t, at))
        at++;
    return at >= t->n;
}

/* The operands of a question with as many zeros in front and behind the point as there should be.
 */
static bool read_question(Text *t, ThPadSum *product)
{
    const char *behind;
    size_t zeros;
    if (!number(t, '.', &product->x, &product->nx) || !number(t, '*', &behind, &zeros) ||
        !number(t, '|', &product->y, &product->ny))
        return false;
    size_t k = product->ny, end = t->at;
    t->at = 0;
    if (product->nx <= k || !are_zeros(product->x, k))
        return false;
    t->at = (size_t)(behind - t->s);
    if (k == 0 || zeros != k - 1 || !are_zeros(behind, zeros))
        return false;
    product->x += k;
    product->nx -= k;
    t->at = end;
    return true;
}

/* What is wrong where the text should go on with s[at], of a column or of the result: a product, a
 * sum, or what is copied. */
static ThPadSlip kind_of(const char *s, size_t at, const Text *t, bool column)
{
    if (t->at >= t->n || (column && is_last(t)))
        return TH_PAD_SLIP_EARLY_END;
    if (s[at] < '0' || s[at] > '9' || !digit_is_at(t, t->at))
        return TH_PAD_SLIP_FORMAT;
    while (at > 0 && s[at - 1] >= '0' && s[at - 1] <= '9')
        at--;
    return at == 0            ? TH_PAD_SLIP_COPY
           : s[at - 1] == '(' ? TH_PAD_SLIP_DIGIT
           : s[at - 1] == '~' ? TH_PAD_SLIP_CARRY
                              : TH_PAD_SLIP_COPY;
}

/* Goes over n bytes that should come next.  False at one that does not: a slip. */
static bool follows(Text *t, const char *s, size_t n, bool column, size_t begin, ThPadChecked *c)
{
    size_t i = 0;
    while (i < n && t->at < t->n && t->s[t->at] == s[i]) {
        i++;
        t->at++;
    }
    return i == n || !th_pad_slip_at(c, kind_of(s, i, t, column), begin + t->at, s + i, 1,
                                     t->s + t->at, t->at < t->n);
}

static bool compare(Text *t, const ThPadSum *product, size_t begin, ThPadChecked *c, ThError *err)
{
    ThPadColumns columns = th_pad_columns_begin(product->x, product->nx, product->y, product->ny);
    ThText column = {0};
    char *result TH_OWNED(free) = th_alloc(columns.places, 1, err);
    bool right = true;
    while (result && right && !column.failed && th_pad_columns_next(&columns, &column, result)) {
        right = column.failed || follows(t, column.data, column.size, true, begin, c);
        column.size = 0;
    }
    bool ok = result && (!column.failed || th_fail(err, TH_ENOMEM, "out of memory"));
    th_text_free(&column);
    if (ok && right && follows(t, result, columns.places, false, begin, c) && t->at < t->n)
        th_pad_slip_at(c, TH_PAD_SLIP_FORMAT, begin + t->at, "", 0, t->s + t->at, 1);
    return ok;
}

bool th_pad_check_columns(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    Text t = {k->text + k->begin, k->end - k->begin, 0};
    ThPadSum product = {0};
    c->style = "columns";
    if (read_question(&t, &product))
        return compare(&t, &product, k->begin, c, err);
    bool end = t.at >= t.n;
    return th_pad_slip_wanted(c, end ? TH_PAD_SLIP_EARLY_END : TH_PAD_SLIP_FORMAT, k->begin + t.at,
                              "a question", t.s + t.at, !end);
}
