#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* ---- which file ------------------------------------------------------------------------------ */

enum { MOST_LINKS = 40 };

/* The number of the open file of this process that a path is another name of (/dev/stdout,
 * /dev/fd/3), or -1.  What such a name leads to is shared with others who write to it, even where
 * it is a regular file. */
static int open_file_named(const char *path)
{
    const char *name = strrchr(path, '/');
    char *folder TH_OWNED(free) = name ? th_strndup(path, (size_t)(name - path), NULL) : NULL;
    char *real TH_OWNED(free) = folder ? realpath(folder, NULL) : NULL;
    char own[64];
    size_t n = (size_t)snprintf(own, sizeof own, "/proc/%ld/", (long)getpid());
    int fd = -1;
    if (real && strncmp(real, own, n) == 0 && strcmp(real + strlen(real) - 3, "/fd") == 0 &&
        name[1] && strspn(name + 1, "0123456789") == strlen(name + 1))
        fd = (int)strtol(name + 1, NULL, 10);
    return fd;
}

/* Returns new: what the symbolic link `path` says, from where the link is seen; NULL without an
 * error: it is no link. */
static char *link_target(const char *path, ThError *err)
{
    char target[4096];
    ssize_t n = readlink(path, target, sizeof target - 1);
    const char *slash = strrchr(path, '/');
    ThText t = {0};
    if (n < 0)
        return NULL;
    target[n] = '\0';
    if (target[0] != '/' && slash)
        th_text_add_bytes(&t, path, (size_t)(slash - path) + 1);
    th_text_add(&t, target);
    return th_text_take(&t, err);
}

/* Returns new: the file behind symbolic links, so that a link stays a link; it need not be there.
 * *fd: as open_file_named. */
static char *follow(const char *path, int *fd, ThError *err)
{
    char *at = th_strdup(path, err);
    for (int i = 0; at && i < MOST_LINKS; i++) {
        ThError own = {0};
        *fd = open_file_named(at);
        char *next = *fd < 0 ? link_target(at, &own) : NULL;
        if (!next && own.code == TH_OK)
            return at;
        free(at);
        at = next;
    }
    free(at);
    return th_null(th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(ELOOP)));
}

/* ---- where files may be written -------------------------------------------------------------- */

static char *confined; /* the only folder that is written in, as realpath has it; NULL: all are */

bool th_file_confine(const char *folder, ThError *err)
{
    char *real = realpath(folder, NULL);
    if (!real)
        return th_fail(err, TH_EIO, "cannot stay in '%s': %s", folder, strerror(errno));
    free(confined);
    confined = real;
    return true;
}

/* Is the real folder that one, or below? */
static bool is_inside(const char *real, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(real, folder, n) == 0 && (real[n] == '\0' || real[n] == '/' || n == 1);
}

/* The same of a file behind all links; fd: as open_file_named. */
static bool may_write(const char *path, int fd, ThError *err)
{
    if (!confined || fd >= 0 || strcmp(path, "/dev/null") == 0)
        return true;
    const char *slash = strrchr(path, '/');
    char *above TH_OWNED(free) =
        slash ? th_strndup(path, (size_t)(slash - path) + 1, err) : th_strdup(".", err);
    if (!above)
        return false;
    char *real TH_OWNED(free) = realpath(above, NULL);
    if (!real)
        return th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(errno));
    return is_inside(real, confined) ||
           th_fail(err, TH_EIO, "cannot write '%s': only '%s' and what is below may be written to",
                   path, confined);
}

bool th_file_may_write(const char *path, ThError *err)
{
    int fd = -1;
    char *file TH_OWNED(free) = follow(path, &fd, err);
    return file && may_write(file, fd, err);
}

/* Opens a file that is written to as it is, at its end, without a temporary file. */
static FILE *open_directly(const char *path, int fd, const char *mode)
{
    int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *out = fd < 0 ? fopen(path, mode) : copy < 0 ? NULL : fdopen(copy, mode);
    if (!out && copy >= 0)
        close(copy);
    return out;
}

/* ---- temporary files ------------------------------------------------------------------------- */

static const char MARK[] = ".tapehead-XXXXXX";

/* Who writes a temporary file holds a lock on it until it has its name, or the process ends: what
 * is unlocked was left behind by one that was killed.  Where the file system knows no locks nothing
 * is removed. */

static void remove_unlocked(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

/* Removes the temporary files of a target whose writers were killed. */
static void remove_litter(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base), mark = sizeof MARK - 7; /* what is behind it is drawn */
    char *name TH_OWNED(free) = slash ? th_strndup(path, (size_t)(slash - path) + 1, NULL) : NULL;
    DIR *folder = slash && !name ? NULL : opendir(name ? name : ".");
    const struct dirent *e;
    while (folder && (e = readdir(folder)))
        if (strlen(e->d_name) == length + sizeof MARK - 1 &&
            strncmp(e->d_name, base, length) == 0 && strncmp(e->d_name + length, MARK, mark) == 0)
            remove_unlocked(dirfd(folder), e->d_name);
    if (folder)
        closedir(folder);
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

enum { MOST_TRIES = 1000 };

/* Makes the temporary file anew until it is there and locked: who looks for litter may have found
 * it in between, and has removed it when the lock is free.  On a busy machine, where two others
 * wrote to the same name, ten tries in a row were lost once in 150,000 files. */
static int make_temporary(char *name)
{
    char *drawn = name + strlen(name) - 6;
    struct stat st;
    for (int i = 0; i < MOST_TRIES; i++) {
        memset(drawn, 'X', 6);
        int fd = mkstemp(name);
        if (fd < 0)
            return -1;
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
            ;
        if (fstat(fd, &st) == 0 && st.st_nlink > 0)
            return fd;
        close(fd);
    }
    errno = EBUSY;
    return -1;
}

static bool open_temporary(ThFile *f, ThError *err)
{
    ThText name = {0};
    th_text_printf(&name, "%s%s", f->path, MARK);
    f->temporary = th_text_take(&name, err);
    if (!f->temporary)
        return false;
    remove_litter(f->path);
    int fd = make_temporary(f->temporary);
    if (fd < 0) {
        int cause = errno;
        free(f->temporary);
        f->temporary = NULL;
        return th_fail(err, TH_EIO, "cannot write '%s': %s", f->path, strerror(cause));
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

/* ---- writing --------------------------------------------------------------------------------- */

FILE *th_file_begin(ThFile *f, const char *path, ThError *err)
{
    *f = (ThFile){0};
    struct stat st;
    int fd = -1;
    f->path = follow(path, &fd, err);
    if (!f->path || !may_write(f->path, fd, err)) {
        th_file_abort(f);
        return NULL;
    }
    bool there = fd < 0 && stat(f->path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        th_fail(err, TH_EIO, "cannot write '%s': it is a directory", path);
    } else if (fd >= 0 || (there && !S_ISREG(st.st_mode))) {
        f->stream = open_directly(f->path, fd, "w");
        if (!f->stream)
            th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(errno));
    } else {
        open_temporary(f, err);
    }
    if (!f->stream)
        th_file_abort(f);
    return f->stream;
}

bool th_file_folder(const char *path, ThError *err)
{
    if (!th_file_may_write(path, err))
        return false;
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    return th_fail(err, TH_EIO, "cannot make the folder '%s': %s", path, strerror(errno));
}

bool th_file_write(const char *path, const char *text, ThError *err)
{
    ThFile f = {0};
    FILE *out = th_file_begin(&f, path, err);
    if (out)
        fputs(text, out);
    return out && th_file_commit(&f, err);
}

bool th_file_append(const char *path, const char *text, size_t n, ThError *err)
{
    int fd = -1;
    char *file TH_OWNED(free) = follow(path, &fd, err);
    struct stat before = {0};
    if (!file || !may_write(file, fd, err))
        return false;
    FILE *out = open_directly(file, fd, "a");
    bool regular = out && fstat(fileno(out), &before) == 0 && S_ISREG(before.st_mode);
    bool ok = out && fwrite(text, 1, n, out) == n && fflush(out) == 0;
    int cause = errno;
    if (out && !ok && regular && ftruncate(fileno(out), before.st_size) != 0)
        cause = errno; /* the part stays: this is what there is to know */
    if (out && fclose(out) != 0 && ok) {
        cause = errno;
        ok = false;
    }
    return ok || th_fail(err, TH_EIO, "cannot write '%s': %s", path, strerror(cause));
}

bool th_file_commit(ThFile *f, ThError *err)
{
    /* A write that failed before left its reason in errno, unless something else failed since. */
    bool ok = !ferror(f->stream) && fflush(f->stream) == 0;
    int cause = ok ? 0 : errno;
    int locked = f->temporary ? fcntl(fileno(f->stream), F_DUPFD_CLOEXEC, 0) : -1;
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
    if (locked >= 0)
        close(locked);
    return ok;
}

void th_file_abort(ThFile *f)
{
    if (f->stream)
        fclose(f->stream);
    if (f->temporary)
        unlink(f->temporary);
    TH_FREE(f->temporary, f->path);
    *f = (ThFile){0};
}

bool th_file_try(const char *path, ThError *err)
{
    struct stat st;
    ThFile f = {0};
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return th_file_may_write(path, err); /* whoever reads from a pipe would see its end */
    bool ok = th_file_begin(&f, path, err) != NULL;
    th_file_abort(&f);
    return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A read that a signal ended was stopped by the user or the clock: of a pipe, whose writer waits.
 */
static void fail_read(const char *path, int cause, ThError *err)
{
    if (cause == EINTR)
        th_fail(err, TH_EINTERRUPTED, "stopped while '%s' was read", path);
    else
        th_fail(err, TH_EIO, "cannot read '%s': %s", path, strerror(cause));
}

static char *read_stream(FILE *in, const char *path, size_t limit, size_t *n, ThError *err)
{
    ThText t = {0};
    char chunk[16384];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, in)) > 0 && t.size <= limit && !t.failed)
        th_text_add_bytes(&t, chunk, got);
    if (ferror(in))
        fail_read(path, errno, err);
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
        fail_read(path, errno, err);
        return NULL;
    }
    char *data = read_stream(in, path, limit, n, err);
    fclose(in);
    return data;
}
