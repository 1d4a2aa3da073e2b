/* ablation.h - what the commands about causes share with those that show and draw. */
#pragma once

#include "command.h"

extern const ThOptionSpec sh_patch_options[];

/* Appends what is ablated in a model: nothing where nothing is. */
void sh_write_ablations(ThText *t, const ThModel *m);

/* Returns new: what `MODEL from WORD to WORD` asks for; word[] become the two words, new, or stay
 * as they are. */
ThInspectPatch *sh_call_patch(ShSession *s, const ShCall *call, int *word[2], ThError *err);
