#include "machine_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "exchange.h"

enum { MOST_BYTES = 1 << 26 };

ThMachineFormat th_machine_format(const char *name)
{
    int f = 0;
    while (f < TH_N_MACHINE_FORMATS &&
           strcmp(th_machine_format_name((ThMachineFormat)f), name) != 0)
        f++;
    return (ThMachineFormat)f;
}

/* ---- saving ---------------------------------------------------------------------------------- */

bool th_save_machine(ThSession *s, ThObject *const *object, int n, const char *path,
                     ThMachineFormat f, ThError *err)
{
    ThText t = {0}, notes = {0};
    if (n != 1)
        return th_fail(err, TH_EUSAGE, "a file of format %s holds one machine",
                       th_machine_format_name(f));
    if (object[0]->kind != TH_MACHINE)
        return th_fail(err, TH_EUSAGE, "'%s' is no machine, and a file of format %s holds one",
                       object[0]->name, th_machine_format_name(f));
    bool ok = th_machine_write(&t, f, object[0]->as.machine, object[0]->name, &notes, err) &&
              th_write_text_file(&t, path, err);
    if (ok)
        th_say_notes(s, &notes);
    th_text_free(&t);
    th_text_free(&notes);
    return ok;
}

bool th_save_tm(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err)
{
    bool machine = n == 1 && object[0]->kind == TH_MACHINE;
    return th_save_machine(s, object, n, path, TH_MORPHETT, err) ||
           (machine && th_hint(err, "format= names another format: help save"));
}

bool th_save_yaml(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err)
{
    return th_save_machine(s, object, n, path, TH_VIZ, err);
}

bool th_save_bb(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err)
{
    return th_save_machine(s, object, n, path, TH_BBCHALLENGE, err);
}

/* ---- loading --------------------------------------------------------------------------------- */

bool th_file_holds_machine(const char *path, ThMachineFormat *f, bool *sure)
{
    size_t size;
    char *text = th_file_read(path, MOST_BYTES, &size, NULL);
    *f = text ? th_machine_sniff(text, size, sure) : TH_N_MACHINE_FORMATS;
    if (*f == TH_JFLAP && !th_jff_is_turing(text, size))
        *f = TH_N_MACHINE_FORMATS;
    free(text);
    return *f != TH_N_MACHINE_FORMATS;
}

static ThTuring *read_file(const char *path, ThMachineFormat f, const ThMachineReading *how,
                           ThText *notes, ThError *err)
{
    size_t size;
    ThError own = {0};
    char *text = th_file_read(path, MOST_BYTES, &size, err);
    if (!text)
        return NULL;
    bool told = f != TH_N_MACHINE_FORMATS;
    if (!told)
        f = th_machine_sniff(text, size, NULL);
    ThTuring *m = NULL;
    if (f == TH_N_MACHINE_FORMATS) {
        th_fail(&own, TH_EPARSE, "it holds no machine in a format that is known");
        th_hint(&own, "format= names one: help load");
    } else {
        m = th_machine_read(f, text, size, how, notes, &own);
        if (!m && !told && !*own.hint)
            th_hint(&own, "it looks like %s; format= names another", th_machine_format_title(f));
    }
    if (!m)
        th_tell_file(path, &own, err);
    free(text);
    return m;
}

bool th_load_machine(ThSession *s, const char *path, const char *name, ThMachineFormat f,
                     const ThMachineReading *how, ThError *err)
{
    ThText notes = {0};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    char *own = name ? NULL : th_name_of_file(path, dot ? dot : "", err);
    ThTuring *m = name || own ? read_file(path, f, how, &notes, err) : NULL;
    bool ok = m && th_define(s, name ? name : own, TH_MACHINE, m, NULL, err);
    if (ok)
        th_say_notes(s, &notes);
    th_text_free(&notes);
    free(own);
    return ok;
}

bool th_load_tm(ThSession *s, const char *path, const char *name, ThError *err)
{
    return th_load_machine(s, path, name, TH_N_MACHINE_FORMATS, NULL, err);
}
