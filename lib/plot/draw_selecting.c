/* Selectors of a program beside the heads of the model that it was compiled to: a row of two heat
 * maps each. */
#include "plot/views.h"

/* One row of cells: what is asked for by position i, from column `left` on. */
static void put_row(ThFigure *f, const ThPlotSelecting *h, int i, int n, int left, int top)
{
    for (int k = 0; k < n; k++)
        th_figure_printf(f, "%d %d %d\n", k, top + i, h->selected[i * n + k]);
    for (int k = 0; k <= n; k++)
        th_figure_printf(f, "%d %d %.6g\n", left + k, top + i, h->weight[i * (n + 1) + k]);
}

static void put_symbols(ThFigure *f, const ThPlotInput *in, int left, int top)
{
    for (int k = 0; k < in->length; k++) {
        const char *symbol = in->symbol[in->token[k]];
        for (int part = 0; part < 2; part++) {
            th_figure_printf(f, "%d %d ", part ? left + 1 + k : k, top - 1);
            th_figure_last_cell(f, symbol);
        }
        th_figure_printf(f, "-1 %d ", top + k);
        th_figure_last_cell(f, symbol);
    }
}

void th_plot_selecting(ThFigure *f, const char *title, const ThPlotSelecting *head, size_t n,
                       const ThPlotInput *in)
{
    int size = in->length, left = size + 2, high = size + 4;
    th_figure_begin(f, title, NULL);
    th_figure_block(f, "CELLS");
    for (size_t h = 0; h < n; h++)
        for (int i = 0; i < size; i++)
            put_row(f, &head[h], i, size, left, (int)h * high);
    th_figure_end_block(f);
    th_figure_block(f, "SYMBOLS");
    for (size_t h = 0; h < n; h++)
        put_symbols(f, in, left, (int)h * high);
    th_figure_end_block(f);
    th_figure_block(f, "NAMES");
    for (size_t h = 0; h < n; h++) {
        ThText name TH_OWNED(th_text_free) = {0};
        th_text_printf(&name, "layer %d, head %d: %s", head[h].layer + 1, head[h].head + 1,
                       head[h].selector);
        th_figure_printf(f, "-0.5 %d ", (int)h * high - 2);
        th_figure_cell(f, th_text_string(&name));
        th_figure_printf(f, "\n");
    }
    th_figure_end_block(f);
    th_figure_subtitle(f, "what is selected, and where the head looks (first: the beginning)");
    th_figure_printf(f,
                     "set palette defined (0 '#ffffff', 1 '#003a70'); set cbrange [0:1]\n"
                     "set xrange [-1.6:%d]; set yrange [%d:-3]; unset border; unset tics\n"
                     "unset key; unset colorbox\n"
                     "plot $CELLS using 1:2:(0.5):(0.5):3 with boxxyerror fs solid border lc rgb "
                     "'#d0d0d0' lc palette, \\\n"
                     "     $SYMBOLS using 1:2:3 with labels noenhanced, $NAMES using 1:2:3 with "
                     "labels left noenhanced\n",
                     left + size + 1, (int)n * high - 3);
}
