/* shared_block_trace.h - inspection of models whose block is applied again and again.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_MODELS_HALTING_SHARED_BLOCK_TRACE_H
#define TH_MODELS_HALTING_SHARED_BLOCK_TRACE_H

#include "models/attention/attention.h"

/* Fills trace->layer, one for each application whose states are tagged "state" and whose weights
 * "attention".  `ends` rows stand before the string, and as many behind it; they are shown as pads.
 * TH_ENOMEM. */
bool th_model_steps_trace(const ThModelAttention *a, int ends, const ThTape *t, int length,
                          ThModelTrace *out, ThError *err);

#endif
