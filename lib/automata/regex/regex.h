/* regex.h - regular expressions to automata and back.
 *
 *     | and -    union and difference, loosest, from the left
 *     &          intersection
 *     xy         one after the other
 *     ~x         complement
 *     x* x+ x? x{2} x{2,} x{2,5}
 *     a . [a-z] [^ab] [[:digit:]] 'w0' (x) ()
 *
 * A symbol is one character, or a name in single quotes; blanks mean nothing.  A backslash takes a
 * character's meaning away, or is one of \n \t \u{…}.  () is the empty word, [] is no word at all.
 * The alphabet is what the expression mentions, in the order of code points, or what is given; the
 * dot, classes with ^ and ~ refer to it.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/nfa.h"

/* Returns new: the position automaton of a pattern (Glushkov 1961): a start and a state for every
 * symbol or class that the pattern has once counts are written out.  Operands of &, - and ~ are
 * minimized first; where a loop over many words would take a transition for every pair of them, it
 * goes through an empty move.  alphabet (n of them) comes first and may be NULL for n = 0.
 * Errors: TH_EPARSE with line 1 and the column; TH_ELIMIT beyond max_states (0: no limit). */
ThAutomaton *th_regex_automaton(const char *pattern, char *const *alphabet, int n,
                                size_t max_states, ThStop *stop, ThError *err);

/* Returns new: a pattern for the language of an automaton, the same for equal languages over the
 * same symbols.  States of the minimal automaton are eliminated in the order of least weight
 * (Delgado and Morais 2004), forwards and in the reverse, and the simplest pattern is taken.
 * *whole tells whether the pattern mentions all symbols, so that it needs no alphabet beside it.
 * Errors: TH_ELIMIT where the pattern would be longer than 4 MiB. */
char *th_regex_of(const ThAutomaton *a, bool *whole, size_t max_states, ThStop *stop, ThError *err);

/* A part of an expression has become states between two of them; the last step, whose `what` is
 * NULL, says that all is made and which states start and accept. */
typedef struct {
    const ThNfa *so_far;
    char *const *symbol; /* names of its symbols */
    const char *what;    /* "either", "any number of times" */
    int from, to;
} ThRegexThompsonStep;

typedef bool ThRegexThompsonWatch(void *context, const ThRegexThompsonStep *step, ThError *err);

/* Returns new: the automaton of a pattern by Thompson's construction (1968), as textbooks have it,
 * with two new states and empty moves for every symbol, choice and repetition; counts are written
 * out.  Each part is told once it stands; watch may be NULL, and may end all by failing.  Errors as
 * above; TH_EVALUE where the pattern has &, - or ~. */
ThAutomaton *th_regex_thompson(const char *pattern, size_t max_states, ThRegexThompsonWatch *watch,
                               void *context, ThStop *stop, ThError *err);

/* A state has been eliminated.  Nodes are the automaton's states, then a start and an end. */
typedef struct {
    int gone;                                                         /* -1: nothing yet */
    bool (*edge)(const void *graph, int from, int to, ThText *label); /* appends what stands at an
                                                               arrow; false: there is none */
    const void *graph;
} ThRegexEliminationStep;

typedef bool ThRegexEliminationWatch(void *context, const ThRegexEliminationStep *step,
                                     ThError *err);

/* Tells how states go one by one, those of least weight first, until the expression is left between
 * the start and the end; outputs do not count.  Errors as th_regex_of. */
bool th_regex_elimination(const ThAutomaton *a, ThRegexEliminationWatch *watch, void *context,
                          ThStop *stop, ThError *err);
