#include "rasp/values/value.h"

#include <math.h>

/* A tuple is kept as a head and its elements.  The head is an int atom: the tuple's depth, whether
 * two different tuples may be equal to it (1 == 1.0 == True), and its bytes, counting what is
 * inside as often as it is there. */
enum {
    TUPLE_DEPTH = 64,
    TUPLE_LOOSE = 1 << 8,
    TUPLE_SPAN = TUPLE_LOOSE << 1,
    TUPLE_SIZE = 1 << 16
};

const char *th_rasp_atom_kind_name(ThRaspAtomKind kind)
{
    static const char *const name[] = {"int", "float", "bool", "string", "tuple", "float"};
    return name[kind];
}

const char *th_rasp_atom_kind_plural(ThRaspAtomKind kind)
{
    static const char *const name[] = {"ints", "floats", "bools", "strings", "tuples", "floats"};
    return name[kind];
}

bool th_rasp_atom_string(ThRaspAtoms *p, const char *text, size_t size, ThRaspAtom *atom,
                         ThError *err)
{
    if (size > TH_RASP_ATOM_BYTES)
        return th_fail(err, TH_ELIMIT, "a string of %zu bytes: the longest has %d", size,
                       TH_RASP_ATOM_BYTES);
    if (p->string.size + size > TH_RASP_ATOMS_BYTES)
        return th_fail(err, TH_ELIMIT, "all strings together exceed %d bytes", TH_RASP_ATOMS_BYTES);
    size_t index;
    if (!th_intern(&p->string, text, size, &index, err))
        return false;
    *atom = (ThRaspAtom){TH_RASP_ATOM_STRING, {.i = (int64_t)index}};
    return true;
}

size_t th_rasp_atom_span(const ThRaspAtoms *p, ThRaspAtom a)
{
    size_t n = 0;
    if (a.kind == TH_RASP_ATOM_STRING)
        th_rasp_string_at(p, a, &n);
    if (a.kind == TH_RASP_ATOM_TUPLE)
        n = (size_t)(th_rasp_tuple_at(p, a, &n)[-1].cell.i / TUPLE_SPAN);
    return n;
}

/* What a tuple's head says, from those of its elements. */
static bool tuple_head(const ThRaspAtoms *p, const ThRaspAtom *element, size_t n, int64_t *head,
                       ThError *err)
{
    int64_t depth = 1, loose = 0, span = 0;
    for (size_t i = 0; i < n; i++) {
        span += (int64_t)(sizeof *element + th_rasp_atom_span(p, element[i]));
        if (element[i].kind == TH_RASP_ATOM_FLOAT || element[i].kind == TH_RASP_ATOM_BOOL)
            loose = TUPLE_LOOSE;
        if (element[i].kind != TH_RASP_ATOM_TUPLE)
            continue;
        const ThRaspAtom *inner = th_rasp_tuple_at(p, element[i], &(size_t){0});
        int64_t below = inner[-1].cell.i % TUPLE_LOOSE + 1;
        loose |= inner[-1].cell.i & TUPLE_LOOSE;
        depth = below > depth ? below : depth;
    }
    *head = depth | loose | span * TUPLE_SPAN;
    if (depth > TUPLE_DEPTH)
        return th_fail(err, TH_ELIMIT, "tuples inside tuples, more than %d deep", TUPLE_DEPTH);
    if (span > TH_RASP_TUPLE_BYTES)
        return th_fail(err, TH_ELIMIT, "a tuple of more than %d MiB, with all that is in it",
                       TH_RASP_TUPLE_BYTES >> 20);
    return true;
}

bool th_rasp_atom_tuple(ThRaspAtoms *p, const ThRaspAtom *element, size_t n, ThRaspAtom *atom,
                        ThError *err)
{
    enum { SMALL = 32 };
    ThRaspAtom small[SMALL + 1], *all = small;
    if (n > TUPLE_SIZE)
        return th_fail(err, TH_ELIMIT, "a tuple of %zu elements: the longest has %d", n,
                       TUPLE_SIZE);
    if (p->tuple.size + (n + 1) * sizeof *all > TH_RASP_ATOMS_BYTES)
        return th_fail(err, TH_ELIMIT, "all tuples together exceed %d bytes", TH_RASP_ATOMS_BYTES);
    int64_t head;
    if (!tuple_head(p, element, n, &head, err))
        return false;
    if (n > SMALL && !(all = th_alloc(n + 1, sizeof *all, err)))
        return false;
    /* The bytes are what is compared: those between the members must be the same, too. */
    memset(all, 0, (n + 1) * sizeof *all);
    all[0].kind = TH_RASP_ATOM_INT;
    all[0].cell.i = head;
    for (size_t i = 0; i < n; i++) {
        all[i + 1].kind = element[i].kind;
        all[i + 1].cell = element[i].cell;
    }
    size_t index;
    bool ok = th_intern(&p->tuple, all, (n + 1) * sizeof *all, &index, err);
    if (all != small)
        free(all);
    *atom = (ThRaspAtom){TH_RASP_ATOM_TUPLE, {.i = (int64_t)(ok ? index : 0)}};
    return ok;
}

const char *th_rasp_string_at(const ThRaspAtoms *p, ThRaspAtom string, size_t *size)
{
    return th_intern_at(&p->string, (size_t)string.cell.i, size);
}

const ThRaspAtom *th_rasp_tuple_at(const ThRaspAtoms *p, ThRaspAtom tuple, size_t *n)
{
    size_t size;
    const ThRaspAtom *all = th_intern_at(&p->tuple, (size_t)tuple.cell.i, &size);
    *n = size / sizeof *all - 1;
    return all + 1;
}

ThRaspAtomsMark th_rasp_atoms_mark(const ThRaspAtoms *p)
{
    return (ThRaspAtomsMark){p->string.n, p->tuple.n};
}

void th_rasp_atoms_rewind(ThRaspAtoms *p, ThRaspAtomsMark mark)
{
    th_intern_rewind(&p->string, mark.strings);
    th_intern_rewind(&p->tuple, mark.tuples);
}

void th_rasp_atoms_free(ThRaspAtoms *p)
{
    th_intern_free(&p->string);
    th_intern_free(&p->tuple);
}

bool th_rasp_atom_true(const ThRaspAtoms *p, ThRaspAtom a)
{
    size_t n = 0;
    switch (a.kind) {
    case TH_RASP_ATOM_FLOAT:
        return a.cell.x != 0;
    case TH_RASP_ATOM_STRING:
        th_rasp_string_at(p, a, &n);
        return n > 0;
    case TH_RASP_ATOM_TUPLE:
        th_rasp_tuple_at(p, a, &n);
        return n > 0;
    default:
        return a.cell.i != 0;
    }
}

static bool is_number(ThRaspAtom a)
{
    return a.kind == TH_RASP_ATOM_INT || a.kind == TH_RASP_ATOM_FLOAT ||
           a.kind == TH_RASP_ATOM_BOOL;
}

/* -1, 0 or 1; exact, where converting the int to a float would round. */
static int compare_int_float(int64_t i, double x)
{
    if (x >= 0x1p63)
        return -1;
    if (x < -0x1p63)
        return 1;
    double whole = trunc(x), rest = x - whole;
    if (i != (int64_t)whole)
        return i < (int64_t)whole ? -1 : 1;
    return (rest < 0) - (rest > 0);
}

static int compare_numbers(ThRaspAtom a, ThRaspAtom b)
{
    bool xa = a.kind == TH_RASP_ATOM_FLOAT, xb = b.kind == TH_RASP_ATOM_FLOAT;
    if (xa && xb)
        return (a.cell.x > b.cell.x) - (a.cell.x < b.cell.x);
    if (xa)
        return -compare_int_float(b.cell.i, a.cell.x);
    if (xb)
        return compare_int_float(a.cell.i, b.cell.x);
    return (a.cell.i > b.cell.i) - (a.cell.i < b.cell.i);
}

/* True if tuples with different numbers may be equal nevertheless. */
static bool is_loose(const ThRaspAtom *tuple)
{
    return tuple[-1].cell.i & TUPLE_LOOSE;
}

/* Recursion ends at TUPLE_DEPTH. */
bool th_rasp_atom_equal(const ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom b)
{
    if (is_number(a) && is_number(b))
        return compare_numbers(a, b) == 0;
    if (a.kind != b.kind || a.cell.i == b.cell.i)
        return a.kind == b.kind;
    if (a.kind == TH_RASP_ATOM_STRING)
        return false;
    size_t n, m;
    const ThRaspAtom *x = th_rasp_tuple_at(p, a, &n), *y = th_rasp_tuple_at(p, b, &m);
    if (n != m || (!is_loose(x) && !is_loose(y)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!th_rasp_atom_equal(p, x[i], y[i]))
            return false;
    return true;
}

uint64_t th_rasp_atom_hash(const ThRaspAtoms *p, ThRaspAtom a)
{
    uint64_t h = th_hash_mix((uint64_t)a.kind + 1);
    if (a.kind == TH_RASP_ATOM_TUPLE) {
        size_t n;
        const ThRaspAtom *x = th_rasp_tuple_at(p, a, &n);
        for (size_t i = 0; i < n; i++)
            h = th_hash_mix(h ^ th_rasp_atom_hash(p, x[i]));
        return h;
    }
    if (a.kind == TH_RASP_ATOM_STRING)
        return th_hash_mix(a.cell.id ^ h);
    /* Numbers that are equal must hash equally: by the int where it is one. */
    if (a.kind == TH_RASP_ATOM_FLOAT && (fabs(a.cell.x) >= 0x1p63 || a.cell.x != trunc(a.cell.x)))
        return th_hash_mix(a.cell.id);
    uint64_t i = a.kind == TH_RASP_ATOM_FLOAT ? (uint64_t)(int64_t)a.cell.x : a.cell.id;
    return th_hash_mix(i);
}

static int compare_strings(const ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom b)
{
    size_t n, m;
    const char *x = th_rasp_string_at(p, a, &n), *y = th_rasp_string_at(p, b, &m);
    int order = memcmp(x, y, n < m ? n : m); /* UTF-8 keeps the order of code points */
    if (order)
        return order < 0 ? -1 : 1;
    return (n > m) - (n < m);
}

/* Recursion ends at TUPLE_DEPTH. */
bool th_rasp_atom_compare(const ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom b, int *order,
                          ThError *err)
{
    *order = 0;
    if (is_number(a) && is_number(b)) {
        *order = compare_numbers(a, b);
        return true;
    }
    if (a.kind != b.kind)
        return th_fail(err, TH_EVALUE, "%ss and %ss have no common order",
                       th_rasp_atom_kind_name(a.kind), th_rasp_atom_kind_name(b.kind)) ||
               th_hint(err, "== and != compare values of any two types");
    if (a.kind == TH_RASP_ATOM_STRING) {
        *order = a.cell.i == b.cell.i ? 0 : compare_strings(p, a, b);
        return true;
    }
    size_t n, m;
    const ThRaspAtom *x = th_rasp_tuple_at(p, a, &n), *y = th_rasp_tuple_at(p, b, &m);
    for (size_t i = 0; i < n && i < m; i++) {
        if (th_rasp_atom_equal(p, x[i], y[i]))
            continue;
        return th_rasp_atom_compare(p, x[i], y[i], order, err);
    }
    *order = (n > m) - (n < m);
    return true;
}
