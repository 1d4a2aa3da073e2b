/* endless_impl.h - what the checker of machines shares between its files.
 *
 * Internal: for machine/endless*.c only.
 */
#pragma once

#include "base/intern.h"
#include "proof/machine/endless.h"

enum { ENDLESS_STATES = 25, ENDLESS_SYMBOLS = 10, ENDLESS_NUMBERS = 1024, ENDLESS_STOP = -1 };

typedef struct {
    int write, move, to;
} EndlessRule;

/* A machine and what is said of it. */
typedef struct {
    int states, symbols, n;
    EndlessRule rule[ENDLESS_STATES][ENDLESS_SYMBOLS];
    long long number[ENDLESS_NUMBERS];
    ThProofMachine *found;
    ThStop *stop;
    ThError *err;
} Endless;

/* A tape, from the far end to the head, which looks to the other side; what is ahead is blank, or
 * not. */
typedef struct {
    unsigned char *cell;
    int n, state;
    bool ahead;
} EndlessTape;

/* Whether moves lead from all that a formula stands for, a tape among it, to what it stands for. */
bool th_proof_endless_bouncers(Endless *e, const EndlessTape *tape);

/* Whether a set that holds the start is closed under steps and none of it stops; of the automaton,
 * whether the start is not in it, that of all that may stop.  False with an error, too. */
bool th_proof_endless_contexts(Endless *e);
bool th_proof_endless_far(Endless *e);
bool th_proof_endless_words(Endless *e);
