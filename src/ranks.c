#include "ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sh_rank_is_silent(const ShRanks *ranks)
{
    return ranks && ranks->rank > 0;
}

/* How many processes a launcher has started: those of Open MPI, MPICH and their kin say so. */
static int started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    int n = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        n = value && atoi(value) > n ? atoi(value) : n;
    }
    return n;
}

/* The plug-in stands beside the program, or in the folder of libraries beside the program's. */
static void *load(void)
{
    static const char *const places[] = {"tapehead-mpi.so", "../lib/tapehead/tapehead-mpi.so"};
    char self[PATH_MAX] = "", path[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    void *plugin = NULL;
    const char *folder = n > 0 ? dirname(self) : ".";
    for (size_t i = 0; !plugin && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return plugin;
}

/* What goes to standard output and error is rank 0's to say. */
static void be_silent(void)
{
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing < 0)
        return;
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
}

bool sh_ranks_begin(const ShRanks **ranks, ThError *err)
{
    int n = started();
    *ranks = NULL;
    if (n < 2)
        return true;
    void *plugin = load();
    ShRanksOpen *open_ranks = NULL;
    if (plugin)
        *(void **)&open_ranks = dlsym(plugin, SH_RANKS_SYMBOL); /* as POSIX has it */
    *ranks = open_ranks ? open_ranks() : NULL;
    if (!*ranks) {
        th_fail(err, TH_EIO, "%d processes were started together, but MPI is not to be had", n);
        return th_hint(err, "it is found when tapehead is built: install libopenmpi-dev before");
    }
    if (sh_rank_is_silent(*ranks))
        be_silent();
    return true;
}
