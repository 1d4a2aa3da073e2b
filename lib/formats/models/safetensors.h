/* safetensors.h - models as files that other programs read too.
 *
 * The format (github.com/huggingface/safetensors): eight bytes with the length of a header, little
 * endian; the header, a JSON object that gives every tensor's type, shape and place; the tensors.
 * Weights are called as in the model's table of parameters, what the optimiser remembers
 * optimizer.moment0.NAME, optimizer.moment1.NAME …, as many as it has slots; matrices have two
 * dimensions, vectors one.  All are of type F32, but for training.pull, F64, which is what
 * centre_loss= and auxiliary_loss= know of a training that used them. The metadata (metadata.h)
 * holds the rest, so that training goes on bit for bit.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

/* Writes the model, whole or not at all.  Errors: TH_EIO (a full disk), TH_ENOMEM. */
bool th_safetensors_save(const ThModel *m, const char *path, ThError *err);

/* Writes matrices with names of their own, whole or not at all, and as metadata what describes a
 * model (metadata.h), if one is given; one row makes a vector unless dims is 2; dims 3 are (rows,
 * 1, cols).  Errors: TH_EIO, TH_ENOMEM. */
typedef struct {
    const char *name;
    int rows, cols, dims;
    const float *value; /* (rows, cols) */
} ThSafetensorsMatrix;
bool th_safetensors_write(const ThSafetensorsMatrix *matrix, size_t n, const ThModel *of,
                          const char *path, ThError *err);

/* Appends the tensors of a file in memory, whoever wrote it.  Errors: TH_EVALUE, TH_ENOMEM. */
struct ThFormatArrays;
bool th_safetensors_arrays(const void *bytes, size_t n, struct ThFormatArrays *to, ThError *err);

/* Returns new.  The file may be anything: a damaged or hostile one is TH_EVALUE, or TH_EIO where it
 * cannot be read, and costs little more memory than its own size. */
ThModel *th_safetensors_load(const char *path, ThError *err);

/* Returns new: the same from memory. */
ThModel *th_safetensors_parse(const void *bytes, size_t n, ThError *err);
