#include "blas_kernels.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/owned.h"
#include "platform.h"
#include "tensor/kernels/level.h"

/* OpenBLAS's own declarations come with <cblas.h>, which clashes with GSL's. */
char *openblas_get_config(void);
char *openblas_get_corename(void);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int n);

/* Exported, though no header declares them: they end its threads, and take and give back the buffer
 * that a product needs. */
int blas_thread_shutdown_(void);
void *blas_memory_alloc(int place);
void blas_memory_free(void *buffer);

static const char mark[] = "TAPEHEAD_KERNELS_CHOSEN";

static const char *right_kernels(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx512f"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2"))
        return "Haswell";
#endif
    return NULL;
}

static bool is_limited(void)
{
    struct rlimit space;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

static void set_or_unset(const char *name, const char *value)
{
    if (value && *value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Where there is no room for its buffer, OpenBLAS's second thread tries for ever to get one. */
static bool would_wait(void)
{
    return is_limited() && openblas_get_num_threads() > 1;
}

/* Takes back what was set for OpenBLAS; `before` is the mark: s or k, whether the kernels were set
 * or kept, and the number of threads that the user wanted. */
static void restore_environment(const char *before)
{
    if (*before == 's')
        unsetenv("OPENBLAS_CORETYPE");
    set_or_unset("OPENBLAS_NUM_THREADS", before + 1);
    unsetenv(mark);
}

/* Starts the program again; returns where that is not possible. */
static void start_again(char **argv, const char *kernels)
{
    char before[32];
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    snprintf(before, sizeof before, "%c%s", kernels ? 's' : 'k', threads ? threads : "");
    setenv(mark, before, 1);
    if (kernels)
        setenv("OPENBLAS_CORETYPE", kernels, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    char self[4096];
    if (sh_platform_self(self, sizeof self))
        execv(self, argv);
    restore_environment(before);
}

void sh_blas_choose_kernels(char **argv)
{
    const char *started = getenv(mark);
    bool wrong = !getenv("OPENBLAS_CORETYPE") && strcmp(openblas_get_corename(), "Prescott") == 0;
    const char *kernels = wrong ? right_kernels() : NULL;
    char before[32];
    if (started) {
        snprintf(before, sizeof before, "%s", started); /* a view of what is unset */
        restore_environment(before);
    } else if (kernels || would_wait()) {
        start_again(argv, kernels);
    }
    openblas_set_num_threads(1);
    blas_thread_shutdown_();
}

bool sh_blas_choose_own(ThError *err)
{
    const char *level = getenv("TAPEHEAD_KERNELS");
    return !level || !*level || th_kernel_choose(level, err);
}

bool sh_blas_reserve(int n)
{
    enum { MOST = 256, BUFFER = 1 << 28 };
    static int held; /* OpenBLAS keeps them until the end */
    void *buffer[MOST];
    if (n <= held)
        return true;
    int got = 0;
    for (; got < n && got < MOST; got++) {
        void *room = malloc(BUFFER);
        if (!room)
            break;
        free(room);
        buffer[got] = blas_memory_alloc(0);
    }
    for (int i = 0; i < got; i++)
        blas_memory_free(buffer[i]);
    held = got > held ? got : held;
    return got >= n;
}

bool sh_blas_ready(int n)
{
    return !is_limited() || sh_blas_reserve(n);
}

const char *sh_blas_kernels(void)
{
    static char names[96];
    const char *config = openblas_get_config(); /* "OpenBLAS 0.3.21 NO_LAPACKE …" */
    size_t name = strcspn(config, " "),
           number = config[name] ? strcspn(config + name + 1, " ") + 1 : 0;
    snprintf(names, sizeof names, "%s, %.*s's %s", th_kernel_level(), (int)(name + number), config,
             openblas_get_corename());
    return names;
}
