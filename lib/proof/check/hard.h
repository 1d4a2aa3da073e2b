/* hard.h - that a bare Transformer with hard attention is right about a machine at every length.
 *
 * What such a model remembers of a string is finite, if keys do not depend on queries: of each head
 * the greatest score so far, and the value of the latest position with it.  A head that takes the
 * mean of all positions remembers a sum; the mean is only looked at by heads that see its sign, as
 * the beginning has the only key that is not zero, and of a sum that is large it need not be known
 * how large.  All that can be remembered is gone through beside the machine, symbol by symbol, from
 * the weights alone: how these were made is not asked.
 *
 * Soft attention that is steep (position=learned) sees the value of one position to within its
 * weight on all others, which scores and positions bound; units must make 0 or 1 of that again.  So
 * what is shown is of strings up to a length, where that weight is small enough, and of the
 * program's runs, too: scores are whole, and do not round.
 *
 * Numbers that are not means must be multiples of 1/4, and so small that no sum of their products
 * rounds, in single precision and in any order: then runs are what is computed here.  Means are
 * rounded, and it is said up to which length their signs are certain.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "proof/claim.h"

typedef struct {
    bool right;      /* every answer of the claim, on strings of every length */
    bool wrong;      /* the word in `why` is answered wrong for sure */
    bool means;      /* there are heads that take means: what is shown is of real numbers */
    long long steps; /* from something remembered by a symbol */
    int states;      /* pairs of what is remembered and the machine's state */
    double length;   /* means: up to which their signs are certain in single precision */
    double
        lengths[3]; /* soft attention: up to which it is so, of real numbers, in double, in float */
    double off;     /* soft attention: from what hard attention sees, at most; 1/4 is too much */
    char why[200];  /* where it is not right */
} ThProofHard;

/* Is it a bound bare model without places=? */
bool th_proof_is_bare(const ThModel *m);

/* Is it a bare model with attention=rightmost or attention=average, or th_proof_is_soft? */
bool th_proof_is_hard(const ThModel *m);

/* One with attention=soft causal=yes position=learned? */
bool th_proof_is_soft(const ThModel *m);

/* TH_EVALUE for other models; TH_ELIMIT where more than `limit` pairs are met, TH_ENOMEM,
 * TH_EINTERRUPTED. */
bool th_proof_hard(const ThModel *m, const ThProofClaim *claim, size_t limit, ThStop *stop,
                   ThProofHard *proof, ThError *err);
