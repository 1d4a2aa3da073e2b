/* plots.h - what commands that draw share. */
#ifndef SH_COMMANDS_PLOTS_PLOTS_H
#define SH_COMMANDS_PLOTS_PLOTS_H

#include "command.h"
#include "plot/figure.h"

/* What is common to such commands: their .common. */
#define SH_PLOT_WHERE                                                                              \
    "Without > the figure appears in a window where there is a display, and as characters in the " \
    "terminal where there is none.  > \"x.png\" writes a file; .svg, .pdf, .tex (TikZ, for "       \
    "LaTeX with the package gnuplot-lua-tikz), .txt (characters) and .gp (the gnuplot script "     \
    "with its data) are written likewise."

/* The options of every such command: its .more_options. */
const ThOptionSpec *sh_plot_options(size_t i);

/* An empty figure with the title that the call asks for, if it does. */
ThFigure sh_new_plot(const ShCall *call);

/* Draws a figure where the call wants it, if it was written without error, and frees it.  The
 * command has the flag C_OWN_REDIRECT. */
bool sh_finish_plot(ShSession *s, const ShCall *call, ThFigure *f, bool written, ThError *err);

#endif
