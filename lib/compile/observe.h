/* observe.h - what a program of RASP does on all inputs up to a length: the values that its parts
 * take, and what its selectors compare.
 *
 * Compilers that infer these sets from the program (Lindner et al. 2023) get supersets; here every
 * input is run.  Values are numbered, numbers that are equal being one value whatever their kind.
 * A row is a position of an input.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "compile/compile_program.h"

/* A part of the program that is not computed from others element by element: the tokens, the
 * indices, aggregates and widths. */
enum { TH_COMPILE_TOKENS, TH_COMPILE_INDICES, TH_COMPILE_GATHERED };

/* Several s-ops as one value. */
typedef struct {
    ThRaspSop *node; /* (n) */
    int n;
    bool index; /* and the position */
    int *id;    /* (rows) */
    int values;
    ThRaspAtom *atom; /* (values), of a column of one node */
    int *base;        /* (n_bases): the parts that it is computed from */
    int n_bases;
} ThCompileColumn;

/* A selector with what it compares. */
typedef struct {
    ThRaspSop node;       /* its class */
    int key, query;       /* columns */
    signed char *selects; /* (keys, queries); -1: never met */
} ThCompileSelector;

typedef enum { TH_COMPILE_ONE, TH_COMPILE_MEAN, TH_COMPILE_WIDTH } ThCompileGathering;

/* An aggregate or a width. */
typedef struct {
    ThRaspSop node;
    ThCompileGathering how;     /* ONE: all that a row selects is equal, or the greatest or least */
    int order;                  /* the greatest (1) or least (-1) is meant; else 0 */
    int selector, column, self; /* of its values (-1: width); the column of its own value */
    double *raw;                /* (rows): the mean, or 1/(width + 1); NULL where one is taken */
    double *number;             /* (values of column): of the values; NULL: not all are numbers */
    int *to;                    /* (values of column): the own value where one is taken; -1 */
    int missing;                /* value of its own, where nothing is selected; -1: never */
    double missing_number;
} ThCompileGathered;

typedef struct {
    const ThCompileProgram *p;
    long long inputs;
    int rows;
    int *token, *position, *length; /* (rows): of each, its input's length */
    bool causal;                    /* all selectors are */
    ThCompileColumn *column;
    size_t n_columns, cap_columns;
    ThCompileSelector *selector;
    size_t n_selectors, cap_selectors;
    ThCompileGathered *gathered;
    size_t n_gathered, cap_gathered;
    int output; /* column */
} ThCompileObserved;

/* Runs the program on every input.  Errors: TH_EVALUE, with the input, where the program fails or
 * averages what cannot be averaged; TH_ELIMIT, TH_ENOMEM, TH_EINTERRUPTED.  *o is to be freed in
 * any case. */
bool th_compile_observe(ThCompileObserved *o, const ThCompileProgram *p, ThError *err);
void th_compile_observed_free(ThCompileObserved *o);
TH_RELEASES_VALUE(th_compile_observed_free, ThCompileObserved)
