/* making.h - how machines are made of others: rules counted, states found by what they are for.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "base/stop.h"
#include "turing/tm_machine.h"

/* A state of the new machine is a key: what it does, and what for.  States are numbered as their
 * keys are, in the order in which they are found, and their rules are made in that order. */
typedef struct {
    int does, state; /* of the old machine */
    int a, b, c;     /* as it needs them */
    int held[TH_TM_MOST_TAPES];
} ThTmKey;

enum { TH_TM_KEY_STOPS = -1 }; /* does */

/* The first failure stays in `err`, and ok is false from then on: nothing is added any more. */
typedef struct {
    const ThTm *m;
    ThTmBuild b;
    ThIntern keys;
    size_t most;  /* rules */
    ThStop *stop; /* may be NULL */
    bool ok;
    ThError *err;
} ThTmMaking;

/* Nothing yet, with one tape. */
ThTmMaking th_tm_making(const ThTm *m, size_t most, ThStop *stop, ThError *err);

/* Returns new, or NULL and the error that was met; *x is empty afterwards. */
ThTm *th_tm_making_finish(ThTmMaking *x);

/* The state of a key; a new one is called by the name, NULL where there was no memory for it. */
int th_tm_making_state(ThTmMaking *x, const ThTmKey *key, ThTmRole role, const char *name);

/* The key of the state *i, which is still to get its rules, and the next *i; false: there is none.
 */
bool th_tm_making_next(const ThTmMaking *x, size_t *i, ThTmKey *key);

/* TH_ELIMIT for too many, TH_EINTERRUPTED.  Returns x->ok. */
bool th_tm_making_rule(ThTmMaking *x, const ThTmRule *r);

/* A rule of a machine with one tape. */
void th_tm_making_step(ThTmMaking *x, int from, int read, int write, int move, int to);

/* What a rule does to a symbol, and in which state it leaves q. */
static inline int th_tm_written(const ThTmRule *r, int tape, int read)
{
    return r->write[tape] == TH_TM_ANY ? read : r->write[tape];
}

static inline int th_tm_target(const ThTmRule *r, int q)
{
    return r->to == TH_TM_ANY ? q : r->to;
}

/* Has it one two-way tape?  Else TH_EVALUE. */
bool th_tm_single_tape(const ThTm *m, ThError *err);
