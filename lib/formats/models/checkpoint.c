#include "formats/models/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "formats/models/safetensors.h"

/* ---- going on -------------------------------------------------------------------------------- */

/* The loaded model goes on where the given one would have come to. */
static bool fits(const ThFormatCheckpoint *c, const ThModel *m, const ThModel *loaded,
                 long long end, ThError *err)
{
    char *wanted = th_options_format(&m->options, err);
    char *found = th_options_format(&loaded->options, err);
    bool same = wanted && found && m->kind == loaded->kind && strcmp(wanted, found) == 0;
    if (!same) {
        th_fail(err, TH_EVALUE, "the checkpoint %s holds another model: %s %s", c->path,
                loaded->kind->name, found ? found : "");
        th_hint(err, "remove the file or name another");
    }
    free(wanted);
    free(found);
    if (same && loaded->training.step > end)
        return th_fail(err, TH_EVALUE,
                       "the checkpoint %s is at step %lld, this training ends at %lld", c->path,
                       loaded->training.step, end);
    return same;
}

/* A checkpoint that cannot be written should say so before the work, not after it. */
static bool writable(const char *path, ThError *err)
{
    ThFile f = {0};
    bool ok = th_file_begin(&f, path, err) != NULL;
    th_file_abort(&f);
    return ok;
}

bool th_format_resume(const ThFormatCheckpoint *c, const ThModel *m, long long *steps,
                      ThModel **further, ThError *err)
{
    *further = NULL;
    if (!c->path)
        return true;
    if (access(c->path, F_OK) != 0)
        return writable(c->path, err);
    ThModel *loaded = th_safetensors_load(c->path, err);
    if (!loaded)
        return false;
    long long done = loaded->training.step - m->training.step;
    bool ok = done <= 0 || fits(c, m, loaded, m->training.step + *steps, err);
    if (!ok || done <= 0) {
        th_model_free(loaded);
        return ok;
    }
    *steps -= done;
    *further = loaded;
    return true;
}

/* ---- training -------------------------------------------------------------------------------- */

static bool save(const ThFormatCheckpoint *c, const ThModel *m, ThError *err)
{
    return !c->path || th_safetensors_save(m, c->path, err);
}

static bool interrupted(const ThFormatCheckpoint *c, const ThTrainer *trainer, const ThModel *m,
                        ThError *err)
{
    return save(c, m, err) &&
           th_fail(err, TH_EINTERRUPTED, "interrupted; the model is as after step %lld",
                   th_trainer_progress(trainer).step);
}

/* A step, and what follows it. */
static bool step(const ThFormatCheckpoint *c, ThTrainer *trainer, ThError *err)
{
    return !th_stopped(c->stop, err) && th_trainer_step(trainer, err) &&
           (!c->stepped || c->stepped(c->context, trainer, err));
}

bool th_format_train(const ThFormatCheckpoint *c, ThTrainer *trainer, const ThModel *m,
                     ThError *err)
{
    while (!th_trainer_done(trainer)) {
        ThError why = {0};
        if (!step(c, trainer, &why)) {
            if (why.code == TH_EINTERRUPTED)
                return interrupted(c, trainer, m, err);
            th_fail(err, why.code, "%s", why.msg);
            return th_hint(err, "%s", why.hint);
        }
        bool due = th_trainer_progress(trainer).step % c->every == 0 || th_trainer_done(trainer);
        if (due && !save(c, m, err))
            return false;
    }
    return true;
}
