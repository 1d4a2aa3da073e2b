/* afterwards.h - what a machine that never stops does for the last time.
 *
 * A machine quasihalts when it leaves a state for the last time.  Of one whose configuration comes
 * back, shifted or not, it is known which states it goes on to use, and whether its tape is ever
 * blank again: what is in the period is so for ever (where the tape moves on, what is left behind
 * stays as it is).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_run.h"

typedef struct {
    int n; /* states */
    uint64_t
        *used;   /* the steps after which it was left for the last time that was seen; 0: never */
    bool *again; /* it is used in the period, and for ever */
    uint64_t settled; /* steps after which only such states are used; 0: it quasihalts nowhere */
    uint64_t blank;   /* the steps after which the tape is first blank again; 0: not in these */
} ThTmAfterwards;

/* Looks at the first begins + period steps: of a recurrence, its own; of another run period 0, and
 * then only `blank` counts.  To be freed.  Errors: TH_ENOMEM, TH_EINTERRUPTED.  Linear. */
bool th_tm_afterwards(ThTmAfterwards *x, const ThTmWork *w, uint64_t begins, uint64_t period,
                      ThError *err);
void th_tm_afterwards_free(ThTmAfterwards *x);
TH_RELEASES_VALUE(th_tm_afterwards_free, ThTmAfterwards)
