/* help_start.h - the first screen of help, and what leads on from it. */
#pragma once

#include "help/wrapped_text.h"

/* Ways to start and the groups of commands, on one screen of 24 lines. */
void sh_help_start(const ShSheet *to);

/* The scripts that were installed beside the program. */
void sh_help_examples(const ShSheet *to);

/* The pages of the tutorial (tutorial.txt). */
void sh_help_tutorial(const ShSheet *to);
