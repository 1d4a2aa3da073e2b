/* engine.h - a run by whichever engine is faster, and what is said about it.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/fast.h"

typedef struct {
    const ThTm *machine;
    ThTmFast *fast;    /* NULL: plain */
    ThTmRunning plain; /* started where fast is NULL */
    ThRng rng;         /* for plain.choose to point to, where the engine does not move */
} ThTmEngine;

bool th_tm_engine_start(ThTmEngine *e, const ThTm *m, const ThTmTapeWords *words, ThError *err);
void th_tm_engine_free(ThTmEngine *e);
TH_RELEASES_VALUE(th_tm_engine_free, ThTmEngine)

/* As th_tm_fast_go. */
bool th_tm_engine_go(ThTmEngine *e, uint64_t work, ThTmRunLimits limits, ThStop *stop,
                     ThError *err);

/* Moves where it stands into *r, and frees the rest, or fails as th_tm_fast_running does, and then
 * changes nothing. */
bool th_tm_engine_take(ThTmEngine *e, ThTmRunning *r, ThError *err);

/* What takes no time to tell. */
ThTmVerdict th_tm_engine_verdict(const ThTmEngine *e);
uint64_t th_tm_engine_steps(const ThTmEngine *e);

/* Of several tapes: head, first and last are those of the first; nonblank counts all. */
ThTmFastFigures th_tm_engine_figures(const ThTmEngine *e);

/* Appends what is not blank, tapes separated by " | ".  A tape of more than `most` cells is written
 * in runs: "1^12 0 1^3". */
bool th_tm_engine_tape(ThText *t, const ThTmEngine *e, int64_t most, ThError *err);

/* A hash of what is not blank, by the names of symbols: of tapes of other machines, too, the same
 * where they hold the same, wherever that stands.  coded: of the tape that th_tm_binary's machine
 * has then, and of where that stands. */
uint64_t th_tm_engine_digest(const ThTmEngine *e, bool coded);
