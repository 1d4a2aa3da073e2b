/* npy.h - matrices as NumPy's .npy files, version 1.0: numpy.load reads them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdio.h>

#include "base/memory.h"

typedef enum { TH_NPY_FLOAT64, TH_NPY_FLOAT32, TH_NPY_INT32, TH_NPY_UINT8 } ThNpyType;

/* Writes a row-major matrix of double, float, int or unsigned char, whole or not at all.  rows or
 * cols may be 0; with rows 1 the array still has two dimensions.  Errors: TH_EIO. */
bool th_npy_write(const char *path, ThNpyType type, size_t rows, size_t cols, const void *data,
                  ThError *err);

/* The same in parts, to a stream (of base/file.h): what begins a matrix, then all its values in
 * order.  Whether the stream took them is seen when it is closed. */
void th_npy_begin(FILE *out, ThNpyType type, size_t rows, size_t cols);
void th_npy_values(FILE *out, ThNpyType type, size_t n, const void *data);
