/* draw_spacetime.h - pictures of a run of a Turing machine, of run->limits.steps steps.
 *
 * Runs with one tape are made by the fast engine, so that pictures of millions of steps take no
 * longer than others.  f must be empty.  Errors: TH_EVALUE for machines with choices, whose runs
 * are a tree; TH_ENOMEM, TH_EINTERRUPTED.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "plot/figure.h"
#include "turing/engine.h"

/* Steps to draw: those up to its end, where the machine comes to one within a hundred million
 * (several tapes: ten million), else a thousand. */
#define TH_PLOT_TO_THE_END UINT64_MAX

/* Cells by steps, a colour for each symbol; several tapes stand side by side.  One row for every
 * step, or for some hundred steps equally far apart where there are more; where a column stands
 * for several cells it has the mean of their colours.  Where all steps are drawn, the head is
 * marked, with its state where there are few. */
bool th_plot_spacetime(ThFigure *f, const char *title, const ThTmWork *run, ThError *err);

/* Cells visited, and cells that are not blank, by steps.  The axes are in the
 * order of the option axes=. */
typedef enum { TH_PLOT_AXES_AUTO, TH_PLOT_AXES_LINEAR, TH_PLOT_AXES_LOG } ThPlotAxes;
bool th_plot_run_score(ThFigure *f, const char *title, const ThTmWork *run, ThPlotAxes axes,
                       ThError *err);
