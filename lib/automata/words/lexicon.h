/* lexicon.h - the minimal automaton of a list of words.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

/* Returns new: the automaton that accepts the lines of a text, minimal and numbered canonically;
 * an empty line, or "", is the empty word.  The symbols are the characters, or, where a line has
 * blanks, the names between blanks in all lines; they are in the order of their bytes.  `text` is
 * changed.
 * Linear once the lines are sorted: Daciuk, Mihov, Watson and Watson 2000.
 * Errors: TH_EVALUE for a text that is not valid UTF-8 or has no lines. */
ThAutomaton *th_automaton_of_words(char *text, size_t size, ThStop *stop, ThError *err);
