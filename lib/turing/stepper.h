/* stepper.h - a run that is gone through by hand: forwards, backwards, to breakpoints.
 *
 *     ThTmStepper *s = th_tm_stepper_new(m, &err);
 *     th_tm_stepper_start(s, &words, 1000000, 1, 0, &err);
 *     th_tm_stepper_go(s, 5, 0, NULL, stop, &err);
 *     th_tm_stepper_back(s, 2);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_run.h"

/* Where to stop: all that is given must hold after a step. */
typedef struct {
    int state;  /* the state that was entered; -1: any */
    int symbol; /* what some head scans then; -1: any */
    int rule;   /* the rule that was used; -1: any */
} ThTmBreakpoint;

typedef struct ThTmStepper ThTmStepper;

/* Returns new: not started, with the breakpoints of the machine's rules.  m is borrowed. */
ThTmStepper *th_tm_stepper_new(const ThTm *m, ThError *err);
void th_tm_stepper_free(ThTmStepper *s); /* NULL is fine */

/* Starts a run, from the beginning; breakpoints stay.  Up to `undo` steps can be taken back.  An
 * earlier run is kept where this fails: TH_ENOMEM, and TH_EVALUE where the first step has no choice
 * number `choice`. */
bool th_tm_stepper_start(ThTmStepper *s, const ThTmTapeWords *words, size_t undo, uint64_t seed,
                         int choice, ThError *err);

/* Goes on from where another run stands, *r, which is taken over; nothing before it can be
 * taken back. */
void th_tm_stepper_take(ThTmStepper *s, ThTmRunning *r, size_t undo, uint64_t seed);

/* A view of the run, or NULL before the first start. */
const ThTmRunning *th_tm_stepper_running(const ThTmStepper *s);

/* Makes up to n steps, fewer where the machine stops or comes to a breakpoint: *at is its number
 * then, else SIZE_MAX.  Where there is a choice of rules, the first step takes number `choice` of
 * them (from 1 on; 0: one at random), the others one at random.  Errors: TH_EVALUE where there is
 * no such choice; TH_ENOMEM and TH_EINTERRUPTED, the steps so far being made. */
bool th_tm_stepper_go(ThTmStepper *s, uint64_t n, int choice, size_t *at, ThStop *stop,
                      ThError *err);

/* Takes up to n steps back; returns how many, fewer where the start is reached or the memory of
 * steps ends. */
uint64_t th_tm_stepper_back(ThTmStepper *s, uint64_t n);

/* Steps that can be taken back. */
size_t th_tm_stepper_undo(const ThTmStepper *s);

/* Breakpoints, numbered from 0 on in the order in which they were set. */
bool th_tm_stepper_break(ThTmStepper *s, ThTmBreakpoint b, ThError *err);
size_t th_tm_stepper_breaks(const ThTmStepper *s);
ThTmBreakpoint th_tm_stepper_breakpoint(const ThTmStepper *s, size_t i);
void th_tm_stepper_clear(ThTmStepper *s, size_t i);

/* Returns new: the numbers of the rules for a case as it is written in a block, "q 0" or "q 0 | 1",
 * *n of them.  TH_EPARSE or TH_EVALUE where there is none. */
int *th_tm_rules_for(const ThTm *m, const char *text, size_t *n, ThError *err);
