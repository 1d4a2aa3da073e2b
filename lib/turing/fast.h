/* fast.h - running a machine with one tape many steps at a time, exactly.
 *
 * The tape is cut into blocks of a few cells.  What a block does to a head that enters it is worked
 * out once and kept; equal neighbours are one run of blocks, which a head that goes through them
 * in the same state crosses at once.  Steps, positions, the cells that the head stood on and the
 * configuration at any number of steps are those of run.h.
 *
 *     ThTmFast *f = th_tm_fast_new(m, word, length, 0, &err);
 *     while (th_tm_fast_go(f, 1 << 20, limits, stop, &err) && th_tm_fast_figures(f).verdict ==
 *            TH_TM_GOES_ON)
 *         …
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_run.h"

typedef struct ThTmFast ThTmFast;

typedef struct {
    ThTmVerdict verdict;
    int state;
    uint64_t steps, cells, nonblank;
    int64_t head;        /* relative to where it started */
    int64_t first, last; /* ends of what is not blank; last < first: all is blank */
} ThTmFastFigures;

/* True if the machine can be run this way: one tape, no choice of rules, states times symbols up to
 * 2^18. */
bool th_tm_fast_possible(const ThTm *m);

/* Returns new: at the start of a run on an input.  block: cells in a block, 1 to 32; 0 chooses by
 * trying.  TH_EVALUE for machines with several tapes or very many states and symbols; TH_ENOMEM. */
ThTmFast *th_tm_fast_new(const ThTm *m, const int *word, int length, int block, ThError *err);
void th_tm_fast_free(ThTmFast *f);          /* NULL is fine */
size_t th_tm_fast_bytes(const ThTmFast *f); /* that it holds, without its tape's runs */

/* Goes on for about `work` moves of blocks (each of one step or of very many), or what takes as
 * long, within the limits. steps: at most TH_TM_MOST_STEPS.  False on TH_ENOMEM and TH_EINTERRUPTED
 * only. */
bool th_tm_fast_go(ThTmFast *f, uint64_t work, ThTmRunLimits limits, ThStop *stop, ThError *err);

/* What takes no time to tell. */
ThTmVerdict th_tm_fast_verdict(const ThTmFast *f);
uint64_t th_tm_fast_steps(const ThTmFast *f);

int th_tm_fast_block(const ThTmFast *f); /* cells in a block; th_tm_fast_forget may halve it */

/* Where it stands.  Linear in the runs of blocks. */
ThTmFastFigures th_tm_fast_figures(const ThTmFast *f);

/* Puts where it stands into *r, which is the caller's, as if it had come there one rule at a time,
 * but r->rule is -1.  TH_ELIMIT where the tape is too long for it; TH_ENOMEM. */
bool th_tm_fast_running(const ThTmFast *f, ThTmRunning *r, ThError *err);

/* Position of the first cell that th_tm_fast_each shows. */
int64_t th_tm_fast_left_end(const ThTmFast *f);

/* Calls `see` for stretches of the tape from left to right: n cells, repeated count times.  The
 * stretches cover all that is not blank and the head. */
typedef void ThTmSeeCells(void *context, const uint16_t *cell, int n, uint64_t count);
void th_tm_fast_each(const ThTmFast *f, ThTmSeeCells *see, void *context);
