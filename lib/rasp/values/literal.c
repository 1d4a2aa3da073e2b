/* literal.c - atoms as a program writes them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "rasp/values/value.h"

/* Without an exponent, which other interpreters of RASP do not read. */
static void write_float(double x, ThText *t)
{
    enum { MOST_PLACES = 350 };
    char digits[2 * MOST_PLACES];
    double y = fabs(x);
    for (int places = 1; places <= MOST_PLACES; places++) {
        snprintf(digits, sizeof digits, "%.*f", places, y);
        if (strtod(digits, NULL) == y)
            break;
    }
    th_text_printf(t, signbit(x) ? "(-%s)" : "%s", digits);
}

static void write_int(int64_t i, ThText *t)
{
    if (i == INT64_MIN)
        th_text_printf(t, "(-%" PRId64 " - 1)", INT64_MAX);
    else
        th_text_printf(t, i < 0 ? "(%" PRId64 ")" : "%" PRId64, i);
}

static bool write_string(const ThRaspAtoms *p, ThRaspAtom a, ThText *t, ThError *err)
{
    size_t n;
    const char *s = th_rasp_string_at(p, a, &n);
    char *text TH_OWNED(free) = th_strndup(s, n, err);
    if (text)
        th_text_quoted(t, text);
    return text != NULL;
}

/* Recursion ends where tuples do not nest deeper. */
static bool write_tuple(const ThRaspAtoms *p, ThRaspAtom a, ThText *t, ThError *err)
{
    size_t n;
    const ThRaspAtom *x = th_rasp_tuple_at(p, a, &n);
    bool ok = true;
    th_text_add(t, "(");
    for (size_t i = 0; ok && i < n; i++) {
        th_text_add(t, i ? ", " : "");
        ok = th_rasp_atom_source(p, x[i], t, err);
    }
    th_text_add(t, n == 1 ? ",)" : ")");
    return ok;
}

bool th_rasp_atom_source(const ThRaspAtoms *p, ThRaspAtom a, ThText *t, ThError *err)
{
    if (a.kind == TH_RASP_ATOM_STRING)
        return write_string(p, a, t, err);
    if (a.kind == TH_RASP_ATOM_TUPLE)
        return write_tuple(p, a, t, err);
    if (a.kind == TH_RASP_ATOM_INT)
        write_int(a.cell.i, t);
    else if (a.kind == TH_RASP_ATOM_FLOAT)
        write_float(a.cell.x, t);
    else
        th_text_add(t, a.cell.i ? "True" : "False");
    return true;
}
