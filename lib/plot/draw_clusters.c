#include <math.h>

#include "plot/views.h"

enum { MOST_NAMED = 12 };

static void put_points(ThFigure *f, const ThClusters *c)
{
    for (int k = 0; k < c->n_functions; k++) {
        th_figure_printf(f, "$F%d << TH_EOD\n", k);
        for (int i = 0; i < c->n_points; i++)
            if (c->point[i].function == k)
                th_figure_printf(f, "%.9g %.9g %d\n", c->point[i].x, c->point[i].y,
                                 c->point[i].layer);
        th_figure_end_block(f);
    }
}

static void put_key(ThFigure *f, const ThClusters *c, int k)
{
    if (k < MOST_NAMED) {
        th_figure_printf(f, "title ");
        th_figure_string(f, c->function[k]);
    } else if (k == MOST_NAMED) {
        th_figure_printf(f, "title '… and %d more'", c->n_functions - MOST_NAMED);
    } else {
        th_figure_printf(f, "notitle");
    }
}

/* The second component is not blown up to the size of the first, where it is next to nothing. */
static void limit_height(ThFigure *f, const ThClusters *c)
{
    double low[] = {c->point->x, c->point->y}, high[] = {c->point->x, c->point->y};
    for (int i = 0; i < c->n_points; i++) {
        const double at[] = {c->point[i].x, c->point[i].y};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    double least = 0.3 * (high[0] - low[0]), middle = (low[1] + high[1]) / 2;
    if (high[1] - low[1] < least)
        th_figure_printf(f, "set yrange [%.9g:%.9g]\n", middle - least / 2, middle + least / 2);
}

bool th_plot_clusters(ThFigure *f, const char *title, const ThClusters *c, ThError *err)
{
    static const int shape[] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};
    if (c->n_points == 0)
        return th_fail(err, TH_EVALUE, "there are no vectors to plot");
    th_figure_begin(f, title, NULL);
    put_points(f, c);
    th_figure_subtitle(f, "%d vectors of %d level%s: %d cluster%s found, purity %.3g", c->n_points,
                       c->n_layers, c->n_layers == 1 ? "" : "s", c->n_clusters,
                       c->n_clusters == 1 ? "" : "s", c->purity);
    th_figure_printf(f,
                     "set xlabel 'first principal component (%.3g %% of the variance)' "
                     "textcolor rgb '#404040'\n"
                     "set ylabel 'second principal component (%.3g %%)' textcolor rgb '#404040'\n"
                     "set offsets graph 0.06, graph 0.06, graph 0.06, graph 0.06\n"
                     "if (!plain) set grid lc rgb '#ececec' lw 0.7\n"
                     "set key outside right top title \"segments\\nthat act as\" font ',9'\n"
                     "big(level) = 0.55 + %.3g * level\n",
                     100 * c->variance[0], 100 * c->variance[1],
                     1.1 / (c->n_layers > 1 ? c->n_layers - 1 : 1));
    limit_height(f, c);
    for (int k = 0; k < c->n_functions; k++) {
        th_figure_printf(f,
                         "%s $F%d using 1:2:(big($3)) with points pt %d ps variable lt %d lw 0.6 ",
                         k == 0 ? "plot" : ", \\\n    ", k,
                         shape[k % (int)(sizeof shape / sizeof *shape)], k % 8 + 1);
        put_key(f, c, k);
    }
    th_figure_printf(f, "\n");
    return true;
}
