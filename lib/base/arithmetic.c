#include "base/arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"

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

static Value whole(long long integer)
{
    return (Value){true, integer, (double)integer};
}

static Value real(double x)
{
    return (Value){false, 0, x};
}

static bool raise_to(Value *x, long long exponent)
{
    Value power = whole(1);
    for (long long i = 0; i < exponent && (i == 0 || power.integer != 1); i++) {
        if (__builtin_mul_overflow(power.integer, x->integer, &power.integer))
            return false;
        if (power.integer == 0)
            break;
    }
    if (x->integer == -1)
        power.integer = exponent % 2 ? -1 : 1;
    *x = whole(power.integer);
    return true;
}

static bool combine_whole(Value *x, char sign, long long y)
{
    long long z = 0;
    bool over = false;
    if (sign == '^')
        return raise_to(x, y);
    if (sign == '+')
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
