/* pushdown.h - pushdown automata: a stack beside the states.
 *
 * Their languages are those of grammars, and answered by one: that has as many trees of a word as
 * there are accepting runs.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"

/* A configuration of a run. */
typedef struct {
    const char *state; /* borrowed */
    int read;          /* symbols of the word that have been read */
    char *stack;       /* new: from its top, with blanks between */
} ThPushdownAt;

/* Is it a pushdown automaton? */
bool th_language_is_pushdown(const ThLanguage *l);

/* Returns new: the grammar of its words, in a block's text, or NULL: TH_EVALUE where there is none.
 * A variable derives itself in it where a word has infinitely many runs. */
char *th_pushdown_grammar(const ThLanguage *l, ThError *err);

/* Looks for an accepting run of a word, breadth first, as long as all configurations have at most
 * TH_PUSHDOWN_MOST symbols on their stacks, together; *run: new (n), where there is one, its
 * configurations in order; freed by th_pushdown_free_run.  *answer: TH_LANGUAGE_UNKNOWN where there
 * are more than these. */
enum { TH_PUSHDOWN_MOST = 10000000 };
bool th_pushdown_run(const ThLanguage *l, ThLanguageWord word, ThPushdownAt **run, int *n,
                     ThLanguageAnswer *answer, ThStop *stop, ThError *err);
void th_pushdown_free_run(ThPushdownAt *run, int n);
