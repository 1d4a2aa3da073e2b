/* formats.h - which files objects are saved to and loaded from: those of formats/format.h, and the
 * scripts of this program and of RASP.
 */
#pragma once

#include "session.h"

/* A line of the list of extensions. */
typedef struct {
    const char *extension, *summary;
    bool saves, loads;
    bool text; /* people can write it */
} ShFileKind;

/* Line i, in manual order; false past the end. */
bool sh_file_kind(size_t i, ShFileKind *k);

/* Writes n objects to a file, whole or not at all; f: NULL for what the extension says.  Objects
 * that the format does not hold are TH_EUSAGE. */
bool sh_save_file(ShSession *s, ShObject *const *object, int n, const char *path, const ThFormat *f,
                  ThError *err);

/* Writes all objects to a .th file that loads them again, models beside it. */
bool sh_save_all(ShSession *s, const char *path, ThError *err);

/* Defines what a file holds: by `name`, or where it is NULL by the names in the file or by the
 * file's own.  f: NULL for what the extension and the content say; weights: what the file's weights
 * of another program are (formats/models/exchange.h), NULL: it holds none. */
bool sh_load_file(ShSession *s, const char *path, const char *name, const ThFormat *f,
                  const ThFormatMachineReading *how, const ThOptions *weights, ThError *err);

/* Does a text look like a machine in a format that is known?  Returns new: the machine of such a
 * text, whose notes are said; a line that looks like none is read as a string of bbchallenge.
 * TH_EPARSE and others. */
bool sh_is_machine_text(const char *text);
ThTm *sh_machine_of_text(ShSession *s, const char *text, ThError *err);

/* Is `name` one of the words of a definition? */
bool sh_mentions(const char *definition, const char *name);
