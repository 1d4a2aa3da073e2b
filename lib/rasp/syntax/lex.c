#include "rasp/syntax/lex.h"

#include <errno.h>
#include <math.h>

#include "base/arithmetic.h"

static int peek(const ThRaspSource *lx, size_t ahead)
{
    size_t at = lx->at + ahead;
    return at < lx->n ? (unsigned char)lx->text[at] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void step(ThRaspSource *lx, size_t n)
{
    lx->at += n;
    lx->col += (int)n;
}

static void skip_blanks(ThRaspSource *lx)
{
    for (;;) {
        int c = peek(lx, 0);
        if (c == '#') {
            while (peek(lx, 0) >= 0 && peek(lx, 0) != '\n')
                lx->at++;
        } else if (c == '\n') {
            lx->at++;
            lx->line++;
            lx->col = 1;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            step(lx, 1);
        } else {
            return;
        }
    }
}

/* Bytes of e-3 and the like behind a number; 0: there is none. */
static size_t exponent_length(const ThRaspSource *lx, size_t at)
{
    size_t n = 1;
    if (peek(lx, at) != 'e' && peek(lx, at) != 'E')
        return 0;
    n += peek(lx, at + n) == '-' || peek(lx, at + n) == '+';
    size_t digits = n;
    while (is_digit(peek(lx, at + n)))
        n++;
    return n > digits ? n : 0;
}

/* Bytes of a number; *real: it has a point or an exponent. */
static size_t number_length(const ThRaspSource *lx, bool *real)
{
    size_t n = 0;
    while (is_digit(peek(lx, n)))
        n++;
    *real = peek(lx, n) == '.' && is_digit(peek(lx, n + 1));
    n += *real;
    while (*real && is_digit(peek(lx, n)))
        n++;
    size_t exponent = exponent_length(lx, n);
    *real = *real || exponent > 0;
    return n + exponent;
}

/* 1e3 is a whole number, as it is in options. */
static bool read_number(ThRaspSource *lx, ThRaspLexeme *t, ThError *err)
{
    enum { LONGEST = 400 };
    char digits[LONGEST + 1];
    bool real;
    long long whole;
    size_t n = number_length(lx, &real);
    t->kind = real ? TH_RASP_LEX_REAL : TH_RASP_LEX_INT;
    if (n > LONGEST)
        return th_fail_at(err, TH_EPARSE, t->line, t->col, "this number has %zu digits", n);
    memcpy(digits, lx->text + lx->at, n);
    digits[n] = '\0';
    errno = 0;
    if (real)
        t->real = strtod(digits, NULL);
    else
        t->integer = strtoll(digits, NULL, 10);
    if (errno == ERANGE && (t->kind == TH_RASP_LEX_INT || !isfinite(t->real)))
        return th_fail_at(err, TH_EPARSE, t->line, t->col, "this number is too large") ||
               th_hint(err, "integers go up to 9223372036854775807");
    if (real && !strpbrk(digits, ".-") && th_integer_read(digits, &whole)) {
        t->kind = TH_RASP_LEX_INT;
        t->integer = whole;
    }
    step(lx, n);
    if (is_letter(peek(lx, 0)))
        return th_fail_at(
                   err, TH_EPARSE, lx->line, lx->col,
                   "a name cannot begin with a digit, nor a number be followed by a letter") ||
               th_hint(err, "text that begins with a digit stands in quotes");
    return true;
}

static bool read_string(ThRaspSource *lx, ThRaspLexeme *t, ThError *err)
{
    step(lx, 1);
    t->kind = TH_RASP_LEX_STRING;
    t->start = lx->at;
    while (peek(lx, 0) >= 0 && peek(lx, 0) != '"' && peek(lx, 0) != '\n') {
        if (peek(lx, 0) == '\\' && (peek(lx, 1) == '"' || peek(lx, 1) == '\\'))
            step(lx, 1);
        size_t k = th_utf8_next(lx->text + lx->at, lx->n - lx->at, NULL);
        if (k == 0)
            return th_fail_at(err, TH_EPARSE, lx->line, lx->col, "this is not UTF-8 text");
        lx->at += k;
        lx->col++;
    }
    t->end = lx->at;
    if (peek(lx, 0) != '"')
        return th_fail_at(err, TH_EPARSE, t->line, t->col,
                          "this string is not closed at the end of its line");
    step(lx, 1);
    return true;
}

static bool unexpected(const ThRaspSource *lx, ThError *err)
{
    int c = peek(lx, 0);
    size_t k = th_utf8_next(lx->text + lx->at, lx->n - lx->at, NULL);
    if (k == 0)
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col, "this is not UTF-8 text");
    if (c < 0x20 || c == 0x7f)
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col, "control character U+%04X", c);
    th_fail_at(err, TH_EPARSE, lx->line, lx->col, "'%.*s' means nothing in RASP", (int)k,
               lx->text + lx->at);
    if (c >= 0x80)
        return th_hint(err, "names are made of the letters a to z and A to Z, digits and _");
    const char *habit = th_rasp_habit("", (char[]){(char)c, '\0'}, "");
    return habit ? th_hint(err, "%s", habit) : false;
}

static bool read_token(ThRaspSource *lx, ThRaspLexeme *t, ThError *err)
{
    *t = (ThRaspLexeme){.start = lx->at, .end = lx->at, .line = lx->line, .col = lx->col};
    int c = peek(lx, 0);
    if (c < 0)
        return true;
    bool inserted = c == '$' && (is_letter(peek(lx, 1)) || is_digit(peek(lx, 1)));
    if (is_letter(c) || inserted) {
        size_t n = 1;
        while (is_letter(peek(lx, n)) || is_digit(peek(lx, n)))
            n++;
        t->kind = inserted ? TH_RASP_LEX_INSERTED : TH_RASP_LEX_NAME;
        step(lx, n);
        t->end = lx->at;
        return true;
    }
    if (is_digit(c)) {
        bool ok = read_number(lx, t, err);
        t->end = lx->at;
        return ok;
    }
    if (c == '"')
        return read_string(lx, t, err);
    if (c == 0 || !strchr("()[]{},:;=+-*/%^<>!", c))
        return unexpected(lx, err);
    bool pair = peek(lx, 1) == '=' && strchr("=!<>", c);
    if (c == '!' && !pair)
        return unexpected(lx, err);
    t->kind = !pair      ? c
              : c == '=' ? TH_RASP_LEX_EQ
              : c == '!' ? TH_RASP_LEX_NE
              : c == '<' ? TH_RASP_LEX_LE
                         : TH_RASP_LEX_GE;
    step(lx, pair ? 2 : 1);
    t->end = lx->at;
    return true;
}

bool th_rasp_lex(ThRaspSource *lx, ThRaspLexeme *t, ThError *err)
{
    skip_blanks(lx);
    bool ok = read_token(lx, t, err);
    t->after = lx->at;
    t->after_col = lx->col;
    return ok;
}
