/* closed.h - deciders for one two-way tape: sets of configurations that no run leaves.
 *
 *     ThTmTable t;
 *     if (th_tm_table(&t, m)) …
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"
#include "turing/tm_machine.h"

enum { TH_TM_TABLE_STATES = 25, TH_TM_TABLE_SYMBOLS = 10, TH_TM_FAR_STATES = 12 };

/* A machine by cases: the start is state 0, the blank symbol 0, others keep their order as in
 * bbchallenge strings. */
typedef struct {
    int states, symbols;
    struct {
        int write, move, to; /* to -1: it stops */
    } at[TH_TM_TABLE_STATES][TH_TM_TABLE_SYMBOLS];
} ThTmTable;

/* False where it has several tapes, an edge, a choice, rules that stand still, or more states or
 * symbols. */
bool th_tm_table(ThTmTable *t, const ThTm *m);

/* Finite automata reduction (Blanchard 2022, in bbchallenge's deciders; cf. the closed tape
 * languages of Marxen and Buntrock): an automaton reads the tape from one side to the head, and the
 * least nondeterministic one behind it takes all configurations that may stop, and not the start.
 */
typedef struct {
    bool forward;                                             /* it reads from the left */
    int states, next[TH_TM_FAR_STATES * TH_TM_TABLE_SYMBOLS]; /* (states, symbols) */
} ThTmFar;

/* Tries automata of up to `most` states, a number of them at most; *proved where one is found, from
 * a blank tape.  Errors: TH_EINTERRUPTED. */
bool th_tm_far(ThTmFar *f, const ThTmTable *t, int most, ThStop *stop, bool *proved, ThError *err);

/* Repeated word lists (mxdys, in Coq-BB5 2024): halves of the tape as words of `length` cells, each
 * so many times; of `most` and more it is not told how many. */
typedef struct {
    int length, most;
    size_t configurations;
} ThTmRepeated;

/* Tries words of up to `longest` cells; *proved where some thousand configurations at most lead to
 * each other only, and none stops.  Errors: TH_ENOMEM, TH_EINTERRUPTED. */
bool th_tm_repeated(ThTmRepeated *r, const ThTmTable *t, int longest, ThStop *stop, bool *proved,
                    ThError *err);
