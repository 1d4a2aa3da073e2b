/* machine_files.h - Turing machines in the files of other programs. */
#ifndef SH_MACHINE_FILES_H
#define SH_MACHINE_FILES_H

#include "formats/machines.h"
#include "session.h"

/* The words of the option format=, separated by |, and the options that say what a file of a
 * machine does not. */
#define SH_MACHINE_FORMAT_WORDS "bbchallenge|morphett|simulator|jflap|viz|quintuples"

/* The format of that name, or TH_FORMAT_N_MACHINES. */
ThFormatMachine sh_machine_format(const char *name);

/* Writes the one machine among n objects. */
bool sh_save_machine(ShSession *s, ShObject *const *object, int n, const char *path,
                     ThFormatMachine f, ThError *err);

/* Defines the machine that a file holds; name: NULL for the file's own; f: TH_FORMAT_N_MACHINES for
 * what its content tells. */
bool sh_load_machine(ShSession *s, const char *path, const char *name, ThFormatMachine f,
                     const ThFormatMachineReading *how, ThError *err);

/* Whether the content of a file is a machine's.  *sure: and hardly a list of words.  False where it
 * cannot be read. */
bool sh_file_holds_machine(const char *path, ThFormatMachine *f, bool *sure);

/* Rows of the table of formats. */
bool sh_save_tm(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_save_yaml(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_save_bb(ShSession *s, ShObject *const *object, int n, const char *path, ThError *err);
bool sh_load_tm(ShSession *s, const char *path, const char *name, ThError *err);

#endif
