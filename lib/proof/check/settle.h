/* settle.h - centres of a table that lie where its entries are.
 *
 * A table's map takes pairs of centres, and what it makes of them need not be where vectors of
 * strings are: centres of these are moved to the means of what the map takes pairs of them to
 * (Lloyd's algorithm, with the labels known).
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/labels.h"
#include "proof/map.h"

/* Makes centres (n, dim) such as a model would hold: in single precision, and one for labels of
 * which no strings but those of a domain know that they differ. */
void th_proof_settle_round(const ThProofLabels *l, int dim, double *centre);

/* Moves the centres as long as fewer entries are wrong of some drawn ones, up to 48 of every label.
 * TH_ENOMEM, TH_EINTERRUPTED. */
bool th_proof_settle(const ThProofMap *f, const ThProofLabels *l, uint64_t seed, double *centre,
                     ThStop *stop, ThError *err);
