/* truth.h - is what was accepted true?  By words, and by points of the sets. */
#ifndef TESTS_FORGE_TRUTH_H
#define TESTS_FORGE_TRUTH_H

#include "proof/check.h"

/* What is said of a model: by names, for the claim may have an order of its own. */
typedef struct {
    const ThModel *m;
    const ThSignature *asked;
    const ThDfa *machine, *domain; /* over its symbols; NULL: all strings */
    bool in_float;                 /* of the program's own runs, too */
} Said;

/* Tries all words in the order of their lengths, `all` of them, and then `drawn` longer ones of up
 * to `longest` symbols.  False: *why says which is answered wrong. */
bool truth_of_words(const Said *s, int all, int drawn, int longest, ThRng *r, char why[400]);

/* Climbs in `tries` of a certificate's pairs of sets.  False: *why says which point is outside of
 * the set that it should be in, or answered wrong. */
bool truth_of_sets(const ThProofCertificate *c, const ThModel *m, int tries, ThRng *r,
                   char why[400]);

#endif
