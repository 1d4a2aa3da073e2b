/* results_published.c - the file with the figures of a paper. */
#include <math.h>

#include "commands/general/results.h"

/* The columns that are no variables. */
enum { PUBLISHED, CHANCE, PAPER_CHANCE, STATISTIC, PAPER_TEST, N_KNOWN };
static const char known_names[] = "published|chance|paper_chance|statistic|paper_test";

typedef struct {
    ShResults *r;
    const json_t *point; /* the variables of the sweep */
    int n, at[N_KNOWN];  /* columns; -1: there is none */
    size_t cap;
} Reader;

/* The names of the columns: of variables, and of what is known of them. */
static bool read_names(Reader *in, const ThTaskCell *cell, int n, ThError *err)
{
    in->n = n;
    for (int i = 0; i < n; i++) {
        const char *name = cell[i].text;
        int known = th_choice_index(known_names, name, strlen(name));
        if (known >= 0)
            in->at[known] = i;
        else if (!json_object_get(in->point, name))
            return th_fail_at(err, TH_EVALUE, cell[i].line, cell[i].col,
                              "the sweep has no variable '%s'", name);
        else
            json_array_append_new(in->r->by, json_string(name));
    }
    in->r->has_paper_chance = in->at[PAPER_CHANCE] >= 0;
    in->r->has_statistic = in->at[STATISTIC] >= 0;
    in->r->has_test = in->at[PAPER_TEST] >= 0;
    if (in->at[PUBLISHED] >= 0 && json_array_size(in->r->by) > 0)
        return true;
    return th_fail_at(err, TH_EVALUE, cell[0].line, 1, "no column '%s'",
                      in->at[PUBLISHED] < 0 ? "published" : "of a variable") ||
           th_hint(err, "the columns are variables of the sweep, published, and perhaps chance, "
                        "paper_chance, statistic, paper_test");
}

static bool read_number(const ThTaskCell *cell, double *x, ThError *err)
{
    char *end;
    *x = strtod(cell->text, &end);
    if (end > cell->text && !*end && isfinite(*x))
        return true;
    return th_fail_at(err, TH_EVALUE, cell->line, cell->col, "'%s' is no number", cell->text);
}

/* A cell of a column that need not be there, nor filled. */
static const ThTaskCell *filled(const Reader *in, const ThTaskCell *cell, int known)
{
    int at = in->at[known];
    return at >= 0 && cell[at].text[0] ? &cell[at] : NULL;
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

static bool read_statistic(const ThTaskCell *cell, ThStatsStatistic *to, ThError *err)
{
    int i = cell ? th_choice_index("mean|median|max", cell->text, strlen(cell->text)) : 0;
    if (cell && i >= 0)
        *to = (ThStatsStatistic)i;
    return i >= 0 || th_fail_at(err, TH_EVALUE, cell->line, cell->col,
                                "'%s' is none of mean, median, max", cell->text);
}

static bool is_published(const ShResults *r, const ShPublished *p)
{
    bool found = false;
    for (size_t i = 0; !found && i < r->n_published; i++)
        found =
            r->published[i].statistic == p->statistic && json_equal(r->published[i].key, p->key);
    return found;
}

static bool read_cells(const Reader *in, const ThTaskCell *cell, ShPublished *p, ThError *err)
{
    const ThTaskCell *ours = filled(in, cell, CHANCE), *theirs = filled(in, cell, PAPER_CHANCE),
                     *test = filled(in, cell, PAPER_TEST);
    for (int i = 0; i < in->n; i++) {
        bool variable = true;
        for (int k = 0; k < N_KNOWN; k++)
            variable = variable && i != in->at[k];
        if (variable)
            json_array_append_new(p->key, json_string(cell[i].text));
    }
    return read_figure(&cell[in->at[PUBLISHED]], p, err) &&
           (!ours || read_number(ours, &p->chance, err)) &&
           (!theirs || read_number(theirs, &p->paper_chance, err)) &&
           read_statistic(filled(in, cell, STATISTIC), &p->statistic, err) &&
           (!test || (p->test = th_strdup(test->text, err)));
}

static void free_published(ShPublished *p)
{
    json_decref(p->key);
    TH_FREE(p->text, p->test);
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
    ShPublished p = {.key = json_array(),
                     .chance = (double)NAN,
                     .paper_chance = (double)NAN,
                     .statistic = r->statistic};
    bool ok = read_cells(in, cell, &p, err);
    if (ok && is_published(r, &p))
        ok = th_fail_at(err, TH_EVALUE, cell[0].line, 1, "these have a row already");
    ok = ok && (p.text = th_strdup(cell[in->at[PUBLISHED]].text, err)) &&
         th_grow(&r->published, &in->cap, r->n_published + 1, sizeof p, err);
    if (ok)
        r->published[r->n_published++] = p;
    else
        free_published(&p);
    return ok;
}

bool sh_published_read(ShResults *r, const char *file, ThError *err)
{
    ThError own = {0};
    Reader in = {.r = r, .at = {-1, -1, -1, -1, -1}};
    in.point = json_object_get(json_array_get(r->records, 0), "point");
    bool ok = th_task_rows_read(file, read_row, &in, &own);
    if (ok && r->n_published == 0)
        ok = th_fail(&own, TH_EVALUE, "'%s' has no rows", file);
    return ok || sh_error_in_file(err, file, &own);
}

void sh_published_free(ShResults *r)
{
    for (size_t i = 0; i < r->n_published; i++)
        free_published(&r->published[i]);
    free(r->published);
}
