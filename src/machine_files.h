/* machine_files.h - Turing machines in the files of other programs. */
#ifndef TH_SRC_MACHINE_FILES_H
#define TH_SRC_MACHINE_FILES_H

#include "formats/machines.h"
#include "session.h"

/* The words of the option format=, separated by |, and the options that say what a file of a
 * machine does not. */
#define TH_MACHINE_FORMAT_WORDS "bbchallenge|morphett|simulator|jflap|viz|quintuples"

/* The format of that name, or TH_N_MACHINE_FORMATS. */
ThMachineFormat th_machine_format(const char *name);

/* Writes the one machine among n objects. */
bool th_save_machine(ThSession *s, ThObject *const *object, int n, const char *path,
                     ThMachineFormat f, ThError *err);

/* Defines the machine that a file holds; name: NULL for the file's own; f: TH_N_MACHINE_FORMATS for
 * what its content tells. */
bool th_load_machine(ThSession *s, const char *path, const char *name, ThMachineFormat f,
                     const ThMachineReading *how, ThError *err);

/* Whether the content of a file is a machine's.  *sure: and hardly a list of words.  False where it
 * cannot be read. */
bool th_file_holds_machine(const char *path, ThMachineFormat *f, bool *sure);

/* Rows of the table of formats. */
bool th_save_tm(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_save_yaml(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_save_bb(ThSession *s, ThObject *const *object, int n, const char *path, ThError *err);
bool th_load_tm(ThSession *s, const char *path, const char *name, ThError *err);

#endif
