/* automaton_hints.h - what was meant where an expression of automata is written as elsewhere. */
#pragma once

#include "session.h"

/* Returns new: the expression of an automaton that a text stands for (a | b for a + b or
 * union(a, b), star(a) for a*, determinize(a) for determinise a, regex "a*" for "a*"), or the text
 * itself where it is one; NULL where there is none. */
char *sh_automaton_meant(ShSession *s, const char *text);

/* Where a statement that failed is such a text, or NAME = such a text: the line to type becomes the
 * hint of *err.  Returns whether it is. */
bool sh_hint_automaton(ShSession *s, const char *statement, ThError *err);
