/* provable.h - what can be proved at all of a kind of model, and by which argument.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdbool.h>

/* A row of the table; all strings are static. */
typedef struct {
    const char *kinds; /* names of models, "rnn lstm gru" */
    bool trained;      /* a training leads to proofs: until=proved */
    const char *how;   /* what is shown, of which languages it can be, and why; or why nothing is */
    const char *why;   /* in a few words why no training leads there; NULL: one does */
} ThProofProvable;

/* The rows, in the order of the manual; NULL behind the last one. */
const ThProofProvable *th_proof_provable(int i);

/* Of the kind with this name; NULL: nothing is said of it. */
const ThProofProvable *th_proof_provable_kind(const char *kind);
