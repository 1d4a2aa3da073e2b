#include "plot/views.h"

#include <math.h>

/* The limits of the axes: of the steps, and of the positive losses. */
typedef struct {
    double steps, least, most;
} Extent;

static void put_history(ThFigure *f, const ThPlotModel *m, size_t number, Extent *e)
{
    th_figure_printf(f, "$HISTORY%zu << TH_EOD\n", number);
    for (size_t i = 0; i < m->training->n_history; i++) {
        const ThModelHistoryPoint *p = &m->training->history[i];
        th_figure_printf(f, "%lld %.9g %.9g\n", p->step, p->loss, p->accuracy);
        e->steps = fmax(e->steps, (double)p->step);
        e->least = p->loss > 0 ? fmin(e->least, p->loss) : e->least;
        e->most = fmax(e->most, p->loss);
    }
    th_figure_end_block(f);
    if (m->training->n_validations == 0)
        return;
    th_figure_printf(f, "$VALIDATION%zu << TH_EOD\n", number);
    for (size_t i = 0; i < m->training->n_validations; i++)
        th_figure_printf(f, "%lld %.9g %.9g\n", m->training->validation[i].step,
                         m->training->validation[i].loss, m->training->validation[i].accuracy);
    th_figure_end_block(f);
}

static void set_axes(ThFigure *f, const Extent *e)
{
    th_figure_printf(f, "set xlabel 'step' textcolor rgb '#404040'; set xrange [0:*]\n"
                        "set ylabel 'loss (nats)' textcolor rgb '#404040'\n"
                        "set grid ytics lc rgb '#e4e4e4' lw 0.7\n");
    if (e->most > 0) {
        double lo = e->least / 1.1, hi = e->most * 1.1;
        th_figure_log_axis(f, "y", lo, hi);
        th_figure_printf(f, "set yrange [%.9g:%.9g]\n", lo, hi);
    }
    th_figure_axis(f, "x", 0, e->steps);
}

static const char *style_of(const ThPlotModel *m)
{
    return m->training->n_history > 1 ? "lines" : "points pt 7";
}

static void draw_one(ThFigure *f, const ThPlotModel *m)
{
    const ThModelHistoryPoint *last = &m->training->history[m->training->n_history - 1];
    th_figure_subtitle(f, "after %lld steps: loss %.3g, accuracy %.3g", last->step, last->loss,
                       last->accuracy);
    th_figure_printf(f, "set border 11\n"
                        "set ylabel 'loss (nats)' textcolor rgb '#0072B2'\n"
                        "set y2label 'accuracy' textcolor rgb '#D55E00'\n"
                        "set y2range [0:1.02]; set y2tics 0,0.2,1 textcolor rgb '#404040'\n"
                        "set key outside bottom center horizontal\n");
    th_figure_printf(f,
                     "plot $HISTORY0 using 1:3 axes x1y2 with %s lw 1.6 lt 2 dt 2 title "
                     "'accuracy', \\\n     $HISTORY0 using 1:2 with %s lw 2 lt 1 title 'loss'",
                     style_of(m), style_of(m));
    if (m->training->n_validations > 0)
        th_figure_printf(f,
                         ", \\\n     $VALIDATION0 using 1:3 axes x1y2 with linespoints lw 1.6 lt "
                         "3 pt 7 ps 0.6 title 'accuracy in validation'");
    th_figure_printf(f, "\n");
}

/* Dashes tell the lines apart where there is no colour. */
static void draw_several(ThFigure *f, const ThPlotModel *model, size_t n)
{
    th_figure_printf(f, "set key outside right top Left reverse\n");
    for (size_t i = 0; i < n; i++) {
        th_figure_printf(f, "%s $HISTORY%zu using 1:2 with %s lw 1.8 lt %zu dt %zu title ",
                         i == 0 ? "plot" : ", \\\n    ", i, style_of(&model[i]), i % 8 + 1,
                         i % 5 + 1);
        th_figure_string(f, model[i].name);
    }
    th_figure_printf(f, "\n");
}

bool th_plot_loss(ThFigure *f, const char *title, const ThPlotModel *model, size_t n, ThError *err)
{
    for (size_t i = 0; i < n; i++) {
        if (model[i].training->n_history > 0)
            continue;
        th_fail(err, TH_EVALUE, "there is no training%s%s to plot", n > 1 ? " of " : "",
                n > 1 ? model[i].name : "");
        return th_hint(err, "train the model first");
    }
    Extent e = {.least = HUGE_VAL};
    th_figure_begin(f, title, NULL);
    for (size_t i = 0; i < n; i++)
        put_history(f, &model[i], i, &e);
    set_axes(f, &e);
    if (n == 1)
        draw_one(f, model);
    else
        draw_several(f, model, n);
    return true;
}
