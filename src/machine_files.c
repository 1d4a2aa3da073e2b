#include "machine_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "exchange.h"

enum { MOST_BYTES = 1 << 26 };

ThFormatMachine sh_machine_format(const char *name)
{
    int f = 0;
    while (f < TH_FORMAT_N_MACHINES &&
           strcmp(th_format_machine_format_name((ThFormatMachine)f), name) != 0)
        f++;
    return (ThFormatMachine)f;
}

/* ---- saving ---------------------------------------------------------------------------------- */

bool sh_save_machine(ShSession *s, ShObject *const *object, int n, const char *path,
                     ThFormatMachine f, ThError *err)
{
    ThText t = {0}, notes = {0};
    if (n != 1)
        return th_fail(err, TH_EUSAGE, "a file of format %s holds one machine",
                       th_format_machine_format_name(f));
    if (object[0]->kind != SH_MACHINE)
        return th_fail(err, TH_EUSAGE, "'%s' is no machine, and a file of format %s holds one",
                       object[0]->name, th_format_machine_format_name(f));
    bool ok = th_format_machine_write(&t, f, object[0]->as.machine, object[0]->name, &notes, err) &&
              sh_write_text_file(&t, path, err);
    if (ok)
        sh_say_notes(s, &notes);
    th_text_free(&t);
    th_text_free(&notes);
    return ok;
}

bool sh_save_tm(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    bool machine = n == 1 && object[0]->kind == SH_MACHINE;
    return sh_save_machine(s, object, n, path, TH_FORMAT_MORPHETT, err) ||
           (machine && th_hint(err, "format= names another format: help save"));
}

bool sh_save_yaml(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    return sh_save_machine(s, object, n, path, TH_FORMAT_VIZ, err);
}

bool sh_save_bb(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err)
{
    return sh_save_machine(s, object, n, path, TH_FORMAT_BBCHALLENGE, err);
}

/* ---- loading --------------------------------------------------------------------------------- */

bool sh_file_holds_machine(const char *path, ThFormatMachine *f, bool *sure)
{
    size_t size;
    char *text = th_file_read(path, MOST_BYTES, &size, NULL);
    *f = text ? th_format_machine_sniff(text, size, sure) : TH_FORMAT_N_MACHINES;
    if (*f == TH_FORMAT_JFLAP && !th_jff_is_turing(text, size))
        *f = TH_FORMAT_N_MACHINES;
    free(text);
    return *f != TH_FORMAT_N_MACHINES;
}

static ThTm *read_file(const char *path, ThFormatMachine f, const ThFormatMachineReading *how,
                       ThText *notes, ThError *err)
{
    size_t size;
    ThError own = {0};
    char *text = th_file_read(path, MOST_BYTES, &size, err);
    if (!text)
        return NULL;
    bool told = f != TH_FORMAT_N_MACHINES;
    if (!told)
        f = th_format_machine_sniff(text, size, NULL);
    ThTm *m = NULL;
    if (f == TH_FORMAT_N_MACHINES) {
        th_fail(&own, TH_EPARSE, "it holds no machine in a format that is known");
        th_hint(&own, "format= names one: help load");
    } else {
        m = th_format_machine_read(f, text, size, how, notes, &own);
        if (!m && !told && !*own.hint)
            th_hint(&own, "it looks like %s; format= names another",
                    th_format_machine_format_title(f));
    }
    if (!m)
        sh_tell_file(path, &own, err);
    free(text);
    return m;
}

bool sh_load_machine(ShSession *s, const char *path, const char *name, ThFormatMachine f,
                     const ThFormatMachineReading *how, ThError *err)
{
    ThText notes = {0};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    char *own = name ? NULL : sh_name_of_file(path, dot ? dot : "", err);
    ThTm *m = name || own ? read_file(path, f, how, &notes, err) : NULL;
    bool ok = m && sh_define(s, name ? name : own, SH_MACHINE, m, NULL, err);
    if (ok)
        sh_say_notes(s, &notes);
    th_text_free(&notes);
    free(own);
    return ok;
}

bool sh_load_tm(ShSession *s, const char *path, const char *name, ThError *err)
{
    return sh_load_machine(s, path, name, TH_FORMAT_N_MACHINES, NULL, err);
}
