#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "shell.h"

static void write_task(ThText *t, const ThObject *o)
{
    th_text_printf(t, "task %s = %s\n", o->name, o->made_by ? o->made_by : o->as.task->kind->name);
}

static bool save_script(ThSession *s, ThObject *const *object, int n, const char *path,
                        ThError *err)
{
    (void)s;
    ThText t = {0};
    ThFile f = {0};
    for (int i = 0; i < n; i++) {
        if (object[i]->kind == TH_MODEL) {
            th_text_free(&t);
            th_fail(err, TH_EUSAGE, "'%s' is a model, and a script cannot hold one",
                    object[i]->name);
            return th_hint(err, "save models to .safetensors files");
        }
        if (object[i]->kind == TH_AUTOMATON)
            th_automaton_write(&t, object[i]->as.automaton, object[i]->name);
        else
            write_task(&t, object[i]);
    }
    char *text = th_text_take(&t, err);
    FILE *out = text ? th_file_begin(&f, path, err) : NULL;
    if (out)
        fputs(text, out);
    free(text);
    return out && th_file_commit(&f, err);
}

static bool load_script(ThSession *s, const char *path, const char *name, ThError *err)
{
    if (name) {
        th_fail(err, TH_EUSAGE, "a script names its objects itself");
        return th_hint(err, "load \"%s\", then rename", path);
    }
    return th_source(s, path, err);
}

static const ThFormat formats[] = {
    {".th", "tapehead script: automata and tasks", save_script, load_script},
};

const ThFormat *th_formats(size_t *n)
{
    *n = sizeof formats / sizeof *formats;
    return formats;
}

const ThFormat *th_format_of(const char *path, ThError *err)
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
