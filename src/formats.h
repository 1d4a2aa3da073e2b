/* formats.h - which files objects are saved to and loaded from: one row an extension. */
#ifndef TH_FORMATS_H
#define TH_FORMATS_H

#include "session.h"

typedef struct {
    const char *extension; /* with its dot */
    const char *summary;
    /* Writes n objects to a file, whole or not at all; NULL: cannot be written.  Objects that the
     * format does not hold are TH_EUSAGE. */
    bool (*save)(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
    /* Defines what the file holds: by `name`, or where it is NULL by the names in the file or by
     * the file's own. */
    bool (*load)(ThSession *s, const char *path, const char *name, ThError *err);
} ThFormat;

const ThFormat *th_formats(size_t *n);

/* The format of files of words, whatever their extension. */
const ThFormat *th_format_words(void);

/* The format of a file name by its extension; NULL and TH_EUSAGE, with the extensions there are. */
const ThFormat *th_format_of(const char *path, ThError *err);

#endif
