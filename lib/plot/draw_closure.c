#include "plot/views.h"

#include <math.h>

static void put(ThFigure *f, double x)
{
    if (isfinite(x))
        th_figure_printf(f, " %.9g", x);
    else
        th_figure_printf(f, " NaN"); /* what gnuplot leaves out */
}

static void put_levels(ThFigure *f, const ThProofClosure *c)
{
    th_figure_block(f, "LEVELS");
    for (int i = 0; i < c->levels; i++) {
        const ThProofClosureLevel *l = &c->level[i];
        const double number[] = {l->radius, l->gap, l->at, l->between};
        th_figure_printf(f, "%d", i + 1);
        for (int k = 0; k < 4; k++)
            put(f, number[k]);
        th_figure_printf(f, " %d %lld\n", l->clusters, l->wrong);
    }
    th_figure_end_block(f);
}

void th_plot_closure(ThFigure *f, const char *title, const ThProofClosure *c)
{
    th_figure_begin(f, title, NULL);
    put_levels(f, c);
    if (c->first < 0)
        th_figure_subtitle(f, "every product that was tried stays in its cluster");
    else
        th_figure_subtitle(f, "products leave their clusters from level %d on", c->first + 1);
    th_figure_printf(f, "set xtics ()\n");
    th_figure_printf(
        f,
        "set border 11; set xrange [0.5:%d.5]\n"
        "set xlabel 'level, and below it the number of clusters' offset 0,-1 textcolor "
        "rgb '#404040'\n"
        "set ylabel 'distance' textcolor rgb '#404040'; set yrange [0:*]\n"
        "set y2label 'slope |Jx| + |Jy|' textcolor rgb '#404040'\n"
        "set y2range [0:*]; set y2tics textcolor rgb '#404040'\n"
        "set grid ytics lc rgb '#e4e4e4' lw 0.7\n"
        "set key bmargin center horizontal; set bmargin 7.5\n"
        "set offsets 0, 0, graph 0.08, 0\n",
        c->levels);
    for (int i = 0; i < c->levels; i += 1 + c->levels / 30)
        th_figure_printf(f, "set xtics add (\"%d\\n%d\" %d)\n", i + 1, c->level[i].clusters, i + 1);
    th_figure_printf(f,
                     "plot $LEVELS using 1:3 with linespoints lt 3 lw 2 pt 7 ps 0.6 title 'gap', "
                     "\\\n     $LEVELS using 1:2 with linespoints lt 1 lw 2 pt 5 ps 0.6 title "
                     "'radius', "
                     "\\\n     $LEVELS using 1:4 axes x1y2 with linespoints lt 2 lw 1.6 dt 2 pt 9 "
                     "ps 0.6 title 'slope at the middles', "
                     "\\\n     $LEVELS using 1:5 axes x1y2 with linespoints lt 4 lw 1.6 dt 3 pt "
                     "11 ps 0.6 title 'slope between clusters'\n");
}
