/* columns.h - the layout style=columns of products.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "scratchpad/writing.h"

/* The columns of a product one after another. */
typedef struct {
    const char *x, *m; /* digits; borrowed */
    size_t nx, k;
    size_t places; /* columns, and digits of the result: k zeros are in front of x */
    size_t wide;   /* digits of a sum */
    size_t column; /* the next one, from the last on */
    size_t sum;    /* of the one before */
} ThPadColumns;

ThPadColumns th_pad_columns_begin(const char *x, size_t nx, const char *m, size_t k);

/* Appends the next column with its bar to t, and puts its digit into result (places).  Returns
 * false where there is none. */
bool th_pad_columns_next(ThPadColumns *c, ThText *t, char *result);

/* Writes into e the product of product->x and product->y. */
bool th_pad_columns_write(ThPadExample *e, const ThPadSum *product, ThError *err);

/* The most tokens of a product of nx and k digits. */
size_t th_pad_columns_most(size_t nx, size_t k);

/* Whether n bytes are a text written so: its first number has a point. */
bool th_pad_columns_are(const char *text, size_t n);

/* As ThPadKind's places. */
void th_pad_columns_places(const ThPadPiece *token, size_t n, int *place);
