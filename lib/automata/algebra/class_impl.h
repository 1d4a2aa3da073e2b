/* class_impl.h - what the table of classes and the report share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/classes.h"
#include "automata/algebra/equation.h"
#include "automata/algebra/varieties.h"
#include "base/text.h"

/* A machine with what is computed of it; the monoid is missing where it is too large. */
typedef struct {
    ThDfa *d;
    char **symbol;
    ThMonoid *m;
    ThGreen *g;
    ThVarieties v;
    ThMonoidTable *table;
} ThClassSide;

typedef struct {
    ThClassSide side[2]; /* with all symbols, and without those that are the identity */
    const ThClassSide *on;
    ThClassReport *report;
    ThText *text; /* of the witness */
    ThStop *stop;
    ThError *err, error; /* where functions put it, and the place */
} ThClassWork;

typedef struct ThClassRow ThClassRow;
struct ThClassRow {
    ThClassKind kind;
    bool tier; /* without the symbols that are the identity */
    ThClassAnswer (*decide)(ThClassWork *w, const ThClassRow *row, ThClassVerdict *v);
    ptrdiff_t known; /* offset in ThVarieties of a flag that decides faster; BY_EQUATION: none */
    ThMonoidEquation law[2];
};

/* The rows of the table, in the order of ThClass. */
extern const ThClassRow th_class_rows[TH_CLASS_COUNT];

/* The least common multiple of two numbers, or the first where it would be too large; the longest
 * cycle of states that a symbol makes, or with `all` the least common multiple of all. */
int th_class_multiple(int m, int n);
int th_class_cycle(const ThDfa *d, int a, bool all);
