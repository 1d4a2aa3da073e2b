#include "blas_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OpenBLAS's own declarations come with <cblas.h>, which clashes with GSL's. */
char *openblas_get_config(void);
char *openblas_get_corename(void);
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

void sh_blas_choose_kernels(char **argv)
{
    const char *chosen = getenv(mark);
    if (chosen) {
        unsetenv("OPENBLAS_CORETYPE");
        if (*chosen != 'k') /* the variable was not there before */
            unsetenv("OPENBLAS_NUM_THREADS");
        unsetenv(mark);
    } else if (!getenv("OPENBLAS_CORETYPE") && right_kernels() &&
               strcmp(openblas_get_corename(), "Prescott") == 0) {
        const char *threads = getenv("OPENBLAS_NUM_THREADS");
        setenv(mark, threads ? "kept" : "set", 1);
        setenv("OPENBLAS_CORETYPE", right_kernels(), 1);
        if (!threads)
            setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
        unsetenv("OPENBLAS_CORETYPE");
        if (!threads)
            unsetenv("OPENBLAS_NUM_THREADS");
        unsetenv(mark);
    }
    openblas_set_num_threads(1);
    blas_thread_shutdown_();
}

bool sh_blas_reserve(int n)
{
    enum { MOST = 256, BUFFER = 1 << 28 };
    void *buffer[MOST];
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
    return got >= n;
}

const char *sh_blas_kernels(void)
{
    return openblas_get_corename();
}

const char *sh_blas_version(void)
{
    static char version[32];
    const char *config = openblas_get_config();
    size_t name = strcspn(config, " "), number = 0;
    if (config[name])
        number = strcspn(config + name + 1, " ");
    snprintf(version, sizeof version, "%.*s", (int)(name + (number ? number + 1 : 0)), config);
    return version;
}
