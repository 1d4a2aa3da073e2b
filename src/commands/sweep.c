/* sweep.c - a body of commands for every point of a grid, each point in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/memory.h"
#include "base/version.h"
#include "blas_kernels.h"
#include "formats.h"
#include "parse.h"
#include "points.h"
#include "shell.h"
#include "signals.h"

enum { MOST_JOBS = 1024, MOST_NOTES = 1 << 16 };

static const ThOptionSpec sweep_options[] = {
    {"jobs", TH_INT, NULL, 1, MOST_JOBS, NULL,
     "points that run at a time; default: as many as there are processors"},
    {"part", TH_STRING, NULL, 0, 0, NULL,
     "K/N: every Nth point, from the Kth on, for machines that share the folder"},
    {"retry", TH_FLAG, "no", 0, 0, NULL, "points that failed run again"},
    {"dry", TH_FLAG, "no", 0, 0, NULL,
     "only say what there is to do, and what it takes by the points that are done; if none is, one "
     "point is run to know"},
    {0},
};

typedef struct {
    pid_t pid;
    char *id;
    json_t *point; /* its variables */
    long long index;
} Job;

typedef struct {
    ShSession *s;
    const ShLexer *lx;
    size_t open, close; /* of the body */
    const char *dir;
    int jobs, part, parts;
    bool retry, measure; /* measure: end after one point */
    Job job[MOST_JOBS];
    int running;
    long long index;                         /* of the point at hand */
    long long points, before, failed_before; /* all of this part; recorded when it began */
    long long done, failed;                  /* now */
    double began, cost, memory; /* seconds of the points recorded, and the most bytes */
} Sweep;

/* ---- one point, in its process --------------------------------------------------------------- */

/* What a point that runs keeps, and where. */
struct ShPoint {
    const char *dir, *id;
    json_t *kept;
};

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
    char *text = th_alloc(MOST_NOTES, 1, NULL);
    fflush(stdout);
    rewind(notes);
    size_t n = text ? fread(text, 1, MOST_NOTES, notes) : 0;
    json_t *value = json_stringn(text ? text : "", n);
    free(text);
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

/* The lengths that the model was trained on that was trained last. */
static json_t *trained(ShSession *s)
{
    json_t *range = NULL;
    size_t latest = 0;
    const ShObject *o;
    for (size_t i = 0; (o = sh_object_at(s, i)); i++) {
        if (o->kind != SH_MODEL || o->as.model->training.trained_hi <= 0 || o->statement < latest)
            continue;
        const ThModelTraining *t = &o->as.model->training;
        latest = o->statement;
        json_decref(range);
        range = json_pack("[i, i]", t->trained_lo, t->trained_hi);
    }
    return range ? range : json_null();
}

static json_t *processor(void)
{
    char line[256] = "", *value = NULL;
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && !value && fgets(line, sizeof line, in))
        value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (in)
        fclose(in);
    if (!value)
        return json_null();
    value[strcspn(value, "\n")] = '\0';
    return json_string(value + strspn(value, ": \t"));
}

static double peak_memory(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (double)u.ru_maxrss * 1024 : 0;
}

static json_t *error_value(const ThError *err)
{
    if (!err->msg[0])
        return json_null();
    return json_pack("{s:s, s:i, s:i, s:s}", "message", err->msg, "line", err->line, "column",
                     err->col, "hint", err->hint);
}

static json_t *begin_record(const Sweep *w, const ShLoopNames *names, long long index, bool ok)
{
    return json_pack("{s:o, s:I, s:s, s:s, s:o, s:s}", "point", sh_point_variables(w->s, names),
                     "index", (json_int_t)index, "status", ok ? "done" : "failed", "version",
                     TH_VERSION, "processor", processor(), "kernels", sh_blas_kernels());
}

/* Runs the body, and writes the record.  Returns the exit status: 0 done, 1 failed, 2 there is no
 * record, for it was interrupted or could not be written. */
static int run_point(const Sweep *w, const ShLoopNames *names, const char *id, long long index)
{
    ShSession *s = w->s;
    ThError err = {0};
    char *text = NULL;
    size_t size = 0;
    double began = sh_clock();
    struct ShPoint point = {w->dir, id, json_array()};
    FILE *notes = catch_output(), *answers = open_memstream(&text, &size);
    if (!notes || !answers)
        return 2;
    s->point = &point;
    s->interactive = false;
    s->out.log = NULL;
    s->out.stream = answers;
    s->out.format = SH_FORMAT_JSON;
    bool ok =
        sh_settings_set(s, "threads", "1", &err) && sh_run_body(s, w->lx, w->open, w->close, &err);
    if (sh_terminated() || (!ok && err.code == TH_EINTERRUPTED))
        return 2;
    fclose(answers);
    json_t *r = begin_record(w, names, index, ok);
    json_object_set_new(r, "error", error_value(&err));
    json_object_set_new(r, "results", read_results(text, size));
    json_object_set_new(r, "trained", trained(s));
    json_object_set_new(r, "kept", point.kept);
    json_object_set_new(r, "notes", read_notes(notes));
    json_object_set_new(r, "seconds", json_real(sh_clock() - began));
    json_object_set_new(r, "memory", json_real(peak_memory()));
    return !sh_point_write(w->dir, id, r, &err) ? 2 : ok ? 0 : 1;
}

/* The child of a process that was killed does not go on by itself. */
static void die_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(2);
}

/* Ctrl-C is for the parent, which ends its children. */
static _Noreturn void be_point(const Sweep *w, const ShLoopNames *names, const char *id,
                               long long index, pid_t parent)
{
    die_with_parent(parent);
    signal(SIGINT, SIG_IGN);
    sh_signals_clear();
    _exit(run_point(w, names, id, index));
}

/* ---- the processes --------------------------------------------------------------------------- */

static void say_progress(const Sweep *w)
{
    long long ended = w->done + w->failed, known = ended + w->before;
    long long left = w->points - w->before - w->failed_before - ended;
    ThText t = {0};
    if (known > 0)
        th_text_printf(&t, ", %.0f s left", ceil(w->cost / (double)known * (double)left / w->jobs));
    sh_progress(w->s, "%lld of %lld points done, %d running, %lld failed%s", w->before + w->done,
                w->points, w->running, w->failed + w->failed_before, t.data ? t.data : "");
    th_text_free(&t);
}

static void count_cost(Sweep *w, const json_t *record)
{
    double memory = json_number_value(json_object_get(record, "memory"));
    w->cost += json_number_value(json_object_get(record, "seconds"));
    w->memory = fmax(w->memory, memory);
}

/* A point whose process was killed has a record, too. */
static bool record_death(const Sweep *w, const Job *j, int status, ThError *err)
{
    ThError why = {0};
    if (WIFSIGNALED(status))
        th_fail(&why, TH_ELIMIT, "the process was ended by signal %d", WTERMSIG(status));
    else
        th_fail(&why, TH_EIO, "the process ended with status %d, and left no record",
                WEXITSTATUS(status));
    return sh_point_write(w->dir, j->id,
                          json_pack("{s:O, s:I, s:s, s:o}", "point", j->point, "index",
                                    (json_int_t)j->index, "status", "failed", "error",
                                    error_value(&why)),
                          err);
}

static void free_job(Job *j)
{
    json_decref(j->point);
    free(j->id);
}

/* One process has ended. */
static bool end_job(Sweep *w, int number, int status, ThError *err)
{
    Job j = w->job[number];
    json_t *record = NULL;
    bool ok = true;
    w->job[number] = w->job[--w->running];
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        ok = record_death(w, &j, status, err);
    ok = ok && sh_point_read(w->dir, j.id, &record, err);
    if (ok) {
        count_cost(w, record);
        w->done += sh_point_is_done(record);
        w->failed += !sh_point_is_done(record);
    }
    json_decref(record);
    free_job(&j);
    return ok;
}

static void kill_jobs(Sweep *w)
{
    for (int i = 0; i < w->running; i++)
        kill(w->job[i].pid, SIGTERM);
    for (int i = 0; i < w->running; i++) {
        waitpid(w->job[i].pid, NULL, 0);
        free_job(&w->job[i]);
    }
    w->running = 0;
}

/* Waits until fewer than `most` points run. */
static bool wait_jobs(Sweep *w, int most, ThError *err)
{
    const struct timespec moment = {0, 10000000};
    bool ok = true;
    while (ok && w->running >= most) {
        bool ended = false;
        for (int i = w->running; ok && i-- > 0;) {
            int status;
            if (waitpid(w->job[i].pid, &status, WNOHANG) != w->job[i].pid)
                continue;
            ended = true;
            ok = end_job(w, i, status, err);
        }
        say_progress(w);
        ok = ok && !th_stopped(sh_stop(w->s), err);
        if (ok && !ended)
            nanosleep(&moment, NULL);
    }
    return ok;
}

/* Takes the id over where it goes well. */
static bool start_job(Sweep *w, const ShLoopNames *names, char *id, long long index, ThError *err)
{
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        be_point(w, names, id, index, parent);
    if (pid < 0)
        return th_fail(err, TH_EIO, "cannot start a process: %s", strerror(errno));
    w->job[w->running++] = (Job){pid, id, sh_point_variables(w->s, names), index};
    return true;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static bool count_point(void *context, const ShLoopNames *names, ThError *err)
{
    Sweep *w = context;
    if (w->index++ % w->parts != w->part)
        return true;
    char *id = sh_point_id(w->s, names, err);
    json_t *record = NULL;
    bool ok = id && sh_point_read(w->dir, id, &record, err);
    w->points++;
    if (record) {
        count_cost(w, record);
        w->before += sh_point_is_done(record);
        w->failed_before += !w->retry && !sh_point_is_done(record);
    }
    json_decref(record);
    free(id);
    return ok;
}

static bool sweep_point(void *context, const ShLoopNames *names, ThError *err)
{
    Sweep *w = context;
    long long index = w->index++;
    if (index % w->parts != w->part || (w->measure && w->done + w->failed + w->running > 0))
        return true;
    char *id = sh_point_id(w->s, names, err);
    json_t *record = NULL;
    bool ok = id && sh_point_read(w->dir, id, &record, err);
    bool wanted = !record || (w->retry && !sh_point_is_done(record));
    json_decref(record);
    ok = ok && (!wanted || wait_jobs(w, w->jobs, err));
    bool starts = ok && wanted;
    if (starts && start_job(w, names, id, index, err))
        return true;
    free(id);
    return ok && !starts;
}

static bool go_through(Sweep *w, const ShOperand *header, ThError *err)
{
    w->index = 0;
    bool ok = sh_loop(w->s, &(ShLoop){header, sweep_point, w}, err) && wait_jobs(w, 1, err);
    kill_jobs(w);
    return ok;
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void say_sum(Sweep *w)
{
    ShSession *s = w->s;
    long long failed = w->failed + w->failed_before;
    sh_say(s, "%lld points: %lld done", w->points, w->before + w->done);
    if (w->before > 0)
        sh_say(s, " (%lld of them before)", w->before);
    if (failed > 0)
        sh_say(s, ", %lld failed: results says which", failed);
    sh_say(s, "\n");
    sh_result_int(s, "points", w->points);
    sh_result_int(s, "done", w->before + w->done);
    sh_result_int(s, "failed", failed);
    sh_result_real(s, "seconds", sh_clock() - w->began);
}

static void say_estimate(Sweep *w)
{
    ShSession *s = w->s;
    long long known = w->before + w->failed_before + w->done + w->failed, left = w->points - known;
    double seconds = known ? ceil((double)left / w->jobs) * w->cost / (double)known : 0;
    sh_say(s,
           "%lld points, %lld of them recorded; the other %lld take about %.3g s, %d at a time, "
           "and %.3g MB each\n",
           w->points, known, left, seconds, w->jobs, w->memory / 1e6);
    sh_result_int(s, "points", w->points);
    sh_result_int(s, "recorded", known);
    sh_result_real(s, "seconds", seconds);
    sh_result_real(s, "memory", w->memory);
}

/* K/N */
static bool read_part(const ThOptions *o, Sweep *w, ThError *err)
{
    int end = 0;
    w->part = 0;
    w->parts = 1;
    if (!th_option_given(o, "part"))
        return true;
    const char *text = th_option_text(o, "part");
    if (sscanf(text, "%d/%d%n", &w->part, &w->parts, &end) != 2 || text[end] || w->part < 1 ||
        w->part > w->parts)
        return th_fail(err, TH_EUSAGE, "part=%s is not K/N with K from 1 to N", text);
    w->part--;
    return true;
}

/* The statement's tokens up to the word for. */
static size_t find_for(const ShStatement *st, size_t open)
{
    size_t at = st->from + 1;
    while (at < open && !sh_lexeme_is(st->lexer, &st->lexer->token[at], "for"))
        at++;
    return at;
}

static bool run_sweep(Sweep *w, const ShCall *head, const ShOperand *header, ThError *err)
{
    const ThOptions *o = &head->options;
    const ShToken *t = w->lx->token;
    w->dir = head->operand[0].text;
    w->jobs = (int)th_option_int_or(o, "jobs", sh_threads(w->s));
    w->retry = th_option_flag(o, "retry");
    w->began = sh_clock();
    char *commands = sh_lex_source(w->lx, t[w->open].end, t[w->close].start, err);
    bool dry = th_option_flag(o, "dry");
    bool ok = commands && read_part(o, w, err) &&
              sh_loop(w->s, &(ShLoop){header, count_point, w}, err) &&
              sh_points_begin(w->dir, commands, err);
    w->measure = dry;
    if (ok && !(dry && w->before + w->failed_before > 0))
        ok = go_through(w, header, err);
    free(commands);
    if (ok && dry)
        say_estimate(w);
    else if (ok)
        say_sum(w);
    return ok;
}

SH_COMMAND(
    sweep, .group = "general",
    .summary = "run commands for every point of a grid, in processes, and record their results",
    .detail =
        "The lists are those of for; the body runs once a point, with the variables set, in a "
        "process of its own, with one thread, jobs= at a time.  It finds what has been defined "
        "before; what it defines ends with it, unless keep writes it to the folder.  When a point "
        "ends, a record of it is in DIR: its variables, what its commands answered, as in json, "
        "its time and memory, or its error.\n\n"
        "A point that has a record is not run again: after Ctrl-C, or with more values in a list, "
        "sweep does what is missing.  A point that fails does not end the sweep; retry=yes runs "
        "those again.  A folder belongs to one body: other commands in it are an error.  The same "
        "DIR on several machines: part=1/2 and part=2/2.\n\n"
        "results tells what came out; plot results draws it.",
    .example = "sweep \"runs\" for kind in [rnn, gru], seed in 1..2 {\n"
               "  model m = $kind dim=8\n"
               "  train m on parity length=1..10 steps=10 seed=$seed\n"
               "  evaluate m on parity length=5..15:5 samples=32\n"
               "}\n"
               "assert points == 4 and failed == 0",
    .results = "points done failed recorded seconds memory",
    .args = {{A_FILE, "DIR", 0}, {A_RAW, "for NAME in LIST, ... { COMMANDS }", A_OPTIONAL}},
    .options = sweep_options, .flags = C_CONTROL)
{
    const ShStatement st = s->now;
    size_t open = sh_find_body(&st, st.from + 1), at = find_for(&st, open);
    ShParsed head = {0};
    ShOperand header;
    (void)call;
    if (s->point || s->loading)
        return th_fail(err, TH_EUSAGE,
                       s->point ? "a sweep cannot stand in the body of another"
                                : "a file that is loaded holds definitions only");
    ShStatement front = {st.lexer, st.from, at};
    bool ok = sh_parse_call(s, &front, &sh_command_sweep, 1, &head, err);
    char *text = ok ? sh_body_header(&st, at + 1, open, &header, err) : NULL;
    Sweep *w = text ? th_alloc(1, sizeof *w, err) : NULL;
    sh_output_begin(s, &sh_command_sweep);
    if (w) {
        *w = (Sweep){.s = s, .lx = st.lexer, .open = open, .close = st.lexer->token[open].match};
        ok = run_sweep(w, &head.call, &header, err);
    }
    ok = sh_output_end(s, ok && w, err) && ok && w;
    free(w);
    free(text);
    sh_parsed_free(&head);
    return ok;
}

/* ---- keep ------------------------------------------------------------------------------------ */

SH_COMMAND(keep, .group = "general", .summary = "in a sweep, keep an object of the point",
           .detail =
               "Writes it to the sweep's folder, into kept, where load finds it: a model as "
               ".safetensors, anything else as .th.  Where there is no sweep this is an error.",
           .example = "sweep \"runs\" for n in 2..3 {\n"
                      "  automaton a = cycle($n)\n"
                      "  keep a\n"
                      "}\n"
                      "load \"runs/kept/n=3-a.th\"\n"
                      "assert states == 3",
           .args = {{A_OBJECT, "NAME", A_NAMED}})
{
    ShObject *o = call->operand[0].object;
    if (!s->point)
        return th_fail(err, TH_EUSAGE, "keep belongs into the body of a sweep");
    ThText name = {0};
    th_text_printf(&name, "-%s%s", o->name, o->kind == SH_MODEL ? ".safetensors" : ".th");
    char *path =
        name.data ? sh_point_path(s->point->dir, "kept", s->point->id, name.data, err) : NULL;
    bool ok = path &&
              (sh_save_file(s, &o, 1, path, NULL, err) || sh_error_inside(err, &call->operand[0]));
    if (ok)
        json_array_append_new(s->point->kept, json_string(path + strlen(s->point->dir) + 1));
    free(path);
    th_text_free(&name);
    return ok;
}
