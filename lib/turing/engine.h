/* engine.h - a run by whichever engine is faster, and what is said about it. */
#ifndef TH_TURING_ENGINE_H
#define TH_TURING_ENGINE_H

#include "turing/fast.h"

typedef struct {
    const ThTuring *machine;
    ThFast *fast;    /* NULL: plain */
    ThRunning plain; /* started where fast is NULL */
} ThEngine;

bool th_engine_start(ThEngine *e, const ThTuring *m, const ThTapeWords *words, ThError *err);
void th_engine_free(ThEngine *e);

/* As th_fast_go. */
bool th_engine_go(ThEngine *e, uint64_t work, ThRunLimits limits, ThStop *stop, ThError *err);

/* What takes no time to tell. */
ThVerdict th_engine_verdict(const ThEngine *e);
uint64_t th_engine_steps(const ThEngine *e);

/* Of several tapes: head, first and last are those of the first; nonblank counts all. */
ThFastFigures th_engine_figures(const ThEngine *e);

/* Appends what is not blank, tapes separated by " | ".  A tape of more than `most` cells is written
 * in runs: "1^12 0 1^3". */
bool th_engine_tape(ThText *t, const ThEngine *e, int64_t most, ThError *err);

#endif
