/* formats.h - which files objects are saved to and loaded from: those of formats/format.h, and the
 * scripts of this program and of RASP.
 */
#ifndef SH_FORMATS_H
#define SH_FORMATS_H

#include "formats/format.h"
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
 * file's own.  f: NULL for what the extension and the content say. */
bool sh_load_file(ShSession *s, const char *path, const char *name, const ThFormat *f,
                  const ThFormatMachineReading *how, ThError *err);

/* Says every line of the notes, and frees them. */
void sh_say_notes(ShSession *s, ThText *notes);

#endif
