/* intern.h - byte strings that get numbers 0, 1, 2, … in order of first arrival.
 *
 * It serves names, sets of states and maps of states.  Strings lie end to end in one block; numbers
 * are what results depend on.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/hash.h"

/* Zero-initialised it is empty. */
typedef struct {
    size_t n;             /* strings held */
    unsigned char *bytes; /* all strings, end to end */
    size_t size, cap;
    size_t *end; /* (n): where string i ends */
    size_t end_cap;
    ThHashTable table;
} ThIntern;

/* Gives the number of a string, adding it if it is new: then *index is the n of before.  Strings
 * may not lie in the table itself. */
bool th_intern(ThIntern *t, const void *bytes, size_t size, size_t *index, ThError *err);

/* The number of a string, or SIZE_MAX. */
size_t th_intern_find(const ThIntern *t, const void *bytes, size_t size);

/* View of string i until the next th_intern; *size may be NULL. */
const void *th_intern_at(const ThIntern *t, size_t i, size_t *size);

/* Forgets all strings from number n on; numbers below n stay. */
void th_intern_rewind(ThIntern *t, size_t n);

void th_intern_free(ThIntern *t); /* leaves *t empty */
TH_RELEASES_VALUE(th_intern_free, ThIntern)
