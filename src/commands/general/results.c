/* results.c - what the points of a sweep found: groups, and tables of their figures. */
#include <math.h>

#include <gsl/gsl_sort.h>

#include "commands/general/results.h"
#include "shell.h"

/* ---- groups ---------------------------------------------------------------------------------- */

void sh_results_free(ShResults *r)
{
    for (size_t i = 0; i < r->n; i++) {
        json_decref(r->group[i].key);
        json_decref(r->group[i].records);
        TH_FREE(r->group[i].x, r->group[i].from, r->group[i].in, r->group[i].sorted);
    }
    free(r->group);
    json_decref(r->records);
    json_decref(r->by);
    sh_published_free(r);
}

/* What the last command answered that has an answer of this name, and in *at its place; NULL: none.
 */
static const json_t *answered(const json_t *record, const char *name, size_t *at)
{
    const json_t *all = json_object_get(record, "results");
    for (size_t i = json_array_size(all); i-- > 0;) {
        const json_t *x = json_object_get(json_array_get(all, i), name);
        *at = i;
        if (x && !json_is_null(x))
            return json_array_get(all, i);
    }
    return NULL;
}

static json_t *answer(const json_t *record, const char *name)
{
    size_t at;
    return json_object_get(answered(record, name, &at), name);
}

static double number(const json_t *answers, const char *name)
{
    const json_t *x = json_object_get(answers, name);
    return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

double sh_results_figure(const json_t *record, const char *name)
{
    const json_t *x = answer(record, name);
    return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

/* Did a command answer with a figure of this name that is no finite number, and none with another?
 */
static bool is_not_finite(const json_t *record, const char *name)
{
    const json_t *all = json_object_get(record, "results");
    bool null = false;
    for (size_t i = 0; i < json_array_size(all); i++)
        null = null || json_is_null(json_object_get(json_array_get(all, i), name));
    return null && !answer(record, name);
}

static bool any_has(const json_t *records, const char *name)
{
    bool any = false;
    for (size_t i = 0; !any && i < json_array_size(records); i++)
        any = !isnan(sh_results_figure(json_array_get(records, i), name));
    return any;
}

static bool any_done(const json_t *records)
{
    bool any = false;
    for (size_t i = 0; !any && i < json_array_size(records); i++)
        any = sh_point_is_done(json_array_get(records, i));
    return any;
}

/* The names of all figures, for an error. */
static void list_figures(const json_t *records, ThText *to)
{
    json_t *seen TH_OWNED(json_decref) = json_object();
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *all = json_object_get(json_array_get(records, i), "results");
        for (size_t k = 0; k < json_array_size(all); k++) {
            const char *name;
            json_t *value;
            json_object_foreach(json_array_get(all, k), name, value)
            {
                if (json_is_number(value) && !json_object_get(seen, name)) {
                    th_text_printf(to, "%s%s", json_object_size(seen) ? ", " : "", name);
                    json_object_set_new(seen, name, json_true());
                }
            }
        }
    }
}

/* The figure asked for, or else the first of these that any point has; none where all failed. */
static bool choose_figure(ShResults *r, const char *asked, ThError *err)
{
    static const char *const usual[] = {"accuracy", "answer", "perplexity", "loss"};
    for (size_t i = 0; !asked && !r->of && i < sizeof usual / sizeof *usual; i++)
        r->of = any_has(r->records, usual[i]) ? usual[i] : NULL;
    r->of = asked ? asked : r->of ? r->of : "accuracy";
    if (!any_done(r->records) || any_has(r->records, r->of))
        return true;
    ThText list TH_OWNED(th_text_free) = {0};
    list_figures(r->records, &list);
    return th_fail(err, TH_EVALUE, asked ? "no point has a figure %s" : "no point has an accuracy",
                   asked ? asked : "") ||
           th_hint(err, "of= takes one of: %s", list.data ? list.data : "(there is none)");
}

/* A variable of the grid, or a figure. */
static json_t *value_of(const json_t *record, const char *name)
{
    json_t *v = json_object_get(json_object_get(record, "point"), name);
    v = v ? v : answer(record, name);
    return json_is_array(v) ? NULL : v; /* a table */
}

static bool is_known(const ShResults *r, const char *name)
{
    bool known = false;
    for (size_t i = 0; !known && i < json_array_size(r->records); i++)
        known = value_of(json_array_get(r->records, i), name) != NULL;
    return known;
}

/* What groups go by: what is asked for, or all variables but the seed; or the columns of a file. */
static bool choose_variables(ShResults *r, const ShCall *call, const char *against, ThError *err)
{
    const char *name;
    json_t *value;
    r->by = json_array();
    if (against && call->n > 1)
        return sh_fail_operand(err, &call->operand[1], TH_EUSAGE,
                               "with published= the file says by which variables");
    if (against)
        return sh_published_read(r, against, err);
    for (int i = 1; i < call->n; i++) {
        if (!is_known(r, call->operand[i].text))
            return sh_fail_operand(err, &call->operand[i], TH_EUSAGE,
                                   "the sweep has no variable and no figure '%s'",
                                   call->operand[i].text);
        json_array_append_new(r->by, json_string(call->operand[i].text));
    }
    json_object_foreach(json_object_get(json_array_get(r->records, 0), "point"), name, value)
    {
        if (call->n == 1 && strcmp(name, "seed") != 0)
            json_array_append_new(r->by, json_string(name));
    }
    return true;
}

static json_t *key_of(const ShResults *r, const json_t *record)
{
    json_t *key = json_array();
    for (size_t i = 0; i < json_array_size(r->by); i++) {
        json_t *v = value_of(record, json_string_value(json_array_get(r->by, i)));
        json_array_append(key, v ? v : json_null());
    }
    return key;
}

/* The group of a key, which is consumed; NULL: out of memory. */
static ShGroup *group_of(ShResults *r, json_t *key, ThError *err)
{
    for (size_t i = 0; i < r->n; i++) {
        if (!json_equal(r->group[i].key, key))
            continue;
        json_decref(key);
        return &r->group[i];
    }
    if (!th_grow(&r->group, &r->cap, r->n + 1, sizeof *r->group, err)) {
        json_decref(key);
        return NULL;
    }
    r->group[r->n] = (ShGroup){.key = key, .records = json_array()};
    return &r->group[r->n++];
}

double sh_results_beside(const ShGroup *g, size_t i, const char *name)
{
    const char *command = json_string_value(json_object_get(g->in[i], "command"));
    bool kept = command && strcmp(command, "keep") == 0; /* a figure each */
    return kept ? sh_results_figure(g->from[i], name) : number(g->in[i], name);
}

/* How many strings each of the points was tested on, at least. */
static double strings_of(const ShGroup *g)
{
    double least = g->n > 0 ? HUGE_VAL : (double)NAN;
    for (size_t i = 0; i < g->n; i++) {
        double strings = sh_results_beside(g, i, "strings");
        least = isnan(strings) || strings < least ? strings : least;
        if (isnan(least))
            break;
    }
    return least;
}

/* The command that has the figure last in the points of a group: where some have it of an earlier
 * one only, as of their training, theirs is another figure. */
static const char *source_of(const ShGroup *g, const char *of)
{
    const char *command = NULL;
    size_t last = 0, at;
    for (size_t i = 0; i < json_array_size(g->records); i++) {
        const json_t *in = answered(json_array_get(g->records, i), of, &at);
        if (!in || (command && at <= last))
            continue;
        last = at;
        command = json_string_value(json_object_get(in, "command"));
    }
    return command ? command : "";
}

/* What the command of the group's figure answered in a point; NULL: nothing. */
static const json_t *figure_in(const json_t *record, const char *of, const char *command)
{
    size_t at;
    const json_t *in = answered(record, of, &at);
    const char *own = json_string_value(json_object_get(in, "command"));
    return in && json_is_number(json_object_get(in, of)) && strcmp(own ? own : "", command) == 0
               ? in
               : NULL;
}

static bool measure(const ShResults *r, ShGroup *g, ThError *err)
{
    size_t most = json_array_size(g->records), room = most ? most : 1;
    const char *command = source_of(g, r->of);
    g->x = th_alloc(room, sizeof *g->x, err);
    g->sorted = th_alloc(room, sizeof *g->sorted, err);
    g->from = th_alloc(room, sizeof *g->from, err);
    g->in = th_alloc(room, sizeof *g->in, err);
    if (!g->x || !g->sorted || !g->from || !g->in)
        return false;
    for (size_t i = 0; i < most; i++) {
        const json_t *record = json_array_get(g->records, i);
        const json_t *in = figure_in(record, r->of, command);
        g->failed += !in && (is_not_finite(record, r->of) || *command);
        if (!in)
            continue;
        g->from[g->n] = record;
        g->in[g->n] = in;
        g->sorted[g->n] = g->x[g->n] = number(in, r->of);
        g->n++;
    }
    gsl_sort(g->sorted, 1, g->n);
    g->strings = r->share ? strings_of(g) : (double)NAN;
    return true;
}

/* Can one say to which row a point belongs that failed?  It has no figures. */
static bool has_key(const json_t *key)
{
    bool has = true;
    for (size_t i = 0; i < json_array_size(key); i++)
        has = has && !json_is_null(json_array_get(key, i));
    return has;
}

static bool make_groups(ShResults *r, ThError *err)
{
    for (size_t i = 0; i < json_array_size(r->records); i++) {
        json_t *record = json_array_get(r->records, i), *key = key_of(r, record);
        bool done = sh_point_is_done(record);
        if (!done && !has_key(key)) {
            json_decref(key);
            continue;
        }
        ShGroup *g = group_of(r, key, err);
        if (!g)
            return false;
        if (done)
            json_array_append(g->records, record);
        g->failed += !done;
    }
    return true;
}

static bool measure_all(ShResults *r, ThError *err)
{
    for (size_t i = 0; i < r->n; i++)
        if (!measure(r, &r->group[i], err))
            return false;
    return true;
}

static bool is_one_of(const char *name, const char *const *list)
{
    bool is = false;
    for (; !is && *list; list++)
        is = strcmp(name, *list) == 0;
    return is;
}

/* What kind of figure it is, by its name where no option says it. */
static bool describe_figure(ShResults *r, const ThOptions *o)
{
    static const char *const shares[] = {"accuracy", "answer",     "exact", "lowest",
                                         "reach",    "validation", NULL},
                             *const costs[] = {"loss", "perplexity", "seconds", "memory", NULL};
    const char *of = r->of;
    bool asked = th_option_known(o, "share") && th_option_given(o, "share");
    r->share = asked ? th_option_flag(o, "share") : is_one_of(of, shares);
    asked = th_option_known(o, "better") && th_option_given(o, "better");
    r->better = asked ? 1 - th_option_choice(o, "better") : is_one_of(of, costs) ? -1 : 1;
    return true;
}

bool sh_results_read(const ShCall *call, const char *against, ShResults *r, ThError *err)
{
    const ThOptions *o = &call->options;
    *r = (ShResults){.records = sh_points_read(call->operand[0].text, err)};
    if (th_option_known(o, "statistic"))
        r->statistic = (ThStatsStatistic)th_option_choice(o, "statistic");
    if (r->records && json_array_size(r->records) == 0)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE, "no point has ended yet");
    return r->records && choose_variables(r, call, against, err) && make_groups(r, err) &&
           choose_figure(r, th_option_text_or(o, "of", NULL), err) && describe_figure(r, o) &&
           measure_all(r, err);
}

json_t *sh_results_text(const json_t *v)
{
    ThText t TH_OWNED(th_text_free) = {0};
    if (json_is_string(v))
        return json_string(json_string_value(v));
    if (json_is_real(v))
        th_text_number(&t, json_real_value(v));
    else if (json_is_integer(v))
        th_text_printf(&t, "%lld", (long long)json_integer_value(v));
    else
        th_text_add(&t, json_is_true(v) ? "True" : json_is_false(v) ? "False" : "");
    return json_string(th_text_string(&t));
}

/* ---- the command ----------------------------------------------------------------------------- */

/* "a=1, b=x": where a point is. */
static void place_of(ThText *t, const json_t *record)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(record, "point"), name, value)
    {
        json_t *text TH_OWNED(json_decref) = sh_results_text(value);
        th_text_printf(t, "%s%s=%s", t->size ? ", " : "", name, json_string_value(text));
    }
}

/* Points that failed: how many; said, if listed, with their errors, or a table where others read.
 */
static long long say_failures(ShSession *s, const ShResults *r, bool listed)
{
    enum { MOST = 10 };
    long long failed = 0;
    bool rows = sh_out(s) == NULL;
    size_t i;
    json_t *record;
    json_array_foreach(r->records, i, record)
    {
        if (sh_point_is_done(record) || (failed++ >= MOST && !rows) || !listed)
            continue;
        const char *why =
            json_string_value(json_object_get(json_object_get(record, "error"), "message"));
        ThText t TH_OWNED(th_text_free) = {0};
        place_of(&t, record);
        if (rows && failed == 1)
            sh_table(s, "failures", "point:s error:s");
        if (rows)
            sh_row(s, th_text_string(&t), why ? why : "");
        else
            sh_say_folded(s, "failed: %s: %s", th_text_string(&t), why ? why : "");
    }
    if (failed > MOST && listed && !rows)
        sh_say(s, "and %lld more\n", failed - MOST);
    if (rows && failed > 0 && listed)
        sh_table_end(s);
    return failed;
}

static const ThOptionSpec results_options[] = {
    {"of", TH_STRING, NULL, 0, 0, NULL,
     "the figure; default: accuracy, or the first there is of answer, perplexity, loss"},
    {"show", TH_STRING, "max,mean,interval", 0, 0, NULL,
     "of the points that differ in nothing else: max, mean, interval (95 %), min, median, sd, "
     "success (how many reach goal=), spread (mean ± sd)"},
    {"goal", TH_REAL, "0.99", -1e12, 1e12, NULL, "of success"},
    {"share", TH_FLAG, NULL, 0, 0, NULL,
     "the figure is a share of right answers; default: of accuracy, answer, exact, lowest, reach, "
     "validation"},
    {"better", TH_CHOICE, NULL, 0, 0, "higher|neither|lower",
     "which figure is; default: lower for loss, perplexity, seconds and memory, else higher"},
    {"across", TH_STRING, NULL, 0, 0, NULL, "a variable whose values are the columns"},
    {"bold", TH_FLAG, "no", 0, 0, NULL, "with across=: the best of each row in latex and markdown"},
    {"layout", TH_CHOICE, NULL, 0, 0, "plain|latex|markdown",
     "how the table is written; default: by the ending of the file, .tex and .md, else plain"},
    {"scale", TH_REAL, "1", 1e-9, 1e9, NULL, "factor of all figures: 100 for per cent"},
    {"digits", TH_INT, "3", 0, 12, NULL,
     "behind the point, in latex and markdown and with across="},
    {"failures", TH_FLAG, "yes", 0, 0, NULL, "also the points that failed, with their errors"},
    {"published", TH_STRING, NULL, 0, 0, NULL,
     "a file of published figures, here or beside the script, to print and judge these by"},
    {"versus", TH_STRING, NULL, 0, 0, NULL,
     "NAME=VALUE, the row that the others are compared with, seed by seed; with published= instead "
     "of chance"},
    {"within", TH_STRING, NULL, 0, 0, NULL,
     "with published=: what shows that something was learned: NAME=VALUE, the row that is tested "
     "on the lengths of training, or a figure of the points that is measured there; default: for "
     "accuracy, that of the training"},
    {"statistic", TH_CHOICE, "mean", 0, 0, "mean|median|max",
     "with published=: what the paper has of its runs, where the file does not say"},
    {"looks", TH_INT, "1", 1, 1000000, NULL,
     "with published=: a point's figure is the best of so many tests on as many strings each, and "
     "chance the best of as many guesses"},
    {"rank", TH_STRING, NULL, 0, 0, NULL,
     "with published=: a variable; in place of the rows how both order its values: correlations of "
     "ranks"},
    {"near", TH_REAL, NULL, 0, 1e9, NULL,
     "with published=: what is no difference, in the unit of the file; default: 0.02 times scale="},
    {0},
};

bool sh_results_across(const ShResults *r, const ThOptions *o, int *at, ThError *err)
{
    const char *name = th_option_text_or(o, "across", NULL);
    *at = -1;
    for (size_t i = 0; name && i < json_array_size(r->by); i++)
        if (strcmp(json_string_value(json_array_get(r->by, i)), name) == 0)
            *at = (int)i;
    return !name || *at >= 0 ||
           th_fail(err, TH_EUSAGE, "across=%s is none of the variables shown", name);
}

static ShLayout layout_of(const ShCall *call)
{
    const char *file = call->redirect ? call->redirect : "";
    if (th_option_given(&call->options, "layout"))
        return (ShLayout)th_option_choice(&call->options, "layout");
    return th_ends_with(file, ".tex")  ? SH_LAYOUT_LATEX
           : th_ends_with(file, ".md") ? SH_LAYOUT_MARKDOWN
                                       : SH_LAYOUT_PLAIN;
}

/* Are some records of other commands than others?  Two sweeps on one folder leave such ones. */
static bool is_mixed(const json_t *records)
{
    const json_t *first = NULL;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *record = json_array_get(records, i);
        const json_t *body = json_object_get(json_object_get(record, "inputs"), "body");
        first = first ? first : body;
        if (body && !json_equal(body, first))
            return true;
    }
    return false;
}

static bool print_results(ShSession *s, const ShCall *call, const ShResults *r, ThError *err)
{
    const ThOptions *o = &call->options;
    int at;
    ShShown sh;
    if (r->n_published > 0)
        return sh_results_compare(s, o, r, layout_of(call), err);
    if (th_option_given(o, "versus"))
        return sh_results_versus(s, o, r, err);
    if (!sh_results_across(r, o, &at, err) || !sh_shown_read(o, &sh, err))
        return false;
    if (r->n == 0)
        return true;
    sh_results_print(s, r, &sh, at, layout_of(call));
    return true;
}

SH_COMMAND(
    results, .group = "general", .summary = "show what the points of a sweep found",
    .detail =
        "A row for all points of DIR that agree in the variables named behind by, which are all "
        "but seed if none is; the columns are statistics of one figure of the last command that "
        "answered with it; points that have it of an earlier one only, or not at all, count as "
        "failed.  by takes figures, too: after predict, its class.  across= makes columns of one "
        "variable's values, as papers do.  Points that failed are counted and named below, in csv "
        "and json as a table of their own, failures.  The table is ready for a paper with "
        "layout=latex (package booktabs), or in a .tex file; csv and json hold numbers.\n\n"
        "Intervals are of the mean over seeds, by Student's t, and within 0 to 1 for shares. They "
        "are right where seeds spread like one group.  Where they fall into two (a gap of more "
        "than 0.15) there is none, but show=success: how many reach goal=, and from where to where "
        "the share lies for the recipe (Clopper and Pearson).  Where all shares are equal the "
        "interval is that of one model for other strings; where other figures are equal to the "
        "last digit there is none, for then the seeds made no difference, unless they are whole "
        "numbers.\n\n"
        "versus=NAME=VALUE by itself compares each row with the one that has that value, in pairs "
        "of the same seed: how many are higher, the mean difference with its interval (for other "
        "seeds and other strings), and the exact p of the signs, which five pairs never bring "
        "below 0.0625.\n\n"
        "published= names a .csv file with the figures of a paper: columns of variables of the "
        "sweep, a column published (a number, or above, at or below), and perhaps: chance on our "
        "test (default: what evaluate has measured, for accuracy), paper_chance (on the paper's; "
        "default: ours), statistic (mean, median or max of the paper's runs), and paper_test, in "
        "words.  A row of the file is that statistic of the points that have its values; reached "
        "counts those that come within near= of the published figure, or beyond.  Points that no "
        "row of the file is about are left out.\n\n"
        "The verdict is the first that is true.  Not run: no point.  Not learned: at chance here "
        "and on the lengths of training (within=), from which nothing follows.  Same value: the 95 "
        "% interval lies within near= of the published figure; a wide one proves nothing.  Better: "
        "it lies beyond it by more than near=, and above chance.  Same direction: it excludes "
        "chance on the paper's side, and the middle is a quarter of the paper's way from it; or "
        "neither is above its chance.  Contradicted: it excludes what it is compared with on the "
        "other side.  Not reached: no point, or all of the interval, comes within near=.  Too "
        "noisy: none of these.  Intervals of the seeds and of the strings must both agree; a point "
        "that failed takes the interval away.  versus=NAME=VALUE puts that row, theirs and ours, "
        "in the place of chance, with pairs of seeds.  near=0 is for figures without error: all "
        "points have the published one, or it is not reached.",
    .example = "sweep \"runs\" for n in 2..4, seed in 1..2 {\n"
               "  automaton a = cycle_navigation($n)\n"
               "  words a length=3 random=2 seed=$seed > \"words.txt\"\n"
               "  count a length=0..4\n"
               "}\n"
               "#> 6 points: 6 done\n"
               "results \"runs\" of=total show=max,min\n"
               "results \"runs\" by n of=states show=max layout=markdown digits=0\n"
               "!printf 'n,published,chance\\n2,2,1\\n3,4,1\\n5,6,1\\n' > paper.csv\n"
               "results \"runs\" of=states published=\"paper.csv\"\n"
               "assert same_value == 1 and same_direction == 1 and not_run == 1",
    .results = "points done failed better contradicted not_learned not_reached not_run "
               "same_direction same_value too_noisy",
    .args = {{A_FILE, "DIR", 0}},
    .args2 = {{A_FILE, "DIR", 0}, {A_KEYWORD, "by", 0}, {A_TEXT, "NAME", A_REPEATED}},
    .options = results_options, .flags = C_LATEX)
{
    ShResults r TH_OWNED(sh_results_free) = {0};
    const char *name = th_option_text_or(&call->options, "published", NULL);
    char *against TH_OWNED(free) = name ? sh_beside_script(s, name, err) : NULL;
    bool ok = (against || !name) && sh_results_read(call, against, &r, err) &&
              print_results(s, call, &r, err);
    if (ok) {
        long long n = (long long)json_array_size(r.records);
        long long failed = say_failures(s, &r, th_option_flag(&call->options, "failures"));
        if (is_mixed(r.records) && layout_of(call) == SH_LAYOUT_PLAIN)
            sh_say_folded(s, "note: these points are not all of the same commands; sweep computes "
                             "again those that are not of its own");
        sh_results(s, "points:i done:i failed:i", (long long)n, (long long)(n - failed),
                   (long long)failed);
    }
    return ok;
}
