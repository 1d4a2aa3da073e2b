/* sentence_pairs.h - strings that are two (signature.h, pairs): both are read by the same model,
 * and what it made of them is compared.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"

/* Fills *sides, in the memory of the tape, with the 2B strings of B pairs: row i is what stands
 * before the first symbol `between`, row B + i what stands behind it.  Either may be empty, and the
 * second is where there is no such symbol.  Their lengths (B, 2) are tagged "sides".  False where
 * memory runs out. */
bool th_model_sides(ThTape *t, int between, const ThBatch *b, ThBatch *sides);

/* Of a tape on which one string of `length` symbols was run: how many strings it was, and fills
 * their lengths. */
int th_model_sides_read(const ThTape *t, int length, int of[2]);

/* Rows i and B + i of x (2B, d), their product and their distance, beside each other: (B, 4d). */
ThVar th_model_compare(ThTape *t, ThVar x);
