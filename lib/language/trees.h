/* trees.h - in how many ways a grammar derives a word.
 *
 *     double n;
 *     bool ok = th_language_trees(l, (ThLanguageWord){word, 3}, stop, &n, &err) && n > 1;
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"

/* The number of derivation trees of a word, exactly up to 2^53; 0: it is no member.  By the
 * algorithm of Cocke, Younger and Kasami with counts, of parts that some variable derives only:
 * O(rules · n³) time and O(variables · n²) memory at most, O(n) for a^n b^n.  TH_EUSAGE where the
 * language is no grammar; TH_EVALUE where a variable derives itself alone; TH_ENOMEM,
 * TH_EINTERRUPTED. */
bool th_language_trees(const ThLanguage *l, ThLanguageWord word, ThStop *stop, double *n,
                       ThError *err);

/* Whether some word has two trees cannot be decided, but none has if the grammar is LR(1), as those
 * of most programming languages are.  Else the first one of up to `length` symbols that has, in
 * order of length and symbols, is looked for, as far as there are no more than 100,000 prefixes to
 * try.  Errors as above. */
typedef struct {
    bool never; /* it is LR(1); shown where rules times terminals are no more than 1,300 */
    int *word;  /* new: it has several trees; NULL: none was found */
    int n;
    double trees;
    int tried_to; /* all words of up to so many symbols have one tree; -1: not even the empty one */
} ThLanguageAmbiguity;
bool th_language_ambiguity(const ThLanguage *l, int length, ThLanguageAmbiguity *a, ThStop *stop,
                           ThError *err);

/* Does a variable of its grammar derive itself alone, so that some word has infinitely many trees?
 * Then words are counted and drawn by other rules. */
bool th_language_has_cycles(const ThLanguage *l);

/* What was left out of a grammar since no word needs it, and a variable that derives itself alone,
 * in words; NULL: neither, or no grammar. */
const char *th_language_remarks(const ThLanguage *l);
