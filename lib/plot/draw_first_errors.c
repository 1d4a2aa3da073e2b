/* First slips: how many of each kind by length, and where they are. */
#include <math.h>

#include "plot/views.h"

enum { MOST_KINDS = 16 };

typedef struct {
    const ThInspectSlip *slip;
    size_t n, kinds;
    const char *kind[MOST_KINDS]; /* "right" first, where it is there */
    int gram;
    bool lines; /* slips are on several lines */
    int least_line, most_line, most_column, shortest, longest;
} View;

static size_t kind_of(const View *v, const ThInspectSlip *s)
{
    size_t k = 0;
    while (k < v->kinds && strcmp(v->kind[k], s->kind) != 0)
        k++;
    return k;
}

static bool is_right(const ThInspectSlip *s)
{
    return strcmp(s->kind, "right") == 0;
}

static void survey(View *v)
{
    v->kind[v->kinds++] = "right";
    for (size_t i = 0; i < v->n; i++) {
        const ThInspectSlip *s = &v->slip[i];
        v->longest = s->length > v->longest ? s->length : v->longest;
        v->shortest = i == 0 || s->length < v->shortest ? s->length : v->shortest;
        if (is_right(s))
            continue;
        if (kind_of(v, s) == v->kinds && v->kinds < MOST_KINDS)
            v->kind[v->kinds++] = s->kind;
        v->most_column = s->column > v->most_column ? s->column : v->most_column;
        v->most_line = s->line > v->most_line ? s->line : v->most_line;
        if (v->least_line == 0 || s->line < v->least_line)
            v->least_line = s->line;
    }
    v->lines = v->least_line < v->most_line;
}

/* A row a length: the length, and the shares of the kinds. */
static void put_shares(ThFigure *f, const View *v)
{
    th_figure_block(f, "SHARES");
    for (size_t from = 0, to; from < v->n; from = to) {
        size_t count[MOST_KINDS] = {0};
        for (to = from; to < v->n && v->slip[to].length == v->slip[from].length; to++) {
            size_t k = kind_of(v, &v->slip[to]);
            if (k < MOST_KINDS)
                count[k]++;
        }
        th_figure_printf(f, "%d", v->slip[from].length);
        for (size_t k = 0; k < v->kinds; k++)
            th_figure_printf(f, " %.6g", (double)count[k] / (double)(to - from));
        th_figure_printf(f, "\n");
    }
    th_figure_end_block(f);
}

/* Column, line or length, kind, and whether symbols are repeated.  Points that would hide each
 * other are moved a little, always alike. */
static void put_points(ThFigure *f, const View *v)
{
    th_figure_block(f, "SLIPS");
    for (size_t i = 0; i < v->n; i++) {
        const ThInspectSlip *s = &v->slip[i];
        double part = fmod((double)i * 0.618034, 1) - 0.5, other = fmod((double)i * 0.7548777, 1);
        if (!is_right(s))
            th_figure_printf(f, "%.4g %.4g %zu %d\n", s->column + 0.6 * part,
                             (v->lines ? s->line : s->length) + 0.6 * (other - 0.5), kind_of(v, s),
                             s->repeated >= v->gram);
    }
    th_figure_end_block(f);
}

static void draw_shares(ThFigure *f, const View *v)
{
    th_figure_printf(f, "set xlabel 'length' textcolor rgb '#404040'\n"
                        "set ylabel 'share of strings' textcolor rgb '#404040'\n"
                        "set yrange [0:1]; set style data histograms; set style histogram "
                        "rowstacked\n"
                        "set style fill solid 0.9 border rgb '#ffffff'; set boxwidth 0.85\n"
                        "set key at graph 0.5, -0.22 center top horizontal maxcols 4\n");
    for (size_t k = 0; k < v->kinds; k++) {
        th_figure_printf(f, "%s $SHARES using %zu%s lc ", k == 0 ? "plot" : ", \\\n    ", k + 2,
                         k == 0 ? ":xtic(1)" : "");
        th_figure_printf(f, k == 0 ? "rgb '#d9d9d9'" : "%zu", (k - 1) % 8 + 1);
        th_figure_printf(f, " title ");
        th_figure_string(f, v->kind[k]);
    }
    th_figure_printf(f, "\n");
}

/* The same where characters are the pixels. */
static void draw_lines(ThFigure *f, const View *v)
{
    th_figure_printf(f, "set xlabel 'length'; set ylabel 'share'; set yrange [0:1]\n"
                        "set key outside right top\n");
    for (size_t k = 0; k < v->kinds; k++) {
        th_figure_printf(f, "%s $SHARES using 1:%zu with linespoints title ",
                         k == 0 ? "plot" : ", \\\n    ", k + 2);
        th_figure_string(f, v->kind[k]);
    }
    th_figure_printf(f, "\n");
}

static void draw_points(ThFigure *f, const View *v)
{
    int low = v->lines ? v->least_line : v->shortest, high = v->lines ? v->most_line : v->longest;
    th_figure_printf(f,
                     "set xlabel 'column' textcolor rgb '#404040'; set xrange [0:%d]\n"
                     "set ylabel '%s' textcolor rgb '#404040'; set yrange [%d:%d]\n"
                     "set xtics autofreq; unset key\n",
                     v->most_column + 1, v->lines ? "line" : "length", low - 1, high + 1);
    th_figure_printf(f, "plot ");
    for (size_t k = 1; k < v->kinds; k++)
        th_figure_printf(f,
                         "%s$SLIPS using 1:($3==%zu && $4==1 ? $2 : NaN) with points pt 7 ps 0.5 "
                         "lc %zu, \\\n     $SLIPS using 1:($3==%zu && $4==0 ? $2 : NaN) with "
                         "points pt 6 ps 0.5 lc %zu",
                         k > 1 ? ", \\\n     " : "", k, (k - 1) % 8 + 1, k, (k - 1) % 8 + 1);
    th_figure_printf(f, "\n");
}

bool th_plot_slips(ThFigure *f, const char *title, const ThInspectSlip *slip, size_t n, int gram,
                   ThError *err)
{
    View v = {.slip = slip, .n = n, .gram = gram};
    if (n == 0)
        return th_fail(err, TH_EVALUE, "there are no strings to draw");
    survey(&v);
    f->width = 9;
    f->height = 4.6;
    th_figure_begin(f, title, NULL);
    put_shares(f, &v);
    put_points(f, &v);
    th_figure_printf(f, "if (plain) {\n");
    draw_lines(f, &v);
    th_figure_printf(f, "} else {\nunset title\nset multiplot title ");
    th_figure_string(f, th_figure_title(f, title));
    th_figure_printf(f, " noenhanced font ',13'\nset lmargin at screen 0.08; set rmargin at screen "
                        "0.47\nset tmargin at screen 0.82; set bmargin at screen 0.24\n"
                        "set title 'the first error of each string' font ',9'\n");
    draw_shares(f, &v);
    if (v.kinds > 1) {
        th_figure_printf(f,
                         "set lmargin at screen 0.57; set rmargin at screen 0.97\n"
                         "set title 'where it is; filled: the %d symbol%s before %s in the line "
                         "again' font ',9'\n",
                         gram, gram == 1 ? "" : "s", gram == 1 ? "stands" : "stand");
        draw_points(f, &v);
    }
    th_figure_printf(f, "unset multiplot\n}\n");
    return true;
}
