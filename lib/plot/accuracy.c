#include "plot/views.h"

#include <math.h>

static void put_scores(ThFigure *f, const ThScore *score, size_t n)
{
    th_figure_block(f, "SCORES");
    for (size_t i = 0; i < n; i++)
        th_figure_printf(f, "%d %.9g %.9g %.9g\n", score[i].tokens, score[i].accuracy, score[i].lo,
                         score[i].hi);
    th_figure_end_block(f);
}

/* Returns the number of lengths whose chance level is known. */
static size_t put_chance(ThFigure *f, const ThScore *score, size_t n)
{
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        known += isfinite(score[i].chance);
    if (known == 0)
        return 0;
    th_figure_block(f, "CHANCE");
    for (size_t i = 0; i < n; i++)
        if (isfinite(score[i].chance))
            th_figure_printf(f, "%d %.9g\n", score[i].tokens, score[i].chance);
    th_figure_end_block(f);
    return known;
}

static void shade(ThFigure *f, const ThModelTraining *training)
{
    if (!training || training->trained_hi <= 0)
        return;
    th_figure_printf(f,
                     "if (!plain) set object 1 rectangle from first %d, graph 0 to first %d, "
                     "graph 1 behind fc rgb '#edf3f8' fs solid noborder\n",
                     training->trained_lo, training->trained_hi);
    th_figure_printf(f,
                     "if (!plain) set label 2 'trained on %d to %d' at first %d, graph 0.03 left "
                     "offset 0.6,0 font ',8' textcolor rgb '#5f7f9a'\n",
                     training->trained_lo, training->trained_hi, training->trained_hi);
}

static void summarize(ThFigure *f, const ThScore *score, size_t n)
{
    double sum = 0, least = 1;
    for (size_t i = 0; i < n; i++) {
        sum += score[i].accuracy;
        least = fmin(least, score[i].accuracy);
    }
    th_figure_subtitle(f, "mean %.4g, least %.4g over %zu length%s; band: 95 %% interval",
                       sum / (double)n, least, n, n == 1 ? "" : "s");
}

bool th_plot_accuracy(ThFigure *f, const char *title, const ThScore *score, size_t n,
                      const ThModelTraining *training, ThError *err)
{
    if (n == 0) {
        th_fail(err, TH_EVALUE, "there is no evaluation to plot");
        return th_hint(err, "evaluate the model first");
    }
    th_figure_begin(f, title, NULL);
    put_scores(f, score, n);
    size_t known = put_chance(f, score, n);
    summarize(f, score, n);
    shade(f, training);
    th_figure_printf(f,
                     "set xlabel 'length' textcolor rgb '#404040'; set xrange [0:%d]\n"
                     "set ylabel 'accuracy' textcolor rgb '#404040'; set yrange [0:1.03]\n"
                     "set ytics 0,0.2,1; set grid ytics lc rgb '#e4e4e4' lw 0.7\n"
                     "set key bottom right; set style fill transparent solid 0.25 noborder\n",
                     score[n - 1].tokens + 1);
    th_figure_axis(f, "x", 0, score[n - 1].tokens);
    th_figure_printf(f, "plot ");
    if (n > 1)
        th_figure_printf(f, "$SCORES using 1:(plain ? NaN : $3):4 with filledcurves lt 1 notitle,"
                            " \\\n     ");
    if (known > 0)
        th_figure_printf(f, "$CHANCE using 1:2 with %s lw 1.5 lt 8 dt 2 title 'chance', \\\n     ",
                         known > 1 ? "lines" : "points pt 6");
    th_figure_printf(f, "$SCORES using 1:2 with %s lt 1 lw 1.8 pt 7 ps 0.45 title 'accuracy'\n",
                     n > 1 && n <= 60 ? "linespoints" : (n > 1 ? "lines" : "points"));
    return true;
}
