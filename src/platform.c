/* Extensions are asked for here, and nowhere else. */
#define _GNU_SOURCE   /* fopencookie */
#define __BSD_VISIBLE 1
#define _DARWIN_C_SOURCE

#include "platform.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#elif defined(__FreeBSD__)
#include <sys/procctl.h>
#include <sys/sysctl.h>
#endif

#include "base/memory.h"

bool sh_platform_self(char *path, size_t n)
{
#if defined(__linux__)
    ssize_t length = readlink("/proc/self/exe", path, n - 1);
#elif defined(__APPLE__)
    uint32_t size = (uint32_t)n;
    ssize_t length = _NSGetExecutablePath(path, &size) == 0 ? (ssize_t)strlen(path) : -1;
#elif defined(__FreeBSD__)
    int which[] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1};
    ssize_t length = sysctl(which, 4, path, &n, NULL, 0) == 0 ? (ssize_t)strlen(path) : -1;
#else
    ssize_t length = -1;
#endif
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

void sh_platform_processor(char *line, size_t n)
{
    *line = '\0';
#if defined(__linux__)
    char text[256], *value = NULL;
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && !value && fgets(text, sizeof text, in))
        value = strncmp(text, "model name", 10) == 0 ? strchr(text, ':') : NULL;
    if (in)
        fclose(in);
    if (!value)
        return;
    value[strcspn(value, "\n")] = '\0';
    snprintf(line, n, "%s", value + strspn(value, ": \t"));
#elif defined(__APPLE__)
    if (sysctlbyname("machdep.cpu.brand_string", line, &n, NULL, 0) != 0)
        *line = '\0';
#elif defined(__FreeBSD__)
    if (sysctlbyname("hw.model", line, &n, NULL, 0) != 0)
        *line = '\0';
#endif
}

unsigned long long sh_platform_memory(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f)
        return 0;
    if (fscanf(f, "%llu", &pages) != 1)
        pages = 0;
    fclose(f);
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

bool sh_platform_end_with_parent(void)
{
#if defined(__linux__)
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
#elif defined(__FreeBSD__)
    int with = SIGKILL;
    return procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &with) == 0;
#else
    return false;
#endif
}

bool sh_platform_pipe(int ends[2])
{
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
/* funopen wants another type, and has nobody to ask when the stream is closed. */
typedef struct {
    void *to;
    ShPlatformWrite *write;
} Stream;

static int put(void *stream, const char *bytes, int n)
{
    const Stream *s = stream;
    return (int)s->write(s->to, bytes, (size_t)n);
}

static int end(void *stream)
{
    free(stream);
    return 0;
}

FILE *sh_platform_stream(void *to, ShPlatformWrite *write)
{
    Stream *s = th_alloc(1, sizeof *s, NULL);
    if (!s)
        return NULL;
    *s = (Stream){to, write};
    FILE *f = funopen(s, NULL, put, NULL, end);
    if (!f)
        free(s);
    return f;
}
#else
FILE *sh_platform_stream(void *to, ShPlatformWrite *write)
{
    return fopencookie(to, "w", (cookie_io_functions_t){.write = write});
}
#endif
