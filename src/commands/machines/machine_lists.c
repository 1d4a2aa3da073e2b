/* machine_lists.c - a command on each machine of a list, in a file that can be gone on with. */
#include <errno.h>
#include <unistd.h>

#include "commands/machines/machine_lists.h"
#include "machine_list.h"
#include "language/variables.h"

/* The list of a variable of that name, or of a file. */
static bool list_read(ShSession *s, ShMachineList *l, const ShOperand *o, ThError *err)
{
    enum { MOST_BYTES = 1 << 28 };
    size_t size;
    ThText t = {0};
    char *item, *text;
    if (sh_variable(s, o->text).kind != 'l') {
        text = th_file_read(o->text, MOST_BYTES, &size, err);
        return (text && sh_machine_list_read(l, text, size, o->text, err)) ||
               sh_error_inside(err, o);
    }
    for (size_t i = 0; (item = sh_variable_item(s, o->text, i)); i++) {
        th_text_printf(&t, "%s\n", item);
        free(item);
    }
    size = t.size;
    text = th_text_take(&t, err);
    return (text && sh_machine_list_read(l, text, size, o->text, err)) || sh_error_inside(err, o);
}

/* ---- the file of results --------------------------------------------------------------------- */

/* "machine:s steps:i" as the heading machine,steps, with the end of its line. */
static void write_heading(ThText *t, const char *columns)
{
    for (const char *c = columns; *c; c += strcspn(c, " "), c += *c == ' ') {
        th_text_add(t, c == columns ? "" : ",");
        th_text_add_bytes(t, c, strcspn(c, ":"));
    }
    th_text_add(t, "\n");
}

/* How many machines of the list the rows of a file are about, and where its last whole row ends.
 * False where the rows are about others. */
static bool rows_done(const ShMachineList *l, const char *text, const char *heading, size_t *done,
                      size_t *end)
{
    size_t n = strlen(heading);
    *done = *end = 0;
    if (!strchr(text, '\n'))
        return strncmp(heading, text, strlen(text)) == 0;
    if (strncmp(text, heading, n) != 0)
        return false;
    for (const char *row = text + n, *next; (next = strchr(row, '\n')); row = next + 1) {
        const char *machine = *done < l->n ? l->item[*done] : "";
        size_t size = strlen(machine);
        if (size == 0 || strncmp(row, machine, size) != 0 || row[size] != ',')
            return false;
        ++*done;
        *end = (size_t)(next + 1 - text);
    }
    *end = *end ? *end : n;
    return true;
}

/* What a file has already, *end bytes; a row that was not finished is taken away. */
static bool resume(const ShMachineList *l, const char *path, const char *heading, size_t *done,
                   size_t *end, ThError *err)
{
    size_t size;
    if (access(path, F_OK) != 0)
        return true;
    char *text TH_OWNED(free) = th_file_read(path, (size_t)1 << 30, &size, err);
    if (!text)
        return false;
    bool fits = strlen(text) == size && rows_done(l, text, heading, done, end);
    if (!fits)
        return th_fail(err, TH_EVALUE,
                       "the rows of '%s' are not about the first machines of the list", path) ||
               th_hint(err, "> writes the file anew");
    return *end == size || truncate(path, (off_t)*end) == 0 ||
           th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(errno));
}

/* The file that a call's output goes to; *done machines are in it already. */
static FILE *open_results(const ShCall *call, const ShMachineList *l, const char *columns,
                          size_t *done, ThError *err)
{
    ThText t = {0};
    size_t kept = 0;
    *done = 0;
    if (!*call->redirect || !th_ends_with(call->redirect + 1, ".csv"))
        return th_null(
            th_fail(err, TH_EUSAGE, "what a list of machines comes to is written to a .csv file"));
    write_heading(&t, columns);
    char *heading TH_OWNED(free) = th_text_take(&t, err);
    bool ok = heading && th_file_may_write(call->redirect, err) &&
              (!call->append || resume(l, call->redirect, heading, done, &kept, err));
    FILE *out = ok ? fopen(call->redirect, call->append ? "a" : "w") : NULL;
    if (ok && !out)
        th_fail(err, TH_EIO, "cannot write '%s': %s", call->redirect, strerror(errno));
    if (out && kept == 0)
        fputs(heading, out);
    return out;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
    const char *machine; /* as it stands in the list */
    size_t place;
    ShListRow is;
} Row;

typedef struct {
    ShSession *s;
    FILE *out;        /* where rows are written; NULL: sh_row adds them */
    const char *path; /* of it */
    const char *only; /* the verdict that they have; NULL: any */
    Row *row;         /* those that wait for others, where they are sorted */
    size_t n, cap;
    ThIntern kind; /* verdict, or verdict and proof: what the totals are of */
    size_t *count, count_cap;
} Rows;

static void rows_free(Rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        th_text_free(&r->row[i].is.certificate);
    th_intern_free(&r->kind);
    TH_FREE(r->row, r->count);
}
TH_RELEASES_VALUE(rows_free, Rows)

static bool count_kind(Rows *r, const char *kind, size_t size, ThError *err)
{
    size_t index, before = r->kind.n;
    if (!th_intern(&r->kind, kind, size, &index, err) ||
        !th_grow(&r->count, &r->count_cap, r->kind.n, sizeof *r->count, err))
        return false;
    r->count[index] = index < before ? r->count[index] + 1 : 1;
    return true;
}

/* A row is whole in the file before the next machine's turn. */
static bool write_row(Rows *r, const Row *row, ThError *err)
{
    const ShListRow *x = &row->is;
    const unsigned long long *n = x->number;
    const char *c = th_text_string(&x->certificate);
    if (!r->out && x->proof)
        sh_row(r->s, row->machine, x->verdict, x->proof, (long long)n[0], (long long)n[1], c);
    else if (!r->out)
        sh_row(r->s, row->machine, x->verdict, (long long)n[0], (long long)n[1], (long long)n[2]);
    else if (x->proof)
        fprintf(r->out, "%s,%s,%s,%llu,%llu,%s\n", row->machine, x->verdict, x->proof, n[0], n[1],
                c);
    else
        fprintf(r->out, "%s,%s,%llu,%llu,%llu\n", row->machine, x->verdict, n[0], n[1], n[2]);
    if (!r->out || (fflush(r->out) == 0 && !ferror(r->out)))
        return true;
    return th_fail(err, TH_EIO, "cannot write '%s': %s", r->path, strerror(errno));
}

/* For qsort: where a row has more, or a verdict that comes sooner, it goes before; else as in the
 * list. */
static int by_number(const Row *a, const Row *b, int k)
{
    if (a->is.number[k] != b->is.number[k])
        return a->is.number[k] > b->is.number[k] ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}
static int by_steps(const void *a, const void *b)
{
    return by_number(a, b, 0);
}
static int by_cells(const void *a, const void *b)
{
    return by_number(a, b, ((const Row *)a)->is.proof ? 1 : 2);
}
static int by_verdict(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    int order = strcmp(x->is.verdict, y->is.verdict);
    if (order == 0 && x->is.proof)
        order = strcmp(x->is.proof, y->is.proof);
    return order ? order : by_number(x, y, 0);
}

static bool write_sorted(Rows *r, int sort, ThError *err)
{
    static int (*const order[])(const void *, const void *) = {NULL, by_steps, by_cells,
                                                               by_verdict};
    bool ok = true;
    if (sort && r->n)
        qsort(r->row, r->n, sizeof *r->row, order[sort]);
    for (size_t i = 0; ok && i < r->n; i++)
        ok = write_row(r, &r->row[i], err);
    return ok;
}

/* "4 machines: 2 never (cycler), 1 stops (run), 1 unknown (none)"; and of each verdict how many, as
 * a figure. */
static void say_totals(Rows *r, bool proofs)
{
    ShSession *s = r->s;
    size_t all = 0, size;
    for (size_t i = 0; i < r->kind.n; i++)
        all += r->count[i];
    sh_say(s, "%zu machine%s", all, sh_plural((long long)all));
    long long sum[4] = {0};
    for (size_t i = 0; i < r->kind.n; i++) {
        const char *kind = th_intern_at(&r->kind, i, &size);
        int verdict = (int)strcspn(kind, ","), rest = (int)strlen(kind) - verdict;
        sh_say(s, "%s %zu %.*s", i ? "," : ":", r->count[i], verdict, kind);
        if (rest > 1)
            sh_say(s, " (%s)", kind + verdict + 1);
        sum[*kind == 'n' ? 0 : *kind == 's' ? 1 : *kind == 'u' ? 2 : 3] += (long long)r->count[i];
    }
    sh_say(s, "\n");
    if (proofs)
        sh_results(s, "never:i stops:i unknown:i", sum[0], sum[1], sum[2]);
}

/* ---- the work -------------------------------------------------------------------------------- */

/* The rows that a file has already count. */
static bool count_done(Rows *r, const ShMachineList *l, size_t done, bool proofs, ThError *err)
{
    size_t size;
    if (done == 0)
        return true;
    char *text TH_OWNED(free) = th_file_read(r->path, (size_t)1 << 30, &size, err);
    const char *row = text ? strchr(text, '\n') : NULL;
    bool ok = text != NULL;
    for (size_t i = 0; ok && row && i < done; i++, row = strchr(row + 1, '\n')) {
        const char *kind = row + 1 + strlen(l->item[i]) + 1;
        size_t n = strcspn(kind, ",\n");
        n += proofs && kind[n] == ',' ? 1 + strcspn(kind + n + 1, ",\n") : 0;
        char *copy TH_OWNED(free) = th_strndup(kind, n, err);
        ok = copy && count_kind(r, copy, n + 1, err);
    }
    return ok;
}

static bool take_row(Rows *r, const Row *row, bool sort, ThError *err)
{
    char kind[80];
    snprintf(kind, sizeof kind, "%s,%s", row->is.verdict, row->is.proof ? row->is.proof : "");
    kind[strlen(kind) - (row->is.proof == NULL)] = '\0';
    if (!count_kind(r, kind, strlen(kind) + 1, err))
        return false;
    if (r->only && strcmp(r->only, row->is.verdict) != 0)
        return true;
    if (!sort)
        return write_row(r, row, err);
    if (!th_grow(&r->row, &r->cap, r->n + 1, sizeof *r->row, err))
        return false;
    r->row[r->n] = *row;
    r->row[r->n++].is.certificate = (ThText){0};
    th_text_add(&r->row[r->n - 1].is.certificate, th_text_string(&row->is.certificate));
    return !r->row[r->n - 1].is.certificate.failed || th_fail(err, TH_ENOMEM, "out of memory");
}

static bool each(Rows *r, const ShCall *call, const ShMachineList *l, size_t from, ShOnMachine *one,
                 ThError *err)
{
    bool ok = true;
    double begun = sh_clock();
    int sort = th_option_choice(&call->options, "sort");
    for (size_t i = from; ok && i < l->n; i++) {
        double took = sh_clock() - begun, rate = (double)(l->n - i) / (double)(i - from + 1);
        long left = (long)(took * rate);
        sh_progress(r->s, "machine %zu of %zu  %ld:%02ld left", i + 1, l->n, left / 60, left % 60);
        ThTm *m TH_OWNED(th_tm_free) = th_tm_read_bb(l->item[i], err);
        Row row = {.machine = l->item[i], .place = i};
        ok = m && !th_stopped_at(sh_stop(r->s), i, "machines", err) &&
             one(r->s, call, m, &row.is, err) && take_row(r, &row, sort != 0, err);
        th_text_free(&row.is.certificate);
    }
    return ok && write_sorted(r, sort, err);
}

bool sh_each_machine(ShSession *s, const ShCall *call, const char *columns, ShOnMachine *one,
                     ThError *err)
{
    ShMachineList l TH_OWNED(sh_machine_list_free) = {0};
    Rows r TH_OWNED(rows_free) = {.s = s, .path = call->redirect};
    size_t done = 0;
    bool proofs = strstr(columns, "proof") != NULL;
    r.only =
        th_option_given(&call->options, "only") ? th_option_text(&call->options, "only") : NULL;
    if (call->append && (r.only || th_option_choice(&call->options, "sort")))
        return th_fail(err, TH_EUSAGE,
                       "a file that is gone on with has all rows, as in the list") ||
               th_hint(err, "> writes it anew");
    bool ok = list_read(s, &l, &call->operand[0], err);
    if (ok && call->redirect) {
        r.out = open_results(call, &l, columns, &done, err);
        ok = r.out && count_done(&r, &l, done, proofs, err);
    } else if (ok) {
        sh_table(s, "machines", columns);
    }
    ok = ok && each(&r, call, &l, done, one, err);
    if (r.out && fclose(r.out) != 0 && ok)
        ok = th_fail(err, TH_EIO, "cannot write '%s': %s", call->redirect, strerror(errno));
    if (!ok && r.out && err->code == TH_EINTERRUPTED)
        th_hint(err, "the same command with >> instead of > goes on");
    if (!call->redirect)
        sh_table_end(s);
    if (ok) {
        sh_results(s, "machines:i done:i", (long long)l.n, (long long)done);
        say_totals(&r, proofs);
    }
    return ok;
}
