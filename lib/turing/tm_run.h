/* tm_run.h - running a Turing machine one rule at a time: any machine, every configuration to be
 * seen.
 *
 * fast.h is the other engine, for machines with one tape and many steps.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "base/stop.h"
#include "turing/tape_words.h"
#include "turing/tm_tape.h"
#include "turing/verdict.h"

/* A run on an input, and what bounds the work on it. */
typedef struct {
    const ThTm *machine;
    const ThTmTapeWords *words;
    ThTmRunLimits limits;
    ThStop *stop;
} ThTmWork;

typedef struct {
    const ThTm *machine; /* borrowed */
    int state;
    uint64_t steps, cells; /* cells: those that the heads stood on */
    ThTmVerdict verdict;
    int rule;      /* the last rule used, or -1 */
    ThRng *choose; /* borrowed: where there is a choice of rules, one is drawn; NULL: the first */
    ThTmTape tape[TH_TM_MOST_TAPES];
} ThTmRunning;

/* Starts on an input; word[t] (length[t]) are symbols of tape t, borrowed; NULL: all blank.
 * TH_ENOMEM. */
bool th_tm_running_start(ThTmRunning *r, const ThTm *m, const int *const *word, const int *length,
                         ThError *err);
bool th_tm_running_start_words(ThTmRunning *r, const ThTm *m, const ThTmTapeWords *words,
                               ThError *err);
void th_tm_running_free(ThTmRunning *r);
TH_RELEASES_VALUE(th_tm_running_free, ThTmRunning)

/* Makes up to n steps within the limits.  False on TH_ENOMEM and TH_EINTERRUPTED only; r->verdict
 * tells why it stopped before. */
bool th_tm_running_go(ThTmRunning *r, uint64_t n, ThTmRunLimits limits, ThStop *stop, ThError *err);

/* The rules that there is a choice of now: a view of their numbers, *n of them. */
const size_t *th_tm_running_choices(const ThTmRunning *r, size_t *n);

/* One step of a run that goes on, by a rule that is among the choices; -1 where there is none.
 * r->verdict tells whether a limit prevented it.  TH_ENOMEM. */
bool th_tm_running_apply(ThTmRunning *r, int rule, ThTmRunLimits limits, ThError *err);
