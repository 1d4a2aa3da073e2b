/* formula_reader.h - how formulas are read: what is shared by the files that do.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/logic/formula.h"

/* A variable that is bound where the reader is. */
typedef struct {
    const char *name;
    size_t n;
} ThAutomatonReaderVariable;

/* NAME = …; in front of a temporal formula. */
typedef struct {
    const char *name;
    size_t n;
    int part;
} ThAutomatonReaderDefinition;

typedef struct {
    ThAutomatonFormula *f;
    const char *text, *at;
    int depth;
    bool positions; /* a sentence, else a temporal formula */
    bool counts;    /* which has sums of counts, and no letters but those it is given, if any */
    bool counted;   /* behind a #, where no sum begins */
    size_t known;   /* letters that it was given */
    ThAutomatonReaderVariable variable[TH_AUTOMATON_MOST_VARIABLES];
    int variables;
    ThAutomatonReaderDefinition *definition;
    size_t definitions, definition_cap;
    ThError *err;
} ThAutomatonReader;

/* TH_EPARSE where the reader is; returns -1, always. */
int th_automaton_reader_fail(const ThAutomatonReader *r, const char *what);

/* Reads a sign, with blanks before it, if it stands there. */
bool th_automaton_reader_take(ThAutomatonReader *r, const char *sign);

/* Reads what binds tightest, with the operators before it: the number of the part, or -1. */
int th_automaton_reader_unary(ThAutomatonReader *r);

/* Is it a sum of counts that stands here, or a digit that is a letter? */
bool th_automaton_reader_at_sum(const ThAutomatonReader *r);

/* Reads how two sums compare: the number of the part, or -1. */
int th_automaton_reader_inequality(ThAutomatonReader *r);
