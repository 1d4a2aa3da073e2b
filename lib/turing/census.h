/* census.h - all machines of a size at once, run on the blank tape.
 *
 * Each entry of a machine's table is one of 2·symbols·states proper actions or undefined, which
 * writes 1, moves and halts in one step.  Machines that differ only in entries that a run has not
 * come to are one run.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"

typedef struct {
    int limit;
    uint64_t machines, halting; /* halting: within the limit */
    uint64_t *by_steps;         /* (limit + 1): how many halt after so many steps */
    uint64_t *by_ones;          /* (limit + 2): how many halt with so many cells that are not 0 */
    uint64_t runs;              /* that were needed */
    uint64_t counted;           /* machines so far */
} ThTmCensus;

/* A machine as a bbchallenge string, after so many steps on the blank tape. */
typedef struct {
    const char *text;
    bool halted; /* else it had not halted within the limit */
    int steps;
} ThTmCensusMachine;

/* What is to be counted. */
typedef struct {
    int states, symbols, limit; /* limit: steps that each machine may make */
    ThStop *stop;
    void (*see)(void *context, const ThTmCensus *c); /* called now and then; NULL: by nobody */
    /* Where it is not NULL, machines in tree normal form only: the first rule is 1RB, new states
     * and symbols come in order, and an entry that a run does not come to is undefined.  Of those
     * whose run has an end the rule before it is kept open: one entry at least is undefined.  Each
     * is given once, and counts as one.  False ends the census with no error of its own. */
    bool (*each)(void *context, const ThTmCensusMachine *m);
    void *context;
} ThTmCensusWork;

/* Runs all machines for up to w->limit steps.  Errors: TH_ELIMIT if there are 2^64 machines or
 * more, TH_EVALUE if they are listed and have more symbols than digits, TH_EINTERRUPTED, TH_ENOMEM.
 */
bool th_tm_census(ThTmCensus *c, const ThTmCensusWork *w, ThError *err);
void th_tm_census_free(ThTmCensus *c);
