/* dot_graph.h - the graphs of Graphviz's language: nodes, edges, and what they say of themselves.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"

typedef struct {
    char *label, *shape;   /* NULL: not given */
    int peripheries, line; /* where it is first spoken of */
    bool invisible;
    bool mentioned; /* in a statement of its own or at an edge, not as the key of `key = value` */
} ThDotNode;

typedef struct {
    int from, to;
    size_t label; /* offset into ThDotGraph.text, or SIZE_MAX */
    int line;
    bool bold, dashed;
    bool modal; /* it says whether it may or must be taken */
} ThDotEdge;

typedef struct {
    char *text; /* of all names, each with its end */
    size_t size, cap;
    ThIntern id; /* names of the nodes, each with its end */
    ThDotNode *node;
    size_t node_cap;
    ThDotEdge *edge;
    size_t n_edges, edge_cap;
    bool weighted, taped; /* what Vcsn says of its automata: weights; labels on several tapes */
    char *alphabet;       /* what follows "alphabet " in a comment of the graph; NULL: nothing */
} ThDotGraph;

/* Fills *g from a text in UTF-8: a directed graph without labels in HTML and without edges to
 * subgraphs; what a subgraph says of nodes and edges ends with it.  Memory linear in the text.
 * Where it fails *g is empty. */
bool th_dot_graph_read(ThDotGraph *g, const char *text, ThError *err);
void th_dot_graph_free(ThDotGraph *g);

/* Does a name, whose label begins at `from`, stand for the empty word?  Names in quotes do not. */
bool th_dot_is_empty_word(const char *name, const char *from);
