#include "plot/tex.h"

#include <ctype.h>
#include <math.h>

#include "plot/graph/draw_graph.h"

static const char heading[] =
    "% A figure for LaTeX: \\input it in a document that has\n"
    "% \\usepackage{gnuplot-lua-tikz}, which comes with gnuplot.  Letters beyond\n"
    "% those of Latin need lualatex or xelatex.\n";

/* What TeX would act upon, and characters that not every font of its has. */
static const struct {
    const char *text, *tex;
} escapes[] = {{"\\", "\\textbackslash{}"},
               {"{", "\\{"},
               {"}", "\\}"},
               {"$", "\\$"},
               {"&", "\\&"},
               {"#", "\\#"},
               {"%", "\\%"},
               {"_", "\\_"},
               {"^", "\\textasciicircum{}"},
               {"~", "\\textasciitilde{}"},
               {"\"", "\\char34{}"},
               {"<", "\\textless{}"},
               {">", "\\textgreater{}"},
               {"|", "\\textbar{}"},
               {"·", "$\\cdot$"},
               {"×", "$\\times$"},
               {"→", "$\\rightarrow$"},
               {"≤", "$\\leq$"},
               {"≥", "$\\geq$"},
               {"ε", "$\\varepsilon$"},
               {"λ", "$\\lambda$"},
               {"∅", "$\\emptyset$"},
               {"␣", "\\textvisiblespace{}"},
               {"…", "\\ldots{}"},
               {"⁰", "$^0$"},
               {"¹", "$^1$"},
               {"²", "$^2$"},
               {"³", "$^3$"},
               {"⁴", "$^4$"},
               {"⁵", "$^5$"},
               {"⁶", "$^6$"},
               {"⁷", "$^7$"},
               {"⁸", "$^8$"},
               {"⁹", "$^9$"},
               {"⁻", "$^-$"}};

static const char *escape_of(const char *c, size_t n)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (strlen(escapes[i].text) == n && memcmp(escapes[i].text, c, n) == 0)
            return escapes[i].tex;
    return NULL;
}

/* Would TeX make one sign of these two, as -- becomes a dash? */
static bool joins(char a, char b)
{
    return (strchr("-`',", a) && a == b) || (strchr("?!", a) && b == '`');
}

static void put_text(ThText *to, const char *text, size_t n)
{
    if (n > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9') {
        th_text_add(to, "$-$");
        text++;
        n--;
    }
    while (n > 0) {
        size_t size = th_utf8_next(text, n, NULL);
        size = size > 0 ? size : 1;
        const char *tex = escape_of(text, size);
        if (tex)
            th_text_add(to, tex);
        else
            th_text_add_bytes(to, text, size);
        if (n > 1 && joins(text[0], text[1]))
            th_text_add(to, "{}");
        text += size;
        n -= size;
    }
}

/* Where the text of a line \node[…] at (…) {…}; is; false: the line has none. */
static bool find_text(const char *line, size_t n, size_t *from, size_t *to)
{
    static const char node[] = "\\node[gp node ", at[] = " at (", open[] = ") {", close[] = "};";
    if (n < sizeof node - 1 || memcmp(line, node, sizeof node - 1) != 0)
        return false;
    const char *place = strstr(line, at), *text = place ? strstr(place, open) : NULL;
    *to = n - (sizeof close - 1);
    *from = text ? (size_t)(text - line) + sizeof open - 1 : n;
    return *from <= *to && memcmp(line + *to, close, sizeof close - 1) == 0;
}

void th_plot_tex_graph(ThText *to, const char *inside, double scale, double font_size)
{
    th_text_add(to, "% A drawing for LaTeX: \\input it in a document that has\n"
                    "% \\usepackage{tikz} \\usetikzlibrary{automata,arrows.meta}\n"
                    "\\begin{tikzpicture}[");
    if (font_size > 0)
        th_text_printf(to, "font=\\fontsize{%g}{%g}\\selectfont, ", font_size, 1.2 * font_size);
    if (scale < 0.995 || scale > 1.005)
        th_text_printf(to, "scale=%.2f, transform shape,", scale);
    th_text_add(to, "\n");
    th_text_add(to, inside);
}

void th_plot_tex(ThText *to, const char *tikz)
{
    th_text_add(to, heading);
    for (const char *line = tikz; *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n"), from, end;
        if (strncmp(line, "%%", 2) == 0) {
            line += n;
            continue;
        }
        bool texts = find_text(line, n, &from, &end);
        th_text_add_bytes(to, line, texts ? from : n);
        if (texts) {
            put_text(to, line + from, end - from);
            th_text_add_bytes(to, line + end, n - end);
        }
        th_text_add(to, "\n");
        line += n;
    }
}

/* ---- graphs: TikZ that a person goes on with ---- */

/* A line a state, with its place, and a line an arrow, which names its two states and how it bends;
 * TeX draws the rest.  An arrow of dot's becomes an arc that is as far from the straight line as
 * dot's is at most. */
static const double CM = 2.54;       /* an inch */
static const double STRAIGHT = 0.04; /* inches that a straight line may be off */

/* Are all names words that TikZ takes for names of nodes? */
static bool names_do(const ThPlotGraph *g)
{
    for (int q = 0; q < g->n_nodes; q++) {
        const char *c = g->node[q].name.data;
        if (!c || !*c)
            return false;
        for (; *c; c++)
            if (!isalnum((unsigned char)*c))
                return false;
    }
    return true;
}

static void put_node_name(ThText *t, const ThPlotGraph *g, int q)
{
    if (names_do(g))
        th_text_add(t, g->node[q].name.data);
    else
        th_text_printf(t, "s%d", q);
}

/* A letter with a number is a variable with an index, as q0. */
static void put_name(ThText *t, const ThText *name)
{
    const char *text = th_text_string(name);
    size_t digits = text[0] ? strspn(text + 1, "0123456789") : 0;
    if (isalpha((unsigned char)text[0]) && digits > 0 && text[1 + digits] == '\0')
        th_text_printf(t, "$%c_{%s}$", text[0], text + 1);
    else
        put_text(t, text, strlen(text));
}

static const char *side_of(double x, double y)
{
    if (fabs(x) >= fabs(y))
        return x > 0 ? "right" : "left";
    return y > 0 ? "above" : "below";
}

static const char *start_side(const ThLayout *l, int q)
{
    for (int i = 0; i < l->n_arcs; i++)
        if (l->arc[i].from < 0 && l->arc[i].to == q)
            return side_of(l->arc[i].path[0].x - l->node[q].x, l->arc[i].path[0].y - l->node[q].y);
    return "left";
}

static void put_node(ThText *t, const ThPlotGraph *g, const ThLayout *l, int q)
{
    static const char *const look[] = {"", ", accepting", ", accepting, fill=black!10",
                                       ", fill=red!10"};
    static const char *const fill[] = {"",
                                       ", fill=yellow!60",
                                       ", fill=blue!20",
                                       ", fill=orange!30",
                                       ", fill=green!25",
                                       ", fill=magenta!20",
                                       ", fill=yellow!30",
                                       ", fill=olive!25",
                                       ", fill=black!15",
                                       ", fill=violet!20"};
    const ThPlotGraphNode *x = &g->node[q];
    if (x->hidden)
        return;
    th_text_add(t, "  \\node[state");
    if (x->start && !x->waits)
        th_text_printf(t, ", initial %s", start_side(l, q));
    th_text_printf(t, "%s%s] (", look[x->look],
                   fill[x->mark > 1 ? 2 + (x->mark - 2) % 8 : x->mark]);
    put_node_name(t, g, q);
    th_text_printf(t, ") at (%.2f,%.2f) {", CM * (l->node[q].x - l->low.x),
                   CM * (l->node[q].y - l->low.y));
    put_name(t, &x->name);
    th_text_add(t, "};\n");
}

/* How far the path is to the left of the straight line, where it is farthest from it. */
static double deviation(const ThLayoutArc *a, ThPlotPoint from, ThPlotPoint to)
{
    double length = hypot(to.x - from.x, to.y - from.y), most = 0;
    for (int k = 0; k < a->n_path && length > 0; k++) {
        double left = ((to.x - from.x) * (a->path[k].y - from.y) -
                       (to.y - from.y) * (a->path[k].x - from.x)) /
                      length;
        most = fabs(left) > fabs(most) ? left : most;
    }
    return most;
}

/* TikZ's `bend left=t` leaves the rim at the angle t, and its control points are 0.3915 of the way
 * from rim to rim away, three quarters of which the curve's middle reaches. */
static double way_between(double distance, double radius, double t)
{
    return 0.75 * 0.3915 * fmax(distance - 2 * radius * cos(t), 0.1);
}

static double bend_height(double distance, double radius, double t)
{
    return sin(t) * (radius + way_between(distance, radius, t));
}

static void put_bend(ThText *t, const ThLayout *l, const ThLayoutArc *a, double left)
{
    const double degree = acos(-1) / 180, steepest = 64 * degree;
    ThPlotPoint from = l->node[a->from], to = l->node[a->to];
    double distance = hypot(to.x - from.x, to.y - from.y), low = 0, high = steepest;
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;
        *(bend_height(distance, l->radius, middle) < fabs(left) ? &low : &high) = middle;
    }
    th_text_printf(t, "bend %s=%.0f", left > 0 ? "left" : "right", high / degree);
    if (bend_height(distance, l->radius, steepest) < fabs(left))
        th_text_printf(t, ", looseness=%.2f",
                       (fabs(left) / sin(steepest) - l->radius) /
                           way_between(distance, l->radius, steepest));
}

/* Is the label on the right of the arrow?  That of an arc is outside. */
static bool swapped(const ThLayoutArc *a, double left)
{
    if (fabs(left) >= STRAIGHT)
        return left < 0;
    int k = a->n_path / 2;
    ThPlotPoint p = a->path[k > 0 ? k - 1 : 0], q = a->path[k + 1 < a->n_path ? k + 1 : k];
    return (q.x - p.x) * (a->label.y - p.y) - (q.y - p.y) * (a->label.x - p.x) < 0;
}

/* `\\{}` ends a line whatever the next begins with: `\\*` and `\\[` mean something else. */
static void put_label(ThText *t, const ThText *label)
{
    const char *at = th_text_string(label);
    for (int k = 0; *at && k < TH_PLOT_LABEL_LINES; k++) {
        size_t n = strcspn(at, "\n");
        ThText whole TH_OWNED(th_text_free) = {0}, line TH_OWNED(th_text_free) = {0};
        th_text_add_bytes(&whole, at, n);
        if (k + 1 == TH_PLOT_LABEL_LINES && at[n])
            th_text_add(&line, "…");
        else
            th_plot_add_shortened(&line, th_text_string(&whole), TH_PLOT_LABEL_LONGEST);
        th_text_add(t, k ? " \\\\{} " : "");
        put_text(t, th_text_string(&line), line.size);
        t->failed |= whole.failed || line.failed;
        at += n + (at[n] == '\n');
    }
}

static void put_arc(ThText *t, const ThPlotGraph *g, const ThLayout *l, const ThPlotGraphArc *x,
                    const ThLayoutArc *a)
{
    ThPlotPoint mid = a->path[a->n_path / 2], at = l->node[a->from];
    bool loop = a->from == a->to;
    double left = loop ? 0 : deviation(a, at, l->node[a->to]);
    if (x->hidden)
        return;
    th_text_add(t, "    (");
    put_node_name(t, g, a->from);
    th_text_add(t, ") edge[");
    if (loop)
        th_text_printf(t, "loop %s", side_of(mid.x - at.x, mid.y - at.y));
    else if (fabs(left) >= STRAIGHT)
        put_bend(t, l, a, left);
    th_text_printf(t, "] node%s {", !loop && x->label.size > 0 && swapped(a, left) ? "[swap]" : "");
    put_label(t, &x->label);
    th_text_add(t, "} (");
    put_node_name(t, g, a->to);
    th_text_add(t, ")\n");
}

void th_plot_graph_tikz(ThFigure *f, const ThPlotGraph *g, const ThLayout *l)
{
    ThText *t = &f->tikz;
    f->tikz_width = CM * (l->high.x - l->low.x);
    f->tikz_height = CM * (l->high.y - l->low.y);
    th_text_printf(t,
                   "    auto, >=Stealth, initial text=, every node/.append style={align=center},\n"
                   "    every state/.style={minimum size=%.2fcm, inner sep=1pt}]\n",
                   2 * CM * l->radius);
    for (int q = 0; q < g->n_nodes; q++)
        put_node(t, g, l, q);
    int starts = l->n_arcs - (int)g->n_arcs;
    size_t shown = 0;
    for (size_t i = 0; i < g->n_arcs; i++)
        shown += !g->arc[i].hidden;
    th_text_add(t, shown > 0 ? "  \\path[->]\n" : "");
    for (size_t i = 0; i < g->n_arcs; i++)
        put_arc(t, g, l, &g->arc[i], &l->arc[starts + (int)i]);
    th_text_add(t, shown > 0 ? "    ;\n" : "");
    if (g->caption) {
        th_text_add(t, "  \\node[below] at (current bounding box.south) {");
        put_text(t, g->caption, strlen(g->caption));
        th_text_add(t, "};\n");
    }
    th_text_add(t, "\\end{tikzpicture}\n");
}
