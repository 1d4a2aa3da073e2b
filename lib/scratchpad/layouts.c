/* layouts.c - the verbose layout of a computation with digits, and those without steps. */
#include "scratchpad/hints.h"
#include "scratchpad/writing.h"

/* ---- verbose --------------------------------------------------------------------------------- */

/* What a line of a compact scratchpad says; views into it. */
typedef struct {
    char dx, dy, carry; /* addition: what was read, and the carry that goes out */
    const char *m, *product, *carry_digits;
    int n_m, n_product, n_carry;
} Line;

static char digit_at(const char *letter)
{
    return (char)(*letter == '^' ? '0' : *letter - 'a' + '0');
}

/* `end` is the separator behind the line. */
static Line read_line(const char *line, const char *end)
{
    Line l = {0};
    const char *sign = strpbrk(line, "+*"), *open = memchr(line, '(', (size_t)(end - line));
    const char *tilde = memchr(line, '~', (size_t)(end - line));
    const char *comma = memchr(line, ',', (size_t)(end - line));
    l.dx = digit_at(sign - 1);
    l.dy = digit_at(open - 1);
    l.carry = comma[-1];
    l.m = sign + 1;
    l.n_m = (int)(open - l.m);
    l.product = open + 1;
    l.n_product = tilde ? (int)(tilde - l.product) : 0;
    l.carry_digits = tilde ? tilde + 1 : comma - 1;
    l.n_carry = (int)(comma - l.carry_digits);
    return l;
}

static void put_comment(ThText *t, const Line *l, char *carry)
{
    if (l->n_product > 0) {
        th_text_printf(t, "   # %c * %.*s = %.*s carry %.*s", l->dx, l->n_m, l->m, l->n_product,
                       l->product, l->n_carry, l->carry_digits);
        return;
    }
    int sum = l->dx - '0' + l->dy - '0' + *carry - '0';
    th_text_printf(t, "   # %c+%c+%c = %d carry %c", l->dx, l->dy, *carry, sum, l->carry);
    *carry = l->carry;
}

static void put_spaced(ThText *t, const char *from, const char *end)
{
    for (const char *c = from; c < end; c++) {
        if (c > from)
            th_text_add_bytes(t, " ", 1);
        th_text_add_bytes(t, c, 1);
    }
}

bool th_pad_verbose(ThPadExample *e, const char *compact, size_t size, bool comments, ThError *err)
{
    ThText *t = &e->text;
    const char *line = compact, *last = compact + size;
    const char *end = memchr(line, '|', size);
    char carry = '0';
    if (!th_pad_example_begin(e, 0, err))
        return false;
    th_text_add(t, "Input:\n");
    put_spaced(t, line, end);
    th_text_add(t, "\nTarget:\n");
    e->question = t->size;
    th_text_add(t, "<scratch>\n");
    put_spaced(t, line, end);
    for (line = end + 1; (end = memchr(line, '|', (size_t)(last - line))); line = end + 1) {
        th_text_add(t, "\n");
        put_spaced(t, line, end);
        Line l = read_line(line, end);
        if (comments)
            put_comment(t, &l, &carry);
    }
    th_text_add(t, "\n</scratch>\n");
    e->answer = t->size;
    put_spaced(t, line, last);
    return th_pad_example_good(e, err);
}

/* ---- without steps --------------------------------------------------------------------------- */

void th_pad_hint_letters(ThText *t, size_t k)
{
    char letters[16];
    size_t n = 0;
    for (k++; k > 0; k = (k - 1) / 26)
        letters[n++] = (char)('a' + (k - 1) % 26);
    while (n > 0)
        th_text_add_bytes(t, &letters[--n], 1);
}

typedef struct {
    bool reversed, hints;
    double blanks;
    size_t width; /* digits that operands are filled up to with zeros; 0: as they are */
    ThRng *r;
} Layout;

static void put_number(ThText *t, const char *digits, size_t n, const Layout *how, bool blanks)
{
    size_t width = how->width > n ? how->width : n, zeros = width - n;
    for (size_t i = 0; i < width; i++) {
        size_t at = how->reversed ? width - 1 - i : i;
        if (how->hints)
            th_pad_hint_letters(t, i);
        if (blanks && i > 0 && th_rng_uniform(how->r) < how->blanks)
            th_text_add_bytes(t, " ", 1);
        th_text_add_bytes(t, at < zeros ? "0" : &digits[at - zeros], 1);
    }
}

bool th_pad_sum_operands(ThPadSum *s, ThPadOperands *o, const char *what, ThError *err)
{
    if (o->n != 2)
        return th_fail(err, TH_EUSAGE, "%s has two operands", what);
    for (o->wrong = 0; o->wrong < 2; o->wrong++)
        if (!th_pad_digits_ok(o->text[o->wrong], err))
            return false;
    o->wrong = 0;
    s->x = o->text[0];
    s->y = o->text[1];
    s->nx = strlen(s->x);
    s->ny = strlen(s->y);
    return true;
}

bool th_pad_sum_write(ThPadExample *e, const ThPadSum *s, ThPadSumStyle style, double rate,
                      ThRng *r, ThError *err)
{
    Layout how = {.blanks = rate, .r = r};
    bool blanks = style == TH_PAD_BLANKS;
    how.reversed = style == TH_PAD_REVERSED || style == TH_PAD_REVERSED_HINTS || blanks;
    how.hints = style == TH_PAD_HINTS || style == TH_PAD_REVERSED_HINTS;
    /* The same letter means the same place: counted from the left, a place of the sum. */
    if (how.hints)
        how.width = !how.reversed ? s->nz : s->nx > s->ny ? s->nx : s->ny;
    if (!th_pad_example_begin(e, 0, err))
        return false;
    put_number(&e->text, s->x, s->nx, &how, blanks);
    th_text_add_bytes(&e->text, &s->sign, 1);
    put_number(&e->text, s->y, s->ny, &how, blanks);
    th_text_add(&e->text, "=");
    e->question = e->answer = e->text.size;
    put_number(&e->text, s->z, s->nz, &how, false);
    return th_pad_example_good(e, err);
}

/* Hints take most: letters in front of each digit. */
size_t th_pad_sum_most(size_t n)
{
    size_t letters = 0;
    for (size_t k = n + 1; k > 0; k = (k - 1) / 26)
        letters++;
    return 3 * (n + 1) * (1 + letters) + 2;
}

/* ---- with places ------------------------------------------------------------------------------
 */

bool th_pad_sum_fill(ThPadSum *s, size_t nx, size_t ny, char **room, ThError *err)
{
    char *x = *room = th_alloc(nx + ny, 1, err);
    if (!x)
        return false;
    memset(x, '0', nx + ny);
    memcpy(x + nx - s->nx, s->x, s->nx);
    memcpy(x + nx + ny - s->ny, s->y, s->ny);
    s->x = x;
    s->y = x + nx;
    s->nx = nx;
    s->ny = ny;
    return true;
}

bool th_pad_sum_filled(const ThPad *p)
{
    return th_option_given(&p->options, "fill") ? th_option_flag(&p->options, "fill")
                                                : th_pad_hints(p) > 0;
}

bool th_pad_sum_places_fit(const ThPad *p, ThError *err)
{
    int style = th_option_choice(&p->options, "style");
    if (!th_pad_sum_filled(p))
        return th_fail(err, TH_EUSAGE,
                       "hints= goes with fill=yes: otherwise a result has places "
                       "without a mark in the question");
    return style == TH_PAD_COMPACT || style == TH_PAD_PLAIN || style == TH_PAD_REVERSED ||
           th_fail(err, TH_EUSAGE, "hints= does not go with style=%s",
                   th_option_text(&p->options, "style"));
}

/* The first place of a field behind `mark`, in a line so many behind the question, of numbers that
 * have `width` places; 0: it has none.  A result grows by a digit a line. */
static long first_place(char mark, bool product, size_t line, size_t width)
{
    long carry = (long)width - (long)line;
    switch (mark) {
    case '*':
    case ')':
        return 0;
    case '(':
        return product ? 0 : carry;
    case '~':
        return carry;
    case ',':
        return carry + 1;
    default:
        return 1;
    }
}

static bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'j') || c == '^';
}

void th_pad_sum_places(int layout TH_UNUSED, const ThPadPiece *token, size_t n, int *place)
{
    char mark = '|';
    bool product = false;
    size_t line = 0, width = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && is_digit(*token[end].s))
            end++;
        width = width ? width : end - i;
        long first = first_place(mark, product, line, width);
        bool one = mark == '(' || mark == '~';
        for (size_t k = i; k < end; k++) {
            long at = first + (long)(k - i);
            place[k] = first > 0 && at <= (long)width && (k == i || !one) ? (int)at : 0;
        }
        if (end < n) {
            mark = *token[end].s;
            product = product || mark == '*';
            line += mark == '|';
            place[end++] = 0;
        }
        i = end;
    }
}
