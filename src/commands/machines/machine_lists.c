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

/* A row is whole in the file before the next machine's turn. */
static bool flush_row(FILE *out, const char *path, ThError *err)
{
    if (!out || (fflush(out) == 0 && !ferror(out)))
        return true;
    return th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(errno));
}

/* ---- the work -------------------------------------------------------------------------------- */

static bool each(ShSession *s, const ShCall *call, const ShMachineList *l, size_t from, FILE *out,
                 ShOnMachine *one, ThError *err)
{
    bool ok = true;
    double begun = sh_clock();
    for (size_t i = from; ok && i < l->n; i++) {
        double took = sh_clock() - begun, rate = (double)(l->n - i) / (double)(i - from + 1);
        long left = (long)(took * rate);
        sh_progress(s, "machine %zu of %zu  %ld:%02ld left", i + 1, l->n, left / 60, left % 60);
        ThTm *m TH_OWNED(th_tm_free) = th_tm_read_bb(l->item[i], err);
        ok = m && !th_stopped_at(sh_stop(s), i, "machines", err) &&
             one(s, call, &(ShListed){l->item[i], m, out}, err) &&
             flush_row(out, call->redirect, err);
    }
    return ok;
}

bool sh_each_machine(ShSession *s, const ShCall *call, const char *columns, ShOnMachine *one,
                     ThError *err)
{
    ShMachineList l TH_OWNED(sh_machine_list_free) = {0};
    FILE *out = NULL;
    size_t done = 0;
    bool ok = list_read(s, &l, &call->operand[0], err);
    if (ok && call->redirect) {
        out = open_results(call, &l, columns, &done, err);
        ok = out != NULL;
    } else if (ok) {
        sh_table(s, "machines", columns);
    }
    ok = ok && each(s, call, &l, done, out, one, err);
    if (out && fclose(out) != 0 && ok)
        ok = th_fail(err, TH_EIO, "cannot write '%s': %s", call->redirect, strerror(errno));
    if (!ok && out && err->code == TH_EINTERRUPTED)
        th_hint(err, "the same command with >> instead of > goes on");
    if (!call->redirect)
        sh_table_end(s);
    if (ok)
        sh_results(s, "machines:i done:i", (long long)l.n, (long long)done);
    return ok;
}
