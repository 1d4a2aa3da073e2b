/* grams.h - do configurations repeat themselves inside?
 *
 * The paper on Turing Programs (Hou et al. 2024) shows that a short RASP program, and so a
 * transformer, carries out any machine on an input as long as two conditions hold: the head never
 * leaves the input, and no configuration contains an n-gram twice.  A configuration is taken as a
 * text: a mark for its beginning, its cells, a mark for its end, and the state right behind the
 * scanned cell.  As marks and the state are there once only, an n-gram that is there twice lies in
 * cells on one side of the state.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/engine.h"

/* Where a run starts: on an input, in a state, at a position.  One tape, no choice of rules. */
typedef struct {
    const ThTm *machine;
    const ThTmTapeWords *words;
    int state;
    int64_t head;
} ThTmRunStart;

/* The usual start, at cell 0 in the machine's start state.  TH_EVALUE for machines with several
 * tapes or with choices. */
bool th_tm_run_start(ThTmRunStart *s, const ThTm *m, const ThTmTapeWords *words, ThError *err);

/* Starts a run there; see th_tm_running_start. */
bool th_tm_running_from(ThTmRunning *r, const ThTmRunStart *s, ThError *err);

/* The part of the tape that a run needs. */
typedef struct {
    ThTmVerdict verdict;
    uint64_t steps;
    int64_t first, last;   /* the input's cells and those that the head stood on */
    bool leaves;           /* the head leaves the input (a blank input has one cell) */
    uint64_t leaves_after; /* the steps after which it first has */
} ThTmRunExtent;
bool th_tm_run_extent(ThTmRunExtent *x, const ThTmRunStart *s, ThTmRunLimits limits, ThStop *stop,
                      ThError *err);

typedef struct {
    int longest; /* of what a configuration contains twice; 0: no symbol */
    /* The first configuration with a repetition so long, and the first cells of both. */
    uint64_t step;
    int64_t one, other;
} ThTmGrams;

typedef struct {
    uint64_t from; /* steps to the first configuration that counts */
    int least;     /* a repetition is longer */
    bool first;    /* stop at the first such */
} ThTmGramsWanted;

/* The longest repetition in any configuration from the first that counts to the one after x->steps;
 * longest is how->least where there is none.  Constant time a step, and O(L log L) each time the
 * record is broken (L cells). */
bool th_tm_grams(ThTmGrams *g, const ThTmRunStart *s, const ThTmRunExtent *x,
                 const ThTmGramsWanted *how, ThStop *stop, ThError *err);
