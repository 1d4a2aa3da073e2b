/* truth.h - is what was accepted true?  By words, and by points of the sets. */
#ifndef TESTS_FORGE_TRUTH_H
#define TESTS_FORGE_TRUTH_H

#include "proof/check/check.h"

/* What is said of a model: by names, for the claim may have an order of its own. */
typedef struct {
    const ThModel *m;
    const ThSignature *asked;
    const ThDfa *machine, *domain; /* over its symbols; NULL: all strings */
    bool in_float;                 /* of the program's own runs, too */
    double longest, certain;       /* up to so many symbols; and of runs; HUGE_VAL: of any number */
} Said;

typedef struct {
    int words, longest_word; /* so many, or all of so many symbols: in the order of lengths */
    int drawn, longest;      /* so many drawn ones, of up to so many symbols */
    int climbs;              /* in so many of a certificate's pairs of sets */
    double slack;            /* that was asked for */
} TruthHow;

/* False: *why says which word is answered wrong. */
bool truth_of_words(const Said *s, const TruthHow *how, ThRng *r, char why[400]);

/* False: *why says which point is outside of the set that it should be in, or answered wrong, be it
 * that all vectors and logits are off by the slack that was asked for. */
bool truth_of_sets(const ThProofCertificate *c, const ThModel *m, const TruthHow *how, ThRng *r,
                   char why[400]);

#endif
