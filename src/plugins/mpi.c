/* mpi.c - ranks.h by MPI.  Whoever waits sleeps: a process that spins takes a processor from those
 * that compute. */
#include <mpi.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ranks.h"

enum { ASK, POINT, SHARE };

const ShRanks *tapehead_ranks(void);

static void doze(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static void wait_for(int rank, int tag)
{
    int there = 0;
    for (;;) {
        MPI_Iprobe(rank, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there)
            return;
        doze();
    }
}

static int listen_for(int *status)
{
    int there = 0;
    MPI_Status from;
    MPI_Iprobe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &there, &from);
    if (!there)
        return 0;
    MPI_Recv(status, 1, MPI_INT, from.MPI_SOURCE, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return from.MPI_SOURCE;
}

static void give(int rank, long long point)
{
    MPI_Send(&point, 1, MPI_LONG_LONG, rank, POINT, MPI_COMM_WORLD);
}

static long long ask(int status)
{
    long long point;
    MPI_Send(&status, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD);
    wait_for(0, POINT);
    MPI_Recv(&point, 1, MPI_LONG_LONG, 0, POINT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return point;
}

static int rank_of(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int size_of(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static void share(void *data, int n)
{
    if (rank_of() == 0) {
        for (int r = 1; r < size_of(); r++)
            MPI_Send(data, n, MPI_BYTE, r, SHARE, MPI_COMM_WORLD);
        return;
    }
    wait_for(0, SHARE);
    MPI_Recv(data, n, MPI_BYTE, 0, SHARE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Gradients come every few milliseconds: whoever waits for one first lets others run, then sleeps.
 */
static void finish(MPI_Request request)
{
    enum { TRIES = 200 };
    int there = 0;
    for (int i = 0; MPI_Test(&request, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there; i++)
        if (i < TRIES)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, 50000}, NULL);
}

/* A type of numbers, and how they are added. */
typedef struct {
    MPI_Datatype type;
    size_t width;
    void (*add)(void *to, const void *from, size_t n);
} Kind;

static void add_floats(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((float *)to)[i] += ((const float *)from)[i];
}

static void add_doubles(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((double *)to)[i] += ((const double *)from)[i];
}

/* Each rank adds up a slice for all, the parts of the ranks in their order. */
static void sum(char *x, size_t n, const Kind *kind)
{
    int size = size_of(), rank = rank_of(), *count = calloc(4 * (size_t)size, sizeof *count);
    int *from = count + size, *own = from + size, *at = own + size;
    for (int r = 0; count && r < size; r++) {
        from[r] = (int)(n * (size_t)r / (size_t)size);
        count[r] = (int)(n * (size_t)(r + 1) / (size_t)size) - from[r];
    }
    size_t mine = count ? (size_t)count[rank] : 0;
    char *parts = malloc((size_t)size * mine * kind->width + 1);
    if (!count || !parts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < size; r++) {
        own[r] = (int)mine;
        at[r] = (int)mine * r;
    }
    MPI_Request request;
    MPI_Ialltoallv(x, count, from, kind->type, parts, own, at, kind->type, MPI_COMM_WORLD,
                   &request);
    finish(request);
    for (int r = 1; r < size; r++)
        kind->add(parts, parts + (size_t)r * mine * kind->width, mine);
    memcpy(x + (size_t)from[rank] * kind->width, parts, mine * kind->width);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, kind->type, x, count, from, kind->type, MPI_COMM_WORLD,
                    &request);
    finish(request);
    free(parts);
    free(count);
}

static void sum_floats(void *unused, float *x, size_t n)
{
    (void)unused;
    sum((char *)x, n, &(Kind){MPI_FLOAT, sizeof *x, add_floats});
}

static void sum_doubles(void *unused, double *x, size_t n)
{
    (void)unused;
    sum((char *)x, n, &(Kind){MPI_DOUBLE, sizeof *x, add_doubles});
}

static void end(int status)
{
    MPI_Request all;
    int there = 0;
    if (status != 0 && rank_of() > 0)
        nanosleep(&(struct timespec){2, 0}, NULL); /* rank 0, if it fails alike, says why */
    if (status != 0)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (MPI_Test(&all, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there)
        doze();
    MPI_Finalize();
}

const ShRanks *tapehead_ranks(void)
{
    static ShRanks self = {0, 1, listen_for, give, ask, share, sum_floats, sum_doubles, end};
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return NULL;
    self.rank = rank_of();
    self.size = size_of();
    return &self;
}
