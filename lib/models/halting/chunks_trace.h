/* chunks_trace.h - inspection of models that read in chunks.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/halting/chunks.h"
#include "models/halting/halting.h"
#include "models/halting/ponder.h"

/* Steps of inspections that a chunk has: those of `most` applications of blocks, whose attention to
 * the chunk is tagged by the first numbers and that to the slots by the next; and of the updates.
 */
int th_model_chunk_steps(const ThModelChunks *c, int most);

/* Fills trace->layer: for each application two layers, what positions read of their chunk and what
 * of the slots; then one for each update, whose rows are the slots behind each chunk. */
bool th_model_chunks_trace(const ThModelChunks *c, const ThModelEncoder *e, int most,
                           const ThTape *t, int length, ThModelTrace *out, ThError *err);

/* Fills *to, see ThModelKind, of a model whose block is applied to each chunk until it halts. */
bool th_model_chunks_halted(const ThModelChunks *c, const ThModelEncoder *e,
                            const ThModelThinker *k, const ThTape *t, int length, ThModelHalted *to,
                            ThError *err);
