#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "automata/words/lexicon.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "exchange.h"
#include "formats/safetensors.h"
#include "machine_files.h"
#include "rasp.h"
#include "shell.h"

/* True if `name` is one of the words of a definition. */
static bool mentions(const char *definition, const char *name)
{
    size_t n = strlen(name);
    for (const char *c = definition; (c = strstr(c, name)); c += n) {
        static const char between[] = " \t\n()&|~,-=";
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

/* The automata that tasks refer to stand in front of them, where they are not saved anyway. */
static void write_needed(ShSession *s, ThText *t, ShObject *const *object, int n)
{
    for (size_t k = 0; sh_object_at(s, k); k++) {
        const ShObject *a = sh_object_at(s, k);
        bool needed = false;
        for (int i = 0; i < n; i++)
            needed = needed ||
                     (object[i]->kind == SH_TASK && object[i]->as.task->kind->takes_automaton &&
                      object[i]->made_by && mentions(object[i]->made_by, a->name));
        if (a->kind == SH_AUTOMATON && needed && !among(object, n, a))
            th_automaton_write(t, a->as.automaton, a->name);
    }
}

static bool write_text(ThText *t, const char *path, ThError *err)
{
    ThFile f = {0};
    char *text = th_text_take(t, err);
    FILE *out = text ? th_file_begin(&f, path, err) : NULL;
    if (out)
        fputs(text, out);
    free(text);
    return out && th_file_commit(&f, err);
}

static bool save_script(ShSession *s, ShObject *const *object, int n, const char *path,
                        ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < n; i++) {
        if (object[i]->kind == SH_MODEL) {
            th_fail(err, TH_EUSAGE, "'%s' is a model, and a script cannot hold one",
                    object[i]->name);
            return th_hint(err, "save models to .safetensors files");
        }
    }
    write_needed(s, &t, object, n);
    for (int i = 0; i < n; i++)
        if (object[i]->kind == SH_AUTOMATON)
            th_automaton_write(&t, object[i]->as.automaton, object[i]->name);
        else if (object[i]->kind == SH_MACHINE)
            th_tm_write(&t, object[i]->as.machine, object[i]->name);
    for (int i = 0; i < n; i++) {
        const ShObject *o = object[i];
        const char *definition = o->made_by ? o->made_by : "";
        if (o->kind == SH_TASK)
            th_text_printf(&t, "task %s = %s\n", o->name, definition);
    }
    if (!sh_rasp_write_objects(s, &t, object, n, err)) {
        th_text_free(&t);
        return false;
    }
    return write_text(&t, path, err);
}

static bool save_rasp(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < n; i++)
        if (!sh_is_rasp(object[i]->kind)) {
            th_fail(err, TH_EUSAGE, "'%s' is %s, and a .rasp file holds names of RASP",
                    object[i]->name, sh_a_kind(object[i]->kind));
            return th_hint(err, "save automata, machines and tasks to .th files");
        }
    if (sh_rasp_write_objects(s, &t, object, n, err))
        return write_text(&t, path, err);
    th_text_free(&t);
    return false;
}

static bool load_rasp(ShSession *s, const char *path, const char *name, ThError *err)
{
    if (name)
        return th_fail(err, TH_EUSAGE, "a RASP program names its values itself");
    return sh_load_rasp(s, path, err);
}

static bool save_model(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    (void)s;
    if (n != 1)
        return th_fail(err, TH_EUSAGE, "a .safetensors file holds one model");
    if (object[0]->kind != SH_MODEL) {
        th_fail(err, TH_EUSAGE, "'%s' is %s, and a .safetensors file holds a model",
                object[0]->name, sh_a_kind(object[0]->kind));
        return th_hint(err, "save automata, machines and tasks to .th files");
    }
    return th_safetensors_save(object[0]->as.model, path, err);
}

static bool load_model(ShSession *s, const char *path, const char *name, ThError *err)
{
    char *own = name ? NULL : sh_name_of_file(path, ".safetensors", err);
    ThModel *m = name || own ? th_safetensors_load(path, err) : NULL;
    bool ok = m && sh_define(s, name ? name : own, SH_MODEL, m, NULL, err);
    free(own);
    return ok;
}

static bool load_script(ShSession *s, const char *path, const char *name, ThError *err)
{
    if (name) {
        th_fail(err, TH_EUSAGE, "a script names its objects itself");
        return th_hint(err, "load \"%s\", then rename", path);
    }
    return sh_source(s, path, err);
}

static bool load_words(ShSession *s, const char *path, const char *name, ThError *err)
{
    enum { MOST_BYTES = 1 << 30 };
    size_t size;
    char *text = th_file_read(path, MOST_BYTES, &size, err);
    char *own = text && !name ? sh_name_of_file(path, ".txt", err) : NULL;
    ThAutomaton *a = name || own ? th_automaton_of_words(text, size, sh_stop(s), err) : NULL;
    bool ok = a && sh_define(s, name ? name : own, SH_AUTOMATON, a, NULL, err);
    free(own);
    free(text);
    return ok;
}

static const ShFormat formats[] = {
    {".th", "tapehead script: automata, machines, tasks and names of RASP", save_script,
     load_script},
    {".rasp", "RASP program: its public names", save_rasp, load_rasp},
    {".safetensors", "a model: weights, options, alphabet and the state of its training",
     save_model, load_model},
    {".att",
     "AT&T text of OpenFST and foma: an automaton; its symbol table is the .syms file beside",
     sh_save_att, sh_load_att},
    {".dot", "Graphviz, as AutomataWiki has it: an automaton", sh_save_dot, sh_load_dot},
    {".jff", "JFLAP: a finite automaton, a Mealy, Moore or Turing machine", sh_save_jff,
     sh_load_jff},
    {".txt", "words, one a line: the minimal automaton that accepts them", NULL, load_words},
    {".tm", "a Turing machine in any of six formats: help load; saved as jsturing has it",
     sh_save_tm, sh_load_tm},
    {".yaml", "turingmachine.io (turing-machine-viz): a Turing machine", sh_save_yaml, sh_load_tm},
    {".bb", "a Turing machine as a bbchallenge string", sh_save_bb, sh_load_tm},
    {".grail", "Grail+: an automaton without outputs", sh_save_grail, NULL},
    {".g", "a record of GAP's package Automata", sh_save_gap, NULL},
};

const ShFormat *sh_formats(size_t *n)
{
    *n = sizeof formats / sizeof *formats;
    return formats;
}

const ShFormat *sh_format_words(void)
{
    size_t i = 0;
    while (formats[i].load != load_words)
        i++;
    return &formats[i];
}

const ShFormat *sh_format_of(const char *path, ThError *err)
{
    size_t length = strlen(path);
    ThText list = {0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].extension);
        if (length > n && strcmp(path + length - n, formats[i].extension) == 0) {
            th_text_free(&list);
            return &formats[i];
        }
        th_text_printf(&list, "%s%s", i ? ", " : "", formats[i].extension);
    }
    th_fail(err, TH_EUSAGE, "no format has the extension of '%s'", path);
    th_hint(err, "the formats are %s", list.data ? list.data : "");
    th_text_free(&list);
    return NULL;
}
