/* plots.h - what commands that draw share. */
#pragma once

#include "command.h"

/* What is common to such commands: their .common. */
#define SH_PLOT_WHERE                                                                              \
    "Without > the figure appears in a window where there is a display, and as characters in the " \
    "terminal where there is none.  > \"x.png\" writes a file; .svg, .pdf, .tex (TikZ, for "       \
    "LaTeX with the package gnuplot-lua-tikz; automata and machines are states and arrows of its " \
    "library automata, to be edited), .txt (characters) and .gp (the gnuplot script "              \
    "with its data) are written likewise."

/* The options of every such command: its .more_options. */
const ThOptionSpec *sh_plot_options(size_t i);

/* Fills an empty figure, which may have the title that the call asks for. */
typedef bool ShDraw(ThFigure *f, ShSession *s, const ShCall *call, ThError *err);

/* Draws a figure where the call wants it, if it was written without error, and frees it; the same
 * from its drawing on.  The command has the flag C_OWN_REDIRECT. */
bool sh_finish_plot(ShSession *s, const ShCall *call, ThFigure *f, bool written, ThError *err);
bool sh_put_figure(ShSession *s, const ShCall *call, ThFigure *f, const char *path, bool written,
                   ThError *err); /* into a file, or NULL: printed, never in a window */
bool sh_plot(ShSession *s, const ShCall *call, ShDraw *draw, ThError *err);

/* The title that a call asks for, or NULL. */
const char *sh_plot_title(const ShCall *call);

/* A command that draws: as SH_COMMAND, and its body is a ShDraw. */
#define SH_PLOT(id, ...)                                                                           \
    static ShDraw draw_##id;                                                                       \
    SH_COMMAND(id, .group = "plots", .common = SH_PLOT_WHERE, .more_options = sh_plot_options,     \
               .flags = C_OWN_REDIRECT, __VA_ARGS__)                                               \
    {                                                                                              \
        return sh_plot(s, call, draw_##id, err);                                                   \
    }                                                                                              \
    static bool draw_##id(ThFigure *f, __attribute__((unused)) ShSession *s, const ShCall *call,   \
                          ThError *err)
