/* schreier_sims.h - the order of a group of permutations, without its elements.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/dfa.h"

/* Sets *text, new, to "a group of order N", N being that of the group which the symbols of a
 * machine generate, or to "S_12, of order N" where it is all of S_n or A_n on the states it moves;
 * to NULL where some symbol is no permutation of the states, or where there are more than 64
 * states.  Of the order of n^5 products at most (Sims 1970; Knuth 1991, "Efficient representation
 * of perm groups"). TH_EINTERRUPTED, TH_ENOMEM. */
bool th_group_schreier_sims(const ThDfa *d, char **text, ThStop *stop, ThError *err);
