/* check.h - verifies a certificate from the weights alone.
 *
 * The checker shares the weights with the prover, read as doubles, and the file's layout; all else
 * is its own: what F and the steps of recurrent networks are, how labels multiply, how sets are
 * enclosed (by rows of generators instead of matrices), and how norms are bounded (a Cholesky
 * factor of t·1 - K shows that no eigenvalue of K is above t).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_PROOF_CHECK_H
#define TH_PROOF_CHECK_H

#include "base/stop.h"
#include "proof/cell.h"
#include "proof/certificate.h"
#include "proof/map.h"

typedef struct {
    bool holds;
    long long checks; /* that were made */
    double tightest;  /* the largest bound beside what it may be; at most 1 where it holds */
    char why[200];    /* what does not hold; "" otherwise */
} ThProofChecked;

/* Checks everything that a certificate claims of a model with this map f, or of a recurrent network
 * with this step g; the other one is NULL.  That it does not hold is no error; TH_ENOMEM and
 * TH_EINTERRUPTED are. */
bool th_proof_check(const ThProofCertificate *c, const ThProofMap *f, const ThProofCell *g,
                    ThStop *stop, ThProofChecked *checked, ThError *err);

#endif
