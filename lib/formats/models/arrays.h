/* arrays.h - arrays with names out of a file of another program: .safetensors of any writer, .npz.
 *
 * Numbers become floats, whatever they are in the file: floating point of 16 to 64 bits, whole
 * numbers, truth values.  Nothing of a file is executed; pickles are refused.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/memory.h"

enum { TH_FORMAT_DIMS = 8 };

typedef struct {
    char *name, *known;                    /* by which it is found, and as the file has it */
    size_t dims, shape[TH_FORMAT_DIMS], n; /* n numbers, the last index fastest */
    float *value;
    bool whole; /* they are whole numbers or truth values in the file */
    bool used;
} ThFormatArray;

typedef struct ThFormatArrays {
    ThFormatArray *item;
    size_t n, cap;
} ThFormatArrays;

/* Numbers as they lie in a file, lowest byte first, or highest first where `swapped` is set. */
typedef struct {
    const char *type; /* "F32", … as safetensors has it */
    const unsigned char *bytes;
    size_t size;
    bool swapped, columns; /* columns: the first index is the fastest */
} ThFormatNumbers;

/* Bytes of a number of a type; 0: the type is not known. */
size_t th_format_number_size(const char *type);

/* Appends an array by a name; dims and shape are read of *a.  TH_EVALUE for a type that is
 * not known, a number that is not finite, and a size that is not the shape's; TH_ENOMEM. */
bool th_format_arrays_add(ThFormatArrays *to, const char *name, const ThFormatArray *a,
                          const ThFormatNumbers *x, ThError *err);

/* Reads a file by what it holds, or, of a name that ends in .json, the files of one folder that an
 * index of Hugging Face's names.  TH_EVALUE, TH_EPARSE, TH_EIO, TH_ENOMEM: *to is empty. */
bool th_format_arrays_load(const char *path, ThFormatArrays *to, ThError *err);
void th_format_arrays_free(ThFormatArrays *a);
TH_RELEASES_VALUE(th_format_arrays_free, ThFormatArrays)

ThFormatArray *th_format_arrays_find(const ThFormatArrays *a, const char *name); /* view, or NULL */

/* Says a shape: "96 x 32", "a number". */
typedef struct {
    char text[128];
} ThFormatShape;
ThFormatShape th_format_shape(const size_t *shape, size_t dims);

/* The members of a .npz file, which are stored, not compressed. */
bool th_format_npz_parse(const unsigned char *bytes, size_t n, ThFormatArrays *to, ThError *err);
