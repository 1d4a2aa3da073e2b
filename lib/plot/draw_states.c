#include "plot/views.h"

#include <math.h>

typedef struct {
    double steps;
    int states; /* the most of both */
} Extent;

/* Where no automaton was found a blank line breaks the line. */
static void put_comparisons(ThFigure *f, const ThPlotModel *m, size_t number, Extent *e)
{
    th_figure_printf(f, "$STATES%zu << TH_EOD\n", number);
    for (size_t i = 0; i < m->training->n_comparisons; i++) {
        const ThModelComparison *c = &m->training->comparison[i];
        if (c->states > 0)
            th_figure_printf(f, "%lld %d\n", c->step, c->states);
        else
            th_figure_printf(f, "\n");
        e->steps = fmax(e->steps, (double)c->step);
        e->states = c->states > e->states ? c->states : e->states;
    }
    th_figure_end_block(f);
}

static void put_wrong(ThFigure *f, const ThPlotModel *m)
{
    th_figure_printf(f, "$WRONG << TH_EOD\n");
    for (size_t i = 0; i < m->training->n_comparisons; i++) {
        const ThModelComparison *c = &m->training->comparison[i];
        th_figure_printf(f, "%lld %.9g\n", c->step, (double)c->wrong / (double)c->words);
    }
    th_figure_end_block(f);
}

static void draw_one(ThFigure *f, const ThPlotModel *m)
{
    const ThModelComparison *last = &m->training->comparison[m->training->n_comparisons - 1];
    th_figure_subtitle(f, "after %lld steps %lld of %lld words wrong", last->step, last->wrong,
                       last->words);
    th_figure_printf(f, "set border 11\n"
                        "set ylabel 'states' textcolor rgb '#0072B2'\n"
                        "set y2label 'share of words wrong' textcolor rgb '#D55E00'\n"
                        "set y2range [0:*]; set y2tics textcolor rgb '#404040'\n"
                        "set key outside bottom center horizontal\n"
                        "plot $WRONG using 1:2 axes x1y2 with linespoints lw 1.6 lt 2 dt 2 pt 7 "
                        "ps 0.4 title 'wrong', \\\n"
                        "     $STATES0 using 1:2 with linespoints lw 2 lt 1 pt 5 ps 0.5 title "
                        "'states'\n");
}

static void draw_several(ThFigure *f, const ThPlotModel *model, size_t n)
{
    th_figure_printf(f, "set key outside right top Left reverse\n");
    for (size_t i = 0; i < n; i++) {
        th_figure_printf(f,
                         "%s $STATES%zu using 1:2 with linespoints lw 1.8 lt %zu dt %zu pt 7 ps "
                         "0.5 title ",
                         i == 0 ? "plot" : ", \\\n    ", i, i % 8 + 1, i % 5 + 1);
        th_figure_string(f, model[i].name);
    }
    th_figure_printf(f, "\n");
}

bool th_plot_states(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                    ThError *err)
{
    enum { FEW = 10 };
    Extent e = {0};
    for (size_t i = 0; i < n; i++) {
        if (model[i].training->n_comparisons > 0)
            continue;
        th_fail(err, TH_EVALUE, "%s was not compared while it was trained", model[i].name);
        return th_hint(err, "train it with counterexamples=");
    }
    th_figure_begin(f, title, NULL);
    for (size_t i = 0; i < n; i++)
        put_comparisons(f, &model[i], i, &e);
    put_wrong(f, model);
    th_figure_printf(f, "set xlabel 'step' textcolor rgb '#404040'; set xrange [0:*]\n"
                        "set ylabel 'states' textcolor rgb '#404040'; set yrange [0:*]\n"
                        "set grid ytics lc rgb '#e4e4e4' lw 0.7\n");
    th_figure_axis(f, "x", 0, e.steps);
    if (e.states <= FEW)
        th_figure_printf(f, "set ytics 1\n");
    if (n == 1)
        draw_one(f, model);
    else
        draw_several(f, model, n);
    return true;
}
