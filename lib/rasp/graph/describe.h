/* describe.h - a node in words: the expression that it stands for.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/graph/rasp_graph.h"

/* Appends the expression that makes a node, such as `aggregate(same, tokens)` or `a + 1`.  Nodes
 * that it mentions stand there by label[node] where label is not NULL and that is not NULL, else by
 * their names in the program, else by their own expressions.  Of an expression longer than `most`
 * bytes the beginning is written, and an ellipsis. */
void th_rasp_describe(const ThRaspGraph *g, ThRaspSop node, char *const *label, size_t most,
                      ThText *t);

/* What nodes are called, by number: a name for those that have one, else NULL; and the function of
 * TH_RASP_NODE_MAP and TH_RASP_NODE_MATCH. */
typedef struct {
    char **node, **function;
} ThRaspLabels;

/* Appends an expression that makes a node again, under every grammar, from what its arguments are
 * called, or are made by where they have no name.  TH_EUSAGE for constants that no program can hold
 * (th_rasp_atom_source), TH_ENOMEM. */
bool th_rasp_write_node(const ThRaspGraph *g, ThRaspSop node, const ThRaspLabels *labels, ThText *t,
                        ThError *err);
