/* halting.h - how often a block is applied to each string, or to each position: adaptive
 * computation time (Graves 2016) as Ray Chowdhury and Caragea 2024, section 3, have it.
 *
 * A unit is a string or a position.  It starts with a mass of 1.  Each application says a
 * probability p of stopping; p of the mass that is left goes to the state before the application,
 * and the rest goes on.  Once less than 1 - threshold would be left, the unit stops, and that last
 * application is dropped: so the masses of a unit add up to 1 exactly.  Its result is the mean of
 * its states by their masses.  An application costs the mass that is left before it: together that
 * is the mean number of applications by the masses.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"

/* One run.  What is in the arena of the tape lasts as long as the tape's step. */
typedef struct {
    ThTape *t;
    int n, rows;      /* units; rows of the states */
    const int *unit;  /* (rows): whose row it is; -1: padding.  NULL: every row is a unit */
    double threshold; /* stop where so much would have been given away */
    bool *active;     /* (n): goes on */
    int *steps;       /* (n): applications that count */
    const int *most;  /* (n): applications that may */
    double *left;     /* (n): the mass that is left, as a number */
    ThVar account;    /* (rows, d+2), see th_op_give; -1: nothing is given */
    int number;       /* what is decided at each step is kept under the tag "halting", with indices
                         from here on, for th_model_halted_add */
} ThModelHalting;

/* Begins with all units that `most` lets go on, for states of width d; 0: nothing is given, and
 * there is no mean and no cost.  most (n) and unit (rows) are borrowed. */
bool th_model_halting_begin(ThModelHalting *h, ThTape *t, int d);

/* True while a unit goes on. */
bool th_model_halting_goes_on(const ThModelHalting *h);

/* Takes the probabilities p (k, 1) of the k units `which`, which are active: those that stop now
 * become inactive; of the others, p of the mass goes to `state` (rows, d), the states before.  p
 * -1: no mass is given away.  False where memory runs out. */
bool th_model_halting_step(ThModelHalting *h, ThVar p, const int *which, int k, ThVar state);

/* The mean by the masses, where `state` holds what units that go on have come to: (rows, d). */
ThVar th_model_halting_mean(const ThModelHalting *h, ThVar state);

/* What rows pay, each as its unit does, times weight[row]: (1, 1). */
ThVar th_model_halting_cost(const ThModelHalting *h, const float *weight);

/* Room in *to for n units of at most `most` applications; TH_ENOMEM.  Then n units from `from` on
 * of a run on one string, which are tagged from `number` on, become the next of *to: the first
 * covers `wide` positions from `position` on, the others those behind it. */
typedef struct {
    int number, from, n, position, wide;
} ThModelHaltedPart;
bool th_model_halted_begin(ThModelHalted *to, int n, int most, ThError *err);
void th_model_halted_add(ThModelHalted *to, const ThTape *t, const ThModelHaltedPart *part);
