/* metadata.h - what a model file says about a model besides its weights, as JSON.
 *
 * A safetensors file carries one flat object of strings.  Ours are `format`, `version`, `kind`,
 * and, as JSON text within a string, `options`, `signature`, `training` and `history`.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <jansson.h>

#include "models/model.h"

/* Returns new (a reference the caller drops): the metadata of a model, or NULL and TH_ENOMEM. */
json_t *th_metadata_write(const ThModel *m, ThError *err);

/* Returns new: the model that the metadata describes, with its options and, where there is a
 * signature (*bound), the table of its parameters, but without values: the caller compares the
 * table with what the file holds before memory is taken for it.
 * Errors: TH_EVALUE for anything that this program cannot have written. */
ThModel *th_metadata_model(const json_t *metadata, bool *bound, ThError *err);

/* Reads the state of training into m->training, which must be zero; not its moments. */
bool th_metadata_training(const json_t *metadata, ThModel *m, ThError *err);

/* A name from a file as error messages may show it: short, and without control characters. */
typedef struct {
    char text[80];
} ThFormatShownName;
ThFormatShownName th_format_shown_name(const char *name);
