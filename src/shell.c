#include "shell.h"

#include <errno.h>
#include <unistd.h>

#include "terminal/diagnostics.h"
#include "help/help.h"
#include "language/parse.h"
#include "point_records.h"
#include "rasp.h"
#include "language/redirect.h"
#include "terminal/signals.h"
#include "help/synonyms.h"
#include "language/automaton_hints.h"

/* ---- the time limit -------------------------------------------------------------------------- */

/* Begins the time of a command, unless it is part of another's.  Operands are worked out in it. */
static bool begin_time(ShSession *s)
{
    double limit = sh_setting_real(s, "limit-time");
    if (limit <= 0 || s->limit > 0)
        return false;
    s->limit = limit;
    sh_alarm(limit);
    return true;
}

/* Says that it was the limit that ended a command; own: its time began here.  Returns ok. */
static bool end_time(ShSession *s, bool own, bool ok, ThError *err)
{
    bool late = sh_out_of_time();
    double limit = s->limit;
    if (own) {
        sh_alarm(0);
        s->limit = 0;
    }
    if (ok || err->code != TH_EINTERRUPTED || !late)
        return ok;
    char cause[sizeof err->msg];
    memcpy(cause, err->msg, sizeof cause);
    *err = (ThError){.line = err->line, .col = err->col};
    th_fail(err, TH_ELIMIT, "the time limit of %g s is over: %.400s", limit, cause);
    return th_hint(err, "set limit-time 0 lets commands run on");
}

/* ---- one statement --------------------------------------------------------------------------- */

static bool run_handler(ShSession *s, const ShCommand *c, const ShCall *call, ThError *err)
{
    ShRedirect r = {0};
    bool written = (c->flags & C_WRITES) ||
                   ((c->flags & (C_OWN_REDIRECT | C_LISTS | C_ARRAYS)) && call->redirect);
    if (written && sh_session_is_silent(s))
        return true;
    if (!sh_redirect_begin(s, call, &r, err))
        return false;
    if (s->point) {
        sh_point_note(s->point, call);
        sh_point_note_files(s, call);
    }
    sh_output_begin(s, c);
    bool ok = c->run(s, call, err);
    ok = sh_output_end(s, ok, err) && ok;
    return sh_redirect_end(s, call, &r, ok, err);
}

static bool run_shell(ShSession *s, const ShStatement *st, ThError *err)
{
    const ShToken *t = &st->lexer->token[st->from];
    ThText command = {0};
    int status = 0;
    if (!sh_shell_allowed(s, err))
        return false;
    if (sh_session_is_silent(s))
        return true;
    th_text_add_bytes(&command, st->lexer->text.data + t->start + 1, t->end - t->start - 1);
    char *text TH_OWNED(free) = th_text_take(&command, err);
    ThText names = {0};
    if (text)
        sh_export(s, text, &names);
    bool ok = text && sh_run_shell(text, NULL, &status, err);
    sh_unexport(&names);
    if (ok && status != 0) {
        ok = th_fail(err, TH_EIO, "the shell command ended with status %d", status);
        size_t n = t->end - t->start - 1;
        char name[SH_COMMAND_NAME];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0),
                 st->lexer->text.data + t->start + 1);
        if (sh_find(s, name))
            th_hint(err, "! runs commands of the shell: ~ is the complement of an automaton");
    }
    return ok;
}

/* An automaton is no statement, however it is written: the hint is what to type. */
static void hint_at_expression(ShSession *s, const ShStatement *st, ThError *err)
{
    const ShToken *first = &st->lexer->token[st->from], *last = &st->lexer->token[st->to - 1];
    char *text TH_OWNED(free) = sh_lex_source(st->lexer, first->start, last->end, NULL);
    if (text && (err->code == TH_EUSAGE || err->code == TH_EVALUE || err->code == TH_EPARSE))
        sh_hint_automaton(s, text, err);
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
    ShSynonym synonym;
    const ShObject *o = sh_find(s, word);
    if (o && (!rasp || (!sh_is_rasp(o->kind) && here && !assigns)))
        snprintf(err->hint, sizeof err->hint, "%s is %s: %s %s%s", word, sh_a_kind(o->kind),
                 *next == '(' ? "run" : "show", word, *next == '(' ? " INPUT" : "");
    else if (rasp && sh_command_begins(text, n) && (assigns || *next == '('))
        th_hint(err, "%s is a command, too: see help %s", word, word);
    else if (rasp && here && *next == '(' && sh_synonym(word, &synonym))
        th_hint(err, "%s", synonym.see);
    hint_at_expression(s, st, err);
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
    bool own = begin_time(s);
    return end_time(s, own, run_now(s, st, &call, err), err) || hint_at_word(s, st, err);
}

/* Is a statement nothing but the name of one of RASP's values? */
static bool is_value(ShSession *s, const ShStatement *st)
{
    const ShToken *t = &st->lexer->token[st->from];
    ThRasp *r = st->to == st->from + 1 && t->type == T_WORD ? sh_session_rasp(s, NULL) : NULL;
    char *name TH_OWNED(free) =
        r ? th_strndup(st->lexer->text.data + t->start, t->end - t->start, NULL) : NULL;
    ThRaspValue v;
    return name && th_rasp_lookup(r, name, &v);
}

/* By its name an object is shown. */
static bool show_object(ShSession *s, const ShObject *o)
{
    ThText command TH_OWNED(th_text_free) = {0};
    th_text_add(&command, "show ");
    th_text_symbol(&command, o->name);
    return !command.failed && sh_shell_text(s, command.data, "<show>");
}

/* By its name a value is shown; any other word is an unknown command. */
static bool run_unknown(ShSession *s, const ShStatement *st, ThError *err)
{
    const ShToken *t = &st->lexer->token[st->from];
    char *name TH_OWNED(free) =
        st->to == st->from + 1 && t->type == T_WORD
            ? th_strndup(st->lexer->text.data + t->start, t->end - t->start, NULL)
            : NULL;
    const ShObject *o = name ? sh_find(s, name) : NULL;
    if (!s->loading && o && !sh_is_rasp(o->kind)) {
        *err = (ThError){0};
        return show_object(s, o);
    }
    if (s->loading || !is_value(s, st))
        return hint_at_word(s, st, err);
    *err = (ThError){0};
    return run_rasp(s, st, err);
}

/* What is loaded defines, and does nothing else: a file of somebody else's runs no commands.
 * Returns false, always. */
static bool fail_loading(const ShSession *s, ThError *err)
{
    return th_fail(err, TH_EUSAGE, "a file that is loaded holds definitions only") ||
           th_hint(err, "source \"%s\" runs it as a script", s->loading);
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

/* Where the output goes, behind the bodies of a loop or condition; the end if it is not said. */
static size_t find_redirect(const ShStatement *st)
{
    size_t at = sh_behind_bodies(st, st->from);
    const ShToken *t = st->lexer->token;
    while (at < st->to && t[at].type != T_PIPE && !sh_lexeme_is(st->lexer, &t[at], ">") &&
           !sh_lexeme_is(st->lexer, &t[at], ">>"))
        at++;
    return at;
}

/* A loop or a condition puts out nothing itself; what its commands do goes where it says. */
static bool run_control(ShSession *s, const ShStatement *st, const ShCommand *c, ThError *err)
{
    ShStatement outer = s->now, whole = {st->lexer, st->from, find_redirect(st)};
    ShStatement redirect = {st->lexer, whole.to, st->to};
    ShParsed p TH_OWNED(sh_parsed_free) = {.call.command = c};
    ShRedirect r = {0};
    bool ok = redirect.from == redirect.to || sh_parse_rest(s, &redirect, &p, err);
    if (ok && sh_redirect_begin(s, &p.call, &r, err)) {
        s->now = whole;
        ok = c->run(s, &p.call, err);
        s->now = outer;
        ok = sh_redirect_end(s, &p.call, &r, ok, err);
    } else {
        ok = false;
    }
    return end_time(s, false, ok, err);
}

/* ?run, run?, man run and the like, where there is help on it: then it is given. */
static bool gives_help(ShSession *s, const ShStatement *st)
{
    char topic[SH_TOPIC];
    const ShToken *first = &st->lexer->token[st->from], *last = &st->lexer->token[st->to - 1];
    if (!sh_asks_for_help(st->lexer->text.data + first->start, last->end - first->start, topic))
        return false;
    if (!sh_help_knows(topic) || (first == last && sh_find(s, topic)))
        return false;
    ThText command TH_OWNED(th_text_free) = {0};
    th_text_printf(&command, "help %s", topic);
    return !command.failed && sh_shell_text(s, command.data, "<help>");
}

/* words: how many name the command. */
static bool run_plain(ShSession *s, const ShStatement *st, const ShCommand *c, size_t words,
                      ThError *err)
{
    ShParsed p TH_OWNED(sh_parsed_free) = {0};
    bool own = begin_time(s), ok = sh_parse_call(s, st, c, words, &p, err);
    if (!ok && st->to == st->from + 1)
        hint_at_word(s, st, err);
    ok = ok && (!s->loading || defines(&p.call) || fail_loading(s, err)) &&
         run_now(s, st, &p.call, err);
    return end_time(s, own, ok, err);
}

static bool run_command(ShSession *s, const ShStatement *st, ThError *err)
{
    size_t words = 0;
    const ShCommand *c = sh_parse_command(st, &words, err);
    if (!c)
        return run_unknown(s, st, err);
    return c->flags & C_CONTROL ? run_control(s, st, c, err) : run_plain(s, st, c, words, err);
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
              : first->type == T_SHELL ? run_shell(s, st, err)
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
    s->statements += s->bodies == 0;
    bool ok = sh_execute(s, st, err);
    if (sh_setting_flag(s, "timing"))
        fprintf(stderr, "%.3f s\n", sh_clock() - start);
    bool logged = !s->out.log || (fflush(s->out.log) == 0 && !ferror(s->out.log));
    return flush_output(s, err) && ok && (logged || sh_log_close(&s->out, err));
}

/* Says in which turn of the loops that are running an error came about. */
static bool name_turn(const ShSession *s, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    const ShTurn *turns[SH_DEEPEST];
    int n = 0;
    for (const ShTurn *turn = s->turn; turn && n < SH_DEEPEST; turn = turn->outer)
        turns[n++] = turn;
    for (int i = n; i-- > 0;)
        th_text_printf(&t, "%s%s", i + 1 < n ? ", " : "", turns[i]->text);
    size_t length = strlen(err->msg);
    if (t.data && length > 0)
        snprintf(err->msg + length, sizeof err->msg - length, " (in the turn %s)", t.data);
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
        bool body = sh_find_body(&st, from) < to; /* names its own turn */
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
        if (src->prompt) {
            sh_signals_clear();
            sh_output_fresh(s);
        }
        log_statement(s, &st);
        bool ok = run_statement(s, &st, &err);
        if (!ok)
            sh_diagnose(s, src, lx, &err);
        all = all && ok;
        if (is_over(s) || !(ok || s->keep_going) || sh_interrupted())
            return all;
    }
    return all;
}

static bool report(ShSession *s, const ShSource *src, const ShLexer *lx, ThError *err)
{
    err->code = err->code == TH_EINCOMPLETE ? TH_EPARSE : err->code;
    sh_diagnose(s, src, lx, err);
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

/* A line that cannot be read may be an automaton as elsewhere: (a|b)*.  odd* waits for what is
 * multiplied; but where odd is an automaton, it is no product. */
static bool is_expression(ShSession *s, const ShLexer *lx, ThError *err)
{
    const char *text = lx->text.data;
    size_t n = lx->text.size, lines = 0;
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        lines += text[--n] == '\n';
    char *line TH_OWNED(free) =
        n > 0 && lines <= 1 && (err->code != TH_EINCOMPLETE || text[n - 1] == '*')
            ? th_strndup(text, n, NULL)
            : NULL;
    return line && sh_hint_automaton(s, line, err);
}

/* Bytes: devices and pipes that never end are no scripts. */
enum { LONGEST_LINE = 1 << 28, LONGEST_STATEMENT = 1 << 26 };

static bool lost(ShSession *s, const ShSource *src, const ShLexer *lx, ShLineResult got)
{
    ThError err = {0};
    if (got == SH_LINES_LOST)
        th_fail(&err, TH_ENOMEM, "out of memory");
    else
        th_fail_at(&err, TH_ELIMIT, next_line_number(lx), 1, "a %s is longer than %d bytes",
                   got == SH_LINES_LONG ? "line" : "statement",
                   got == SH_LINES_LONG ? LONGEST_LINE : LONGEST_STATEMENT);
    return report(s, src, lx, &err);
}

bool sh_shell_run(ShSession *s, ShSource *src)
{
    ThRaspDialect dialect;
    ShLexer lx TH_OWNED(sh_lex_free) = {.rasp = &dialect};
    ThError err = {0};
    char *line TH_OWNED(free) = NULL;
    size_t cap = 0, n = 0;
    bool all = true, ok = true;
    sh_lex_begin(&lx, 1);
    while (src->prompt ? !is_over(s) : goes_on(s, ok)) {
        bool continued = err.code == TH_EINCOMPLETE;
        dialect = sh_rasp_dialect(s);
        ShLineResult got = src->next(src, continued, &line, &cap, &n);
        if (got == SH_LINES_LOST || got == SH_LINES_LONG || lx.text.size > LONGEST_STATEMENT) {
            all = lost(s, src, &lx, got);
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
        else if (!is_expression(s, &lx, &err) && err.code == TH_EINCOMPLETE)
            continue;
        else
            ok = report(s, src, &lx, &err);
        all = all && ok;
        err = (ThError){0};
        sh_lex_begin(&lx, src->prompt ? 1 : next_line_number(&lx));
    }
    return all;
}

static ShLineResult next_of_file(ShSource *src, bool continued TH_UNUSED, char **line, size_t *cap,
                                 size_t *n)
{
    FILE *in = src->context;
    *n = 0;
    for (int c = 0; c != '\n' && (c = getc(in)) != EOF; (*line)[(*n)++] = (char)c) {
        if (*n >= LONGEST_LINE)
            return SH_LINES_LONG;
        if (!th_grow(line, cap, *n + 1, 1, NULL))
            return SH_LINES_LOST;
    }
    return *n > 0 ? SH_LINE : SH_LINES_END;
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

static ShLineResult next_of_text(ShSource *src, bool continued TH_UNUSED, char **line, size_t *cap,
                                 size_t *n)
{
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
    char *copy TH_OWNED(free) = th_strdup(text, &err);
    if (!copy) {
        sh_print_error(s, &err);
        return false;
    }
    ShSource src = {.name = name, .next = next_of_text, .context = copy};
    return sh_shell_run(s, &src);
}

char *sh_beside_script(const ShSession *s, const char *path, ThError *err)
{
    const char *slash = s->script ? strrchr(s->script, '/') : NULL;
    ThText beside = {0};
    if (!slash || *path == '/' || access(path, F_OK) == 0)
        return th_strdup(path, err);
    th_text_add_bytes(&beside, s->script, (size_t)(slash - s->script) + 1);
    th_text_add(&beside, path);
    char *there = th_text_take(&beside, err);
    if (!there || access(there, F_OK) == 0)
        return there;
    free(there);
    return th_strdup(path, err);
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
