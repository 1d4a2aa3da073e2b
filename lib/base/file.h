/* file.h - files that appear whole or not at all.
 *
 * The text goes to a temporary beside the file, which is renamed when everything is written:
 *
 *     ThFile f = {0};
 *     if (!th_file_begin(&f, path, &err))
 *         return false;
 *     fprintf(f.stream, …);
 *     return th_file_commit(&f, &err);      // or th_file_abandon(&f)
 *
 * A path that exists and is no regular file (a terminal, a pipe, /dev/null) is written directly.
 */
#ifndef TH_FILE_H
#define TH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

typedef struct {
    FILE *stream;    /* write here; errors may be left to th_file_commit */
    char *path;      /* where the file will be, symbolic links followed */
    char *temporary; /* NULL: written directly */
} ThFile;

/* Opens the temporary.  A file that is replaced keeps its permissions.  Errors: TH_EIO. */
bool th_file_begin(ThFile *f, const char *path, ThError *err);

/* Puts the file in its place once all of it is on the disk.  On failure (TH_EIO: a full disk) the
 * file that was there before is untouched.  Either way *f is empty again. */
bool th_file_commit(ThFile *f, ThError *err);
void th_file_abandon(ThFile *f); /* an empty one is fine */

/* Begin, write, commit. */
bool th_file_write(const char *path, const void *bytes, size_t n, ThError *err);

/* Returns new: the bytes of a file and a zero byte after them, *n of them.  Errors: TH_EIO;
 * TH_ELIMIT for more than `limit` bytes. */
char *th_file_read(const char *path, size_t limit, size_t *n, ThError *err);

#endif
