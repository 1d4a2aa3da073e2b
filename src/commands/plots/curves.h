/* curves.h - how the curves of a figure are asked for: axes, legend, order and names. */
#pragma once

#include "command.h"

/* Rows of the options of a command that draws curves by length; sh_plot reads all but series=. */
#define SH_CURVE_OPTIONS                                                                           \
    {"xlim", TH_STRING, NULL, 0, 0, NULL, "limits of the lengths, as 0..200"},                     \
        {"ylim", TH_STRING, NULL, 0, 0, NULL, "limits of the shares, as 0.5..1"},                  \
        {"log", TH_CHOICE, "none", 0, 0, "none|x|y|xy", "axes that are logarithmic"},              \
        {"legend",                                                                                 \
         TH_CHOICE,                                                                                \
         NULL,                                                                                     \
         0,                                                                                        \
         0,                                                                                        \
         SH_LEGENDS,                                                                               \
         "where the names of the curves stand; right, below: beside the figure"},                  \
    {                                                                                              \
        "series", TH_STRING, NULL, 0, 0, NULL,                                                     \
            "the curves that are drawn, in this order: their names with commas between, or "       \
            "NAME=TEXT where the legend is to say something else"                                  \
    }

#define SH_LEGENDS "right|below|top_left|top_right|bottom_left|bottom_right|none"

/* The axes that the options of a call ask for; of a call that has none of these *axes stays. */
bool sh_read_axes(const ThOptions *o, ThFigureAxes *axes, ThError *err);

/* Puts *n curves into the order of series=, where it is given, under its names; those that it does
 * not name are dropped.  *text gets new storage of the names, which the caller frees; NULL: none.
 * TH_EUSAGE for a name that no curve has. */
bool sh_choose_series(const ThOptions *o, ThPlotModel *curve, size_t *n, char **text, ThError *err);

/* plots.c.  Returns new: the models that a call names, to be drawn in one figure, and its title
 * (new, too): of several WHAT, for the legend names them. */
ThPlotModel *sh_models_drawn(const ShCall *call, const char *prefix, const char *what, char **title,
                             ThError *err);
