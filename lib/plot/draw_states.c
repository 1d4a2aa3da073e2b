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

/* ---- stages of a training until proved ---- */

/* A figure of a stage; 0: not known. */
typedef struct {
    const char *name, *title, *style;
    double (*of)(const ThModelStage *s);
} Series;

static double gap_of(const ThModelStage *s)
{
    return s->gap;
}

static double spread_of(const ThModelStage *s)
{
    return s->reach * s->gap;
}

static double excess_of(const ThModelStage *s)
{
    return s->excess;
}

static const Series series[] = {
    {"GAP", "between centres, mean", "lw 1.8 lt 1 pt 5 ps 0.5", gap_of},
    {"SPREAD", "farthest vector from its centre", "lw 1.8 lt 2 pt 7 ps 0.5", spread_of},
    {"EXCESS", "worst pair of sets, beside its room", "lw 1.8 lt 3 pt 9 ps 0.6", excess_of}};
enum { N_SERIES = sizeof series / sizeof *series };

/* Puts the points of a series down; what is not known breaks the line. */
static int put(ThFigure *f, const Series *v, const ThModelTraining *t, double *least, double *most)
{
    int n = 0;
    th_figure_printf(f, "$%s << TH_EOD\n", v->name);
    for (size_t i = 0; i < t->n_stages; i++) {
        double y = v->of(&t->stage[i]);
        if (!(y > 0)) {
            th_figure_printf(f, "\n");
            continue;
        }
        th_figure_printf(f, "%lld %.6g\n", t->stage[i].step, y);
        *least = fmin(*least, y);
        *most = fmax(*most, y);
        n++;
    }
    th_figure_printf(f, "TH_EOD\n");
    return n;
}

bool th_plot_stages(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                    ThError *err)
{
    const ThModelTraining *t = model->training;
    double least = 0.5, most = 2;
    int has[N_SERIES];
    if (n != 1)
        return th_fail(err, TH_EUSAGE, "stages are drawn of one model");
    if (t->n_stages < 2)
        return th_fail(err, TH_EVALUE, "%s was not trained until proved", model->name) ||
               th_hint(err, "train it with until=proved");
    th_figure_begin(f, title, NULL);
    for (int i = 0; i < N_SERIES; i++)
        has[i] = put(f, &series[i], t, &least, &most);
    th_figure_printf(f, "set xlabel 'step' textcolor rgb '#404040'; set xrange [0:*]\n"
                        "set grid ytics lc rgb '#e4e4e4' lw 0.7\n"
                        "set key outside bottom center horizontal\n");
    th_figure_axis(f, "x", 0, (double)t->stage[t->n_stages - 1].step);
    th_figure_log_axis(f, "y", least / 1.5, most * 1.5);
    /* At 1 the worst pair of sets has just the room that it needs. */
    th_figure_printf(f, "plot 1 with lines lw 1 dt 2 lc rgb '#808080' title 'room'");
    for (int i = 0; i < N_SERIES; i++)
        if (has[i] > 0)
            th_figure_printf(f, ", \\\n     $%s using 1:2 with linespoints %s title '%s'",
                             series[i].name, series[i].style, series[i].title);
    th_figure_printf(f, "\n");
    return true;
}
