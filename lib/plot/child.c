#include "plot/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

extern char **environ;

/* With NOT_BEGUN a child ends that could not become the program, where posix_spawnp has said 0
 * already: POSIX leaves that open, and emulators, in which the two share no memory, do it. */
enum { N_STREAMS = 3, MOST_OUTPUT = 64 << 20, NOT_BEGUN = 127 };

/* Variables of the caller's that would change what a program draws. */
static bool is_unwanted(const char *entry)
{
    static const char *const names[] = {"LC_ALL=", "GNUTERM=", "GNUPLOT_LIB=", "POSIXLY_CORRECT="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns new: an array of views. */
static char **child_environment(char *locale, ThError *err)
{
    size_t n = 0, kept = 0;
    while (environ && environ[n])
        n++;
    char **list = th_alloc(n + 2, sizeof *list, err);
    for (size_t i = 0; list && i < n; i++)
        if (!is_unwanted(environ[i]))
            list[kept++] = environ[i];
    if (list)
        list[kept] = locale;
    return list;
}

static int spawn(const ThPlotChild *c, FILE *const *stream, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGTSTP);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failed =
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF) ||
        posix_spawnattr_setpgroup(&attributes, 0) ||
        posix_spawnattr_setsigdefault(&attributes, &defaults);
    for (int i = 0; i < N_STREAMS && !failed; i++)
        failed = posix_spawn_file_actions_adddup2(&actions, fileno(stream[i]), i);
    char **argv = NULL;
    memcpy(&argv, &c->argv, sizeof argv); /* posix_spawnp's type lacks a const it honours */
    int code =
        failed ? EINVAL : posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static bool wait_for(ThPlotChild *c, pid_t pid, ThError *err)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return th_fail(err, TH_EIO, "lost sight of %s: %s", c->argv[0], strerror(errno));
        if (th_stopped(c->stop, err))
            kill(-pid, SIGKILL);
    }
    c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return !th_stopped(c->stop, err);
}

static bool read_back(FILE *stream, ThText *to, ThError *err)
{
    char bytes[4096];
    size_t n;
    rewind(stream);
    while (to->size < MOST_OUTPUT && (n = fread(bytes, 1, sizeof bytes, stream)) > 0)
        th_text_add_bytes(to, bytes, n);
    return !to->failed || th_fail(err, TH_ENOMEM, "out of memory for the output of a program");
}

static bool open_streams(FILE **stream, const char *input, ThError *err)
{
    for (int i = 0; i < N_STREAMS; i++) {
        stream[i] = tmpfile();
        if (!stream[i] || fcntl(fileno(stream[i]), F_SETFD, FD_CLOEXEC) != 0)
            return th_fail(err, TH_EIO, "cannot make a temporary file: %s", strerror(errno));
    }
    if (fputs(input, stream[0]) == EOF || fflush(stream[0]) != 0)
        return th_fail(err, TH_EIO, "cannot write a temporary file: %s", strerror(errno));
    rewind(stream[0]);
    return true;
}

/* Begins the program and waits for its end. */
static bool run(ThPlotChild *c, FILE *const *stream, char **environment, bool *missing,
                ThError *err)
{
    pid_t pid = -1;
    int code = spawn(c, stream, environment, &pid);
    *missing = code == ENOENT;
    if (code != 0)
        return th_fail(err, TH_EIO, "cannot run %s: %s", c->argv[0], strerror(code));
    if (!wait_for(c, pid, err))
        return false;
    *missing = c->status == NOT_BEGUN;
    return !*missing || th_fail(err, TH_EIO, "cannot run %s", c->argv[0]);
}

bool th_plot_child_run(ThPlotChild *c, bool *missing, ThError *err)
{
    FILE *stream[N_STREAMS] = {NULL, NULL, NULL};
    char locale[] = "LC_ALL=C.UTF-8";
    char **environment TH_OWNED(free) = child_environment(locale, err);
    *missing = false;
    bool ok = environment && open_streams(stream, c->input, err) &&
              run(c, stream, environment, missing, err) && read_back(stream[1], &c->output, err) &&
              read_back(stream[2], &c->messages, err);
    for (int i = 0; i < N_STREAMS; i++)
        if (stream[i])
            fclose(stream[i]);
    return ok;
}
