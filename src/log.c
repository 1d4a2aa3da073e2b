/* log.c - the transcript of a session: statements, and what they print. */
#include <errno.h>

#include "session_impl.h"

bool sh_log_open(ShOutput *o, const char *path, ThError *err)
{
    if (!th_file_may_write(path, err))
        return false;
    FILE *log = fopen(path, "a");
    if (!log)
        return th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(errno));
    if (o->log && !sh_log_close(o, err)) {
        fclose(log);
        return false;
    }
    o->log = log;
    return true;
}

bool sh_log_close(ShOutput *o, ThError *err)
{
    bool ok = !ferror(o->log);
    ok = fclose(o->log) == 0 && ok;
    o->log = NULL;
    return ok || th_fail(err, TH_EIO, "the log could not be written to its end");
}

void sh_log_text(const ShOutput *o, const char *text, size_t n)
{
    if (o->log)
        fwrite(text, 1, n, o->log);
}
