#include "shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "formats.h"
#include "pager.h"
#include "help.h"
#include "parse.h"
#include "rasp.h"
#include "signals.h"
#include "synonyms.h"

/* ---- diagnostics ----------------------------------------------------------------------------- */

static bool coloured(const ShSession *s)
{
    int set = sh_setting_choice(s, "color");
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (set != SH_COLOR_AUTO)
        return set == SH_COLOR_ON;
    return isatty(STDERR_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* What an error quotes may come from a file. */
static void print_shown(const ShSession *s, const char *text)
{
    ThText t = {0};
    th_text_shown(&t, text, strlen(text));
    fputs(t.data ? t.data : "", stderr);
    sh_log_text(&s->out, t.data ? t.data : "", t.size);
    th_text_free(&t);
}

/* The word in front of a message. */
static void print_label(const ShSession *s, const char *colour, const char *label)
{
    bool bright = coloured(s);
    fprintf(stderr, "%s%s:%s ", bright ? colour : "", label, bright ? "\033[0m" : "");
    sh_log_text(&s->out, label, strlen(label));
    sh_log_text(&s->out, ": ", 2);
}

static void print_message(const ShSession *s, const char *where, const ThError *err)
{
    print_shown(s, where);
    print_label(s, "\033[1;31m", "error");
    print_shown(s, err->msg);
    print_shown(s, "\n");
}

static void print_hint(const ShSession *s, const ThError *err)
{
    if (!err->hint[0])
        return;
    print_label(s, "\033[1m", "hint");
    print_shown(s, err->hint);
    print_shown(s, "\n");
}

void sh_print_error_in(const ShSession *s, const char *where, const ThError *err)
{
    print_message(s, where, err);
    print_hint(s, err);
}

void sh_print_error(const ShSession *s, const ThError *err)
{
    print_message(s, s->interactive ? "" : "tapehead: ", err);
    print_hint(s, err);
}

static const char *find_line(const ShLexer *lx, int line, size_t *n)
{
    const char *p = lx->text.data, *end = p + lx->text.size;
    for (int i = lx->first_line; p && p < end; i++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        *n = (size_t)((newline ? newline : end) - p);
        if (i == line)
            return p;
        p = newline ? newline + 1 : end;
    }
    return NULL;
}

static bool shows_itself(const char *character)
{
    ThText t = {0};
    th_text_shown(&t, character, strlen(character));
    bool same = t.data && strcmp(t.data, character) == 0;
    th_text_free(&t);
    return same;
}

/* The source line with a caret under column col; of a long line, the part around it. */
static void print_excerpt(const ShLexer *lx, int line, int col)
{
    enum { BEFORE = 60, AFTER = 40 };
    size_t n = 0;
    const char *text = find_line(lx, line, &n);
    if (!text || col < 1)
        return;
    ThText caret = {0};
    fputs("  ", stderr);
    if (col > BEFORE) {
        fputs("…", stderr);
        th_text_add(&caret, " ");
    }
    int at = 1;
    for (size_t i = 0; i < n && at < col + AFTER; at++) {
        size_t k = th_utf8_next(text + i, n - i, NULL);
        char c[8] = {0};
        k = k ? k : 1;
        memcpy(c, text + i, k < 5 ? k : 1);
        i += k;
        if (at < col - BEFORE + 1 && col > BEFORE)
            continue;
        bool plain = c[0] != '\t' && shows_itself(c);
        fputs(plain ? c : c[0] == '\t' ? "\t" : "?", stderr);
        for (int w = plain ? th_utf8_width(c) : 1; at < col && w > 0; w--)
            th_text_add(&caret, c[0] == '\t' ? "\t" : " ");
    }
    fprintf(stderr, "\n  %s^\n", caret.data ? caret.data : "");
    th_text_free(&caret);
}

static void diagnose(ShSession *s, const ShSource *src, const ShLexer *lx, const ThError *err)
{
    ThText where = {0};
    if (!err->msg[0])
        return; /* told where it happened */
    if (s->out.format == SH_FORMAT_JSON)
        sh_output_error(s, src->name, err);
    if (src->prompt && err->code == TH_EINTERRUPTED) {
        fprintf(stderr, "%s\n", err->msg);
        return;
    }
    if (!src->prompt && err->line > 0)
        th_text_printf(&where, "%s:%d:%d: ", src->name, err->line, err->col);
    else if (!src->prompt)
        th_text_printf(&where, "%s: ", src->name);
    print_message(s, where.data ? where.data : "", err);
    if (err->line > 0 && err->code != TH_EINTERRUPTED)
        print_excerpt(lx, err->line, err->col);
    print_hint(s, err);
    th_text_free(&where);
}

/* ---- one statement --------------------------------------------------------------------------- */

/* Where a redirected command's output goes, and what was there before. */
typedef struct {
    ThFile file;
    ShPipe pipe;
    FILE *before, *buffer;
    char *text;
    size_t size;
    ShOutputFormat format;
} ShRedirect;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void set_format_of(ShSession *s, const char *path)
{
    if (ends_with(path, ".json") || ends_with(path, ".jsonl"))
        s->out.format = SH_FORMAT_JSON;
    else if (ends_with(path, ".csv"))
        s->out.format = SH_FORMAT_CSV;
    else if (ends_with(path, ".txt"))
        s->out.format = SH_FORMAT_TEXT;
}

/* The ending of a file's name with its dot, or "". */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    bool word = dot && dot > base && dot[strcspn(dot, "abcdefghijklmnopqrstuvwxyz")];
    return word ? dot : "";
}

/* Can text have this ending?  Those of scripts and formats of text can, for people write them. */
static bool is_for_text(const char *extension)
{
    static const char *const known[] = {"",     ".txt", ".csv", ".json", ".jsonl",
                                        ".log", ".out", ".md",  ".dat"};
    ShFileKind k;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(extension, known[i]) == 0)
            return true;
    for (size_t i = 0; sh_file_kind(i, &k); i++)
        if (strcmp(extension, k.extension) == 0)
            return k.text;
    return false;
}

static bool extension_fits(const ShCall *call, ThError *err)
{
    char typed[SH_COMMAND_NAME];
    const char *extension = call->redirect ? extension_of(call->redirect) : "";
    if ((call->command->flags & C_ANY_FILE) || is_for_text(extension))
        return true;
    th_fail(err, TH_EUSAGE, "%s does not write %s files", sh_command_typed(call->command, typed),
            extension);
    return th_hint(err, "text goes to .txt, .csv, .json and .jsonl files; plot draws figures");
}

static FILE *redirect_open(const ShCall *call, ShRedirect *r, ThError *err)
{
    if (call->pipe)
        return sh_pipe_open(&r->pipe, call->pipe, err) ? r->pipe.stream : NULL;
    if (call->append)
        return r->buffer = open_memstream(&r->text, &r->size);
    return th_file_begin(&r->file, call->redirect, err);
}

static bool redirect_begin(ShSession *s, const ShCall *call, ShRedirect *r, ThError *err)
{
    unsigned own = call->form == 2 ? C_OWN_REDIRECT | C_LISTS : C_OWN_REDIRECT;
    if (!call->pipe && (!call->redirect || (call->command->flags & own)))
        return true;
    if (!extension_fits(call, err))
        return false;
    if (s->out.shown)
        fflush(s->out.shown);
    fflush(stdout); /* which the file may be another name of */
    FILE *to = redirect_open(call, r, err);
    if (!to)
        return th_fail(err, TH_ENOMEM, "out of memory");
    r->before = s->out.stream;
    r->format = s->out.format;
    s->out.stream = to;
    s->out.piped = call->pipe;
    if (call->redirect)
        set_format_of(s, call->redirect);
    return true;
}

/* A reader that went away before the end has what it wanted. */
static bool end_pipe(ShRedirect *r, bool ok, ThError *err)
{
    bool left;
    int status = sh_pipe_close(&r->pipe, &left);
    if (left && !sh_interrupted() && !sh_out_of_time() && !sh_terminated()) {
        sh_work_on();
        if (!ok && err->code == TH_EINTERRUPTED) {
            *err = (ThError){0};
            ok = true;
        }
    }
    if (ok && status != 0) {
        ok = th_fail(err, TH_EIO, "the shell command ended with status %d", status);
        if (status == 127)
            th_hint(err, "| sends the output to the shell; a union stands in brackets: (A | B)");
    }
    return ok;
}

static bool redirect_end(ShSession *s, const ShCall *call, ShRedirect *r, bool ok, ThError *err)
{
    if (!r->before)
        return ok;
    s->out.stream = r->before;
    s->out.format = r->format;
    s->out.piped = false;
    if (call->pipe)
        return end_pipe(r, ok, err);
    if (r->buffer) {
        ok = fclose(r->buffer) == 0 && ok;
        ok = ok && th_file_append(call->redirect, r->text, r->size, err);
        free(r->text);
    } else if (r->file.stream && ok) {
        ok = th_file_commit(&r->file, err);
    } else {
        th_file_abort(&r->file);
    }
    return ok;
}

static bool run_handler(ShSession *s, const ShCommand *c, const ShCall *call, ThError *err)
{
    ShRedirect r = {0};
    if (!redirect_begin(s, call, &r, err))
        return false;
    double limit = sh_setting_real(s, "limit-time");
    bool outermost = s->depth == 0;
    if (outermost && limit > 0)
        sh_alarm(limit);
    sh_output_begin(s, c);
    bool ok = c->run(s, call, err);
    ok = sh_output_end(s, ok, err) && ok;
    bool late = sh_out_of_time();
    if (outermost && limit > 0)
        sh_alarm(0);
    if (!ok && err->code == TH_EINTERRUPTED && late) {
        char cause[sizeof err->msg];
        memcpy(cause, err->msg, sizeof cause);
        *err = (ThError){.line = err->line, .col = err->col};
        th_fail(err, TH_ELIMIT, "the time limit of %g s is over: %.400s", limit, cause);
        th_hint(err, "set limit-time 0 lets commands run on");
    }
    return redirect_end(s, call, &r, ok, err);
}

static bool run_shell(const ShStatement *st, ThError *err)
{
    const ShToken *t = &st->lexer->token[st->from];
    ThText command = {0};
    int status = 0;
    th_text_add_bytes(&command, st->lexer->text.data + t->start + 1, t->end - t->start - 1);
    char *text = th_text_take(&command, err);
    bool ok = text && sh_run_shell(text, NULL, &status, err);
    free(text);
    if (ok && status != 0)
        ok = th_fail(err, TH_EIO, "the shell command ended with status %d", status);
    return ok;
}

/* The word that a statement begins with, where the statement failed because of it: what can be done
 * with an object of that name, or that it is a command.  Returns false, always. */
static bool hint_at_word(ShSession *s, const ShStatement *st, ThError *err)
{
    char word[100];
    const ShToken *t = &st->lexer->token[st->from];
    const char *text = st->lexer->text.data + t->start;
    bool rasp = t->type == T_RASP;
    size_t n = rasp ? strcspn(text, " \t\r\n;,=([+-*/%^<>!") : t->end - t->start;
    const char *next = text + n + strspn(text + n, " \t");
    bool here = err->line == t->line && err->col == t->col;
    bool assigns = *next == ',' || (*next == '=' && next[1] != '=');
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : 0), text);
    const ShObject *o = sh_find(s, word);
    if (o && (!rasp || (!sh_is_rasp(o->kind) && here && !assigns)))
        snprintf(err->hint, sizeof err->hint, "%s is %s: show %s", word, sh_a_kind(o->kind), word);
    else if (rasp && sh_command_begins(text, n) && (assigns || *next == '('))
        th_hint(err, "%s is a command, too: see help %s", word, word);
    return false;
}

static bool run_now(ShSession *s, const ShStatement *st, const ShCall *call, ThError *err)
{
    ShStatement outer = s->now;
    s->now = *st;
    bool ok = run_handler(s, call->command, call, err);
    s->now = outer;
    return ok;
}

static bool run_rasp(ShSession *s, const ShStatement *st, ThError *err)
{
    ShCall call = {.command = &sh_rasp_statement_command};
    return run_now(s, st, &call, err) || hint_at_word(s, st, err);
}

/* Is a statement nothing but the name of one of RASP's values? */
static bool is_value(ShSession *s, const ShStatement *st)
{
    const ShToken *t = &st->lexer->token[st->from];
    ThRasp *r = st->to == st->from + 1 && t->type == T_WORD ? sh_session_rasp(s, NULL) : NULL;
    char *name = r ? th_strndup(st->lexer->text.data + t->start, t->end - t->start, NULL) : NULL;
    ThRaspValue v;
    bool is = name && th_rasp_lookup(r, name, &v);
    free(name);
    return is;
}

/* By its name a value is shown; any other word is an unknown command. */
static bool run_unknown(ShSession *s, const ShStatement *st, ThError *err)
{
    if (s->loading || !is_value(s, st))
        return hint_at_word(s, st, err);
    *err = (ThError){0};
    return run_rasp(s, st, err);
}

/* What is loaded defines, and does nothing else: a file of somebody else's runs no commands.
 * Returns false, always. */
static bool fail_loading(const ShSession *s, ThError *err)
{
    th_fail(err, TH_EUSAGE, "a file that is loaded holds definitions only");
    return th_hint(err, "source \"%s\" runs it as a script", s->loading);
}

static bool defines(const ShCall *call)
{
    return (call->command->flags & C_DEFINES) && !call->redirect && !call->pipe;
}

/* An example is part of definitions, which are checked on it. */
static bool rasp_defines(const ThRaspTree *t)
{
    int32_t first = t->node[t->root].first;
    ThRaspKind kind = first < 0 ? TH_RASP_R_NAMES : (ThRaspKind)t->node[first].kind;
    return kind == TH_RASP_R_ASSIGN || kind == TH_RASP_R_DEF || kind == TH_RASP_R_FOR ||
           kind == TH_RASP_R_SET_EXAMPLE;
}

/* A loop or a condition puts out nothing itself. */
static bool run_control(ShSession *s, const ShStatement *st, const ShCommand *c, ThError *err)
{
    ShStatement outer = s->now;
    ShCall call = {.command = c};
    s->now = *st;
    bool ok = c->run(s, &call, err);
    s->now = outer;
    return ok;
}

/* ?run, run?, man run and the like, where there is help on it: then it is given. */
static bool gives_help(ShSession *s, const ShStatement *st)
{
    char topic[SH_TOPIC];
    const ShToken *first = &st->lexer->token[st->from], *last = &st->lexer->token[st->to - 1];
    if (!sh_asks_for_help(st->lexer->text.data + first->start, last->end - first->start, topic))
        return false;
    FILE *nowhere = fopen("/dev/null", "w");
    ThError err = {0};
    bool known = nowhere && sh_help(nowhere, topic, &err);
    if (nowhere)
        fclose(nowhere);
    ThText command = {0};
    th_text_printf(&command, "help %s", topic);
    bool given = known && !command.failed && sh_shell_text(s, command.data, "<help>");
    th_text_free(&command);
    return given;
}

static bool run_command(ShSession *s, const ShStatement *st, ThError *err)
{
    ShParsed p = {0};
    size_t words = 0;
    const ShCommand *c = sh_parse_command(st, &words, err);
    if (!c)
        return run_unknown(s, st, err);
    if (c->flags & C_CONTROL)
        return run_control(s, st, c, err);
    bool ok = sh_parse_call(s, st, c, words, &p, err);
    if (!ok && st->to == st->from + 1)
        hint_at_word(s, st, err);
    ok = ok && (!s->loading || defines(&p.call) || fail_loading(s, err)) &&
         run_now(s, st, &p.call, err);
    sh_parsed_free(&p);
    return ok;
}

bool sh_execute(ShSession *s, const ShStatement *st, ThError *err)
{
    const ShToken *first = &st->lexer->token[st->from];
    bool held =
        s->loading && (first->type == T_SHELL ||
                       (first->type == T_RASP && !rasp_defines(&st->lexer->tree[first->value])));
    if (!held && first->type != T_SHELL && gives_help(s, st))
        return true;
    bool ok = held                     ? fail_loading(s, err)
              : first->type == T_SHELL ? run_shell(st, err)
              : first->type == T_RASP  ? run_rasp(s, st, err)
                                       : run_command(s, st, err);
    if (!ok && err->code == TH_OK)
        th_fail(err, TH_ENOMEM, "out of memory");
    if (!ok && err->line == 0 && err->msg[0]) {
        err->line = first->line;
        err->col = first->col;
    }
    return ok;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Output that does not arrive is an error like any other; a reader that went away is not worth a
 * word. */
static bool flush_output(ShSession *s, ThError *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    int cause = s->out.cause ? s->out.cause : errno;
    clearerr(stdout);
    s->broken_pipe = true;
    *err = (ThError){0}; /* of a command that was stopped because of it */
    if (cause == EPIPE) {
        err->code = TH_EIO;
        return false;
    }
    return th_fail(err, TH_EIO, "cannot write to standard output: %s",
                   cause ? strerror(cause) : "output failed");
}

static bool is_over(const ShSession *s)
{
    return s->leaving || s->broken_pipe || sh_terminated();
}

/* After a command of a batch: should the next one run? */
static bool goes_on(const ShSession *s, bool ok)
{
    return !is_over(s) && !sh_interrupted() && (ok || s->keep_going);
}

/* The token that ends the statement at one: a T_END, or the } of the body that it stands in. */
static size_t statement_end(const ShLexer *lx, size_t from, size_t end)
{
    size_t to = from;
    while (to < end && lx->token[to].type != T_END)
        to = lx->token[to].match > to ? lx->token[to].match + 1 : to + 1;
    return to;
}

/* The statements that the user gives, not those of scripts and bodies that they run. */
static void log_statement(const ShSession *s, const ShStatement *st)
{
    const ShLexer *lx = st->lexer;
    size_t from = lx->token[st->from].start, to = lx->token[st->to - 1].end;
    if (s->depth > 0)
        return;
    sh_log_text(&s->out, "tapehead> ", 10);
    sh_log_text(&s->out, lx->text.data + from, to - from);
    sh_log_text(&s->out, "\n", 1);
}

static bool run_statement(ShSession *s, const ShStatement *st, ThError *err)
{
    double start = sh_clock();
    bool ok = sh_execute(s, st, err);
    if (sh_setting_flag(s, "timing"))
        fprintf(stderr, "%.3f s\n", sh_clock() - start);
    if (s->out.log)
        fflush(s->out.log);
    return flush_output(s, err) && ok;
}

/* Says in which turn of the loops that are running an error came about. */
static bool name_turn(const ShSession *s, ThError *err)
{
    ThText t = {0};
    const ShTurn *turns[SH_DEEPEST];
    int n = 0;
    for (const ShTurn *turn = s->turn; turn && n < SH_DEEPEST; turn = turn->outer)
        turns[n++] = turn;
    for (int i = n; i-- > 0;)
        th_text_printf(&t, "%s%s", i + 1 < n ? ", " : "", turns[i]->text);
    size_t length = strlen(err->msg);
    if (t.data && length > 0)
        snprintf(err->msg + length, sizeof err->msg - length, " (in the turn %s)", t.data);
    th_text_free(&t);
    return false;
}

bool sh_run_body(ShSession *s, const ShLexer *lx, size_t open, size_t close, ThError *err)
{
    if (s->bodies >= SH_DEEPEST)
        return th_fail_at(err, TH_ELIMIT, lx->token[open].line, lx->token[open].col,
                          "loops and conditions are nested more than %d deep", SH_DEEPEST);
    bool ok = true;
    s->bodies++;
    for (size_t from = open + 1, to; ok && from < close && !is_over(s); from = to + 1) {
        to = statement_end(lx, from, close);
        ShStatement st = {lx, from, to};
        bool body = to > from && lx->token[to - 1].body; /* names its own turn */
        ok = to == from || run_statement(s, &st, err) || (!body && name_turn(s, err));
        if (ok && sh_interrupted())
            ok = th_fail(err, TH_EINTERRUPTED, "interrupted") || name_turn(s, err);
    }
    s->bodies--;
    return ok;
}

/* Runs the statements of a chunk; false if one failed. */
static bool run_chunk(ShSession *s, const ShSource *src, const ShLexer *lx)
{
    bool all = true;
    for (size_t from = 0, to; from < lx->n; from = to + 1) {
        to = statement_end(lx, from, lx->n);
        if (to == from)
            continue;
        ThError err = {0};
        ShStatement st = {lx, from, to};
        if (src->prompt)
            sh_signals_clear();
        log_statement(s, &st);
        bool ok = run_statement(s, &st, &err);
        if (!ok)
            diagnose(s, src, lx, &err);
        all = all && ok;
        if (is_over(s) || !(ok || s->keep_going) || sh_interrupted())
            return all;
    }
    return all;
}

static bool report(ShSession *s, const ShSource *src, const ShLexer *lx, ThError *err)
{
    err->code = err->code == TH_EINCOMPLETE ? TH_EPARSE : err->code;
    diagnose(s, src, lx, err);
    return false;
}

/* Also where an error left part of the text unread. */
static int next_line_number(const ShLexer *lx)
{
    int line = lx->first_line;
    for (size_t i = 0; i < lx->text.size; i++)
        line += lx->text.data[i] == '\n';
    return line;
}

bool sh_shell_run(ShSession *s, ShSource *src)
{
    ThRaspDialect dialect;
    ShLexer lx = {.rasp = &dialect};
    ThError err = {0};
    char *line = NULL;
    size_t cap = 0, n = 0;
    bool all = true, ok = true;
    sh_lex_begin(&lx, 1);
    while (src->prompt ? !is_over(s) : goes_on(s, ok)) {
        bool continued = err.code == TH_EINCOMPLETE;
        dialect = sh_rasp_dialect(s);
        ShLineResult got = src->next(src, continued, &line, &cap, &n);
        if (got == SH_LINES_LOST) {
            err = (ThError){0};
            th_fail(&err, TH_ENOMEM, "out of memory");
            all = report(s, src, &lx, &err);
            break;
        }
        if (got == SH_LINES_END) {
            if (continued)
                all = report(s, src, &lx, &err);
            break;
        }
        err = (ThError){0};
        if (got == SH_LINE_DROPPED) {
            sh_lex_begin(&lx, 1);
            continue;
        }
        if (sh_lex(&lx, line, n, &err))
            ok = run_chunk(s, src, &lx);
        else if (err.code == TH_EINCOMPLETE)
            continue;
        else
            ok = report(s, src, &lx, &err);
        all = all && ok;
        err = (ThError){0};
        sh_lex_begin(&lx, src->prompt ? 1 : next_line_number(&lx));
    }
    free(line);
    sh_lex_free(&lx);
    return all;
}

static ShLineResult next_of_file(ShSource *src, bool continued, char **line, size_t *cap, size_t *n)
{
    (void)continued;
    FILE *in = src->context;
    ssize_t got = getline(line, cap, in);
    *n = got > 0 ? (size_t)got : 0;
    if (got > 0)
        return SH_LINE;
    return feof(in) || ferror(in) ? SH_LINES_END : SH_LINES_LOST;
}

bool sh_shell_file(ShSession *s, FILE *in, const char *name)
{
    ShSource src = {.name = name, .next = next_of_file, .context = in};
    const char *outer = s->script;
    s->script = name;
    bool ok = sh_shell_run(s, &src);
    s->script = outer;
    if (ferror(in)) {
        ThError err = {0};
        th_fail(&err, TH_EIO, "cannot read '%s': %s", name, strerror(errno));
        sh_print_error(s, &err);
        return false;
    }
    return ok;
}

static ShLineResult next_of_text(ShSource *src, bool continued, char **line, size_t *cap, size_t *n)
{
    (void)continued;
    char *text = src->context;
    *n = strcspn(text, "\n");
    *n += text[*n] == '\n';
    if (*n == 0)
        return SH_LINES_END;
    if (!th_grow(line, cap, *n, 1, NULL))
        return SH_LINES_LOST;
    memcpy(*line, text, *n);
    src->context = text + *n;
    return SH_LINE;
}

bool sh_shell_text(ShSession *s, const char *text, const char *name)
{
    ThError err = {0};
    char *copy = th_strdup(text, &err);
    if (!copy) {
        sh_print_error(s, &err);
        return false;
    }
    ShSource src = {.name = name, .next = next_of_text, .context = copy};
    bool ok = sh_shell_run(s, &src);
    free(copy);
    return ok;
}

bool sh_source(ShSession *s, const char *path, ThError *err)
{
    if (s->depth >= SH_DEEPEST)
        return th_fail(err, TH_ELIMIT, "files run each other more than %d deep", SH_DEEPEST);
    FILE *in = fopen(path, "r");
    int first = in ? getc(in) : EOF; /* a folder opens, but does not read */
    if (!in || (first == EOF && ferror(in))) {
        th_fail(err, TH_EIO, "cannot read '%s': %s", path, strerror(errno));
        if (in)
            fclose(in);
        return false;
    }
    ungetc(first, in);
    s->depth++;
    bool ok = sh_shell_file(s, in, path);
    s->depth--;
    fclose(in);
    if (!ok)
        err->code = TH_EUSAGE; /* told already */
    return ok;
}
