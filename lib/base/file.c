#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

static bool fail_errno(ThError *err, const char *what, const char *path)
{
    return th_fail(err, TH_EIO, "cannot %s '%s': %s", what, path, strerror(errno));
}

void th_file_abandon(ThFile *f)
{
    if (f->stream)
        fclose(f->stream);
    if (f->temporary)
        unlink(f->temporary);
    free(f->temporary);
    free(f->path);
    *f = (ThFile){0};
}

/* Opens a new file in the directory of f->path and remembers its name in f->temporary. */
static int open_temporary(ThFile *f, ThError *err)
{
    const char *slash = strrchr(f->path, '/');
    int directory = slash ? (int)(slash - f->path) + 1 : 0;
    for (int k = 0; k < 1000; k++) {
        ThText name = {0};
        th_text_printf(&name, "%.*s.tapehead-%ld-%d", directory, f->path, (long)getpid(), k);
        free(f->temporary);
        f->temporary = th_text_take(&name, err);
        if (!f->temporary)
            return -1;
        int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    fail_errno(err, "write", f->path);
    free(f->temporary); /* it is not ours to remove */
    f->temporary = NULL;
    return -1;
}

static int open_target(ThFile *f, const char *path, ThError *err)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    char *resolved = exists ? realpath(path, NULL) : NULL;
    f->path = resolved ? resolved : th_strdup(path, err);
    if (!f->path)
        return -1;
    if (exists && (!S_ISREG(old.st_mode) || access(path, W_OK) != 0)) {
        int direct = open(path, O_WRONLY | O_CLOEXEC);
        if (direct < 0)
            fail_errno(err, "write", path);
        return direct;
    }
    int fd = open_temporary(f, err);
    if (fd >= 0 && exists && fchmod(fd, old.st_mode & 07777) != 0) {
        fail_errno(err, "write", path);
        close(fd);
        return -1;
    }
    return fd;
}

bool th_file_begin(ThFile *f, const char *path, ThError *err)
{
    *f = (ThFile){0};
    int fd = open_target(f, path, err);
    if (fd >= 0) {
        f->stream = fdopen(fd, "w");
        if (!f->stream) {
            fail_errno(err, "write", path);
            close(fd);
        }
    }
    if (!f->stream)
        th_file_abandon(f);
    return f->stream != NULL;
}

bool th_file_commit(ThFile *f, ThError *err)
{
    bool ok = !ferror(f->stream) && fflush(f->stream) == 0;
    if (ok && f->temporary)
        ok = fsync(fileno(f->stream)) == 0;
    ok = fclose(f->stream) == 0 && ok;
    f->stream = NULL;
    if (ok && f->temporary)
        ok = rename(f->temporary, f->path) == 0;
    if (!ok)
        fail_errno(err, "write", f->path);
    else
        free(f->temporary);
    if (ok)
        f->temporary = NULL;
    th_file_abandon(f);
    return ok;
}

bool th_file_write(const char *path, const void *bytes, size_t n, ThError *err)
{
    ThFile f;
    if (!th_file_begin(&f, path, err))
        return false;
    if (n > 0)
        fwrite(bytes, 1, n, f.stream);
    return th_file_commit(&f, err);
}

static char *read_stream(FILE *in, const char *path, size_t limit, size_t *n, ThError *err)
{
    char *bytes = NULL;
    size_t cap = 0, size = 0, got;
    do {
        if (!th_grow(&bytes, &cap, size + 65536, 1, err))
            goto fail;
        got = fread(bytes + size, 1, cap - size - 1, in);
        size += got;
        if (size > limit) {
            th_fail(err, TH_ELIMIT, "'%s' is larger than %zu bytes", path, limit);
            goto fail;
        }
    } while (got > 0);
    if (ferror(in)) {
        fail_errno(err, "read", path);
        goto fail;
    }
    bytes[size] = '\0';
    *n = size;
    return bytes;
fail:
    free(bytes);
    return NULL;
}

char *th_file_read(const char *path, size_t limit, size_t *n, ThError *err)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        fail_errno(err, "read", path);
        return NULL;
    }
    char *bytes = read_stream(in, path, limit, n, err);
    fclose(in);
    return bytes;
}
