/* verdict.h - how a run of a Turing machine ends: what its engines have in common.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_machine.h"

typedef enum {
    TH_TM_GOES_ON,      /* it has not stopped */
    TH_TM_HALTED,       /* in a state that halts, or where no rule applies */
    TH_TM_ACCEPTED,     /* in a state that accepts */
    TH_TM_REJECTED,     /* in a state that rejects, at the edge, or where no rule applies */
    TH_TM_AT_EDGE,      /* a move to the left of the first cell, with edge=error */
    TH_TM_ENDLESS,      /* it can go on for ever: only a search through all runs says so */
    TH_TM_OUT_OF_STEPS, /* limits, which say nothing about what would come */
    TH_TM_OUT_OF_CELLS,
    TH_TM_OUT_OF_CONFIGURATIONS,
    TH_TM_OUT_OF_TIME
} ThTmVerdict;

const char *th_tm_verdict_name(ThTmVerdict v); /* "halted", "accepted", "steps", … */

/* True if the machine itself has stopped, whatever limits there are. */
bool th_tm_verdict_final(ThTmVerdict v);

/* The verdict on entering a state. */
static inline ThTmVerdict th_tm_entered(const ThTm *m, int state)
{
    static const ThTmVerdict of_role[] = {TH_TM_GOES_ON, TH_TM_HALTED, TH_TM_ACCEPTED,
                                          TH_TM_REJECTED};
    return of_role[m->role[state]];
}

/* The verdict where no rule applies; *steps grows by the step that some machines make there. */
static inline ThTmVerdict th_tm_missed(const ThTm *m, uint64_t *steps)
{
    *steps += m->missing == TH_TM_MISSING_STEP;
    return m->missing == TH_TM_MISSING_REJECT ? TH_TM_REJECTED : TH_TM_HALTED;
}

/* The verdict after a step that would have gone to the left of the first cell, `entered` being that
 * of the state which it led to. */
static inline ThTmVerdict th_tm_over_edge(const ThTm *m, ThTmVerdict entered)
{
    if (m->edge == TH_TM_EDGE_REJECT)
        return TH_TM_REJECTED;
    return m->edge == TH_TM_EDGE_ERROR ? TH_TM_AT_EDGE : entered;
}

/* No run is longer: neither steps nor positions can wrap. */
#define TH_TM_MOST_STEPS (UINT64_C(1) << 62)

/* cells: of the tapes together. */
typedef struct {
    uint64_t steps, cells;
} ThTmRunLimits;
