/* formula.h - formulas of temporal logic as lists of their parts.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_AUTOMATA_LOGIC_FORMULA_H
#define TH_AUTOMATA_LOGIC_FORMULA_H

#include "automata/core/automaton.h"

typedef enum {
    TH_AUTOMATON_TRUE,
    TH_AUTOMATON_FIRST,
    TH_AUTOMATON_LETTER,
    TH_AUTOMATON_NOT,
    TH_AUTOMATON_AND,
    TH_AUTOMATON_NEXT,
    TH_AUTOMATON_UNTIL,
    TH_AUTOMATON_PREVIOUS,
    TH_AUTOMATON_SINCE
} ThAutomatonOperator;

typedef struct {
    ThAutomatonOperator is;
    int x, y; /* parts before this one; or the number of a letter */
} ThAutomatonPart;

/* The last part is the whole; all other operators are written with these. */
typedef struct {
    ThAutomatonPart *part;
    char **letter; /* (letters) */
    size_t n, cap, letters, letter_cap;
} ThAutomatonFormula;

/* Reads a formula, behind the letters that are there.  TH_EPARSE with line 1 and the column. */
bool th_automaton_formula_read(ThAutomatonFormula *f, const char *text, ThError *err);

/* The number of a letter of this name, which is added if it is new; -1 and TH_ENOMEM. */
int th_automaton_formula_letter(ThAutomatonFormula *f, const char *name, size_t n, ThError *err);
void th_automaton_formula_free(ThAutomatonFormula *f);

#endif
