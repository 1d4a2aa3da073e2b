/* languages.h - what the commands about languages of any kind share. */
#ifndef SH_COMMANDS_LANGUAGES_LANGUAGES_H
#define SH_COMMANDS_LANGUAGES_LANGUAGES_H

#include "command.h"

/* Returns new: an object as a language: of an automaton, of what a block defines. */
ThLanguage *sh_language_of(ShSession *s, const ShObject *o, ThError *err);

/* Is the operand a language for whose words there is no automaton?  Then the commands below do what
 * words, count, shortest and compare do for automata.  Where there is one, *a is it, new, or NULL
 * for an operand that is an automaton itself.  False on errors only. */
bool sh_needs_language(ShSession *s, const ShOperand *o, bool *needs, ThAutomaton **a,
                       ThError *err);

/* a: the automaton whose words they are; NULL: the operand is no such thing. */
bool sh_words_language(ShSession *s, const ShCall *call, const ThAutomaton *a, ThError *err);

/* One word: a line of text, or a row. */
void sh_print_word(ShSession *s, char *const *symbol, int n, ThLanguageWord word);

bool sh_count_language(ShSession *s, const ShCall *call, ThError *err);
bool sh_shortest_language(ShSession *s, const ShCall *call, ThError *err);
bool sh_ambiguity_language(ShSession *s, const ShCall *call, ThError *err);

/* compare where one of two operands names a language that is no automaton: *does says whether. */
bool sh_compare_languages(ShSession *s, const ShCall *call, bool *does, ThError *err);

#endif
