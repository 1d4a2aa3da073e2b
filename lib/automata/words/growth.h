/* growth.h - how fast a language grows.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* How the number of words of length up to n grows. */
typedef struct {
    bool empty, finite;
    int longest;      /* length of the longest word of a finite language; -1: empty or infinite */
    bool exponential; /* like rate^n; else, if infinite, like n^degree */
    double rate;      /* largest eigenvalue of the transitions; 1 for a polynomial, 0 if finite */
    int degree;
} ThWordsGrowth;
bool th_dfa_growth(const ThDfa *d, ThWordsGrowth *g, ThStop *stop, ThError *err);
