/* nearest.h - the nearest of many centres.
 *
 * Of every centre its nearest neighbours are known.  A vector near a centre is farther from another
 * one than the distance of the two centres less its own, so that most centres need not be looked
 * at: of 819 some five are.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/labels.h"

typedef struct ThProofNearest ThProofNearest;

/* Returns new: of the labels' centres (n, dim), both borrowed; th_proof_nearest_update, before it
 * is asked and whenever they have moved: n² dim steps.  TH_ENOMEM. */
ThProofNearest *th_proof_nearest_new(const ThProofLabels *l, const double *centre, int dim,
                                     ThError *err);
void th_proof_nearest_update(ThProofNearest *s);
void th_proof_nearest_free(ThProofNearest *s); /* NULL is fine */
TH_RELEASES(th_proof_nearest_free, ThProofNearest)

/* The first label of a kind whose centre is nearest to z; *margin becomes how much farther the next
 * centre is, less what distances of doubles are off by; infinite: there is no other.  -1: there is
 * none of the kind.  `guess` is a label, or -1; a good one saves time. */
int th_proof_nearest_find(const ThProofNearest *s, const double *z, ThProofKind kind, int guess,
                          double *margin);

/* The first label whose centre a label shares, as those do of which only strings of a domain know
 * that they differ. */
int th_proof_nearest_first(const ThProofNearest *s, int label);
