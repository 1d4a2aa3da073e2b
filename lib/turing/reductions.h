/* reductions.h - Turing machines that do what another does with less: two symbols, an edge, one
 * tape, no choice.  Textbook constructions (Hopcroft and Ullman 1979, chapter 7), made for the
 * states that can be reached.
 *
 * Each returns a new machine, or NULL and TH_ENOMEM; TH_EVALUE where it does not apply, and
 * TH_ELIMIT where it would have more than `most` rules; TH_EINTERRUPTED.  Inputs are those of the
 * machine, under the same names, but for th_tm_binary.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"
#include "turing/tm_machine.h"

/* Of one tape: with the symbols 0, the blank, and 1.  A cell becomes th_tm_binary_width cells,
 * which hold th_tm_binary_code of its symbol, the first bit the highest; a step becomes 3 width -
 * 2, or 2 width - 1 where it stands still. */
ThTm *th_tm_binary(const ThTm *m, size_t most, ThStop *stop, ThError *err);
int th_tm_binary_width(const ThTm *m);
int th_tm_binary_code(const ThTm *m, int symbol);

/* Of one two-way tape: that never goes to the left of its first cell.  A cell is a pair of the cell
 * and of its mirror image; one step more than m makes. */
ThTm *th_tm_one_way(const ThTm *m, size_t most, ThStop *stop, ThError *err);

/* Of several two-way tapes: one, a cell of which holds a cell of each and says which heads stand
 * there.  t steps become O(t^2). */
ThTm *th_tm_one_tape(const ThTm *m, size_t most, ThStop *stop, ThError *err);

/* Of one tape, with choices: three tapes, for the input, a run, and the choices that it is to take,
 * which go through all sequences in the order of their lengths.  It accepts where some run does,
 * and rejects where all runs end otherwise; a machine without an accepting state halts where some
 * run does. */
ThTm *th_tm_deterministic(const ThTm *m, size_t most, ThStop *stop, ThError *err);

/* Returns new: a machine that runs any other of two symbols: th_tm_universal_input is its input. */
ThTm *th_tm_universal(ThError *err);

/* Appends what th_tm_universal reads to run m, which has one two-way tape, two symbols, no choices
 * and one state that runs, on `input` (n symbols of m).  Instead of standing still it goes to the
 * right and back.  TH_EVALUE if m is none of these. */
bool th_tm_universal_input(ThText *t, const ThTm *m, const int *input, int n, ThError *err);
