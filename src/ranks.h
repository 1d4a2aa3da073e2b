/* ranks.h - the processes that mpirun starts, which share the points of a sweep, that rank 0 hands
 * out; of the rest of a script each does all.
 *
 * MPI itself is in a plug-in beside the program (src/plugins/mpi.c), which is loaded where the
 * launcher's variables say that there are several processes; nothing else needs MPI.
 */
#pragma once

#include "base/error.h"

typedef struct ShRanks {
    int rank, size;
    /* Of rank 0: the rank that asks for a point, and in *status how its last one ended (-1: it had
     * none); 0 if none asks now.  Then that gets one: a place in the grid, or -1, no more. */
    int (*listen)(int *status);
    void (*give)(int rank, long long point);
    /* Of the others: says how the last point ended, and waits for the next. */
    long long (*ask)(int status);
    /* Of all, together: rank 0's n bytes get to the others. */
    void (*share)(void *data, int n);
    /* Waits for the others; where the status is not 0, ends them. */
    void (*end)(int status);
} ShRanks;

/* What the plug-in exports.  Returns a view, NULL where MPI does not start. */
#define SH_RANKS_SYMBOL "tapehead_ranks"
typedef const ShRanks *ShRanksOpen(void);

/* True, with *ranks a view, or NULL where the process is alone.  TH_EIO where there are several but
 * no plug-in. */
bool sh_ranks_begin(const ShRanks **ranks, ThError *err);

/* Every rank runs the script; what is to be seen or written is left to rank 0. */
bool sh_rank_is_silent(const ShRanks *ranks);
