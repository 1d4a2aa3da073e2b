/* check.h - verifies a certificate from the weights alone.
 *
 * The checker shares the weights with the prover, read as doubles, and the file's layout; all else
 * is its own: what F and the steps of recurrent networks are, how labels multiply, how sets are
 * enclosed (by rows of generators instead of matrices), and how norms are bounded (a Cholesky
 * factor of t·1 - K shows that no eigenvalue of K is above t).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/check/algebra.h"
#include "proof/cell/cell.h"
#include "proof/check/certificate.h"

typedef struct {
    bool wrong;             /* the model itself is, as `why` says */
    ThProofAlgebra algebra; /* of a certificate by algebra: what was found */
    bool holds;     /* of real numbers; by steps perhaps of runs, in double and float, alone */
    bool in_double; /* and of the program's runs in double precision, whatever order they sum in */
    bool in_float;  /* and of those in single precision */
    long long checks;    /* that were made */
    double tightest;     /* the largest bound beside what it may be; at most 1 where it holds */
    double tolerance;    /* what vectors and logits of any run may be off by at every node, and the
                            certificate holds of it */
    double off;          /* of soft attention: how far it sees from hard attention, at most; 1/4 is
                            too much */
    double rounding;     /* by how much more a vector of a float run can be off, at most */
    long long strings;   /* by windows: that were answered, all of up to so many; by counts */
    int reach;           /* symbols */
    long long boxes;     /* by counts: of shares, that were looked at */
    double most;         /* > 0: of strings of up to so many symbols alone */
    double length[3];    /* by steps and of soft attention: up to which it is so of real numbers, in
                            double and in float;    HUGE_VAL: of every length */
    char why[200];       /* what does not hold; "" otherwise */
    char why_float[200]; /* what does not, or is not known, of runs in float alone; "" otherwise */
} ThProofChecked;

/* Returns a length, or a shorter one, that "%.15g" writes as it is: what is said is proved. */
double th_proof_sure_length(double length);

/* The same for "%.6g", as variables hold results. */
double th_proof_sure_result(double length);

/* What is made of two things (-1: nothing; the sets; behind them the symbols; and the start of a
 * recurrent network) beside the set that it must lie in. */
typedef struct {
    int x, y, into;
    double share; /* how far it reaches from that set's centre, in its radii, slack included */
} ThProofPair;

/* All pairs of a certificate by sets, to be freed with th_proof_pairs_free. */
typedef struct {
    ThProofPair *pair;
    size_t n, room[2];
    const double *way; /* (n_ways, dim): directions that sets are looked at along, borrowed */
    int n_ways;        /* 0: none */
    double *seen;      /* (n, 2, n_ways): of what a pair makes: centres, and how far it reaches */
} ThProofPairs;
void th_proof_pairs_free(ThProofPairs *p);

/* Checks that a certificate proves a claim about a model: that it is about these weights, symbols
 * and classes, the claim's automaton, and all strings that the claim asks about, and that all its
 * sets are what it needs.  Nothing of the claim is taken from the certificate.  That it does not
 * hold is no error; TH_EVALUE for models without such proofs, TH_ENOMEM and TH_EINTERRUPTED are. */
bool th_proof_check(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                    ThStop *stop, ThProofChecked *checked, ThError *err);

/* The same; *pairs, which begins empty but for ways, gets what was checked of a certificate by
 * sets. */
bool th_proof_check_pairs(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                          ThStop *stop, ThProofPairs *pairs, ThProofChecked *checked, ThError *err);

/* The last part of it: that the sets of a certificate prove of a tree's map f, or of a recurrent
 * network's step g (the other one is NULL), what the certificate itself says, with a tolerance of
 * at least `slack`, and of what the certificate says. */
bool th_proof_check_sets(const ThProofCertificate *c, const ThProofMap *f, const ThProofCell *g,
                         double slack, ThStop *stop, ThProofChecked *checked, ThError *err);
bool th_proof_check_set_pairs(const ThProofCertificate *c, const ThProofMap *f,
                              const ThProofCell *g, double slack, ThStop *stop, ThProofPairs *pairs,
                              ThProofChecked *checked, ThError *err);
