/* results_against.c - what the points of a sweep found beside what a paper printed. */
#include <math.h>

#include "commands/general/results.h"

/* ---- what was found of each ------------------------------------------------------------------ */

/* A row; all its figures in the unit of the file, NaN where there is none. */
typedef struct {
    const ShPublished *of;
    const ShGroup *group; /* NULL: it has not been run */
    ThStatsSummary found;
    double reference, theirs; /* what ours and the published figure are compared with */
    size_t reached;           /* points that come within near= of the published figure, or beyond */
    ThStatsVerdict verdict;
} Row;

typedef struct {
    const ShResults *r;
    double scale, near;
    int looks;          /* of which a point's figure is the best */
    int versus, within; /* columns of the variables; -1: none */
    const char *value, *inside;
    const char
        *learned; /* the figure of the points that shows whether; NULL: that of the training */
    Row *row;
    size_t n;
} Table;

/* The mean of what evaluate gives as chance; NaN where there is none, and for figures that are no
 * shares of right answers. */
static double measured_chance(const Table *t, const ShGroup *g)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < g->n; i++) {
        double x = sh_results_beside(g, i, "chance");
        sum += isnan(x) ? 0 : x;
        n += !isnan(x);
    }
    bool right = strcmp(t->r->of, "accuracy") == 0 || t->looks > 1;
    return n > 0 && right ? sum / n : (double)NAN;
}

static ThStatsInterval scaled(ThStatsInterval i, double scale)
{
    return (ThStatsInterval){i.low * scale, i.high * scale};
}

static ThStatsSummary summarize(const Table *t, const ShGroup *g, ThStatsStatistic statistic)
{
    ThStatsInterval none = {(double)NAN, (double)NAN};
    ThStatsSummary f = {.value = (double)NAN, .seeds = none, .strings = none};
    if (!g || g->n == 0)
        return f;
    ThStatsMeasure of = {t->r->share, g->strings};
    f = th_stats_summarize(g->sorted, g->n, statistic, &of);
    f.value *= t->scale;
    f.seeds = scaled(f.seeds, t->scale);
    f.strings = scaled(f.strings, t->scale);
    return f;
}

/* Where it lies for other seeds and for other strings: both must agree with a verdict.  Of the best
 * run only the strings are in doubt. */
static ThStatsInterval both(const ThStatsSummary *f, ThStatsStatistic statistic)
{
    if (statistic == TH_STATS_MAX)
        return f->strings;
    return isnan(f->seeds.low) || isnan(f->strings.low)
               ? f->seeds
               : (ThStatsInterval){fmin(f->seeds.low, f->strings.low),
                                   fmax(f->seeds.high, f->strings.high)};
}

/* Of our test; of the best of several looks or runs what the best of as many guesses reaches. */
static double chance_of(const Table *t, const ShPublished *p, const ShGroup *g)
{
    if (!isnan(p->chance))
        return p->chance;
    double chance = g ? measured_chance(t, g) : (double)NAN;
    if (g && g->strings >= 1 && !isnan(chance))
        chance = th_stats_best_of((int)g->strings, chance,
                                  t->looks * (p->statistic == TH_STATS_MAX ? (int)g->n : 1));
    return chance * t->scale;
}

static size_t count_reached(const Table *t, const Row *row)
{
    size_t reached = 0;
    double value = row->of->value;
    for (size_t i = 0; row->group && i < row->group->n; i++) {
        double away = row->group->x[i] * t->scale - value;
        reached += t->r->better == 0 ? fabs(away) <= t->near : away * t->r->better >= -t->near;
    }
    return reached;
}

static void measure_row(const Table *t, Row *row)
{
    const ShPublished *p = row->of;
    row->found = summarize(t, row->group, p->statistic);
    row->reference = chance_of(t, p, row->group);
    row->theirs = !isnan(p->paper_chance) ? p->paper_chance : row->reference;
    row->reached = count_reached(t, row);
}

/* The key of this row but for one value. */
static json_t *key_with(const Row *row, int at, const char *value)
{
    json_t *key = json_deep_copy(row->of->key);
    json_array_set_new(key, (size_t)at, json_string(value));
    return key;
}

/* The row that differs from this one by the value compared with; NULL: there is none. */
static const Row *compared_with(const Table *t, const Row *row)
{
    const Row *found = NULL;
    json_t *key TH_OWNED(json_decref) = key_with(row, t->versus, t->value);
    for (size_t i = 0; !found && i < t->n; i++)
        found = &t->row[i] != row && t->row[i].of->statistic == row->of->statistic &&
                        json_equal(t->row[i].of->key, key)
                    ? &t->row[i]
                    : NULL;
    return found;
}

/* ---- was anything learned? ------------------------------------------------------------------- */

/* Of the row that is tested on the lengths of training: 1, 0, or -1, not known. */
static int row_learned(const Table *t, const Row *row)
{
    json_t *key TH_OWNED(json_decref) = key_with(row, t->within, t->inside);
    const ShGroup *g = sh_results_at(t->r, key);
    double chance = g ? measured_chance(t, g) * t->scale : (double)NAN;
    if (isnan(chance) || g->n == 0)
        return -1;
    return g->sorted[g->n - 1] * t->scale > chance + t->near;
}

/* Of the points' own figure: is any above chance? */
static int points_learned(const Table *t, const Row *row)
{
    const ShGroup *g = row->group;
    int learned = -1;
    double least = row->reference + t->near;
    for (size_t i = 0; g && i < g->n && !isnan(least); i++) {
        double x = t->learned ? sh_results_figure(g->from[i], t->learned)
                              : json_number_value(json_object_get(g->from[i], "learned"));
        bool known =
            t->learned ? !isnan(x) : json_is_number(json_object_get(g->from[i], "learned"));
        if (known)
            learned = learned == 1 || x * t->scale > least;
    }
    return learned;
}

static int was_learned(const Table *t, const Row *row)
{
    if (t->within >= 0)
        return row_learned(t, row);
    bool same_figure = strcmp(t->r->of, "accuracy") == 0; /* as the training's */
    return t->learned || same_figure ? points_learned(t, row) : -1;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static ThStatsFound found_of(const Table *t, const Row *row)
{
    const ShGroup *g = row->group;
    ThStatsInterval i = both(&row->found, row->of->statistic);
    ThStatsFound f = {.points = g ? g->n : 0,
                      .failed = g ? g->failed : 0,
                      .value = row->found.value,
                      .low = i.low,
                      .high = i.high,
                      .lowest = g && g->n > 0 ? g->sorted[0] * t->scale : (double)NAN,
                      .highest = g && g->n > 0 ? g->sorted[g->n - 1] * t->scale : (double)NAN,
                      .away_low = i.low - row->reference,
                      .away_high = i.high - row->reference,
                      .learned = was_learned(t, row)};
    return f;
}

/* Compares with the other row: theirs by its figure, ours by pairs of seeds. */
static bool refer(const Table *t, Row *row, const Row *other, ThStatsFound *f, ThError *err)
{
    ShPairs p = {.away = {(double)NAN, (double)NAN}};
    if (row->group && other->group && !sh_results_pair(t->r, row->group, other->group, &p, err))
        return false;
    row->reference = other->found.value;
    row->theirs = other->of->value;
    f->away_low = p.away.low * t->scale;
    f->away_high = p.away.high * t->scale;
    if (other->group && other->group->failed > 0)
        f->away_low = f->away_high = (double)NAN;
    return true;
}

static bool judge(const Table *t, Row *row, ThError *err)
{
    const Row *other = t->versus >= 0 ? compared_with(t, row) : NULL;
    ThStatsFound f = found_of(t, row);
    bool alone = t->versus >= 0 && !other && isnan(row->reference);
    if (other && !refer(t, row, other, &f, err))
        return false;
    ThStatsClaim c = {.published = row->of->value,
                      .side = row->of->side,
                      .reference = row->theirs,
                      .near = t->near,
                      .better = t->r->better,
                      .relative = other != NULL};
    row->verdict = th_stats_judge(&c, &f);
    if (alone && f.points + f.failed > 0 && row->verdict != TH_STATS_SAME_VALUE)
        row->verdict = TH_STATS_NONE; /* it is what the others are compared with */
    return true;
}

static bool make_rows(Table *t, ThError *err)
{
    const ShResults *r = t->r;
    t->row = th_alloc(r->n_published, sizeof *t->row, err);
    for (size_t i = 0; t->row && i < r->n_published; i++)
        t->row[t->n++] =
            (Row){.of = &r->published[i], .group = sh_results_at(r, r->published[i].key)};
    for (size_t i = 0; t->row && i < t->n; i++)
        measure_row(t, &t->row[i]);
    bool ok = t->row != NULL;
    for (size_t i = 0; ok && i < t->n; i++)
        ok = judge(t, &t->row[i], err);
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void add_number(json_t *to, double x)
{
    json_array_append_new(to, sh_json_number(x));
}

static void add_count(json_t *to, double x)
{
    json_array_append_new(to, isnan(x) ? json_null() : json_integer((json_int_t)x));
}

/* Is there a figure to reach?  That of another row says nothing of the size of this one. */
static bool says_reached(const Table *t, const Row *row)
{
    return row->group && t->versus < 0 && !isnan(row->of->value);
}

/* Its cells: texts and numbers, as column_names has them. */
static json_t *row_values(const Table *t, const Row *row)
{
    static const char *const statistics[] = {"mean", "median", "max"};
    const ShGroup *g = row->group;
    json_t *values = json_deep_copy(row->of->key);
    if (t->r->has_test)
        json_array_append_new(values, json_string(row->of->test ? row->of->test : ""));
    if (t->r->has_statistic)
        json_array_append_new(values, json_string(statistics[row->of->statistic]));
    json_array_append_new(values, json_string(row->of->text));
    add_count(values, g ? (double)g->n : 0);
    add_count(values, g ? (double)g->failed : 0);
    add_number(values, row->found.value);
    add_number(values, row->found.seeds.low);
    add_number(values, row->found.seeds.high);
    add_count(values, says_reached(t, row) ? (double)row->reached : (double)NAN);
    add_count(values, g ? g->strings : (double)NAN);
    add_number(values, row->reference);
    if (t->r->has_paper_chance)
        add_number(values, row->of->paper_chance);
    add_number(values, row->found.value - row->of->value);
    json_array_append_new(values, json_string(th_stats_verdict_name(row->verdict)));
    return values;
}

/* The letters of their kinds go to `kinds`. */
static json_t *column_names(const Table *t, ThText *kinds)
{
    const struct {
        const char *name;
        char kind;
        bool is;
    } column[] = {{"paper_test", 's', t->r->has_test},
                  {"statistic", 's', t->r->has_statistic},
                  {"published", 't', true},
                  {"points", 'i', true},
                  {"failed", 'i', true},
                  {"found", 'r', true},
                  {"low", 'r', true},
                  {"high", 'r', true},
                  {"reached", 'i', true},
                  {"strings", 'i', true},
                  {t->versus < 0 ? "chance" : "reference", 'r', true},
                  {"paper_chance", 'r', t->r->has_paper_chance},
                  {"difference", 'r', true},
                  {"verdict", 's', true}};
    json_t *names = json_copy(t->r->by);
    for (size_t i = 0; i < json_array_size(names); i++)
        th_text_add(kinds, "s");
    for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
        if (!column[i].is)
            continue;
        json_array_append_new(names, json_string(column[i].name));
        th_text_add_bytes(kinds, &column[i].kind, 1);
    }
    return names;
}

static void print_plain(ShSession *s, const Table *t)
{
    ThText columns TH_OWNED(th_text_free) = {0}, kinds TH_OWNED(th_text_free) = {0};
    json_t *names TH_OWNED(json_decref) = column_names(t, &kinds), *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        th_text_printf(&columns, "%s:%c ", json_string_value(name), kinds.data[i]);
    }
    sh_table(s, "results", th_text_string(&columns));
    for (i = 0; i < t->n; i++) {
        json_t *row TH_OWNED(json_decref) = row_values(t, &t->row[i]);
        sh_row_values(s, row);
    }
    sh_table_end(s);
}

/* A cell as papers have it. */
static json_t *cell_text(const json_t *v, int digits)
{
    if (json_is_string(v) || json_is_integer(v))
        return sh_results_text(v);
    return json_is_real(v) ? json_sprintf("%.*f", digits, json_real_value(v)) : json_string("-");
}

static void print_laid_out(ShSession *s, const Table *t, ShLayout layout, int digits)
{
    ThText kinds TH_OWNED(th_text_free) = {0};
    ShGrid g = {column_names(t, &kinds), json_array(), (int)json_array_size(t->r->by), NULL};
    for (size_t i = 0; i < t->n; i++) {
        json_t *values TH_OWNED(json_decref) = row_values(t, &t->row[i]), *row = json_array(), *v;
        size_t k;
        json_array_foreach(values, k, v)
        {
            json_array_append_new(row, cell_text(v, digits));
        }
        json_array_append_new(g.rows, row);
    }
    sh_grid_print(sh_out(s), &g, layout);
    json_decref(g.head);
    json_decref(g.rows);
}

/* How many rows have each verdict, as figures: same_value, .... */
static void tell_verdicts(ShSession *s, const Table *t)
{
    for (int v = TH_STATS_NONE + 1; v < TH_STATS_VERDICTS; v++) {
        char name[32];
        long long n = 0;
        snprintf(name, sizeof name, "%s", th_stats_verdict_name((ThStatsVerdict)v));
        for (char *blank; (blank = strchr(name, ' '));)
            *blank = '_';
        for (size_t i = 0; i < t->n; i++)
            n += (int)t->row[i].verdict == v;
        sh_result_int(s, name, n);
    }
}

/* What would be next for rows from which nothing follows: the order is that of what helps most. */
static void tell_what_is_next(ShSession *s, const Table *t)
{
    int n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->row[i].verdict == TH_STATS_NOT_LEARNED;
    if (n > 0)
        sh_say_folded(
            s,
            "note: not learned (%d): four times the steps first; then the rate, three times higher "
            "and lower; then the batch; longer strings only after that",
            n);
}

/* ---- the call -------------------------------------------------------------------------------- */

static bool check_learned(const Table *t, ThError *err)
{
    const json_t *all = t->r->records;
    bool any = !t->learned;
    for (size_t i = 0; !any && i < json_array_size(all); i++)
        any = !isnan(sh_results_figure(json_array_get(all, i), t->learned));
    return any || th_fail(err, TH_EVALUE, "within=: no point has a figure %s", t->learned);
}

static bool read_options(Table *t, const ThOptions *o, ThError *err)
{
    const char *versus = th_option_text_or(o, "versus", NULL),
               *within = th_option_text_or(o, "within", NULL);
    t->scale = th_option_real(o, "scale");
    t->near = th_option_real_or(o, "near", 0.02 * t->scale);
    t->looks = (int)th_option_int(o, "looks");
    t->versus = t->within = -1;
    if (within && !strchr(within, '='))
        t->learned = within;
    return (!versus || sh_results_value(t->r, "versus", versus, &t->versus, &t->value, err)) &&
           (!within || t->learned ||
            sh_results_value(t->r, "within", within, &t->within, &t->inside, err)) &&
           check_learned(t, err);
}

static bool print_ranks(ShSession *s, const ThOptions *o, const Table *t, ThError *err)
{
    double *found TH_OWNED(free) = th_alloc(t->n, sizeof *found, err);
    for (size_t i = 0; found && i < t->n; i++)
        found[i] = t->row[i].found.value;
    return found && sh_results_rank(s, o, t->r, found, err);
}

bool sh_results_compare(ShSession *s, const ThOptions *o, const ShResults *r, ShLayout layout,
                        ThError *err)
{
    Table t = {.r = r};
    layout = sh_out(s) ? layout : SH_LAYOUT_PLAIN;
    bool ok = read_options(&t, o, err) && make_rows(&t, err);
    if (ok) {
        tell_verdicts(s, &t);
        tell_what_is_next(s, &t);
        if (th_option_given(o, "rank"))
            ok = print_ranks(s, o, &t, err);
        else if (layout == SH_LAYOUT_PLAIN)
            print_plain(s, &t);
        else
            print_laid_out(s, &t, layout, (int)th_option_int(o, "digits"));
    }
    free(t.row);
    return ok;
}
