/* program_impl.h - what programs become formulas by: cases of values, kinds of rows of selectors.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/logic/formula.h"
#include "language/program_formula.h"
#include "rasp/graph/graph_impl.h"

/* Positions are told apart by how far they are from here, up to NEAR: class 0 is all before those,
 * class HERE this one, the last class all behind those. */
enum { NEAR = 4, HERE = NEAR + 1, CLASSES = 2 * NEAR + 3, MOST_CASES = 4096 };

/* A value where `when` is true: an atom, or a number, the sum of n terms and `by`. */
typedef struct {
    int when;
    ThRaspAtom atom;
    int first, n;
    int64_t by;
    int ways; /* that were put together as one case */
} ThLanguageCase;

/* Of rows where `when` is true: what is true of the positions of each class that they select. */
typedef struct {
    int when, key[CLASSES];
} ThLanguageSelection;

/* An s-op by its cases, or a selector by its rows. */
typedef struct {
    ThLanguageCase *list;
    ThLanguageSelection *row;
    size_t n, cap;
} ThLanguageValue;

void th_language_value_free(ThLanguageValue *v);
TH_RELEASES_VALUE(th_language_value_free, ThLanguageValue)

typedef struct {
    ThLanguageProgram *p;
    ThAutomatonFormula *f;
    ThRaspGraph *g;
    ThRaspAtoms *atoms;
    ThLanguageValue *value; /* of all nodes up to the one asked about */
    ThAutomatonTerm *term;  /* of cases */
    size_t terms, term_cap;
    ThRaspSop at;
    ThError *err;
} ThLanguageWork;

/* All of these return a part of w->f, or false or -1 with w->err set where they fail; parts that
 * are given may be -1.  Errors: TH_EVALUE by `refuse`, TH_ELIMIT, TH_ENOMEM. */

/* Returns false, always: what neither dialect has. */
bool th_language_refuse(ThLanguageWork *w, const char *what);
/* The first node that needs something is the one that counts. */
void th_language_note(ThRaspSop *which, ThRaspSop node);

int th_language_truth(ThLanguageWork *w);
int th_language_untrue(ThLanguageWork *w);
int th_language_not(ThLanguageWork *w, int x);
int th_language_and(ThLanguageWork *w, int x, int y);
int th_language_or(ThLanguageWork *w, int x, int y);
/* What is true here if x is so d positions farther on. */
int th_language_moved(ThLanguageWork *w, int x, int d);
/* x S y, or x U y. */
int th_language_until(ThLanguageWork *w, int x, int y, bool ahead);

/* The i-th term of a sum. */
ThAutomatonTerm th_language_term(const ThLanguageWork *w, const ThLanguageCase *c, int i);
/* Adds a case, unless it is met nowhere. */
bool th_language_add_case(ThLanguageWork *w, ThLanguageValue *v, ThLanguageCase c);
bool th_language_add_atom(ThLanguageWork *w, ThLanguageValue *v, int when, ThRaspAtom atom);
/* Adds a multiple of a term to the sum that is being made. */
bool th_language_add_term(ThLanguageWork *w, ThLanguageCase *z, int of, int64_t by);
/* Adds the case of a x + b y; where no term is left it is an atom. */
bool th_language_add_sum(ThLanguageWork *w, ThLanguageValue *v, int when, ThLanguageCase x,
                         int64_t a, ThLanguageCase y, int64_t b);
/* Adds what an operator makes of two cases. */
bool th_language_take_pair(ThLanguageWork *w, ThRaspBinary op, const ThLanguageCase *x,
                           const ThLanguageCase *y, int when, ThLanguageValue *v);

/* The value of a node's i-th argument, borrowed. */
const ThLanguageValue *th_language_argument(const ThLanguageWork *w, ThRaspSop node, size_t i);

/* v <- the rows of a selector: a comparison, two of them, all others; and what they gather. */
bool th_language_take_select(ThLanguageWork *w, ThRaspSop node, ThLanguageValue *v);
bool th_language_take_both(ThLanguageWork *w, ThRaspSop node, ThLanguageValue *v);
bool th_language_take_other(ThLanguageWork *w, ThRaspSop node, ThLanguageValue *v);
bool th_language_take_aggregate(ThLanguageWork *w, ThRaspSop node, ThLanguageValue *v);
bool th_language_take_width(ThLanguageWork *w, ThRaspSop node, ThLanguageValue *v);
