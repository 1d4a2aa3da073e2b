/* check.h - verifies a certificate from the weights alone.
 *
 * The checker shares the weights with the prover, read as doubles, and the file's layout; all else
 * is its own: what F and the steps of recurrent networks are, how labels multiply, how sets are
 * enclosed (by rows of generators instead of matrices), and how norms are bounded (a Cholesky
 * factor of t·1 - K shows that no eigenvalue of K is above t).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_PROOF_CHECK_CHECK_H
#define TH_PROOF_CHECK_CHECK_H

#include "base/stop.h"
#include "proof/check/algebra.h"
#include "proof/cell/cell.h"
#include "proof/check/certificate.h"
#include "proof/claim.h"
#include "proof/map.h"

typedef struct {
    bool wrong;             /* the model itself is, as `why` says */
    ThProofAlgebra algebra; /* of a certificate by algebra: what was found */
    bool holds;             /* of real numbers */
    bool in_double; /* and of the program's runs in double precision, whatever order they sum in */
    bool in_float;  /* and of those in single precision */
    long long checks;    /* that were made */
    double tightest;     /* the largest bound beside what it may be; at most 1 where it holds */
    double tolerance;    /* what vectors and logits of any run may be off by at every node, and the
                            certificate holds of it */
    double rounding;     /* by how much more a vector of a float run can be off, at most */
    char why[200];       /* what does not hold; "" otherwise */
    char why_float[200]; /* what does not, or is not known, of runs in float alone; "" otherwise */
} ThProofChecked;

/* Checks that a certificate proves a claim about a model: that it is about these weights, symbols
 * and classes, the claim's automaton, and all strings that the claim asks about, and that all its
 * sets are what it needs.  Nothing of the claim is taken from the certificate.  That it does not
 * hold is no error; TH_EVALUE for models without such proofs, TH_ENOMEM and TH_EINTERRUPTED are. */
bool th_proof_check(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                    ThStop *stop, ThProofChecked *checked, ThError *err);

/* The last part of it: that the sets of a certificate prove of a tree's map f, or of a recurrent
 * network's step g (the other one is NULL), what the certificate itself says, with a tolerance of
 * at least `slack`, and of what the certificate says. */
bool th_proof_check_sets(const ThProofCertificate *c, const ThProofMap *f, const ThProofCell *g,
                         double slack, ThStop *stop, ThProofChecked *checked, ThError *err);

#endif
