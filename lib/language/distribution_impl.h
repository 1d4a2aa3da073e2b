/* distribution_impl.h - what the files about distributions share.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_LANGUAGE_DISTRIBUTION_IMPL_H
#define TH_LANGUAGE_DISTRIBUTION_IMPL_H

#include "base/intern.h"
#include "language/language_kind.h"
#include "language/probability.h"

typedef struct {
    int from, symbol, to; /* symbol -1: a stop */
    double p;
    int line, col;
} ThDistributionMove;

typedef struct {
    int n;        /* states; number 0 is the start */
    bool weights; /* numbers may be negative, those of words are what counts */
    ThIntern state;
    ThDistributionMove *move;
    size_t moves, cap;
} ThDistribution;

/* What a language has, a view; NULL and TH_EUSAGE: it is no distribution. */
const ThDistribution *th_distribution_of(const ThLanguage *l, ThError *err);

/* Returns new: a distribution whose states are called q0, q1, …; the moves are copied.  Errors as
 * of a block, without places. */
ThLanguage *th_distribution_build(char *const *symbol, int n_symbols, const ThDistribution *d,
                                  ThError *err);

const char *th_distribution_name(const ThDistribution *d, int q); /* of a state: a view */

#endif
