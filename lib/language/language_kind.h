/* language_kind.h - what a kind of language is made of: one file with one constant ThLanguageKind.
 * Kinds that a block defines have a line in languages.def.
 *
 * A kind says as much as it knows; any_language.c does the rest with that: of a kind that only
 * answers `member` all words are tried.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <gmp.h>

#include "language/any_language.h"

typedef struct {
    const char *name;
    bool knows_prefixes, may_not_answer;
    /* Fills l->symbol and l->data from the inside of a block; NULL: no block defines it. */
    bool (*parse)(ThLanguage *l, const char *text, ThError *err);
    void (*write)(ThText *t, const ThLanguage *l); /* the inside of the block; NULL: none */
    /* Where there is no block: all that the answers come from. */
    void (*identify)(ThText *t, const ThLanguage *l);
    void (*free_data)(void *data);
    /* Returns new: states and labelled moves, to be drawn; NULL: it has none. */
    ThAutomaton *(*picture)(const ThLanguage *l, ThError *err);
    /* One of the two: member, or read. */
    bool (*member)(const ThLanguage *l, ThLanguageWord word, ThStop *stop, ThLanguageAnswer *answer,
                   ThError *err);
    /* Does some member begin so?  Of a kind that does not read. */
    bool (*viable)(const ThLanguage *l, ThLanguageWord word);
    /* Returns new: nothing has been read.  l outlives it. */
    void *(*read)(const ThLanguage *l, ThError *err);
    bool (*push)(void *reading, int symbol, bool *viable, ThError *err);
    void (*pop)(void *reading);
    /* Is it not known whether what was pushed last is viable?  It is said to be then. */
    bool (*unsure)(const void *reading);
    bool (*accepts)(void *reading, ThLanguageAnswer *answer, ThError *err); /* NULL: by member */
    void (*stop_reading)(void *reading);
    /* Returns new: the words of a length, counted.  NULL without an error: they are to be tried one
     * by one.  All four or none. */
    void *(*words)(const ThLanguage *l, int length, ThStop *stop, ThError *err);
    double (*log_words)(const void *words);
    bool (*draw)(const void *words, ThRng *r, int *word, ThError *err);
    void (*free_words)(void *words);
    /* Sets n[0 … hi] to the exact numbers; *known = false: they are to be tried.  NULL: always. */
    bool (*count)(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop, ThError *err);
    bool (*automaton)(const ThLanguage *l, ThAutomaton **a, ThStop *stop, ThError *err);
    /* th_language_enumerate; NULL: it finds no words by itself. */
    bool (*enumerate)(const ThLanguage *l, ThLanguageFound *seen, void *context, ThStop *stop,
                      ThError *err);
    /* th_language_states and th_language_track; NULL: it has no states. */
    bool (*states)(const ThLanguage *l, char ***name, int *n, ThError *err);
    bool (*track)(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop, ThError *err);
} ThLanguageKind;

struct ThLanguage {
    const ThLanguageKind *kind;
    int owners;          /* counted atomically */
    bool may_not_answer; /* as its kind, or as what it is made of */
    int n_symbols;
    char **symbol; /* (n_symbols), each owned */
    void *data;
    ThLanguage *as; /* of the same words, which answers in its place; NULL: it does itself */
};

#define KIND(name) extern const ThLanguageKind th_language_kind_##name;
#include "language/languages.def"
#undef KIND

/* A view of the language that answers: itself, or l->as. */
const ThLanguage *th_language_asked(const ThLanguage *l);

/* Returns new: a language without symbols and data, with one owner. */
ThLanguage *th_language_new(const ThLanguageKind *kind, ThError *err);

/* Gives a language a machine's symbols but its blank, or those of an alphabet; (*symbol)[i], new:
 * the machine's number of the language's symbol i. */
bool th_language_machine_symbols(ThLanguage *l, const ThTm *m, const ThLanguageAlphabet *alphabet,
                                 int **symbol, ThError *err);

/* Adds "STATE" or "STATE:SEEN" to names, for a kind's `states`. */
bool th_language_add_state(char ***name, int *n, const char *state, const char *seen, ThError *err);

/* The number of a symbol's name, which is added if it is new; -1 without memory. */
int th_language_symbol(ThLanguage *l, const char *name, ThError *err);
