/* sweep_inputs.c - what a point is computed from: the body without comments and white space, and
 * everything outside of it that it reaches by a name.
 *
 * A name is reached where the body, a value of the point or the definition of something that is
 * reached mentions it; too many rather than too few are.  Not reached is what the body defines
 * itself before it mentions it.  A file is reached where it is mentioned and there is one; folders,
 * and what shell commands see, are noted while a point runs.
 */
#include <stdarg.h>

#include "commands/general/sweep.h"

/* ---- the body -------------------------------------------------------------------------------- */

/* What separates two tokens: nothing, blanks, or the end of a line or statement. */
static int separator(const char *p, const char *end)
{
    int found = 0;
    for (; p < end; p++)
        if (*p == '#')
            while (p + 1 < end && p[1] != '\n')
                p++;
        else if (*p == '\\')
            while (p < end && *p != '\n')
                p++;
        else if (*p == '\n' || *p == ';')
            found = '\n';
        else
            found = found ? found : ' ';
    return found;
}

/* A statement of RASP without its comments and the white space that separates no words. */
static void squeeze(ThText *to, const char *p, const char *end)
{
    bool string = false, gap = false;
    char before = 0;
    while (end > p && strchr(" \t\r\n;", end[-1]))
        end--;
    for (; p < end; p++) {
        if (!string && *p == '#')
            while (p + 1 < end && *p != '\n')
                p++;
        if (!string && strchr(" \t\r\n\f", *p)) {
            gap = true;
            continue;
        }
        if (gap && sh_is_name_byte((unsigned char)before) && sh_is_name_byte((unsigned char)*p))
            th_text_add(to, " ");
        gap = false;
        string = string != (*p == '"' && before != '\\');
        before = *p;
        th_text_add_bytes(to, p, 1);
    }
}

/* The shell's own text, but for blanks at its end. */
static size_t trimmed(const char *text, size_t n)
{
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        n--;
    return n;
}

char *sh_body_identity(const ShLexer *lx, size_t open, size_t close, ThError *err)
{
    ThText t = {0};
    int depth = 0, gap = 0;
    for (size_t i = open + 1; i < close; i++) {
        const ShToken *k = &lx->token[i];
        const char *text = lx->text.data, *from = text + k->start, *end = text + k->end;
        int more = separator(text + lx->token[i - 1].end, from);
        gap = more == '\n' && depth > 0 ? gap ? gap : ' ' : more > gap || !gap ? more : gap;
        if (gap == ' ' && more == '\n' && depth == 0)
            gap = '\n';
        if (k->type == T_END)
            continue;
        if (gap && t.size > 0)
            th_text_add(&t, gap == '\n' ? "\n" : " ");
        gap = 0;
        depth +=
            k->type == T_MARK ? (strchr("([", *from) != NULL) - (strchr(")]", *from) != NULL) : 0;
        if (k->type == T_RASP)
            squeeze(&t, from, end);
        else
            th_text_add_bytes(&t, from,
                              k->type == T_SHELL || k->type == T_PIPE
                                  ? trimmed(from, (size_t)(end - from))
                                  : (size_t)(end - from));
    }
    return th_text_take(&t, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Is a name one of the words of a text, or, of the shell's own text, does it stand behind a $? */
static bool mentions_as(const char *text, size_t size, const char *name, bool shell)
{
    size_t n = strlen(name);
    for (const char *p = text, *end = text + size; p + n <= end; p++) {
        bool starts = p == text || !sh_is_name_byte((unsigned char)p[-1]);
        if (shell) /* $NAME, ${NAME} */
            starts = p > text + 1 && (p[-1] == '$' || (p[-1] == '{' && p[-2] == '$'));
        if (starts && memcmp(p, name, n) == 0 &&
            (p + n == end || !sh_is_name_byte((unsigned char)p[n])))
            return true;
    }
    return false;
}

static bool mentions(const char *text, size_t size, const char *name)
{
    return mentions_as(text, size, name, false);
}

/* Does a token of the body?  Keys of options are no names; the shell gets variables. */
static bool token_mentions(const ShLexer *lx, const ShToken *t, const char *name)
{
    size_t from = t->type == T_OPTION ? t->value : t->start;
    return mentions_as(lx->text.data + from, t->end - from, name,
                       t->type == T_SHELL || t->type == T_PIPE);
}

static bool any_mentions(const ShLexer *lx, size_t from, size_t to, const char *name)
{
    for (size_t i = from; i < to; i++)
        if (token_mentions(lx, &lx->token[i], name))
            return true;
    return false;
}

/* Does a statement define a name, and not by what it was? */
static bool defines(const ShLexer *lx, size_t from, size_t to, const char *name)
{
    const ShToken *t = &lx->token[from];
    const char *text = lx->text.data + t->start, *end = lx->text.data + t->end;
    size_t n = strlen(name);
    if (t->type == T_RASP) {
        if ((size_t)(end - text) <= n || memcmp(text, name, n) != 0)
            return false;
        for (text += n; text < end && strchr(" \t", *text);)
            text++;
        return text + 1 < end && *text == '=' && text[1] != '=' &&
               !mentions(text, (size_t)(end - text), name);
    }
    return to > from + 1 && t->type == T_WORD &&
           sh_command_flagged(text, t->end - t->start, C_DEFINES) &&
           sh_lexeme_is(lx, &t[1], name) && !any_mentions(lx, from + 2, to, name);
}

/* Is a word the name in a statement NAME = or NAME {, which is run whatever comes before? */
static bool is_defined_at(const ShSweep *w, size_t i)
{
    const ShLexer *lx = w->lx;
    const ShToken *t = &lx->token[i];
    int depth = 0;
    for (size_t k = w->open + 1; k < i; k++)
        depth += sh_lexeme_is(lx, &lx->token[k], "{") - sh_lexeme_is(lx, &lx->token[k], "}");
    return depth == 0 && i > w->open + 1 && (i == w->open + 2 || t[-2].type == T_END) &&
           sh_command_flagged(lx->text.data + t[-1].start, t[-1].end - t[-1].start, C_DEFINES) &&
           (sh_lexeme_is(lx, t + 1, "=") || sh_lexeme_is(lx, t + 1, "{"));
}

/* Does the body have a word that stands for all that is defined: list, or save all, where all is
 * no name that the body has defined itself before, as in task all = sum?
 */
static bool reaches_everything(const ShSweep *w)
{
    bool own = false;
    for (size_t i = w->open + 1; i < w->close; i++) {
        const ShToken *t = &w->lx->token[i];
        bool all = t->type == T_WORD && sh_lexeme_is(w->lx, t, "all");
        own = own || (all && is_defined_at(w, i));
        if ((all && (!own || sh_lexeme_is(w->lx, t - 1, "drop"))) ||
            (t->type == T_WORD && sh_lexeme_is(w->lx, t, "list")))
            return true;
    }
    return false;
}

bool sh_body_reaches(const ShSweep *w, const char *name)
{
    const ShToken *t = w->lx->token;
    if (reaches_everything(w))
        return true;
    for (size_t from = w->open + 1, to; from < w->close; from = to + 1) {
        for (to = from; to < w->close && t[to].type != T_END;)
            to = t[to].match > to ? t[to].match + 1 : to + 1;
        if (any_mentions(w->lx, from, to, name))
            return !defines(w->lx, from, to, name);
    }
    return false;
}

/* ---- what is reached ------------------------------------------------------------------------- */

typedef struct {
    ShSweep *w;
    ShSession *s;
    const ShLoopNames *names;
    ThText text; /* of what is reached, where it may mention more */
    json_t *variables, *definitions, *files;
    ThError *err;
} Reach;

static bool is_point_variable(const Reach *r, const char *name)
{
    for (size_t i = 0; i < r->names->n; i++)
        if (strcmp(r->names->name[i], name) == 0)
            return true;
    return false;
}

/* The object's identity, worked out once: while the grid is gone through only variables change. */
static bool add_object(Reach *r, ShObject *o)
{
    json_t *known = json_object_get(r->w->known, o->name);
    if (!known) {
        char *text TH_OWNED(free) = sh_object_identity(r->s, o, r->w->dir, r->err);
        known = json_string(text ? text : "");
        json_object_set_new(r->w->known, o->name, known);
        if (!text)
            return false;
    }
    json_object_set(r->definitions, o->name, known);
    bool refers = o->made_by && (o->kind == SH_TASK || o->kind == SH_MODEL);
    th_text_printf(&r->text, "%s\n", refers ? o->made_by : "");
    return true;
}

static void add_variable(Reach *r, const ShObject *o)
{
    ShFigureValue v = sh_variable(r->s, o->name);
    json_object_set_new(r->variables, o->name, sh_json_value(&v));
    if (v.text)
        th_text_printf(&r->text, "%s\n", v.text);
}

/* Adds what is mentioned and is not there yet; *more: something was. */
static bool add_objects(Reach *r, bool *more)
{
    ShObject *o;
    bool ok = true;
    *more = false;
    for (size_t i = 0; ok && (o = sh_object_at(r->s, i)); i++) {
        bool there = json_object_get(r->variables, o->name) ||
                     json_object_get(r->definitions, o->name) || is_point_variable(r, o->name);
        const char *text = th_text_string(&r->text);
        if (there || !(sh_body_reaches(r->w, o->name) || mentions(text, r->text.size, o->name)))
            continue;
        *more = true;
        if (o->kind == SH_VALUE)
            add_variable(r, o);
        else
            ok = add_object(r, o);
    }
    return ok;
}

static void add_arguments(Reach *r)
{
    const ShToken *t = r->w->lx->token;
    for (size_t i = r->w->open + 1; i < r->w->close; i++) {
        const char *text = r->w->lx->text.data + t[i].start;
        size_t n = t[i].end - t[i].start;
        const char *dollar = memchr(text, '$', n);
        bool digit = false;
        if (dollar) {
            char c = dollar[1 + (dollar[1] == '{')];
            digit = c >= '1' && c <= '9';
        }
        if (!digit && !mentions(text, n, "args") && !mentions(text, n, "nargs"))
            continue;
        ShFigureValue v = sh_variable(r->s, "args");
        json_object_set_new(r->variables, "args", sh_json_value(&v));
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The text of a script may mention more. */
static void add_script(Reach *r, const char *path)
{
    size_t n;
    char *text TH_OWNED(free) = th_file_read(path, (size_t)1 << 20, &n, NULL);
    if (text)
        th_text_printf(&r->text, "%s\n", text);
}

static void add_file(Reach *r, const char *word, size_t n)
{
    enum { LONGEST = 1000 };
    ThText name TH_OWNED(th_text_free) = {0};
    char *written TH_OWNED(free) = n > 0 && n < LONGEST ? th_strndup(word, n, NULL) : NULL,
                  *path TH_OWNED(free) = NULL;
    if (written && sh_insert_string(r->s, written, &name, NULL) && name.size > 0 &&
        !json_object_get(r->files, name.data)) {
        char *hash TH_OWNED(free) = sh_hash_of_file(r->w, name.data, &path);
        if (hash)
            json_object_set_new(r->files, name.data, json_string(hash));
        if (hash && (th_ends_with(name.data, ".th") || th_ends_with(name.data, ".rasp")))
            add_script(r, path);
    }
}

/* Every word of a text, and every string, but for those that something is written to. */
static void add_files(Reach *r, const char *text, size_t size)
{
    static const char between[] = " \t\r\n()[]{};,|<>=\"'";
    bool written = false;
    for (const char *p = text, *end = text + size; p < end;) {
        bool string = *p == '"';
        const char *q = p += string;
        while (q < end && (string ? *q != '"' : !strchr(between, *q)))
            q++;
        if (!written)
            add_file(r, p, (size_t)(q - p));
        if (q > p || string)
            written = false;
        else if (!strchr(" \t", *p))
            written = *p == '>';
        p = q > p && !string ? q : q + 1;
    }
}

static void add_body_files(Reach *r)
{
    const ShLexer *lx = r->w->lx;
    for (size_t i = r->w->open + 1; i < r->w->close; i++) {
        const ShToken *t = &lx->token[i];
        bool written = t[-1].type == T_MARK && lx->text.data[t[-1].start] == '>';
        if (t->type != T_MARK && t->type != T_END && !written)
            add_files(r, lx->text.data + t->start, t->end - t->start);
    }
}

void sh_inputs_settle(const ShSweep *w, json_t *inputs)
{
    const char *name;
    json_t *hash, *files = json_object_get(inputs, "files");
    void *next;
    json_object_foreach_safe(files, next, name, hash)
    {
        char *now TH_OWNED(free) = sh_hash_of_path(w, name);
        bool same = now && strcmp(now, json_string_value(hash)) == 0;
        if (!same && sh_is_folder_hash(json_string_value(hash)))
            json_object_set_new(files, name, json_string(sh_folder_changed));
        else if (!same)
            json_object_del(files, name);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Those of what is shown, and of how fast, change no result. */
static json_t *settings(const ShSession *s)
{
    static const char *const shown[] = {"threads", "format", "progress", "plot",
                                        "pager",   "color",  "timing"};
    json_t *all = json_object();
    for (size_t i = 0; i < s->settings.n; i++) {
        const ThOption *o = &s->settings.item[i];
        bool matters = true;
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
            matters = matters && strcmp(o->spec->name, shown[k]) != 0;
        if (matters)
            json_object_set_new(all, o->spec->name, sh_option_json(o));
    }
    return all;
}

/* What RASP shows its values on, where that is not what it begins with. */
static void add_examples(const ShSession *s, json_t *settings)
{
    static const struct {
        int which;
        const char *name;
    } example[] = {{TH_RASP_FOR_SOPS, "s-op example"}, {TH_RASP_FOR_SELECTORS, "selector example"}};
    for (size_t i = 0; s->rasp && i < sizeof example / sizeof *example; i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        th_rasp_write_elements(
            s->rasp, th_rasp_run_input(th_rasp_example_run(s->rasp, example[i].which)), &t);
        for (char *blank; t.data && (blank = strchr(t.data, ' '));)
            *blank = ',';
        if (t.data && strcmp(t.data, "h,e,l,l,o") != 0)
            json_object_set_new(settings, example[i].name, json_string(t.data));
    }
}

static void add_point_values(Reach *r)
{
    for (size_t i = 0; i < r->names->n; i++) {
        ShFigureValue v = sh_variable(r->s, r->names->name[i]);
        if (v.text)
            th_text_printf(&r->text, "%s\n", v.text);
    }
}

json_t *sh_point_inputs(ShSweep *w, const ShLoopNames *names, ThError *err)
{
    Reach r = {w, w->s, names, {0}, json_object(), json_object(), json_object(), err};
    size_t seen = 0;
    bool more = true, ok = true;
    add_point_values(&r);
    add_arguments(&r);
    add_body_files(&r);
    while (ok && more) {
        ok = add_objects(&r, &more);
        size_t from = seen;
        seen = r.text.size;
        if (ok && seen > from) {
            char *text TH_OWNED(free) = th_strndup(r.text.data + from, seen - from, err);
            ok = text != NULL;
            if (text)
                add_files(&r, text, seen - from); /* which may add more text */
            more = more || r.text.size > seen;
        }
    }
    json_t *set = settings(w->s);
    add_examples(w->s, set);
    json_t *all = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "body", w->body, "tapehead",
                            TH_VERSION, "settings", set, "variables", r.variables, "definitions",
                            r.definitions, "files", r.files);
    th_text_free(&r.text);
    if (ok && !all)
        ok = th_fail(err, TH_ENOMEM, "out of memory");
    if (ok)
        return all;
    json_decref(all);
    return NULL;
}

/* ---- what has changed ------------------------------------------------------------------------ */

static void note(ShSweep *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Counts the points of which this is said. */
static void note(ShSweep *w, const char *format, ...)
{
    char line[400];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    json_int_t n = json_integer_value(json_object_get(w->changes, line));
    if (json_object_set_new(w->changes, line, json_integer(n + 1)) != 0)
        json_object_set_new(w->changes, "something", json_integer(n + 1)); /* a cut character */
}

/* A value as it is said; a hash is not. */
static const char *say_value(const json_t *v, char to[160])
{
    const char *text = json_string_value(v), *hash = text ? strstr(text, " #") : NULL;
    if (!v)
        snprintf(to, 160, "nothing");
    else if (text)
        snprintf(to, 160, "%.*s", hash ? (int)(hash - text) : 150, text);
    else if (json_is_boolean(v))
        snprintf(to, 160, "%s", json_is_true(v) ? "yes" : "no");
    else
        snprintf(to, 160, "%.15g", json_number_value(v));
    return to;
}

static void note_value(ShSweep *w, const char *name, const json_t *was, const json_t *now)
{
    char before[160], after[160];
    say_value(was, before);
    say_value(now, after);
    size_t kind = strcspn(after, " ") + 1;
    bool alike = kind < strlen(after) && strncmp(before, after, kind) == 0;
    if (strcmp(before, after) == 0)
        note(w, "%s: %s, with other contents", name, after);
    else
        note(w, "%s: %s, was %s", name, after, before + (alike ? kind : 0));
}

static bool same_values(ShSweep *w, json_t *was, json_t *now)
{
    const char *name;
    json_t *v;
    bool same = true;
    json_object_foreach(now, name, v)
    {
        const json_t *before = json_object_get(was, name);
        if (json_equal(before, v))
            continue;
        same = false;
        note_value(w, name, before, v);
    }
    json_object_foreach(was, name, v)
    {
        if (json_object_get(now, name))
            continue;
        same = false;
        note_value(w, name, v, NULL);
    }
    return same;
}

static bool same_files(ShSweep *w, json_t *was)
{
    const char *name;
    json_t *v;
    bool same = true;
    json_object_foreach(was, name, v)
    {
        const char *before = json_string_value(v);
        char *now TH_OWNED(free) = sh_hash_of_path(w, name);
        if (now && before && strcmp(now, before) == 0 && now[0] == '#')
            continue;
        note(w,
             !now            ? "%s: is not there any more"
             : now[0] != '#' ? "%s: too many files to see whether they are as they were"
             : before && strcmp(before, sh_folder_changed) == 0
                 ? "%s: its files changed while the point ran"
                 : "%s: other contents",
             name);
        same = false;
    }
    return same;
}

/* Of what shell commands see of the environment. */
static bool same_shell(ShSweep *w, json_t *was)
{
    const char *name;
    json_t *v;
    bool same = true;
    json_object_foreach(was, name, v)
    {
        const char *now = getenv(name), *before = json_string_value(v);
        if (now && before ? strcmp(now, before) == 0 : !now && !before)
            continue;
        note(w, "%s in the environment of shell commands: another value", name);
        same = false;
    }
    return same;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool sh_inputs_same(ShSweep *w, const json_t *record, const json_t *now)
{
    static const char *const values[] = {"settings", "variables", "definitions"};
    json_t *was = json_object_get(record, "inputs");
    bool same = was != NULL;
    if (!was) {
        note(w, "the record does not say what it was computed from");
        return false;
    }
    if (strcmp(text_of(was, "body"), text_of(now, "body")) != 0) {
        note(w, "the body: other commands");
        return false;
    }
    if (strcmp(text_of(was, "tapehead"), text_of(now, "tapehead")) != 0) {
        note(w, "tapehead: %s, was %s", text_of(now, "tapehead"), text_of(was, "tapehead"));
        same = false;
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        same = same_values(w, json_object_get(was, values[i]), json_object_get(now, values[i])) &&
               same;
    same = same_shell(w, json_object_get(was, "shell")) && same;
    return same_files(w, json_object_get(was, "files")) && same;
}
