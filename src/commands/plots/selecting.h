/* selecting.h - attention MODEL INPUT beside SOP. */
#pragma once

#include "commands/plots/plots.h"

/* Print, and draw, the selectors of the s-op in the third operand beside the heads of the model
 * that it was compiled to. */
bool sh_show_selecting(ShSession *s, const ShCall *call, ThError *err);
ShDraw sh_plot_selecting;
