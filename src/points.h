/* points.h - the records of a sweep: a file a point, written whole when the point ends.
 *
 * A folder holds sweep.json (the commands), points/ID.json (a record each) and kept/ (what the
 * points keep).  A record is an object: point (the variables), index (the place in the grid),
 * status (done or failed), error, results (the answers of the commands, as in json), trained (the
 * lengths of the last training), kept (files, below the folder), notes (what was printed besides),
 * seconds, memory (bytes), version, processor, kernels.
 */
#ifndef SH_POINTS_H
#define SH_POINTS_H

#include "loop.h"

/* Returns new: the file name of a point, without extension; the values can be read in it, and where
 * they do not fit there a hash tells points apart. */
char *sh_point_id(ShSession *s, const ShLoopNames *names, ThError *err);

/* Returns new: the variables with their values. */
json_t *sh_point_variables(ShSession *s, const ShLoopNames *names);

/* Returns new: DIR/FOLDER/NAME and what more there is. */
char *sh_point_path(const char *dir, const char *folder, const char *name, const char *more,
                    ThError *err);

/* Makes the folders, and notes the commands; TH_EUSAGE where the folder has records of others. */
bool sh_points_begin(const char *dir, const char *commands, ThError *err);

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

#endif
