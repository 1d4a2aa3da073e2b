/* checkpoint.h - trainings that are saved every so many steps, and go on from what was saved.
 *
 * A checkpoint is a .safetensors file with all that a training needs, written whole or not at all:
 * one that is killed and started again gives the bits of one that was not.
 *
 * What a ThTrainLoop saves by th_safetensors_save is such a file.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

/* Looks for a checkpoint at a path (NULL: there is none) that is further than the model, which is
 * to do *steps more steps.  Where there is one, *further gets it (new) and *steps what it has still
 * to do; else *further is NULL, and it is seen to that the file can be written.  Errors: TH_EVALUE
 * for a checkpoint of another model or beyond the last step, TH_EIO, TH_ENOMEM. */
bool th_format_resume(const char *path, const ThModel *m, long long *steps, ThModel **further,
                      ThError *err);
