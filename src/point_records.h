/* point_records.h - the records of a sweep: a file a point, written whole when the point ends.
 *
 * A folder holds sweep.json (the commands, and the hash of what they are without comments and white
 * space), points/ID.json (a record each), kept/ (what the points keep), stale/ (records that other
 * inputs have taken the place of), claims/ID (points that a process computes now) and lock.  A
 * record is an object: point (the variables), index (the place in the grid), status (done or
 * failed), error, inputs (what it was computed from: body, tapehead, settings, variables,
 * definitions, files), options (of its commands, with defaults, by the command's name; of one that
 * is there again with others by "NAME 2", ...), results (the answers of the commands, as in json),
 * trained (the lengths of the last training), learned (the share of right answers at its end), kept
 * (files, below the folder), notes (what was printed besides), seconds, memory (bytes), version,
 * processor, kernels.  Reals have the 17 digits that give the same number back.
 */
#pragma once

#include <time.h>

#include "language/loop.h"

/* Of a point that runs, in its process: session.point. */
struct ShPoint {
    const char *dir, *id; /* dir: from the root on */
    const char *home;     /* the folder that it began in */
    json_t *kept, *options;
    json_t *files;         /* and folders, that its commands name, as inputs have them */
    json_t *shell;         /* what its shell commands saw of the environment; NULL: it ran none */
    struct timespec began; /* what is newer it has written itself */
    char *trained;         /* the name of the model that train was last about; NULL: none */
};

/* Notes the options of a command that is about to run in a point. */
void sh_point_note(struct ShPoint *p, const ShCall *call);

/* sweep_files.c.  Notes the files and folders that the command names, whose names may have been put
 * together on the way. */
void sh_point_note_files(ShSession *s, const ShCall *call);

/* Notes what a shell command that is about to run sees: PATH, the language, the variables of the
 * environment that its text mentions, and the programs. */
void sh_point_note_shell(ShSession *s, const char *command);

/* Returns new: the value of an option as json; null where it has none. */
json_t *sh_option_json(const ThOption *o);

/* Returns new: the file name of a point, without extension; the values can be read in it, and where
 * they do not fit there a hash tells points apart. */
char *sh_point_id(ShSession *s, const ShLoopNames *names, ThError *err);

/* Returns new: the variables with their values. */
json_t *sh_point_variables(ShSession *s, const ShLoopNames *names);

/* Returns new: DIR/FOLDER/NAME and what more there is. */
char *sh_point_path(const char *dir, const char *folder, const char *name, const char *more,
                    ThError *err);

/* Makes the folders.  TH_EUSAGE where records do not say what they were computed from, unless they
 * are to be used as they are. */
bool sh_points_begin(const char *dir, bool keep_stale, ThError *err);

/* Notes the commands, and moves away the records of other commands, and those that were computed
 * from something of a name that is another thing in `now` (an object of settings, variables,
 * definitions, by their names).  *moved: how many. */
bool sh_points_settle(const char *dir, const char *commands, const char *body, const json_t *now,
                      long long *moved, ThError *err);

/* Moves a record to stale/, if it is there. */
bool sh_point_retire(const char *dir, const char *id, ThError *err);

/* Writes a record, which is consumed.  TH_EIO, TH_ENOMEM. */
bool sh_point_write(const char *dir, const char *id, json_t *record, ThError *err);

/* What is recorded of a point: *record gets it, new, or NULL where there is none.  False where the
 * file cannot be read. */
bool sh_point_read(const char *dir, const char *id, json_t **record, ThError *err);

/* Is it the record of a point that went well? */
bool sh_point_is_done(const json_t *record);

/* Returns new: an array of all records in the order of their places in the grid.  TH_EUSAGE where
 * the folder is none of a sweep's. */
json_t *sh_points_read(const char *dir, ThError *err);
