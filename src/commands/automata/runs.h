/* runs.h - what commands share that run automata on words. */
#pragma once

#include "command.h"

/* Appends the states of prefix i of a run: a name, or a set in braces. */
void sh_write_states(ThText *t, const ThAutomaton *a, const ThAutomatonRun *r, int i);

/* step_automaton.c: step and back of an automaton, the call's first operand, on the word that the
 * second starts with or an earlier call has; shows where it stands. */
bool sh_step_automaton(ShSession *s, const ShCall *call, uint64_t steps, ThError *err);
bool sh_back_automaton(ShSession *s, const ShCall *call, uint64_t steps, ThError *err);
