#include "formats/npy.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

enum { ALIGNMENT = 64, PREAMBLE = 10 /* magic, version, length */, MOST_HEADER = 160 };

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [TH_NPY_FLOAT64] = {"<f8", 8}, [TH_NPY_FLOAT32] = {"<f4", 4}, [TH_NPY_INT32] = {"<i4", 4}};

/* The data begins at a multiple of 64 bytes, after blanks and a newline. */
static void put_header(FILE *out, const char *type, size_t rows, size_t cols)
{
    char header[MOST_HEADER + ALIGNMENT];
    int n = snprintf(header, MOST_HEADER,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }", type, rows,
                     cols);
    size_t length = (size_t)n + 1;
    length += (ALIGNMENT - (PREAMBLE + length) % ALIGNMENT) % ALIGNMENT;
    memset(header + n, ' ', length - (size_t)n);
    header[length - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc((int)(length & 0xff), out);
    putc((int)(length >> 8), out);
    fwrite(header, 1, length, out);
}

static void put_value(FILE *out, const unsigned char *from, size_t size)
{
    uint64_t bits = 0;
    uint32_t half;
    if (size == sizeof bits) {
        memcpy(&bits, from, sizeof bits);
    } else {
        memcpy(&half, from, sizeof half);
        bits = half;
    }
    for (size_t i = 0; i < size; i++)
        putc((int)(bits >> 8 * i & 0xff), out);
}

bool th_npy_write(const char *path, ThNpyType type, size_t rows, size_t cols, const void *data,
                  ThError *err)
{
    ThFile file = {0};
    FILE *out = th_file_begin(&file, path, err);
    if (!out)
        return false;
    put_header(out, types[type].name, rows, cols);
    const unsigned char *from = data;
    for (size_t i = 0; i < rows * cols; i++, from += types[type].size)
        put_value(out, from, types[type].size);
    return th_file_commit(&file, err);
}
