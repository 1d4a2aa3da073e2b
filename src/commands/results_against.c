/* results_against.c - what the points of a sweep found beside what a paper printed. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/results.h"
#include "lab/evaluate.h"
#include "tasks/records.h"

/* ---- the file of figures --------------------------------------------------------------------- */

typedef struct {
    ShResults *r;
    const json_t *point; /* the variables of the sweep */
    int n, published, chance;
    size_t cap;
} Reader;

/* The names of the columns: of variables, and of what is known of them. */
static bool read_names(Reader *in, const ThTaskCell *cell, int n, ThError *err)
{
    in->n = n;
    for (int i = 0; i < n; i++) {
        const char *name = cell[i].text;
        if (strcmp(name, "published") == 0)
            in->published = i;
        else if (strcmp(name, "chance") == 0)
            in->chance = i;
        else if (!json_object_get(in->point, name))
            return th_fail_at(err, TH_EVALUE, cell[i].line, cell[i].col,
                              "the sweep has no variable '%s'", name);
        else
            json_array_append_new(in->r->by, json_string(name));
    }
    if (in->published >= 0 && json_array_size(in->r->by) > 0)
        return true;
    th_fail_at(err, TH_EVALUE, cell[0].line, 1, "no column '%s'",
               in->published < 0 ? "published" : "of a variable");
    return th_hint(err, "the columns are variables of the sweep, published, and perhaps chance");
}

static bool read_number(const ThTaskCell *cell, double *x, ThError *err)
{
    char *end;
    *x = strtod(cell->text, &end);
    if (end > cell->text && !*end && isfinite(*x))
        return true;
    return th_fail_at(err, TH_EVALUE, cell->line, cell->col, "'%s' is no number", cell->text);
}

/* A number, or on which side of its reference a figure lies. */
static bool read_figure(const ThTaskCell *cell, ShPublished *p, ThError *err)
{
    static const char *const sides[] = {"below", "at", "above"};
    p->value = (double)NAN;
    for (int i = 0; i < 3; i++) {
        if (strcmp(cell->text, sides[i]) == 0) {
            p->side = i - 1;
            return true;
        }
    }
    return read_number(cell, &p->value, err) ||
           th_hint(err, "published is a number, or above, at or below what it is compared with");
}

static bool is_published(const ShResults *r, const json_t *key)
{
    bool found = false;
    for (size_t i = 0; !found && i < r->n_published; i++)
        found = json_equal(r->published[i].key, key);
    return found;
}

static bool read_row(void *context, const ThTaskCell *cell, int n, ThError *err)
{
    Reader *in = context;
    ShResults *r = in->r;
    if (in->n == 0)
        return read_names(in, cell, n, err);
    if (n != in->n)
        return th_fail_at(err, TH_EVALUE, cell[n - 1].line, cell[n - 1].col,
                          "the row has %d columns, the first has %d", n, in->n);
    ShPublished p = {.key = json_array(), .chance = (double)NAN};
    for (int i = 0; i < n; i++)
        if (i != in->published && i != in->chance)
            json_array_append_new(p.key, json_string(cell[i].text));
    bool ok = read_figure(&cell[in->published], &p, err) &&
              (in->chance < 0 || !cell[in->chance].text[0] ||
               read_number(&cell[in->chance], &p.chance, err));
    if (ok && is_published(r, p.key))
        ok = th_fail_at(err, TH_EVALUE, cell[0].line, 1, "these have a row already");
    ok = ok && (p.text = th_strdup(cell[in->published].text, err)) &&
         th_grow(&r->published, &in->cap, r->n_published + 1, sizeof p, err);
    if (ok) {
        r->published[r->n_published++] = p;
        return true;
    }
    json_decref(p.key);
    free(p.text);
    return false;
}

bool sh_published_read(ShResults *r, const char *file, ThError *err)
{
    ThError own = {0};
    Reader in = {.r = r, .published = -1, .chance = -1};
    in.point = json_object_get(json_array_get(r->records, 0), "point");
    bool ok = th_task_rows_read(file, read_row, &in, &own);
    if (ok && r->n_published == 0)
        ok = th_fail(&own, TH_EVALUE, "'%s' has no rows", file);
    return ok || sh_error_in_file(err, file, &own);
}

void sh_published_free(ShResults *r)
{
    for (size_t i = 0; i < r->n_published; i++) {
        json_decref(r->published[i].key);
        free(r->published[i].text);
    }
    free(r->published);
}

/* ---- what was found of each ------------------------------------------------------------------ */

typedef enum { NONE, NOT_REACHED, NOT_RUN, SAME_DIRECTION, SAME_VALUE, N_VERDICTS } Verdict;
static const char *const verdicts[] = {"", "not reached", "not run", "same direction",
                                       "same value"};

typedef struct {
    const ShPublished *of;
    const ShGroup *group; /* NULL: it has not been run */
    double mean, low, high;
    double reference, theirs; /* what ours and the published figure are compared with */
    Verdict verdict;
} Row;

typedef struct {
    const ShResults *r;
    double scale, near;
    int versus; /* the column of the variable; -1: none */
    const char *value;
    Row *row;
    size_t n;
} Table;

/* The mean of what evaluate gives as chance; NaN where there is none, and for figures that are no
 * shares of right answers. */
static double measured_chance(const ShResults *r, const ShGroup *g)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < json_array_size(g->records); i++) {
        double x = sh_results_figure(json_array_get(g->records, i), "chance");
        sum += isnan(x) ? 0 : x;
        n += !isnan(x);
    }
    return n > 0 && strcmp(r->of, "accuracy") == 0 ? sum / n : (double)NAN;
}

/* A group's key as the file writes it. */
static json_t *key_as_text(const ShGroup *g)
{
    json_t *key = json_array();
    for (size_t i = 0; i < json_array_size(g->key); i++)
        json_array_append_new(key, sh_results_text(json_array_get(g->key, i)));
    return key;
}

static void measure_row(const Table *t, Row *row)
{
    const ShGroup *g = row->group;
    row->mean = row->low = row->high = (double)NAN;
    if (g && g->n > 0) {
        th_lab_mean_interval(g->x, g->n, &row->mean, &row->low, &row->high);
        row->mean *= t->scale;
        row->low *= t->scale;
        row->high *= t->scale;
    }
    row->reference = !isnan(row->of->chance) ? row->of->chance
                     : g                     ? measured_chance(t->r, g) * t->scale
                                             : (double)NAN;
    row->theirs = row->reference;
}

/* The row that differs from this one by the value compared with; NULL: there is none. */
static const Row *compared_with(const Table *t, const Row *row)
{
    const Row *found = NULL;
    json_t *key = json_deep_copy(row->of->key);
    json_array_set_new(key, (size_t)t->versus, json_string(t->value));
    for (size_t i = 0; !found && i < t->n; i++)
        found = &t->row[i] != row && json_equal(t->row[i].of->key, key) ? &t->row[i] : NULL;
    json_decref(key);
    return found;
}

static void refer(const Table *t, Row *row)
{
    const Row *other = t->versus >= 0 ? compared_with(t, row) : NULL;
    if (!other)
        return;
    row->reference = other->mean;
    row->theirs = other->of->value;
}

/* 1 above, 0 at, -1 below; 2: not known. */
static int side_of(const Table *t, double x, double reference)
{
    double d = x - reference;
    return isnan(d) ? 2 : fabs(d) <= t->near ? 0 : d > 0 ? 1 : -1;
}

/* Within the interval, which must be able to tell the published figure from its reference. */
static bool is_same_value(const Table *t, const Row *row)
{
    double value = row->of->value, way = fabs(value - row->theirs), least = 2 * t->near;
    double low = isnan(row->low) ? row->mean : row->low;
    double high = isnan(row->high) ? row->mean : row->high;
    return value >= low - t->near && value <= high + t->near &&
           (isnan(way) || high - low <= way || high - low <= least);
}

/* On the same side; and of the way from chance to the published figure a quarter, which the way to
 * another row is no measure of. */
static bool is_same_direction(const Table *t, const Row *row)
{
    bool number = !isnan(row->of->value);
    int side = side_of(t, row->mean, row->reference);
    if (side == 2 || side != (number ? side_of(t, row->of->value, row->theirs) : row->of->side))
        return false;
    return !number || side == 0 || t->versus >= 0 ||
           fabs(row->mean - row->reference) >= fabs(row->of->value - row->theirs) / 4;
}

static Verdict judge(const Table *t, const Row *row)
{
    if (isnan(row->mean))
        return NOT_RUN;
    if (!isnan(row->of->value) && is_same_value(t, row))
        return SAME_VALUE;
    if (t->versus >= 0 && isnan(row->reference) && !compared_with(t, row))
        return NONE; /* it is what the others are compared with */
    return is_same_direction(t, row) ? SAME_DIRECTION : NOT_REACHED;
}

/* The group that a published figure is about; NULL: it has not been run. */
static const ShGroup *group_of(const ShResults *r, const ShPublished *p)
{
    const ShGroup *found = NULL;
    for (size_t k = 0; !found && k < r->n; k++) {
        json_t *key = key_as_text(&r->group[k]);
        found = json_equal(p->key, key) ? &r->group[k] : NULL;
        json_decref(key);
    }
    return found;
}

static bool make_rows(Table *t, ThError *err)
{
    const ShResults *r = t->r;
    t->row = th_alloc(r->n_published, sizeof *t->row, err);
    for (size_t i = 0; t->row && i < r->n_published; i++)
        t->row[t->n++] = (Row){.of = &r->published[i], .group = group_of(r, &r->published[i])};
    return t->row != NULL;
}

static void judge_rows(Table *t)
{
    for (size_t i = 0; i < t->n; i++)
        measure_row(t, &t->row[i]);
    for (size_t i = 0; i < t->n; i++)
        refer(t, &t->row[i]);
    for (size_t i = 0; i < t->n; i++)
        t->row[i].verdict = judge(t, &t->row[i]);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Its cells: texts and numbers. */
static json_t *row_values(const Row *row)
{
    json_t *values = json_deep_copy(row->of->key);
    double number[] = {row->mean, row->low, row->high, row->reference, row->mean - row->of->value};
    json_array_append_new(values, json_string(row->of->text));
    json_array_append_new(values, json_integer(row->group ? (json_int_t)row->group->n : 0));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        json_array_append_new(values, sh_json_number(number[i]));
    json_array_append_new(values, json_string(verdicts[row->verdict]));
    return values;
}

static json_t *column_names(const Table *t)
{
    static const char *const fixed[] = {"published", "points", "mean", "low", "high"};
    json_t *names = json_copy(t->r->by);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        json_array_append_new(names, json_string(fixed[i]));
    json_array_append_new(names, json_string(t->versus < 0 ? "chance" : "reference"));
    json_array_append_new(names, json_string("difference"));
    json_array_append_new(names, json_string("verdict"));
    return names;
}

static void print_plain(ShSession *s, const Table *t)
{
    static const char kinds[] = "tirrrrrs"; /* behind the variables */
    ThText columns = {0};
    json_t *names = column_names(t), *name;
    size_t i, by = json_array_size(t->r->by);
    json_array_foreach(names, i, name)
    {
        th_text_printf(&columns, "%s:%c ", json_string_value(name), i < by ? 's' : kinds[i - by]);
    }
    sh_table(s, "results", columns.data ? columns.data : "");
    for (i = 0; i < t->n; i++) {
        json_t *row = row_values(&t->row[i]);
        sh_row_values(s, row);
        json_decref(row);
    }
    sh_table_end(s);
    json_decref(names);
    th_text_free(&columns);
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
    ShGrid g = {column_names(t), json_array(), (int)json_array_size(t->r->by)};
    for (size_t i = 0; i < t->n; i++) {
        json_t *values = row_values(&t->row[i]), *row = json_array(), *v;
        size_t k;
        json_array_foreach(values, k, v)
        {
            json_array_append_new(row, cell_text(v, digits));
        }
        json_array_append_new(g.rows, row);
        json_decref(values);
    }
    sh_grid_print(sh_out(s), &g, layout);
    json_decref(g.head);
    json_decref(g.rows);
}

/* How many rows have each verdict, as figures: same_value, .... */
static void tell_verdicts(ShSession *s, const Table *t)
{
    for (int v = NONE + 1; v < N_VERDICTS; v++) {
        char name[32];
        long long n = 0;
        snprintf(name, sizeof name, "%s", verdicts[v]);
        *strchr(name, ' ') = '_';
        for (size_t i = 0; i < t->n; i++)
            n += (int)t->row[i].verdict == v;
        sh_result_int(s, name, n);
    }
}

/* Reads versus=NAME=VALUE. */
static bool read_versus(Table *t, const char *text, ThError *err)
{
    size_t n = text ? strcspn(text, "=") : 0;
    t->versus = -1;
    for (size_t i = 0; text && i < json_array_size(t->r->by); i++) {
        const char *name = json_string_value(json_array_get(t->r->by, i));
        if (strlen(name) == n && strncmp(text, name, n) == 0 && text[n])
            t->versus = (int)i;
    }
    t->value = text && text[n] ? text + n + 1 : "";
    return !text || t->versus >= 0 ||
           th_fail(err, TH_EUSAGE, "versus=%s is not NAME=VALUE of a column of the file", text);
}

bool sh_results_compare(ShSession *s, const ThOptions *o, const ShResults *r, ThError *err)
{
    Table t = {.r = r, .scale = th_option_real(o, "scale")};
    t.near = th_option_real_or(o, "near", 0.02 * t.scale);
    ShLayout layout = sh_out(s) ? (ShLayout)th_option_choice(o, "layout") : SH_LAYOUT_PLAIN;
    bool ok = read_versus(&t, th_option_text_or(o, "versus", NULL), err) && make_rows(&t, err);
    if (ok) {
        judge_rows(&t);
        tell_verdicts(s, &t);
    }
    if (ok && layout == SH_LAYOUT_PLAIN)
        print_plain(s, &t);
    else if (ok)
        print_laid_out(s, &t, layout, (int)th_option_int(o, "digits"));
    free(t.row);
    return ok;
}
