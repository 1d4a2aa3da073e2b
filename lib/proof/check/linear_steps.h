/* linear_steps.h - that a linear recurrence is right about a machine, by its steps.
 *
 * A compiled recurrence is in one of finitely many states, each of which it meets again: they are
 * found by following all symbols from the start, beside the machine.  Then a radius is taken for
 * each part of a layer's state that moves by itself (a block, a row of fast weights), and each step
 * from each state is enclosed: a part that was within r of where it should be is within ρr + C,
 * where ρ bounds the norm of what moves it, and C is what weights, layer norms and rounding are off
 * by everywhere within the radii of all parts.  Where C is 0, as where matrices are permutations,
 * or ρ is below 1, parts stay within their radii on strings of every length; else errors add up,
 * and it is said up to which length they do not reach the radius.  All answers within the radii are
 * the machine's.  How the weights were made is not asked.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "proof/claim.h"

/* What steps are made in. */
enum { TH_PROOF_IN_REALS, TH_PROOF_IN_DOUBLE, TH_PROOF_IN_FLOAT, TH_PROOF_ARITHMETICS };

typedef struct {
    double length[TH_PROOF_ARITHMETICS]; /* right on strings of up to so many symbols; HUGE_VAL: of
                                            every length; 0: it is not known */
    bool wrong;                          /* the word in `why` is answered wrong for sure */
    int states;                          /* of the model beside the machine */
    long long steps;                     /* from one of them by a symbol */
    char why[200];                       /* where no length is known */
} ThProofSteps;

/* Is it a bound lrnn, pd_ssm or deltaproduct as compile makes them, with symbols that are
 * one-hots? */
bool th_proof_has_steps(const ThModel *m);

/* Vectors of states and logits may be off by the claim's slack.  TH_EVALUE for other models;
 * TH_ELIMIT where more than `limit` states are met, TH_ENOMEM, TH_EINTERRUPTED. */
bool th_proof_steps(const ThModel *m, const ThProofClaim *claim, size_t limit, ThStop *stop,
                    ThProofSteps *proof, ThError *err);
