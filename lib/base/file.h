/* file.h - files that are written whole or not at all, and read whole.
 *
 *     ThFile f = {0};
 *     FILE *out = th_file_begin(&f, path, &err);
 *     if (out)
 *         fprintf(out, "%s\n", text);
 *     return out && th_file_commit(&f, &err);       // or th_file_abort(&f)
 *
 * What is written goes to a temporary file beside the target, which replaces it on commit; a target
 * that is no regular file (a device, a pipe), or is another name of a file that is open
 * (/dev/stdout, /dev/fd/3), is written directly.  Symbolic links are followed.  Temporary files
 * that a writer who was killed left beside the target are removed when it is written next.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdio.h>

#include "base/memory.h"

typedef struct {
    FILE *stream;
    char *path, *temporary; /* temporary: NULL where the target is written directly */
} ThFile;

/* From now on this process writes only in the folder and below, wherever links lead; as umask it is
 * a property of the process and cannot be taken back.  TH_EIO where there is no such folder. */
bool th_file_confine(const char *folder, ThError *err);

/* May a file or folder of this name be made or written?  What is open already (/dev/stdout) may.
 * TH_EIO says why not.  For those who write by other means than this file's. */
bool th_file_may_write(const char *path, ThError *err);

/* Could a file be written there?  For work that takes long and would fail at its end; leaves
 * nothing. TH_EIO, TH_ENOMEM. */
bool th_file_try(const char *path, ThError *err);

/* Returns a view: the stream to write to, or NULL and TH_EIO or TH_ENOMEM. */
FILE *th_file_begin(ThFile *f, const char *path, ThError *err);

/* Makes a folder, unless it is there.  TH_EIO. */
bool th_file_folder(const char *path, ThError *err);

/* Writes a text as a whole file.  TH_EIO, TH_ENOMEM. */
bool th_file_write(const char *path, const char *text, ThError *err);

/* Closes and puts the file in its place; on failure there is no new file.  f is zeroed. */
bool th_file_commit(ThFile *f, ThError *err);

/* Appends n bytes, all of them or none, to what need not be there yet.  TH_EIO. */
bool th_file_append(const char *path, const char *text, size_t n, ThError *err);

/* Closes and removes what was written; a zeroed f is fine. */
void th_file_abort(ThFile *f);

/* Returns new: the bytes of a file with a zero after them, *n of them.  TH_EIO, or TH_ELIMIT beyond
 * `limit` bytes. */
char *th_file_read(const char *path, size_t limit, size_t *n, ThError *err);
