#include "ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform.h"

bool sh_rank_is_silent(const ShRanks *ranks)
{
    return ranks && ranks->rank > 0;
}

/* A variable of a launcher's; -1 where there is none. */
static int number(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? atoi(value) : -1;
}

/* How many processes a launcher has started: those of Open MPI, MPICH and their kin say so, and
 * srun of Slurm's steps; 0: it does not say, but knows that it has started something.  The script
 * of a job of Slurm's is one process, whatever SLURM_NTASKS is: only a rank tells that there are
 * several. */
static int started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_NUM_TASKS"};
    int n = -1, rank = number("PMIX_RANK"), tasks = number("SLURM_NTASKS");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        n = number(names[i]) > n ? number(names[i]) : n;
    if (n > 0)
        return n;
    if (tasks > 1 && (rank >= 0 || number("SLURM_PROCID") > 0 || number("SLURM_LOCALID") > 0))
        return tasks;
    return rank >= 0 ? 0 : 1;
}

/* The plug-in stands beside the program, or in the folder of libraries beside the program's; why:
 * what keeps one that is there from being loaded. */
static void *load(char *why, size_t n_why)
{
    static const char *const places[] = {"tapehead-mpi.so", "../lib/tapehead/tapehead-mpi.so"};
    char self[PATH_MAX] = "", path[PATH_MAX + 64];
    void *plugin = NULL;
    bool known = sh_platform_self(self, sizeof self);
    const char *folder =
        known ? dirname(self) : NULL; /* never the one that happens to be current */
    for (size_t i = 0; folder && !plugin && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        const char *said = plugin ? NULL : dlerror();
        if (said && access(path, F_OK) == 0)
            snprintf(why, n_why, "%s", said);
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

/* TH_EIO: there are several processes (n; 0: how many is not known), and nothing joins them. */
static bool fail_apart(int n, const char *why, ThError *err)
{
    if (n > 0)
        return th_fail(err, TH_EIO, "%d processes were started together, but %s", n, why);
    return th_fail(err, TH_EIO, "processes were started together (PMIX_RANK says so), but %s", why);
}

bool sh_ranks_begin(const ShRanks **ranks, ThError *err)
{
    int n = started(), rank = number("PMIX_RANK"); /* MPI sets that of a single process */
    *ranks = NULL;
    if (n == 1)
        return true;
    char why[200] = "";
    void *plugin = load(why, sizeof why);
    ShRanksOpen *open_ranks = NULL;
    if (plugin)
        *(void **)&open_ranks = dlsym(plugin, SH_RANKS_SYMBOL); /* as POSIX has it */
    const ShRanks *all = open_ranks ? open_ranks() : NULL;
    if (!all) {
        fail_apart(n, "MPI is not to be had", err);
        if (*why)
            return th_hint(err, "%s", why);
        return th_hint(err, "it is found when tapehead is built: install libopenmpi-dev before");
    }
    if (all->size == 1 && n == 0 && rank == 0) {
        all->end(0);
        return true;
    }
    if (all->size == 1 || (n > 0 && all->size < n))
        return fail_apart(n, "MPI joins none of them with another", err) ||
               th_hint(err, "start them by the mpirun of the MPI that tapehead was built with, or "
                            "by srun --mpi=pmix; one by one they are jobs of an array");
    *ranks = all;
    if (sh_rank_is_silent(all))
        be_silent();
    return true;
}
