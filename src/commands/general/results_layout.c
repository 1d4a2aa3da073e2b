/* results_layout.c - the tables of results: numbers, and texts as papers have them. */
#include <math.h>

#include <gsl/gsl_statistics_double.h>

#include "commands/general/results.h"

/* ---- what is shown of a group ---------------------------------------------------------------- */

enum { MAX, MEAN, INTERVAL, MIN, MEDIAN, SD, SUCCESS, SPREAD, N_SHOWN, MOST_NUMBERS = 3 };
static const char shown_names[] = "max|mean|interval|min|median|sd|success|spread|reach";

bool sh_shown_read(const ThOptions *o, ShShown *sh, ThError *err)
{
    const char *text = th_option_text(o, "show");
    *sh = (ShShown){.scale = th_option_real(o, "scale"),
                    .goal = th_option_real(o, "goal"),
                    .digits = (int)th_option_int(o, "digits"),
                    .bold = th_option_flag(o, "bold")};
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ",");
        int what = th_choice_index(shown_names, p, n);
        what = what == N_SHOWN ? SUCCESS : what; /* the name that it had */
        if (what < 0 || sh->n == N_SHOWN)
            return th_fail(err, TH_EUSAGE, "show=%s: '%.*s' is nothing that can be shown", text,
                           (int)n, p) ||
                   th_hint(err, "words of max, mean, interval, min, median, sd, success, spread, "
                                "with commas");
        sh->what[sh->n++] = what;
        p += n + (p[n] == ',');
    }
    return sh->n > 0 || th_fail(err, TH_EUSAGE, "show= names nothing");
}

static int count_shown(int what)
{
    return what == SUCCESS ? 3 : what == INTERVAL || what == SPREAD ? 2 : 1;
}

/* How many reach the goal, points that failed among those that do not, and the share's interval. */
static void reach_of(const ShResults *r, const ShGroup *g, const ShShown *sh, double *v)
{
    double all = (double)(g->n + g->failed);
    v[0] = 0;
    for (size_t i = 0; i < g->n; i++)
        v[0] += r->better >= 0 ? g->x[i] * sh->scale >= sh->goal : g->x[i] * sh->scale <= sh->goal;
    ThStatsInterval share = th_stats_share(v[0], all);
    v[1] = share.low;
    v[2] = share.high;
}

/* Up to three numbers of a group, count_shown(what) of them. */
static void shown_numbers(const ShResults *r, const ShGroup *g, const ShShown *sh, int what,
                          double *v)
{
    ThStatsMeasure of = {r->share, g->strings};
    v[0] = v[1] = v[2] = (double)NAN;
    if (what == SUCCESS && g->n + g->failed > 0)
        reach_of(r, g, sh, v);
    if (what == SUCCESS || g->n == 0)
        return;
    ThStatsSummary mean = th_stats_summarize(g->sorted, g->n, TH_STATS_MEAN, &of);
    double sd = g->n > 1 ? gsl_stats_sd(g->x, 1, g->n) : (double)NAN;
    v[0] = what == MAX        ? g->sorted[g->n - 1]
           : what == MIN      ? g->sorted[0]
           : what == SD       ? sd
           : what == MEDIAN   ? gsl_stats_median_from_sorted_data(g->sorted, 1, g->n)
           : what == INTERVAL ? mean.seeds.low
                              : mean.value;
    v[1] = what == SPREAD ? sd : mean.seeds.high;
    v[0] *= sh->scale;
    v[1] *= sh->scale;
}

static void write_one(ThText *t, const ShGroup *g, int what, const double *v, int digits)
{
    if (isnan(v[0]))
        th_text_add(t, "-");
    else if (what == INTERVAL)
        th_text_printf(t, "[%.*f, %.*f]", digits, v[0], digits, v[1]);
    else if (what == SUCCESS)
        th_text_printf(t, "%.0f of %zu", v[0], g->n + g->failed);
    else
        th_text_printf(t, "%.*f", digits, v[0]);
    if (what == SPREAD && !isnan(v[1]))
        th_text_printf(t, " ± %.*f", digits, v[1]);
}

/* "0.998/0.985 [0.97, 1.00]" */
static void write_shown(ThText *t, const ShResults *r, const ShGroup *g, const ShShown *sh)
{
    for (int i = 0; g && i < sh->n; i++) {
        double v[MOST_NUMBERS];
        shown_numbers(r, g, sh, sh->what[i], v);
        th_text_add(t, i == 0 ? "" : sh->what[i] == INTERVAL ? " " : "/");
        write_one(t, g, sh->what[i], v, sh->digits);
    }
    th_text_add(t, g ? "" : "-");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void add_text(json_t *to, ThText *t)
{
    json_array_append_new(to, json_string(th_text_string(t)));
    th_text_free(t);
}

const ShGroup *sh_results_find(const ShResults *r, json_t *rest, size_t at, json_t *value)
{
    json_t *key TH_OWNED(json_decref) = json_copy(rest);
    json_array_insert(key, at, value);
    const ShGroup *found = NULL;
    for (size_t i = 0; !found && i < r->n; i++)
        found = json_equal(r->group[i].key, key) ? &r->group[i] : NULL;
    return found;
}

static bool has_value(const json_t *list, const json_t *v)
{
    bool has = false;
    for (size_t i = 0; !has && i < json_array_size(list); i++)
        has = json_equal(json_array_get(list, i), v);
    return has;
}

void sh_results_split(const ShResults *r, size_t at, json_t *values, json_t *rests)
{
    for (size_t i = 0; i < r->n; i++) {
        json_t *rest TH_OWNED(json_decref) = json_copy(r->group[i].key),
                     *v = json_array_get(rest, at);
        if (!has_value(values, v))
            json_array_append(values, v);
        json_array_remove(rest, at);
        if (!has_value(rests, rest))
            json_array_append(rests, rest);
    }
}

/* The best of the first number shown of the groups in a row; NaN: it has none, or none is better.
 */
static double best_of_row(const ShResults *r, json_t *key, size_t at, const json_t *values,
                          const ShShown *sh)
{
    double best = (double)NAN, v[MOST_NUMBERS];
    for (size_t i = 0; sh->bold && r->better != 0 && i < json_array_size(values); i++) {
        const ShGroup *g = sh_results_find(r, key, at, json_array_get(values, i));
        if (!g)
            continue;
        shown_numbers(r, g, sh, sh->what[0], v);
        best = isnan(best) || (v[0] - best) * r->better > 0 ? v[0] : best;
    }
    return best;
}

static void add_cell(json_t *row, const ShResults *r, const ShGroup *g, const ShShown *sh,
                     double best)
{
    ThText t = {0};
    double v[MOST_NUMBERS] = {(double)NAN};
    if (g)
        shown_numbers(r, g, sh, sh->what[0], v);
    th_text_add(&t, v[0] == best ? SH_GRID_BOLD : "");
    write_shown(&t, r, g, sh);
    add_text(row, &t);
}

/* A row for each group without the variable `at` of r->by, a column for each of its values. */
static ShGrid grid_across(const ShResults *r, size_t at, const ShShown *sh)
{
    ShGrid g = {json_array(), json_array(), (int)json_array_size(r->by) - 1,
                json_string_value(json_array_get(r->by, at))};
    json_t *values TH_OWNED(json_decref) = json_array(), *keys TH_OWNED(json_decref) = json_array();
    sh_results_split(r, at, values, keys);
    for (size_t i = 0; i < json_array_size(r->by); i++)
        if (i != at)
            json_array_append(g.head, json_array_get(r->by, i));
    for (size_t i = 0; i < json_array_size(values); i++)
        json_array_append_new(g.head, sh_results_text(json_array_get(values, i)));
    for (size_t k = 0; k < json_array_size(keys); k++) {
        json_t *row = json_array(), *key = json_array_get(keys, k);
        for (size_t i = 0; i < json_array_size(key); i++)
            json_array_append_new(row, sh_results_text(json_array_get(key, i)));
        double best = best_of_row(r, key, at, values, sh);
        for (size_t i = 0; i < json_array_size(values); i++)
            add_cell(row, r, sh_results_find(r, key, at, json_array_get(values, i)), sh, best);
        json_array_append_new(g.rows, row);
    }
    return g;
}

static bool any_failed(const ShResults *r)
{
    bool any = false;
    for (size_t k = 0; k < r->n; k++)
        any = any || r->group[k].failed > 0;
    return any;
}

/* A row a group, a column for each figure shown. */
static ShGrid grid_down(const ShResults *r, const ShShown *sh)
{
    ShGrid g = {json_copy(r->by), json_array(), (int)json_array_size(r->by), NULL};
    bool failed = any_failed(r);
    json_array_append_new(g.head, json_string("points"));
    if (failed)
        json_array_append_new(g.head, json_string("failed"));
    for (int i = 0; i < sh->n; i++) {
        const char *name = shown_names;
        for (int k = sh->what[i]; k > 0; k--)
            name += strcspn(name, "|") + 1;
        json_array_append_new(g.head, json_stringn(name, strcspn(name, "|")));
    }
    for (size_t k = 0; k < r->n; k++) {
        json_t *row = json_array();
        for (size_t i = 0; i < json_array_size(r->group[k].key); i++)
            json_array_append_new(row, sh_results_text(json_array_get(r->group[k].key, i)));
        json_array_append_new(row, json_sprintf("%zu", r->group[k].n));
        if (failed)
            json_array_append_new(row, json_sprintf("%zu", r->group[k].failed));
        for (int i = 0; i < sh->n; i++) {
            ThText t = {0};
            double v[MOST_NUMBERS];
            shown_numbers(r, &r->group[k], sh, sh->what[i], v);
            write_one(&t, &r->group[k], sh->what[i], v, sh->digits);
            add_text(row, &t);
        }
        json_array_append_new(g.rows, row);
    }
    return g;
}

static void free_grid(ShGrid *g)
{
    json_decref(g->head);
    json_decref(g->rows);
}

/* Cells are UTF-8; `bold` brackets one that begins with SH_GRID_BOLD. */
static const char *open_bold(FILE *out, const char *text, const char *bold)
{
    if (*text != *SH_GRID_BOLD)
        return text;
    fputs(bold, out);
    return text + 1;
}

/* What LaTeX takes for a command is written so that it stands for itself. */
static void write_latex(FILE *out, const char *text)
{
    static const char plus_minus[] = "±";
    bool bold = *text == *SH_GRID_BOLD;
    for (text = open_bold(out, text, "\\textbf{"); *text; text++)
        if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (*text == '~' || *text == '^')
            fprintf(out, "\\%c{}", *text);
        else if (strncmp(text, plus_minus, strlen(plus_minus)) == 0) {
            fputs("$\\pm$", out);
            text += strlen(plus_minus) - 1;
        } else
            fprintf(out, strchr("&%$#_{}", *text) ? "\\%c" : "%c", *text);
    fputs(bold ? "}" : "", out);
}

static void write_markdown(FILE *out, const char *text)
{
    bool bold = *text == *SH_GRID_BOLD;
    for (text = open_bold(out, text, "**"); *text; text++)
        fprintf(out, strchr("|\\`*_<", *text) ? "\\%c" : "%c", *text);
    fputs(bold ? "**" : "", out);
}

/* The name of the variable whose values are columns, above them. */
static void print_over(FILE *out, const ShGrid *g, size_t n)
{
    for (int i = 0; i < g->left; i++)
        fputs(" & ", out);
    fprintf(out, "\\multicolumn{%zu}{c}{", n - (size_t)g->left);
    write_latex(out, g->over);
    fprintf(out, "} \\\\\n\\cmidrule(lr){%d-%zu}\n", g->left + 1, n);
}

/* For the package booktabs. */
static void print_latex(FILE *out, const ShGrid *g)
{
    size_t n = json_array_size(g->head), i, k;
    json_t *row, *cell;
    fputs("\\begin{tabular}{", out);
    for (i = 0; i < n; i++)
        fputc((int)i < g->left ? 'l' : 'r', out);
    fputs("}\n\\toprule\n", out);
    if (g->over && n > (size_t)g->left)
        print_over(out, g, n);
    json_array_foreach(g->head, i, cell)
    {
        write_latex(out, json_string_value(cell));
        fputs(i + 1 < n ? " & " : " \\\\\n\\midrule\n", out);
    }
    json_array_foreach(g->rows, k, row)
    {
        json_array_foreach(row, i, cell)
        {
            write_latex(out, json_string_value(cell));
            fputs(i + 1 < n ? " & " : " \\\\\n", out);
        }
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}

static void print_markdown(FILE *out, const ShGrid *g)
{
    size_t i, k;
    json_t *row, *cell;
    json_array_foreach(g->head, i, cell)
    {
        fputs(i ? " | " : "| ", out);
        write_markdown(out, json_string_value(cell));
    }
    fputs(" |\n|", out);
    for (i = 0; i < json_array_size(g->head); i++)
        fputs((int)i < g->left ? "---|" : "--:|", out);
    json_array_foreach(g->rows, k, row)
    {
        fputs("\n|", out);
        json_array_foreach(row, i, cell)
        {
            fputc(' ', out);
            write_markdown(out, json_string_value(cell));
            fputs(" |", out);
        }
    }
    fputc('\n', out);
}

void sh_grid_print(FILE *out, const ShGrid *g, ShLayout layout)
{
    (layout == SH_LAYOUT_LATEX ? print_latex : print_markdown)(out, g);
}

/* Kinds of columns: a name of the grid's variables is a number where all its values are. */
static char kind_of(const ShResults *r, size_t column)
{
    bool integer = true, real = true;
    for (size_t i = 0; i < r->n; i++) {
        const json_t *v = json_array_get(r->group[i].key, column);
        integer = integer && json_is_integer(v);
        real = real && json_is_number(v);
    }
    return integer ? 'i' : real ? 'r' : 's';
}

static void print_texts(ShSession *s, const ShGrid *g)
{
    ThText columns TH_OWNED(th_text_free) = {0};
    size_t i;
    json_t *cell, *row;
    json_array_foreach(g->head, i, cell)
    {
        const char *name = json_string_value(cell);
        th_text_add(&columns, i ? " " : "");
        for (; *name; name++)
            th_text_add_bytes(&columns, strchr(" :", *name) ? "_" : name, 1);
        th_text_add(&columns, (int)i < g->left ? ":s" : ":t");
    }
    sh_table(s, "results", th_text_string(&columns));
    json_array_foreach(g->rows, i, row)
    {
        json_t *plain TH_OWNED(json_decref) = json_array();
        size_t k;
        json_array_foreach(row, k, cell)
        {
            const char *text = json_string_value(cell);
            json_array_append_new(plain, json_string(text + (*text == *SH_GRID_BOLD)));
        }
        sh_row_values(s, plain);
    }
    sh_table_end(s);
}

/* Numbers: a row a group. */
static void print_numbers(ShSession *s, const ShResults *r, const ShShown *sh)
{
    static const char *const column[] = {
        "max:r",    "mean:r", "low:r high:r",          "min:r",
        "median:r", "sd:r",   "success:i from:r to:r", "mean:r sd:r"};
    bool failed = any_failed(r);
    ThText columns TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < json_array_size(r->by); i++)
        th_text_printf(&columns, "%s:%c ", json_string_value(json_array_get(r->by, i)),
                       kind_of(r, i));
    th_text_add(&columns, failed ? "points:i failed:i" : "points:i");
    for (int i = 0; i < sh->n; i++)
        th_text_printf(&columns, " %s", column[sh->what[i]]);
    sh_table(s, "results", th_text_string(&columns));
    for (size_t k = 0; k < r->n; k++) {
        json_t *row TH_OWNED(json_decref) = json_copy(r->group[k].key);
        double v[MOST_NUMBERS];
        json_array_append_new(row, json_integer((json_int_t)r->group[k].n));
        if (failed)
            json_array_append_new(row, json_integer((json_int_t)r->group[k].failed));
        for (int i = 0; i < sh->n; i++) {
            shown_numbers(r, &r->group[k], sh, sh->what[i], v);
            for (int j = 0; j < count_shown(sh->what[i]); j++)
                json_array_append_new(row, sh->what[i] == SUCCESS && j == 0
                                               ? json_integer((json_int_t)v[0])
                                               : sh_json_number(v[j]));
        }
        sh_row_values(s, row);
    }
    sh_table_end(s);
}

void sh_results_print(ShSession *s, const ShResults *r, const ShShown *sh, int across,
                      ShLayout layout)
{
    layout = sh_out(s) ? layout : SH_LAYOUT_PLAIN;
    if (across < 0 && layout == SH_LAYOUT_PLAIN) {
        print_numbers(s, r, sh);
        return;
    }
    ShGrid g = across >= 0 ? grid_across(r, (size_t)across, sh) : grid_down(r, sh);
    if (layout == SH_LAYOUT_PLAIN)
        print_texts(s, &g);
    else
        sh_grid_print(sh_out(s), &g, layout);
    free_grid(&g);
}
