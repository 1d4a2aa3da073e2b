#include "language/redirect.h"

#include <sys/stat.h>

#include "formats.h"
#include "terminal/signals.h"
#include "language/variables.h"

/* The ending of a file's name with its dot, or "". */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    bool word = dot && dot > base && dot[strcspn(dot, "abcdefghijklmnopqrstuvwxyz")];
    return word ? dot : "";
}

/* Is it the ending of files that hold objects? */
static bool is_of_objects(const char *extension, ShFileKind *k)
{
    for (size_t i = 0; sh_file_kind(i, k); i++)
        if (strcmp(extension, k->extension) == 0)
            return true;
    return false;
}

/* What the ending of a file says of what is in it.  None that holds objects is json or csv,
 * whatever the format of what is printed. */
static void set_format_of(ShSession *s, const char *path)
{
    ShFileKind k;
    if (th_ends_with(path, ".json") || th_ends_with(path, ".jsonl"))
        s->out.format = SH_FORMAT_JSON;
    else if (th_ends_with(path, ".csv"))
        s->out.format = SH_FORMAT_CSV;
    else if (th_ends_with(path, ".txt") || is_of_objects(extension_of(path), &k))
        s->out.format = SH_FORMAT_TEXT;
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
    return is_of_objects(extension, &k) && k.text;
}

static bool extension_fits(const ShCall *call, ThError *err)
{
    char typed[SH_COMMAND_NAME];
    const char *extension = call->redirect ? extension_of(call->redirect) : "";
    bool latex = (call->command->flags & C_LATEX) && strcmp(extension, ".tex") == 0;
    if ((call->command->flags & C_ANY_FILE) || latex || is_for_text(extension))
        return true;
    return th_fail(err, TH_EUSAGE, "%s does not write %s files",
                   sh_command_typed(call->command, typed), extension) ||
           th_hint(err, "text goes to .txt, .csv, .json and .jsonl files; plot draws figures");
}

static FILE *open_pipe(ShSession *s, const ShCall *call, ShRedirect *r, ThError *err)
{
    ThText names = {0};
    if (!sh_shell_allowed(s, err))
        return NULL;
    sh_export(s, call->pipe, &names);
    bool ok = sh_pipe_open(&r->pipe, call->pipe, err);
    sh_unexport(&names);
    return ok ? r->pipe.stream : NULL;
}

static FILE *redirect_open(ShSession *s, const ShCall *call, ShRedirect *r, ThError *err)
{
    if (call->pipe)
        return open_pipe(s, call, r, err);
    if (call->append)
        return r->buffer = open_memstream(&r->text, &r->size);
    return th_file_begin(&r->file, call->redirect, err);
}

/* Returns new: the first line of a file, which is its columns; NULL where there is none. */
static char *first_line(const char *path)
{
    struct stat file;
    char *line = NULL;
    size_t cap = 0;
    FILE *in = stat(path, &file) == 0 && S_ISREG(file.st_mode) ? fopen(path, "r") : NULL;
    if (in && getline(&line, &cap, in) < 0) {
        free(line);
        line = NULL;
    }
    if (in)
        fclose(in);
    return line;
}

/* A table that is appended goes on with that of the file. */
static void note_columns(ShOutput *o, const ShCall *call, ShRedirect *r)
{
    r->header = o->header;
    o->header = NULL;
    if (o->format != SH_FORMAT_CSV || !call->append)
        return;
    o->header = first_line(call->redirect);
    r->columns = o->header ? th_strdup(o->header, NULL) : NULL;
}

static bool same_columns(const ShOutput *o, const ShCall *call, const ShRedirect *r, ThError *err)
{
    if (!r->columns || strcmp(r->columns, o->header) == 0)
        return true;
    return th_fail(err, TH_EUSAGE, "'%s' has other columns than this table", call->redirect) ||
           th_hint(err, "its first line is: %.*s", (int)strcspn(r->columns, "\r\n"), r->columns);
}

bool sh_redirect_is_array(const ShCall *call)
{
    return (call->command->flags & C_ARRAYS) && call->redirect &&
           (th_ends_with(call->redirect, ".npy") || th_ends_with(call->redirect, ".safetensors"));
}

bool sh_redirect_begin(ShSession *s, const ShCall *call, ShRedirect *r, ThError *err)
{
    unsigned own = call->form == 2 ? C_OWN_REDIRECT | C_LISTS : C_OWN_REDIRECT;
    if (sh_session_is_silent(s))
        return true;
    if (!call->pipe &&
        (!call->redirect || (call->command->flags & own) || sh_redirect_is_array(call)))
        return true;
    if (!extension_fits(call, err))
        return false;
    if (s->out.shown)
        fflush(s->out.shown);
    fflush(stdout); /* which the file may be another name of */
    FILE *to = redirect_open(s, call, r, err);
    if (!to)
        return err->code == TH_OK ? th_fail(err, TH_ENOMEM, "out of memory") : false;
    r->before = s->out.stream;
    r->format = s->out.format;
    s->out.stream = to;
    s->out.piped = call->pipe;
    if (call->redirect)
        set_format_of(s, call->redirect);
    note_columns(&s->out, call, r);
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

/* What was written goes to its file, if all went well. */
static bool end_file(const ShCall *call, ShRedirect *r, bool ok, ThError *err)
{
    if (r->buffer) {
        ok = fclose(r->buffer) == 0 && ok;
        ok = ok && th_file_append(call->redirect, r->text, r->size, err);
        free(r->text);
        return ok;
    }
    if (r->file.stream && ok)
        return th_file_commit(&r->file, err);
    th_file_abort(&r->file);
    return ok;
}

bool sh_redirect_end(ShSession *s, const ShCall *call, ShRedirect *r, bool ok, ThError *err)
{
    if (!r->before)
        return ok;
    ok = ok && same_columns(&s->out, call, r, err);
    TH_FREE(s->out.header, r->columns);
    s->out.header = r->header;
    s->out.stream = r->before;
    s->out.format = r->format;
    s->out.piped = false;
    return call->pipe ? end_pipe(r, ok, err) : end_file(call, r, ok, err);
}
