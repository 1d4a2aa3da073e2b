/* components.h - strongly connected components of a graph: a transition table, a Cayley graph, or
 * one that is never written out.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"

/* Gives every node the number of its component, numbered by their first nodes; returns how many
 * there are, or -1 and TH_ENOMEM.  next (n, k) may hold -1: no arc.  Linear: Tarjan 1972. */
int th_automaton_components(const int *next, int n, int k, int *component, ThError *err);

/* The same of what can be reached from a node, -1 for others; those that a component leads to have
 * smaller numbers than it has. */
int th_automaton_components_from(const int *next, int n, int k, int start, int *component,
                                 ThError *err);

/* Where an enumeration of the arcs of a node stands; begins as {0}. */
typedef struct {
    size_t turn;
    int symbol;
} ThAutomatonCursor;

/* A graph by the next arc of a node, which may have a symbol; false behind the last. */
typedef struct {
    const void *graph;
    bool (*next)(const void *graph, size_t node, ThAutomatonCursor *c, size_t *to, int *symbol);
    size_t nodes;
    ThStop *stop;
} ThAutomatonGraph;

/* A strong component, as it is completed: those that it leads to have been before.  component[v] of
 * its n nodes is `number`, counted from 0.  Returns whether to go on. */
typedef bool ThAutomatonComponent(void *context, int number, const uint32_t *node, size_t n,
                                  const uint32_t *component);

/* Tells the strong components of what can be reached from the roots (n of them), by Tarjan's
 * algorithm: 12 bytes a node and 24 for each on the path.  TH_EINTERRUPTED, TH_ENOMEM. */
bool th_automaton_components_of(const ThAutomatonGraph *g, const uint32_t *root, size_t n,
                                ThAutomatonComponent *tell, void *context, ThError *err);
