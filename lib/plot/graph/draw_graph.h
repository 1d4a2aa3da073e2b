/* draw_graph.h - drawings of states and of labelled arrows between them.
 *
 *     ThPlotGraph *g = th_plot_graph_new(2, &err);
 *     th_plot_add_shortened(&g->node[0].name, "even", 12);
 *     th_text_add(th_plot_graph_arc(g, 0, 1, &err), "b");
 *     th_plot_graph(&f, "parity", g, stop, &err);
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "plot/figure.h"
#include "plot/graph/layout.h"

typedef enum {
    TH_PLOT_NODE_PLAIN,
    TH_PLOT_NODE_DOUBLE, /* a second circle inside */
    TH_PLOT_NODE_STOP,   /* grey, with two circles */
    TH_PLOT_NODE_REFUSE  /* reddish */
} ThPlotNodeLook;

/* What stands out: where a run stands, or one of several groups, TH_PLOT_MARK_GROUP and beyond. */
enum { TH_PLOT_MARK_NONE, TH_PLOT_MARK_HERE, TH_PLOT_MARK_GROUP };

typedef struct {
    ThText name;
    ThPlotNodeLook look;
    bool start;  /* an arrow from nowhere points to it, */
    bool waits;  /* which keeps its place, and is not drawn */
    bool hidden; /* keeps its place, and is not drawn */
    int mark;
} ThPlotGraphNode;

typedef struct {
    int from, to;
    ThText label; /* lines are separated by newlines */
    ThText room;  /* a label for which there is to be room; empty: for the label */
    bool hidden;
} ThPlotGraphArc;

typedef struct {
    int n_nodes;
    ThPlotGraphNode *node; /* (n_nodes): the caller fills them in */
    ThPlotGraphArc *arc;
    size_t n_arcs, arc_cap, first;
    size_t *place;
    int from;
    const char *caption; /* a line under the title; NULL: none */
} ThPlotGraph;

/* Of a label as many lines are drawn, each of at most so many characters. */
enum { TH_PLOT_LABEL_LINES = 8, TH_PLOT_LABEL_LONGEST = 28 };

/* TH_ELIMIT for more than some hundred nodes, which nobody can read. */
bool th_plot_graph_small(int n_nodes, ThError *err);

ThPlotGraph *th_plot_graph_new(int n_nodes, ThError *err); /* returns new */
void th_plot_graph_free(ThPlotGraph *g);                   /* NULL is fine */
TH_RELEASES(th_plot_graph_free, ThPlotGraph)

/* A view, until the next call, of the label of the arrow between two nodes, which is added if it is
 * new; NULL and TH_ELIMIT, TH_ENOMEM.  The arrows from a node must be asked for one after the
 * other.
 */
ThText *th_plot_graph_arc(ThPlotGraph *g, int from, int to, ThError *err);

/* Appends at most `most` characters of a text, with … where it goes on. */
void th_plot_add_shortened(ThText *t, const char *text, size_t most);

/* States are circles, laid out by Graphviz's dot where it is installed, else on a circle.  dot is
 * given numbers only.  f must be empty. */
bool th_plot_graph(ThFigure *f, const char *title, const ThPlotGraph *g, ThStop *stop,
                   ThError *err);

/* Its part that makes f->tikz of a graph that has been laid out: a `\node` for each of the
 * l->n_nodes states, and an `edge` for each of its arcs, which stand last in l->arc. */
void th_plot_graph_tikz(ThFigure *f, const ThPlotGraph *g, const ThLayout *l);
