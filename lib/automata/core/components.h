/* components.h - strongly connected components of a graph with the same number of arcs everywhere:
 * a transition table, a Cayley graph.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_AUTOMATA_CORE_COMPONENTS_H
#define TH_AUTOMATA_CORE_COMPONENTS_H

#include "base/memory.h"

/* Gives every node the number of its component, numbered by their first nodes; returns how many
 * there are, or -1 and TH_ENOMEM.  next (n, k) may hold -1: no arc.  Linear: Tarjan 1972. */
int th_automaton_components(const int *next, int n, int k, int *component, ThError *err);

/* The same of what can be reached from a node, -1 for others; those that a component leads to have
 * smaller numbers than it has. */
int th_automaton_components_from(const int *next, int n, int k, int start, int *component,
                                 ThError *err);

#endif
