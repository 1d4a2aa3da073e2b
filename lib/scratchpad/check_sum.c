/* check_sum.c - sums and products without steps: plain, reversed, with blanks, with hints. */
#include <gmp.h>

#include "scratchpad/checker.h"
#include "scratchpad/writing.h"

/* A number as it is written: digits in their order there, and where each stands. */
typedef struct {
    char *digit;
    size_t *offset;
    size_t n, cap, offset_cap;
} Number;

typedef struct {
    const ThPadChecking *k;
    bool blanks, hints;
    size_t at;
    ThText hint;
    ThPadChecked *c;
    ThError *err;
} Reader;

static void number_free(Number *n)
{
    TH_FREE(n->digit, n->offset);
    *n = (Number){0};
}

static bool slip(Reader *r, ThPadSlip kind, const char *expected)
{
    size_t left = r->k->end - r->at;
    bool end = left == 0;
    th_pad_slip_wanted(r->c, end ? TH_PAD_SLIP_EARLY_END : kind, r->at, expected,
                       r->k->text + r->at, end ? 0 : 1);
    return false;
}

/* The letters of a place in front of its digit, where there are hints. */
static bool read_hint(Reader *r, size_t place)
{
    r->hint.size = 0;
    th_pad_hint_letters(&r->hint, place);
    if (!r->hint.data || r->hint.failed)
        return th_fail(r->err, TH_ENOMEM, "out of memory");
    size_t n = r->hint.size, left = r->k->end - r->at;
    if (n <= left && memcmp(r->k->text + r->at, r->hint.data, n) == 0) {
        r->at += n;
        return true;
    }
    return slip(r, TH_PAD_SLIP_MOVE, r->hint.data);
}

static bool is_digit(const Reader *r)
{
    return r->at < r->k->end && r->k->text[r->at] >= '0' && r->k->text[r->at] <= '9';
}

static bool is_hint(const Reader *r)
{
    return r->hints && r->at < r->k->end && r->k->text[r->at] >= 'a' && r->k->text[r->at] <= 'z';
}

static bool add_digit(Reader *r, Number *to)
{
    if (!th_grow(&to->digit, &to->cap, to->n + 1, 1, r->err) ||
        !th_grow(&to->offset, &to->offset_cap, to->n + 1, sizeof *to->offset, r->err))
        return false;
    to->offset[to->n] = r->at;
    to->digit[to->n++] = r->k->text[r->at++];
    return true;
}

static bool read_number(Reader *r, Number *to, bool blanks)
{
    while (is_digit(r) || is_hint(r) ||
           (blanks && to->n > 0 && r->at < r->k->end && r->k->text[r->at] == ' ')) {
        if (r->k->text[r->at] == ' ') {
            r->at++;
            continue;
        }
        if (r->hints && !read_hint(r, to->n))
            return false;
        if (!is_digit(r))
            return slip(r, TH_PAD_SLIP_FORMAT, "a digit");
        if (!add_digit(r, to))
            return false;
    }
    return to->n > 0 || slip(r, TH_PAD_SLIP_FORMAT, "a digit");
}

static bool read_mark(Reader *r, char mark)
{
    if (r->at < r->k->end && r->k->text[r->at] == mark) {
        r->at++;
        return true;
    }
    return slip(r, TH_PAD_SLIP_FORMAT, (const char[]){mark, '\0'});
}

/* ---- results --------------------------------------------------------------------------------- */

static char digit_of(const Number *x, bool reversed, size_t place)
{
    if (place >= x->n)
        return '0';
    return x->digit[reversed ? place : x->n - 1 - place];
}

/* Digits of the sum from the last, and the carries into each place. */
static size_t add(const Number *x, const Number *y, bool reversed, char *z, char *carry)
{
    size_t longer = x->n > y->n ? x->n : y->n;
    int over = 0;
    for (size_t i = 0; i < longer; i++) {
        int sum = digit_of(x, reversed, i) - '0' + digit_of(y, reversed, i) - '0' + over;
        carry[i] = (char)over;
        over = sum >= 10;
        z[i] = (char)('0' + sum % 10);
    }
    carry[longer] = (char)over;
    z[longer] = '1';
    return longer + (size_t)over;
}

static void to_mpz(mpz_t to, const Number *x, bool reversed, char *room)
{
    for (size_t i = 0; i < x->n; i++)
        room[x->n - 1 - i] = digit_of(x, reversed, i);
    room[x->n] = '\0';
    mpz_set_str(to, room, 10);
}

/* Digits of the product from the last: as many as the first operand has at least. */
static size_t multiply(const Number *x, const Number *y, bool reversed, char *z)
{
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    to_mpz(a, x, reversed, z);
    to_mpz(b, y, reversed, z);
    mpz_mul(a, a, b);
    mpz_get_str(z, 10, a);
    mpz_clear(a);
    mpz_clear(b);
    size_t n = strlen(z);
    for (size_t i = 0; i < n / 2; i++) {
        char c = z[i];
        z[i] = z[n - 1 - i];
        z[n - 1 - i] = c;
    }
    while (n < x->n)
        z[n++] = '0';
    return n;
}

/* A wrong digit of a sum is a wrong carry if it is right but for the carry. */
static ThPadSlip kind_of(char wanted, char found, bool sum)
{
    int apart = (found - wanted + 10) % 10;
    return sum && (apart == 1 || apart == 9) ? TH_PAD_SLIP_CARRY : TH_PAD_SLIP_DIGIT;
}

static bool carry_is_wrong(char wanted, char found, int carry)
{
    return found == (carry ? '0' + (wanted - '0' + 9) % 10 : '0' + (wanted - '0' + 1) % 10);
}

/* Reads and compares the result: n digits, of which z is from the last. */
static bool read_result(Reader *r, const char *z, const char *carry, size_t n, bool reversed)
{
    for (size_t i = 0; i < n; i++) {
        size_t place = reversed ? i : n - 1 - i;
        if (r->hints && !read_hint(r, i))
            return false;
        char wanted[2] = {z[place], '\0'};
        if (is_digit(r) && r->k->text[r->at] == wanted[0]) {
            r->at++;
            continue;
        }
        if (!is_digit(r))
            return slip(r, TH_PAD_SLIP_FORMAT, wanted);
        char found = r->k->text[r->at];
        bool sum = carry && carry_is_wrong(wanted[0], found, carry[place]);
        return slip(r, kind_of(wanted[0], found, sum), wanted);
    }
    return r->at == r->k->end || slip(r, TH_PAD_SLIP_FORMAT, "");
}

static bool check_result(Reader *r, const Number *x, const Number *y, char sign, bool reversed)
{
    size_t room = x->n + y->n + 4;
    char *z TH_OWNED(free) = th_alloc(room, 2, r->err);
    if (!z)
        return false;
    bool sum = sign == '+';
    size_t n = sum ? add(x, y, reversed, z, z + room) : multiply(x, y, reversed, z);
    return read_result(r, z, sum ? z + room : NULL, n, reversed);
}

/* Sets the slip of one layout; right if there is none. */
static bool check_style(const ThPadChecking *k, char sign, ThPadSumStyle style, ThPadChecked *c,
                        ThError *err)
{
    static const char *const names[] = {"compact", "verbose", "plain",         "reversed",
                                        "blanks",  "hints",   "reversed-hints"};
    Number x = {0}, y = {0};
    bool reversed =
        style == TH_PAD_REVERSED || style == TH_PAD_REVERSED_HINTS || style == TH_PAD_BLANKS;
    Reader r = {.k = k, .at = k->begin, .c = c, .err = err};
    r.blanks = style == TH_PAD_BLANKS;
    r.hints = style == TH_PAD_HINTS || style == TH_PAD_REVERSED_HINTS;
    c->style = names[style];
    c->slip = TH_PAD_SLIP_NONE;
    bool right = read_number(&r, &x, r.blanks) && read_mark(&r, sign) &&
                 read_number(&r, &y, r.blanks) && read_mark(&r, '=') &&
                 check_result(&r, &x, &y, sign, reversed);
    number_free(&x);
    number_free(&y);
    th_text_free(&r.hint);
    return right;
}

/* The layouts that a text could have: one or two.  Returns how many. */
static int guess(const ThPadChecking *k, ThPadSumStyle style[2])
{
    const char *s = k->text + k->begin;
    bool letters = false, blanks = false;
    for (size_t i = 0; i < k->end - k->begin && s[i] != '='; i++) {
        letters = letters || (s[i] >= 'a' && s[i] <= 'z');
        blanks = blanks || s[i] == ' ';
    }
    style[0] = letters ? TH_PAD_HINTS : blanks ? TH_PAD_BLANKS : TH_PAD_PLAIN;
    style[1] = letters ? TH_PAD_REVERSED_HINTS : TH_PAD_REVERSED;
    return letters || !blanks ? 2 : 1;
}

bool th_pad_check_sum(const ThPadChecking *k, char sign, ThPadChecked *c, ThError *err)
{
    ThPadSumStyle style[2] = {(ThPadSumStyle)k->layout};
    int n = k->layout > TH_PAD_VERBOSE ? 1 : guess(k, style);
    bool right = check_style(k, sign, style[0], c, err);
    if (!right && c->slip && n > 1) {
        ThPadChecked second = *c;
        right = check_style(k, sign, style[1], &second, err);
        if (right || second.offset > c->offset)
            *c = second;
    }
    return right || c->slip;
}
