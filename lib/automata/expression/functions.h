/* functions.h - the functions of automaton expressions: one row each, read by the evaluator, help
 * and the manual.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/operations/transducer.h"

/* What may follow the automata in the parentheses. */
typedef enum {
    TH_AUTOMATON_ONLY_AUTOMATA,
    TH_AUTOMATON_WITH_MAP,  /* SYMBOL -> WORD, … */
    TH_AUTOMATON_WITH_SIDE, /* one of two words, as input or output */
    TH_AUTOMATON_MAY_HAVE_SIDE,
    TH_AUTOMATON_WITH_WORD /* instead of the last automaton: "word" over what the first one reads */
} ThAutomatonFunctionExtra;

typedef struct {
    ThAutomaton *const *automaton; /* (n) */
    int n;
    const ThAutomatonSubstitution *map; /* (n_map) */
    int n_map;
    bool second; /* the second of the two words, not the first */
} ThAutomatonFunctionCall;

typedef ThAutomaton *ThAutomatonOfOne(const ThAutomaton *a, ThAutomatonWork w, ThError *err);
typedef ThAutomaton *ThAutomatonOfTwo(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                      ThError *err);

typedef struct {
    const char *name, *arguments, *summary; /* summary: one line, no full stop */
    int least, most;                        /* automata; most -1: any number */
    ThAutomatonFunctionExtra extra;
    const char *side[2]; /* the two words */
    /* One of these makes the automaton, which is new: of the only one; of the first with the
     * second, the result with the third, …; of all that stands in the call. */
    ThAutomatonOfOne *of_one;
    ThAutomatonOfTwo *of_two;
    ThAutomaton *(*of_call)(const ThAutomatonFunctionCall *call, ThAutomatonWork w, ThError *err);
} ThAutomatonFunction;

/* The table, in manual order; *n gets its length. */
const ThAutomatonFunction *th_automaton_functions(size_t *n);
const ThAutomatonFunction *th_automaton_function(const char *name); /* view, or NULL */

/* Returns new: what a function makes of a call. */
ThAutomaton *th_automaton_apply(const ThAutomatonFunction *f, const ThAutomatonFunctionCall *call,
                                ThAutomatonWork w, ThError *err);

/* Returns new: the automaton of one word over the inputs of a.  TH_EVALUE for other symbols. */
ThAutomaton *th_automaton_word(const ThAutomaton *a, const char *text, ThError *err);
