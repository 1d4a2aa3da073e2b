/* strictly.h - strictly local and strictly piecewise languages: what must not be there.
 *
 * A language is strictly k-local if its words are those whose factors of length k, with marks at
 * both ends, are all allowed; strictly k-piecewise if their scattered subwords of length k are.
 * States that accept are those with label == of, so that the complement is looked at by of = 0.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/text.h"

/* Two states, both able to accept, that a word leads to the same two states again. */
typedef struct {
    int p, q;
    int *word, length; /* new, freed with free(); NULL where the language is strictly local */
} ThDfaStrictLoop;

/* The least k for which the language of a minimal machine is strictly k-local, or 0 and *loop.
 * -1: TH_ENOMEM.  O(n_states^2 n_symbols). */
int th_dfa_strictly_local(const ThDfa *d, int of, ThDfaStrictLoop *loop, ThError *err);

/* Appends the shortest factors that a strictly k-local language lacks, > and < being the ends of
 * the word: those of which no part is lacking.  Stops after `most`, or where there are too many
 * words to look at, with an ellipsis.  TH_ENOMEM, TH_EINTERRUPTED. */
bool th_dfa_forbidden_factors(const ThDfa *d, int of, int k, char *const *symbol, int most,
                              ThText *t, ThStop *stop, ThError *err);

/* The same of scattered subwords, of a strictly piecewise language; *k gets the length of the
 * longest, 0 where they were too many to see all. */
bool th_dfa_forbidden_subsequences(const ThDfa *d, int of, int *k, char *const *symbol, int most,
                                   ThText *t, ThStop *stop, ThError *err);
