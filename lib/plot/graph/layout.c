#include "plot/graph/layout.h"

#include <math.h>
#include <stdio.h>

#include "plot/child.h"

enum { PIECES = 24 /* straight pieces of a Bézier curve */ };

/* Height of a label, and width of one of its characters. */
static const double LINE = 0.2, CHARACTER = 0.1;

ThLayout *th_layout_new(int n_nodes, int n_arcs, double radius, ThError *err)
{
    ThLayout *l = th_alloc(1, sizeof *l, err);
    if (!l)
        return NULL;
    *l = (ThLayout){.n_nodes = n_nodes, .n_arcs = n_arcs, .radius = radius};
    l->node = th_alloc((size_t)n_nodes, sizeof *l->node, err);
    l->arc = th_alloc((size_t)n_arcs, sizeof *l->arc, err);
    return TH_KEEP_IF(l->node && l->arc, l, th_layout_free);
}

void th_layout_free(ThLayout *l)
{
    if (!l)
        return;
    for (int i = 0; l->arc && i < l->n_arcs; i++)
        free(l->arc[i].path);
    TH_FREE(l->arc, l->node, l);
}

static double label_height(const ThLayoutArc *a)
{
    return LINE * (a->label_lines > 1 ? a->label_lines : 1);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static ThPlotPoint mix(ThPlotPoint a, ThPlotPoint b, double t)
{
    return (ThPlotPoint){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

static ThPlotPoint bezier(const ThPlotPoint *p, double t)
{
    ThPlotPoint a = mix(p[0], p[1], t), b = mix(p[1], p[2], t), c = mix(p[2], p[3], t);
    return mix(mix(a, b, t), mix(b, c, t), t);
}

/* Replaces a path of 3k+1 control points by points on the curve. */
static bool flatten(ThLayoutArc *a, ThError *err)
{
    int pieces = (a->n_path - 1) / 3;
    ThPlotPoint *path = th_alloc((size_t)pieces * PIECES + 1, sizeof *path, err);
    if (!path)
        return false;
    for (int i = 0; i < pieces * PIECES; i++)
        path[i] = bezier(a->path + i / PIECES * 3, (double)(i % PIECES) / PIECES);
    path[pieces * PIECES] = a->path[a->n_path - 1];
    free(a->path);
    a->path = path;
    a->n_path = pieces * PIECES + 1;
    return true;
}

static void cover(ThLayout *l, double x, double y, double margin_x, double margin_y)
{
    l->low.x = fmin(l->low.x, x - margin_x);
    l->low.y = fmin(l->low.y, y - margin_y);
    l->high.x = fmax(l->high.x, x + margin_x);
    l->high.y = fmax(l->high.y, y + margin_y);
}

static void measure(ThLayout *l)
{
    l->low = (ThPlotPoint){HUGE_VAL, HUGE_VAL};
    l->high = (ThPlotPoint){-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < l->n_nodes; i++)
        cover(l, l->node[i].x, l->node[i].y, l->radius, l->radius);
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        for (int k = 0; k < a->n_path; k++)
            cover(l, a->path[k].x, a->path[k].y, 0, 0);
        if (a->label_width > 0)
            cover(l, a->label.x, a->label.y, CHARACTER * a->label_width / 2, label_height(a) / 2);
    }
}

/* ---- the circle ------------------------------------------------------------------------------ */

static ThPlotPoint polar(ThPlotPoint centre, double angle, double distance)
{
    return (ThPlotPoint){centre.x + distance * cos(angle), centre.y + distance * sin(angle)};
}

/* A loop points away from the middle. */
static void place_loop(const ThLayout *l, ThLayoutArc *a, double outwards)
{
    ThPlotPoint c = l->node[a->to];
    double spread = 0.45, reach = 2.6 * l->radius + 0.25;
    a->path[0] = polar(c, outwards - spread, l->radius);
    a->path[1] = polar(c, outwards - spread, reach);
    a->path[2] = polar(c, outwards + spread, reach);
    a->path[3] = polar(c, outwards + spread, l->radius);
    a->label =
        polar(c, outwards, 0.78 * reach + 0.6 * label_height(a) + CHARACTER * a->label_width / 4);
}

/* An arc between two states bends to its left, so that the way back stays apart. */
static void place_arc(const ThLayout *l, ThLayoutArc *a)
{
    ThPlotPoint from = l->node[a->from], to = l->node[a->to];
    double length = hypot(to.x - from.x, to.y - from.y),
           angle = atan2(to.y - from.y, to.x - from.x);
    double lift = 0.12 * length + 0.1;
    a->path[0] = polar(from, angle + 0.35, l->radius);
    a->path[3] = polar(to, angle + 3.14159265 - 0.35, l->radius);
    a->path[1] = polar(mix(a->path[0], a->path[3], 0.3), angle + 1.5707963, lift);
    a->path[2] = polar(mix(a->path[0], a->path[3], 0.7), angle + 1.5707963, lift);
    a->label = polar(bezier(a->path, 0.5), angle + 1.5707963, 0.6 * label_height(a));
}

static bool place_on_circle(ThLayout *l, ThError *err)
{
    double turn = l->n_nodes > 0 ? 2 * 3.14159265 / l->n_nodes : 0, widest = 0;
    for (int i = 0; i < l->n_arcs; i++)
        widest = fmax(widest, CHARACTER * l->arc[i].label_width);
    double gap = 2 * l->radius + 0.5 + widest;
    double circle = l->n_nodes > 1 ? fmax(gap / (2 * sin(turn / 2)), gap / 2) : 0;
    for (int i = 0; i < l->n_nodes; i++)
        l->node[i] = polar((ThPlotPoint){0, 0}, 3.14159265 - i * turn, circle);
    for (int i = 0; i < l->n_arcs; i++) {
        ThLayoutArc *a = &l->arc[i];
        double outwards = l->n_nodes > 1 ? 3.14159265 - a->to * turn : 1.5707963;
        a->n_path = a->from < 0 ? 2 : 4;
        a->path = th_alloc((size_t)a->n_path, sizeof *a->path, err);
        if (!a->path)
            return false;
        if (a->from < 0) {
            double aside = l->n_nodes > 1 ? outwards + 0.9 : 3.14159265;
            a->path[0] = polar(l->node[a->to], aside, l->radius + 0.4);
            a->path[1] = polar(l->node[a->to], aside, l->radius);
        } else if (a->from == a->to) {
            place_loop(l, a, outwards);
        } else {
            place_arc(l, a);
        }
        if (a->from >= 0 && !flatten(a, err))
            return false;
    }
    return true;
}

/* ---- dot ------------------------------------------------------------------------------------- */

/* As much text as the label has, of one letter. */
static void put_dot_label(ThText *t, const ThLayoutArc *a)
{
    th_text_add(t, a->label_width > 0 ? " [label=\"" : "");
    for (int line = 0; a->label_width > 0 && line < (a->label_lines > 1 ? a->label_lines : 1);
         line++) {
        th_text_add(t, line ? "\\n" : "");
        for (int k = 0; k < a->label_width; k++)
            th_text_add(t, "x");
    }
    th_text_add(t, a->label_width > 0 ? "\"]\n" : "\n");
}

/* Nodes: the states, then a point for the tail of every start arrow.  Where arrows run in circles
 * dot lets that one run backwards that it meets last on its way from the first node: a start. */
static char *dot_script(const ThLayout *l, ThError *err)
{
    ThText t = {0};
    th_text_add(&t, "digraph {\nrankdir=LR; nodesep=0.35; ranksep=0.45\n");
    th_text_printf(&t, "node [shape=circle, fixedsize=true, width=%.3f, label=\"\"]\n",
                   2 * l->radius);
    th_text_add(&t, "edge [dir=none, fontsize=12, fontname=\"DejaVu Sans Mono\"]\n");
    for (int i = 0; i < l->n_arcs; i++)
        if (l->arc[i].from < 0)
            th_text_printf(&t, "%d\n", l->arc[i].to);
    for (int i = 0; i < l->n_nodes; i++)
        th_text_printf(&t, "%d\n", i);
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        if (a->from < 0)
            th_text_printf(&t, "%d [shape=point, width=0.01]\n", l->n_nodes + i);
        th_text_printf(&t, "%d -> %d", a->from < 0 ? l->n_nodes + i : a->from, a->to);
        put_dot_label(&t, a);
    }
    th_text_add(&t, "}\n");
    return th_text_take(&t, err);
}

static ThLayoutArc *find_arc(ThLayout *l, int from, int to)
{
    for (int i = 0; i < l->n_arcs; i++)
        if (l->arc[i].to == to && !l->arc[i].path &&
            (l->arc[i].from == from || (l->arc[i].from < 0 && from == l->n_nodes + i)))
            return &l->arc[i];
    return NULL;
}

/* Reads one line of `dot -Tplain`; lines that are not understood are left out and show up as
 * missing paths later. */
static bool read_edge(ThLayout *l, const char *line, ThError *err)
{
    int from, to, n, used;
    if (sscanf(line, "edge %d %d %d%n", &from, &to, &n, &used) != 3 || n < 4 || n > 100000 ||
        n % 3 != 1)
        return true;
    ThLayoutArc *a = find_arc(l, from, to);
    if (!a)
        return true;
    a->path = th_alloc((size_t)n, sizeof *a->path, err);
    if (!a->path)
        return false;
    a->n_path = n;
    for (int i = 0; i < n; i++) {
        line += used;
        if (sscanf(line, "%lf %lf%n", &a->path[i].x, &a->path[i].y, &used) != 2)
            return true;
    }
    line += used;
    if (a->label_width > 0)
        sscanf(line, " %*s %lf %lf", &a->label.x, &a->label.y);
    return flatten(a, err);
}

static bool read_plain(ThLayout *l, const char *text, bool *complete, ThError *err)
{
    int nodes = 0, index;
    double x, y;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "node %d %lf %lf", &index, &x, &y) == 3) {
            if (index >= 0 && index < l->n_nodes) {
                l->node[index] = (ThPlotPoint){x, y};
                nodes++;
            }
        } else if (!read_edge(l, line, err)) {
            return false;
        }
    }
    *complete = nodes == l->n_nodes;
    for (int i = 0; i < l->n_arcs; i++)
        *complete = *complete && l->arc[i].path;
    return true;
}

/* *placed stays false where dot is missing or fails: a circle will do then. */
static bool place_with_dot(ThLayout *l, bool *placed, ThStop *stop, ThError *err)
{
    static const char *const argv[] = {"dot", "-Tplain", NULL};
    ThError ignored = {0};
    bool missing, ok = true;
    char *script TH_OWNED(free) = dot_script(l, err);
    if (!script)
        return false;
    ThPlotChild c = {.argv = argv, .input = script, .stop = stop};
    bool ran = th_plot_child_run(&c, &missing, &ignored);
    if (!ran && ignored.code == TH_EINTERRUPTED)
        ok = th_fail(err, TH_EINTERRUPTED, "interrupted");
    else if (ran && c.status == 0 && c.output.data)
        ok = read_plain(l, c.output.data, placed, err);
    th_text_free(&c.output);
    th_text_free(&c.messages);
    return ok;
}

bool th_layout_place(ThLayout *l, bool use_dot, ThStop *stop, ThError *err)
{
    bool placed = false;
    if (use_dot && !place_with_dot(l, &placed, stop, err))
        return false;
    if (!placed) {
        for (int i = 0; i < l->n_arcs; i++) {
            free(l->arc[i].path);
            l->arc[i].path = NULL;
        }
        if (!place_on_circle(l, err))
            return false;
    }
    measure(l);
    return true;
}
