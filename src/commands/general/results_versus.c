/* results_versus.c - groups of points beside each other: pairs of the same seed, and orders. */
#include <math.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "commands/general/results.h"

bool sh_results_value(const ShResults *r, const char *option, const char *text, int *at,
                      const char **value, ThError *err)
{
    size_t n = strcspn(text, "=");
    *at = -1;
    for (size_t i = 0; i < json_array_size(r->by); i++) {
        const char *name = json_string_value(json_array_get(r->by, i));
        if (strlen(name) == n && strncmp(text, name, n) == 0 && text[n])
            *at = (int)i;
    }
    *value = text[n] ? text + n + 1 : "";
    return *at >= 0 || th_fail(err, TH_EUSAGE, "%s=%s is not NAME=VALUE of a variable of the table",
                               option, text);
}

/* A group's key as text. */
static json_t *key_of(const ShGroup *g)
{
    json_t *key = json_array();
    for (size_t i = 0; i < json_array_size(g->key); i++)
        json_array_append_new(key, sh_results_text(json_array_get(g->key, i)));
    return key;
}

const ShGroup *sh_results_at(const ShResults *r, const json_t *key)
{
    const ShGroup *found = NULL;
    for (size_t k = 0; !found && k < r->n; k++) {
        json_t *own TH_OWNED(json_decref) = key_of(&r->group[k]);
        found = json_equal(key, own) ? &r->group[k] : NULL;
    }
    return found;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static const json_t *seed_of(const json_t *record)
{
    return json_object_get(json_object_get(record, "point"), "seed");
}

/* The place of the point with this seed; g->n: there is none, or it has none. */
static size_t with_seed(const ShGroup *g, const json_t *seed)
{
    size_t i = 0;
    while (i < g->n && !(seed && json_equal(seed_of(g->from[i]), seed)))
        i++;
    return i;
}

/* What other strings would make of the mean difference; NaN where their number is not known. */
static ThStatsInterval of_strings(const double *a, double strings_a, const double *b,
                                  double strings_b, size_t n)
{
    ThStatsInterval none = {(double)NAN, (double)NAN};
    if (!(strings_a >= 1 && strings_b >= 1))
        return none;
    double mean_a = gsl_stats_mean(a, 1, n), mean_b = gsl_stats_mean(b, 1, n);
    return th_stats_difference(mean_a, th_stats_share(mean_a * strings_a, strings_a), mean_b,
                               th_stats_share(mean_b * strings_b, strings_b));
}

/* The interval of differences that are sorted; `strings`: what is known of that error. */
static ThStatsInterval of_differences(const ShResults *r, const double *d, size_t n,
                                      ThStatsInterval strings)
{
    ThStatsInterval none = {(double)NAN, (double)NAN}, seeds;
    bool equal = d[0] == d[n - 1], known = !isnan(strings.low);
    if (n < 2 || (r->share && th_stats_two_groups(d, n, 0.15)))
        return none;
    if (equal && (r->share || d[0] != floor(d[0])))
        return strings;
    seeds = th_stats_mean(d, n);
    return known ? (ThStatsInterval){fmin(seeds.low, strings.low), fmax(seeds.high, strings.high)}
                 : seeds;
}

bool sh_results_pair(const ShResults *r, const ShGroup *a, const ShGroup *b, ShPairs *to,
                     ThError *err)
{
    ThStatsInterval none = {(double)NAN, (double)NAN};
    double *d TH_OWNED(free) = th_alloc(3 * a->n + 1, sizeof *d, err);
    double *x = d ? d + a->n : NULL, *y = d ? x + a->n : NULL;
    *to = (ShPairs){.mean = (double)NAN, .p = (double)NAN, .away = none};
    for (size_t i = 0; d && i < a->n; i++) {
        size_t k = with_seed(b, seed_of(a->from[i]));
        if (k == b->n)
            continue;
        x[to->n] = a->x[i];
        y[to->n] = b->x[k];
        d[to->n] = a->x[i] - b->x[k];
        to->higher += d[to->n++] > 0;
    }
    if (d && to->n > 0) {
        to->mean = gsl_stats_mean(d, 1, to->n);
        to->p = th_stats_sign_flips(d, to->n);
        gsl_sort(d, 1, to->n);
        to->away = of_differences(r, d, to->n, of_strings(x, a->strings, y, b->strings, to->n));
    }
    return d != NULL;
}

/* The group that differs from this one by the value at a place of its key. */
static const ShGroup *beside(const ShResults *r, const ShGroup *g, int at, const char *value)
{
    json_t *key TH_OWNED(json_decref) = key_of(g);
    json_array_set_new(key, (size_t)at, json_string(value));
    return sh_results_at(r, key);
}

static void print_pairs(ShSession *s, const ShGroup *g, const ShPairs *p, double scale)
{
    json_t *row TH_OWNED(json_decref) = key_of(g);
    double number[] = {p->mean * scale, p->away.low * scale, p->away.high * scale, p->p};
    json_array_append_new(row, json_integer((json_int_t)p->n));
    json_array_append_new(row, json_integer((json_int_t)p->higher));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        json_array_append_new(row, sh_json_number(number[i]));
    sh_row_values(s, row);
}

/* Pairs are of points with the same seed. */
static bool have_seeds(const ShResults *r, ThError *err)
{
    size_t i;
    json_t *record;
    json_array_foreach(r->records, i, record) if (seed_of(record)) return true;
    return th_fail(err, TH_EVALUE,
                   "versus= pairs points of the same seed, and no point here has a variable seed: "
                   "let the sweep write \"for seed = 1..5\"");
}

bool sh_results_versus(ShSession *s, const ThOptions *o, const ShResults *r, ThError *err)
{
    const char *value;
    int at;
    bool ok = sh_results_value(r, "versus", th_option_text(o, "versus"), &at, &value, err) &&
              have_seeds(r, err);
    ThText columns TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; ok && i < json_array_size(r->by); i++)
        th_text_printf(&columns, "%s:s ", json_string_value(json_array_get(r->by, i)));
    th_text_add(&columns, "pairs:i higher:i difference:r low:r high:r p:r");
    if (ok)
        sh_table(s, "pairs", th_text_string(&columns));
    for (size_t k = 0; ok && k < r->n; k++) {
        const ShGroup *other = beside(r, &r->group[k], at, value);
        ShPairs p;
        if (!other || other == &r->group[k])
            continue;
        ok = sh_results_pair(r, &r->group[k], other, &p, err);
        if (ok)
            print_pairs(s, &r->group[k], &p, th_option_real(o, "scale"));
    }
    if (columns.data)
        sh_table_end(s);
    return ok;
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* What of a row stays the same while the variable takes its values. */
static json_t *rest_of(const ShPublished *p, size_t at)
{
    json_t *rest = json_copy(p->key);
    json_array_remove(rest, at);
    return rest;
}

/* The rows like row `first` in all but the variable: theirs and ours. */
static size_t collect(const ShResults *r, size_t first, size_t at, const double *found, double *x,
                      double *y)
{
    json_t *rest TH_OWNED(json_decref) = rest_of(&r->published[first], at);
    size_t n = 0;
    for (size_t i = 0; i < r->n_published; i++) {
        json_t *own TH_OWNED(json_decref) = rest_of(&r->published[i], at);
        bool like = json_equal(rest, own) &&
                    r->published[i].statistic == r->published[first].statistic &&
                    !isnan(r->published[i].value) && !isnan(found[i]);
        if (!like)
            continue;
        if (i < first)
            return 0; /* it has been told with that row */
        x[n] = r->published[i].value;
        y[n++] = found[i];
    }
    return n;
}

static void print_rank(ShSession *s, const ShPublished *p, size_t at, double *x, double *y,
                       size_t n)
{
    json_t *row TH_OWNED(json_decref) = rest_of(p, at);
    double p_value, number[3];
    number[1] = th_stats_kendall(x, y, n, &p_value);
    number[2] = p_value;
    number[0] = th_stats_spearman(x, y, n, y + n); /* room behind them: see sh_results_rank */
    json_array_append_new(row, json_integer((json_int_t)n));
    for (size_t i = 0; i < 3; i++)
        json_array_append_new(row, sh_json_number(number[i]));
    sh_row_values(s, row);
}

bool sh_results_rank(ShSession *s, const ThOptions *o, const ShResults *r, const double *found,
                     ThError *err)
{
    const char *name = th_option_text(o, "rank");
    size_t at = 0, by = json_array_size(r->by);
    while (at < by && strcmp(json_string_value(json_array_get(r->by, at)), name) != 0)
        at++;
    if (at == by)
        return th_fail(err, TH_EUSAGE, "rank=%s is none of the variables of the file", name);
    double *x TH_OWNED(free) = th_alloc(r->n_published, sizeof *x, err);
    double *y TH_OWNED(free) =
        th_alloc(r->n_published * 3, sizeof *y, err); /* and two rows of ranks */
    ThText columns TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < by; i++)
        if (i != at)
            th_text_printf(&columns, "%s:s ", json_string_value(json_array_get(r->by, i)));
    th_text_add(&columns, "rows:i spearman:r kendall:r p:r");
    if (x && y)
        sh_table(s, "ranks", th_text_string(&columns));
    for (size_t i = 0; x && y && i < r->n_published; i++) {
        size_t n = isnan(found[i]) ? 0 : collect(r, i, at, found, x, y);
        if (n > 1)
            print_rank(s, &r->published[i], at, x, y, n);
    }
    if (x && y)
        sh_table_end(s);
    return x && y;
}
