/* results_plot.c - shares by length: of the points of a sweep, and of models. */
#include <math.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "commands/modelling.h"
#include "commands/plots/curves.h"
#include "commands/plots/plots.h"
#include "commands/general/results.h"

/* ---- curves ---------------------------------------------------------------------------------- */

/* One curve: means by length over the points of a group. */
typedef struct {
    char *name;
    ThModelTraining training; /* its lengths only */
    ThScore *score;
    size_t n, cap;
    double *x; /* room for a figure of every point */
    ThPlotDot *dot;
    size_t n_dots, cap_dots;
} Curve;

/* What is drawn around the means. */
typedef enum { INTERVAL, SD, RANGE, SEEDS, NOTHING } Band;
static const char *const band_names[] = {NULL, "band: mean ± sd", "band: least to greatest",
                                         "dots: seeds", "means"};

static const json_t *scores_of(const json_t *record)
{
    const json_t *all = json_object_get(record, "results");
    for (size_t i = json_array_size(all); i-- > 0;) {
        const json_t *scores = json_object_get(json_array_get(all, i), "scores");
        if (json_is_array(scores))
            return scores;
    }
    return NULL;
}

/* The figure and the chance level of a point at a length; NaN: it has none there. */
static double score_at(const json_t *record, long long length, const char *of, double *chance)
{
    const json_t *scores = scores_of(record);
    size_t i;
    json_t *row;
    json_array_foreach(scores, i, row)
    {
        const json_t *x = json_object_get(row, of), *c = json_object_get(row, "chance");
        if (json_integer_value(json_object_get(row, "length")) != length || !json_is_number(x))
            continue;
        *chance = json_is_number(c) ? json_number_value(c) : (double)NAN;
        return json_number_value(x);
    }
    return (double)NAN;
}

static int by_length(const void *a, const void *b)
{
    const ThScore *x = a, *y = b;
    return (x->length > y->length) - (x->length < y->length);
}

/* All lengths that any point of the group has, in order. */
static bool add_lengths(const ShGroup *g, Curve *c, ThError *err)
{
    size_t i, k;
    json_t *record, *row;
    json_array_foreach(g->records, i, record)
    {
        json_array_foreach(scores_of(record), k, row)
        {
            int length = (int)json_integer_value(json_object_get(row, "length"));
            bool known = length < 1;
            for (size_t j = 0; !known && j < c->n; j++)
                known = c->score[j].length == length;
            if (known)
                continue;
            if (!TH_APPEND(c->score, c->n, c->cap, err,
                           (ThScore){.length = length, .least = length}))
                return false;
        }
    }
    if (c->n > 0)
        qsort(c->score, c->n, sizeof *c->score, by_length);
    return true;
}

/* The band around n ≥ 1 sorted shares, within 0 to 1; NaN: there is none. */
static ThStatsInterval band_of(const double *x, size_t n, Band band)
{
    ThStatsMeasure of = {true, (double)NAN};
    ThStatsInterval none = {(double)NAN, (double)NAN};
    if (band == INTERVAL)
        return th_stats_summarize(x, n, TH_STATS_MEAN, &of).seeds;
    if (band == RANGE)
        return (ThStatsInterval){x[0], x[n - 1]};
    if (band != SD || n < 2)
        return none;
    double mean = gsl_stats_mean(x, 1, n), sd = gsl_stats_sd_m(x, 1, n, mean);
    return (ThStatsInterval){fmax(mean - sd, 0), fmin(mean + sd, 1)};
}

static bool add_dots(Curve *c, int length, size_t n, ThError *err)
{
    if (!th_grow(&c->dot, &c->cap_dots, c->n_dots + n, sizeof *c->dot, err))
        return false;
    for (size_t i = 0; i < n; i++)
        c->dot[c->n_dots++] = (ThPlotDot){length, c->x[i]};
    return true;
}

static bool average(const ShGroup *g, const char *of, Band band, Curve *c, ThError *err)
{
    for (size_t k = 0; k < c->n; k++) {
        ThScore *to = &c->score[k];
        size_t n = 0;
        for (size_t i = 0; i < json_array_size(g->records); i++) {
            double x = score_at(json_array_get(g->records, i), to->length, of, &to->chance);
            if (!isnan(x))
                c->x[n++] = x;
        }
        to->accuracy = to->lo = to->hi = (double)NAN;
        if (n == 0)
            continue;
        gsl_sort(c->x, 1, n);
        ThStatsInterval i = band_of(c->x, n, band);
        to->accuracy = gsl_stats_mean(c->x, 1, n);
        to->lo = i.low;
        to->hi = i.high;
        if (band == SEEDS && !add_dots(c, to->length, n, err))
            return false;
    }
    return true;
}

static void note_training(const ShGroup *g, Curve *c)
{
    size_t i;
    json_t *record;
    json_array_foreach(g->records, i, record)
    {
        const json_t *range = json_object_get(record, "trained");
        int lo = (int)json_integer_value(json_array_get(range, 0));
        int hi = (int)json_integer_value(json_array_get(range, 1));
        c->training.trained_lo =
            i == 0 || lo < c->training.trained_lo ? lo : c->training.trained_lo;
        c->training.trained_hi = hi > c->training.trained_hi ? hi : c->training.trained_hi;
    }
}

/* Returns new: the values of a key, with blanks between them. */
static char *name_key(const json_t *key, ThError *err)
{
    ThText t = {0};
    for (size_t i = 0; i < json_array_size(key); i++) {
        json_t *text TH_OWNED(json_decref) = sh_results_text(json_array_get(key, i));
        th_text_printf(&t, "%s%s", i ? " " : "", json_string_value(text));
    }
    return th_text_take(&t, err);
}

static bool make_curve(const ShResults *r, const ShGroup *g, Band band, Curve *c, ThError *err)
{
    c->name = json_array_size(g->key) > 0 ? name_key(g->key, err) : th_strdup(r->of, err);
    c->x = th_alloc(json_array_size(g->records) + 1, sizeof *c->x, err);
    if (!c->name || !c->x || !add_lengths(g, c, err))
        return false;
    note_training(g, c);
    return average(g, r->of, band, c, err);
}

static ThPlotModel drawn(const Curve *c, Band band)
{
    return (ThPlotModel){.name = c->name,
                         .training = &c->training,
                         .score = c->score,
                         .n_scores = c->n,
                         .dot = c->dot,
                         .n_dots = c->n_dots,
                         .band = band_names[band]};
}

static void free_curve(Curve *c)
{
    TH_FREE(c->name, c->score, c->x, c->dot);
}

static bool plot_curves(const ShCall *call, const ShResults *r, Band band, ThFigure *f,
                        ThError *err)
{
    Curve *c TH_OWNED(free) = th_alloc(r->n + 1, sizeof *c, err);
    ThPlotModel *model TH_OWNED(free) = th_alloc(r->n + 1, sizeof *model, err);
    char *names TH_OWNED(free) = NULL;
    bool ok = c && model;
    size_t n = 0;
    for (size_t i = 0; ok && i < r->n; i++) {
        if (json_array_size(r->group[i].records) == 0) /* all its points failed */
            continue;
        ok = make_curve(r, &r->group[i], band, &c[i], err);
        model[n++] = drawn(&c[i], band);
    }
    if (ok && n == 0)
        ok = th_fail(err, TH_EVALUE, "no point is done: there is nothing to draw");
    char *title TH_OWNED(free) = th_printed(NULL, "%s by length", r->of);
    ok = ok && sh_choose_series(&call->options, model, &n, &names, err) &&
         th_plot_accuracy(f, title ? title : "", model, n, err);
    for (size_t i = 0; c && i < r->n; i++)
        free_curve(&c[i]);
    return ok;
}

/* ---- a grid ---------------------------------------------------------------------------------- */

static char *name_value(const json_t *v, ThError *err)
{
    json_t *text TH_OWNED(json_decref) = sh_results_text(v);
    return th_strdup(json_string_value(text), err);
}

static double mean_of(const ShGroup *g)
{
    double sum = 0;
    for (size_t i = 0; g && i < g->n; i++)
        sum += g->x[i];
    return g && g->n > 0 ? sum / (double)g->n : (double)NAN;
}

static bool fill_grid(const ShResults *r, size_t at, json_t *values, json_t *rests, ThPlotGrid *g,
                      ThError *err)
{
    bool ok = g->row && g->column && g->share;
    for (int i = 0; ok && i < g->columns; i++)
        ok = (g->column[i] = name_value(json_array_get(values, (size_t)i), err)) != NULL;
    for (int k = 0; ok && k < g->rows; k++) {
        json_t *rest = json_array_get(rests, (size_t)k);
        ok = (g->row[k] = name_key(rest, err)) != NULL;
        for (int i = 0; i < g->columns; i++)
            g->share[k * g->columns + i] =
                mean_of(sh_results_find(r, rest, at, json_array_get(values, (size_t)i)));
    }
    return ok;
}

static bool plot_grid(const ShResults *r, size_t at, ThFigure *f, ThError *err)
{
    json_t *values TH_OWNED(json_decref) = json_array(),
                   *rests TH_OWNED(json_decref) = json_array();
    sh_results_split(r, at, values, rests);
    size_t rows = json_array_size(rests), columns = json_array_size(values);
    ThText down TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < json_array_size(r->by); i++)
        if (i != at)
            th_text_printf(&down, "%s%s", down.size ? ", " : "",
                           json_string_value(json_array_get(r->by, i)));
    ThPlotGrid g = {.rows = (int)rows,
                    .columns = (int)columns,
                    .down = th_text_string(&down),
                    .over = json_string_value(json_array_get(r->by, at)),
                    .row = th_alloc(rows + 1, sizeof *g.row, err),
                    .column = th_alloc(columns + 1, sizeof *g.column, err),
                    .share = th_alloc(rows * columns + 1, sizeof *g.share, err)};
    bool ok = fill_grid(r, at, values, rests, &g, err) && th_plot_grid(f, r->of, &g, err);
    TH_FREE_EACH(g.row, rows);
    TH_FREE_EACH(g.column, columns);
    free(g.share);
    return ok;
}

static bool plot(const ShCall *call, const ShResults *r, ThFigure *f, ThError *err)
{
    int at;
    if (!sh_results_across(r, &call->options, &at, err))
        return false;
    Band band = (Band)th_option_choice(&call->options, "band");
    return at < 0 ? plot_curves(call, r, band, f, err) : plot_grid(r, (size_t)at, f, err);
}

#define BAND(where)                                                                                \
    {                                                                                              \
        "band", TH_CHOICE, "ci", 0, 0, "ci|sd|range|seeds|none",                                   \
            where ": the 95 % interval, a standard deviation to each side, least to greatest, a "  \
                  "dot a seed, or nothing"                                                         \
    }

static const ThOptionSpec plot_results_options[] = {
    {"of", TH_STRING, NULL, 0, 0, NULL, "the share to draw; default: accuracy, or answer"},
    {"across", TH_STRING, NULL, 0, 0, NULL, "draw a grid: a variable whose values are the columns"},
    BAND("around the means"),
    SH_CURVE_OPTIONS,
    {0},
};

SH_PLOT(plot_results, .summary = "draw what the points of a sweep found",
        .detail =
            "A curve by length for all points of DIR that agree in the variables named behind "
            "by, which are all but seed if none is: the mean over them, with its 95 % interval "
            "(Student's t; none where seeds fall into two groups) as a band, or what band= says, "
            "the chance level, and the lengths of training shaded.  With across=, which names "
            "one of these variables, the means of the figure of= in a grid, a share a cell.",
        .example = "sweep \"runs\" for kind in [rnn, gru], seed in 1..2 {\n"
                   "  model m = $kind dim=8\n"
                   "  train m on parity length=1..10 steps=10 seed=$seed\n"
                   "  evaluate m on parity length=5..15:5 samples=32\n"
                   "}\n"
                   "plot results \"runs\" by kind > \"runs.svg\"",
        .args = {{A_FILE, "DIR", 0}},
        .args2 = {{A_FILE, "DIR", 0}, {A_KEYWORD, "by", 0}, {A_TEXT, "NAME", A_REPEATED}},
        .options = plot_results_options)
{
    ShResults r TH_OWNED(sh_results_free) = {0};
    return sh_results_read(call, NULL, &r, err) && plot(call, &r, f, err);
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Returns new: a model as a point of a sweep has it. */
static json_t *record_of(const ThPlotModel *m)
{
    json_t *scores = json_array();
    for (size_t i = 0; i < m->n_scores; i++) {
        const ThScore *s = &m->score[i];
        json_t *row = json_pack("{s:i, s:f}", "length", s->length, "accuracy", s->accuracy);
        if (isfinite(s->chance))
            json_object_set_new(row, "chance", json_real(s->chance));
        json_array_append_new(scores, row);
    }
    return json_pack("{s:[{s:o}], s:[i, i]}", "results", "scores", scores, "trained",
                     m->training->trained_lo, m->training->trained_hi);
}

/* The models as seeds of one: a curve of their mean. */
static bool plot_mean(ThFigure *f, const char *title, const ThPlotModel *model, size_t n, Band band,
                      ThError *err)
{
    json_t *key TH_OWNED(json_decref) = json_array(), *records TH_OWNED(json_decref) = json_array();
    const ShResults r = {.of = "accuracy"};
    Curve c = {0};
    for (size_t i = 0; i < n; i++)
        json_array_append_new(records, record_of(&model[i]));
    bool ok = make_curve(&r, &(ShGroup){.key = key, .records = records}, band, &c, err);
    ThPlotModel mean = drawn(&c, band);
    ok = ok && th_plot_accuracy(f, title, &mean, 1, err);
    free_curve(&c);
    return ok;
}

static const ThOptionSpec plot_accuracy_options[] = {
    BAND("around each curve; with sd, range and seeds, which take the models for seeds of one, "
         "around the mean of all"),
    SH_CURVE_OPTIONS,
    {0},
};

SH_PLOT(plot_accuracy, .summary = "draw the last evaluations of models",
        .detail = "Accuracy by length with its 95 % interval and the chance level, the lengths of "
                  "training shaded; where several models differ in these, dotted lines mark the "
                  "longest.  The figures are those of the last evaluate.",
        .example = SH_EXAMPLE_TRAINED
        "evaluate m on p length=11..21:5 samples=64 > \"scores.txt\"\n"
        "plot accuracy m > \"accuracy.svg\"\n"
        "model n = gru dim=16\n"
        "train n on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
        "evaluate n on p length=11..21:5 samples=64 > \"scores.txt\"\n"
        "plot accuracy m n title=\"parity\" size=12x8 > \"both.svg\"\n"
        "plot accuracy m n series=\"n=GRU, m=RegularGPT\" ylim=0.4..1 legend=below > \"named.svg\"",
        .args = {{A_MODEL, "MODEL", A_REPEATED}}, .options = plot_accuracy_options)
{
    Band band = (Band)th_option_choice(&call->options, "band");
    char *names TH_OWNED(free) = NULL, *title TH_OWNED(free) = NULL;
    ThPlotModel *model TH_OWNED(free) =
        sh_models_drawn(call, "", "accuracy by length", &title, err);
    size_t n = (size_t)call->n;
    if (!model || !sh_choose_series(&call->options, model, &n, &names, err))
        return false;
    if (band == SD || band == RANGE || band == SEEDS)
        return plot_mean(f, title, model, n, band, err) || sh_error_inside(err, &call->operand[0]);
    for (size_t i = 0; i < n; i++)
        model[i].band = band == NOTHING ? "" : NULL;
    return th_plot_accuracy(f, title, model, n, err) || sh_error_inside(err, &call->operand[0]);
}
