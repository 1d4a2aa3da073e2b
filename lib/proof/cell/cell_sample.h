/* cell_sample.h - states that strings lead a recurrent network to, each with the automaton's.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/cell/cell.h"
#include "proof/sample.h"

/* Fills *s, also where it fails, for th_proof_sample_free: states of drawn runs, of which label is
 * the state of `machine` (whose symbols are the network's), x the one before (-1: the first) and y
 * the symbol.  TH_ENOMEM. */
bool th_proof_cell_sample(const ThProofCell *f, const ThDfa *machine, uint64_t seed,
                          ThProofSample *s, ThError *err);

/* Makes each label that of a state behind the word that led there: q n + w for the w-th of n words
 * of one length, the empty one and shorter ones as if the first symbol stood before.  `before`: of
 * how many words the labels are now. */
void th_proof_cell_behind(ThProofSample *s, int n_symbols, int words, int before);

/* How many symbols a drawn run has: runs follow each other. */
int th_proof_cell_steps(const ThProofCell *f);

/* Returns new: the *length symbols that lead to state i. */
int *th_proof_cell_word(const ThProofSample *s, int i, int *length, ThError *err);
