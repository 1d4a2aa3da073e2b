/* plots.h - what commands that draw share. */
#ifndef TH_COMMANDS_PLOTS_H
#define TH_COMMANDS_PLOTS_H

#include "command.h"
#include "plot/figure.h"

/* The last paragraph of the detail of every such command. */
#define TH_PLOT_WHERE                                                                              \
    "Without > the figure appears in a window where there is a display, and as characters in the " \
    "terminal where there is none.  > \"x.png\" writes a file; .svg, .pdf, .txt (characters) and " \
    ".gp (the gnuplot script with its data) are written likewise."

/* Draws a figure where the call wants it, if it was written without error, and frees it.  The
 * command has the flag C_OWN_REDIRECT. */
bool th_finish_plot(ThSession *s, const ThCall *call, ThFigure *f, bool written, ThError *err);

#endif
