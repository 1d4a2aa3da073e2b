/* shared_block_trace.h - inspection of models whose block is applied again and again.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/attention/encoder.h"

/* As ThModelKind's, where the layout begins with a ThModelEncoder: a layer for each application,
 * whose states are tagged "state" and whose weights "attention"; ends are shown as pads. */
bool th_model_steps_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out,
                          ThError *err);
