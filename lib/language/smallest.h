/* smallest.h - the smallest program of RASP, B-RASP or C-RASP that says which words a machine
 * takes.
 *
 * Programs are made in the order of their nodes; of those that are alike at all positions of all
 * words up to a length only the first is kept.  What is found is run on longer words; one of these
 * that it gets wrong joins the others, and all is made again.
 *
 *     ThLanguageSmallest x;
 *     if (th_language_smallest(&x, dfa, symbol, &how, &err)) …
 *     th_language_smallest_free(&x);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

typedef enum { TH_LANGUAGE_BRASP, TH_LANGUAGE_CRASP, TH_LANGUAGE_RASP } ThLanguageDialect;

typedef struct {
    ThLanguageDialect dialect;
    int nodes;     /* of the largest program that is tried */
    int length;    /* of the words that tell programs apart: all up to it, 19 at most */
    size_t memory; /* bytes for the values of programs, at most */
    ThStop *stop;
} ThLanguageSmallestHow;

typedef struct {
    char *program;      /* statements, the last of which defines `it`; NULL: none was found */
    int nodes;          /* of it */
    int none;           /* no program of up to so many nodes is right on all words up to length,
                           and the longer ones */
    int length, longer; /* of all words that told programs apart, and how many longer ones did */
    int checked;        /* the program is right on all words up to this length, but the empty one */
    long long values;   /* programs that are not alike, in the end */
    bool full;          /* the memory was: larger programs were not tried */
    bool rough;         /* nor where a number was too large, or a mean no whole part of the unit */
} ThLanguageSmallest;

/* Fills *x, which is to be freed in any case, and says what was tried where it fails, too:
 * TH_EINTERRUPTED, TH_ENOMEM; TH_EVALUE without symbols; TH_ELIMIT where words up to the length
 * have more than 4,096 symbols, or 64 programs were wrong on longer words. Words of class 1 are to
 * be accepted; the empty one, which is no input, does not count.  Quadratic in the programs that
 * are not alike. */
bool th_language_smallest(ThLanguageSmallest *x, const ThDfa *d, char *const *symbol,
                          const ThLanguageSmallestHow *how, ThError *err);
void th_language_smallest_free(ThLanguageSmallest *x);
TH_RELEASES_VALUE(th_language_smallest_free, ThLanguageSmallest)
