#include "exchange.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "formats/exchange.h"
#include "machine_files.h"

enum { MOST_BYTES = 1 << 26 };

/* ---- saving ---------------------------------------------------------------------------------- */

/* The one automaton to be saved; NULL and an error for anything else. */
static const ThAutomaton *the_automaton(ShObject *const *object, int n, const char *extension,
                                        ThError *err)
{
    if (n != 1) {
        th_fail(err, TH_EUSAGE, "a %s file holds one automaton", extension);
        return NULL;
    }
    if (object[0]->kind == SH_AUTOMATON)
        return object[0]->as.automaton;
    th_fail(err, TH_EUSAGE, "'%s' is a %s, and a %s file holds an automaton", object[0]->name,
            sh_kind_name(object[0]->kind), extension);
    return NULL;
}

bool sh_write_text_file(ThText *t, const char *path, ThError *err)
{
    ThFile f = {0};
    char *text = th_text_take(t, err);
    FILE *out = text ? th_file_begin(&f, path, err) : NULL;
    if (out)
        fputs(text, out);
    free(text);
    return out && th_file_commit(&f, err);
}

void sh_say_notes(ShSession *s, ThText *notes)
{
    for (const char *line = notes->data; line && *line;) {
        size_t size = strcspn(line, "\n");
        sh_say(s, "note: %.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
    th_text_free(notes);
}

/* Returns new: x.att becomes x.syms. */
static char *table_path(const char *path, ThError *err)
{
    ThText t = {0};
    th_text_add_bytes(&t, path, strlen(path) - strlen(".att"));
    th_text_add(&t, ".syms");
    return th_text_take(&t, err);
}

bool sh_save_att(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t = {0}, symbols = {0}, notes = {0};
    const ThAutomaton *a = the_automaton(object, n, ".att", err);
    char *table = a ? table_path(path, err) : NULL;
    bool ok = table && th_att_write(&t, &symbols, a, &notes, err) &&
              sh_write_text_file(&symbols, table, err) && sh_write_text_file(&t, path, err);
    if (ok)
        sh_say_notes(s, &notes);
    free(table);
    th_text_free(&t);
    th_text_free(&symbols);
    th_text_free(&notes);
    return ok;
}

/* What is the same for the formats of one file; *t is consumed. */
static bool finish_save(bool written, ThText *t, const char *path, ThError *err)
{
    bool ok = written && sh_write_text_file(t, path, err);
    th_text_free(t);
    return ok;
}

bool sh_save_dot(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t = {0};
    const ThAutomaton *a = the_automaton(object, n, ".dot", err);
    (void)s;
    return finish_save(a && th_dot_write(&t, a, object[0]->name, err), &t, path, err);
}

bool sh_save_jff(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t = {0};
    if (n == 1 && object[0]->kind == SH_MACHINE)
        return sh_save_machine(s, object, n, path, TH_FORMAT_JFLAP, err);
    const ThAutomaton *a = the_automaton(object, n, ".jff", err);
    return finish_save(a && th_jff_write(&t, a, err), &t, path, err);
}

bool sh_save_grail(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t = {0};
    const ThAutomaton *a = the_automaton(object, n, ".grail", err);
    (void)s;
    return finish_save(a && th_format_grail_write(&t, a, err), &t, path, err);
}

bool sh_save_gap(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t = {0};
    const ThAutomaton *a = the_automaton(object, n, ".g", err);
    (void)s;
    return finish_save(a && th_format_gap_write(&t, a, object[0]->name, err), &t, path, err);
}

/* ---- loading --------------------------------------------------------------------------------- */

char *sh_name_of_file(const char *path, const char *extension, ThError *err)
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

/* Returns new: a text file without zero bytes. */
static char *read_text(const char *path, size_t *size, ThError *err)
{
    char *text = th_file_read(path, MOST_BYTES, size, err);
    if (text && strlen(text) != *size) {
        th_fail(err, TH_EPARSE, "%s holds a zero byte: it is no text", path);
        free(text);
        return NULL;
    }
    return text;
}

void sh_tell_file(const char *path, const ThError *own, ThError *err)
{
    if (own->line > 0)
        th_fail(err, own->code, "%s:%d:%d: %s", path, own->line, own->col, own->msg);
    else
        th_fail(err, own->code, "%s: %s", path, own->msg);
    if (*own->hint)
        th_hint(err, "%s", own->hint);
}

/* Defines what was read, which it takes over; a == NULL: tells why not. */
static bool finish_load(ShSession *s, ThAutomaton *a, ThText *notes, const char *path,
                        const char *name, ThError *err)
{
    const char *extension = strrchr(path, '.');
    char *own = a && !name ? sh_name_of_file(path, extension, err) : NULL;
    bool named = a && (name || own);
    if (a && !named)
        th_automaton_free(a);
    bool ok = named && sh_define(s, name ? name : own, SH_AUTOMATON, a, NULL, err);
    if (ok)
        sh_say_notes(s, notes);
    th_text_free(notes);
    free(own);
    return ok;
}

bool sh_load_att(ShSession *s, const char *path, const char *name, ThError *err)
{
    ThText notes = {0};
    ThError own = {0};
    size_t size;
    ThAutomaton *a = NULL;
    char *table = table_path(path, err), *symbols = NULL, *text = read_text(path, &size, err);
    bool ok = table && text;
    if (ok && access(table, R_OK) == 0)
        ok = (symbols = read_text(table, &size, err)) != NULL;
    if (ok && !(a = th_att_read(text, symbols, &notes, &own)))
        sh_tell_file(path, &own, err);
    free(table);
    free(symbols);
    free(text);
    return finish_load(s, a, &notes, path, name, err);
}

bool sh_load_dot(ShSession *s, const char *path, const char *name, ThError *err)
{
    ThText notes = {0};
    ThError own = {0};
    size_t size;
    char *text = read_text(path, &size, err);
    ThAutomaton *a = text ? th_dot_read(text, &notes, &own) : NULL;
    if (text && !a)
        sh_tell_file(path, &own, err);
    free(text);
    return finish_load(s, a, &notes, path, name, err);
}

bool sh_load_jff(ShSession *s, const char *path, const char *name, ThError *err)
{
    ThText notes = {0};
    ThError own = {0};
    size_t size;
    char *text = th_file_read(path, MOST_BYTES, &size, err);
    if (text && th_jff_is_turing(text, size)) {
        free(text);
        return sh_load_machine(s, path, name, TH_FORMAT_JFLAP, NULL, err);
    }
    ThAutomaton *a = text ? th_jff_read(text, size, &notes, &own) : NULL;
    if (text && !a)
        sh_tell_file(path, &own, err);
    free(text);
    return finish_load(s, a, &notes, path, name, err);
}
