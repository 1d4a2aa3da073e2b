/* propositions.h - what linear recurrences whose transitions commute cannot do: tell 0-1 from 1-0
 * and yet take 0-0-1 for 0-1-0 (Fan, Chi, Rudnicky and Ramadge 2024, propositions 1 and 2).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/error.h"

/* x_k = A x_{k-1} + u: A the same for all symbols; a diagonal of each symbol's own; a matrix of
 * each symbol's own. */
typedef enum { TH_INSPECT_FIXED, TH_INSPECT_DIAGONAL, TH_INSPECT_DENSE } ThInspectTransition;

typedef struct {
    double apart;  /* norm of x(0-1) - x(1-0), whose values differ */
    double equal;  /* norm of x(0-0-1) - x(0-1-0), whose values are equal: 0 where states are
                      functions of values */
    double differ; /* norm of the difference of these two differences */
} ThInspectProposition;

/* Measures a recurrence of n ≥ 1 numbers, drawn normal from a seed.  TH_ENOMEM. */
bool th_inspect_proposition(ThInspectTransition kind, int n, uint64_t seed,
                            ThInspectProposition *to, ThError *err);
