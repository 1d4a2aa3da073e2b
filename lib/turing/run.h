/* run.h - running a Turing machine one rule at a time: any machine, every configuration to be seen.
 *
 * fast.h is the other engine, for machines with one tape and many steps.
 */
#ifndef TH_TURING_RUN_H
#define TH_TURING_RUN_H

#include "base/stop.h"
#include "turing/machine.h"

typedef enum {
    TH_GOES_ON,      /* it has not stopped */
    TH_HALTED,       /* in a state that halts, or where no rule applies */
    TH_ACCEPTED,     /* in a state that accepts */
    TH_REJECTED,     /* in a state that rejects, at the edge, or where no rule applies */
    TH_AT_EDGE,      /* a move to the left of the first cell, with edge=error */
    TH_OUT_OF_STEPS, /* limits, which say nothing about what would come */
    TH_OUT_OF_CELLS,
    TH_OUT_OF_TIME
} ThVerdict;

const char *th_verdict_name(ThVerdict v); /* "halted", "accepted", "steps", … */

/* True if the machine itself has stopped, whatever limits there are. */
bool th_verdict_final(ThVerdict v);

/* No run is longer: neither steps nor positions can wrap. */
#define TH_MOST_STEPS (UINT64_C(1) << 62)

/* cells: of the tapes together. */
typedef struct {
    uint64_t steps, cells;
} ThRunLimits;

typedef struct {
    uint16_t *cell; /* (size), allocated around the visited cells */
    size_t size;
    int64_t base;            /* position of cell[0]; the head starts at position 0 */
    int64_t head, low, high; /* where it is, and the ends of where it was */
} ThTuringTape;

typedef struct {
    const ThTuring *machine; /* borrowed */
    int state;
    uint64_t steps, cells; /* cells: those that the heads stood on */
    ThVerdict verdict;
    int rule; /* the last rule used, or -1 */
    ThTuringTape tape[TH_MOST_TAPES];
} ThRunning;

/* Starts on an input; word[t] (length[t]) are symbols of tape t, borrowed; NULL: all blank.
 * TH_ENOMEM. */
bool th_running_start(ThRunning *r, const ThTuring *m, const int *const *word, const int *length,
                      ThError *err);
void th_running_free(ThRunning *r);

/* Makes up to n steps within the limits.  False on TH_ENOMEM and TH_EINTERRUPTED only; r->verdict
 * tells why it stopped before. */
bool th_running_go(ThRunning *r, uint64_t n, ThRunLimits limits, ThStop *stop, ThError *err);

/* The symbol at a position; blank outside what is allocated. */
int th_turing_tape_at(const ThTuringTape *t, int64_t position, int blank);

/* First and last position that is not blank, widened to the input's first cell where all is blank:
 * then *last < *first.  Returns how many are not blank. */
uint64_t th_turing_tape_extent(const ThTuringTape *t, int blank, int64_t *first, int64_t *last);

/* A configuration on one line: TH_SHOW_HEAD has [ ] around the scanned cell, TH_SHOW_STATE the
 * state before it; several tapes are separated by " | ".  Of a tape at most `width` cells around
 * the head are shown (0: all), ".." standing for the rest. */
typedef enum { TH_SHOW_HEAD, TH_SHOW_STATE } ThConfigurationForm;
void th_running_write(ThText *t, const ThRunning *r, ThConfigurationForm form, int width);

/* Appends cells first … last of a tape by the rule of words (base/symbols.h). */
void th_turing_tape_write(ThText *t, const ThTuring *m, const ThTuringTape *tape, int64_t first,
                          int64_t last);

#endif
