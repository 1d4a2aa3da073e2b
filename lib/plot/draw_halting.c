/* How long a model thought: about one string, and about many. */
#include <math.h>

#include "plot/views.h"

/* ---- one string ------------------------------------------------------------------------------ */

/* Inches of the page around the panels, and of the panel of brackets and what is above it. */
static const double LEFT = 0.75, RIGHT = 1.0, TOP = 0.95, BOTTOM = 0.85, LOWER = 1.0, BETWEEN = 0.2;

static int most_states(const ThModelHalted *h)
{
    int most = 1;
    for (int i = 0; i < h->n; i++)
        most = h->unit[i].steps > most ? h->unit[i].steps : most;
    return most + 1;
}

/* A box for each unit and state that it has: its middle and half its width, state, mass. */
static void put_masses(ThFigure *f, const ThModelHalted *h)
{
    th_figure_block(f, "MASS");
    for (int i = 0; i < h->n; i++) {
        const ThModelHaltedUnit *u = &h->unit[i];
        const double *mass = h->mass + (size_t)i * ((size_t)h->most + 1);
        for (int l = 0; l <= u->steps; l++)
            th_figure_printf(f, "%.4g %.4g %d %.6g\n", (u->first + u->last) / 2.0,
                             (u->last - u->first + 1) / 2.0, l, mass[l]);
    }
    th_figure_end_block(f);
}

static void put_levels(ThFigure *f, const int *level, int length)
{
    th_figure_block(f, "LEVEL");
    for (int i = 0; i < length; i++)
        th_figure_printf(f, "%d %d\n", i, level[i]);
    th_figure_end_block(f);
}

static void draw_masses(ThFigure *f, const ThModelHalted *h, int states)
{
    th_figure_printf(f,
                     "set palette defined (0 '#ffffff', 0.1 '#cfe0ee', 1 '#003a70')\n"
                     "set cbrange [0:1]; set cbtics 0,0.5,1 scale 0; set cblabel 'mass'\n"
                     "set object 2 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#dcdcdc' "
                     "fs solid noborder\n"
                     "set style fill solid 1 border lc rgb '#e9eef3'\n"
                     "set yrange [-0.5:%.4g]; set ytics 1 scale 0; unset key\n"
                     "set ylabel 'applications' textcolor rgb '#404040'\n"
                     "if (plain) {\nplot $MASS using 1:3:(sprintf('%%d', int(9.99 * $4))) with "
                     "labels\n} else {\n"
                     "plot $MASS using 1:3:2:(0.5):4 with boxxyerror lc palette lw 0.4",
                     states - 0.5);
    if (f->width / h->n >= 0.5)
        th_figure_printf(f, ", $MASS using 1:3:(sprintf('%%.2f', $4)):($4 > 0.5 ? 0xffffff : "
                            "0x404040) with labels font ',7' textcolor rgb variable");
    th_figure_printf(f, "\n}\n");
}

static void draw_levels(ThFigure *f, int most)
{
    th_figure_printf(f,
                     "if (!plain) {\nset tmargin at screen %.4g; set bmargin at screen %.4g\n"
                     "unset object 2; unset title; unset label 1; unset colorbox\n"
                     "set yrange [0:%.4g]; set ytics %d; set ylabel 'brackets'\n"
                     "set style fill solid 0.25 noborder\n"
                     "plot $LEVEL using 1:2:(1) with boxes lc rgb '#D55E00'\n"
                     "unset multiplot\n}\n",
                     (BOTTOM + LOWER) / f->height, BOTTOM / f->height, most + 0.5, most / 4 + 1);
}

/* The brackets of the input, where it has any, in a panel below that of the masses. */
static void begin_two(ThFigure *f)
{
    th_figure_printf(f,
                     "if (!plain) {\nset multiplot; unset xtics\n"
                     "set lmargin at screen %.4g; set rmargin at screen %.4g\n"
                     "set tmargin at screen %.4g; set bmargin at screen %.4g\n}\n",
                     LEFT / f->width, 1 - RIGHT / f->width, 1 - TOP / f->height,
                     (BOTTOM + LOWER + BETWEEN) / f->height);
}

static void put_tics(ThFigure *f, const ThPlotInput *in)
{
    th_figure_symbol_tics(f, "x", in->symbol, in->token, in->length, 8);
    th_figure_printf(f, "set xtics rotate by 90 right\n");
}

bool th_plot_halting(ThFigure *f, const char *title, const ThModelHalted *h, const ThPlotInput *in,
                     ThError *err)
{
    int *level TH_OWNED(free) = th_alloc((size_t)in->length, sizeof *level, err);
    if (!level)
        return false;
    int states = most_states(h),
        nested = th_inspect_nesting(in->symbol, in->token, in->length, level);
    f->width = fmin(13, fmax(6, LEFT + RIGHT + 0.24 * in->length));
    f->height = TOP + BOTTOM + (nested > 0 ? LOWER + BETWEEN : 0) + fmax(1.2, 0.3 * states);
    th_figure_begin(f, title, NULL);
    put_masses(f, h);
    put_levels(f, level, in->length);
    th_figure_subtitle(f, "%s%.4g applications, %.4g of them by the masses; grey: not computed",
                       h->n == 1 ? "" : "on average ", th_inspect_mean_depth(h),
                       th_inspect_mean_ponder(h));
    th_figure_printf(f, "set xrange [%.4g:%.4g]\n", h->unit[0].first - 0.5,
                     h->unit[h->n - 1].last + 0.5);
    put_tics(f, in);
    if (nested > 0)
        begin_two(f);
    draw_masses(f, h, states);
    if (nested > 0) {
        put_tics(f, in);
        draw_levels(f, nested);
    }
    return true;
}

/* ---- many strings ---------------------------------------------------------------------------- */

enum { MEASURES = TH_INSPECT_DEPTH, MOST_BINS = 25 };

/* Strings by what is known of them and how long the model thought: points are moved a little, so
 * that those of equal numbers are seen; the line joins means. */
static void put_strings(ThFigure *f, const ThInspectHalting *h)
{
    th_figure_block(f, "STRINGS");
    for (int i = 0; i < h->n; i++) {
        for (int k = 0; k < TH_INSPECT_THOUGHTS; k++)
            th_figure_printf(f, "%.6g ", h->value[k][i]);
        th_figure_printf(f, "\n");
    }
    th_figure_end_block(f);
}

static double range_of(const double *x, int n)
{
    double lo = x[0], hi = x[0];
    for (int i = 1; i < n; i++) {
        lo = fmin(lo, x[i]);
        hi = fmax(hi, x[i]);
    }
    return hi - lo;
}

static bool draw_panel(ThFigure *f, const ThInspectHalting *h, int measure, int work, ThError *err)
{
    ThInspectRank rank;
    if (!th_inspect_rank(h->value[measure], h->value[work], h->n, &rank, err))
        return false;
    double range = range_of(h->value[measure], h->n), bin = fmax(1, ceil(range / MOST_BINS));
    th_figure_printf(f, "set xtics %s\n", range <= 12 ? "1" : "autofreq");
    th_figure_printf(f,
                     "set xlabel '%s' offset 0,0.5 textcolor rgb '#404040'\n"
                     "set ylabel '%s' textcolor rgb '#404040'\n",
                     th_inspect_thought[measure],
                     work == TH_INSPECT_DEPTH ? "applications" : "paid for");
    if (isnan(rank.r))
        th_figure_printf(f, "set title 'all alike'\n");
    else
        th_figure_printf(f, "set title 'rank correlation %.2f (%.2f to %.2f)'\n", rank.r, rank.lo,
                         rank.hi);
    th_figure_printf(f,
                     "bin(x) = %.9g * floor(x / %.9g + 0.5)\n"
                     "plot $STRINGS using ($%d + 0.5 * (rand(0) - 0.5)):%d with points pt 7 ps 0.3 "
                     "lc rgb '#990072B2', $STRINGS using (bin($%d)):%d smooth unique with "
                     "linespoints pt 7 ps 0.5 lw 1.5 lc rgb '#D55E00'\n",
                     bin, bin, measure + 1, work + 1, measure + 1, work + 1);
    return true;
}

bool th_plot_thoughts(ThFigure *f, const char *title, const ThInspectHalting *h, ThError *err)
{
    f->width = 9.5;
    f->height = 6;
    th_figure_begin(f, title, NULL);
    put_strings(f, h);
    th_figure_printf(f,
                     "set title font ',9' offset 0,-0.6; unset key; set offsets graph 0.03, graph "
                     "0.03, graph 0.06, graph 0.06\n"
                     "if (!plain) { set multiplot layout 2,%d title ",
                     MEASURES);
    th_figure_string(f, th_figure_title(f, title));
    th_figure_printf(f, " noenhanced font ',13' }\n");
    for (int work = TH_INSPECT_DEPTH; work <= TH_INSPECT_PONDER; work++)
        for (int k = 0; k < MEASURES; k++) {
            /* In characters there is room for one panel. */
            th_figure_printf(f, "if (!plain || %d) {\n", work == TH_INSPECT_PONDER && k == 0);
            if (!draw_panel(f, h, k, work, err))
                return false;
            th_figure_printf(f, "}\n");
        }
    th_figure_printf(f, "if (!plain) { unset multiplot }\n");
    return true;
}
