/* exchange.h - automata in the files of other programs: the rows of the table of formats. */
#ifndef SH_EXCHANGE_H
#define SH_EXCHANGE_H

#include "base/text.h"
#include "session.h"

bool sh_save_att(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_load_att(ShSession *s, const char *path, const char *name, ThError *err);
bool sh_save_dot(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_load_dot(ShSession *s, const char *path, const char *name, ThError *err);
bool sh_save_jff(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_load_jff(ShSession *s, const char *path, const char *name, ThError *err);
bool sh_save_grail(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_save_gap(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);

/* Writes a text, which it takes over, to a file. */
bool sh_write_text_file(ThText *t, const char *path, ThError *err);

/* Says every line of the notes, and frees them. */
void sh_say_notes(ShSession *s, ThText *notes);

/* An error inside a file becomes one about the file: its position counts in the file. */
void sh_tell_file(const char *path, const ThError *own, ThError *err);

/* Returns new: the name that a file's object gets: the file's own, without folder and extension.
 * NULL and TH_EUSAGE where that cannot be a name. */
char *sh_name_of_file(const char *path, const char *extension, ThError *err);

#endif
