/* algebra.h - that a RegularGPT is right about a machine at every length, by its weights alone.
 *
 * Every vector that the model computes belongs to a segment of the input, and a segment to an
 * element of the transition monoid.  Each element has a ball: the pad for the identity, an embedded
 * symbol for its own, for others what the model makes of the parts of a shortest word.  It is
 * checked that the combination of vectors from the balls of any elements lies in the ball of their
 * product, and that the answer read from a ball is right.  Then, by induction over the tree of
 * segments, the model is right however long the input is.
 *
 * The check is for attention without content: queries are zero, so that attention weights are
 * numbers.  Where no unit of the feed-forward layer passes its bend within a ball, the layer is
 * affine there, and how far a ball is spread is a product of norms; a unit that may pass it counts
 * with all that it may change.  Where balls grow, as those of plain units do, there is a level up
 * to which they stay apart.
 *
 * What a run rounds is bounded from the magnitudes of all that it adds, in any order, and spread as
 * the rest is: in double precision, which is also that of the check, or in single.  Beside that
 * each combination may be wrong by `slack`, and each logit.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/monoid.h"
#include "models/model.h"

/* What the model is to answer, borrowed: bits are those of ThTask. */
typedef struct {
    const ThDfa *machine;
    const int *bits;
    const ThMonoid *monoid; /* of the machine */
} ThProofTruth;

typedef struct {
    double radius, slack; /* what is to be shown: of the balls, and of other runs */
    bool in_float;        /* of runs in single precision, not of those in double alone */
    ThStop *stop;
} ThProofAlgebraHow;

typedef struct {
    int elements;
    long long products;
    double error; /* greatest distance of a product of centres from the centre that it should be */
    double stretch; /* greatest factor by which a combination spreads what is within the radius */
    double margin;  /* least distance of a centre from a wrong answer */
    double spread;  /* greatest distance from a centre of what lies within the radius of others */
    bool right;     /* every product lies within the radius, and every answer is right there */
    bool closed;    /* so does the product of what lies within the radius: right at all lengths */
    int levels;     /* of combinations after which vectors are sure to lie within the radius */
    char why[160];  /* where it is not right: what is wrong */
} ThProofAlgebra;

/* Checks a model.  TH_EVALUE if the check does not apply to such a model, or the machine is not one
 * of its symbols and classes; TH_ENUMERIC if a weight is not finite; TH_EINTERRUPTED,
 * TH_ENOMEM. */
bool th_proof_algebra(const ThModel *model, const ThProofTruth *truth,
                      const ThProofAlgebraHow *claim, ThProofAlgebra *proof, ThError *err);
