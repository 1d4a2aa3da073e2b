/* testable.h - how long the pieces are that a testable language asks for, and how many of them.
 *
 * A language is k-testable in one of these senses if words with the same pieces are both in it or
 * both not: for factors the first and last k-1 symbols and how often, up to t, each factor of
 * length k occurs (t = 1: which occur); for scattered subwords which of up to k symbols there are.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/dfa.h"

/* 1: k (and t) suffice; 0: they do not; -1: too many words differ in their pieces to tell, or an
 * error (err is set). */
int th_dfa_factors_suffice(const ThDfa *d, int k, int t, ThStop *stop, ThError *err);
int th_dfa_subsequences_suffice(const ThDfa *d, int k, ThStop *stop, ThError *err);
