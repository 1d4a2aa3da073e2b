/* distribution_impl.h - what the files about distributions share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <gsl/gsl_linalg.h>

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

/* Does every word have one way?  Of weights, none is said to. */
bool th_distribution_one_way(const ThDistribution *d);

/* I - A of so many rows, from its entries to its factors: the identity, of which A is to be taken
 * away; then v <- (I - A)^-1 v.  False without memory, or of a matrix that has no inverse. */
typedef struct {
    gsl_matrix *a;
    gsl_permutation *p;
} ThDistributionFactors;
bool th_distribution_open_factors(ThDistributionFactors *f, size_t n);
bool th_distribution_factor(const ThDistributionFactors *f);
bool th_distribution_apply_inverse(const ThDistributionFactors *f, double *v);
void th_distribution_close_factors(ThDistributionFactors *f);
TH_RELEASES_VALUE(th_distribution_close_factors, ThDistributionFactors)

/* Two over the symbols of the first, or, n[1] being 0, one; the end is the last symbol. */
typedef struct {
    int n[2], n_symbols;
    ThDistributionMove *move[2]; /* new */
    size_t *first[2];            /* (n_symbols + 2), new: the moves of a symbol are first[a] … */
} ThDistributionPair;

/* Makes d one of x, whose n_symbols are known; symbol[a]: the number of its symbol a, NULL: a. */
bool th_distribution_pair(ThDistributionPair *x, int side, const ThDistribution *d,
                          const int *symbol, ThError *err);
void th_distribution_free_pair(ThDistributionPair *x);
TH_RELEASES_VALUE(th_distribution_free_pair, ThDistributionPair)

/* All words of up to `longest` symbols that are possible, and others, with both probabilities. */
typedef void ThDistributionSeen(void *context, int length, const double *p);
bool th_distribution_each_word(const ThDistributionPair *x, int longest, ThDistributionSeen *seen,
                               void *context, ThStop *stop, ThError *err);

/* How long they may be for so many moves to be made, up to hi; -1: there are too many symbols. */
int th_distribution_longest_tried(const ThDistributionPair *x, int hi, double most);

const char *th_distribution_name(const ThDistribution *d, int q); /* of a state: a view */
