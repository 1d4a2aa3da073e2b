/* exchange_impl.h - what the files of exchange.h share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/models/arrays.h"
#include "formats/models/exchange.h"

/* A file that becomes a model. */
typedef struct {
    const ThFormatLayout *layout;
    const ThOptions *options;
    ThFormatArrays *arrays;
    ThFormatArray *embedding; /* NULL: symbols are one-hot */
    const char *path;
    size_t first, dim;
    ThModel *m;
    ThText *notes;
} ThFormatImport;

/* The parameters of in->m, which is bound, by the rows of the table. */
bool th_format_exchange_fill(const ThFormatImport *in, ThError *err);

/* Sets what a config.json beside the file says of a transformer; nothing where there is none. */
bool th_format_exchange_config(const ThFormatImport *in, ThOptions *o, ThError *err);
