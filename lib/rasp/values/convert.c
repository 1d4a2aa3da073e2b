#include <math.h>
#include <stdio.h>

#include "rasp/values/value.h"

/* Appends a float in the fewest digits that read back as the same, laid out as Python does: with an
 * exponent below 1e-4 and from 1e16 on, else with a point. */
static void write_float(double x, ThText *t)
{
    char text[40];
    int digits = 1;
    do {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
    } while (digits++ < 17 && strtod(text, NULL) != x);
    digits--;
    long exponent = strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent < -4 || exponent >= 16) {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        th_text_add(t, text);
        return;
    }
    int places = digits - 1 - (int)exponent;
    th_text_printf(t, "%.*f", places > 1 ? places : 1, x);
}

static void write_string(const ThRaspAtoms *p, ThRaspAtom a, ThText *t)
{
    size_t n;
    const char *text = th_rasp_string_at(p, a, &n);
    th_text_add_bytes(t, text, n);
}

static void write_flat(const ThRaspAtoms *p, ThRaspAtom a, ThText *t)
{
    switch (a.kind) {
    case TH_RASP_ATOM_INT:
        th_text_printf(t, "%lld", (long long)a.cell.i);
        break;
    case TH_RASP_ATOM_FLOAT:
        write_float(a.cell.x, t);
        break;
    case TH_RASP_ATOM_BOOL:
        th_text_add(t, a.cell.i ? "True" : "False");
        break;
    default:
        write_string(p, a, t);
    }
}

/* Recursion ends where tuples cannot be nested any deeper. */
static void write_tuple(const ThRaspAtoms *p, ThRaspAtom a, ThText *t)
{
    size_t n;
    const ThRaspAtom *x = th_rasp_tuple_at(p, a, &n);
    th_text_add(t, "(");
    for (size_t i = 0; i < n; i++) {
        th_text_add(t, i ? ", " : "");
        if (x[i].kind == TH_RASP_ATOM_TUPLE) {
            write_tuple(p, x[i], t);
            continue;
        }
        const char *quote = x[i].kind == TH_RASP_ATOM_STRING ? "'" : "";
        th_text_add(t, quote);
        write_flat(p, x[i], t);
        th_text_add(t, quote);
    }
    th_text_add(t, n == 1 ? ",)" : ")");
}

void th_rasp_atom_write(const ThRaspAtoms *p, ThRaspAtom a, ThText *t)
{
    if (a.kind == TH_RASP_ATOM_TUPLE)
        write_tuple(p, a, t);
    else
        write_flat(p, a, t);
}

static bool to_string(ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom *result, ThError *err)
{
    ThText t = {0};
    th_rasp_atom_write(p, a, &t);
    size_t size = t.size;
    char *text TH_OWNED(free) = th_text_take(&t, err);
    return text && th_rasp_atom_string(p, text, size, result, err);
}

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\n\r\f\v");
}

static bool no_number(const char *text, ThRaspAtomKind kind, ThError *err)
{
    return th_fail(err, TH_EVALUE, "'%.60s' is no %s", text, th_rasp_atom_kind_name(kind));
}

/* Reads an int: sign, digits, blanks around them. */
static bool read_int(const char *text, ThRaspAtom *result, ThError *err)
{
    const char *s = skip_blanks(text);
    bool negative = *s == '-';
    s += *s == '-' || *s == '+';
    if (!strspn(s, "0123456789"))
        return no_number(text, TH_RASP_ATOM_INT, err);
    int64_t i = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        int digit = negative ? '0' - *s : *s - '0';
        if (__builtin_mul_overflow(i, 10, &i) || __builtin_add_overflow(i, digit, &i))
            return th_fail(err, TH_ENUMERIC, "'%.60s' does not fit into 64 bits", text);
    }
    if (*skip_blanks(s))
        return no_number(text, TH_RASP_ATOM_INT, err);
    *result = th_rasp_int(i);
    return true;
}

/* Reads a float in decimal notation, which is less than strtod takes. */
static bool read_float(const char *text, ThRaspAtom *result, ThError *err)
{
    const char *s = skip_blanks(text);
    size_t n = strspn(s, "+-.0123456789eE");
    char *end = NULL;
    double x = strtod(s, &end);
    if (!n || end != s + n || *skip_blanks(end))
        return no_number(text, TH_RASP_ATOM_FLOAT, err);
    if (!isfinite(x))
        return th_fail(err, TH_ENUMERIC, "'%.60s' is too large for a float", text);
    *result = th_rasp_float(x);
    return true;
}

static bool from_string(const ThRaspAtoms *p, ThRaspAtom a, ThRaspAtomKind kind, ThRaspAtom *result,
                        ThError *err)
{
    enum { LONGEST = 400 };
    char text[LONGEST + 1];
    size_t n;
    const char *bytes = th_rasp_string_at(p, a, &n);
    if (n > LONGEST || memchr(bytes, 0, n))
        return th_fail(err, TH_EVALUE, "a string of %zu bytes is no %s", n,
                       th_rasp_atom_kind_name(kind));
    memcpy(text, bytes, n);
    text[n] = '\0';
    return kind == TH_RASP_ATOM_INT ? read_int(text, result, err) : read_float(text, result, err);
}

bool th_rasp_atom_convert(ThRaspAtoms *p, ThRaspAtom a, ThRaspAtomKind kind, ThRaspAtom *result,
                          ThError *err)
{
    if (kind == TH_RASP_ATOM_BOOL) {
        *result = th_rasp_bool(th_rasp_atom_true(p, a));
        return true;
    }
    if (a.kind == kind) {
        *result = a;
        return true;
    }
    if (kind == TH_RASP_ATOM_STRING)
        return to_string(p, a, result, err);
    if (a.kind == TH_RASP_ATOM_TUPLE)
        return th_fail(err, TH_EVALUE, "a tuple is no %s", th_rasp_atom_kind_name(kind));
    if (a.kind == TH_RASP_ATOM_STRING)
        return from_string(p, a, kind, result, err);
    if (kind == TH_RASP_ATOM_FLOAT) {
        *result = th_rasp_float((double)a.cell.i);
        return true;
    }
    if (a.kind == TH_RASP_ATOM_BOOL) {
        *result = th_rasp_int(a.cell.i);
        return true;
    }
    double x = trunc(a.cell.x);
    if (!(x >= -0x1p63 && x < 0x1p63))
        return th_fail(err, TH_ENUMERIC, "%g does not fit into 64 bits", x);
    *result = th_rasp_int((int64_t)x);
    return true;
}
