/* sweep.c - a body of commands for every point of a grid, each point in a process of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/sweep.h"
#include "formats.h"
#include "parse.h"
#include "ranks.h"

static const ThOptionSpec sweep_options[] = {
    {"jobs", TH_INT, NULL, 1, SH_MOST_JOBS, NULL,
     "points that run at a time; default: as many as there are processors"},
    {"part", TH_STRING, NULL, 0, 0, NULL,
     "K/N: every Nth point, from the Kth on, for machines that share the folder"},
    {"retry", TH_FLAG, "no", 0, 0, NULL, "points that failed run again"},
    {"dry", TH_FLAG, "no", 0, 0, NULL,
     "only say what there is to do, and what it takes by the points that are done; if none is, one "
     "point is run to know"},
    {0},
};

/* ---- the grid -------------------------------------------------------------------------------- */

static bool count_point(void *context, const ShLoopNames *names, ThError *err)
{
    ShSweep *w = context;
    if (w->index++ % w->parts != w->part)
        return true;
    char *id = sh_point_id(w->s, names, err);
    json_t *record = NULL;
    bool ok = id && sh_point_read(w->dir, id, &record, err);
    w->points++;
    if (record) {
        sh_sweep_cost(w, record);
        w->before += sh_point_is_done(record);
        w->failed_before += !w->retry && !sh_point_is_done(record);
    }
    json_decref(record);
    free(id);
    return ok;
}

/* Is a point of this part to be run? */
static bool is_wanted(ShSweep *w, const char *id, bool *wanted, ThError *err)
{
    json_t *record = NULL;
    bool ok = sh_point_read(w->dir, id, &record, err);
    *wanted = ok && (!record || (w->retry && !sh_point_is_done(record)));
    json_decref(record);
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
    if (index % w->parts != w->part || (w->measure && w->done + w->failed + w->running > 0))
        return true;
    char *id = sh_point_id(w->s, names, err);
    bool ok = id && is_wanted(w, id, &wanted, err);
    if (ok && wanted && ranks)
        ok = sh_rank_give(w, index, err);
    if (!ok || !wanted || ranks) {
        free(id);
        return ok;
    }
    if (sh_jobs_wait(w, w->jobs, err) && sh_job_start(w, names, id, index, err))
        return true;
    free(id);
    return false;
}

/* All ranks go through the grid; those that are given points run them where they come by. */
static bool go_through(ShSweep *w, const ShOperand *header, ThError *err)
{
    bool given = sh_rank_is_silent(w->ranks);
    w->index = 0;
    if (given)
        w->given = w->ranks->ask(-1);
    bool ok = sh_loop(w->s, &(ShLoop){header, sweep_point, w}, err);
    if (w->ranks && !given)
        return ok && sh_ranks_finish(w, err);
    ok = ok && sh_jobs_wait(w, 1, err);
    sh_jobs_end(w);
    return ok;
}

/* Under mpirun rank 0's counts are those of all, for the others' are of another moment. */
static bool count_points(ShSweep *w, const ShOperand *header, ThError *err)
{
    bool ok = sh_loop(w->s, &(ShLoop){header, count_point, w}, err);
    if (ok && w->ranks)
        sh_ranks_count(w);
    return ok;
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void say_sum(ShSweep *w)
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

static void say_estimate(ShSweep *w)
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
    char *commands = sh_lex_source(w->lx, t[w->open].end, t[w->close].start, err);
    bool dry = th_option_flag(o, "dry");
    w->measure = dry;
    w->ranks = dry ? NULL : w->s->ranks; /* one point is for rank 0 alone */
    bool ok = commands && read_part(o, w, err) && count_points(w, header, err) &&
              sh_points_begin(w->dir, commands, err);
    if (ok && !(dry && (w->before + w->failed_before > 0 || sh_rank_is_silent(w->s->ranks))))
        ok = go_through(w, header, err);
    if (ok && w->ranks)
        sh_ranks_count(w);
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
        "those again.  A folder belongs to one body: other commands in it are an error.\n\n"
        "Several machines that see the same DIR take part=1/2 and part=2/2, or are started "
        "together: "
        "mpirun -n 64 tapehead FILE, where MPI was there when tapehead was built.  Then every "
        "process runs the script, one of them prints and writes files and hands out the points, "
        "and "
        "the others run them.  If one is killed, what is recorded stays.  A train outside of a "
        "sweep is done by all of them together, see help train.\n\n"
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
    size_t end = open < st.to ? sh_find_option(&st, at + 1, open) : open;
    ShStatement front = {st.lexer, st.from, at}, middle = {st.lexer, end, open};
    bool ok = sh_parse_call(s, &front, &sh_command_sweep, 1, &head, err);
    char *text = ok ? sh_body_header(&st, at + 1, end, &header, err) : NULL;
    ok = text && sh_parse_rest(s, &middle, &head, err) && read_tail(s, &st, open, &head, err);
    ShSweep *w = ok ? th_alloc(1, sizeof *w, err) : NULL;
    sh_output_begin(s, &sh_command_sweep);
    if (w) {
        *w = (ShSweep){.s = s, .lx = st.lexer, .open = open, .close = st.lexer->token[open].match};
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
               ".safetensors, anything else as .th.  A variable that is a number becomes a figure "
               "of its name, for results of=NAME.  Where there is no sweep this is an error.",
           .example = "sweep \"runs\" for n in 2..3 {\n"
                      "  automaton a = cycle($n)\n"
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
