/* learn_distribution.h - distributions from words: by merging states, and by singular vectors.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/infer/rpni.h"
#include "language/any_language.h"

/* Returns new: ALERGIA (Carrasco and Oncina 1994).  The words make a tree; the most frequent state
 * that is not settled is merged with the first settled one that it is compatible with: where no two
 * shares differ by more than the bound of Hoeffding allows with `alpha`, nor those behind them.
 * Labels are not read.  Errors: TH_EVALUE without words, TH_ELIMIT beyond 2^26 entries of the tree,
 * TH_EINTERRUPTED.  O(states² · tree). */
typedef struct {
    size_t tree;
    long long tests;
} ThDistributionMerging;
ThLanguage *th_distribution_alergia(const ThWordsSample *words, char *const *symbol, double alpha,
                                    ThDistributionMerging *report, ThStop *stop, ThError *err);

/* What spectral learning asks for, and finds. */
typedef struct {
    void *context;
    /* Sets *p to the probability of a word. */
    bool (*probability)(void *context, ThLanguageWord word, double *p, ThError *err);
    double words; /* that the probabilities are shares of; 0: they are exact */
    double least; /* the least singular value that counts, as a share of the first */
    int length;   /* of the words of the basis; -1: the longest of which there are 40 or fewer */
    int states;   /* 0: as many as singular values count: greater than `least`, and than noise */
    ThStop *stop;
    /* Found: the size of the basis, its singular values, of which the first eight, and the sum of
     * the probabilities of all words before it was made 1. */
    int basis;
    double value[8], mass;
} ThDistributionSpectral;

/* Returns new: weights (Hsu, Kakade and Zhang 2009; Balle et al. 2014), from the probabilities
 * H[u, v] = P(uv) and H_a[u, v] = P(uav) of the words u, v of a basis, in the basis where all rows
 * add up to 1 and the first state is the start.  Errors of `probability`; TH_EVALUE where there is
 * nothing to decompose, or the sum of all words is not finite and positive; TH_ELIMIT beyond a
 * basis of 500. */
ThLanguage *th_distribution_spectral(ThDistributionSpectral *s, char *const *symbol, int n_symbols,
                                     ThError *err);
