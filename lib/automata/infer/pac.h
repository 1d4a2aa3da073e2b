/* pac.h - is a guess right?  Asked of an oracle that can only classify words.
 *
 * Words are drawn with a length uniform in lo … hi and uniform symbols.  If a guess passes, then,
 * with the stated confidence over the whole conversation, it is wrong on a share below `error` of
 * such words (Angluin 1987, section 3).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/infer/lstar.h"
#include "base/rng.h"

typedef struct {
    int n_symbols;
    void *context;
    ThLstarMember *member;
    ThLstarMembers *members;  /* as of ThLstarOracle; may be NULL */
    int lo, hi;               /* lengths of the words drawn */
    double error, confidence; /* both between 0 and 1 */
    double noise;             /* a guess passes if it is wrong on this share of a sample or less */
    ThRng rng;
    ThStop *stop;
    long long round, drawn; /* guesses put to the test, words drawn for that; from 0 */
} ThPac;

/* A ThLstarEquivalent whose context is a ThPac.  Without noise it first tries all short words and
 * words that begin with one that leads to a state of the guess, which find most errors soon. */
bool th_pac_equivalent(void *sampling, const ThDfa *guess, int **word, int *length, ThError *err);

/* Draws n more words; *wrong counts those that the guess puts into another class. */
bool th_pac_disagreement(ThPac *s, const ThDfa *guess, long long n, long long *wrong, ThError *err);

/* Draws a word into `word` (room for s->hi symbols).  Returns its length. */
int th_pac_draw(ThPac *s, int *word);
