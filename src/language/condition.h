/* condition.h - what assert and if understand: comparisons over variables and the last result's
 * figures. */
#pragma once

#include "session.h"

/* Evaluates a condition; *holds gets its truth, and `values` the figures and calls that it read
 * with what they were ("accuracy = 0.93, steps = 200").  Errors have their column in the text. */
bool sh_condition(ShSession *s, const char *text, bool *holds, ThText *values, ThError *err);
