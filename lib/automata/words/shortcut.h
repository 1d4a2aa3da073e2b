/* shortcut.h - how far a rule comes that does not know the language: one that looks at the last few
 * symbols, or at which short factors there are.
 *
 * Where such a rule is right on nearly all strings that are drawn, a model that is right on them
 * need not have learned the language.
 *
 *     ThDfaShortcut s;
 *     if (th_dfa_shortcut(d, 41, 5, &s, stop, &err))
 *         printf("%g %g\n", s.suffix, s.factors);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* Shares of strings, from 0 to 1, that the best rule of a kind is right on. */
typedef struct {
    double suffix;  /* it knows the last k symbols */
    double factors; /* it knows which words of up to k symbols stand in the string, and at its ends,
                       and that those of accepted strings (or of rejected ones) are the accepted (or
                       rejected) ones: strictly k-testable, or the complement of what is */
} ThDfaShortcut;

enum { TH_DFA_SHORTCUT_WORDS = 1 << 12 }; /* words of k symbols, at most */

/* Of a reachable machine of two classes, of which the second accepts, on strings of n symbols, half
 * of them accepted, within both sorts equally likely; where there is one sort both are 1.  Exact
 * but for rounding.  Takes n times the words of k symbols times the machine's table, 1 <= k < n.
 * TH_ELIMIT for too many words, TH_EINTERRUPTED, TH_ENOMEM. */
bool th_dfa_shortcut(const ThDfa *d, int n, int k, ThDfaShortcut *to, ThStop *stop, ThError *err);
