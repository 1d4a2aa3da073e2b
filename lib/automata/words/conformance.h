/* conformance.h - finitely many words that prove that a black box is a machine, if it has at most
 * so many states; and the words that reach and tell apart the states of a machine.
 *
 * Machines here are minimal (th_dfa_minimize): every state can be reached, and any two differ.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/intern.h"

/* Words as symbols, no two the same, by length and in order. */
typedef struct {
    const int *symbol;
    int length;
} ThDfaWord;

typedef struct {
    size_t n;
    ThDfaWord *word; /* (n): views of the bytes */
    ThIntern bytes;
} ThDfaWords;
void th_dfa_words_free(ThDfaWords *w); /* leaves *w empty */
TH_RELEASES_VALUE(th_dfa_words_free, ThDfaWords)

/* What reaches and what tells apart: access.word[q], the first of the shortest words that lead to q
 * (in the order of states here); and words W, the empty one among them, so that any
 * two states differ in the class after one of them: n_states - 1 at most, and one at least.
 * tells[q * apart.n + i] says which of W are enough to tell q from every other state.  Freed also
 * after a failure.  O(n^2 symbols) for each word of W. */
typedef struct {
    ThDfaWords access, apart;
    bool *tells;
} ThDfaTells;
bool th_dfa_tells(const ThDfa *d, ThStop *stop, ThDfaTells *t, ThError *err);
void th_dfa_tells_free(ThDfaTells *t);
TH_RELEASES_VALUE(th_dfa_tells_free, ThDfaTells)

/* The words of a test: a machine with the same symbols and at most max_states states, of which d
 * has n, that puts each of them into the class that d does is equivalent to d.  `whole`: the W
 * method (Chow 1978), every word of W behind every access word, any one symbol and up to max_states
 * - n more; else the partial W method (Fujiwara et al. 1991), which says less of words that lead to
 * states known by then and is smaller.  TH_EVALUE for max_states < n; TH_ELIMIT beyond `most`
 * words. */
typedef struct {
    int max_states;
    bool whole;
    size_t most;
    ThStop *stop;
} ThDfaTest;
bool th_dfa_test_words(const ThDfa *d, const ThDfaTest *how, ThDfaWords *words, ThError *err);
