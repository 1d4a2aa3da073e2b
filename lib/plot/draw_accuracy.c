#include "plot/views.h"

#include <math.h>

static void put_scores(ThFigure *f, const ThPlotModel *m, size_t number)
{
    th_figure_printf(f, "$SCORES%zu << TH_EOD\n", number);
    for (size_t i = 0; i < m->n_scores; i++)
        th_figure_printf(f, "%d %.9g %.9g %.9g\n", m->score[i].length, m->score[i].accuracy,
                         m->score[i].lo, m->score[i].hi);
    th_figure_end_block(f);
    if (m->n_dots == 0)
        return;
    th_figure_printf(f, "$DOTS%zu << TH_EOD\n", number);
    for (size_t i = 0; i < m->n_dots; i++)
        th_figure_printf(f, "%d %.9g\n", m->dot[i].length, m->dot[i].accuracy);
    th_figure_end_block(f);
}

/* Returns the number of lengths whose chance level is known. */
static size_t put_chance(ThFigure *f, const ThPlotModel *m, size_t number)
{
    size_t known = 0;
    for (size_t i = 0; i < m->n_scores; i++)
        known += isfinite(m->score[i].chance);
    if (known == 0)
        return 0;
    th_figure_printf(f, "$CHANCE%zu << TH_EOD\n", number);
    for (size_t i = 0; i < m->n_scores; i++)
        if (isfinite(m->score[i].chance))
            th_figure_printf(f, "%d %.9g\n", m->score[i].length, m->score[i].chance);
    th_figure_end_block(f);
    return known;
}

/* True if two models were evaluated on lengths of the same chance: one line stands for both. */
static bool same_chance(const ThPlotModel *a, const ThPlotModel *b)
{
    bool same = a->n_scores == b->n_scores;
    for (size_t i = 0; same && i < a->n_scores; i++) {
        double x = a->score[i].chance, y = b->score[i].chance;
        same = a->score[i].length == b->score[i].length && (x == y || (isnan(x) && isnan(y)));
    }
    return same;
}

static bool same_training(const ThPlotModel *model, size_t n)
{
    bool same = true;
    for (size_t i = 1; i < n; i++)
        same = same && model[i].training->trained_lo == model->training->trained_lo &&
               model[i].training->trained_hi == model->training->trained_hi;
    return same;
}

typedef struct {
    double x[2], y[2];
} Limits;

/* Those that are asked for; or all lengths, and all shares. */
static Limits limits_of(const ThFigureAxes *axes, const ThPlotModel *model, size_t n)
{
    Limits l = {{model->score[0].length, 1}, {1, axes->log_y ? 1 : 1.03}};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < model[i].n_scores; k++) {
            const ThScore *s = &model[i].score[k];
            l.x[0] = fmin(l.x[0], s->length);
            l.x[1] = fmax(l.x[1], s->length);
            l.y[0] = s->accuracy > 0 ? fmin(l.y[0], s->accuracy) : l.y[0];
        }
    l.x[0] = axes->log_x ? l.x[0] : 0;
    l.x[1] += axes->log_x && l.x[1] > l.x[0] ? 0 : 1;
    l.y[0] = axes->log_y ? 0.8 * l.y[0] : 0;
    for (int i = 0; i < 2; i++) {
        l.x[i] = axes->x[0] < axes->x[1] ? axes->x[i] : l.x[i];
        l.y[i] = axes->y[0] < axes->y[1] ? axes->y[i] : l.y[i];
    }
    return l;
}

static void shade(ThFigure *f, const ThModelTraining *training, const Limits *l)
{
    double lo = fmax(training->trained_lo, l->x[0]), hi = fmin(training->trained_hi, l->x[1]);
    if (training->trained_hi <= 0 || hi <= lo)
        return;
    th_figure_printf(f,
                     "if (!plain) set object 1 rectangle from first %.9g, graph 0 to first %.9g, "
                     "graph 1 behind fc rgb '#edf3f8' fs solid noborder\n",
                     lo, hi);
    th_figure_printf(f,
                     "if (!plain) set label 2 'trained on %d to %d' at first %.9g, graph 0.03 left "
                     "offset 0.6,0 font ',8' textcolor rgb '#5f7f9a'\n",
                     training->trained_lo, training->trained_hi, hi < l->x[1] ? hi : lo);
}

/* Where each training ended, in the colour of the model's line. */
static void mark_trainings(ThFigure *f, const ThPlotModel *model, size_t n, const Limits *l)
{
    for (size_t i = 0; i < n; i++) {
        int hi = model[i].training->trained_hi;
        if (hi > 0 && hi >= l->x[0] && hi <= l->x[1])
            th_figure_printf(f,
                             "if (!plain) set arrow %zu from first %d, graph 0 to first %d, graph "
                             "1 nohead back lt %zu lw 1 dt 3\n",
                             i + 1, hi, hi, i % 8 + 1);
    }
}

static void summarize(ThFigure *f, const ThPlotModel *m)
{
    double sum = 0, least = 1;
    for (size_t i = 0; i < m->n_scores; i++) {
        sum += m->score[i].accuracy;
        least = fmin(least, m->score[i].accuracy);
    }
    const char *band = m->band ? m->band : "band: 95 % interval";
    th_figure_subtitle(f, "mean %.4g, least %.4g over %zu length%s%s%s", sum / (double)m->n_scores,
                       least, m->n_scores, m->n_scores == 1 ? "" : "s", *band ? "; " : "", band);
}

static void set_axes(ThFigure *f, const Limits *l, size_t n)
{
    const ThFigureAxes *axes = &f->axes;
    const char *legend = axes->legend ? axes->legend : n > 1 ? "outside right top" : "bottom right";
    th_figure_printf(f,
                     "set xlabel 'length' textcolor rgb '#404040'; set xrange [%.9g:%.9g]\n"
                     "set ylabel 'accuracy' textcolor rgb '#404040'; set yrange [%.9g:%.9g]\n"
                     "set grid ytics lc rgb '#e4e4e4' lw 0.7\n"
                     "set key %s%s\n"
                     "set style fill transparent solid 0.25 noborder\n",
                     l->x[0], l->x[1], l->y[0], l->y[1], legend,
                     strcmp(legend, "off") == 0 ? "" : " Left reverse");
    if (strstr(legend, "bmargin"))
        th_figure_printf(f, "set bmargin %zu\n", 5 + n / 4);
    (axes->log_x ? th_figure_log_axis : th_figure_axis)(f, "x", l->x[0], l->x[1]);
    if (axes->log_y)
        th_figure_log_axis(f, "y", l->y[0], l->y[1]);
    else if (axes->y[0] >= axes->y[1])
        th_figure_printf(f, "set ytics 0,0.2,1\n");
}

/* The band, the chance level where it is none of those before, and the line, which has points of
 * its own shape where there is no colour to tell it from others. */
static void draw_model(ThFigure *f, const ThPlotModel *model, size_t i, size_t n, size_t known)
{
    static const int shape[] = {7, 5, 9, 13, 11, 6, 4, 8};
    const ThPlotModel *m = &model[i];
    size_t line = i % 8 + 1;
    if (m->n_scores > 1 && !(m->band && !*m->band))
        th_figure_printf(f,
                         "$SCORES%zu using 1:(plain ? NaN : $3):4 with filledcurves lt %zu "
                         "notitle, \\\n     ",
                         i, line);
    if (known > 0)
        th_figure_printf(
            f,
            "$CHANCE%zu using 1:2 with %s lw 1.5 lt (plain ? 7 : %d) dt 2 title 'chance', "
            "\\\n     ",
            i, known > 1 ? "lines" : "points pt 6", i == 0 ? 8 : (int)line);
    if (m->n_dots > 0)
        th_figure_printf(f, "$DOTS%zu using 1:2 with points lt %zu pt 6 ps 0.5 notitle, \\\n     ",
                         i, line);
    th_figure_printf(f, "$SCORES%zu using 1:2 with %s lt %zu dt %zu lw 1.8 pt %d ps %s title ", i,
                     m->n_scores > 1 && m->n_scores <= 60 ? "linespoints"
                     : m->n_scores > 1                    ? "lines"
                                                          : "points",
                     line, n > 1 ? i % 5 + 1 : 1, shape[i % 8], n > 1 ? "0.6" : "0.45");
    th_figure_string(f, m->label ? m->label : n > 1 ? m->name : "accuracy");
    th_figure_printf(f, i + 1 < n ? ", \\\n     " : "\n");
}

bool th_plot_accuracy(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                      ThError *err)
{
    enum { MOST = 64 };
    size_t known[MOST];
    if (n > MOST)
        return th_fail(err, TH_ELIMIT, "%zu models are too many for a figure", n);
    for (size_t i = 0; i < n; i++) {
        if (model[i].n_scores > 0)
            continue;
        th_fail(err, TH_EVALUE, "there is no evaluation%s%s to plot", n > 1 ? " of " : "",
                n > 1 ? model[i].name : "");
        return th_hint(err, "evaluate the model first");
    }
    th_figure_begin(f, title, NULL);
    for (size_t i = 0; i < n; i++) {
        put_scores(f, &model[i], i);
        known[i] = i > 0 && same_chance(model, &model[i]) ? 0 : put_chance(f, &model[i], i);
    }
    const char *band = model->band ? model->band : "bands: 95 % intervals";
    const char *ends = same_training(model, n) ? "" : "dotted: the longest trained on";
    if (n == 1)
        summarize(f, model);
    else if (*band || *ends)
        th_figure_subtitle(f, "%s%s%s", band, *band && *ends ? "; " : "", ends);
    Limits l = limits_of(&f->axes, model, n);
    if (same_training(model, n))
        shade(f, model->training, &l);
    else
        mark_trainings(f, model, n, &l);
    set_axes(f, &l, n);
    th_figure_printf(f, "plot ");
    for (size_t i = 0; i < n; i++)
        draw_model(f, model, i, n, known[i]);
    return true;
}
