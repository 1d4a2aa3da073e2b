/* certify.h - a proof that a trained model answers right on strings of every length.
 *
 * For every label that a vector can have (labels.h) an ellipsoid is sought so that F takes each
 * pair of ellipsoids into the one of the product, the vectors of the lowest level lie in theirs,
 * and everywhere in an ellipsoid the read-out gives the answer that the automaton gives.  By
 * induction over the levels every vector lies where it should, and every answer is right.
 *
 * Of a recurrent network the sets are of states: one or several for every state of the automaton,
 * and every symbol takes each into one of the state that it leads to.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/claim.h"
#include "proof/labels.h"
#include "proof/map.h"

typedef struct {
    size_t limit; /* elements of the semigroup at most */
    int cover;    /* sets of states for every state of the automaton at most; 0: 1 */
    uint64_t seed;
    bool finer; /* of a recurrent network whose sets do not close with the claim's slack: a smaller
                   one is tried, 2e-5 for each number of a state */
    bool balls; /* of a tree: no ellipsoids are tried where balls do not close, and fewer radii for
                   the excess of an open proof, of which slope is that of its worst pair */
} ThProofHow;

typedef enum {
    TH_PROOF_PROVED, /* right on every string of the domain */
    TH_PROOF_WRONG,  /* wrong on `word` */
    TH_PROOF_OPEN    /* neither: the bounds do not close */
} ThProofVerdict;

typedef struct {
    ThProofVerdict verdict;
    ThProofLabels *labels; /* of a tree; NULL: the sets are of states */
    ThDfa *machine;        /* minimal; of a recurrent network, else NULL */
    int n, *state;         /* sets, and the machine's state that each stands for, else NULL */
    int dim;
    double slack;
    uint64_t digest;  /* of the model's weights */
    double *centre;   /* (n, dim) */
    double *radius;   /* (n) */
    double *shape;    /* (n, dim, dim); NULL: all are balls */
    long long checks; /* sets that were enclosed for one round */
    int rounds;
    double reach;       /* farthest sampled vector from its centre */
    double float_error; /* greatest seen between a float run's vectors and the map's */
    double slope;       /* greatest |Jx| + |Jy| at the centres */
    double contraction; /* the same as the best metric that was tried sees it */
    double room;        /* all radii times this are a proof, too; ≥ 1 */
    /* TH_PROOF_WRONG */
    int *word, length, right, said;
    /* TH_PROOF_OPEN: the worst of the best attempt: vectors of labels x and y (x -1: nothing), or
     * of the lowest level (y -1), get too far from the centre of `into`, by this factor; or, with
     * `answers`, the sets are closed but for an answer to `into` that can be another.  Of a
     * recurrent network x and `into` are states of the machine and y is a symbol. */
    int x, y, into;
    bool answers;
    double excess;
} ThProof;

/* Can such a claim be made about such a model?  Else TH_EVALUE. */
bool th_proof_takes(const ThModel *m, const ThProofClaim *claim, ThError *err);

/* Returns new: what is known of a claim about a model.  That it is proved is the prover's own word;
 * th_proof_check decides.  TH_EVALUE for models without such proofs, TH_ELIMIT, TH_ENOMEM,
 * TH_ENUMERIC, TH_EINTERRUPTED. */
ThProof *th_proof_certify(const ThModel *m, const ThProofClaim *claim, const ThProofHow *how,
                          ThStop *stop, ThError *err);
void th_proof_free(ThProof *p); /* NULL is fine */
TH_RELEASES(th_proof_free, ThProof)
