#include "plot/graph/draw_graph.h"

#include <math.h>

enum { MOST_NODES = 300, MOST_ARCS = 4000 };

static const double HEAD = 0.13; /* length of an arrow's head, in inches */
static const double LINE = 0.17; /* from one line of a label to the next */

/* ---- building -------------------------------------------------------------------------------- */

void th_plot_add_shortened(ThText *t, const char *text, size_t most)
{
    size_t n = strlen(text), at = 0, size;
    if (th_utf8_length(text) <= most) {
        th_text_add(t, text);
        return;
    }
    for (size_t i = 0; i + 1 < most && (size = th_utf8_next(text + at, n - at, NULL)) > 0; i++)
        at += size;
    th_text_add_bytes(t, text, at);
    th_text_add(t, "…");
}

ThPlotGraph *th_plot_graph_new(int n_nodes, ThError *err)
{
    ThPlotGraph *g = th_alloc(1, sizeof *g, err);
    if (!g)
        return NULL;
    *g = (ThPlotGraph){.n_nodes = n_nodes, .from = -1};
    g->node = th_alloc((size_t)n_nodes, sizeof *g->node, err);
    g->place = th_alloc((size_t)n_nodes, sizeof *g->place, err);
    return TH_KEEP_IF(g->node && g->place, g, th_plot_graph_free);
}

void th_plot_graph_free(ThPlotGraph *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_arcs; i++) {
        th_text_free(&g->arc[i].label);
        th_text_free(&g->arc[i].room);
    }
    for (int i = 0; g->node && i < g->n_nodes; i++)
        th_text_free(&g->node[i].name);
    TH_FREE(g->arc, g->node, g->place, g);
}

/* place[to] is the number of the arc from g->from to `to`, if it is not less than g->first. */
ThText *th_plot_graph_arc(ThPlotGraph *g, int from, int to, ThError *err)
{
    if (from != g->from) {
        g->from = from;
        g->first = g->n_arcs;
    }
    size_t i = g->place[to];
    if (i >= g->first && i < g->n_arcs && g->arc[i].to == to)
        return &g->arc[i].label;
    if (g->n_arcs >= MOST_ARCS)
        return th_null(
            th_fail(err, TH_ELIMIT, "more than %d transitions are too many to draw", MOST_ARCS));
    if (!th_grow(&g->arc, &g->arc_cap, g->n_arcs + 1, sizeof *g->arc, err))
        return NULL;
    g->place[to] = g->n_arcs;
    g->arc[g->n_arcs] = (ThPlotGraphArc){.from = from, .to = to};
    return &g->arc[g->n_arcs++].label;
}

/* ---- layout ---------------------------------------------------------------------------------- */

typedef struct {
    const ThPlotGraph *g;
    ThLayout *layout;
    ThText *line; /* (n_lines) */
    size_t n_lines, line_cap;
    size_t *first; /* (n_arcs of the layout + 1): its first line */
    int starts;    /* arcs of the layout before those of the graph */
} Drawing;

static void free_drawing(Drawing *d)
{
    for (size_t i = 0; i < d->n_lines; i++)
        th_text_free(&d->line[i]);
    TH_FREE(d->line, d->first);
    th_layout_free(d->layout);
}

static bool arc_shown(const Drawing *d, int i)
{
    const ThPlotGraphNode *to = &d->g->node[d->layout->arc[i].to];
    return i < d->starts ? !to->hidden && !to->waits : !d->g->arc[i - d->starts].hidden;
}

/* Cuts a label into lines that are not too long; of very many the last is "…". */
static bool cut_lines(Drawing *d, ThLayoutArc *a, const ThText *label, ThError *err)
{
    const char *at = th_text_string(label);
    while (*at && a->label_lines < TH_PLOT_LABEL_LINES) {
        size_t n = strcspn(at, "\n");
        bool last = a->label_lines + 1 == TH_PLOT_LABEL_LINES && at[n];
        char *line = last ? th_strdup("…", err) : th_strndup(at, n, err);
        if (!line || !th_grow(&d->line, &d->line_cap, d->n_lines + 1, sizeof *d->line, err)) {
            free(line);
            return false;
        }
        ThText *t = &d->line[d->n_lines++];
        *t = (ThText){0};
        th_plot_add_shortened(t, line, TH_PLOT_LABEL_LONGEST);
        free(line);
        int width = t->data ? th_utf8_width(t->data) : 0;
        a->label_width = width > a->label_width ? width : a->label_width;
        a->label_lines++;
        at += n + (at[n] == '\n');
    }
    return true;
}

static bool make_room(Drawing *d, ThLayoutArc *a, const ThPlotGraphArc *arc, ThError *err)
{
    ThLayoutArc own = {0};
    size_t first = d->n_lines;
    if (arc->room.size == 0)
        return cut_lines(d, a, &arc->label, err);
    bool ok = cut_lines(d, a, &arc->room, err);
    while (d->n_lines > first)
        th_text_free(&d->line[--d->n_lines]);
    return ok && cut_lines(d, &own, &arc->label, err);
}

static double radius_for(const ThPlotGraph *g)
{
    int widest = 1;
    for (int q = 0; q < g->n_nodes; q++) {
        int width = g->node[q].name.data ? th_utf8_width(g->node[q].name.data) : 0;
        widest = width > widest ? width : widest;
    }
    return 0.17 + 0.045 * widest;
}

/* The arrows that mark the start come first. */
static bool make_drawing(Drawing *d, ThStop *stop, ThError *err)
{
    const ThPlotGraph *g = d->g;
    int n = 0;
    for (int q = 0; q < g->n_nodes; q++)
        n += g->node[q].start;
    size_t n_arcs = (size_t)n + g->n_arcs;
    d->starts = n;
    d->layout = th_layout_new(g->n_nodes, (int)n_arcs, radius_for(g), err);
    d->first = th_alloc(n_arcs + 1, sizeof *d->first, err);
    if (!d->layout || !d->first)
        return false;
    n = 0;
    for (int q = 0; q < g->n_nodes; q++)
        if (g->node[q].start)
            d->layout->arc[n++] = (ThLayoutArc){.from = -1, .to = q};
    for (size_t i = 0; i < g->n_arcs; i++, n++) {
        ThLayoutArc *a = &d->layout->arc[n];
        *a = (ThLayoutArc){.from = g->arc[i].from, .to = g->arc[i].to};
        d->first[n] = d->n_lines;
        if (!make_room(d, a, &g->arc[i], err))
            return false;
    }
    d->first[n] = d->n_lines;
    return th_layout_place(d->layout, true, stop, err);
}

/* ---- from layout to figure ------------------------------------------------------------------- */

/* The point of a path at a distance before its end, and the index of the piece that it is on. */
static ThPlotPoint before_end(const ThLayoutArc *a, double distance, int *piece)
{
    for (int i = a->n_path - 1; i > 0; i--) {
        ThPlotPoint p = a->path[i - 1], q = a->path[i];
        double length = hypot(q.x - p.x, q.y - p.y);
        if (length >= distance && length > 0) {
            double t = distance / length;
            *piece = i;
            return (ThPlotPoint){q.x + (p.x - q.x) * t, q.y + (p.y - q.y) * t};
        }
        distance -= length;
    }
    *piece = 1;
    return a->path[0];
}

/* A line to the foot of the head, and the head as a triangle. */
static void put_arcs(ThFigure *f, const Drawing *d)
{
    const ThLayout *l = d->layout;
    th_figure_block(f, "ARCS");
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        int piece;
        ThPlotPoint foot = before_end(a, 0.8 * HEAD, &piece);
        if (!arc_shown(d, i))
            continue;
        for (int k = 0; k < piece; k++)
            th_figure_printf(f, "%.4f %.4f\n", a->path[k].x, a->path[k].y);
        th_figure_printf(f, "%.4f %.4f\n\n", foot.x, foot.y);
    }
    th_figure_end_block(f);
    th_figure_block(f, "HEADS");
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        int piece;
        ThPlotPoint foot = before_end(a, HEAD, &piece), tip = a->path[a->n_path - 1];
        if (!arc_shown(d, i))
            continue;
        double dx = 0.36 * (tip.x - foot.x), dy = 0.36 * (tip.y - foot.y);
        th_figure_printf(f, "%.4f %.4f\n%.4f %.4f\n%.4f %.4f\n%.4f %.4f\n\n", tip.x, tip.y,
                         foot.x - dy, foot.y + dx, foot.x + dy, foot.y - dx, tip.x, tip.y);
    }
    th_figure_end_block(f);
}

/* The heads where only characters can be drawn. */
static void put_marks(ThFigure *f, const Drawing *d)
{
    const ThLayout *l = d->layout;
    th_figure_block(f, "MARKS");
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        int piece;
        ThPlotPoint foot = before_end(a, HEAD, &piece), tip = a->path[a->n_path - 1];
        if (!arc_shown(d, i))
            continue;
        double dx = tip.x - foot.x, dy = tip.y - foot.y;
        bool flat = fabs(dx) >= fabs(dy);
        th_figure_printf(f, "%.4f %.4f %c\n", foot.x, foot.y,
                         flat     ? dx > 0 ? '>' : '<'
                         : dy > 0 ? '^'
                                  : 'v');
    }
    th_figure_end_block(f);
}

static bool put_labels(ThFigure *f, const Drawing *d)
{
    if (d->n_lines == 0)
        return false;
    th_figure_block(f, "LABELS");
    for (int i = d->starts; i < d->layout->n_arcs; i++) {
        const ThLayoutArc *a = &d->layout->arc[i];
        int lines = arc_shown(d, i) ? (int)(d->first[i + 1] - d->first[i]) : 0;
        for (int k = 0; k < lines; k++) {
            const ThText *line = &d->line[d->first[i] + (size_t)k];
            double up = LINE * ((lines - 1) / 2.0 - k);
            th_figure_printf(f, "%.4f %.4f ", a->label.x, a->label.y + up);
            th_figure_last_cell(f, th_text_string(line));
        }
    }
    th_figure_end_block(f);
    return true;
}

static bool is_doubled(const ThPlotGraphNode *x)
{
    return x->look == TH_PLOT_NODE_DOUBLE || x->look == TH_PLOT_NODE_STOP;
}

static unsigned fill_of(const ThPlotGraphNode *x)
{
    static const unsigned fill[] = {0xeef5fa, 0xeef5fa, 0xe2e2e2, 0xfbe3d6}, here = 0xffdf7a;
    static const unsigned group[] = {0xbfdcee, 0xf5cdb0, 0xb8e2d3, 0xefd0e2,
                                     0xf8dda6, 0xe0e0b8, 0xd2d2d2, 0xd9c8f0};
    return x->mark >= TH_PLOT_MARK_GROUP  ? group[(x->mark - TH_PLOT_MARK_GROUP) % 8]
           : x->mark == TH_PLOT_MARK_HERE ? here
                                          : fill[x->look];
}

static bool any_here(const ThPlotGraph *g)
{
    for (int q = 0; q < g->n_nodes; q++)
        if (g->node[q].mark == TH_PLOT_MARK_HERE)
            return true;
    return false;
}

/* Those with a second circle inside are a block of their own, if there are any.  Where characters
 * are the pixels there is a * at those where a run stands. */
static bool put_nodes(ThFigure *f, const Drawing *d)
{
    bool doubled = false, here = any_here(d->g);
    const ThLayout *l = d->layout;
    th_figure_block(f, "STATES");
    for (int q = 0; q < d->g->n_nodes; q++) {
        const ThPlotGraphNode *x = &d->g->node[q];
        if (x->hidden)
            continue;
        th_figure_printf(f, "%.4f %.4f %.4f ", l->node[q].x, l->node[q].y, l->radius);
        th_figure_cell(f, th_text_string(&x->name));
        th_figure_printf(f, "%u%s\n", fill_of(x),
                         !here                          ? ""
                         : x->mark == TH_PLOT_MARK_HERE ? " 1"
                                                        : " 0");
        doubled = doubled || is_doubled(x);
    }
    th_figure_end_block(f);
    if (doubled) {
        th_figure_block(f, "ACCEPTING");
        for (int q = 0; q < d->g->n_nodes; q++)
            if (is_doubled(&d->g->node[q]) && !d->g->node[q].hidden)
                th_figure_printf(f, "%.4f %.4f %.4f\n", l->node[q].x, l->node[q].y,
                                 l->radius - 0.045);
        th_figure_end_block(f);
    }
    return doubled;
}

static double set_page(ThFigure *f, const ThLayout *l)
{
    return th_figure_page(f, l->low.x - 0.25, l->high.x + 0.25, l->low.y - 0.25, l->high.y + 0.25);
}

static void draw(ThFigure *f, const char *title, const Drawing *d)
{
    th_figure_begin(f, title, NULL);
    put_arcs(f, d);
    put_marks(f, d);
    bool labels = put_labels(f, d), doubled = put_nodes(f, d);
    int size = (int)lround(fmax(4, 10 * set_page(f, d->layout)));
    if (d->g->caption)
        th_figure_subtitle(f, "%s", d->g->caption);
    th_figure_printf(f, "plot $ARCS using 1:2 with lines lw 1 lc rgb '#8a8a8a', \\\n"
                        "     $HEADS using (plain ? NaN : $1):2 with filledcurves closed "
                        "fs solid 1 noborder fc rgb '#6a6a6a', \\\n"
                        "     $STATES using (plain ? NaN : $1):2:3:5 with circles lw 1.4 "
                        "lc rgb variable fs solid 1 border lc rgb '#0072B2', \\\n"
                        "     $STATES using (plain ? $1 : NaN):2:3 with circles lt 1 fs empty");
    if (doubled)
        th_figure_printf(f, ", \\\n     $ACCEPTING using 1:2:3 with circles lt 1 lw 1 "
                            "fs empty border lc rgb '#0072B2'");
    th_figure_printf(f,
                     ", \\\n     $STATES using 1:2:%s with labels noenhanced font ',%d' "
                     "textcolor rgb '#202020'",
                     any_here(d->g) ? "(plain && $6 == 1 ? '*' . strcol(4) : strcol(4))" : "4",
                     size);
    th_figure_printf(f,
                     ", \\\n     $MARKS using 1:2:(plain ? strcol(3) : '') with labels noenhanced");
    if (labels)
        th_figure_printf(f,
                         ", \\\n     $LABELS using 1:2:3 with labels noenhanced font ',%d' "
                         "textcolor rgb '#A04000'",
                         size);
    th_figure_printf(f, "\n");
}

bool th_plot_graph_small(int n_nodes, ThError *err)
{
    return n_nodes <= MOST_NODES ||
           th_fail(err, TH_ELIMIT, "%d states are too many to draw", n_nodes);
}

bool th_plot_graph(ThFigure *f, const char *title, const ThPlotGraph *g, ThStop *stop, ThError *err)
{
    Drawing d = {.g = g};
    bool ok = make_drawing(&d, stop, err);
    if (ok) {
        draw(f, title, &d);
        th_plot_graph_tikz(f, g, d.layout);
    }
    free_drawing(&d);
    return ok;
}
