#include "plot/graph/draw_graph.h"
#include "plot/views.h"

enum { LONGEST_NAME = 12 /* characters of a state's name that are drawn */ };

static void add_arc_label(ThText *t, const ThAutomaton *a, const ThAutomatonArc *arc)
{
    if (t->size > 0)
        th_text_add(t, ", ");
    th_text_add(t, arc->symbol == TH_AUTOMATON_EPSILON ? "ε" : a->symbol[arc->symbol]);
    if (arc->output != TH_AUTOMATON_NO_OUTPUT)
        th_text_printf(t, "/%s", a->output[arc->output]);
}

/* The name, and behind it what a Moore machine says there. */
static void put_state(ThPlotGraphNode *node, const ThAutomaton *a, int q)
{
    th_plot_add_shortened(&node->name, a->state[q], LONGEST_NAME);
    if (a->moore && a->moore[q] != TH_AUTOMATON_NO_OUTPUT) {
        th_text_add(&node->name, "/");
        th_plot_add_shortened(&node->name, a->output[a->moore[q]], LONGEST_NAME);
    }
    node->look = a->accept[q] ? TH_PLOT_NODE_DOUBLE : TH_PLOT_NODE_PLAIN;
    node->start = a->start[q];
}

static bool put_arcs(ThPlotGraph *g, const ThAutomaton *a, ThError *err)
{
    for (int q = 0; q < a->n_states; q++)
        for (size_t i = a->first[q]; i < a->first[q + 1]; i++) {
            ThText *label = th_plot_graph_arc(g, q, a->arc[i].to, err);
            if (!label)
                return false;
            add_arc_label(label, a, &a->arc[i]);
        }
    return true;
}

bool th_plot_automaton(ThFigure *f, const char *title, const ThAutomaton *a, ThStop *stop,
                       ThError *err)
{
    if (a->n_states == 0)
        return th_fail(err, TH_EVALUE, "the automaton has no states");
    if (!th_plot_graph_small(a->n_states, err))
        return th_hint(err, "minimize it first, or save it as .dot");
    ThPlotGraph *g TH_OWNED(th_plot_graph_free) = th_plot_graph_new(a->n_states, err);
    for (int q = 0; g && q < a->n_states; q++)
        put_state(&g->node[q], a, q);
    return g && put_arcs(g, a, err) && th_plot_graph(f, title, g, stop, err);
}
