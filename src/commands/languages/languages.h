/* languages.h - what the commands about languages of any kind share. */
#pragma once

#include "command.h"

/* Returns new: an object as a language: of an automaton, of what a block defines; of a machine or
 * an s-op with the options below at their defaults. */
ThLanguage *sh_language_of(ShSession *s, const ShObject *o, ThError *err);

/* What a language that was defined or shown leaves as results. */
void sh_language_figures(ShSession *s, const ThLanguage *l);

/* What is asked of machines and s-ops: both; commands have them, or one. */
extern const ThOptionSpec sh_language_options[];

/* The same with these options; the symbols of what stands beside it (NULL: nothing does) are those
 * of an s-op, and of a machine that has them all, unless alphabet= says others.  TH_EUSAGE where an
 * option is for other objects. */
ThLanguage *sh_language_with(ShSession *s, const ShObject *o, const ThOptions *options,
                             const ThLanguageAlphabet *beside, ThError *err);

/* Is the first operand a language for whose words there is no automaton?  Then the commands below
 * do what words, count, shortest and compare do for automata.  Where there is one, *a is it, new,
 * or NULL for an operand that is an automaton itself.  False on errors only. */
bool sh_needs_language(ShSession *s, const ShCall *call, bool *needs, ThAutomaton **a,
                       ThError *err);

/* a: the automaton whose words they are; NULL: the operand is no such thing. */
bool sh_words_language(ShSession *s, const ShCall *call, const ThAutomaton *a, ThError *err);

/* words order=found: as a machine's are found. */
bool sh_find_words(ShSession *s, const ShCall *call, ThError *err);

/* One word: a line of text, or a row. */
void sh_print_word(ShSession *s, char *const *symbol, int n, ThLanguageWord word);

bool sh_count_language(ShSession *s, const ShCall *call, ThError *err);
bool sh_shortest_language(ShSession *s, const ShCall *call, ThError *err);
bool sh_ambiguity_language(ShSession *s, const ShCall *call, ThError *err);

/* compare where one of two operands names a language that is no automaton: *does says whether. */
/* Says whether two automata, the operands of a call, are equivalent. */
bool sh_compare_automata(ShSession *s, const ShCall *call, const ThAutomaton *a,
                         const ThAutomaton *b, ThError *err);
bool sh_compare_languages(ShSession *s, const ShCall *call, bool *does, ThError *err);
