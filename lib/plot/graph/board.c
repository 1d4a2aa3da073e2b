/* board.c - a drawing that comes about step by step: what is on the board from which step to which.
 */
#include "plot/graph/board.h"

#include <limits.h>

#include "plot/graph/board_impl.h"

enum { MOST_STEPS = 500, MOST_CAPTION = 110, MOST_NAME = 12 };

/* A node or an arrow, from step since to before step until. */
typedef struct {
    int since, until;
    int from, to; /* of an arrow */
    ThText text;
    ThPlotNodeLook look;
    bool start;
} Item;

/* A change of a node's look, or a mark in one step. */
typedef struct {
    int step, node, mark;
    ThPlotNodeLook look;
    bool start;
} Change;

typedef struct {
    Item *item;
    size_t n, cap;
} Items;

typedef struct {
    Change *change;
    size_t n, cap;
} Changes;

struct ThPlotBoard {
    Items node, arc;
    Changes look, mark;
    ThText *caption; /* (steps) */
    size_t cap;
    int steps;
    bool failed;
};

ThPlotBoard *th_plot_board_new(ThError *err)
{
    return th_alloc(1, sizeof(ThPlotBoard), err);
}

static void free_items(Items *x)
{
    for (size_t i = 0; i < x->n; i++)
        th_text_free(&x->item[i].text);
    free(x->item);
}

void th_plot_board_free(ThPlotBoard *b)
{
    if (!b)
        return;
    free_items(&b->node);
    free_items(&b->arc);
    for (int i = 0; i < b->steps; i++)
        th_text_free(&b->caption[i]);
    TH_FREE(b->look.change, b->mark.change, b->caption, b);
}

static void put(ThPlotBoard *b, Items *to, const char *text, Item item)
{
    if (!th_grow(&to->item, &to->cap, to->n + 1, sizeof *to->item, NULL)) {
        b->failed = true;
        return;
    }
    th_text_add(&item.text, text);
    b->failed |= item.text.failed;
    item.since = b->steps;
    item.until = INT_MAX;
    to->item[to->n++] = item;
}

void th_plot_board_node(ThPlotBoard *b, const char *name, ThPlotNodeLook look, bool start)
{
    ThText text TH_OWNED(th_text_free) = {0};
    th_plot_add_shortened(&text, name, MOST_NAME);
    put(b, &b->node, th_text_string(&text), (Item){.look = look, .start = start});
}

void th_plot_board_arc(ThPlotBoard *b, int from, int to, const char *label)
{
    put(b, &b->arc, label, (Item){.from = from, .to = to});
}

static void wipe(ThPlotBoard *b, Item *x)
{
    x->until = x->until < b->steps ? x->until : b->steps;
}

void th_plot_board_wipe_node(ThPlotBoard *b, int q)
{
    wipe(b, &b->node.item[q]);
    for (size_t i = 0; i < b->arc.n; i++)
        if (b->arc.item[i].from == q || b->arc.item[i].to == q)
            wipe(b, &b->arc.item[i]);
}

void th_plot_board_wipe_arcs(ThPlotBoard *b, int from, int to)
{
    for (size_t i = 0; i < b->arc.n; i++)
        if (b->arc.item[i].from == from && b->arc.item[i].to == to)
            wipe(b, &b->arc.item[i]);
}

static void change(ThPlotBoard *b, Changes *to, Change x)
{
    x.step = b->steps;
    if (th_grow(&to->change, &to->cap, to->n + 1, sizeof *to->change, NULL))
        to->change[to->n++] = x;
    else
        b->failed = true;
}

void th_plot_board_look(ThPlotBoard *b, int q, ThPlotNodeLook look, bool start)
{
    change(b, &b->look, (Change){.node = q, .look = look, .start = start});
}

void th_plot_board_mark(ThPlotBoard *b, int q, int mark)
{
    change(b, &b->mark, (Change){.node = q, .mark = mark});
}

bool th_plot_board_step(ThPlotBoard *b, ThText *caption, ThError *err)
{
    bool ok = b->steps < MOST_STEPS ||
              th_fail(err, TH_ELIMIT, "more than %d steps are too many to draw", MOST_STEPS);
    ok = ok && th_plot_graph_small((int)b->node.n, err) &&
         th_grow(&b->caption, &b->cap, (size_t)b->steps + 1, sizeof *b->caption, err);
    if (ok) {
        ThText *to = &b->caption[b->steps++];
        *to = (ThText){0};
        th_plot_add_shortened(to, th_text_string(caption), MOST_CAPTION);
        b->failed |= to->failed || caption->failed;
    }
    th_text_free(caption);
    return ok;
}

ThPlotBoard *th_plot_board_finish(ThPlotBoard *b, bool good, ThError *err)
{
    if (b && good && b->failed)
        good = th_fail(err, TH_ENOMEM, "out of memory for the figures");
    return TH_KEEP_IF(good, b, th_plot_board_free);
}

int th_plot_board_steps(const ThPlotBoard *b)
{
    return b->steps;
}

/* ---- one step -------------------------------------------------------------------------------- */

static bool is_there(const Item *x, int step)
{
    return x->since <= step && step < x->until;
}

static void put_nodes(ThPlotGraph *g, const ThPlotBoard *b, int step)
{
    for (int q = 0; q < g->n_nodes; q++) {
        const Item *x = &b->node.item[q];
        th_text_add(&g->node[q].name, th_text_string(&x->text));
        g->node[q].look = x->look;
        g->node[q].start = x->start;
        g->node[q].hidden = !is_there(x, step);
    }
    for (size_t i = 0; i < b->look.n; i++) {
        const Change *x = &b->look.change[i];
        ThPlotGraphNode *node = &g->node[x->node];
        node->waits = x->start && x->step > step; /* its arrow has room from the first step on */
        node->start |= x->start;
        if (x->step <= step)
            node->look = x->look;
    }
    for (size_t i = 0; i < b->mark.n; i++)
        if (b->mark.change[i].step == step)
            g->node[b->mark.change[i].node].mark = b->mark.change[i].mark;
}

/* The labels between two nodes in a step, in one; empty: there is no arrow. */
static void join_labels(ThText *to, const ThPlotBoard *b, const Item *pair, int step)
{
    for (size_t i = 0; i < b->arc.n; i++) {
        const Item *x = &b->arc.item[i];
        if (x->from == pair->from && x->to == pair->to && is_there(x, step))
            th_text_printf(to, "%s%s", to->size ? ", " : "", th_text_string(&x->text));
    }
}

/* Labels grow where something is put. */
static void make_room(ThPlotGraphArc *arc, const ThPlotBoard *b, const Item *pair)
{
    for (size_t i = 0; i < b->arc.n; i++) {
        const Item *x = &b->arc.item[i];
        ThText other TH_OWNED(th_text_free) = {0};
        if (x->from != pair->from || x->to != pair->to)
            continue;
        join_labels(&other, b, x, x->since);
        if (other.size > arc->room.size) {
            th_text_free(&arc->room);
            arc->room = other;
            other = (ThText){0};
        }
    }
}

/* Arrows come from one node after the other, each pair of nodes once, with room for the longest of
 * its labels. */
static bool put_arcs(ThPlotGraph *g, const ThPlotBoard *b, int step, ThError *err)
{
    for (int q = 0; q < g->n_nodes; q++)
        for (size_t i = 0; i < b->arc.n; i++) {
            const Item *x = &b->arc.item[i];
            size_t before = g->n_arcs;
            if (x->from != q)
                continue;
            if (!th_plot_graph_arc(g, q, x->to, err))
                return false;
            ThPlotGraphArc *arc = &g->arc[g->n_arcs - 1];
            if (g->n_arcs == before)
                continue;
            join_labels(&arc->label, b, x, step);
            make_room(arc, b, x);
            arc->hidden = arc->label.size == 0;
            if (arc->label.failed || arc->room.failed)
                return th_fail(err, TH_ENOMEM, "out of memory for the figure");
        }
    return true;
}

bool th_plot_board_draw(ThFigure *f, const char *title, const ThPlotBoard *b, int i, ThStop *stop,
                        ThError *err)
{
    if (b->node.n == 0)
        return th_fail(err, TH_EVALUE, "there are no states to draw");
    ThPlotGraph *g TH_OWNED(th_plot_graph_free) = th_plot_graph_new((int)b->node.n, err);
    if (!g)
        return false;
    g->caption = b->caption[i].data ? b->caption[i].data : "";
    put_nodes(g, b, i);
    return put_arcs(g, b, i, err) && th_plot_graph(f, title, g, stop, err);
}
