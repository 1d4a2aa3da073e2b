/* draw_stages.c - how a training until proved went. */
#include <math.h>

#include "plot/views.h"

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
    th_figure_printf(f, "$%s << EOD\n", v->name);
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
    th_figure_printf(f, "EOD\n");
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
