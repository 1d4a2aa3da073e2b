/* glossary.h - words of the field: one list for help words, apropos, and the hint at a command
 * that does not exist.
 */
#pragma once

#include "base/text.h"

typedef struct {
    char term[48], is[160], here[96]; /* the word; what it means; what to type here */
} ShTerm;

/* The next term, in the order of the alphabet; *at is NULL before the first.  False: there is no
 * other. */
bool sh_term_next(const char **at, ShTerm *t);

/* A term, whatever the case of its letters; false: the word is none. */
bool sh_term(const char *word, ShTerm *t);

/* Appends what it means and what to type, in one line. */
void sh_term_write(const ShTerm *t, ThText *to);
