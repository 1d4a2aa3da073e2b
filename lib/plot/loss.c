#include "plot/views.h"

#include <math.h>

bool th_plot_loss(ThFigure *f, const char *title, const ThModelTraining *training, ThError *err)
{
    if (training->n_history == 0) {
        th_fail(err, TH_EVALUE, "there is no training to plot");
        return th_hint(err, "train the model first");
    }
    double least = HUGE_VAL, most = 0; /* of the positive losses: the axis is logarithmic */
    th_figure_begin(f, title, NULL);
    th_figure_block(f, "HISTORY");
    for (size_t i = 0; i < training->n_history; i++) {
        const ThModelHistoryPoint *p = &training->history[i];
        th_figure_printf(f, "%lld %.9g %.9g\n", p->step, p->loss, p->accuracy);
        least = p->loss > 0 ? fmin(least, p->loss) : least;
        most = fmax(most, p->loss);
    }
    th_figure_end_block(f);
    const ThModelHistoryPoint *last = &training->history[training->n_history - 1];
    th_figure_subtitle(f, "after %lld steps: loss %.3g, accuracy %.3g", last->step, last->loss,
                       last->accuracy);
    th_figure_printf(f, "set border 11\n"
                        "set xlabel 'step' textcolor rgb '#404040'; set xrange [0:*]\n"
                        "set ylabel 'loss (nats)' textcolor rgb '#0072B2'\n"
                        "set y2label 'accuracy' textcolor rgb '#D55E00'\n"
                        "set y2range [0:1.02]; set y2tics 0,0.2,1 textcolor rgb '#404040'\n"
                        "set grid ytics lc rgb '#e4e4e4' lw 0.7\n"
                        "set key outside bottom center horizontal\n");
    if (most > 0) {
        th_figure_log_axis(f, "y", least, most);
        th_figure_printf(f, "set yrange [%.9g:%.9g]\n", least / 1.1, most * 1.1);
    }
    th_figure_axis(f, "x", 0, (double)last->step);
    const char *style = training->n_history > 1 ? "lines" : "points pt 7";
    th_figure_printf(f,
                     "plot $HISTORY using 1:3 axes x1y2 with %s lw 1.6 lt 2 dt 1 title 'accuracy',"
                     " \\\n     $HISTORY using 1:2 with %s lw 2 lt 1 title 'loss'\n",
                     style, style);
    return true;
}
