/* columns.h - the layout style=columns of products.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_SCRATCHPAD_COLUMNS_H
#define TH_SCRATCHPAD_COLUMNS_H

#include "scratchpad/writing.h"

/* Writes into e the product of product->x and product->y. */
bool th_pad_columns_write(ThPadExample *e, const ThPadSum *product, ThError *err);

/* The most tokens of a product of nx and k digits. */
size_t th_pad_columns_most(size_t nx, size_t k);

/* Whether n bytes are a text written so: its first number has a point. */
bool th_pad_columns_are(const char *text, size_t n);

/* As ThPadKind's places. */
void th_pad_columns_places(const ThPadPiece *token, size_t n, int *place);

#endif
