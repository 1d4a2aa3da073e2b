/* verdict.h - how a run of a Turing machine ends: what its engines have in common. */
#ifndef TH_TURING_VERDICT_H
#define TH_TURING_VERDICT_H

#include "turing/machine.h"

typedef enum {
    TH_GOES_ON,      /* it has not stopped */
    TH_HALTED,       /* in a state that halts, or where no rule applies */
    TH_ACCEPTED,     /* in a state that accepts */
    TH_REJECTED,     /* in a state that rejects, at the edge, or where no rule applies */
    TH_AT_EDGE,      /* a move to the left of the first cell, with edge=error */
    TH_ENDLESS,      /* it can go on for ever: only a search through all runs says so */
    TH_OUT_OF_STEPS, /* limits, which say nothing about what would come */
    TH_OUT_OF_CELLS,
    TH_OUT_OF_CONFIGURATIONS,
    TH_OUT_OF_TIME
} ThVerdict;

const char *th_verdict_name(ThVerdict v); /* "halted", "accepted", "steps", … */

/* True if the machine itself has stopped, whatever limits there are. */
bool th_verdict_final(ThVerdict v);

/* The verdict on entering a state. */
static inline ThVerdict th_turing_entered(const ThTuring *m, int state)
{
    static const ThVerdict of_role[] = {TH_GOES_ON, TH_HALTED, TH_ACCEPTED, TH_REJECTED};
    return of_role[m->role[state]];
}

/* The verdict where no rule applies; *steps grows by the step that some machines make there. */
static inline ThVerdict th_turing_missed(const ThTuring *m, uint64_t *steps)
{
    *steps += m->missing == TH_MISSING_STEP;
    return m->missing == TH_MISSING_REJECT ? TH_REJECTED : TH_HALTED;
}

/* The verdict after a step that would have gone to the left of the first cell, `entered` being that
 * of the state which it led to. */
static inline ThVerdict th_turing_over_edge(const ThTuring *m, ThVerdict entered)
{
    if (m->edge == TH_EDGE_REJECT)
        return TH_REJECTED;
    return m->edge == TH_EDGE_ERROR ? TH_AT_EDGE : entered;
}

/* No run is longer: neither steps nor positions can wrap. */
#define TH_MOST_STEPS (UINT64_C(1) << 62)

/* cells: of the tapes together. */
typedef struct {
    uint64_t steps, cells;
} ThRunLimits;

#endif
