#include "plot/draw_machine.h"

#include "plot/graph/draw_graph.h"

enum { LONGEST_NAME = 12 };

/* ---- labels: "0,1 → a,R", as in textbooks ---------------------------------------------------- */

static bool same_reading(const ThTm *m, const ThTmRule *a, const ThTmRule *b, int tape)
{
    for (int t = 0; t < m->n_tapes; t++)
        if (t != tape && a->read[t] != b->read[t])
            return false;
    return true;
}

static bool same_action(const ThTm *m, const ThTmRule *a, const ThTmRule *b)
{
    for (int t = 0; t < m->n_tapes; t++)
        if (a->write[t] != b->write[t] || a->move[t] != b->move[t])
            return false;
    return a->to == b->to && a->undefined == b->undefined;
}

const char *th_plot_tape_symbol(const ThTm *m, int symbol)
{
    const char *name = m->symbol[symbol];
    bool unseen = strcmp(name, "_") == 0 || strcmp(name, " ") == 0;
    return symbol == m->blank && unseen ? "␣" : name;
}

static void put_symbol(ThText *t, const ThTm *m, int symbol)
{
    enum { LONGEST = 8 };
    th_plot_add_shortened(t, symbol == TH_TM_ANY ? "*" : th_plot_tape_symbol(m, symbol), LONGEST);
}

static void put_action(ThText *t, const ThTm *m, const ThTmRule *r)
{
    static const char *const move[] = {"L", "S", "R"};
    th_text_add(t, " → ");
    for (int k = 0; k < m->n_tapes && !r->undefined; k++) {
        th_text_add(t, k ? "|" : "");
        if (r->write[k] != TH_TM_ANY) {
            put_symbol(t, m, r->write[k]);
            th_text_add(t, ",");
        }
        th_text_add(t, move[r->move[k] + 1]);
    }
    th_text_add(t, r->undefined ? "---" : "");
}

/* A line for a rule, and those behind it that do the same for other symbols of the last tape; these
 * are marked in done. */
static void put_rule(ThText *t, const ThTm *m, size_t i, bool *done)
{
    const ThTmRule *r = &m->rule[i];
    int last = m->n_tapes - 1;
    th_text_add(t, t->size ? "\n" : "");
    for (int k = 0; k <= last; k++) {
        th_text_add(t, k ? "|" : "");
        put_symbol(t, m, r->read[k]);
    }
    for (size_t j = i + 1; j < m->n_rules; j++) {
        const ThTmRule *x = &m->rule[j];
        if (done[j] || x->from != r->from || !same_action(m, r, x) || !same_reading(m, r, x, last))
            continue;
        done[j] = true;
        th_text_add(t, ",");
        put_symbol(t, m, x->read[last]);
    }
    put_action(t, m, r);
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* The arrows from a state: its own rules, and those for any state. */
static bool put_state_rules(ThPlotGraph *g, const ThTm *m, int q, bool *done, ThError *err)
{
    for (size_t i = 0; i < m->n_rules; i++)
        done[i] = false;
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        if (done[i] || (r->from != q && r->from != TH_TM_ANY))
            continue;
        ThText *label = th_plot_graph_arc(g, q, r->to == TH_TM_ANY ? q : r->to, err);
        if (!label)
            return false;
        put_rule(label, m, i, done);
    }
    return true;
}

static void put_state(ThPlotGraphNode *node, const ThTm *m, int q)
{
    static const ThPlotNodeLook look[] = {TH_PLOT_NODE_PLAIN, TH_PLOT_NODE_STOP,
                                          TH_PLOT_NODE_DOUBLE, TH_PLOT_NODE_REFUSE};
    th_plot_add_shortened(&node->name, m->state[q], LONGEST_NAME);
    node->look = look[m->role[q]];
    node->start = q == m->start;
}

bool th_plot_machine(ThFigure *f, const char *title, const ThTm *m, int here, ThStop *stop,
                     ThError *err)
{
    if (!th_plot_graph_small(m->n_states, err))
        return false;
    bool *done TH_OWNED(free) = th_alloc(m->n_rules, sizeof *done, err);
    ThPlotGraph *g TH_OWNED(th_plot_graph_free) = th_plot_graph_new(m->n_states, err);
    bool ok = done && g;
    for (int q = 0; ok && q < m->n_states; q++) {
        put_state(&g->node[q], m, q);
        g->node[q].mark = q == here ? TH_PLOT_MARK_HERE : TH_PLOT_MARK_NONE;
        ok = m->role[q] != TH_TM_RUNS ||
             (put_state_rules(g, m, q, done, err) && !th_stopped(stop, err));
    }
    ok = ok && th_plot_graph(f, title, g, stop, err);
    return ok;
}
