/* sweep.c - a body of commands for every point of a grid, each point in a process of its own. */
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/general/sweep.h"
#include "formats.h"
#include "language/parse.h"
#include "ranks.h"

static const ThOptionSpec sweep_options[] = {
    {"jobs", TH_INT, NULL, 1, SH_MOST_JOBS, NULL,
     "points that run at a time; default: as many as there are processors"},
    {"part", TH_STRING, NULL, 0, 0, NULL,
     "K/N: every Nth point, from the Kth on, for machines that share the folder"},
    {"retry", TH_FLAG, "no", 0, 0, NULL, "points that failed run again"},
    {"keep", TH_CHOICE, NULL, 0, 0, "stale",
     "stale: records are used though they were computed from something else than there is now"},
    {"dry", TH_FLAG, "no", 0, 0, NULL,
     "only say what there is to do, and what it takes by the points that are done; if none is, one "
     "point is run to know"},
    {0},
};

/* ---- the grid -------------------------------------------------------------------------------- */

/* What is known of the point at hand. */
static ShGridPoint *grid_point(ShSweep *w, long long index, ThError *err)
{
    size_t n = (size_t)index + 1;
    if (!th_grow(&w->grid, &w->cap_grid, n, sizeof *w->grid, err))
        return NULL;
    while (w->n_grid < n)
        w->grid[w->n_grid++] = (ShGridPoint){0};
    return &w->grid[index];
}

/* Which record a point has, if it has one. */
static void note_record(const ShSweep *w, const char *id, ShGridPoint *g)
{
    struct stat file;
    char *path TH_OWNED(free) = sh_point_path(w->dir, "points", id, ".json", NULL);
    if (path && stat(path, &file) == 0) {
        g->wrote = file.st_mtim;
        g->inode = file.st_ino;
    }
}

static bool is_as_noted(const ShSweep *w, const char *id, const ShGridPoint *g)
{
    ShGridPoint now = {0};
    note_record(w, id, &now);
    return now.inode == g->inode && now.wrote.tv_sec == g->wrote.tv_sec &&
           now.wrote.tv_nsec == g->wrote.tv_nsec;
}

/* Was a record computed from what the point would be computed from now? */
static bool is_current(ShSweep *w, const ShLoopNames *names, const json_t *record, bool *is,
                       ThError *err)
{
    json_t *now TH_OWNED(json_decref) = sh_point_inputs(w, names, err);
    *is = now && sh_inputs_same(w, record, now);
    return now != NULL;
}

/* Adds what a point is computed from to w->now. */
static bool note_inputs(ShSweep *w, const ShLoopNames *names, ThError *err)
{
    const char *section;
    json_t *values, *now TH_OWNED(json_decref) = sh_point_inputs(w, names, err);
    json_object_foreach(now, section, values)
    {
        json_t *all = json_object_get(w->now, section);
        if (all)
            json_object_update(all, values);
        else if (json_is_object(values))
            json_object_set(w->now, section, values);
    }
    return now != NULL;
}

/* Points of several seeds are counted as several runs: of a body that takes no seed they are one.
 */
static void note_seed(ShSweep *w, const ShLoopNames *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], "seed") == 0 && !sh_body_reaches(w, "seed") &&
            !sh_body_reaches(w, "source"))
            sh_say_once(w->s, "note: the body does not use $seed: its points are one run\n");
}

/* A point that stood in the grid twice would be counted as two runs. */
static bool is_new(ShSweep *w, const char *id, ThError *err)
{
    bool known = json_object_get(w->ids, id);
    json_object_set_new(w->ids, id, json_true());
    return !known || th_fail(err, TH_EUSAGE, "the point %s stands in the grid twice", id);
}

/* What is said of the grid before there is a folder. */
static bool check_point(void *context, const ShLoopNames *names, ThError *err)
{
    const long long most = 100000; /* each is a process, and a record that is a file */
    ShSweep *w = context;
    if (th_stopped(sh_stop(w->s), err))
        return false;
    if (w->index++ == most)
        return th_fail(err, TH_ELIMIT, "a sweep has at most %lld points", most);
    char *id TH_OWNED(free) = sh_point_id(w->s, names, err);
    return id && is_new(w, id, err);
}

static bool count_point(void *context, const ShLoopNames *names, ThError *err)
{
    ShSweep *w = context;
    long long index = w->index++;
    if (th_stopped(sh_stop(w->s), err))
        return false;
    char *id TH_OWNED(free) = sh_point_id(w->s, names, err);
    json_t *record TH_OWNED(json_decref) = NULL;
    bool current = false, ok = id != NULL;
    if (index == 0)
        note_seed(w, names);
    if (!ok || index % w->parts != w->part)
        return ok;
    ShGridPoint *g = grid_point(w, index, err);
    ok = g && note_inputs(w, names, err) && sh_point_read(w->dir, id, &record, err);
    w->points++;
    if (ok && record && is_current(w, names, record, &current, err) && !current) {
        w->again++;
        if (!w->keep_stale && !w->measure)
            ok = sh_point_retire(w->dir, id, err);
    }
    if (ok && record && (current || w->keep_stale)) {
        sh_sweep_cost(w, record);
        note_record(w, id, g);
        w->before += sh_point_is_done(record);
        w->shelled += sh_point_is_done(record) &&
                      json_object_get(json_object_get(record, "inputs"), "shell") != NULL;
        w->failed_before += !w->retry && !sh_point_is_done(record);
        g->settled = !w->retry || sh_point_is_done(record);
    }
    return ok;
}

/* Is there a record of what the point would be computed from?  Others' are counted. */
static bool has_record(ShSweep *w, const ShLoopNames *names, const char *id, ShGridPoint *g,
                       bool *has, ThError *err)
{
    json_t *record TH_OWNED(json_decref) = NULL;
    bool ok = sh_point_read(w->dir, id, &record, err), current = w->keep_stale;
    *has = false;
    if (ok && record && !w->keep_stale)
        ok = is_current(w, names, record, &current, err);
    if (ok && record && !current)
        ok = sh_point_retire(w->dir, id, err);
    if (ok && record && current && (sh_point_is_done(record) || !is_as_noted(w, id, g))) {
        *has = true;
        w->other_done += sh_point_is_done(record);
        w->other_failed += !sh_point_is_done(record);
    }
    return ok;
}

bool sh_point_given(ShSweep *w, const char *id, long long index, ThError *err)
{
    ShGridPoint *g = grid_point(w, index, err);
    if (g)
        note_record(w, id, g);
    return g != NULL;
}

bool sh_point_is_wanted(ShSweep *w, const ShLoopNames *names, const char *id, long long index,
                        bool *wanted, ThError *err)
{
    ShGridPoint *g = grid_point(w, index, err);
    bool has = false, ok = g && (g->settled || has_record(w, names, id, g, &has, err));
    if (ok && has)
        g->settled = true;
    *wanted = ok && !g->settled;
    return ok;
}

/* Claims a point and starts it, unless another process has it or has done it. */
static bool claim_point(ShSweep *w, const ShLoopNames *names, char **id, long long index,
                        ThError *err)
{
    ShClaim claim;
    bool wanted = false;
    if (!sh_claim_take(w->dir, *id, &claim, err))
        return false;
    w->held += claim.fd < 0;
    if (claim.fd < 0)
        return true;
    bool ok = sh_point_is_wanted(w, names, *id, index, &wanted, err);
    if (ok && wanted)
        ok = sh_job_start(w, names, *id, &claim, index, err);
    if (ok && wanted)
        *id = NULL;
    sh_claim_drop(&claim);
    return ok;
}

static bool sweep_point(void *context, const ShLoopNames *names, ThError *err)
{
    ShSweep *w = context;
    const ShRanks *ranks = w->ranks;
    long long index = w->index++;
    bool wanted = false;
    if (sh_rank_is_silent(ranks))
        return sh_rank_turn(w, names, index, err);
    if (index % w->parts != w->part || (w->measure && w->done + w->failed + w->running > 0) ||
        ((size_t)index < w->n_grid && w->grid[index].settled))
        return true;
    char *id TH_OWNED(free) = sh_point_id(w->s, names, err);
    bool ok = id && sh_point_is_wanted(w, names, id, index, &wanted, err);
    if (ok && wanted && ranks)
        ok = sh_rank_give(w, index, err);
    else if (ok && wanted)
        ok = sh_jobs_wait(w, w->jobs, err) && claim_point(w, names, &id, index, err);
    return ok;
}

/* Points that other processes compute are waited for: if these end without a record, they are to be
 * computed here. */
static bool go_through_rest(ShSweep *w, const ShOperand *header, ThError *err)
{
    const struct timespec moment = {0, 200000000};
    bool ok = sh_jobs_wait(w, 1, err);
    while (ok && w->held > 0 && !w->measure) {
        sh_progress(w->s, "waiting for %lld points that other processes compute", w->held);
        nanosleep(&moment, NULL);
        w->held = w->index = 0;
        ok = !th_stopped(sh_stop(w->s), err) &&
             sh_loop(w->s, &(ShLoop){header, sweep_point, w}, err) && sh_jobs_wait(w, 1, err);
    }
    return ok;
}

/* All ranks go through the grid; those that are given points run them where they come by. */
static bool go_through(ShSweep *w, const ShOperand *header, ThError *err)
{
    bool given = w->ranks && sh_rank_is_silent(w->ranks);
    w->index = 0;
    if (given)
        w->given = w->ranks->ask(-1);
    bool ok = sh_loop(w->s, &(ShLoop){header, sweep_point, w}, err);
    if (w->ranks && !given)
        return ok && sh_ranks_finish(w, err);
    ok = ok && go_through_rest(w, header, err);
    sh_jobs_end(w);
    return ok;
}

/* Makes the folder of a grid that has nothing wrong; returns its lock, or -1. */
static int begin_folder(ShSweep *w, const ShOperand *header, ThError *err)
{
    bool ok = sh_loop(w->s, &(ShLoop){header, check_point, w}, err) &&
              sh_points_begin(w->dir, w->keep_stale, err);
    w->index = 0;
    return ok ? sh_folder_lock(w->dir, err) : -1;
}

/* Under mpirun rank 0's counts are those of all, for the others' are of another moment. */
static bool count_points(ShSweep *w, const ShOperand *header, const char *commands, ThError *err)
{
    bool keep = w->keep_stale || w->measure, silent = sh_rank_is_silent(w->s->ranks);
    int lock = silent ? 0 : begin_folder(w, header, err);
    bool ok = lock >= 0;
    if (ok && !silent) {
        ok = sh_loop(w->s, &(ShLoop){header, count_point, w}, err) &&
             (keep || sh_points_settle(w->dir, commands, w->body, w->now, &w->moved, err));
        close(lock);
    }
    if (ok && w->ranks)
        sh_ranks_count(w);
    return ok;
}

/* ---- what it says ---------------------------------------------------------------------------- */

/* What has changed since there are records, and what becomes of them. */
static void say_changes(ShSweep *w)
{
    enum { MOST = 8 };
    int lines = 0;
    const char *line;
    json_t *points;
    json_object_foreach(w->changes, line, points)
    {
        long long n = json_integer_value(points);
        if (++lines > MOST)
            continue;
        sh_say(w->s, "%s: %lld %s %s\n", line, n, n == 1 ? "point" : "points",
               w->keep_stale ? "kept as they were"
               : n == 1      ? "is computed again"
                             : "are computed again");
    }
    if (lines > MOST)
        sh_say(w->s, "and %d more have changed\n", lines - MOST);
    if (w->moved > 0)
        sh_say(w->s, "%lld %s of before %s in this grid: %s/stale has %s\n", w->moved,
               w->moved == 1 ? "point" : "points", w->moved == 1 ? "is not" : "are not", w->dir,
               w->moved == 1 ? "it" : "them");
}

static void say_sum(ShSweep *w)
{
    ShSession *s = w->s;
    long long failed = w->failed + w->failed_before + w->other_failed;
    long long done = w->before + w->done + w->other_done;
    sh_say(s, "%lld points: %lld done", w->points, done);
    if (w->before > 0)
        sh_say(s, " (%lld of them before%s%s", w->before,
               w->shelled > 0 ? ", as far as is known of their shell commands" : "",
               w->other_done > 0 ? "" : ")");
    if (w->other_done > 0)
        sh_say(s, "%s%lld%s by other processes)", w->before > 0 ? ", " : " (", w->other_done,
               w->before > 0 ? "" : " of them");
    if (failed > 0)
        sh_say(s, ", %lld failed: results says which", failed);
    sh_say(s, "\n");
    sh_results(s, "points:i done:i failed:i again:i seconds:r", (long long)w->points,
               (long long)done, (long long)failed, (long long)w->again, sh_clock() - w->began);
}

static void say_estimate(ShSweep *w)
{
    ShSession *s = w->s;
    long long known = w->before + w->failed_before + w->done + w->failed, left = w->points - known;
    double seconds = known ? ceil((double)left / w->jobs) * w->cost / (double)known : 0;
    sh_say(s,
           "%lld points, %lld of them recorded; the other %lld take about %.3g s, %d at a time, "
           "and %.3g MB each\n",
           w->points, known, left, seconds, w->jobs, w->memory / 1e6);
    sh_results(s, "points:i recorded:i seconds:r memory:r", (long long)w->points, (long long)known,
               seconds, w->memory);
}

/* K/N */
static bool read_part(const ThOptions *o, ShSweep *w, ThError *err)
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

/* Returns new. */
static char *hash_of_body(const ShSweep *w, ThError *err)
{
    char *text TH_OWNED(free) = sh_body_identity(w->lx, w->open, w->close, err);
    if (!text)
        return NULL;
    return th_printed(err, "#%016" PRIx64, th_hash_text(text));
}

/* Options may stand behind the body, too. */
static bool read_tail(ShSession *s, const ShStatement *st, size_t open, ShParsed *p, ThError *err)
{
    ShStatement tail = {st->lexer, st->lexer->token[open].match + 1, st->to};
    size_t at = tail.from;
    while (at < tail.to && st->lexer->token[at].type == T_OPTION)
        at++;
    return sh_nothing_left(st, at, "sweep", err) && sh_parse_rest(s, &tail, p, err);
}

static bool run_sweep(ShSweep *w, const ShCall *head, const ShOperand *header, ThError *err)
{
    const ThOptions *o = &head->options;
    const ShToken *t = w->lx->token;
    w->dir = head->operand[0].text;
    w->jobs =
        w->s->ranks ? w->s->ranks->size - 1 : (int)th_option_int_or(o, "jobs", sh_threads(w->s));
    w->retry = th_option_flag(o, "retry");
    w->began = sh_clock();
    w->keep_stale = th_option_given(o, "keep");
    w->known = json_object();
    w->changes = json_object();
    w->ids = json_object();
    w->now = json_object();
    w->hashes = json_object();
    char *commands TH_OWNED(free) = sh_lex_source(w->lx, t[w->open].end, t[w->close].start, err);
    char *body = commands ? hash_of_body(w, err) : NULL;
    bool dry = th_option_flag(o, "dry");
    w->body = body;
    w->measure = dry;
    w->ranks = dry ? NULL : w->s->ranks; /* one point is for rank 0 alone */
    bool ok = body && read_part(o, w, err) && count_points(w, header, commands, err);
    if (ok)
        say_changes(w);
    if (ok && !(dry && (w->before + w->failed_before > 0 || sh_rank_is_silent(w->s->ranks))))
        ok = go_through(w, header, err);
    if (ok && w->ranks)
        sh_ranks_count(w);
    if (ok && dry)
        say_estimate(w);
    else if (ok)
        say_sum(w);
    TH_FREE(body, w->grid);
    json_decref(w->known);
    json_decref(w->changes);
    json_decref(w->ids);
    json_decref(w->now);
    json_decref(w->hashes);
    return ok;
}

SH_COMMAND(
    sweep, .group = "general",
    .summary = "run commands for every point of a grid, in processes, and record their results",
    .detail =
        "The lists are those of for; the body runs once a point, with the variables set, in a "
        "process of its own, with one thread, jobs= at a time.  It finds what has been defined "
        "before, but not the figures of the command before, nor a run that was stopped; what it "
        "defines ends with it, unless keep writes it to the folder.  When a point ends, a record "
        "of it is in DIR: its variables, the options of its commands, what they answered, as in "
        "json, seconds of the processor and memory, or its error.\n\n"
        "A point that has a record is not run again: after Ctrl-C, or with more values in a list, "
        "sweep does what is missing.  A point that fails does not end the sweep; retry=yes runs "
        "those again.  The record also says what the point was computed from: the body, comments "
        "and white space aside, what it reaches by a name (variables, definitions, of trained "
        "models the parameters, files that are there when it begins, what lies in folders that a "
        "command reads, up to 10,000 files), settings and the program's version.  Where one of "
        "these is another now, a line says so and the point is computed again; its old record goes "
        "to DIR/stale, as do those that contradict the others and have no place in the grid.  Of a "
        "shell command known are its text, the files and programs that it names, PATH, the "
        "language and the variables that it mentions; what else it reads nobody knows, and the "
        "last line says so.  keep=stale uses old records in spite of all.\n\n"
        "Processes that are given the same DIR, on any machines, share the points: none is "
        "computed twice, and each process ends when all have records.  A process that dies, be it "
        "by kill -9, loses the points that it had claimed, at once on the same machine and "
        "wherever the file system hands on locks, else after two minutes.  part=1/2 and part=2/2 "
        "divide the points beforehand.  Or processes are started together: mpirun -n 64 tapehead "
        "FILE, or srun --mpi=pmix tapehead FILE, where MPI was there when tapehead was built.  "
        "Then every process runs the script, one of them prints and writes files and hands out the "
        "points, and the others run them.  If one is killed, what is recorded stays.  A train "
        "outside of a sweep is done by each.\n\n"
        "results tells what came out; plot results draws it.",
    .example = "sweep \"runs\" for kind in [rnn, gru], seed in 1..2 {\n"
               "  model m = $kind dim=8\n"
               "  train m on parity length=1..10 steps=10 seed=$seed\n"
               "  evaluate m on parity length=5..15:5 samples=32\n"
               "}\n"
               "assert points == 4 and failed == 0",
    .results = "points done failed again recorded seconds memory",
    .args = {{A_FILE, "DIR", 0}, {A_RAW, "for NAME in LIST, ... { COMMANDS }", A_OPTIONAL}},
    .options = sweep_options, .flags = C_CONTROL)
{
    const ShStatement st = s->now;
    size_t open = sh_find_body(&st, st.from + 1), at = find_for(&st, open);
    ShParsed head TH_OWNED(sh_parsed_free) = {0};
    ShOperand header;
    (void)call;
    if (s->point || s->loading)
        return th_fail(err, TH_EUSAGE,
                       s->point ? "a sweep cannot stand in the body of another"
                                : "a file that is loaded holds definitions only");
    size_t end = open < st.to ? sh_find_option(&st, at + 1, open) : open;
    ShStatement front = {st.lexer, st.from, at}, middle = {st.lexer, end, open};
    const ShToken *brace = &st.lexer->token[open];
    if (open < st.to && at == open)
        return th_fail_at(err, TH_EUSAGE, brace->line, brace->col,
                          "expected DIR for NAME in LIST in front of this '{'");
    bool ok = sh_parse_call(s, &front, &sh_command_sweep, 1, &head, err);
    char *text TH_OWNED(free) = ok ? sh_body_header(&st, at + 1, end, &header, err) : NULL;
    ok = text && sh_parse_rest(s, &middle, &head, err) && read_tail(s, &st, open, &head, err);
    ShSweep *w TH_OWNED(free) = ok ? th_alloc(1, sizeof *w, err) : NULL;
    sh_output_begin(s, &sh_command_sweep);
    if (w) {
        *w = (ShSweep){.s = s, .lx = st.lexer, .open = open, .close = st.lexer->token[open].match};
        ok = run_sweep(w, &head.call, &header, err);
    }
    return sh_output_end(s, ok && w, err) && ok && w;
}

/* ---- keep ------------------------------------------------------------------------------------ */

SH_COMMAND(keep, .group = "general", .summary = "in a sweep, keep an object of the point",
           .detail =
               "Writes it to the sweep's folder, into kept, where load finds it: a model as "
               ".safetensors, anything else as .th.  A variable that is a number becomes a figure "
               "of its name, for results of=NAME.  Where there is no sweep this is an error.",
           .example = "sweep \"runs\" for n in 2..3 {\n"
                      "  automaton a = cycle_navigation($n)\n"
                      "  keep a\n"
                      "  half = $states / 2\n"
                      "  keep half\n"
                      "}\n"
                      "results \"runs\" of=half show=max\n"
                      "load \"runs/kept/n=3-a.th\"\n"
                      "assert states == 3",
           .args = {{A_OBJECT, "NAME", A_NAMED}})
{
    ShObject *o = call->operand[0].object;
    ShFigureValue number = o->kind == SH_VALUE ? sh_variable(s, o->name) : (ShFigureValue){0};
    if (!s->point)
        return th_fail(err, TH_EUSAGE, "keep belongs into the body of a sweep");
    if (number.kind == 'i' || number.kind == 'r') {
        sh_result_real(s, o->name, number.real);
        return true;
    }
    char *name TH_OWNED(free) =
        th_printed(NULL, "-%s%s", o->name, o->kind == SH_MODEL ? ".safetensors" : ".th");
    char *path TH_OWNED(free) =
        name ? sh_point_path(s->point->dir, "kept", s->point->id, name, err) : NULL;
    bool ok = path &&
              (sh_save_file(s, &o, 1, path, NULL, err) || sh_error_inside(err, &call->operand[0]));
    if (ok)
        json_array_append_new(s->point->kept, json_string(path + strlen(s->point->dir) + 1));
    return ok;
}
