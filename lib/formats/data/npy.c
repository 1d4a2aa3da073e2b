#include "formats/data/npy.h"

#include "base/file.h"

enum { ALIGNMENT = 64, PREAMBLE = 10 /* magic, version, length */, MOST_HEADER = 160 };

static const struct {
    const char *name;
    size_t size;
} types[] = {[TH_NPY_FLOAT64] = {"<f8", 8},
             [TH_NPY_FLOAT32] = {"<f4", 4},
             [TH_NPY_INT32] = {"<i4", 4},
             [TH_NPY_UINT8] = {"|u1", 1}};

/* The data begins at a multiple of 64 bytes, after blanks and a newline. */
void th_npy_begin(FILE *out, ThNpyType type, size_t rows, size_t cols)
{
    char header[MOST_HEADER + ALIGNMENT];
    int n = snprintf(header, MOST_HEADER,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }",
                     types[type].name, rows, cols);
    size_t length = (size_t)n + 1;
    length += (ALIGNMENT - (PREAMBLE + length) % ALIGNMENT) % ALIGNMENT;
    memset(header + n, ' ', length - (size_t)n);
    header[length - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    putc((int)(length & 0xff), out);
    putc((int)(length >> 8), out);
    fwrite(header, 1, length, out);
}

/* The bytes of a value from the lowest. */
static void put_bytes(unsigned char *to, const unsigned char *from, size_t size)
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
        to[i] = (unsigned char)(bits >> 8 * i & 0xff);
}

static void put_from_lowest(FILE *out, size_t size, size_t n, const unsigned char *from)
{
    enum { ROOM = 4096 };
    unsigned char room[ROOM];
    size_t most = ROOM / size;
    for (size_t done = 0; done < n;) {
        size_t part = n - done < most ? n - done : most;
        for (size_t i = 0; i < part; i++)
            put_bytes(room + i * size, from + (done + i) * size, size);
        fwrite(room, size, part, out);
        done += part;
    }
}

void th_npy_values(FILE *out, ThNpyType type, size_t n, const void *data)
{
    size_t size = types[type].size;
    if (size == 1 || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        fwrite(data, size, n, out); /* as they lie in memory */
    else
        put_from_lowest(out, size, n, data);
}

bool th_npy_write(const char *path, ThNpyType type, size_t rows, size_t cols, const void *data,
                  ThError *err)
{
    ThFile file = {0};
    FILE *out = th_file_begin(&file, path, err);
    if (!out)
        return false;
    th_npy_begin(out, type, rows, cols);
    th_npy_values(out, type, rows * cols, data);
    return th_file_commit(&file, err);
}
