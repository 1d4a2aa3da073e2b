#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* The file behind symbolic links, so that a link stays a link. */
static char *resolve(const char *path, ThError *err)
{
    char *real = realpath(path, NULL);
    return real ? real : th_strdup(path, err);
}

static mode_t wanted_mode(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool open_temporary(ThFile *f, ThError *err)
{
    ThText name = {0};
    th_text_printf(&name, "%s.XXXXXX", f->path);
    f->temporary = th_text_take(&name, err);
    if (!f->temporary)
        return false;
    int fd = mkstemp(f->temporary);
    if (fd < 0) {
        free(f->temporary);
        f->temporary = NULL;
        return th_fail(err, TH_EIO, "cannot write '%s': %s", f->path, strerror(errno));
    }
    /* A target with an odd mode is still worth writing. */
    if (fchmod(fd, wanted_mode(f->path)) != 0)
        errno = 0;
    f->stream = fdopen(fd, "w");
    if (!f->stream) {
        close(fd);
        return th_fail(err, TH_ENOMEM, "out of memory");
    }
    return true;
}

FILE *th_file_begin(ThFile *f, const char *path, ThError *err)
{
    *f = (ThFile){0};
    struct stat st;
    f->path = resolve(path, err);
    if (!f->path)
        return NULL;
    if (stat(f->path, &st) == 0 && S_ISDIR(st.st_mode)) {
        th_fail(err, TH_EIO, "cannot write '%s': it is a directory", path);
    } else if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode)) {
        f->stream = fopen(f->path, "w");
        if (!f->stream)
            th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(errno));
    } else {
        open_temporary(f, err);
    }
    if (!f->stream)
        th_file_abort(f);
    return f->stream;
}

bool th_file_commit(ThFile *f, ThError *err)
{
    /* A write that failed before left its reason in errno, unless something else failed since. */
    bool ok = !ferror(f->stream) && fflush(f->stream) == 0;
    int cause = ok ? 0 : errno;
    ok = fclose(f->stream) == 0 && ok;
    cause = cause ? cause : errno;
    f->stream = NULL;
    if (ok && f->temporary) {
        ok = rename(f->temporary, f->path) == 0;
        cause = errno;
        if (ok) {
            free(f->temporary);
            f->temporary = NULL;
        }
    }
    if (!ok)
        th_fail(err, TH_EIO, "cannot write '%s': %s", f->path,
                cause ? strerror(cause) : "output failed");
    th_file_abort(f);
    return ok;
}

void th_file_abort(ThFile *f)
{
    if (f->stream)
        fclose(f->stream);
    if (f->temporary)
        unlink(f->temporary);
    free(f->temporary);
    free(f->path);
    *f = (ThFile){0};
}

static char *read_stream(FILE *in, const char *path, size_t limit, size_t *n, ThError *err)
{
    ThText t = {0};
    char chunk[16384];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, in)) > 0 && t.size <= limit && !t.failed)
        th_text_add_bytes(&t, chunk, got);
    if (ferror(in))
        th_fail(err, TH_EIO, "cannot read '%s': %s", path, strerror(errno));
    else if (t.size > limit)
        th_fail(err, TH_ELIMIT, "'%s' is larger than %zu bytes", path, limit);
    if (ferror(in) || t.size > limit) {
        th_text_free(&t);
        return NULL;
    }
    *n = t.size;
    return th_text_take(&t, err);
}

char *th_file_read(const char *path, size_t limit, size_t *n, ThError *err)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        th_fail(err, TH_EIO, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    char *data = read_stream(in, path, limit, n, err);
    fclose(in);
    return data;
}
