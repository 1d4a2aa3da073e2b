/* What a positional encoding says, a panel for each head; in characters its last row as curves. */
#include <math.h>

#include "plot/views.h"

enum { MOST_COLUMNS = 4 };

/* Inches around and between the panels. */
static const double LEFT = 0.7, RIGHT = 1.1, TOP = 0.85, BOTTOM = 0.65, PANEL = 1.9, GAP = 0.45;

typedef struct {
    double low, high; /* of the numbers that are not masks */
} Extent;

static double logit(const ThInspectPositions *p, int head, int i, int j)
{
    return p->logit[((size_t)head * (size_t)p->n + (size_t)i) * (size_t)p->n + (size_t)j];
}

static Extent put_panels(ThFigure *f, const ThInspectPositions *p)
{
    Extent e = {0, 0};
    for (int h = 0; h < p->heads; h++) {
        th_figure_printf(f, "$H%d << TH_EOD\n", h);
        for (int i = 0; i < p->n; i++) {
            for (int j = 0; j < p->n; j++) {
                double x = logit(p, h, i, j);
                if (!isfinite(x))
                    continue;
                th_figure_printf(f, "%d %d %.5g\n", j, i, x);
                e.low = fmin(e.low, x);
                e.high = fmax(e.high, x);
            }
        }
        th_figure_end_block(f);
        th_figure_printf(f, "$LAST%d << TH_EOD\n", h);
        for (int j = 0; j < p->n; j++)
            if (isfinite(logit(p, h, p->n - 1, j)))
                th_figure_printf(f, "%d %.5g\n", p->n - 1 - j, logit(p, h, p->n - 1, j));
        th_figure_end_block(f);
    }
    return e;
}

/* White is 0; a scale without width would be none. */
static void set_colours(ThFigure *f, const ThInspectPositions *p, Extent e)
{
    if (e.low == e.high)
        e.low = -1;
    th_figure_printf(f, "set palette defined (");
    if (e.low < 0)
        th_figure_printf(f, "%.6g '#003a70', %.6g '#8fb8d8', ", e.low, e.low / 3);
    th_figure_printf(f, "0 '#ffffff'");
    if (e.high > 0)
        th_figure_printf(f, ", %.6g '#f2b27a', %.6g '#a63c00'", e.high / 3, e.high);
    th_figure_printf(f,
                     ")\nset cbrange [%.6g:%.6g]; set cblabel '%s' font ',9' textcolor rgb "
                     "'#404040'\nset cbtics scale 0 font ',8'; set format cb '%%g'\n",
                     e.low, e.high, p->what);
}

static void draw_panel(ThFigure *f, const ThInspectPositions *p, int h, int columns)
{
    if (p->heads > 1)
        th_figure_printf(f, "set title 'head %d' font ',9' offset 0,-0.6\n", h + 1);
    else
        th_figure_printf(f, "unset title\n");
    if (h % columns == 0)
        th_figure_printf(f, "set ylabel 'query' font ',9' textcolor rgb '#404040'\n");
    if (h + columns >= p->heads)
        th_figure_printf(f, "set xlabel 'key' font ',9' textcolor rgb '#404040'\n");
    if (h == 0)
        th_figure_printf(f, "set colorbox user origin screen %.4g,0.2 size screen %.4g,0.6\n",
                         1 - (RIGHT - 0.2) / f->width, 0.14 / f->width);
    th_figure_printf(f,
                     "plot $H%d using 1:2:(0.5):(0.5):3 with boxxyerror lc palette lw 0.2\n"
                     "unset ylabel; unset xlabel; unset colorbox; unset label 1\n",
                     h);
}

static void draw_panels(ThFigure *f, const char *title, const ThInspectPositions *p)
{
    int columns = p->heads < MOST_COLUMNS ? p->heads : MOST_COLUMNS;
    int rows = (p->heads + columns - 1) / columns;
    th_figure_printf(f,
                     "unset key; set style fill solid 1 noborder; set border 15\n"
                     "set xrange [-0.5:%.4g]; set yrange [%.4g:-0.5]; set tics scale 0 font ',8'\n"
                     "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#dcdcdc' "
                     "fs solid noborder\nset multiplot layout %d,%d title ",
                     p->n - 0.5, p->n - 0.5, rows, columns);
    th_figure_string(f, th_figure_title(f, title));
    th_figure_printf(f,
                     " noenhanced font ',13' margins screen %.4g,%.4g,%.4g,%.4g spacing screen "
                     "%.4g,%.4g\n",
                     LEFT / f->width, 1 - RIGHT / f->width, BOTTOM / f->height, 1 - TOP / f->height,
                     GAP / f->width, GAP / f->height);
    for (int h = 0; h < p->heads; h++)
        draw_panel(f, p, h, columns);
    th_figure_printf(f, "unset multiplot\n");
}

static void draw_curves(ThFigure *f, const ThInspectPositions *p)
{
    th_figure_printf(f, "set xlabel 'distance to the last position'; set ylabel '%s'\n", p->what);
    for (int h = 0; h < p->heads; h++)
        th_figure_printf(f, "%s $LAST%d using 1:2 with linespoints title '%d'",
                         h ? ", \\\n    " : "plot", h, h + 1);
    th_figure_printf(f, "\n");
}

void th_plot_positions(ThFigure *f, const char *title, const ThInspectPositions *p)
{
    int columns = p->heads < MOST_COLUMNS ? p->heads : MOST_COLUMNS;
    int rows = (p->heads + columns - 1) / columns;
    f->width = LEFT + RIGHT + columns * PANEL + (columns - 1) * GAP;
    f->height = TOP + BOTTOM + rows * PANEL + (rows - 1) * GAP;
    th_figure_begin(f, title, NULL);
    Extent e = put_panels(f, p);
    th_figure_printf(f, "if (plain) {\n");
    draw_curves(f, p);
    th_figure_printf(f, "} else {\n");
    set_colours(f, p, e);
    draw_panels(f, title, p);
    th_figure_printf(f, "}\n");
}
