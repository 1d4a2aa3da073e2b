/* exchange.h - automata in the files of other programs: the rows of the table of formats. */
#ifndef TH_SRC_EXCHANGE_H
#define TH_SRC_EXCHANGE_H

#include "base/text.h"
#include "session.h"

bool th_save_att(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_load_att(ThSession *s, const char *path, const char *name, ThError *err);
bool th_save_dot(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_load_dot(ThSession *s, const char *path, const char *name, ThError *err);
bool th_save_jff(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_load_jff(ThSession *s, const char *path, const char *name, ThError *err);
bool th_save_grail(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_save_gap(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);

/* Writes a text, which it takes over, to a file. */
bool th_write_text_file(ThText *t, const char *path, ThError *err);

/* Says every line of the notes, and frees them. */
void th_say_notes(ThSession *s, ThText *notes);

/* An error inside a file becomes one about the file: its position counts in the file. */
void th_tell_file(const char *path, const ThError *own, ThError *err);

/* Returns new: the name that a file's object gets: the file's own, without folder and extension.
 * NULL and TH_EUSAGE where that cannot be a name. */
char *th_name_of_file(const char *path, const char *extension, ThError *err);

#endif
