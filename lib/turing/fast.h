/* fast.h - running a machine with one tape many steps at a time, exactly.
 *
 * The tape is cut into blocks of a few cells.  What a block does to a head that enters it is worked
 * out once and kept; equal neighbours are one run of blocks, which a head that goes through them
 * in the same state crosses at once.  Steps, positions, the cells that the head stood on and the
 * configuration at any number of steps are those of run.h.
 *
 *     ThFast *f = th_fast_new(m, word, length, 0, &err);
 *     while (th_fast_go(f, 1 << 20, limits, stop, &err) && th_fast_figures(f).verdict ==
 *            TH_GOES_ON)
 *         …
 */
#ifndef TH_TURING_FAST_H
#define TH_TURING_FAST_H

#include "turing/run.h"

typedef struct ThFast ThFast;

typedef struct {
    ThVerdict verdict;
    int state;
    uint64_t steps, cells, nonblank;
    int64_t head;        /* relative to where it started */
    int64_t first, last; /* ends of what is not blank; last < first: all is blank */
} ThFastFigures;

/* True if the machine can be run this way: one tape, no choice of rules, states times symbols up to
 * 2^18. */
bool th_fast_possible(const ThTuring *m);

/* Returns new: at the start of a run on an input.  block: cells in a block, 1 to 32; 0 chooses by
 * trying.  TH_EVALUE for machines with several tapes or very many states and symbols; TH_ENOMEM. */
ThFast *th_fast_new(const ThTuring *m, const int *word, int length, int block, ThError *err);
void th_fast_free(ThFast *f); /* NULL is fine */
int th_fast_block(const ThFast *f);
size_t th_fast_bytes(const ThFast *f); /* that it holds, without its tape's runs */

/* Goes on for about `work` moves of blocks (each of one step or of very many), or what takes as
 * long, within the limits. steps: at most TH_MOST_STEPS.  False on TH_ENOMEM and TH_EINTERRUPTED
 * only. */
bool th_fast_go(ThFast *f, uint64_t work, ThRunLimits limits, ThStop *stop, ThError *err);

/* What takes no time to tell. */
ThVerdict th_fast_verdict(const ThFast *f);
uint64_t th_fast_steps(const ThFast *f);

/* Where it stands.  Linear in the runs of blocks. */
ThFastFigures th_fast_figures(const ThFast *f);

/* Position of the first cell that th_fast_each shows. */
int64_t th_fast_left_end(const ThFast *f);

/* Calls `see` for stretches of the tape from left to right: n cells, repeated count times.  The
 * stretches cover all that is not blank and the head. */
typedef void ThSeeCells(void *context, const uint16_t *cell, int n, uint64_t count);
void th_fast_each(const ThFast *f, ThSeeCells *see, void *context);

#endif
