/* sweep_point.c - one point of a sweep, in its process. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "blas_kernels.h"
#include "commands/general/sweep.h"
#include "platform.h"
#include "shell.h"
#include "terminal/signals.h"

enum { MOST_NOTES = 1 << 16 };

/* A file without a name, for what is printed on the way. */
static FILE *catch_output(void)
{
    FILE *notes = tmpfile();
    int nothing = open("/dev/null", O_RDWR);
    if (!notes || nothing < 0)
        return NULL;
    dup2(nothing, STDIN_FILENO);
    dup2(fileno(notes), STDOUT_FILENO);
    dup2(fileno(notes), STDERR_FILENO);
    close(nothing);
    return notes;
}

static json_t *read_notes(FILE *notes)
{
    char *text TH_OWNED(free) = th_alloc(MOST_NOTES, 1, NULL);
    fflush(stdout);
    rewind(notes);
    size_t n = text ? fread(text, 1, MOST_NOTES, notes) : 0;
    json_t *value = json_stringn(text ? text : "", n);
    return value ? value : json_string("(no UTF-8)");
}

/* Lines of json to an array. */
static json_t *read_results(const char *text, size_t size)
{
    json_t *all = json_array();
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) - at : size - at;
        json_t *one = json_loadb(text + at, n, JSON_ALLOW_NUL, NULL);
        if (one)
            json_array_append_new(all, one);
        at += n + 1;
    }
    return all;
}

/* The training of the model that was trained last: here, or else before; NULL: there is none. */
static const ThModelTraining *latest_training(ShSession *s)
{
    const ThModelTraining *last = NULL;
    const ShObject *o = s->point->trained ? sh_find(s, s->point->trained) : NULL;
    bool named = o && o->kind == SH_MODEL;
    size_t latest = 0;
    if (named)
        last = &o->as.model->training;
    for (size_t i = 0; !named && (o = sh_object_at(s, i)); i++) {
        if (o->kind != SH_MODEL || o->as.model->training.trained_hi <= 0 || o->statement < latest)
            continue;
        latest = o->statement;
        last = &o->as.model->training;
    }
    return last && last->trained_hi > 0 ? last : NULL;
}

/* The lengths of its strings. */
static json_t *trained(const ThModelTraining *t)
{
    return t ? json_pack("[i, i]", t->trained_lo, t->trained_hi) : json_null();
}

/* The share of right answers at its end. */
static json_t *learned(const ThModelTraining *t)
{
    return t && t->n_history > 0 ? json_real(t->history[t->n_history - 1].accuracy) : json_null();
}

static json_t *processor(void)
{
    char line[256];
    sh_platform_processor(line, sizeof line);
    return *line ? json_string(line) : json_null();
}

static double peak_memory(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (double)u.ru_maxrss * 1024 : 0;
}

json_t *sh_point_error(const ThError *err)
{
    if (!err->msg[0])
        return json_null();
    return json_pack("{s:s, s:i, s:i, s:s}", "message", err->msg, "line", err->line, "column",
                     err->col, "hint", err->hint);
}

/* What the commands before have left that is no definition. */
static void forget_before(ShSession *s)
{
    ShObject *o;
    sh_output_forget(&s->out);
    for (size_t i = 0; (o = sh_object_at(s, i)); i++) {
        sh_drop_run(o);
        sh_drop_stepping(o);
    }
}

static json_t *begin_record(const ShSweep *w, const ShLoopNames *names, long long index, bool ok)
{
    return json_pack("{s:o, s:I, s:s, s:s, s:o, s:s}", "point", sh_point_variables(w->s, names),
                     "index", (json_int_t)index, "status", ok ? "done" : "failed", "version",
                     TH_VERSION, "processor", processor(), "kernels", sh_blas_kernels());
}

/* Runs the body, and writes the record.  Returns the exit status: 0 done, 1 failed, 2 there is no
 * record, for it was interrupted; 3 it could not be written. */
static int run_point(const ShSweep *w, const ShLoopNames *names, const ShJob *job)
{
    ShSession *s = w->s;
    ThError err = {0};
    char *text = NULL;
    size_t size = 0;
    double began = sh_processor_seconds();
    char *home TH_OWNED(free) = getcwd(NULL, 0);
    char *dir TH_OWNED(free) = home && w->dir[0] != '/' ? th_printed(NULL, "%s/%s", home, w->dir)
                                                        : th_strdup(w->dir, NULL);
    struct ShPoint point = {.dir = dir,
                            .id = job->id,
                            .home = home,
                            .kept = json_array(),
                            .options = json_object(),
                            .files = json_object()};
    clock_gettime(CLOCK_REALTIME, &point.began);
    FILE *notes = catch_output(), *answers = open_memstream(&text, &size);
    if (!notes || !answers || !home || !dir)
        return 2;
    forget_before(s);
    s->point = &point;
    s->interactive = false;
    s->out.log = NULL;
    s->out.stream = answers;
    s->out.format = SH_FORMAT_JSON;
    bool ok =
        sh_settings_set(s, "threads", "1", &err) && sh_run_body(s, w->lx, w->open, w->close, &err);
    if (sh_terminated() || (!ok && err.code == TH_EINTERRUPTED) || chdir(home) != 0)
        return 2;
    fclose(answers);
    json_t *r = begin_record(w, names, job->index, ok);
    json_object_set_new(r, "error", sh_point_error(&err));
    json_object_update_missing(json_object_get(job->inputs, "files"), point.files);
    json_decref(point.files);
    if (point.shell)
        json_object_set_new(job->inputs, "shell", point.shell);
    sh_inputs_settle(w, job->inputs);
    json_object_set(r, "inputs", job->inputs);
    json_object_set_new(r, "options", point.options);
    json_object_set_new(r, "results", read_results(text, size));
    json_object_set_new(r, "trained", trained(latest_training(s)));
    json_object_set_new(r, "learned", learned(latest_training(s)));
    json_object_set_new(r, "kept", point.kept);
    json_object_set_new(r, "notes", read_notes(notes));
    json_object_set_new(r, "seconds", json_real(sh_processor_seconds() - began));
    json_object_set_new(r, "memory", json_real(peak_memory()));
    TH_FREE(point.trained, text);
    return !sh_point_write(w->dir, job->id, r, &(ThError){0}) ? SH_POINT_UNWRITTEN : ok ? 0 : 1;
}

/* The child of a process that was killed does not go on by itself. */
static void die_with_parent(pid_t parent)
{
    sh_platform_end_with_parent();
    if (getppid() != parent)
        _exit(2);
}

/* Ctrl-C is for the parent, which ends its children and what shell commands they run: they are a
 * group of processes of their own. */
_Noreturn void sh_point_process(const ShSweep *w, const ShLoopNames *names, const ShJob *job,
                                pid_t parent)
{
    die_with_parent(parent);
    setpgid(0, 0);
    sh_signals_clear();
    _exit(run_point(w, names, job));
}
