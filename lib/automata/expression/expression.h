/* expression.h - automaton expressions: text in, an automaton out.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"

/* What an expression may refer to: find returns a view of an automaton by name, or NULL (find may
 * be NULL itself); max_states limits every automaton on the way (0: no limit). */
typedef const ThAutomaton *ThAutomatonFind(void *context, const char *name);
typedef struct {
    ThAutomatonFind *find;
    void *context;
    size_t max_states;
} ThAutomatonScope;

/* Returns new: the value of an automaton expression: names, built-ins with arguments in
 * parentheses, minimize(…), determinize(…), trim(…), and on languages ~ (tightest), &, | and -
 * (loosest, from the left).  Errors carry line and column inside the text. */
ThAutomaton *th_automaton_expression(const char *text, const ThAutomatonScope *scope, ThStop *stop,
                                     ThError *err);

/* The ith word behind which an automaton is written in quotes: "regex", ...; NULL: there is none.
 */
const char *th_automaton_notation(size_t i);
