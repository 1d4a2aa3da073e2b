/* sweep_claims.c - which process computes a point.
 *
 * A claim is a file, claims/ID, that names host and process, and on which the process holds a lock
 * (flock) for as long as it runs the point.  The file is there whole or not at all: it is written
 * and locked under another name and then linked.  The system drops the lock when the process ends,
 * however that ends.  A file on which nobody has a lock is a claim that is lost, if its process was
 * of this host; else if it has not been renewed for a while either, for not every file system hands
 * locks from one host to another.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/general/sweep.h"

enum { LEASE = 120, MOST_OWNER = 300 };    /* seconds that a claim of another host lasts; bytes */
enum { NO_LINK = O_NOFOLLOW | O_CLOEXEC }; /* which would lead out of the folder */

/* "HOST PID\n" */
static void write_owner(char to[MOST_OWNER])
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(to, MOST_OWNER, "%s %ld\n", host, (long)getpid());
}

/* Whether a file system has locks is seen when one is wanted. */
typedef enum { LOCKED, HELD, NO_LOCKS } Lock;

static Lock lock(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return LOCKED;
    return errno == EWOULDBLOCK || errno == EINTR ? HELD : NO_LOCKS;
}

/* Is this process of another's claim gone?  age: seconds since it was renewed. */
static bool is_lost(const char *owner, const char *self, Lock held, double age)
{
    size_t host = strcspn(self, " ");
    long pid = strtol(owner + strcspn(owner, " "), NULL, 10);
    if (strncmp(owner, self, host + 1) != 0)
        return age > LEASE;
    return held == LOCKED || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

static double age_of(const struct stat *file, const struct stat *now)
{
    return (double)(now->st_mtim.tv_sec - file->st_mtim.tv_sec);
}

/* Takes a claim over that is lost; -1 where it is not, or is no more. */
static int take_over(const char *path, const char *self, const struct stat *now)
{
    char owner[MOST_OWNER] = "";
    struct stat file, there;
    int fd = open(path, O_RDWR | NO_LINK);
    if (fd < 0)
        return -1;
    Lock held = lock(fd);
    ssize_t n = held == HELD ? -1 : pread(fd, owner, sizeof owner - 1, 0);
    bool same = n >= 0 && fstat(fd, &file) == 0 && stat(path, &there) == 0 &&
                file.st_ino == there.st_ino && file.st_dev == there.st_dev;
    size_t size = strlen(self);
    if (same && is_lost(owner, self, held, age_of(&file, now)) && ftruncate(fd, 0) == 0 &&
        pwrite(fd, self, size, 0) == (ssize_t)size)
        return fd;
    close(fd);
    return -1;
}

/* A new file in place of `path`, written and locked before it has that name; -1 where there is one,
 * errno says why. */
static int make_claim(const char *path, const char *temporary, const char *self, struct stat *now)
{
    size_t size = strlen(self);
    int fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | NO_LINK, 0666);
    if (fd < 0)
        return -1;
    lock(fd);
    bool made = pwrite(fd, self, size, 0) == (ssize_t)size && fstat(fd, now) == 0 &&
                link(temporary, path) == 0;
    int why = errno;
    unlink(temporary);
    if (made)
        return fd;
    close(fd);
    errno = why;
    return -1;
}

bool sh_claim_take(const char *dir, const char *id, ShClaim *c, ThError *err)
{
    char self[MOST_OWNER], own[40];
    struct stat now = {0};
    write_owner(self);
    snprintf(own, sizeof own, "~%ld", (long)getpid());
    *c = (ShClaim){.fd = -1, .path = sh_point_path(dir, "claims", id, "", err)};
    char *temporary TH_OWNED(free) = c->path ? sh_point_path(dir, "claims", id, own, err) : NULL;
    bool ok = temporary != NULL;
    if (ok) {
        c->fd = make_claim(c->path, temporary, self, &now);
        int why = errno;
        if (c->fd < 0 && why == EEXIST)
            c->fd = take_over(c->path, self, &now);
        else if (c->fd < 0)
            ok = th_fail(err, TH_EIO, "cannot claim a point, '%s': %s", c->path, strerror(why));
    }
    if (c->fd < 0) {
        free(c->path);
        c->path = NULL;
    }
    return ok;
}

void sh_claim_renew(const ShClaim *c)
{
    futimens(c->fd, NULL);
}

void sh_claim_drop(ShClaim *c)
{
    if (c->fd < 0)
        return;
    unlink(c->path);
    close(c->fd);
    free(c->path);
    *c = (ShClaim){.fd = -1};
}

int sh_folder_lock(const char *dir, ThError *err)
{
    ThText path TH_OWNED(th_text_free) = {0};
    th_text_printf(&path, "%s/lock", dir);
    int fd = path.failed ? -1 : open(path.data, O_RDWR | O_CREAT | NO_LINK, 0666);
    if (fd < 0)
        th_fail(err, TH_EIO, "cannot write '%s/lock': %s", dir, strerror(errno));
    else
        flock(fd, LOCK_EX); /* without locks two that begin at once may both say what changed */
    return fd;
}
