/* library.h - languages that papers ask for, by name: what is no automaton by itself.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"

typedef struct {
    const char *name, *summary; /* a name that ends in K stands for K = least … most */
    int least, most;
} ThLanguageRow;

const ThLanguageRow *th_language_library(size_t i); /* the i-th by name; NULL: no more */

/* Returns new: the language of a name; NULL without an error: there is none of that name. */
ThLanguage *th_language_named(const char *name, ThError *err);

/* Returns new: one whose words are computed, of the names in language_computed.c; NULL without an
 * error: there is none of that name.  For the library itself. */
ThLanguage *th_language_computed(const char *name, int k, ThError *err);

enum { TH_LANGUAGE_MOST_KINDS = 8 }; /* kinds of brackets */
#define TH_LANGUAGE_BRACKETS "( ) [ ] { } < > a A b B c C d D"
