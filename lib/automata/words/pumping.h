/* pumping.h - the least pumping length of a regular language.
 *
 * The pumping lemma has a p such that every word of the language with p symbols or more is xyz with
 * y not empty, xy of p symbols at most, and all of xz, xyz, xyyz, … in the language.
 *
 *     ThDfaPumping p;
 *     if (th_dfa_pumping(minimal, 1 << 20, stop, &p, &err)) …
 *     free(p.word);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

typedef struct {
    int length; /* the least p, 1 at least */
    int *word;  /* (n): a word of the language that cannot be pumped in its first p - 1 symbols;
                   NULL: p  is 1 */
    int n;
} ThDfaPumping;

/* What is remembered of the first symbols: for each way to cut them, the states that the rest is
 * read from; and, for cuts to come, what words do to states.  p is the states of d at most.
 * p->word is to be freed in any case.  TH_ELIMIT where d, minimal and complete, has more than 64
 * states, or beyond `limit` of these memories, of which there may be exponentially many; TH_ENOMEM,
 * TH_EINTERRUPTED. */
bool th_dfa_pumping(const ThDfa *d, size_t limit, ThStop *stop, ThDfaPumping *p, ThError *err);
