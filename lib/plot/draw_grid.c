/* Means in a grid: a shade and a number a cell. */
#include <math.h>

#include "plot/views.h"

static void put_tics(ThFigure *f, const char *axis, char *const *name, int n)
{
    th_figure_printf(f, "set %stics scale 0 noenhanced font ',9' (", axis);
    for (int i = 0; i < n; i++) {
        th_figure_tic(f, name[i]);
        th_figure_printf(f, " %d%s", i, i + 1 < n ? ", " : "");
    }
    th_figure_printf(f, ")\n");
}

static void put_cells(ThFigure *f, const ThPlotGrid *g)
{
    th_figure_block(f, "CELLS");
    for (int i = 0; i < g->rows * g->columns; i++)
        if (!isnan(g->share[i]))
            th_figure_printf(f, "%d %d %.5g\n", i % g->columns, i / g->columns, g->share[i]);
    th_figure_end_block(f);
}

static void put_axis_name(ThFigure *f, const char *axis, const char *name)
{
    th_figure_printf(f, "set %slabel ", axis);
    th_figure_string(f, name);
    th_figure_printf(f, " noenhanced textcolor rgb '#404040'\n");
}

bool th_plot_grid(ThFigure *f, const char *title, const ThPlotGrid *g, ThError *err)
{
    int some = 0;
    for (int i = 0; i < g->rows * g->columns; i++)
        some += !isnan(g->share[i]);
    if (some == 0)
        return th_fail(err, TH_EVALUE, "there is nothing to draw");
    int widest = 1;
    for (int i = 0; i < g->columns; i++)
        widest = th_utf8_width(g->column[i]) > widest ? th_utf8_width(g->column[i]) : widest;
    double column = g->compact ? 0.2 : fmin(1.5, fmax(0.75, 0.15 + 0.085 * widest));
    bool slanted = column < 0.1 + 0.085 * widest || 2.5 + column * g->columns > 40;
    f->width = fmin(40, 3 + column * g->columns);
    f->height =
        fmin(40, (slanted ? 1.6 + 0.05 * widest : 1.6) + (g->compact ? 0.2 : 0.32) * g->rows);
    th_figure_begin(f, title, NULL);
    put_cells(f, g);
    put_tics(f, "x", g->column, g->columns);
    put_tics(f, "y", g->row, g->rows);
    put_axis_name(f, "x", g->over);
    put_axis_name(f, "y", g->down);
    th_figure_printf(
        f,
        "set xrange [-0.5:%.4g]; set yrange [%.4g:-0.5]; unset key\n"
        "set colorbox user origin screen 0.93, graph 0 size 0.015, graph 1 noborder\n"
        "set rmargin at screen 0.91; set cbtics 0,0.5,1 scale 0 font ',8'; set border 0\n"
        "set style fill solid 1 noborder; set palette defined (0 '#ffffff', 0.5 '#d9e6f2', "
        "0.9 '#8fb8d8', 1 '#3f7fb5'); set cbrange [0:1]\n"
        "if (%d && !plain) set xtics rotate by 30 right\n"
        "if (plain) plot $CELLS using 1:2:(%s) with labels\n"
        "if (!plain) plot $CELLS using 1:2:(0.48):(0.45):3 with boxxyerror lc palette%s\n",
        g->columns - 0.5, g->rows - 0.5, slanted,
        g->compact ? "sprintf('%d', 10 * $3)" : "sprintf('%.2f', $3)",
        g->compact ? "" : ", \\\n     '' using 1:2:(sprintf('%.2f', $3)) with labels font ',9'");
    return true;
}
