/* draw_machine.h - the picture of a Turing machine: its states, and arrows for its rules.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "plot/figure.h"
#include "turing/tm_machine.h"

/* Accepting states have two circles, rejecting ones are reddish, other ones that stop grey.  A
 * rule is written "0,1 → a,R": for these symbols write a and move to the right; where nothing is
 * written there is the move only.  The state `here` stands out, -1: none.
 * f must be empty.  Errors: TH_ELIMIT beyond a few hundred states
 * or some thousand arrows. */
bool th_plot_machine(ThFigure *f, const char *title, const ThTm *m, int here, ThStop *stop,
                     ThError *err);

/* A symbol as pictures have it: ␣ for a blank that is written _ or as a blank; view. */
const char *th_plot_tape_symbol(const ThTm *m, int symbol);
