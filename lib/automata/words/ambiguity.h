/* ambiguity.h - in how many ways a nondeterministic automaton accepts a word.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

typedef enum {
    TH_WORDS_UNAMBIGUOUS,
    TH_WORDS_FINITELY_AMBIGUOUS,     /* at most some fixed number of ways */
    TH_WORDS_POLYNOMIALLY_AMBIGUOUS, /* like a power of the length */
    TH_WORDS_EXPONENTIALLY_AMBIGUOUS
} ThWordsAmbiguityKind;

/* Words are written as th_symbols_write does it; those not told are NULL. */
typedef struct {
    ThWordsAmbiguityKind kind;
    int degree;  /* polynomially ambiguous: words of length n have at most about n^degree ways, and
                    some words have that many; else 0 */
    size_t most; /* finitely: the greatest number of ways; 0: not determined, see below */
    char *word;  /* a shortest word that is accepted in two ways */
    char *most_word; /* a shortest one that is accepted in `most` ways */
    int n_loops;     /* polynomially: degree; exponentially: 1; else 0 */
    char **part; /* (2·n_loops + 1) where there are loops, else NULL: the word part[0] part[1]^n
                    part[2] part[3]^n … is accepted in at least n^degree, or 2^n, ways */
} ThWordsAmbiguity;

/* Ways that differ in empty moves only count as one.  The criteria are those of Weber and Seidl
 * 1991 (EDA, IDA, IDA_d), decided on strong components of pairs and triples of states (Allauzen,
 * Mohri and Rastogi 2011): O(transitions³) time and O(states³) memory at worst, less where the
 * automaton has several components.  The greatest number of ways is found by following how many
 * ways lead to every state, as long as there are at most max_vectors (0: 2^20) such vectors, and
 * 256 MiB of them. TH_ELIMIT where there are more than 2^24 pairs or triples.  out is freed with
 * th_words_ambiguity_free. */
bool th_automaton_ambiguity(const ThAutomaton *a, size_t max_vectors, ThStop *stop,
                            ThWordsAmbiguity *out, ThError *err);
void th_words_ambiguity_free(ThWordsAmbiguity *a);
