#include "plot/draw_linear.h"

#include <math.h>

/* ---- scans ---- */

static void put_plan(ThFigure *f, int number, int length, const ThInspectScanPlan *p)
{
    th_figure_printf(f, "$S%d << TH_EOD\n", number);
    for (size_t i = 0; i < p->n_steps; i++)
        th_figure_printf(f, "%d %d\n%d %d\n\n", p->step[i].left, p->step[i].round - 1,
                         p->step[i].right, p->step[i].round);
    th_figure_end_block(f);
    th_figure_printf(f, "$D%d << TH_EOD\n", number);
    for (size_t i = 0; i < p->n_steps; i++)
        th_figure_printf(f, "%d %d\n", p->step[i].right, p->step[i].round);
    th_figure_end_block(f);
    th_figure_printf(f, "$R%d << TH_EOD\n", number);
    for (int i = 0; i < length; i++)
        th_figure_printf(f, "%d 0\n%d %d\n\n", i, i, p->rounds);
    th_figure_end_block(f);
}

/* In characters there is room for the combinations of one scan: the dilated one. */
static void draw_plan(ThFigure *f, int number, const ThInspectScanPlan *p)
{
    enum { DILATED = 2 };
    th_figure_printf(f, "if (!plain || %d == %d) {\n", number, DILATED);
    th_figure_printf(f,
                     "set title '%s: %d rounds, %zu combinations' font ',10' offset 0,-0.5\n"
                     "set yrange [%.4g:-0.5]; set ytics 1,%d scale 0 font ',8'\n",
                     p->name, p->rounds, p->n_steps, p->rounds + 0.5,
                     p->rounds > 12 ? p->rounds / 6 : 1);
    th_figure_printf(f,
                     "plot $R%d using 1:(plain ? NaN : $2) with lines lw 0.6 lc rgb '#d0d8e0', \\\n"
                     "     $S%d using 1:2 with lines lw 1.2 lc rgb '#0072B2', \\\n"
                     "     $D%d using 1:2 with points pt 7 ps 0.5 lc rgb '#D55E00'\n}\n",
                     number, number, number);
}

void th_plot_scans(ThFigure *f, const char *title, int length,
                   const ThInspectScanPlan plan[TH_INSPECT_SCANS])
{
    f->width = 10;
    f->height = 7;
    th_figure_begin(f, title, NULL);
    for (int i = 0; i < TH_INSPECT_SCANS; i++)
        put_plan(f, i, length, &plan[i]);
    th_figure_printf(f,
                     "unset key; set border 0; set xrange [-0.7:%.4g]; set xtics scale 0 font "
                     "',8'\nif (!plain) {\nset multiplot layout 2,3 title ",
                     length - 0.3);
    th_figure_string(f, th_figure_title(f, title));
    th_figure_printf(f, " noenhanced font ',13' margins screen 0.05,0.98,0.06,0.87 spacing screen "
                        "0.05,0.12\n}\n");
    for (int i = 0; i < TH_INSPECT_SCANS; i++)
        draw_plan(f, i, &plan[i]);
    th_figure_printf(f, "if (!plain) { unset multiplot }\n");
}

/* ---- spectra ---- */

void th_plot_spectra(ThFigure *f, const char *title, const ThPlotSpectrum *x, int n)
{
    double most = 1;
    f->width = 7.5;
    f->height = 6;
    th_figure_begin(f, title, NULL);
    for (int i = 0; i < n; i++) {
        th_figure_printf(f, "$W%d << TH_EOD\n", i);
        for (int k = 0; k < x[i].n; k++) {
            th_figure_printf(f, "%.9g %.9g\n", x[i].value[k], x[i].value[x[i].n + k]);
            most = fmax(most, hypot(x[i].value[k], x[i].value[x[i].n + k]));
        }
        th_figure_end_block(f);
    }
    th_figure_printf(f,
                     "set size ratio -1; set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\n"
                     "set xlabel 'real' textcolor rgb '#404040'\n"
                     "set ylabel 'imaginary' textcolor rgb '#404040'\n"
                     "set zeroaxis lc rgb '#c0c0c0'; set key outside right top Left reverse\n"
                     "set parametric; set trange [0:2*pi]; set samples 200\n"
                     "plot cos(t), sin(t) with lines lc rgb '#a0a0a0' lw 1 title 'unit circle'",
                     -1.1 * most, 1.1 * most, -1.1 * most, 1.1 * most);
    for (int i = 0; i < n; i++) {
        th_figure_printf(f,
                         ", \\\n     $W%d using 1:2 with points pt %d ps 0.9 lw 1.4 lt %d title ",
                         i, i % 7 + 1, i % 8 + 1);
        th_figure_string(f, x[i].word);
    }
    th_figure_printf(f, "\n");
}
