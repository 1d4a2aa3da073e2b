/* formats.h - which files objects are saved to and loaded from: one row an extension. */
#ifndef SH_FORMATS_H
#define SH_FORMATS_H

#include "session.h"

typedef struct {
    const char *extension; /* with its dot */
    const char *summary;
    /* Writes n objects to a file, whole or not at all; NULL: cannot be written.  Objects that the
     * format does not hold are TH_EUSAGE. */
    bool (*save)(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
    /* Defines what the file holds: by `name`, or where it is NULL by the names in the file or by
     * the file's own. */
    bool (*load)(ShSession *s, const char *path, const char *name, ThError *err);
} ShFormat;

const ShFormat *sh_formats(size_t *n);

/* The format of files of words, whatever their extension. */
const ShFormat *sh_format_words(void);

/* The format of a file name by its extension; NULL and TH_EUSAGE, with the extensions there are. */
const ShFormat *sh_format_of(const char *path, ThError *err);

#endif
