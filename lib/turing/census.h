/* census.h - all machines of a size at once, run on the blank tape.
 *
 * Each entry of a machine's table is one of 2·symbols·states proper actions or undefined, which
 * writes 1, moves and halts in one step.  Machines that differ only in entries that a run has not
 * come to are one run.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_TURING_CENSUS_H
#define TH_TURING_CENSUS_H

#include <stdint.h>

#include "base/error.h"
#include "base/stop.h"

typedef struct {
    int limit;
    uint64_t machines, halting; /* halting: within the limit */
    uint64_t *by_steps;         /* (limit + 1): how many halt after so many steps */
    uint64_t *by_ones;          /* (limit + 2): how many halt with so many cells that are not 0 */
    uint64_t runs;              /* that were needed */
    uint64_t counted;           /* machines so far */
} ThTmCensus;

/* What is to be counted. */
typedef struct {
    int states, symbols, limit; /* limit: steps that each machine may make */
    ThStop *stop;
    void (*see)(void *context, const ThTmCensus *c); /* called now and then; NULL: by nobody */
    void *context;
} ThTmCensusWork;

/* Runs all machines for up to w->limit steps.  Errors: TH_ELIMIT if there are 2^64 machines or
 * more, TH_EINTERRUPTED, TH_ENOMEM. */
bool th_tm_census(ThTmCensus *c, const ThTmCensusWork *w, ThError *err);
void th_tm_census_free(ThTmCensus *c);

#endif
