#include "formats.h"

#include <unistd.h>

#include "terminal/confirm.h"
#include "machine_list.h"
#include "rasp.h"
#include "shell.h"
#include "object_kinds.h"

/* ---- scripts --------------------------------------------------------------------------------- */

static bool write_text(ThText *t, const char *path, ThError *err)
{
    char *text TH_OWNED(free) = th_text_take(t, err);
    return text && th_file_write(path, text, err);
}

bool sh_mentions(const char *definition, const char *name)
{
    size_t n = strlen(name);
    for (const char *c = definition; (c = strstr(c, name)); c += n) {
        static const char between[] = " \t\n()[]{}&|~,-+*/%<>=!";
        bool starts = c == definition || strchr(between, c[-1]);
        if (starts && (c[n] == '\0' || strchr(between, c[n])))
            return true;
    }
    return false;
}

static bool among(ShObject *const *object, int n, const ShObject *o)
{
    for (int i = 0; i < n; i++)
        if (object[i] == o)
            return true;
    return false;
}

/* Does the definition of a task refer to an automaton or a machine? */
static bool needs(const ShObject *task, const ShObject *o)
{
    const ThTaskKind *kind = task->kind == SH_TASK ? task->as.task->kind : NULL;
    if (task->kind == SH_LANGUAGE)
        return task->made_by && !sh_is_rasp(o->kind) && o != task &&
               sh_mentions(task->made_by, o->name);
    return kind && task->made_by &&
           ((o->kind == SH_AUTOMATON && kind->takes_automaton) ||
            (o->kind == SH_LANGUAGE && kind->takes_language) ||
            (o->kind == SH_MACHINE && kind->takes_pad)) &&
           sh_mentions(task->made_by, o->name);
}

/* What tasks refer to stands in front of them, where it is not saved anyway. */
static void write_needed(ShSession *s, ThText *t, ShObject *const *object, int n)
{
    for (size_t k = 0; sh_object_at(s, k); k++) {
        const ShObject *a = sh_object_at(s, k);
        bool needed = false;
        for (int i = 0; i < n; i++)
            needed = needed || needs(object[i], a);
        if (!needed || among(object, n, a))
            continue;
        if (a->kind == SH_AUTOMATON)
            th_automaton_write(t, a->as.automaton, a->name);
        else if (a->kind == SH_LANGUAGE)
            th_language_write(t, a->as.language, a->name);
        else
            th_tm_write(t, a->as.machine, a->name);
    }
}

/* Everything but models, in an order that loads. */
static bool write_definitions(ShSession *s, ThText *t, ShObject *const *object, int n, ThError *err)
{
    write_needed(s, t, object, n);
    for (int i = 0; i < n; i++)
        if (object[i]->kind == SH_AUTOMATON)
            th_automaton_write(t, object[i]->as.automaton, object[i]->name);
        else if (object[i]->kind == SH_MACHINE)
            th_tm_write(t, object[i]->as.machine, object[i]->name);
        else if (object[i]->kind == SH_LANGUAGE && !object[i]->made_by)
            th_language_write(t, object[i]->as.language, object[i]->name);
    if (!sh_rasp_write_objects(s, t, object, n, err))
        return false;
    for (int i = 0; i < n; i++)
        if (object[i]->kind == SH_LANGUAGE && object[i]->made_by)
            th_text_printf(t, "language %s = %s\n", object[i]->name, object[i]->made_by);
    for (int i = 0; i < n; i++)
        if (object[i]->kind == SH_TASK)
            th_text_printf(t, "task %s = %s\n", object[i]->name,
                           object[i]->made_by ? object[i]->made_by : "");
    return true;
}

static bool save_script(ShSession *s, ShObject *const *object, int n, const char *path,
                        ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < n; i++)
        if (object[i]->kind == SH_MODEL)
            return th_fail(err, TH_EUSAGE, "'%s' is a model, and a script cannot hold one",
                           object[i]->name) ||
                   th_hint(err, "save models to .safetensors files, or everything: save all");
    return write_definitions(s, &t, object, n, err) && write_text(&t, path, err);
}

/* Returns new: the file of a model that is saved beside a script: lab.th has lab-NAME.safetensors.
 */
static char *model_path(const char *path, const char *name, ThError *err)
{
    ThText t = {0};
    th_text_add_bytes(&t, path, strlen(path) - strlen(".th"));
    th_text_printf(&t, "-%s.safetensors", name);
    return th_text_take(&t, err);
}

/* Appends what loads a model again; a model that has parameters is written beside the script. */
static bool save_model_beside(ThText *t, const ShObject *o, const char *path, ThError *err)
{
    if (!o->as.model->bound) {
        th_text_printf(t, "model %s = %s\n", o->name,
                       o->made_by ? o->made_by : o->as.model->kind->name);
        return true;
    }
    char *file TH_OWNED(free) = model_path(path, o->name, err);
    const char *slash = file ? strrchr(file, '/') : NULL;
    bool ok = file && th_format_named("safetensors")->save_model(o->as.model, file, err);
    if (ok) {
        th_text_add(t, "load ");
        th_text_quoted(t, slash ? slash + 1 : file);
        th_text_printf(t, " as %s\n", o->name);
    }
    return ok;
}

static bool save_rasp(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < n; i++)
        if (!sh_is_rasp(object[i]->kind))
            return th_fail(err, TH_EUSAGE, "'%s' is %s, and a .rasp file holds names of RASP",
                           object[i]->name, sh_a_kind(object[i]->kind)) ||
                   th_hint(err, "save automata, machines and tasks to .th files");
    return sh_rasp_write_objects(s, &t, object, n, err) && write_text(&t, path, err);
}

static bool load_rasp(ShSession *s, const char *path, const char *name, ThError *err)
{
    if (name)
        return th_fail(err, TH_EUSAGE, "a RASP program names its values itself");
    return sh_load_rasp(s, path, err);
}

static bool load_script(ShSession *s, const char *path, const char *name, ThError *err)
{
    if (name)
        return th_fail(err, TH_EUSAGE, "a script names its objects itself") ||
               th_hint(err, "load \"%s\", then rename", path);
    const char *outer = s->loading;
    s->loading = path;
    bool ok = sh_source(s, path, err);
    s->loading = outer;
    return ok;
}

/* The formats that know the session: rows as in formats/format.h. */
static const struct {
    const char *extension, *summary;
    bool (*save)(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
    bool (*load)(ShSession *s, const char *path, const char *name, ThError *err);
} scripts[] = {
    {".th", "tapehead script: automata, machines, tasks and names of RASP", save_script,
     load_script},
    {".rasp", "RASP program: its public names", save_rasp, load_rasp},
};

enum { N_SCRIPTS = sizeof scripts / sizeof *scripts };

/* The script that a path's extension names, or N_SCRIPTS. */
static size_t script_of(const char *path)
{
    size_t i = 0, length = strlen(path);
    for (; i < N_SCRIPTS; i++) {
        size_t n = strlen(scripts[i].extension);
        if (length > n && strcmp(path + length - n, scripts[i].extension) == 0)
            break;
    }
    return i;
}

/* ---- the list -------------------------------------------------------------------------------- */

bool sh_file_kind(size_t i, ShFileKind *k)
{
    size_t n;
    const ThFormat *const *f = th_format_all(&n);
    if (i < N_SCRIPTS) {
        *k = (ShFileKind){scripts[i].extension, scripts[i].summary, true, true, true};
        return true;
    }
    i -= N_SCRIPTS;
    for (size_t j = 0; j < n; j++) {
        bool saves = f[j]->write_automaton || f[j]->write_machine || f[j]->save_model;
        bool loads = f[j]->read_automaton || f[j]->read_machine || f[j]->load_model;
        *k = (ShFileKind){f[j]->extension, f[j]->summary, saves, loads, !f[j]->load_model};
        if (f[j]->extension && i-- == 0)
            return true;
    }
    return false;
}

static bool unknown_extension(const char *path, ThError *err)
{
    ThText list TH_OWNED(th_text_free) = {0};
    ShFileKind k;
    for (size_t i = 0; sh_file_kind(i, &k); i++)
        th_text_printf(&list, "%s%s", i ? ", " : "", k.extension);
    return th_fail(err, TH_EUSAGE, "no format has the extension of '%s'", path) ||
           th_hint(err, "the formats are %s", th_text_string(&list));
}

/* Says every line of the notes, and frees them. */
static void say_notes(ShSession *s, ThText *notes)
{
    for (const char *line = notes->data; line && *line;) {
        size_t size = strcspn(line, "\n");
        sh_say(s, "note: %.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
    th_text_free(notes);
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* Returns new: x.att becomes x.syms. */
static char *path_beside(const ThFormat *f, const char *path, ThError *err)
{
    ThText t = {0};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    th_text_add_bytes(&t, path, dot ? (size_t)(dot - path) : strlen(path));
    th_text_add(&t, f->beside);
    return th_text_take(&t, err);
}

static bool write_output(const ThFormat *f, ThFormatOutput *out, const char *path, ThError *err)
{
    char *beside TH_OWNED(free) = f->beside ? path_beside(f, path, err) : NULL;
    bool ok = !f->beside || beside;
    if (ok && beside && strcmp(beside, path) == 0)
        ok = th_fail(err, TH_EUSAGE, "%s files hold the table beside a file", f->beside);
    return ok && (!beside || write_text(&out->beside, beside, err)) &&
           write_text(&out->text, path, err);
}

/* Why a format does not hold what is to be saved.  Returns false. */
static bool refuse(const ThFormat *f, ShObject *const *object, int n, ThError *err)
{
    const char *name = object[0]->name;
    if (f->write_automaton && n != 1)
        return th_fail(err, TH_EUSAGE, "a %s file holds one automaton", f->extension);
    if (f->write_automaton)
        return th_fail(err, TH_EUSAGE, "'%s' is %s, and a %s file holds an automaton", name,
                       sh_a_kind(object[0]->kind), f->extension);
    if (f->write_machine && n != 1)
        return th_fail(err, TH_EUSAGE, "a file of format %s holds one machine", f->name);
    if (f->write_machine)
        return th_fail(err, TH_EUSAGE, "'%s' is no machine, and a file of format %s holds one",
                       name, f->name);
    if (!f->save_model)
        return th_fail(err, TH_EUSAGE, "%s files can be loaded, not saved",
                       f->extension ? f->extension : f->name);
    if (n != 1)
        return th_fail(err, TH_EUSAGE, "a %s file holds one model", f->extension);
    return th_fail(err, TH_EUSAGE, "'%s' is %s, and a %s file holds a model", name,
                   sh_a_kind(object[0]->kind), f->extension) ||
           th_hint(err, "save automata, machines and tasks to .th files");
}

static bool save_as(ShSession *s, ShObject *const *object, int n, const char *path,
                    const ThFormat *f, ThError *err)
{
    const ShObject *o = object[0];
    bool automaton = n == 1 && o->kind == SH_AUTOMATON && f->write_automaton;
    bool machine = n == 1 && o->kind == SH_MACHINE && f->write_machine;
    bool language = n == 1 && o->kind == SH_LANGUAGE && f->write_language;
    if (n == 1 && o->kind == SH_MODEL && f->save_model)
        return f->save_model(o->as.model, path, err);
    if (!automaton && !machine && !language)
        return refuse(f, object, n, err);
    ThFormatOutput out = {0};
    ThText notes TH_OWNED(th_text_free) = {0};
    bool ok = language ? f->write_language(&out, o->as.language, &notes, err)
              : automaton
                  ? f->write_automaton(&out, o->as.automaton, o->name, &notes, err)
                  : th_format_machine_write(&out.text, f, o->as.machine, o->name, &notes, err);
    ok = ok && write_output(f, &out, path, err);
    if (ok)
        say_notes(s, &notes);
    th_text_free(&out.text);
    th_text_free(&out.beside);
    return ok;
}

bool sh_save_file(ShSession *s, ShObject *const *object, int n, const char *path, const ThFormat *f,
                  ThError *err)
{
    size_t script = script_of(path);
    if (f)
        return save_as(s, object, n, path, f, err);
    if (script < N_SCRIPTS)
        return scripts[script].save(s, object, n, path, err);
    f = th_format_of_extension(path);
    if (!f)
        return unknown_extension(path, err);
    return save_as(s, object, n, path, f, err) ||
           (f->shared && f->write_machine && n == 1 && object[0]->kind == SH_MACHINE &&
            th_hint(err, "format= names another format: help save"));
}

bool sh_save_all(ShSession *s, const char *path, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    size_t script = script_of(path);
    if (script == N_SCRIPTS || strcmp(scripts[script].extension, ".th") != 0)
        return th_fail(err, TH_EUSAGE, "everything is saved to a .th file");
    bool ok = write_definitions(s, &t, s->object, (int)s->n, err);
    for (size_t i = 0; ok && i < s->n; i++)
        if (s->object[i]->kind == SH_MODEL)
            ok = save_model_beside(&t, s->object[i], path, err);
    ok = ok && write_text(&t, path, err);
    for (size_t i = 0; ok && i < s->n; i++)
        sh_note_saved(s->object[i]);
    return ok;
}

/* ---- machines as texts ----------------------------------------------------------------------- */

bool sh_is_machine_text(const char *text)
{
    return th_format_machine_sniff(text, strlen(text), NULL) != NULL;
}

ThTm *sh_machine_of_text(ShSession *s, const char *text, ThError *err)
{
    ThText notes TH_OWNED(th_text_free) = {0};
    bool lines = strchr(text, '\n') || *text == '<';
    const ThFormat *f = th_format_machine_sniff(text, strlen(text), NULL);
    if (!lines && (!f || strcmp(f->name, "bbchallenge") == 0))
        return th_tm_read_bb(text, err);
    if (!f)
        return th_null(th_fail(err, TH_EPARSE, "no machine in a format that is known") ||
                       th_hint(err, "help formats lists those of Turing machines"));
    /* The lines of the text are not those of the script. */
    ThError own = {0};
    ThTm *m = th_format_machine_read(f, text, strlen(text), NULL, &notes, &own);
    if (m)
        say_notes(s, &notes);
    else if (own.line > 0)
        th_fail(err, own.code, "line %d of the text, column %d: %s", own.line, own.col, own.msg);
    else
        th_fail(err, own.code, "%s", own.msg);
    if (*own.hint)
        th_hint(err, "%s", own.hint);
    return m;
}

/* ---- loading --------------------------------------------------------------------------------- */

enum { MOST_BYTES = 1 << 26 };

/* Returns new: the name that a file's object gets: the file's own, without folder and extension.
 * NULL and TH_EUSAGE where that cannot be a name. */
static char *name_of_file(const char *path, const char *extension, ThError *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = th_strndup(base, strlen(base) - strlen(extension), err);
    if (name && !sh_name_ok(name, NULL)) {
        th_fail(err, TH_EUSAGE, "'%s' cannot be the name of what the file holds", name);
        th_hint(err, "load \"%s\" as NAME", path);
        free(name);
        name = NULL;
    }
    return name;
}

/* An error inside a file becomes one about the file: its position counts in the file. */
static void tell_file(const char *path, const ThError *own, ThError *err)
{
    if (own->line > 0)
        sh_error_in_file(err, path, own);
    else
        th_fail(err, own->code, "%s: %s", path, own->msg);
    if (*own->hint)
        th_hint(err, "%s", own->hint);
}

/* A file that is being loaded, and how. */
typedef struct {
    const char *path;
    const ThFormat *format; /* NULL: none that is known */
    bool told;              /* by format= */
    const ThFormatMachineReading *how;
    const ThOptions *weights; /* of another program: what they are; or NULL */
    char *text;               /* own; NULL where it cannot be read */
    size_t size;
    ThError unread; /* why not */
    ThText notes;
} Loading;

/* The table beside a file, where there is one; false on errors. */
static bool read_beside(const Loading *l, char **table, ThError *err)
{
    size_t size;
    *table = NULL;
    if (!l->format->beside)
        return true;
    char *path TH_OWNED(free) = path_beside(l->format, l->path, err);
    bool ok = path != NULL;
    if (ok && access(path, R_OK) == 0) {
        *table = th_file_read(path, MOST_BYTES, &size, err);
        ok = *table && (strlen(*table) == size ||
                        th_fail(err, TH_EPARSE, "%s holds a zero byte: it is no text", path));
    }
    return ok;
}

/* Sets one of the two to what the file holds; both NULL without an error: it holds no language. */
static bool read_object(ShSession *s, Loading *l, ThLanguage **language, ThAutomaton **a,
                        ThError *err)
{
    ThError own = {0};
    ThFormatInput in = {.text = l->text, .size = l->size, .stop = sh_stop(s)};
    char *table TH_OWNED(free) = NULL;
    if (l->format->text && strlen(l->text) != l->size)
        return th_fail(err, TH_EPARSE, "%s holds a zero byte: it is no text", l->path);
    if (!read_beside(l, &table, err))
        return false;
    in.beside = table;
    if (language)
        *language = l->format->read_language(&in, &l->notes, &own);
    else
        *a = l->format->read_automaton(&in, &l->notes, &own);
    if (own.code)
        tell_file(l->path, &own, err);
    return !own.code;
}

static ThAutomaton *read_automaton(ShSession *s, Loading *l, ThError *err)
{
    ThAutomaton *a = NULL;
    read_object(s, l, NULL, &a, err);
    return a;
}

/* Defines the language that a file holds, if it holds one: *does. */
static bool define_language(ShSession *s, Loading *l, const char *name, bool *does, ThError *err)
{
    ThLanguage *language = NULL;
    *does = !read_object(s, l, &language, NULL, err) || language;
    if (!language || !sh_define(s, name, SH_LANGUAGE, language, NULL, err))
        return !*does;
    say_notes(s, &l->notes);
    sh_say_defined(s, name);
    return true;
}

static ThTm *read_machine(Loading *l, ThError *err)
{
    ThError own = {0};
    ThTm *m = NULL;
    if (!l->format) {
        th_fail(&own, TH_EPARSE, "it holds no machine in a format that is known");
        th_hint(&own, "format= names one: help formats");
    } else {
        m = th_format_machine_read(l->format, l->text, l->size, l->how, &l->notes, &own);
    }
    if (!m)
        tell_file(l->path, &own, err);
    return m;
}

static void set_figures(ShSession *s, const ShObject *o)
{
    if (o->kind == SH_AUTOMATON)
        sh_automaton_figures(s, o->as.automaton);
    else if (o->kind == SH_MACHINE)
        sh_machine_size_figures(s, o->as.machine);
    else
        sh_model_figures(s, o->as.model);
}

/* Reads and defines it by its name, or by the file's. */
static bool define(ShSession *s, Loading *l, bool machine, const char *name, ThError *err)
{
    const char *slash = strrchr(l->path, '/'), *dot = strrchr(slash ? slash : l->path, '.');
    char *own TH_OWNED(free) = name ? NULL : name_of_file(l->path, dot ? dot : "", err);
    name = name ? name : own;
    if (name && machine && l->format && l->format == th_format_named("bbchallenge") &&
        sh_is_machine_list(l->text)) {
        bool ok = sh_define_machine_list(s, name, l->text, l->size, l->path, err);
        l->text = NULL;
        return ok;
    }
    bool model = l->weights || (l->format && l->format->load_model), language = false;
    if (name && !machine && !model && l->format->read_language) {
        bool ok = define_language(s, l, name, &language, err);
        if (language)
            th_text_free(&l->notes);
        if (language)
            return ok;
    }
    void *object = !name     ? NULL
                   : machine ? (void *)read_machine(l, err)
                   : l->weights
                       ? (void *)th_format_exchange_load(l->path, l->weights, &l->notes, err)
                   : model ? (void *)l->format->load_model(l->path, err)
                           : (void *)read_automaton(s, l, err);
    ShKind kind = machine ? SH_MACHINE : model ? SH_MODEL : SH_AUTOMATON;
    bool ok = object && sh_define(s, name, kind, object, NULL, err);
    if (ok) {
        say_notes(s, &l->notes);
        sh_note_saved(sh_find(s, name));
        set_figures(s, sh_find(s, name));
        sh_say_defined(s, name);
    }
    th_text_free(&l->notes);
    return ok;
}

/* A machine by its content where the extension leaves that open.  False and an error where it may
 * as well be something else. */
static bool guess(Loading *l, bool *machine, ThError *err)
{
    const ThFormat *f = l->format;
    bool sure, open = !f || f->read_machine || f->shared;
    const ThFormat *guessed =
        open && l->text ? th_format_machine_sniff(l->text, l->size, &sure) : NULL;
    if (guessed && guessed->holds_machine && !guessed->holds_machine(l->text, l->size))
        guessed = NULL;
    if (guessed && f && f->read_automaton && f->shared && !sure)
        return th_fail(err, TH_EUSAGE, "%s may be %s or %s", l->path, f->title, guessed->title) ||
               th_hint(err, "say format=%s or format=%s", f->name, guessed->name);
    *machine = guessed || (f && f->read_machine && !f->read_automaton);
    if (*machine && (guessed || f->shared))
        l->format = guessed;
    return true;
}

static bool is_told(const ThFormatMachineReading *how)
{
    return how->start || how->blank || how->variant || how->fields;
}

/* A file that is no script. */
static bool load_other(ShSession *s, Loading *l, const char *name, ThError *err)
{
    const ThFormat *f = l->format;
    bool machine = l->told && f->read_machine &&
                   (!f->holds_machine || !l->text || f->holds_machine(l->text, l->size));
    if (!l->told && !guess(l, &machine, err))
        return false;
    f = l->format;
    if (!machine && !f) {
        const char *slash = strrchr(l->path, '/');
        bool plain = !name && !strchr(slash ? slash : l->path, '.');
        return plain ? sh_load_rasp(s, l->path, err) : unknown_extension(l->path, err);
    }
    if (!machine && !f->read_automaton)
        return th_fail(err, TH_EUSAGE, "%s files can be saved, not loaded",
                       f->extension ? f->extension : f->name);
    if (!machine && is_told(l->how))
        return th_fail(err, TH_EUSAGE, "start, blank, variant and fields are for Turing machines");
    if (!l->text && err)
        *err = l->unread;
    return l->text && define(s, l, machine, name, err);
}

bool sh_load_file(ShSession *s, const char *path, const char *name, const ThFormat *f,
                  const ThFormatMachineReading *how, const ThOptions *weights, ThError *err)
{
    size_t script = f ? N_SCRIPTS : script_of(path);
    Loading l = {.path = path, .told = f != NULL, .how = how, .weights = weights};
    l.format = f ? f : th_format_of_extension(path);
    bool model = weights || (l.format && l.format->load_model);
    if ((script < N_SCRIPTS || model) && is_told(how))
        return th_fail(err, TH_EUSAGE, "start, blank, variant and fields are for Turing machines");
    if (script < N_SCRIPTS && !weights)
        return scripts[script].load(s, path, name, err);
    if (model)
        return define(s, &l, false, name, err);
    size_t most = l.format && l.format->most_bytes ? l.format->most_bytes : MOST_BYTES;
    l.text = th_file_read(path, most, &l.size, &l.unread);
    bool ok = load_other(s, &l, name, err);
    free(l.text);
    return ok;
}
