/* spacetime.h - the picture of a run of a Turing machine: cells by steps. */
#ifndef TH_SPACETIME_H
#define TH_SPACETIME_H

#include "base/stop.h"
#include "plot/figure.h"
#include "turing/engine.h"

/* One row for every step, or for some hundred steps equally far apart where there are more; a
 * colour for each symbol.  Machines with one tape only.  f must be empty. */
bool th_plot_spacetime(ThFigure *f, const char *title, const ThTuring *m, const ThTapeWords *words,
                       uint64_t steps, ThStop *stop, ThError *err);

#endif
