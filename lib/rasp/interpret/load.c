/* load.c - programs in files and those that are built in. */

#include "base/file.h"
#include "rasp/interpret/interp.h"
#include "rasp/syntax/lex.h"

enum { LARGEST = 64 << 20 }; /* bytes of a file */

/* ---- environments ---------------------------------------------------------------------------- */

ThRaspScope *th_rasp_environment(ThRasp *r, ThError *err)
{
    uint32_t id;
    ThRaspValue tokens = {0};
    r->err = err;
    ThRaspScope *s = th_rasp_scope_new(&r->heap, r->base, err);
    if (s && th_rasp_lookup_base(r, "tokens_str", &tokens) && th_rasp_name_id(r, "tokens", &id) &&
        th_rasp_scope_set(&r->heap, s, id, tokens, err))
        return s;
    if (s)
        th_rasp_object_release(&r->heap, &s->head);
    return NULL;
}

/* ---- finding files --------------------------------------------------------------------------- */

typedef struct {
    char *path; /* as it was found */
    char *text; /* owned; NULL for what is built in */
    const char *source;
    size_t size;
} Found;

static void found_free(Found *f)
{
    TH_FREE(f->path, f->text);
    *f = (Found){0};
}
TH_RELEASES_VALUE(found_free, Found)

/* Tries one file; false and no error if there is none. */
static bool try_file(const char *folder, const char *name, Found *f, ThError *err)
{
    ThText t = {0};
    ThError missing = {0};
    if (folder)
        th_text_printf(&t, "%s/", folder);
    th_text_add(&t, name);
    f->path = th_text_take(&t, err);
    f->text = f->path ? th_file_read(f->path, LARGEST, &f->size, &missing) : NULL;
    f->source = f->text;
    if (f->text)
        return true;
    free(f->path);
    f->path = NULL;
    if (missing.code != TH_EIO && missing.code != TH_OK && err->code == TH_OK)
        *err = missing;
    return false;
}

/* Looks beside the loading file, in the current directory, among what is built in. */
static bool find(ThRasp *r, const char *path, Found *f)
{
    char *name TH_OWNED(free) =
        th_printed(r->err, "%s%s", path, th_ends_with(path, ".rasp") ? "" : ".rasp");
    bool relative = name && *name != '/';
    bool ok = name && ((r->folder && relative && try_file(r->folder, name, f, r->err)) ||
                       try_file(NULL, name, f, r->err) ||
                       (r->beside && relative && try_file(r->beside, name, f, r->err)));
    if (name && !ok && r->err->code == TH_OK) {
        name[strlen(name) - strlen(".rasp")] = '\0';
        f->source = th_rasp_builtin_source(name, &f->size);
        f->path = f->source ? th_strdup(name, r->err) : NULL;
        ok = f->path != NULL;
        if (!f->source) {
            th_rasp_error(r, TH_EIO, "there is no RASP program '%.200s'", path);
            th_hint(r->err, "looked for %s.rasp%s and among the built-in programs: raspl", name,
                    r->folder ? ", also beside the file that loads it," : "");
        }
    }
    return ok;
}

/* Returns new: the file's name without its folder and extension. */
static char *label_of(const char *path, ThError *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    return th_strndup(name, th_ends_with(name, ".rasp") ? n - 5 : n, err);
}

/* ---- running a file -------------------------------------------------------------------------- */

/* To the beginning of the next statement; false at the end. */
static bool skip_to_statement(ThRaspSource *src)
{
    for (;;) {
        ThRaspSource ahead = *src;
        ThRaspLexeme t;
        ThError ignored = {0};
        bool ok = th_rasp_lex(&ahead, &t, &ignored);
        if (!ok || t.kind != ';')
            return !ok || t.kind != TH_RASP_LEX_END;
        *src = ahead;
    }
}

/* Does a line begin with what only statements begin with: a word of them, or NAME = …? */
static bool begins_statement(const ThRaspSource *src, size_t at)
{
    static const char *const words[] = {"def", "for", "set", "show", "full", "load", "draw"};
    ThRaspSource ahead = *src;
    ThRaspLexeme name, next;
    ThError ignored = {0};
    ahead.at = at;
    if (!th_rasp_lex(&ahead, &name, &ignored) || name.kind != TH_RASP_LEX_NAME ||
        name.start != at || !th_rasp_lex(&ahead, &next, &ignored))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (name.end - name.start == strlen(words[i]) &&
            memcmp(src->text + name.start, words[i], strlen(words[i])) == 0)
            return true;
    return next.kind == '=';
}

/* Past a statement that cannot be read: behind its `;` or its last `}`, to a line that begins
 * another one, or to the end of the line where a string is not closed. */
static void skip_statement(ThRaspSource *src)
{
    ThRaspSource ahead = *src;
    ThRaspLexeme first;
    ThError ignored = {0};
    th_rasp_lex(&ahead, &first, &ignored);
    size_t i = first.start - (first.kind == TH_RASP_LEX_STRING); /* with its quote */
    int depth = 0;
    bool string = false, ends = false;
    for (; i < src->n && !ends; i++) {
        char c = src->text[i];
        if (c == '\\' && string && i + 1 < src->n)
            i += strchr("\"\\", src->text[i + 1]) != NULL;
        else if (c == '"')
            string = !string;
        else if (string)
            ends = c == '\n';
        else if (c == '\n')
            ends = depth <= 0 && begins_statement(src, i + 1);
        else if (c == '#')
            while (i + 1 < src->n && src->text[i + 1] != '\n')
                i++;
        else if (c == '{')
            depth++;
        else if (c == '}')
            ends = --depth <= 0;
        else
            ends = c == ';' && depth <= 0;
    }
    for (; src->at < i; src->at++) {
        unsigned char c = (unsigned char)src->text[src->at];
        src->line += c == '\n';
        src->col = c == '\n' ? 1 : src->col + ((c & 0xc0) != 0x80);
    }
}

/* Reads and runs the statement at hand, and moves behind it. */
static bool run_one(ThRasp *r, ThRaspSource *src, const char *label, bool library,
                    ThRaspScope *scope, ThError *err)
{
    ThRaspDialect d = {.grammar = library ? NULL : r->grammar, .prompt = !library};
    ThRaspTree t = {0};
    size_t from = src->at;
    if (!th_rasp_parse_one(&t, src, d, err)) {
        if (err && err->code == TH_EINCOMPLETE)
            err->code = TH_EPARSE;
        th_rasp_tree_free(&t);
        skip_statement(src);
        return false;
    }
    ThRaspProgram *p = th_rasp_program(r, &t, src->text + from, src->at - from, label, err);
    if (!p)
        return false;
    p->library = library;
    ThRaspFrame f = {p, scope};
    bool ok = th_rasp_statement(r, &f, p->tree.node[p->tree.root].first, err);
    th_rasp_object_release(&r->heap, &p->head);
    return ok;
}

/* Runs all statements; those that fail are told and counted. */
static bool run_all(ThRasp *r, const Found *file, ThRaspScope *scope, int *failed)
{
    ThRaspSource src = {
        .text = file->source, .n = file->size, .line = 1, .col = 1, .stop = r->stop};
    char *label TH_OWNED(free) = label_of(file->path, r->err);
    bool go_on = label != NULL;
    r->quit = false;
    while (go_on && !r->quit && skip_to_statement(&src)) {
        ThError e = {0};
        if (run_one(r, &src, label, false, scope, &e))
            continue;
        if (e.code == TH_EINTERRUPTED || e.code == TH_ENOMEM) {
            if (r->err && r->err->code == TH_OK)
                *r->err = e;
            go_on = false;
        }
        if (go_on && r->host.failed)
            r->host.failed(r->host.context, file->path, &e);
        ++*failed;
    }
    r->quit = false;
    return go_on;
}

bool th_rasp_load_library(ThRasp *r, ThError *err)
{
    ThRaspSource src = {.line = 1, .col = 1};
    bool ok = true;
    src.text = th_rasp_builtin_source("library", &src.n);
    if (src.n == 0)
        return th_fail(err, TH_EIO, "RASP's library is empty: the program was not linked well");
    while (ok && skip_to_statement(&src))
        ok = run_one(r, &src, "library", true, r->base, err);
    return ok;
}

/* ---- exports --------------------------------------------------------------------------------- */

bool th_rasp_is_own_tokens(const ThRasp *r, uint32_t name, const ThRaspValue *v)
{
    ThRaspValue tokens = {0};
    return strcmp(th_rasp_id_name(r, name), "tokens") == 0 && v->kind == TH_RASP_VALUE_SOP &&
           th_rasp_lookup_base(r, "tokens_str", &tokens) && v->as.sop == tokens.as.sop;
}

static bool is_public(const ThRasp *r, const ThRaspBinding *b)
{
    const char *name = th_rasp_id_name(r, b->name);
    return b->there && name[0] != '_' && strcmp(name, "out") != 0 &&
           !th_rasp_is_own_tokens(r, b->name, &b->value);
}

static bool export_names(ThRasp *r, const Found *file, const ThRaspScope *from, ThRaspScope *into,
                         int *failed)
{
    bool ok = true;
    for (size_t i = 0; ok && i < from->n; i++) {
        const ThRaspBinding *b = &from->item[i];
        ThError e = {0};
        if (!is_public(r, b))
            continue;
        bool refused = into == r->global && r->host.may_define &&
                       !r->host.may_define(r->host.context, th_rasp_id_name(r, b->name), &e);
        if (refused) {
            ++*failed;
            if (r->host.failed)
                r->host.failed(r->host.context, file->path, &e);
            continue;
        }
        ok = th_rasp_set_global(r, into, b->name, th_rasp_retain(b->value)) &&
             (into != r->global || th_rasp_to_show(r, TH_RASP_SHOWN_NAME, b->name, b->value));
    }
    return ok;
}

/* What belongs to the statement that loads, while those of the file run. */
typedef struct {
    ThError *err;
    const ThRaspProgram *top;
    int line, col, plain;
    uint32_t serial;
    const char *folder;
} Outer;

static bool load_found(ThRasp *r, const Found *file, ThRaspScope *into, int *failed)
{
    Outer o = {r->err, r->top, r->line, r->col, r->plain, r->serial, r->folder};
    const char *slash = strrchr(file->path, '/');
    char *folder TH_OWNED(free) =
        slash ? th_strndup(file->path, (size_t)(slash - file->path), r->err) : NULL;
    ThRaspScope *scope = th_rasp_environment(r, r->err);
    bool ok = scope && (folder || !slash);
    r->plain = 0;
    r->folder = folder && !*folder ? "/" : folder;
    r->loads++;
    ok = ok && run_all(r, file, scope, failed);
    r->loads--;
    r->err = o.err;
    r->top = o.top;
    r->line = o.line;
    r->col = o.col;
    r->plain = o.plain;
    r->serial = o.serial;
    r->folder = o.folder;
    ok = ok && (*failed > 0 || export_names(r, file, scope, into, failed));
    if (scope)
        th_rasp_object_release(&r->heap, &scope->head);
    return ok;
}

/* Loads what was found, all of it or nothing, and tells of the statements that failed. */
static bool load_all(ThRasp *r, const Found *file, ThRaspScope *into)
{
    int failed = 0;
    ThRaspManner before = th_rasp_manner(r);
    bool ok = load_found(r, file, into, &failed);
    if (ok && failed > 0) {
        ok = th_rasp_error(r, TH_EVALUE, "%d statement%s of '%.200s' failed", failed,
                           failed == 1 ? "" : "s", file->path);
        th_hint(r->err, "so nothing of it is defined");
    }
    th_rasp_manner_end(r, &before, !ok);
    return ok;
}

bool th_rasp_load_file(ThRasp *r, const char *path, ThRaspScope *into)
{
    Found file TH_OWNED(found_free) = {0};
    if (r->loads >= TH_RASP_LOADS)
        return th_rasp_error(r, TH_ELIMIT, "programs load each other more than %d deep",
                             TH_RASP_LOADS);
    return find(r, path, &file) && load_all(r, &file, into);
}

void th_rasp_set_folder(ThRasp *r, const char *beside)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    free(r->beside);
    r->beside =
        slash ? th_strndup(beside, (size_t)(slash - beside) + (slash == beside), NULL) : NULL;
}

/* A file, or a text that has a label. */
typedef struct {
    const char *path, *label, *text;
    size_t size;
} Load;

static bool load_body(ThRasp *r, const void *context)
{
    const Load *l = context;
    if (!l->text)
        return th_rasp_load_file(r, l->path, r->global);
    Found program TH_OWNED(found_free) = {
        .path = th_strdup(l->label, r->err), .source = l->text, .size = l->size};
    return program.path && load_all(r, &program, r->global);
}

static bool load(ThRasp *r, const Load *l, ThStop *stop, ThError *err)
{
    r->stop = stop;
    bool ok = th_rasp_guard(r, load_body, l, err);
    r->stop = NULL;
    r->err = NULL;
    return ok;
}

bool th_rasp_load(ThRasp *r, const char *path, ThStop *stop, ThError *err)
{
    return load(r, &(Load){.path = path}, stop, err);
}

bool th_rasp_load_text(ThRasp *r, const char *label, const char *text, ThStop *stop, ThError *err)
{
    return load(r, &(Load){.label = label, .text = text, .size = strlen(text)}, stop, err);
}
