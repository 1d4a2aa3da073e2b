/* formula.h - formulas of temporal logic, and of logic on positions, as lists of their parts.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/automaton.h"

typedef enum {
    TH_AUTOMATON_TRUE,
    TH_AUTOMATON_EMPTY, /* the word is */
    TH_AUTOMATON_FIRST,
    TH_AUTOMATON_LETTER,
    TH_AUTOMATON_NOT,
    TH_AUTOMATON_AND,
    TH_AUTOMATON_NEXT,
    TH_AUTOMATON_UNTIL,
    TH_AUTOMATON_PREVIOUS,
    TH_AUTOMATON_SINCE,
    TH_AUTOMATON_HAS,     /* letter y stands at position x */
    TH_AUTOMATON_MEMBER,  /* position x is in set y */
    TH_AUTOMATON_BEGINS,  /* x is the first position */
    TH_AUTOMATON_ENDS,    /* x is the last one */
    TH_AUTOMATON_BEHIND,  /* position y is that of x + by, or behind it */
    TH_AUTOMATON_COUNTS,  /* the sum of y terms from x on is `by` at most */
    TH_AUTOMATON_SOME,    /* y is true of some position x */
    TH_AUTOMATON_SOME_SET /* y is true of some set x of positions */
} ThAutomatonOperator;

enum { TH_AUTOMATON_MOST_VARIABLES = 12 }; /* one in the scope of the other */

typedef struct {
    ThAutomatonOperator is;
    int x, y; /* parts before this one; numbers of letters; or of variables: how many quantifiers
                 stand around theirs */
    int by;
} ThAutomatonPart;

/* Of a sum: how often a part was true up to here, this position included, times a number. */
typedef struct {
    int part, by;
} ThAutomatonTerm;

/* All other operators are written with these. */
typedef struct {
    ThAutomatonPart *part;
    int whole;             /* the part that is meant */
    char **letter;         /* (letters) */
    ThAutomatonTerm *term; /* (terms) */
    size_t n, cap, letters, letter_cap, terms, term_cap;
} ThAutomatonFormula;

/* Reads a formula, behind the letters that are there.  TH_EPARSE with line 1 and the column. */
bool th_automaton_formula_read(ThAutomatonFormula *f, const char *text, ThError *err);

/* The same with sums of counts, #a - 2*#(b & Y a) <= 1; where letters are there, with no others. */
bool th_automaton_counting_read(ThAutomatonFormula *f, const char *text, ThError *err);

/* Whether the formula speaks of the empty word, and is true of it; value[n] is for its use. */
bool th_automaton_formula_is_empty_meant(const ThAutomatonFormula *f, bool *value);

/* Whether the formula is true of a word of n letters: at its first position, or where there is none
 * and the formula has `empty`, of the empty word.  Time: parts and terms times n.  Errors:
 * TH_ENOMEM, TH_EINTERRUPTED. */
bool th_automaton_formula_judge(const ThAutomatonFormula *f, const int *word, int n, bool *is,
                                ThStop *stop, ThError *err);

/* Returns new: a program of RASP that defines an s-op of this name, true at the last position of
 * the words that a formula is true of.  TH_EVALUE where what is counted, or was true before, is
 * told by later positions. */
char *th_automaton_formula_program(const ThAutomatonFormula *f, const char *name, ThError *err);

/* Fills an empty *to with what a formula says, read with these letters and no others, as told at
 * the last position by letters and counts alone.  TH_EPARSE as above; TH_EVALUE where later
 * positions, or others before than all, are needed. */
bool th_automaton_formula_counted(ThAutomatonFormula *to, const char *text, char *const *letter,
                                  int letters, ThError *err);

/* The same of a sentence about positions and sets of positions (mso.h). */
bool th_automaton_sentence_read(ThAutomatonFormula *f, const char *text, ThError *err);

/* The number of a letter of this name, which is added if it is new; -1 and TH_ENOMEM. */
int th_automaton_formula_letter(ThAutomatonFormula *f, const char *name, size_t n, ThError *err);

/* Adds all of them. */
bool th_automaton_formula_letters(ThAutomatonFormula *f, char *const *name, int n, ThError *err);
void th_automaton_formula_free(ThAutomatonFormula *f);
TH_RELEASES_VALUE(th_automaton_formula_free, ThAutomatonFormula)

/* The number of a part, which is added if it is new: operands and numbers below 0, of what failed,
 * are handed on.  -1 and TH_ENOMEM. */
int th_automaton_formula_part(ThAutomatonFormula *f, ThAutomatonPart p, ThError *err);

/* The same, simplified as far as one can see: what is said of letters becomes the shorter list of
 * those that are meant or are not, so all letters have to be there. */
int th_automaton_formula_truth(ThAutomatonFormula *f, ThError *err);
int th_automaton_formula_false(ThAutomatonFormula *f, ThError *err);
int th_automaton_formula_is(ThAutomatonFormula *f, int letter, ThError *err);
int th_automaton_formula_not(ThAutomatonFormula *f, int x, ThError *err);
int th_automaton_formula_and(ThAutomatonFormula *f, int x, int y, ThError *err);
int th_automaton_formula_or(ThAutomatonFormula *f, int x, int y, ThError *err);
int th_automaton_formula_previous(ThAutomatonFormula *f, int x, ThError *err);
int th_automaton_formula_since(ThAutomatonFormula *f, int x, int y, ThError *err);

/* A sum of n terms is `most` at most. */
int th_automaton_formula_counts(ThAutomatonFormula *f, const ThAutomatonTerm *term, int n, int most,
                                ThError *err);

/* Whether a part speaks of the letter here only, of 64 letters at most; *set gets those of which it
 * is true. */
bool th_automaton_formula_letters_of(const ThAutomatonFormula *f, int x, uint64_t *set);

/* Returns new: what is meant at the last position as a formula that is read at the first, of words
 * read backwards if `mirrored`, true of the empty word if `empty`.  Sums of counts are written with
 * #, which th_automaton_ltl does not read.  NULL and TH_ENOMEM. */
char *th_automaton_formula_write(const ThAutomatonFormula *f, bool empty, bool mirrored,
                                 ThError *err);
