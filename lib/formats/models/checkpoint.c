#include "formats/models/checkpoint.h"

#include <unistd.h>

#include "base/file.h"
#include "formats/models/safetensors.h"

/* The loaded model goes on where the given one would have come to. */
static bool fits(const char *path, const ThModel *m, const ThModel *loaded, long long end,
                 ThError *err)
{
    char *wanted TH_OWNED(free) = th_options_format(&m->options, err);
    char *found TH_OWNED(free) = th_options_format(&loaded->options, err);
    bool same = wanted && found && m->kind == loaded->kind && strcmp(wanted, found) == 0;
    if (!same) {
        th_fail(err, TH_EVALUE, "the checkpoint %s holds another model: %s %s", path,
                loaded->kind->name, found ? found : "");
        th_hint(err, "remove the file or name another");
    }
    if (same && loaded->training.step > end)
        return th_fail(err, TH_EVALUE,
                       "the checkpoint %s is at step %lld, this training ends at %lld", path,
                       loaded->training.step, end);
    return same;
}

bool th_format_resume(const char *path, const ThModel *m, long long *steps, ThModel **further,
                      ThError *err)
{
    *further = NULL;
    if (!path)
        return true;
    if (access(path, F_OK) != 0)
        return th_file_try(path, err);
    ThModel *loaded = th_safetensors_load(path, err);
    if (!loaded)
        return false;
    long long done = loaded->training.step - m->training.step;
    bool ok = done <= 0 || fits(path, m, loaded, m->training.step + *steps, err);
    if (!ok || done <= 0) {
        th_model_free(loaded);
        return ok;
    }
    *steps -= done;
    *further = loaded;
    return true;
}
