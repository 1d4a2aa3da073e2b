/* write_columns.c - a product column by column, every product of two digits and every sum written
 * down, so that a symbol depends on a few that stand near it and on one digit of each number. */

#include "scratchpad/columns.h"

/* What a column adds up to is at most 90 k: k products of two digits, and a tenth of the column
 * before. */
static size_t digits_of(size_t most)
{
    size_t n = 1;
    for (; most >= 10; most /= 10)
        n++;
    return n;
}

ThPadColumns th_pad_columns_begin(const char *x, size_t nx, const char *m, size_t k)
{
    return (ThPadColumns){x, m, nx, k, nx + k, digits_of(90 * k), 0, 0};
}

/* The digit of the first number at a place from the last on; places behind the point are less than
 * 0. */
static int digit_at(const ThPadColumns *c, ptrdiff_t place)
{
    return place >= 0 && (size_t)place < c->nx ? c->x[c->nx - 1 - (size_t)place] - '0' : 0;
}

/* A number's n digits, the last first. */
static void put_reversed(ThText *t, size_t number, size_t n)
{
    char digit[24];
    for (size_t i = 0; i < n; i++, number /= 10)
        digit[i] = (char)('0' + number % 10);
    th_text_add_bytes(t, digit, n);
}

static void put_zeros(ThText *t, size_t n)
{
    for (; n > 0; n--)
        th_text_add(t, "0");
}

static void put_question(ThText *t, const ThPadColumns *c)
{
    put_zeros(t, c->k);
    th_text_add_bytes(t, c->x, c->nx);
    th_text_add(t, ".");
    put_zeros(t, c->k - 1);
    th_text_add(t, "*");
    th_text_add_bytes(t, c->m, c->k);
    th_text_add(t, "|");
}

bool th_pad_columns_next(ThPadColumns *c, ThText *t, char *result)
{
    if (c->column == c->places)
        return false;
    for (size_t j = c->k; j-- > 0;) {
        int d = digit_at(c, (ptrdiff_t)c->column - (ptrdiff_t)j), e = c->m[c->k - 1 - j] - '0';
        size_t product = (size_t)(d * e);
        c->sum += product;
        th_text_add_bytes(t, (const char[]){(char)('0' + d), '*', (char)('0' + e), '('}, 4);
        put_reversed(t, product, 2);
        th_text_add(t, "~");
        put_reversed(t, c->sum, c->wide);
        th_text_add(t, ")");
    }
    char digit = (char)('0' + c->sum % 10);
    th_text_add_bytes(t, (const char[]){digit, '|'}, 2);
    result[c->places - 1 - c->column++] = digit;
    c->sum /= 10;
    return true;
}

bool th_pad_columns_write(ThPadExample *e, const ThPadSum *product, ThError *err)
{
    ThPadColumns c = th_pad_columns_begin(product->x, product->nx, product->y, product->ny);
    char *result TH_OWNED(free) = th_alloc(c.places, 1, err);
    if (!result || !th_pad_example_begin(e, th_pad_columns_most(c.nx, c.k), err))
        return false;
    ThText *t = &e->text;
    put_question(t, &c);
    e->question = t->size;
    while (th_pad_columns_next(&c, t, result))
        continue;
    e->answer = t->size;
    th_text_add_bytes(t, result, c.places);
    return th_pad_example_good(e, err);
}

size_t th_pad_columns_most(size_t nx, size_t k)
{
    ThPadColumns c = th_pad_columns_begin(NULL, nx, NULL, k);
    return 2 * c.places + 2 * k + 2 + c.places * (k * (8 + c.wide) + 2);
}

/* ---- places ---------------------------------------------------------------------------------- */

bool th_pad_columns_are(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    return i < n && text[i] == '.';
}

static bool is_digit(const ThPadPiece *token, size_t n, size_t i)
{
    return i < n && *token[i].s >= '0' && *token[i].s <= '9';
}

static bool is(const ThPadPiece *token, size_t n, size_t i, char c)
{
    return i < n && *token[i].s == c;
}

/* Numbers the digits of the question; sets how many x has in front of its point, in all, and how
 * many there are with those of m.  Returns what stands behind it. */
static size_t question_places(const ThPadPiece *token, size_t n, int *place, int *whole, int *of_x,
                              int *all)
{
    size_t i = 0;
    *whole = *of_x = *all = 0;
    for (; i < n && *token[i].s != '|'; i++) {
        place[i] = is_digit(token, n, i) ? ++*all : 0;
        if (*token[i].s == '.')
            *whole = *all;
        if (*token[i].s == '*')
            *of_x = *all;
    }
    if (i < n)
        place[i++] = 0;
    return i;
}

void th_pad_columns_places(const ThPadPiece *token, size_t n, int *place)
{
    int whole, of_x, all;
    size_t i = question_places(token, n, place, &whole, &of_x, &all);
    int k = all - of_x;
    for (int column = 0, term = 0, at = 0; i < n; i++) {
        bool digit = is_digit(token, n, i), other = is(token, n, i - 1, '*');
        bool first = is(token, n, i - 1, '|') || is(token, n, i - 1, ')');
        int found = 0;
        if (digit && column >= whole)
            found = ++at;
        else if (digit && first)
            found = whole - column + (term < k ? k - 1 - term : 0);
        else if (digit && other)
            found = of_x + 1 + term;
        place[i] = found > 0 && found <= all ? found : 0;
        term += is(token, n, i, ')');
        if (is(token, n, i, '|')) {
            column++;
            term = 0;
        }
    }
}
