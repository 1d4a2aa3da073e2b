#include <math.h>

#include "rasp/values/number.h"
#include "rasp/values/value.h"

const char *th_rasp_unary_name(ThRaspUnary op)
{
    static const char *const name[] = {"not", "-", "+", "round", "indicator"};
    return name[op];
}

const char *th_rasp_binary_name(ThRaspBinary op)
{
    static const char *const name[] = {"==", "!=", "<", "<=", ">", ">=",  "+",
                                       "-",  "*",  "/", "%",  "^", "and", "or"};
    return name[op];
}

static const char *a_kind(ThRaspAtom a)
{
    static const char *const name[] = {"an int", "a float", "a bool", "a string", "a tuple", ""};
    return name[a.kind];
}

static bool is_whole(ThRaspAtom a)
{
    return a.kind == TH_RASP_ATOM_INT || a.kind == TH_RASP_ATOM_BOOL;
}

static bool is_number(ThRaspAtom a)
{
    return is_whole(a) || a.kind == TH_RASP_ATOM_FLOAT;
}

static double as_double(ThRaspAtom a)
{
    return a.kind == TH_RASP_ATOM_FLOAT ? a.cell.x : (double)a.cell.i;
}

static bool too_large(const char *what, ThError *err)
{
    return th_fail(err, TH_ENUMERIC, "the result of %s does not fit", what) ||
           th_hint(err, "ints have 64 bits, floats reach 1.8e308");
}

static bool divided_by_zero(const char *what, ThError *err)
{
    return th_fail(err, TH_EVALUE, "%s by zero", what);
}

/* Gives a float as a result, if it is one. */
static bool give_float(double x, const char *what, ThRaspAtom *result, ThError *err)
{
    if (!isfinite(x))
        return too_large(what, err);
    *result = th_rasp_float(x);
    return true;
}

static bool wrong_kind(const char *what, ThRaspAtom a, ThError *err)
{
    th_fail(err, TH_EVALUE, "%s does not take %s", what, a_kind(a));
    if (a.kind == TH_RASP_ATOM_STRING)
        return th_hint(err, "strings take +, * by an int, and comparisons");
    return false;
}

static bool round_atom(ThRaspAtom a, ThRaspAtom *result, ThError *err)
{
    if (is_whole(a)) {
        *result = th_rasp_int(a.cell.i);
        return true;
    }
    double x = nearbyint(a.cell.x); /* half to even, as in Python */
    if (!(x >= -0x1p63 && x < 0x1p63))
        return too_large("round", err);
    *result = th_rasp_int((int64_t)x);
    return true;
}

static bool negate(ThRaspAtom a, ThRaspAtom *result, ThError *err)
{
    if (a.kind == TH_RASP_ATOM_FLOAT) {
        *result = th_rasp_float(-a.cell.x);
        return true;
    }
    if (a.cell.i == INT64_MIN)
        return too_large("-", err);
    *result = th_rasp_int(-a.cell.i);
    return true;
}

bool th_rasp_atom_unary(ThRaspAtoms *p, ThRaspUnary op, ThRaspAtom a, ThRaspAtom *result,
                        ThError *err)
{
    if (op == TH_RASP_OP_NOT) {
        *result = th_rasp_bool(!th_rasp_atom_true(p, a));
        return true;
    }
    if (op == TH_RASP_OP_INDICATOR) {
        *result = th_rasp_int(th_rasp_atom_true(p, a));
        return true;
    }
    if (!is_number(a))
        return wrong_kind(th_rasp_unary_name(op), a, err);
    if (op == TH_RASP_OP_ROUND)
        return round_atom(a, result, err);
    if (op == TH_RASP_OP_NEGATE)
        return negate(a, result, err);
    *result = a.kind == TH_RASP_ATOM_FLOAT ? a : th_rasp_int(a.cell.i);
    return true;
}

/* base ^ exponent, exponent ≥ 0, by squaring. */
static bool power_of_ints(int64_t base, int64_t exponent, ThRaspAtom *result, ThError *err)
{
    int64_t product = 1;
    while (exponent) {
        if (exponent & 1 && __builtin_mul_overflow(product, base, &product))
            return too_large("^", err);
        exponent >>= 1;
        /* A square that no longer fits matters only if there is a factor to come. */
        if (exponent && __builtin_mul_overflow(base, base, &base))
            return too_large("^", err);
    }
    *result = th_rasp_int(product);
    return true;
}

static bool power(ThRaspAtom a, ThRaspAtom b, ThRaspAtom *result, ThError *err)
{
    if (is_whole(a) && is_whole(b) && b.cell.i >= 0)
        return power_of_ints(a.cell.i, b.cell.i, result, err);
    double x = as_double(a), y = as_double(b);
    if (x == 0 && y < 0)
        return th_fail(err, TH_EVALUE, "0 ^ a negative number") ||
               th_hint(err, "that is a division by zero");
    if (x < 0 && y != trunc(y))
        return th_fail(err, TH_EVALUE, "a negative number ^ a fraction") ||
               th_hint(err, "the result is no real number");
    return give_float(pow(x, y), "^", result, err);
}

/* The remainder with the sign of the divisor. */
static bool modulo(ThRaspAtom a, ThRaspAtom b, ThRaspAtom *result, ThError *err)
{
    if (as_double(b) == 0)
        return divided_by_zero("remainder of a division", err);
    if (is_whole(a) && is_whole(b)) {
        int64_t rest = b.cell.i == -1 ? 0 : a.cell.i % b.cell.i;
        *result = th_rasp_int(rest && (rest < 0) != (b.cell.i < 0) ? rest + b.cell.i : rest);
        return true;
    }
    double y = as_double(b), rest = fmod(as_double(a), y);
    if (rest == 0)
        rest = copysign(0, y);
    else if ((rest < 0) != (y < 0))
        rest += y;
    *result = th_rasp_float(rest);
    return true;
}

static bool divide(ThRaspAtom a, ThRaspAtom b, ThRaspAtom *result, ThError *err)
{
    if (as_double(b) == 0)
        return divided_by_zero("division", err);
    if (is_whole(a) && is_whole(b)) {
        *result = th_rasp_float(th_rasp_ratio(a.cell.i, b.cell.i));
        return true;
    }
    return give_float(as_double(a) / as_double(b), "/", result, err);
}

/* +, - and * of numbers. */
static bool combine(ThRaspBinary op, ThRaspAtom a, ThRaspAtom b, ThRaspAtom *result, ThError *err)
{
    if (!is_whole(a) || !is_whole(b)) {
        double x = as_double(a), y = as_double(b);
        double z = op == TH_RASP_OP_ADD ? x + y : op == TH_RASP_OP_SUB ? x - y : x * y;
        return give_float(z, th_rasp_binary_name(op), result, err);
    }
    int64_t x = a.cell.i, y = b.cell.i, z;
    bool over = op == TH_RASP_OP_ADD   ? __builtin_add_overflow(x, y, &z)
                : op == TH_RASP_OP_SUB ? __builtin_sub_overflow(x, y, &z)
                                       : __builtin_mul_overflow(x, y, &z);
    if (over)
        return too_large(th_rasp_binary_name(op), err);
    *result = th_rasp_int(z);
    return true;
}

static bool concatenate(ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom b, ThRaspAtom *result,
                        ThError *err)
{
    size_t n, m;
    const char *x = th_rasp_string_at(p, a, &n), *y = th_rasp_string_at(p, b, &m);
    if (n + m > TH_RASP_ATOM_BYTES)
        return th_fail(err, TH_ELIMIT, "a string of %zu bytes: the longest has %d", n + m,
                       TH_RASP_ATOM_BYTES);
    char *both TH_OWNED(free) = th_alloc(n + m, 1, err);
    if (!both)
        return false;
    memcpy(both, x, n);
    memcpy(both + n, y, m);
    return th_rasp_atom_string(p, both, n + m, result, err);
}

static bool repeat(ThRaspAtoms *p, ThRaspAtom string, int64_t times, ThRaspAtom *result,
                   ThError *err)
{
    size_t n, count = times > 0 ? (size_t)times : 0;
    const char *x = th_rasp_string_at(p, string, &n);
    if (!n || !count)
        return th_rasp_atom_string(p, "", 0, result, err);
    if (count > TH_RASP_ATOM_BYTES / n)
        return th_fail(err, TH_ELIMIT, "a string of %zu bytes, %zu times: the longest has %d", n,
                       count, TH_RASP_ATOM_BYTES);
    char *all TH_OWNED(free) = th_alloc(n * count, 1, err);
    if (!all)
        return false;
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * n, x, n);
    return th_rasp_atom_string(p, all, n * count, result, err);
}

static bool compare(const ThRaspAtoms *p, ThRaspBinary op, ThRaspAtom a, ThRaspAtom b,
                    ThRaspAtom *result, ThError *err)
{
    if (op == TH_RASP_OP_EQ || op == TH_RASP_OP_NE) {
        *result = th_rasp_bool(th_rasp_atom_equal(p, a, b) == (op == TH_RASP_OP_EQ));
        return true;
    }
    int order;
    if (!th_rasp_atom_compare(p, a, b, &order, err))
        return false;
    bool holds = op == TH_RASP_OP_LT   ? order < 0
                 : op == TH_RASP_OP_LE ? order <= 0
                 : op == TH_RASP_OP_GT ? order > 0
                                       : order >= 0;
    *result = th_rasp_bool(holds);
    return true;
}

static bool wrong_kinds(ThRaspBinary op, ThRaspAtom a, ThRaspAtom b, ThError *err)
{
    th_fail(err, TH_EVALUE, "%s does not take %s and %s", th_rasp_binary_name(op), a_kind(a),
            a_kind(b));
    if (a.kind == TH_RASP_ATOM_STRING || b.kind == TH_RASP_ATOM_STRING)
        return th_hint(err, "strings take +, * by an int, and comparisons");
    return false;
}

bool th_rasp_atom_binary(ThRaspAtoms *p, ThRaspBinary op, ThRaspAtom a, ThRaspAtom b,
                         ThRaspAtom *result, ThError *err)
{
    if (op <= TH_RASP_OP_GE)
        return compare(p, op, a, b, result, err);
    if (op == TH_RASP_OP_AND || op == TH_RASP_OP_OR) {
        *result = th_rasp_atom_true(p, a) == (op == TH_RASP_OP_AND) ? b : a;
        return true;
    }
    if (op == TH_RASP_OP_ADD && a.kind == TH_RASP_ATOM_STRING && b.kind == TH_RASP_ATOM_STRING)
        return concatenate(p, a, b, result, err);
    if (op == TH_RASP_OP_MUL && a.kind == TH_RASP_ATOM_STRING && is_whole(b))
        return repeat(p, a, b.cell.i, result, err);
    if (op == TH_RASP_OP_MUL && b.kind == TH_RASP_ATOM_STRING && is_whole(a))
        return repeat(p, b, a.cell.i, result, err);
    if (!is_number(a) || !is_number(b))
        return wrong_kinds(op, a, b, err);
    if (op == TH_RASP_OP_POW)
        return power(a, b, result, err);
    if (op == TH_RASP_OP_MOD)
        return modulo(a, b, result, err);
    if (op == TH_RASP_OP_DIV)
        return divide(a, b, result, err);
    return combine(op, a, b, result, err);
}
