#include "plot/spacetime.h"

#include <stdlib.h>

#include "base/memory.h"

enum { MOST_ROWS = 400, MOST_COLUMNS = 800 };

/* A rectangle of the run: rows by steps, columns by cells. */
typedef struct {
    int64_t first, last; /* cells */
    uint64_t steps;
    int rows, columns;
    uint16_t *cell; /* (columns) of the row in the making */
    int64_t at;
} Picture;

static int64_t cell_of(const Picture *p, int column)
{
    double span = (double)(p->last - p->first);
    return p->columns > 1
               ? p->first + (int64_t)((double)column * span / (double)(p->columns - 1) + 0.5)
               : p->first;
}

/* Runs once through the sampled steps and calls `see` at each. */
static bool sample(Picture *p, const ThTuring *m, const ThTapeWords *w, ThStop *stop,
                   void (*see)(Picture *p, const ThFast *f, void *context), void *context,
                   ThError *err)
{
    ThFast *f = th_fast_new(m, w->word[0], w->length[0], 0, err);
    bool ok = f != NULL;
    for (int row = 0; ok && row < p->rows; row++) {
        uint64_t step = p->rows > 1 ? (uint64_t)((double)p->steps * row / (p->rows - 1)) : 0;
        ok = th_fast_go(f, UINT64_MAX, (ThRunLimits){step, UINT64_MAX}, stop, err);
        if (ok)
            see(p, f, context);
    }
    th_fast_free(f);
    return ok;
}

static void widen(Picture *p, const ThFast *f, void *context)
{
    (void)context;
    ThFastFigures x = th_fast_figures(f);
    if (x.last >= x.first) {
        p->first = x.first < p->first ? x.first : p->first;
        p->last = x.last > p->last ? x.last : p->last;
    }
    p->first = x.head < p->first ? x.head : p->first;
    p->last = x.head > p->last ? x.head : p->last;
}

/* Puts a stretch of the tape into the columns that show some of it. */
static void put_stretch(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Picture *p = context;
    int64_t size = n * (int64_t)count;
    double scale = p->last > p->first ? (double)(p->columns - 1) / (double)(p->last - p->first) : 1;
    double from = (double)(p->at - p->first) * scale - 1;
    int column = from < 0 ? 0 : from > p->columns ? p->columns : (int)from;
    for (; column < p->columns && cell_of(p, column) < p->at + size; column++)
        if (cell_of(p, column) >= p->at)
            p->cell[column] = cell[(cell_of(p, column) - p->at) % n];
    p->at += size;
}

typedef struct {
    ThFigure *f;
    int blank;
} Rows;

static void put_row(Picture *p, const ThFast *f, void *context)
{
    const Rows *r = context;
    for (int i = 0; i < p->columns; i++)
        p->cell[i] = (uint16_t)r->blank;
    p->at = th_fast_left_end(f);
    th_fast_each(f, put_stretch, p);
    for (int i = 0; i < p->columns; i++)
        th_figure_printf(r->f, i ? " %d" : "%d", p->cell[i]);
    th_figure_printf(r->f, "\n");
}

static void put_palette(ThFigure *f, const ThTuring *m)
{
    static const char *const colors[] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9",
                                         "#D55E00", "#F0E442", "#404040", "#8a8a8a"};
    int n = m->n_symbols, next = 0;
    th_figure_printf(f, "set palette maxcolors %d; set palette defined (", n < 2 ? 2 : n);
    for (int s = 0; s < (n < 2 ? 2 : n); s++)
        th_figure_printf(f, "%s%d '%s'", s ? ", " : "", s,
                         s == m->blank ? "#f6f6f6" : colors[next++ % 9]);
    th_figure_printf(f, ")\nset cbrange [-0.5:%d.5]; set cbtics 1 scale 0\n", (n < 2 ? 2 : n) - 1);
    for (int s = 0; s < n && n <= 20; s++) {
        th_figure_printf(f, s ? "set cbtics add (" : "set cbtics (");
        th_figure_tic(f, m->symbol[s]);
        th_figure_printf(f, " %d)\n", s);
    }
    if (n > 20)
        th_figure_printf(f, "unset colorbox\n");
}

/* Where characters are the pixels, what is not blank is a mark. */
static void put_axes(ThFigure *f, const Picture *p, int blank)
{
    double cells = p->columns > 1 ? (double)(p->last - p->first) / (p->columns - 1) : 1;
    double rows = p->rows > 1 ? (double)p->steps / (p->rows - 1) : 1;
    th_figure_printf(f,
                     "set xlabel 'cell' textcolor rgb '#404040'\n"
                     "set ylabel 'step' textcolor rgb '#404040'\n"
                     "set yrange [%.17g:%.17g]; set xrange [%.17g:%.17g]\n"
                     "first = %lld; cells = %.17g; rows = %.17g\n",
                     (double)p->steps + rows / 2, -rows / 2, (double)p->first - cells / 2,
                     (double)p->last + cells / 2, (long long)p->first, cells, rows);
    th_figure_printf(f,
                     "if (plain) unset colorbox\n"
                     "if (plain) plot $RUN using ($3 == %d ? NaN : first + $1 * cells):"
                     "($2 * rows) matrix with points pt '#' notitle\n"
                     "if (!plain) plot $RUN using (first + $1 * cells):($2 * rows):3 matrix "
                     "with image notitle\n",
                     blank);
}

bool th_plot_spacetime(ThFigure *f, const char *title, const ThTuring *m, const ThTapeWords *words,
                       uint64_t steps, ThStop *stop, ThError *err)
{
    if (!th_fast_possible(m))
        return th_fail(err, TH_EVALUE, "only runs of machines with one tape can be drawn");
    ThFast *whole = th_fast_new(m, words->word[0], words->length[0], 0, err);
    if (!whole || !th_fast_go(whole, UINT64_MAX, (ThRunLimits){steps, UINT64_MAX}, stop, err)) {
        th_fast_free(whole);
        return false;
    }
    ThFastFigures end = th_fast_figures(whole);
    th_fast_free(whole);
    Picture p = {.steps = end.steps, .last = 1};
    p.rows = end.steps < MOST_ROWS ? (int)end.steps + 1 : MOST_ROWS;
    if (!sample(&p, m, words, stop, widen, NULL, err))
        return false;
    p.columns = p.last - p.first < MOST_COLUMNS ? (int)(p.last - p.first) + 1 : MOST_COLUMNS;
    p.cell = th_alloc((size_t)p.columns, sizeof *p.cell, err);
    if (!p.cell)
        return false;
    th_figure_begin(f, title, NULL);
    th_figure_block(f, "RUN");
    bool ok = sample(&p, m, words, stop, put_row, &(Rows){f, m->blank}, err);
    th_figure_end_block(f);
    free(p.cell);
    bool final = th_verdict_final(end.verdict);
    th_figure_subtitle(f, final ? "%s after %llu steps" : "%s %llu steps",
                       final ? th_verdict_name(end.verdict) : "the first",
                       (unsigned long long)end.steps);
    put_palette(f, m);
    put_axes(f, &p, m->blank);
    return ok;
}
