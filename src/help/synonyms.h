/* synonyms.h - what other programs call what this one does: one list for the hint at an unknown
 * command, for help and for apropos. */
#pragma once

#include "base/option.h"

typedef struct {
    char word[24], see[160]; /* what somebody types; what does it here: a sentence */
} ShSynonym;

/* The next one; *at is NULL before the first.  False: there is no other. */
bool sh_synonym_next(const char **at, ShSynonym *s);

/* That of a word; false: there is none. */
bool sh_synonym(const char *word, ShSynonym *s);

/* Which of these options another program calls by a name: "lr" for "learning_rate"; view, or NULL.
 */
const char *sh_option_here(const char *name, const ThOptions *among);

/* Is a statement of n bytes a question about a topic: ?, ?run, run?, man run, run --help, version?
 * topic (SH_TOPIC bytes) gets it, "" where none is named. */
enum { SH_TOPIC = 64 };
bool sh_asks_for_help(const char *statement, size_t n, char topic[SH_TOPIC]);
