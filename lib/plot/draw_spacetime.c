#include "plot/draw_spacetime.h"

#include <math.h>

#include "base/symbols.h"
#include "plot/draw_machine.h"

enum { MOST_ROWS = 500, MOST_COLUMNS = 800, MOST_NAMED = 12, MOST_LABELS = 45 };

static const unsigned WHITE = 0xffffff, BLANK = 0xececec;

/* The part of a tape that is drawn. */
typedef struct {
    int64_t first, last;
    int column, columns;
} Strip;

/* A rectangle of the run: rows by steps, columns by cells of all tapes. */
typedef struct {
    const ThTm *m;
    const ThTmTapeWords *words;
    ThStop *stop;
    uint64_t steps;
    int rows, columns, gap;
    double cells; /* in a column, at least 1 */
    Strip strip[TH_TM_MOST_TAPES];
    unsigned *color;  /* (n_symbols) */
    double (*sum)[3]; /* (columns): of the row in the making, colour times cells */
    double *covered;  /* (columns): cells that were added */
} Picture;

/* ---- running --------------------------------------------------------------------------------- */

static bool fail_choices(const ThTm *m, ThError *err)
{
    if (!m->branching)
        return true;
    return th_fail(err, TH_EVALUE, "the machine has the choice of several rules: it has many runs");
}

/* How many steps are drawn, and how the run stands then. */
static bool find_end(const ThTmWork *run, ThTmFastFigures *end, ThError *err)
{
    enum { SHOWN = 1000 };
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {0};
    uint64_t steps = run->limits.steps;
    bool whole = steps == TH_PLOT_TO_THE_END;
    if (!th_tm_engine_start(&e, run->machine, run->words, err))
        return false;
    if (whole)
        steps = e.fast ? 100000000 : 10000000;
    bool ok = th_tm_engine_go(&e, UINT64_MAX, (ThTmRunLimits){steps, UINT64_MAX}, run->stop, err);
    if (ok)
        *end = th_tm_engine_figures(&e);
    if (!ok || !whole || th_tm_verdict_final(end->verdict))
        return ok;
    ThTmWork some = *run;
    some.limits.steps = SHOWN;
    return find_end(&some, end, err);
}

typedef bool SeeRow(Picture *p, const ThTmEngine *e, int row, void *context);

/* Runs once through the sampled steps. */
static bool sample(Picture *p, SeeRow *see, void *context, ThError *err)
{
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {0};
    bool ok = th_tm_engine_start(&e, p->m, p->words, err);
    for (int row = 0; ok && row < p->rows; row++) {
        uint64_t step = p->rows > 1 ? (uint64_t)((double)p->steps * row / (p->rows - 1)) : 0;
        ok = th_tm_engine_go(&e, UINT64_MAX, (ThTmRunLimits){step, UINT64_MAX}, p->stop, err) &&
             see(p, &e, row, context);
    }
    return ok;
}

static int64_t head_of(const ThTmEngine *e, int tape)
{
    return e->fast ? th_tm_fast_figures(e->fast).head : e->plain.tape[tape].head;
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static bool widen(Picture *p, const ThTmEngine *e, int row, void *context TH_UNUSED)
{
    for (int t = 0; t < p->m->n_tapes; t++) {
        Strip *s = &p->strip[t];
        int64_t first, last, head = head_of(e, t);
        if (e->fast) {
            ThTmFastFigures x = th_tm_fast_figures(e->fast);
            first = x.first;
            last = x.last;
        } else {
            th_tm_tape_extent(&e->plain.tape[t], p->m->blank, &first, &last);
        }
        bool blank = last < first;
        first = blank || head < first ? head : first;
        last = blank || head > last ? head : last;
        s->first = row == 0 || first < s->first ? first : s->first;
        s->last = row == 0 || last > s->last ? last : s->last;
    }
    return true;
}

/* Shares the columns out between the tapes. */
static void place_strips(Picture *p)
{
    double all = 0;
    int n = p->m->n_tapes;
    for (int t = 0; t < n; t++) {
        if (p->strip[t].last == p->strip[t].first)
            p->strip[t].last++;
        all += (double)(p->strip[t].last - p->strip[t].first) + 1;
    }
    p->gap = n > 1 ? 1 + (int)fmin(all, MOST_COLUMNS) / 60 : 0;
    p->cells = fmax(1, all / (MOST_COLUMNS - n * p->gap));
    for (int t = 0; t < n; t++) {
        Strip *s = &p->strip[t];
        s->column = p->columns;
        s->columns = (int)ceil((double)(s->last - s->first + 1) / p->cells);
        p->columns += s->columns + (t + 1 < n ? p->gap : 0);
    }
}

static unsigned mix_color(unsigned color, double white)
{
    unsigned mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double part = (double)(color >> shift & 255u);
        mixed |= (unsigned)lround(part + (255 - part) * white) << shift;
    }
    return mixed;
}

static void choose_colors(Picture *p, double white)
{
    static const unsigned colors[] = {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9,
                                      0xD55E00, 0xF0E442, 0x404040, 0x8a8a8a};
    int next = 0;
    for (int s = 0; s < p->m->n_symbols; s++)
        p->color[s] = s == p->m->blank ? BLANK : mix_color(colors[next++ % 9], white);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
    Picture *p;
    const Strip *strip;
    int64_t at;
} Put;

static void add_color(Picture *p, int column, unsigned color, double cells)
{
    for (int i = 0; i < 3; i++)
        p->sum[column][i] += cells * (double)(color >> (8 * i) & 255u);
    p->covered[column] += cells;
}

/* Adds cells from … to-1 of a repeated stretch to a column. */
static void add_part(Picture *p, int column, const uint16_t *cell, int n, int64_t from, int64_t to)
{
    int64_t whole = (to - from) / n;
    for (int i = 0; whole > 0 && i < n; i++)
        add_color(p, column, p->color[cell[i]], (double)whole);
    for (int64_t i = from + whole * n; i < to; i++)
        add_color(p, column, p->color[cell[i % n]], 1);
}

/* The first cell of a column, counted from the strip's first. */
static int64_t column_start(const Picture *p, int column)
{
    return (int64_t)ceil((double)column * p->cells - 1e-9);
}

static void put_stretch(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Put *put = context;
    Picture *p = put->p;
    const Strip *s = put->strip;
    int64_t from = put->at - s->first, to = from + n * (int64_t)count,
            size = s->last - s->first + 1;
    int column = from > 0 ? (int)fmin((double)from / p->cells, s->columns) : 0;
    for (column -= column > 0; column < s->columns && column_start(p, column) < to; column++) {
        int64_t low = column_start(p, column), high = column_start(p, column + 1);
        low = low > from ? low : from;
        high = high < to ? high : to;
        high = high < size ? high : size;
        if (low < high)
            add_part(p, s->column + column, cell, n, low - from, high - from);
    }
    put->at += n * (int64_t)count;
}

/* The mean colour of a column; what no stretch has covered is blank. */
static unsigned column_color(const Picture *p, int column)
{
    unsigned color = 0;
    double n = p->covered[column];
    for (int i = 0; i < 3; i++) {
        double part = n > 0 ? p->sum[column][i] / n : (double)(BLANK >> (8 * i) & 255u);
        color |= (unsigned)lround(fmin(255, fmax(0, part))) << (8 * i);
    }
    return color;
}

static void cover_blanks(Picture *p, const Strip *s)
{
    for (int i = 0; i < s->columns; i++) {
        int64_t low = column_start(p, i), high = column_start(p, i + 1);
        int64_t size = s->last - s->first + 1;
        double cells = (double)((high < size ? high : size) - low);
        double open = cells - p->covered[s->column + i];
        if (open > 0)
            add_color(p, s->column + i, BLANK, open);
    }
}

static bool put_row(Picture *p, const ThTmEngine *e, int row TH_UNUSED, void *context)
{
    ThFigure *f = context;
    for (int i = 0; i < p->columns; i++) {
        p->sum[i][0] = p->sum[i][1] = p->sum[i][2] = 0;
        p->covered[i] = 0;
    }
    for (int t = 0; t < p->m->n_tapes; t++) {
        Put put = {.p = p, .strip = &p->strip[t]};
        const ThTmTape *tape = &e->plain.tape[t];
        put.at = e->fast ? th_tm_fast_left_end(e->fast) : tape->base;
        if (e->fast)
            th_tm_fast_each(e->fast, put_stretch, &put);
        else
            put_stretch(&put, tape->cell, (int)tape->size, 1);
        cover_blanks(p, &p->strip[t]);
    }
    for (int i = 0; i < p->columns; i++)
        th_figure_printf(f, i ? " %u" : "%u", p->covered[i] > 0 ? column_color(p, i) : WHITE);
    th_figure_printf(f, "\n");
    return true;
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* Dark, so that they stand out from the pale colours of symbols, and each of a shape of its own, so
 * that they differ where they are printed in grey. */
static const unsigned state_color[] = {0x000000, 0xE04000, 0x00A048, 0x0050C8,
                                       0xF050B0, 0x40002C, 0x7A5C00, 0x505058};
static const int state_shape[] = {7, 5, 9, 13, 11, 15, 6, 4};
enum { N_STATE_COLORS = sizeof state_color / sizeof *state_color };

static double x_of(const Picture *p, int tape, int64_t cell)
{
    const Strip *s = &p->strip[tape];
    if (p->m->n_tapes == 1)
        return (double)cell;
    return s->column + ((double)(cell - s->first) + 0.5) / p->cells - 0.5;
}

static bool put_head(Picture *p, const ThTmEngine *e, int row, void *context)
{
    ThFigure *f = context;
    int state = e->fast ? th_tm_fast_figures(e->fast).state : e->plain.state;
    for (int t = 0; t < p->m->n_tapes; t++) {
        int look = p->m->n_states <= N_STATE_COLORS ? state : 0;
        th_figure_printf(f, "%.6f %d %d %u ", x_of(p, t, head_of(e, t)), row, state_shape[look],
                         state_color[look]);
        th_figure_last_cell(f, p->m->state[state]);
    }
    return true;
}

/* Steps from one row to the next. */
static double row_height(const Picture *p)
{
    return p->rows > 1 ? (double)p->steps / (p->rows - 1) : 1;
}

typedef struct {
    Picture *p;
    ThFigure *f;
    int tape, row;
    int64_t at;
} Symbols;

static void put_symbols(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Symbols *s = context;
    const Strip *strip = &s->p->strip[s->tape];
    for (uint64_t i = 0; i < count; i++)
        for (int j = 0; j < n; j++, s->at++) {
            if (cell[j] == s->p->m->blank || s->at < strip->first || s->at > strip->last)
                continue;
            th_figure_printf(s->f, "%.6f %.9g ", x_of(s->p, s->tape, s->at),
                             s->row * row_height(s->p));
            th_figure_last_cell(s->f, s->p->m->symbol[cell[j]]);
        }
}

static bool put_symbol_row(Picture *p, const ThTmEngine *e, int row, void *context)
{
    for (int t = 0; t < p->m->n_tapes; t++) {
        Symbols s = {.p = p, .f = context, .tape = t, .row = row};
        const ThTmTape *tape = &e->plain.tape[t];
        s.at = e->fast ? th_tm_fast_left_end(e->fast) : tape->base;
        if (e->fast)
            th_tm_fast_each(e->fast, put_symbols, &s);
        else
            put_symbols(&s, tape->cell, (int)tape->size, 1);
    }
    return true;
}

/* True if there is room for the symbols themselves where characters are the pixels. */
static bool symbols_fit(const Picture *p)
{
    enum { MOST_WIDE = 70, MOST_HIGH = 80 };
    return p->columns <= MOST_WIDE && p->rows <= MOST_HIGH &&
           th_symbols_single(p->m->symbol, p->m->n_symbols);
}

/* True if the states' names are written into the cells. */
static bool names_fit(const Picture *p)
{
    enum { MOST_WIDE = 75 /* characters side by side */ };
    int longest = 0;
    for (int q = 0; q < p->m->n_states; q++) {
        int n = th_utf8_width(p->m->state[q]);
        longest = n > longest ? n : longest;
    }
    return p->rows <= MOST_LABELS && p->columns * longest <= MOST_WIDE;
}

/* ---- the figure ------------------------------------------------------------------------------ */

/* The key comes last: before a matrix, entries of their own make gnuplot stumble. */
static void put_key(ThFigure *f, const Picture *p, bool heads, bool names)
{
    const ThTm *m = p->m;
    for (int s = 0; s < m->n_symbols && m->n_symbols <= MOST_NAMED; s++) {
        th_figure_printf(f, ", \\\n     keyentry with points pt 5 ps 1.6 lc rgb 0x%06x title ",
                         p->color[s]);
        const char *name = th_plot_tape_symbol(m, s);
        th_figure_string(f, strcmp(name, "␣") == 0 ? "blank" : name);
    }
    for (int q = 0; heads && !names && q < m->n_states && m->n_states <= N_STATE_COLORS; q++) {
        th_figure_printf(f, ", \\\n     keyentry with points pt %d ps 0.7 lc rgb 0x%06x title ",
                         state_shape[q], state_color[q]);
        th_figure_string(f, m->state[q]);
    }
    th_figure_printf(f, "\n");
}

/* Cells of several tapes: their first and last, and where the run began. */
static void put_tape_tics(ThFigure *f, const Picture *p)
{
    th_figure_printf(f, "set xtics ()\n");
    for (int t = 0; t < p->m->n_tapes; t++) {
        const Strip *s = &p->strip[t];
        int64_t third = (s->last - s->first) / 3;
        th_figure_printf(f, "set xtics add ('%lld' %.6f, '%lld' %.6f)\n", (long long)s->first,
                         x_of(p, t, s->first), (long long)s->last, x_of(p, t, s->last));
        if (-s->first > third && s->last > third)
            th_figure_printf(f, "set xtics add ('0' %.6f)\n", x_of(p, t, 0));
        th_figure_printf(
            f,
            "set label %d 'tape %d' at %.6f,graph 1 center offset 0,(plain ? 1 : 0.5) font ',9' "
            "textcolor rgb '#606060'\n",
            10 + t, t + 1, s->column + s->columns / 2.0 - 0.5);
    }
}

static void put_axes(ThFigure *f, const Picture *p)
{
    enum { FEW = 12 };
    bool one = p->m->n_tapes == 1;
    double rows = row_height(p), scale = one ? p->cells : 1,
           first = one ? (double)p->strip[0].first : 0;
    th_figure_printf(f,
                     "set xlabel 'cell' textcolor rgb '#404040'\n"
                     "set ylabel 'step' textcolor rgb '#404040'\n"
                     "rows = %.17g; cells = %.17g; first = %.17g\n"
                     "set yrange [%.17g:%.17g]; set xrange [%.17g:%.17g]\n",
                     rows, scale, first + (scale - 1) / 2, (double)p->steps + rows / 2, -rows / 2,
                     first - 0.5, first - 0.5 + p->columns * scale);
    if (!one)
        put_tape_tics(f, p);
    else if (p->columns <= FEW)
        th_figure_printf(f, "set xtics 1\n");
    if (p->rows <= FEW)
        th_figure_printf(f, "set ytics 1\n");
    th_figure_printf(f, "set key outside right top Left reverse\nif (plain) unset key\n");
}

/* Where characters are the pixels, what is not blank is its symbol or a mark. */
static void put_text_plot(ThFigure *f, bool names, bool symbols)
{
    if (symbols)
        th_figure_printf(f, "if (plain) plot $SYMBOLS using 1:2:3 with labels noenhanced notitle");
    else
        th_figure_printf(f,
                         "if (plain) plot $RUN using ($3 == %u || $3 == %u ? NaN : first + $1 * "
                         "cells):($2 * rows) matrix with points pt '#' notitle",
                         BLANK, WHITE);
    th_figure_printf(f, names ? ", \\\n     $HEADS using 1:2:5 with labels noenhanced notitle\n"
                              : "\n");
}

static void put_plots(ThFigure *f, const Picture *p, bool heads, bool names, bool symbols)
{
    enum { ROOMY = 25 }; /* columns in which a symbol stands beside a state */
    th_figure_printf(f, "part(color, i) = int(color) / 256**i %% 256\n"
                        "if (!plain) plot $RUN using (first + $1 * cells):($2 * rows):"
                        "(part($3, 2)):(part($3, 1)):(part($3, 0)) matrix with rgbimage notitle");
    if (names && symbols && p->columns <= ROOMY)
        th_figure_printf(f,
                         ", \\\n     $SYMBOLS using ($1 - 0.36):2:3 with labels left noenhanced "
                         "font ',%d' textcolor rgb '#505050' notitle",
                         p->rows > 25 ? 6 : 8);
    if (names)
        th_figure_printf(f,
                         ", \\\n     $HEADS using 1:2:5 with labels noenhanced font ':Bold,%d' "
                         "textcolor rgb '#101010' notitle",
                         p->rows > 25 ? 7 : 9);
    else if (heads)
        th_figure_printf(f,
                         ", \\\n     $HEADS using 1:2:3:4 with points pt variable ps %s "
                         "lc rgb variable notitle",
                         p->rows > 150  ? "0.25"
                         : p->rows > 60 ? "0.45"
                                        : "0.7");
    put_key(f, p, heads, names);
}

static bool make_rows(Picture *p, ThFigure *f, const char *title, const ThTmFastFigures *end,
                      ThError *err)
{
    enum { MOST_WITH_HEADS = 300 };
    bool heads = p->steps + 1 == (uint64_t)p->rows && p->rows <= MOST_WITH_HEADS && p->cells <= 1;
    bool names = heads && names_fit(p), final = th_tm_verdict_final(end->verdict);
    choose_colors(p, names ? 0.7 : heads ? 0.45 : 0);
    th_figure_begin(f, title, NULL);
    th_figure_block(f, "RUN");
    bool ok = sample(p, put_row, f, err);
    th_figure_end_block(f);
    if (heads) {
        th_figure_block(f, "HEADS");
        ok = ok && sample(p, put_head, f, err);
        th_figure_end_block(f);
    }
    bool symbols = symbols_fit(p) && p->steps > 0;
    if (symbols) {
        th_figure_block(f, "SYMBOLS");
        ok = ok && sample(p, put_symbol_row, f, err);
        th_figure_printf(f, "1e9 1e9 \" \"\n"); /* so that it is never empty; out of sight */
        th_figure_end_block(f);
    }
    th_figure_subtitle(f, final ? "%s after %llu step%s" : "%s %llu step%s",
                       final ? th_tm_verdict_name(end->verdict) : "the first",
                       (unsigned long long)end->steps, end->steps == 1 ? "" : "s");
    put_axes(f, p);
    put_text_plot(f, names, symbols);
    put_plots(f, p, heads, names, symbols);
    return ok;
}

bool th_plot_spacetime(ThFigure *f, const char *title, const ThTmWork *run, ThError *err)
{
    const ThTm *m = run->machine;
    ThTmFastFigures end;
    if (!fail_choices(m, err) || !find_end(run, &end, err))
        return false;
    Picture p = {.m = m, .words = run->words, .stop = run->stop, .steps = end.steps};
    p.rows = end.steps < MOST_ROWS ? (int)end.steps + 1 : MOST_ROWS;
    if (!sample(&p, widen, NULL, err))
        return false;
    place_strips(&p);
    p.color = th_alloc((size_t)m->n_symbols, sizeof *p.color, err);
    p.sum = th_alloc((size_t)p.columns, sizeof *p.sum, err);
    p.covered = th_alloc((size_t)p.columns, sizeof *p.covered, err);
    bool ok = p.color && p.sum && p.covered && make_rows(&p, f, title, &end, err);
    TH_FREE(p.color, p.sum, p.covered);
    return ok;
}

/* ---- score ----------------------------------------------------------------------------------- */

/* Sampled step i of n: equally far apart, or, for logarithmic axes, in equal ratios. */
static uint64_t sampled_step(uint64_t steps, int i, int n, bool log)
{
    double share = n > 1 ? (double)i / (n - 1) : 1;
    if (i == n - 1)
        return steps;
    return (uint64_t)(log ? pow((double)steps, share) : (double)steps * share);
}

bool th_plot_run_score(ThFigure *f, const char *title, const ThTmWork *run, ThPlotAxes axes,
                       ThError *err)
{
    enum { POINTS = 2000, MANY = 2000 };
    ThTmFastFigures end;
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {0};
    if (!fail_choices(run->machine, err) || !find_end(run, &end, err))
        return false;
    bool log =
        (axes == TH_PLOT_AXES_AUTO ? end.steps > MANY : axes == TH_PLOT_AXES_LOG) && end.steps > 1;
    int n = end.steps < POINTS ? (int)end.steps + 1 : POINTS;
    if (!th_tm_engine_start(&e, run->machine, run->words, err))
        return false;
    th_figure_begin(f, title, NULL);
    th_figure_block(f, "SCORE");
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        uint64_t step = sampled_step(end.steps, i, n, log);
        ok = th_tm_engine_go(&e, UINT64_MAX, (ThTmRunLimits){step, UINT64_MAX}, run->stop, err);
        ThTmFastFigures x = th_tm_engine_figures(&e);
        if (ok && (x.steps > 0 || !log))
            th_figure_printf(f, "%llu %llu %llu\n", (unsigned long long)x.steps,
                             (unsigned long long)x.cells, (unsigned long long)x.nonblank);
    }
    th_figure_end_block(f);
    bool final = th_tm_verdict_final(end.verdict);
    th_figure_subtitle(f, "%s%s%llu step%s: %llu cells visited, %llu not blank",
                       final ? th_tm_verdict_name(end.verdict) : "the first",
                       final ? " after " : " ", (unsigned long long)end.steps,
                       end.steps == 1 ? "" : "s", (unsigned long long)end.cells,
                       (unsigned long long)end.nonblank);
    th_figure_printf(f,
                     "set xlabel 'step' textcolor rgb '#404040'\n"
                     "set ylabel 'cells' textcolor rgb '#404040'\n"
                     "set grid ytics lc rgb '#e4e4e4' lw 0.7; set key top left\n%s",
                     log ? "set autoscale noextend\n" : "set yrange [0:*]\n");
    void (*axis)(ThFigure *, const char *, double, double) =
        log ? th_figure_log_axis : th_figure_axis;
    axis(f, "x", log, (double)end.steps);
    axis(f, "y", log, (double)end.cells);
    th_figure_printf(f,
                     "plot $SCORE using 1:2 with lines lt 1 lw 1.6 title 'visited', \\\n"
                     "     $SCORE using 1:%s with lines lt 2 lw 1.6 title 'not blank'\n",
                     log ? "($3 > 0 ? $3 : NaN)" : "3");
    return ok;
}
