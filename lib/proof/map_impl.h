/* map_impl.h - reading weights of models as doubles.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"

typedef struct {
    const ThModel *m;
    ThError *err;
    bool failed;
} ThProofReader;

/* Returns new: a parameter. */
double *th_proof_read_whole(ThProofReader *r, const char *name);

/* Of all weights, also of those that a proof has no use for: in a run nothing times what is not
 * finite is not nothing.  TH_ENUMERIC. */
bool th_proof_finite(const ThParams *p, ThError *err);

/* The budget for rounding is made for numbers of a usual size.  TH_ENUMERIC. */
bool th_proof_moderate(const ThParams *p, ThError *err);

/* Of all weights, bit for bit. */
uint64_t th_proof_digest(const ThParams *p);
