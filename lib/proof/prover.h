/* prover.h - what the files of the prover share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/certify.h"
#include "proof/sample.h"

typedef struct {
    const ThModel *m;
    const ThProofMap *f;
    ThProof *p;
    ThStop *stop;
    bool balls; /* as ThProofHow says */
    ThProofSample sample;
} ThProofProver;

/* A proof before anything is known. */
void th_proof_open(ThProof *p, double slack);

/* Looks for radii, in several metrics, with the centres of v->p: the proof, or what it failed at.
 */
bool th_proof_close(ThProofProver *v, ThError *err);

/* The class that the model itself gives a word. */
bool th_proof_ask(const ThModel *m, int *word, int length, int *said, ThError *err);

/* Returns new: what is known of a recurrent network. */
ThProof *th_proof_certify_cell(const ThModel *m, const ThProofClaim *claim, const ThProofHow *how,
                               ThStop *stop, ThError *err);
