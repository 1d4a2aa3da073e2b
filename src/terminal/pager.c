#include "terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"
#include "session_impl.h"

extern char **environ;

bool sh_shell_allowed(const ShSession *s, ThError *err)
{
    if (!s->no_shell)
        return true;
    return th_fail(err, TH_EUSAGE, "no commands of the shell are run here") ||
           th_hint(err, "--safe forbids them, and --serve does without --allow-shell");
}

/* A dumb terminal cannot be scrolled back and forth, but a pager that was named may know better. */
static bool pager_set(const ShSession *s)
{
    const char *set = sh_setting_text(s, "pager"), *term = getenv("TERM");
    if (strcmp(set, "auto") == 0)
        return term && *term && strcmp(term, "dumb") != 0;
    return strcmp(set, "off") != 0;
}

bool sh_pager_wanted(const ShSession *s)
{
    return !s->no_shell && s->interactive && s->out.stream == stdout &&
           s->out.format == SH_FORMAT_TEXT && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
           pager_set(s);
}

static const char *pager_command(const ShSession *s)
{
    const char *set = sh_setting_text(s, "pager");
    if (strcmp(set, "auto") != 0)
        return set;
    const char *pager = getenv("PAGER");
    return pager && *pager ? pager : "less -FRX";
}

static bool longer_than_screen(const char *text)
{
    struct winsize w = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row == 0)
        return false;
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines >= w.ws_row;
}

void sh_page(ShSession *s, const char *text)
{
    int status = 0;
    fflush(stdout);
    if (longer_than_screen(text) && sh_run_shell(pager_command(s), text, &status, NULL) &&
        status != 127)
        return;
    fputs(text, s->out.stream);
}

/* Starts sh -c; where `pipe_end` is not -1 it becomes the standard input. */
static int start(const char *command, int pipe_end, pid_t *pid)
{
    char sh[] = "sh", c[] = "-c";
    char *copy TH_OWNED(free) = strdup(command);
    if (!copy)
        return ENOMEM;
    char *argv[] = {sh, c, copy, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGQUIT);
    sigaddset(&defaults, SIGTSTP);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (pipe_end >= 0)
        posix_spawn_file_actions_adddup2(&actions, pipe_end, STDIN_FILENO);
    int failure = posix_spawnp(pid, sh, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

static void feed(int fd, const char *input)
{
    size_t left = strlen(input);
    while (left > 0) {
        ssize_t n = write(fd, input, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break; /* the pager was left before the end */
        input += n;
        left -= (size_t)n;
    }
    close(fd);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool sh_pipe_open(ShPipe *p, const char *command, ThError *err)
{
    int ends[2];
    fflush(stdout);
    if (!sh_platform_pipe(ends))
        return th_fail(err, TH_EIO, "cannot make a pipe: %s", strerror(errno));
    int failure = start(command, ends[0], &p->pid);
    close(ends[0]);
    p->stream = failure ? NULL : fdopen(ends[1], "w");
    if (p->stream)
        return true;
    close(ends[1]);
    if (failure)
        return th_fail(err, TH_EIO, "cannot run sh: %s", strerror(failure));
    wait_for(p->pid);
    return th_fail(err, TH_ENOMEM, "out of memory");
}

int sh_pipe_close(ShPipe *p, bool *left)
{
    errno = 0;
    bool arrived = !ferror(p->stream) && fflush(p->stream) == 0;
    *left = !arrived;
    fclose(p->stream);
    return wait_for(p->pid);
}

bool sh_run_shell(const char *command, const char *input, int *status, ThError *err)
{
    int ends[2] = {-1, -1};
    pid_t pid = 0;
    fflush(stdout);
    if (input && pipe(ends) != 0)
        return th_fail(err, TH_EIO, "cannot make a pipe: %s", strerror(errno));
    if (input)
        fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int failure = start(command, ends[0], &pid);
    if (input)
        close(ends[0]);
    if (failure) {
        if (input)
            close(ends[1]);
        return th_fail(err, TH_EIO, "cannot run sh: %s", strerror(failure));
    }
    if (input)
        feed(ends[1], input);
    *status = wait_for(pid);
    return true;
}
