/* sweep.h - the parts of a sweep: one point in its process, the processes, the grid. */
#ifndef SH_COMMANDS_SWEEP_H
#define SH_COMMANDS_SWEEP_H

#include <sys/types.h>

#include "points.h"

enum { SH_MOST_JOBS = 1024 };

/* What a point that runs keeps, and where: session.point in its process. */
struct ShPoint {
    const char *dir, *id;
    json_t *kept;
};

typedef struct {
    pid_t pid;
    char *id;
    json_t *point; /* its variables */
    long long index;
} ShJob;

typedef struct {
    ShSession *s;
    const struct ShRanks *ranks; /* that share the points; NULL: this process starts them all */
    const ShLexer *lx;
    size_t open, close; /* of the body */
    const char *dir;
    int jobs, part, parts;
    bool retry, measure; /* measure: end after one point */
    ShJob job[SH_MOST_JOBS];
    int running;
    long long given; /* under mpirun, of ranks above 0: the point to be run; -1: none */
    long long index; /* of the point at hand */
    long long points, before, failed_before; /* all of this part; recorded when it began */
    long long done, failed;                  /* now */
    double began, cost, memory; /* seconds of the points recorded, and the most bytes */
} ShSweep;

/* sweep_point.c: the record's error, or null; what becomes of the new process of a point. */
json_t *sh_point_error(const ThError *err);
_Noreturn void sh_point_process(const ShSweep *w, const ShLoopNames *names, const char *id,
                                long long index, pid_t parent);

/* sweep_jobs.c: adds what a record says to the cost of the sweep. */
void sh_sweep_cost(ShSweep *w, const json_t *record);

/* Starts the process of a point; takes the id over where it goes well.  Waits until fewer than
 * `most` run.  Ends all that run. */
bool sh_job_start(ShSweep *w, const ShLoopNames *names, char *id, long long index, ThError *err);
bool sh_jobs_wait(ShSweep *w, int most, ThError *err);
void sh_jobs_end(ShSweep *w);

/* Under mpirun.  Of rank 0: waits until another rank is free, gives it the point, and counts how
 * its last one ended; then tells all that there are no more.  Of the others: runs what they are
 * given, one turn of the grid after the other. */
bool sh_rank_give(ShSweep *w, long long index, ThError *err);
bool sh_ranks_finish(ShSweep *w, ThError *err);
void sh_ranks_count(ShSweep *w); /* of all: rank 0's counts */
bool sh_rank_turn(ShSweep *w, const ShLoopNames *names, long long index, ThError *err);

#endif
