/* builtins.h - the automata that come with the program, by their names in the language.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

enum { TH_AUTOMATON_BUILTIN_NONE = -1 };

/* A built-in automaton: parity, cycle_navigation(5), tomita(3), …  One table lists them. */
typedef struct {
    const char *name, *summary;
    int n_arguments;
    struct {
        const char *name;
        int least, most, fallback; /* fallback 0: must be given; BUILTIN_NONE: 0 if it is not */
    } argument[2];
    ThAutomaton *(*build)(const int *argument, ThError *err); /* returns new */
} ThAutomatonBuiltin;

/* The table, in manual order; *n gets its length.  Names of before are not in it, but known. */
const ThAutomatonBuiltin *th_automaton_builtins(size_t *n);

/* View, or NULL. */
const ThAutomatonBuiltin *th_automaton_builtin(const char *name);

/* Returns new: n_arguments values, checked against the table; missing ones take their defaults.
 * Errors: TH_EVALUE says which argument may be what. */
ThAutomaton *th_automaton_builtin_build(const ThAutomatonBuiltin *b, const int *argument,
                                        int n_arguments, ThError *err);
