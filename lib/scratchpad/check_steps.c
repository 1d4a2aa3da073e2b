/* check_steps.c - additions and multiplications with their steps, compact or verbose. */

#include "scratchpad/checker.h"
#include "scratchpad/writing.h"

/* ---- plain text ------------------------------------------------------------------------------ */

/* A text as one character a token: blanks, comments and newlines taken out. */
typedef struct {
    char *s;
    size_t n, cap;
    size_t *offset; /* (n): where each stood; NULL: at begin + i */
    size_t offset_cap, begin;
    size_t end;    /* offset of the end */
    size_t closed; /* verbose: how many characters stand before </scratch>; 0: not seen */
} PlainText;

static size_t plain_offset(const PlainText *t, size_t i)
{
    return i >= t->n ? t->end : t->offset ? t->offset[i] : t->begin + i;
}

static bool add_plain(PlainText *t, char c, size_t offset, ThError *err)
{
    if (!th_grow(&t->s, &t->cap, t->n + 1, 1, err) ||
        !th_grow(&t->offset, &t->offset_cap, t->n + 1, sizeof *t->offset, err))
        return false;
    t->s[t->n] = c;
    t->offset[t->n++] = offset;
    return true;
}

/* The next line that is not empty: *at and *end.  False at the end of the text. */
static bool next_line(const ThPadChecking *k, size_t *next, size_t *at, size_t *end)
{
    while (*next < k->end) {
        const char *nl = memchr(k->text + *next, '\n', k->end - *next);
        *at = *next;
        *end = nl ? (size_t)(nl - k->text) : k->end;
        *next = *end + (nl != NULL);
        const char *comment = memchr(k->text + *at, '#', *end - *at);
        if (comment)
            *end = (size_t)(comment - k->text);
        while (*at < *end && strchr(" \t\r", k->text[*at]) && k->text[*at])
            ++*at;
        while (*end > *at && strchr(" \t\r", k->text[*end - 1]) && k->text[*end - 1])
            --*end;
        if (*at < *end)
            return true;
    }
    *at = *end = k->end;
    return false;
}

static bool line_is(const ThPadChecking *k, size_t at, size_t end, const char *text)
{
    return end - at == strlen(text) && memcmp(k->text + at, text, end - at) == 0;
}

static bool add_line(PlainText *t, const ThPadChecking *k, size_t at, size_t end, ThError *err)
{
    for (size_t i = at; i < end; i++)
        if (k->text[i] != ' ' && !add_plain(t, k->text[i], i, err))
            return false;
    return true;
}

/* A line of constant text, or a slip. */
static bool want_line(const ThPadChecking *k, size_t *next, const char *text, ThPadChecked *c)
{
    size_t at, end;
    if (!next_line(k, next, &at, &end))
        th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, at, text, "", 0);
    else if (!line_is(k, at, end, text))
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, at, text, k->text + at, end - at);
    return c->slip == TH_PAD_SLIP_NONE;
}

/* The question is there twice: behind Input: and as the first line of the scratchpad. */
static bool same_question(PlainText *t, const PlainText *first, size_t end, ThPadChecked *c)
{
    size_t i = 0;
    while (i < t->n && i < first->n && t->s[i] == first->s[i])
        i++;
    if (i == t->n && i == first->n)
        return true;
    size_t at = i < t->n ? t->offset[i] : end;
    return !th_pad_slip_at(c, TH_PAD_SLIP_COPY, at, first->s + i, i < first->n, t->s + i, i < t->n);
}

/* The lines behind the question, `end` being where that ends.  </scratch> is the end of a line. */
static bool read_steps(PlainText *t, const ThPadChecking *k, size_t *next, size_t end, ThError *err)
{
    size_t at;
    for (size_t before = end; next_line(k, next, &at, &end); before = end) {
        bool close = line_is(k, at, end, "</scratch>");
        if (!add_plain(t, '|', before, err))
            return false;
        if (!close && !add_line(t, k, at, end, err))
            return false;
        if (!close)
            continue;
        t->closed = t->n;
        if (next_line(k, next, &at, &end) && !add_line(t, k, at, end, err))
            return false;
        break;
    }
    while (next_line(k, next, &at, &end))
        if (!add_plain(t, '\n', at, err))
            return false;
    return true;
}

static bool read_verbose(PlainText *t, const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    size_t next = k->begin, at, end;
    PlainText first = {0};
    bool ok = want_line(k, &next, "Input:", c);
    if (ok && !next_line(k, &next, &at, &end))
        ok = !th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, at, "a question", "", 0);
    ok = ok && add_line(&first, k, at, end, err) && want_line(k, &next, "Target:", c) &&
         want_line(k, &next, "<scratch>", c);
    if (ok && !next_line(k, &next, &at, &end))
        ok = !th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, at, "the question", "", 0);
    ok = ok && add_line(t, k, at, end, err) && same_question(t, &first, end, c) &&
         read_steps(t, k, &next, end, err);
    TH_FREE(first.s, first.offset);
    return ok;
}

static bool read_compact(PlainText *t, const ThPadChecking *k, ThError *err)
{
    enum { MARK = sizeof TH_PAD_SEP - 1 };
    const char *s = k->text + k->begin;
    size_t n = k->end - k->begin;
    bool marks = memchr(s, '<', n) != NULL;
    if (!marks) {
        t->s = th_copy(s, n, 1, err);
        t->n = n;
        return t->s != NULL;
    }
    for (size_t i = 0; i < n; i++) {
        bool mark = n - i >= MARK && memcmp(s + i, TH_PAD_SEP, MARK) == 0;
        if (!add_plain(t, mark ? '|' : s[i], k->begin + i, err))
            return false;
        i += mark ? MARK - 1 : 0;
    }
    return true;
}

/* The text of a compact or verbose computation.  False where there is a slip, or on TH_ENOMEM. */
static bool plain_text(PlainText *t, const ThPadChecking *k, bool verbose, ThPadChecked *c,
                       ThError *err)
{
    *t = (PlainText){.begin = k->begin, .end = k->end};
    return verbose ? read_verbose(t, k, c, err) : read_compact(t, k, err);
}

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct {
    const char *s; /* the plain text */
    size_t n, at;
    ThPadSlip slip; /* the first one, at `at` */
    char expected;
} Match;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'j';
}

static bool is_mark(char c)
{
    return c && strchr("+*^(),~|", c) != NULL;
}

/* The kind of a slip where c is wanted as part of something that is `kind`, or, where c is a mark,
 * behind something that is. */
static ThPadSlip kind_of(const Match *m, char c, ThPadSlip kind)
{
    if (m->at >= m->n)
        return TH_PAD_SLIP_EARLY_END;
    char found = m->s[m->at];
    if (!is_digit(found) && !is_letter(found) && !is_mark(found))
        return TH_PAD_SLIP_FORMAT;
    if (is_mark(c) && c != '^') /* more of what stands before it, or it is missing? */
        return !is_mark(found) && m->at + 1 < m->n && m->s[m->at + 1] == c ? kind
                                                                           : TH_PAD_SLIP_FORMAT;
    if (is_letter(c))
        return is_letter(found) ? TH_PAD_SLIP_DIGIT : TH_PAD_SLIP_MOVE;
    if (kind == TH_PAD_SLIP_COPY && is_letter(found) && found == th_pad_letter_of(c))
        return TH_PAD_SLIP_MOVE;
    return kind;
}

static bool fails(Match *m, char c, ThPadSlip kind)
{
    m->slip = kind_of(m, c, kind);
    m->expected = c;
    return false;
}

static bool one(Match *m, char c, ThPadSlip kind)
{
    if (m->at < m->n && m->s[m->at] == c) {
        m->at++;
        return true;
    }
    return fails(m, c, kind);
}

static bool run(Match *m, const char *from, size_t n, ThPadSlip kind)
{
    size_t left = m->n - m->at;
    if (n <= left && memcmp(m->s + m->at, from, n) == 0) {
        m->at += n;
        return true;
    }
    size_t i = 0;
    while (i < left && m->s[m->at] == from[i]) {
        m->at++;
        i++;
    }
    return fails(m, from[i], kind);
}

static bool operand(Match *m, const char *digits, size_t n)
{
    if (n == 0)
        return one(m, '^', TH_PAD_SLIP_COPY);
    return run(m, digits, n - 1, TH_PAD_SLIP_COPY) &&
           one(m, th_pad_letter_of(digits[n - 1]), TH_PAD_SLIP_DIGIT);
}

/* Called where a line does not match: nothing but digits, from `line` to the end of the text, are
 * an answer that comes too early, if they are the n of the result so far or nothing in front of
 * them is as it should be.  Returns false. */
static bool mismatch(Match *m, size_t line, char due, const char *result, size_t n)
{
    size_t i = line;
    while (i < m->n && is_digit(m->s[i]))
        i++;
    bool same = i - line == n && memcmp(m->s + line, result, n) == 0;
    if (m->slip == TH_PAD_SLIP_EARLY_END || i < m->n || (m->at > line && !same))
        return false;
    m->slip = TH_PAD_SLIP_EARLY_END;
    m->at = line;
    m->expected = due;
    return false;
}

/* What a line begins with. */
static char beginning(const char *digits, size_t n)
{
    return n == 0 ? '^' : n == 1 ? th_pad_letter_of(digits[0]) : digits[0];
}

static bool digits(Match *m, const char **from, size_t *n)
{
    *from = m->s + m->at;
    while (m->at < m->n && is_digit(m->s[m->at]))
        m->at++;
    *n = (size_t)(m->s + m->at - *from);
    return *n > 0 || fails(m, '0', TH_PAD_SLIP_FORMAT);
}

/* The answer, behind which there is nothing. */
static bool answer(Match *m, const char *result, size_t n)
{
    if (!run(m, result, n, TH_PAD_SLIP_COPY)) {
        bool line = m->slip != TH_PAD_SLIP_EARLY_END && !is_digit(m->s[m->at]);
        m->slip = line ? TH_PAD_SLIP_FORMAT : m->slip;
        return false;
    }
    if (m->at == m->n)
        return true;
    m->slip = is_digit(m->s[m->at]) ? TH_PAD_SLIP_COPY : TH_PAD_SLIP_FORMAT;
    m->expected = '\0';
    return false;
}

/* ---- addition -------------------------------------------------------------------------------- */

typedef struct {
    const char *x, *y, *r; /* views of the text: operands, and the result of the line before */
    size_t nx, ny, nr;
    int carry;
} Addition;

static bool addition_line(Match *m, Addition *a)
{
    int sum = a->carry + (a->nx ? a->x[a->nx - 1] - '0' : 0) + (a->ny ? a->y[a->ny - 1] - '0' : 0);
    a->carry = sum >= 10;
    size_t line = m->at;
    if (!operand(m, a->x, a->nx) || !one(m, '+', TH_PAD_SLIP_COPY) || !operand(m, a->y, a->ny) ||
        !one(m, '(', TH_PAD_SLIP_MOVE) || !one(m, (char)('0' + a->carry), TH_PAD_SLIP_CARRY) ||
        !one(m, ',', TH_PAD_SLIP_CARRY))
        return mismatch(m, line, beginning(a->x, a->nx), a->r, a->nr);
    const char *result = m->s + m->at;
    if (!one(m, (char)('0' + sum % 10), TH_PAD_SLIP_DIGIT) ||
        !run(m, a->r, a->nr, TH_PAD_SLIP_COPY) || !one(m, ')', TH_PAD_SLIP_COPY) ||
        !one(m, '|', TH_PAD_SLIP_FORMAT))
        return false;
    a->r = result;
    a->nr++;
    a->nx -= a->nx > 0;
    a->ny -= a->ny > 0;
    return true;
}

static bool addition(Match *m, ThPadFinalCarry final)
{
    Addition a = {.r = m->s};
    if (!digits(m, &a.x, &a.nx) || !one(m, '+', TH_PAD_SLIP_FORMAT) || !digits(m, &a.y, &a.ny) ||
        !one(m, '|', TH_PAD_SLIP_FORMAT))
        return false;
    while (a.nx > 0 || a.ny > 0 || a.carry) {
        bool folds = final == TH_PAD_CARRY_FOLD ||
                     (final == TH_PAD_CARRY_EITHER && m->at < m->n && m->s[m->at] == '1');
        if (a.nx == 0 && a.ny == 0 && folds)
            return one(m, '1', TH_PAD_SLIP_CARRY) && answer(m, a.r, a.nr);
        if (!addition_line(m, &a))
            return false;
    }
    return answer(m, a.r, a.nr);
}

/* ---- multiplication -------------------------------------------------------------------------- */

typedef struct {
    const char *x, *m, *r;
    size_t nx, k, nr;
    char *product, *carry; /* (k + 1): as in multiplication.c */
    char digit;            /* the next one of the result */
    ThPadFlush flush;
} Product;

static bool carries(const Product *p)
{
    return strspn(p->carry, "0") <= p->k;
}

/* True if a line that flushes the carry does all of it: `at` is where its carry is written. */
static bool flushes(const Match *m, const Product *p, size_t at)
{
    if (p->flush != TH_PAD_FLUSH_EITHER)
        return p->flush == TH_PAD_FLUSH_ONCE;
    size_t zeros = 0;
    while (zeros < p->k && at + zeros < m->n && m->s[at + zeros] == '0')
        zeros++;
    return zeros == p->k && strspn(p->carry, "0") < p->k;
}

/* The part (P~C,R)| of a line; of a flushing one the digits of the carry go in front of R. */
static bool results(Match *m, Product *p, const char *front, size_t n)
{
    if (!one(m, '(', TH_PAD_SLIP_COPY) || !run(m, p->product, p->k + 1, TH_PAD_SLIP_DIGIT) ||
        !one(m, '~', TH_PAD_SLIP_DIGIT) || !run(m, p->carry + 1, p->k, TH_PAD_SLIP_CARRY) ||
        !one(m, ',', TH_PAD_SLIP_CARRY))
        return false;
    const char *result = m->s + m->at;
    if (!run(m, front, n, TH_PAD_SLIP_DIGIT) || !run(m, p->r, p->nr, TH_PAD_SLIP_COPY) ||
        !one(m, ')', TH_PAD_SLIP_COPY) || !one(m, '|', TH_PAD_SLIP_FORMAT))
        return false;
    p->r = result;
    p->nr += n;
    p->nx -= p->nx > 0;
    return true;
}

static bool product_line(Match *m, Product *p, char *front)
{
    size_t line = m->at;
    if (!operand(m, p->x, p->nx) || !one(m, '*', TH_PAD_SLIP_COPY) ||
        !run(m, p->m, p->k, TH_PAD_SLIP_COPY))
        return mismatch(m, line, beginning(p->x, p->nx), p->r, p->nr);
    if (p->nx == 0 && flushes(m, p, m->at + p->k + 3)) {
        size_t zeros = strspn(p->carry, "0"), n = p->k + 1 - zeros;
        memcpy(front, p->carry + zeros, n);
        memset(p->carry, '0', p->k + 1);
        memset(p->product, '0', p->k + 1);
        return results(m, p, front, n);
    }
    int d = p->nx ? p->x[p->nx - 1] - '0' : 0;
    p->digit = th_pad_product_step(d, p->m, p->k, p->product, p->carry);
    return results(m, p, &p->digit, 1);
}

static bool multiplication(Match *m, ThPadFlush flush, char **room, ThError *err)
{
    Product p = {.r = m->s, .flush = flush};
    if (!digits(m, &p.x, &p.nx) || !one(m, '*', TH_PAD_SLIP_FORMAT) || !digits(m, &p.m, &p.k) ||
        !one(m, '|', TH_PAD_SLIP_FORMAT))
        return false;
    *room = th_alloc(3 * (p.k + 2), 1, err);
    if (!*room)
        return false;
    p.product = *room;
    p.carry = *room + p.k + 2;
    memset(p.carry, '0', p.k + 1);
    while (p.nx > 0 || carries(&p))
        if (!product_line(m, &p, *room + 2 * (p.k + 2)))
            return false;
    return answer(m, p.r, p.nr);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* A verbose answer stands behind </scratch>, which stands behind the last line. */
static void check_closed(const Match *m, const PlainText *t, ThPadChecked *c)
{
    size_t begin = m->n;
    while (begin > 0 && t->s[begin - 1] != '|')
        begin--;
    if (t->closed == begin)
        return;
    size_t at = plain_offset(t, begin);
    th_pad_slip_at(c, TH_PAD_SLIP_FORMAT, at, "</scratch>", 10, t->s + begin, m->n - begin);
}

bool th_pad_check_steps(const ThPadChecking *k, char sign, ThPadChecked *c, ThError *err)
{
    PlainText t;
    char *room TH_OWNED(free) = NULL;
    bool verbose = k->layout >= 0 ? k->layout == TH_PAD_VERBOSE : k->text[k->begin] == 'I';
    c->style = verbose ? "verbose" : "compact";
    bool ok = plain_text(&t, k, verbose, c, err);
    if (ok) {
        Match m = {.s = t.s ? t.s : "", .n = t.n};
        bool right;
        if (sign == '+')
            right = addition(&m, (ThPadFinalCarry)th_option_choice(k->options, "final-carry"));
        else
            right =
                multiplication(&m, (ThPadFlush)th_option_choice(k->options, "flush"), &room, err);
        if (!right && m.slip)
            th_pad_slip_at(c, m.slip, plain_offset(&t, m.at), &m.expected, m.expected != '\0',
                           m.s + m.at, m.at < m.n);
        else if (verbose && right)
            check_closed(&m, &t, c);
        ok = right || m.slip;
    }
    TH_FREE(t.s, t.offset);
    return ok || c->slip;
}
