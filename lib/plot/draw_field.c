#include "plot/views.h"

/* The positions that the model could see while it was trained are the last ones. */
static void shade(ThFigure *f, int length, int trained_hi)
{
    if (trained_hi <= 0 || trained_hi >= length)
        return;
    th_figure_printf(f,
                     "if (!plain) set object 1 rectangle from first %d, graph 0 to first %d, graph "
                     "1 behind fc rgb '#edf3f8' fs solid noborder\n",
                     length - trained_hi, length);
    th_figure_printf(f,
                     "if (!plain) set label 2 'shaded: the last %d, the greatest training length' "
                     "at graph 0.03, graph 0.16 left font ',8' textcolor rgb '#5f7f9a'\n",
                     trained_hi);
}

bool th_plot_field(ThFigure *f, const char *title, const ThField *field, int trained_hi,
                   ThError *err)
{
    int length = field->length;
    if (length < 2)
        return th_fail(err, TH_EVALUE, "a receptive field needs strings of at least 2 symbols");
    th_figure_begin(f, title, NULL);
    th_figure_block(f, "FIELD");
    for (int m = 0; m < length; m++)
        th_figure_printf(f, "%d %.9g\n", m, field->cumulative[m]);
    th_figure_printf(f, "%d 0\n", length);
    th_figure_end_block(f);
    th_figure_subtitle(
        f, "99 %% of the gradient lies in the last %.3g %% of the input; mean of %d string%s",
        100 * field->reach, field->strings, field->strings == 1 ? "" : "s");
    shade(f, length, trained_hi);
    th_figure_printf(
        f,
        "set xlabel 'position' textcolor rgb '#404040'; set xrange [0:%d]\n"
        "set ylabel 'share of the gradient at this position and after it' textcolor rgb '#404040'\n"
        "set yrange [0:1.02]; set ytics 0,0.2,1\n"
        "set grid ytics lc rgb '#e4e4e4' lw 0.7; set key bottom left\n"
        "set style fill transparent solid 0.12 noborder\n",
        length);
    th_figure_axis(f, "x", 0, length);
    double start = length * (1 - field->reach);
    th_figure_printf(f,
                     "if (!plain) set arrow 1 from first %.9g,0 to first %.9g,0.99 nohead lc rgb "
                     "'#D55E00' dt 3 lw 1.2\n",
                     start, start);
    th_figure_printf(
        f,
        "plot $FIELD using 1:(plain ? NaN : $2) with filledcurves y1=0 lt 1 notitle, \\\n     "
        "(%d-x)/%d.0 with lines lt 8 dt 2 lw 1.2 title 'every position alike', \\\n"
        "     $FIELD using 1:2 with lines lt 1 lw 2 title 'measured'\n",
        length, length);
    return true;
}
