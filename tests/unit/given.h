/* given.h - what several unit tests start from: random numbers, words, automata from text. */
#ifndef GIVEN_H
#define GIVEN_H

#include "automata/automaton.h"
#include "base/rng.h"

/* Uniform in 0 … n-1. */
int below(ThRng *r, int n);

/* Makes *word, of *length symbols below k, the next one in length-lexicographic order; false when
 * all up to length `most` have been.  The word has room for `most` symbols, at most MAX_WORD. */
enum { MAX_WORD = 16 };
bool next_word(int *word, int *length, int k, int most);

/* Return new: the automaton of a block's inside, of an expression without names of objects (up to
 * the library's own limit of states).  The test fails where there is an error. */
ThAutomaton *parse(const char *text);
ThAutomaton *evaluate(const char *text);

#endif
