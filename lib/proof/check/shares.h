/* shares.h - an attention network without positions is right about an automaton.
 *
 * Where nothing tells positions apart and every head sees them all, positions that hold one symbol
 * have one vector, and a head mixes the vectors of the symbols by how often each is there: the
 * answer depends on the last symbol and on the shares of all of them, and on nothing else.  With a
 * causal mask that is so of the first layer; of the next ones it is known that earlier positions
 * have vectors as some shares give them.
 *
 * Strings whose ends the automaton can tell from those of arbitrarily long ones are finitely many
 * lengths': all counts of symbols that can be there are looked at, in boxes of shares.  Of all
 * others every answer must depend on the last symbol alone, and is shown for all shares at once, in
 * simplices that are halved until the answer is sure.  Nothing else is provable with any lead: in
 * real numbers logits are continuous in the shares, of which those of long strings are everywhere
 * (the argument of Hahn 2020 for such models).
 *
 * Runs sum over all positions, so that what they round grows with the length: of strings without a
 * greatest length real numbers alone are meant, and it is said up to where runs are sure.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/check/windows.h"

/* Is it a bound model that this is known of: transformer or gpt with position=none, and with one
 * answer a string or causal=yes? */
bool th_proof_counts_fit(const ThModel *m);

/* at, off (n_symbols, n_classes) <- the logits behind each symbol where so many positions hold each
 * of them, at least and at most, out of `positions` or of shares; and how far those of a run, or of
 * real numbers, can be from there.  TH_ENOMEM. */
bool th_proof_counts_logits(const ThModel *m, const double *const share[2], double positions,
                            bool in_float, double *at, double *off, ThError *err);

/* Returns new: what is so of a claim, where vectors behind the embedding and behind each layer, and
 * logits, may be off by `slack`.  reach is the greatest length that was looked at by counts.
 * TH_ELIMIT where these are too many, TH_ENUMERIC where a weight is larger than 1000; TH_ENOMEM,
 * TH_EINTERRUPTED. */
ThProofWindows *th_proof_counts(const ThModel *m, const ThProofClaim *claim, double slack,
                                ThStop *stop, ThError *err);
