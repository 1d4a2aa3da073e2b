/* glossary.h - words of the field: one table for help words, apropos, and the hint at a command
 * that does not exist. */
#ifndef SH_HELP_GLOSSARY_H
#define SH_HELP_GLOSSARY_H

#include "base/text.h"

typedef struct {
    const char *term, *is, *here; /* the word; what it means; what to type here */
} ShTerm;

/* The table, in the order of the alphabet; *n gets its length. */
const ShTerm *sh_glossary(size_t *n);

/* A term, whatever the case of its letters; view, or NULL. */
const ShTerm *sh_term(const char *word);

/* Appends what it means and what to type, in one line. */
void sh_term_write(const ShTerm *t, ThText *to);

#endif
