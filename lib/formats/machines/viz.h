/* viz.h - writing machines for turingmachine.io.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/format.h"

/* The write_machine of the format: see formats/format.h. */
bool th_format_viz_write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err);
