#include <math.h>

#include "plot/views.h"

static void describe(ThFigure *f, const ThWordsGrowth *g)
{
    if (g->finite)
        th_figure_subtitle(f, "finite; the longest words have length %d", g->longest);
    else if (g->exponential)
        th_figure_subtitle(f, "grows like %.6g^n", g->rate);
    else if (g->degree > 0)
        th_figure_subtitle(f, "grows like n^%d", g->degree);
    else
        th_figure_subtitle(f, "infinite, but a bounded number of words of each length");
}

bool th_plot_growth(ThFigure *f, const char *title, const double *log10, ThRange range,
                    int n_symbols, const ThWordsGrowth *g, ThError *err)
{
    size_t n = th_range_count(range), some = 0;
    for (size_t i = 0; i < n; i++)
        some += log10[i] >= 0;
    if (some == 0)
        return th_fail(err, TH_EVALUE, "it has no words of these lengths") ||
               th_hint(err, "length= chooses others");
    th_figure_begin(f, "words of ", title, " by length", NULL);
    th_figure_block(f, "WORDS");
    double top = 0;
    for (size_t i = 0; i < n; i++) {
        if (log10[i] >= 0)
            th_figure_printf(f, "%lld %.9g\n", range.lo + (long long)i * range.step, log10[i]);
        top = fmax(top, log10[i]);
    }
    th_figure_end_block(f);
    describe(f, g);
    double all = log(n_symbols > 1 ? n_symbols : 1) / log(10);
    top = fmax(top, fmin(all * (double)range.hi, 2 * top + 1));
    th_figure_printf(f,
                     "set xlabel 'length' textcolor rgb '#404040'; set xrange [%lld:%lld]\n"
                     "if (!plain) set ylabel 'words' textcolor rgb '#404040'\n"
                     "set yrange [-0.03*%.9g:%.9g]\n"
                     "set grid ytics lc rgb '#e4e4e4' lw 0.7; set key top left Left reverse\n",
                     range.lo, range.hi > range.lo ? range.hi : range.lo + 1, fmax(top, 0.5),
                     1.04 * fmax(top, 0.5));
    /* Labels of an axis of logarithms: 10^0 … 10^top, at most eight of them. */
    int step = (int)fmax(1, ceil(top / 8));
    th_figure_printf(f, "set ytics ()\n");
    for (int e = 0; e <= (int)(1.04 * fmax(top, 0.5)); e += step) {
        ThText number TH_OWNED(th_text_free) = {0};
        th_figure_power(&number, e, (int)top);
        th_figure_printf(f, "set ytics add ('%s' %d)\n", th_text_string(&number), e);
    }
    th_figure_axis(f, "x", (double)range.lo, (double)range.hi);
    th_figure_printf(f,
                     "plot %.12g*x with lines lt 8 dt 2 lw 1.2 title 'all words over %d symbol%s', "
                     "\\\n     $WORDS using 1:2 with %s lt 1 lw 1.6 pt 7 ps 0.6 title 'accepted'\n",
                     all, n_symbols, n_symbols == 1 ? "" : "s", n > 60 ? "lines" : "linespoints");
    return true;
}
