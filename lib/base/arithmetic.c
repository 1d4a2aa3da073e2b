#include "base/arithmetic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 63, DEEPEST = 100 };

/* real is always set. */
typedef struct {
    bool whole;
    long long integer;
    double real;
} Value;

typedef struct {
    const char *at;
    int depth;
} Reader;

/* Digits, perhaps behind a minus, with _ between them; *text moves behind them. */
static bool read_digits(const char **text, long long *value)
{
    char digits[32];
    size_t n = 0;
    const char *p = *text;
    if (*p == '-')
        digits[n++] = *p++;
    for (; (*p >= '0' && *p <= '9') || (*p == '_' && n > 0); p++) {
        bool between = p[0] == '_' && p[-1] >= '0' && p[-1] <= '9' && p[1] >= '0' && p[1] <= '9';
        if (n + 1 == sizeof digits || (*p == '_' && !between))
            return false;
        if (*p != '_')
            digits[n++] = *p;
    }
    digits[n] = '\0';
    errno = 0;
    *value = strtoll(digits, NULL, 10);
    *text = p;
    return errno == 0 && n > 0 && digits[n - 1] != '-';
}

/* A number with an exponent, if it is whole and a double holds it exactly. */
static bool read_scientific(const char *text, long long *value)
{
    char *end;
    double x = strtod(text, &end);
    bool plain = text[strspn(text, "-0123456789.eE")] == '\0';
    if (!plain || *end || !(fabs(x) < 0x1p63) || x != floor(x))
        return false;
    *value = (long long)x;
    return true;
}

static bool raise_to(long long *value, long long exponent)
{
    long long base = *value, power = 1;
    for (long long i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow(power, base, &power))
            return false;
        if (power == 0 || power == 1)
            break;
    }
    *value = base == -1 && exponent % 2 != 0 ? -1 : power;
    return true;
}

bool th_integer_read(const char *text, long long *value)
{
    const char *p = text;
    long long exponent;
    if (!read_digits(&p, value))
        return false;
    if (*p == 'e' || *p == 'E' || *p == '.')
        return strpbrk(p, "eE") && p[strlen(p) - 1] != '.' && read_scientific(text, value);
    if (*p == '\0')
        return true;
    p++;
    return p[-1] == '^' && read_digits(&p, &exponent) && *p == '\0' && exponent >= 0 &&
           raise_to(value, exponent);
}

static Value whole(long long integer)
{
    return (Value){true, integer, (double)integer};
}

static Value real(double x)
{
    return (Value){false, 0, x};
}

static bool combine_whole(Value *x, char sign, long long y)
{
    long long z = 0;
    bool over = false;
    if (sign == '^') {
        z = x->integer;
        over = !raise_to(&z, y);
    } else if (sign == '+')
        over = __builtin_add_overflow(x->integer, y, &z);
    else if (sign == '-')
        over = __builtin_sub_overflow(x->integer, y, &z);
    else if (sign == '*')
        over = __builtin_mul_overflow(x->integer, y, &z);
    else
        z = sign == '/' ? x->integer / y : x->integer % y;
    *x = whole(z);
    return !over;
}

static bool combine(Value *x, char sign, Value y)
{
    bool both = x->whole && y.whole, parts = sign == '/' || sign == '%';
    if (parts && y.real == 0)
        return false;
    if (both && parts && y.integer == -1) /* the one quotient that may not fit */
        return combine_whole(x, sign == '/' ? '*' : '%', sign == '/' ? -1 : 1);
    bool exact =
        both && (sign != '^' || y.integer >= 0) && (sign != '/' || x->integer % y.integer == 0);
    if (exact)
        return combine_whole(x, sign, y.integer);
    *x = real(sign == '^'   ? pow(x->real, y.real)
              : sign == '/' ? x->real / y.real
              : sign == '%' ? fmod(x->real, y.real)
              : sign == '*' ? x->real * y.real
              : sign == '-' ? x->real - y.real
                            : x->real + y.real);
    return true;
}

static void skip_blanks(Reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

static bool read_number(Reader *r, Value *x)
{
    char text[MOST_DIGITS + 1], *end;
    size_t n = strspn(r->at, "0123456789_.");
    if (n > 0 && strchr("eE", r->at[n]) && r->at[n]) {
        size_t sign = r->at[n + 1] == '-' || r->at[n + 1] == '+';
        n += 1 + sign + strspn(r->at + n + 1 + sign, "0123456789");
    }
    if (n == 0 || n > MOST_DIGITS)
        return false;
    memcpy(text, r->at, n);
    text[n] = '\0';
    r->at += n;
    if (th_integer_read(text, &x->integer)) {
        *x = whole(x->integer);
        return true;
    }
    *x = real(strtod(text, &end));
    return *end == '\0';
}

static bool read_sum(Reader *r, Value *x);

static bool read_primary(Reader *r, Value *x)
{
    skip_blanks(r);
    if (*r->at != '(')
        return read_number(r, x);
    r->at++;
    if (++r->depth > DEEPEST || !read_sum(r, x) || *r->at != ')')
        return false;
    r->depth--;
    r->at++;
    return true;
}

static bool read_factor(Reader *r, Value *x);

static bool read_power(Reader *r, Value *x)
{
    Value y;
    if (!read_primary(r, x))
        return false;
    skip_blanks(r);
    if (*r->at != '^')
        return true;
    r->at++;
    return read_factor(r, &y) && combine(x, '^', y);
}

/* A minus binds less than ^ behind it. */
static bool read_factor(Reader *r, Value *x)
{
    skip_blanks(r);
    bool minus = *r->at == '-';
    r->at += minus;
    if (++r->depth > DEEPEST || !(minus ? read_factor(r, x) : read_power(r, x)))
        return false;
    r->depth--;
    return !minus || combine(x, '*', whole(-1));
}

/* Operators of one kind, from the left. */
static bool read_chain(Reader *r, Value *x, const char *signs, bool (*operand)(Reader *r, Value *x))
{
    Value y;
    if (!operand(r, x))
        return false;
    for (skip_blanks(r); *r->at && strchr(signs, *r->at); skip_blanks(r)) {
        char sign = *r->at++;
        if (!operand(r, &y) || !combine(x, sign, y))
            return false;
    }
    return true;
}

static bool read_product(Reader *r, Value *x)
{
    return read_chain(r, x, "*/%", read_factor);
}

static bool read_sum(Reader *r, Value *x)
{
    return read_chain(r, x, "+-", read_product);
}

static bool evaluate(const char *text, Value *x)
{
    Reader r = {.at = text};
    return read_sum(&r, x) && *r.at == '\0';
}

bool th_integer_evaluate(const char *text, long long *value)
{
    Value x;
    if (th_integer_read(text, value))
        return true;
    if (!evaluate(text, &x) || !x.whole)
        return false;
    *value = x.integer;
    return true;
}

bool th_real_evaluate(const char *text, double *value)
{
    Value x;
    if (!evaluate(text, &x) || !isfinite(x.real))
        return false;
    *value = x.real;
    return true;
}

uint64_t th_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
