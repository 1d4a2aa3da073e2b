/* board.h - a drawing that comes about step by step, as on a blackboard: one figure a step.
 *
 * States keep their places from figure to figure: all are laid out at once, and those that are not
 * there yet, or no longer, are left out.
 *
 *     ThPlotBoard *b = th_plot_board_run(a, word, length, stop, &err);
 *     for (int i = 0; i < th_plot_board_steps(b); i++)
 *         th_plot_board_draw(&f, "parity", b, i, stop, &err);
 *     th_plot_board_free(b);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"
#include "plot/figure.h"

typedef struct ThPlotBoard ThPlotBoard;

void th_plot_board_free(ThPlotBoard *b); /* NULL is fine */
TH_RELEASES(th_plot_board_free, ThPlotBoard)

/* All return new.  TH_ELIMIT beyond some hundred states or steps. */

/* A run: the states where it may stand before the word and after each symbol, up to where there is
 * none left. */
ThPlotBoard *th_plot_board_run(const ThAutomaton *a, const int *word, int length, ThStop *stop,
                               ThError *err);

/* The subset construction, arrow by arrow; Moore's minimization, round by round, a colour a block;
 * the elimination of states, state by state; Thompson's construction, part by part. */
ThPlotBoard *th_plot_board_determinize(const ThAutomaton *a, ThStop *stop, ThError *err);
ThPlotBoard *th_plot_board_minimize(const ThAutomaton *a, ThStop *stop, ThError *err);
ThPlotBoard *th_plot_board_eliminate(const ThAutomaton *a, ThStop *stop, ThError *err);
ThPlotBoard *th_plot_board_thompson(const char *pattern, ThStop *stop, ThError *err);

int th_plot_board_steps(const ThPlotBoard *b);

/* Draws step i, from 0; f must be empty.  Errors as th_plot_automaton. */
bool th_plot_board_draw(ThFigure *f, const char *title, const ThPlotBoard *b, int i, ThStop *stop,
                        ThError *err);
