/* sweep.h - the parts of a sweep: one point in its process, the processes, the grid. */
#pragma once

#include <sys/types.h>

#include "point_records.h"

enum { SH_MOST_JOBS = 1024 };

/* A point that a process has taken; path NULL: it has none. */
typedef struct {
    int fd; /* locked as long as the process runs; -1: none */
    char *path;
} ShClaim;

typedef struct {
    pid_t pid;
    char *id;
    json_t *point, *inputs; /* its variables; what it is computed from */
    long long index;
    ShClaim claim;
} ShJob;

/* What is known of a point of the grid. */
typedef struct {
    bool settled;          /* nothing is left to be done for it */
    bool ran;              /* by this process */
    struct timespec wrote; /* its record, when the sweep began */
    ino_t inode;           /* the same; 0: it had none */
} ShGridPoint;

typedef struct {
    ShSession *s;
    const struct ShRanks *ranks; /* that share the points; NULL: this process starts them all */
    const ShLexer *lx;
    size_t open, close; /* of the body */
    const char *dir;
    int jobs, part, parts;
    bool retry, measure; /* measure: end after one point */
    bool keep_stale;     /* records of other inputs are used as they are */
    const char *body;    /* the hash of the commands */
    json_t *known;       /* what objects are, by name: as inputs have it */
    json_t *now;         /* settings, variables and definitions that points are computed from */
    json_t *hashes;      /* of files, by path, size and time */
    json_t *ids;         /* of the grid's points */
    json_t *changes;     /* what has changed since records were written, and of how many points */
    ShGridPoint *grid;   /* (n_grid) */
    size_t n_grid, cap_grid;
    ShJob job[SH_MOST_JOBS];
    int running;
    long long given; /* under mpirun, of ranks above 0: the point to be run; -1: none */
    long long index; /* of the point at hand */
    long long points, before, failed_before; /* all of this part; recorded when it began */
    long long done, failed;                  /* now */
    long long other_done, other_failed;      /* now, by processes that share the folder */
    long long again;                         /* records that were of other inputs */
    long long shelled;                       /* of before, that ran shell commands */
    long long moved;                         /* such records that the grid has no place for */
    long long held;                          /* points that others were computing, in this turn */
    double renewed;                          /* when the claims were */
    double began, cost, memory; /* seconds of the points recorded, and the most bytes */
} ShSweep;

/* sweep_files.c.  Adds bytes, or a text with its length, to a hash. */
void sh_mix(uint64_t *h, const void *bytes, size_t n);
void sh_mix_text(uint64_t *h, const char *text);

/* Returns new: "#" and the hash of a file's bytes.  TH_EIO, TH_ENOMEM. */
char *sh_file_hash(const char *path, ThError *err);

/* Returns new: the hash of a regular file that a name stands for, which is read once unless it
 * changes, and where it lies in *path, new; NULL where there is none. */
char *sh_hash_of_file(const ShSweep *w, const char *name, char **path);

/* The same of a file or a folder; of one with too many files no hash, but a sentence. */
char *sh_hash_of_path(const ShSweep *w, const char *name);
bool sh_is_folder_hash(const char *hash);
extern const char sh_folder_changed[]; /* what stands for it where a point has changed it */

/* sweep_objects.c.  Returns new: kind, definition or size, and a hash of everything that an object
 * is, of a model its parameters and what its training would go on from (for which a file is written
 * to dir).  TH_EIO, TH_ENOMEM. */
char *sh_object_identity(ShSession *s, ShObject *o, const char *dir, ThError *err);

/* sweep_inputs.c.  Returns new: a body without comments and white space that mean nothing. */
char *sh_body_identity(const ShLexer *lx, size_t open, size_t close, ThError *err);

/* Returns new: what the point at hand is computed from: an object with body and tapehead (the
 * version), and settings, variables, definitions and files by their names.  TH_EIO, TH_ENOMEM. */
json_t *sh_point_inputs(ShSweep *w, const ShLoopNames *names, ThError *err);

/* Does the body, or a script that it runs, mention a name that is not its own then? */
bool sh_body_reaches(const ShSweep *w, const char *name);

/* Was a record computed from these?  Notes in w->changes what has changed. */
bool sh_inputs_same(ShSweep *w, const json_t *record, const json_t *now);

/* Takes out the files that are others than they were: the point has written them itself.  Folders
 * that are others stay, marked so. */
void sh_inputs_settle(const ShSweep *w, json_t *inputs);

/* sweep_claims.c.  Takes a point; c->path is NULL where another process has it.  TH_EIO, TH_ENOMEM.
 */
bool sh_claim_take(const char *dir, const char *id, ShClaim *c, ThError *err);
void sh_claim_renew(const ShClaim *c); /* at least once in a minute */
void sh_claim_drop(ShClaim *c);        /* an empty one is fine */

/* Waits until no other process begins a sweep in the folder.  Returns what close() ends it with;
 * -1 and TH_EIO. */
int sh_folder_lock(const char *dir, ThError *err);

enum { SH_POINT_UNWRITTEN = 3 }; /* the exit status of a point whose record cannot be written */

/* sweep_point.c: the record's error, or null; what becomes of the new process of a point. */
json_t *sh_point_error(const ThError *err);
_Noreturn void sh_point_process(const ShSweep *w, const ShLoopNames *names, const ShJob *job,
                                pid_t parent);

/* sweep_jobs.c: adds what a record says to the cost of the sweep. */
void sh_sweep_cost(ShSweep *w, const json_t *record);

/* Is a point to be run?  A record of other inputs is moved away, unless it is to be used. */
bool sh_point_is_wanted(ShSweep *w, const ShLoopNames *names, const char *id, long long index,
                        bool *wanted, ThError *err);

/* Of a rank that is given a point: the record that there is, if any, is to be replaced. */
bool sh_point_given(ShSweep *w, const char *id, long long index, ThError *err);

/* Starts the process of a point that is claimed; takes id and claim over where it goes well.  Waits
 * until fewer than `most` run.  Ends all that run. */
bool sh_job_start(ShSweep *w, const ShLoopNames *names, char *id, ShClaim *claim, long long index,
                  ThError *err);
bool sh_jobs_wait(ShSweep *w, int most, ThError *err);
void sh_jobs_end(ShSweep *w);

/* Under mpirun.  Of rank 0: waits until another rank is free, gives it the point, and counts how
 * its last one ended; then tells all that there are no more.  Of the others: runs what they are
 * given, one turn of the grid after the other. */
bool sh_rank_give(ShSweep *w, long long index, ThError *err);
bool sh_ranks_finish(ShSweep *w, ThError *err);
void sh_ranks_count(ShSweep *w); /* of all: rank 0's counts */
bool sh_rank_turn(ShSweep *w, const ShLoopNames *names, long long index, ThError *err);
