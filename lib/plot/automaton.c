#include "plot/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plot/layout.h"

enum {
    MOST_STATES = 300,
    MOST_ARCS = 4000,
    LONGEST_NAME = 12, /* characters of a state's name that are drawn */
    LONGEST_LABEL = 28
};

static const double HEAD = 0.13; /* length of an arrow's head, in inches */

/* ---- labels ---------------------------------------------------------------------------------- */

/* Appends at most `most` characters of a text, with … where it goes on. */
static void add_shortened(ThText *t, const char *text, size_t most)
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

static void add_arc_label(ThText *t, const ThAutomaton *a, const ThArc *arc)
{
    if (t->size > 0)
        th_text_add(t, ", ");
    th_text_add(t, arc->symbol == TH_EPSILON ? "ε" : a->symbol[arc->symbol]);
    if (arc->output != TH_NO_OUTPUT)
        th_text_printf(t, "/%s", a->output[arc->output]);
}

/* The name, and below it what a Moore machine says there. */
static char *state_label(const ThAutomaton *a, int q, ThError *err)
{
    ThText t = {0};
    add_shortened(&t, a->state[q], LONGEST_NAME);
    if (a->moore && a->moore[q] != TH_NO_OUTPUT) {
        th_text_add(&t, "/");
        add_shortened(&t, a->output[a->moore[q]], LONGEST_NAME);
    }
    return th_text_take(&t, err);
}

/* ---- from automaton to layout ---------------------------------------------------------------- */

typedef struct {
    const ThAutomaton *a;
    ThLayout *layout;
    char **label; /* (n_arcs of the layout), NULL for start arrows */
    char **name;  /* (n_states) */
} Drawing;

static void free_drawing(Drawing *d)
{
    for (int i = 0; d->label && d->layout && i < d->layout->n_arcs; i++)
        free(d->label[i]);
    for (int q = 0; d->name && q < d->a->n_states; q++)
        free(d->name[q]);
    free(d->label);
    free(d->name);
    th_layout_free(d->layout);
}

/* Number of drawn arcs out of q: one for each target, however many symbols lead there.  For each,
 * *index (n_states, -1 at first) gets its place. */
static int group_targets(const ThAutomaton *a, int q, int *index, int next)
{
    for (size_t i = a->first[q]; i < a->first[q + 1]; i++)
        if (index[a->arc[i].to] < 0)
            index[a->arc[i].to] = next++;
    return next;
}

static void forget_targets(const ThAutomaton *a, int q, int *index)
{
    for (size_t i = a->first[q]; i < a->first[q + 1]; i++)
        index[a->arc[i].to] = -1;
}

static int count_arcs(const ThAutomaton *a, int *index)
{
    int n = 0;
    for (int q = 0; q < a->n_states; q++) {
        n = group_targets(a, q, index, n);
        forget_targets(a, q, index);
        n += a->start[q];
    }
    return n;
}

static bool label_arcs(Drawing *d, int q, const int *index, int from, int to, ThError *err)
{
    const ThAutomaton *a = d->a;
    ThText *text = th_alloc((size_t)(to - from), sizeof *text, err);
    bool ok = text != NULL;
    for (size_t i = a->first[q]; ok && i < a->first[q + 1]; i++)
        add_arc_label(&text[index[a->arc[i].to] - from], a, &a->arc[i]);
    for (int k = from; ok && k < to; k++) {
        ThText shortened = {0};
        add_shortened(&shortened, text[k - from].data ? text[k - from].data : "", LONGEST_LABEL);
        d->label[k] = th_text_take(&shortened, err);
        ok = d->label[k] != NULL;
        if (ok)
            d->layout->arc[k].label_width = th_utf8_width(d->label[k]);
    }
    for (int k = from; text && k < to; k++)
        th_text_free(&text[k - from]);
    free(text);
    return ok;
}

static bool fill_arcs(Drawing *d, int *index, ThError *err)
{
    int n = 0;
    for (int q = 0; q < d->a->n_states; q++) {
        if (d->a->start[q])
            d->layout->arc[n++] = (ThLayoutArc){.from = -1, .to = q};
        int first = n;
        n = group_targets(d->a, q, index, n);
        for (size_t i = d->a->first[q]; i < d->a->first[q + 1]; i++) {
            int to = d->a->arc[i].to;
            d->layout->arc[index[to]].from = q;
            d->layout->arc[index[to]].to = to;
        }
        if (n > first && !label_arcs(d, q, index, first, n, err))
            return false;
        forget_targets(d->a, q, index);
    }
    return true;
}

static double radius_for(const Drawing *d)
{
    int widest = 1;
    for (int q = 0; q < d->a->n_states; q++) {
        int width = th_utf8_width(d->name[q]);
        widest = width > widest ? width : widest;
    }
    return 0.17 + 0.045 * widest;
}

static bool make_drawing(Drawing *d, ThStop *stop, ThError *err)
{
    const ThAutomaton *a = d->a;
    int *index = th_alloc((size_t)a->n_states, sizeof *index, err);
    d->name = th_alloc((size_t)a->n_states, sizeof *d->name, err);
    bool ok = index && d->name;
    for (int q = 0; ok && q < a->n_states; q++) {
        index[q] = -1;
        d->name[q] = state_label(a, q, err);
        ok = d->name[q] != NULL;
    }
    int n_arcs = ok ? count_arcs(a, index) : 0;
    if (ok && n_arcs > MOST_ARCS)
        ok = th_fail(err, TH_ELIMIT, "%d transitions are too many to draw", n_arcs);
    if (ok) {
        d->layout = th_layout_new(a->n_states, n_arcs, radius_for(d), err);
        d->label = th_alloc((size_t)n_arcs, sizeof *d->label, err);
        ok = d->layout && d->label && fill_arcs(d, index, err) &&
             th_layout_place(d->layout, true, stop, err);
    }
    free(index);
    return ok;
}

/* ---- from layout to figure ------------------------------------------------------------------- */

/* The point of a path at a distance before its end, and the index of the piece that it is on. */
static ThPoint before_end(const ThLayoutArc *a, double distance, int *piece)
{
    for (int i = a->n_path - 1; i > 0; i--) {
        ThPoint p = a->path[i - 1], q = a->path[i];
        double length = hypot(q.x - p.x, q.y - p.y);
        if (length >= distance && length > 0) {
            double t = distance / length;
            *piece = i;
            return (ThPoint){q.x + (p.x - q.x) * t, q.y + (p.y - q.y) * t};
        }
        distance -= length;
    }
    *piece = 1;
    return a->path[0];
}

/* A line to the foot of the head, and the head as a triangle. */
static void put_arcs(ThFigure *f, const ThLayout *l)
{
    th_figure_block(f, "ARCS");
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        int piece;
        ThPoint foot = before_end(a, 0.8 * HEAD, &piece);
        for (int k = 0; k < piece; k++)
            th_figure_printf(f, "%.4f %.4f\n", a->path[k].x, a->path[k].y);
        th_figure_printf(f, "%.4f %.4f\n\n", foot.x, foot.y);
    }
    th_figure_end_block(f);
    th_figure_block(f, "HEADS");
    for (int i = 0; i < l->n_arcs; i++) {
        const ThLayoutArc *a = &l->arc[i];
        int piece;
        ThPoint foot = before_end(a, HEAD, &piece), tip = a->path[a->n_path - 1];
        double dx = 0.36 * (tip.x - foot.x), dy = 0.36 * (tip.y - foot.y);
        th_figure_printf(f, "%.4f %.4f\n%.4f %.4f\n%.4f %.4f\n%.4f %.4f\n\n", tip.x, tip.y,
                         foot.x - dy, foot.y + dx, foot.x + dy, foot.y - dx, tip.x, tip.y);
    }
    th_figure_end_block(f);
}

static bool put_labels(ThFigure *f, const Drawing *d)
{
    bool any = false;
    for (int i = 0; i < d->layout->n_arcs; i++)
        any = any || d->layout->arc[i].label_width > 0;
    if (!any)
        return false;
    th_figure_block(f, "LABELS");
    for (int i = 0; i < d->layout->n_arcs; i++) {
        const ThLayoutArc *a = &d->layout->arc[i];
        if (a->label_width == 0)
            continue;
        th_figure_printf(f, "%.4f %.4f ", a->label.x, a->label.y);
        th_figure_cell(f, d->label[i]);
        th_figure_printf(f, "\n");
    }
    th_figure_end_block(f);
    return true;
}

/* Accepting states have a second circle inside. */
static bool put_states(ThFigure *f, const Drawing *d)
{
    bool accepting = false;
    th_figure_block(f, "STATES");
    for (int q = 0; q < d->a->n_states; q++) {
        th_figure_printf(f, "%.4f %.4f %.4f ", d->layout->node[q].x, d->layout->node[q].y,
                         d->layout->radius);
        th_figure_cell(f, d->name[q]);
        th_figure_printf(f, "\n");
        accepting = accepting || d->a->accept[q];
    }
    th_figure_end_block(f);
    if (accepting) {
        th_figure_block(f, "ACCEPTING");
        for (int q = 0; q < d->a->n_states; q++)
            if (d->a->accept[q])
                th_figure_printf(f, "%.4f %.4f %.4f\n", d->layout->node[q].x, d->layout->node[q].y,
                                 d->layout->radius - 0.045);
        th_figure_end_block(f);
    }
    return accepting;
}

static double set_page(ThFigure *f, const ThLayout *l)
{
    return th_figure_page(f, l->low.x - 0.25, l->high.x + 0.25, l->low.y - 0.25, l->high.y + 0.25);
}

static void draw(ThFigure *f, const char *title, const Drawing *d)
{
    th_figure_begin(f, title, NULL);
    put_arcs(f, d->layout);
    bool labels = put_labels(f, d), accepting = put_states(f, d);
    int size = (int)lround(fmax(4, 10 * set_page(f, d->layout)));
    th_figure_printf(f, "plot $ARCS using 1:2 with lines lw 1 lc rgb '#8a8a8a', \\\n"
                        "     $HEADS using (plain ? NaN : $1):2 with filledcurves closed "
                        "fs solid 1 noborder fc rgb '#6a6a6a', \\\n"
                        "     $STATES using (plain ? NaN : $1):2:3 with circles lw 1.4 "
                        "lc rgb '#0072B2' fs solid 1 border lc rgb '#0072B2' fc rgb '#eef5fa', \\\n"
                        "     $STATES using (plain ? $1 : NaN):2:3 with circles lt 1 fs empty");
    if (accepting)
        th_figure_printf(f, ", \\\n     $ACCEPTING using 1:2:3 with circles lt 1 lw 1 "
                            "fs empty border lc rgb '#0072B2'");
    th_figure_printf(f,
                     ", \\\n     $STATES using 1:2:4 with labels noenhanced font ',%d' "
                     "textcolor rgb '#202020'",
                     size);
    if (labels)
        th_figure_printf(f,
                         ", \\\n     $LABELS using 1:2:3 with labels noenhanced font ',%d' "
                         "textcolor rgb '#A04000'",
                         size);
    th_figure_printf(f, "\n");
}

bool th_plot_automaton(ThFigure *f, const char *title, const ThAutomaton *a, ThStop *stop,
                       ThError *err)
{
    if (a->n_states == 0)
        return th_fail(err, TH_EVALUE, "the automaton has no states");
    if (a->n_states > MOST_STATES) {
        th_fail(err, TH_ELIMIT, "%d states are too many to draw", a->n_states);
        return th_hint(err, "minimize it first, or save it as .dot");
    }
    Drawing d = {.a = a};
    bool ok = make_drawing(&d, stop, err);
    if (ok)
        draw(f, title, &d);
    free_drawing(&d);
    return ok;
}
