/* residuals.h - words that no automaton may lead to one state: evidence against regularity.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"

/* Words of which any two become a member and a non-member behind some common ending, so that a
 * deterministic automaton needs a state for each (Myhill 1957, Nerode 1958). */
typedef struct {
    int n;     /* words */
    int *word; /* (n, length): symbols; by length and in order, the first of those that are alike */
    int *size; /* (n): how many symbols each has */
    int *ending; /* (n, length): what tells a word from the one before it, shortest; of the first
                    none */
    int *ending_size; /* (n) */
    int *up_to;       /* (length + 1): how many of them have up to so many symbols */
} ThLanguageResiduals;

/* Looks at all words of up to `length` symbols with all endings of up to as many.  *r is freed also
 * after a failure.  Errors: TH_ELIMIT where these are more than TH_LANGUAGE_MOST_TRIED; TH_EVALUE
 * where one gets no answer; those of the language. */
bool th_language_residuals(const ThLanguage *l, int length, ThStop *stop, ThLanguageResiduals *r,
                           ThError *err);
void th_language_residuals_free(ThLanguageResiduals *r); /* leaves *r empty */
TH_RELEASES_VALUE(th_language_residuals_free, ThLanguageResiduals)
