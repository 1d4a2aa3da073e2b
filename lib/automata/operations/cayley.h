/* cayley.h - groups by name as automata, and word problems: a state for each element.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/operations/operations.h"

/* Returns new: the group of a name, such as "S5" or "A4xC5": its states are the elements, its
 * symbols generators (a, b, …, or those of `alphabet`, which are as many), its outputs the states;
 * it starts at, and accepts, the identity, "e".  th_group_generators lists the names.
 * Errors: TH_EPARSE with line 1 and the column; TH_ELIMIT beyond max_states (0: no limit), and
 * at once where points times elements are sure to be more than 2^29. */
ThAutomaton *th_automaton_group(const char *name, char *const *alphabet, int n, size_t max_states,
                                ThStop *stop, ThError *err);

/* Returns new: states are the elements of what the words of a do to its states, named by the
 * shortest words that do so ("e": nothing); symbol g leads from s to s g.  Symbols are the
 * elements, of which there may be 2,048 then, or those of a. */
ThAutomaton *th_automaton_cayley(const ThAutomaton *a, bool generators, ThAutomatonWork w,
                                 ThError *err);
