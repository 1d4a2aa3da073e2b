/* state_functions.h - the functions on states that words induce.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* Distinct functions on the states of a machine, in order of first use. */
typedef struct ThFunctions ThFunctions;

/* Returns new: none yet.  machine is borrowed. */
ThFunctions *th_functions_new(const ThDfa *machine, ThError *err);

/* The index of the function that a word induces, or -1 (TH_ENOMEM).  O(states × length). */
int th_functions_index(ThFunctions *f, const int *word, int length, ThError *err);
int th_functions_count(const ThFunctions *f);

/* Returns new: for each function the first word, in length and symbol order, that induces it; for
 * functions that no word within the first tens of thousands of functions induces, the word by which
 * th_functions_index first met it.  Freed with TH_FREE_EACH. */
char **th_functions_words(ThFunctions *f, char *const *symbol, ThStop *stop, ThError *err);
void th_functions_free(ThFunctions *f); /* NULL is fine */
TH_RELEASES(th_functions_free, ThFunctions)
