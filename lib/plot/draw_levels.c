/* Something about every vector of a model: a box over what the vector has read, on its level. */
#include <math.h>

#include "plot/views.h"

enum { MOST_SYMBOLS = 80, COLOURS = 7 };

static const double PLOT_WIDTH = 84; /* of the page, in letters of the labels */

/* The first linetypes of the house, and grey for what is no class. */
static const unsigned colour[COLOURS + 1] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                             0xe69f00, 0x56b4e9, 0x999933, 0x707070};

static unsigned colour_of(const ThPlotLevels *v, const char *text)
{
    for (int c = 0; c < v->n_classes; c++)
        if (strcmp(v->label[c], text) == 0)
            return colour[c % COLOURS];
    return colour[COLOURS];
}

/* Between white and a colour. */
static unsigned tint(unsigned rgb, double share)
{
    double t = 0.1 + 0.9 * fmin(1, fmax(0, share));
    unsigned to = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double part = rgb >> shift & 0xff;
        to |= (unsigned)lround(255 + (part - 255) * t) << shift;
    }
    return to;
}

static void put_cells(ThFigure *f, const ThPlotLevels *v)
{
    th_figure_block(f, "CELLS");
    for (int i = 0; i < v->n; i++) {
        const ThPlotLevelCell *c = &v->cell[i];
        int first = v->segments ? c->first : c->last;
        bool fits = th_utf8_width(c->text) <= (c->last - first + 1) * PLOT_WIDTH / v->length;
        th_figure_printf(f, "%.4g %d %.4g %.4g %.4g %.4g %u %u ", (first + c->last) / 2.0,
                         c->layer + 1, first - 0.46, c->last + 0.46, c->layer + 0.58,
                         c->layer + 1.42, tint(colour_of(v, c->text), c->share),
                         c->share > 0.65 ? 0xffffffu : 0x404040u);
        th_figure_last_cell(f, fits ? c->text : "");
    }
    th_figure_end_block(f);
}

static void put_symbols(ThFigure *f, const ThPlotLevels *v)
{
    th_figure_block(f, "SYMBOLS");
    for (int i = 0; i < v->length; i++) {
        th_figure_printf(f, "%d ", i);
        th_figure_last_cell(f, v->symbol[v->token[i]]);
    }
    th_figure_end_block(f);
}

static void put_key(ThFigure *f, const ThPlotLevels *v)
{
    for (int c = 0; c < v->n_classes && c < COLOURS; c++) {
        th_figure_printf(f, ", \\\n     NaN with boxes fs solid 1 noborder lc rgb 0x%06x title ",
                         colour[c]);
        th_figure_string(f, v->label[c]);
    }
}

bool th_plot_levels(ThFigure *f, const char *title, const ThPlotLevels *v, ThError *err)
{
    if (v->n == 0)
        return th_fail(err, TH_EVALUE, "there are no vectors to plot");
    f->width = 8;
    f->height = fmin(8, 2.2 + 0.5 * v->n_layers);
    th_figure_begin(f, title, NULL);
    put_cells(f, v);
    put_symbols(f, v);
    th_figure_subtitle(f, "%s", v->what);
    th_figure_printf(f,
                     "set xrange [-0.7:%.4g]; set yrange [%.4g:%.4g]; set border 0\n"
                     "set ytics 1,1,%d scale 0; set ylabel 'level' textcolor rgb '#404040'\n"
                     "set key outside right top title 'answer' font ',9'\n",
                     v->length - 0.3, v->length <= MOST_SYMBOLS ? -0.2 : 0.45, v->n_layers + 0.55,
                     v->n_layers);
    if (v->length <= MOST_SYMBOLS)
        th_figure_printf(f, "unset xtics\n");
    else
        th_figure_printf(f, "set xlabel 'position' textcolor rgb '#404040'\n");
    th_figure_printf(f, "plot $CELLS using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc "
                        "rgb variable notitle, \\\n     $CELLS using 1:2:9:8 with labels "
                        "noenhanced font ',9' textcolor rgb variable notitle");
    if (v->length <= MOST_SYMBOLS)
        th_figure_printf(
            f, ", \\\n     $SYMBOLS using 1:(0.2):2 with labels noenhanced font ',%d' notitle",
            v->length <= 40 ? 11 : 7);
    put_key(f, v);
    th_figure_printf(f, "\n");
    return true;
}
