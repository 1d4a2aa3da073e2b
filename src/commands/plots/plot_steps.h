/* plot_steps.h - a figure a step. */
#pragma once

#include "commands/plots/plots.h"

#define SH_PLOT_WATCH                                                                              \
    {                                                                                              \
        "watch", TH_REAL, NULL, 0, 3600, NULL, "of steps: wait so many seconds after each figure"  \
    }

/* Draws the run of an automaton, the first operand, on the second. */
bool sh_plot_word(ShSession *s, const ShCall *call, ThError *err);
