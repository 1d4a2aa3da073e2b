/* probability.h - distributions over words: automata whose moves and stops have probabilities.
 *
 *     ThLanguage *p = th_language_parse("distribution", "q a 0.5 -> q; accept q 0.5", &err);
 *     ThDistributionMoments m;
 *     bool ok = p && th_distribution_moments(p, &m, &err) && m.mean == 1;
 *     th_language_free(p);
 *
 * With `weights` numbers may be negative, as what spectral learning finds has them: a word whose
 * sum is then no more than 0 is impossible, and what follows a prefix is brought back to
 * probabilities.
 *
 * As a language it has the words that are possible.  Formulas: Vidal et al. 2005, Probabilistic
 * finite-state machines; logarithms are natural.  What takes a language that is no distribution
 * fails with TH_EUSAGE.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"

bool th_language_is_distribution(const ThLanguage *l);

/* Sets *log to the logarithm of a word's probability, the sum over all ways to read it; -HUGE_VAL:
 * it is impossible.  O(n · moves). */
bool th_distribution_log(const ThLanguage *l, ThLanguageWord word, double *log, ThError *err);

/* The most probable way (Viterbi): fills state[n + 1] with views of names, where ways are equally
 * probable with the states that were named first.  NULL in all of them: the word is impossible. */
bool th_distribution_path(const ThLanguage *l, ThLanguageWord word, const char **state, double *log,
                          ThError *err);

/* Of words drawn: mean and variance of their length, exactly, by the inverse of I - A, which needs
 * O(states³); their entropy in bits, NaN where a word has several ways: then no formula is known.
 */
typedef struct {
    int states;
    double mean, variance, entropy;
} ThDistributionMoments;
bool th_distribution_moments(const ThLanguage *l, ThDistributionMoments *m, ThError *err);

/* Fills p[0 … hi] with the probabilities of the lengths; entropy[0 … hi], which may be NULL, with
 * the entropy in bits of the words of each; NaN where there are none, of weights, and, where a word
 * has several ways, of lengths whose words are too many to be tried.  O(hi · moves), and of several
 * ways up to a hundredth of a second. */
bool th_distribution_lengths(const ThLanguage *l, int hi, double *p, double *entropy, ThStop *stop,
                             ThError *err);

/* Fills p (word.n + 1, n_symbols + 1) with the probabilities of what follows each prefix of a word,
 * the last one that it ends; zeros behind what is impossible.  O(n · moves). */
bool th_distribution_next(const ThLanguage *l, ThLanguageWord word, double *p, ThError *err);

/* A sum, and how much may be missing. */
typedef struct {
    double sum, rest;
} ThDistributionSum;

/* How far q is from p, over the same symbols: the sum of (p(w) - q(w))² over all words, and the
 * divergence of Kullback and Leibler in bits, infinite where a word of p is impossible in q; NaN of
 * weights.
 *
 * Of up to 2,000 pairs of states, within one and between the two, the squares are exact, by
 * equations, in O(pairs³); of up to 4,000,000, of probabilities only, they are followed symbol by
 * symbol for a minute at most: squares_error is what may be missing or too much.  So is the
 * divergence where no word can be read in two ways by either.  Else prefixes are tried, of more and
 * more symbols, those behind which the same is to come being one: the divergence is between the two
 * numbers, which are one if it is found to ten digits; divergence_most HUGE_VAL: no bound is
 * known.  TH_EVALUE where a symbol is not one of both, TH_ELIMIT of more pairs, TH_EINTERRUPTED. */
typedef struct {
    double squares, squares_error, divergence, divergence_most;
    int prefixes; /* how long those were that were tried; -1: none were */
} ThDistributionDistance;
bool th_distribution_distance(const ThLanguage *p, const ThLanguage *q, ThDistributionDistance *to,
                              ThStop *stop, ThError *err);

/* variation[0 … hi]: half the sum of |p(w) - q(w)| over the words of each length, one by one; NaN
 * of lengths beyond 4·10^8 moves to be made.  Errors as above. */
bool th_distribution_variation(const ThLanguage *p, const ThLanguage *q, int hi, double *variation,
                               ThStop *stop, ThError *err);

/* Draws a word of any length: *word, of room *cap, grows as by th_grow.  TH_ELIMIT beyond a million
 * symbols. */
bool th_distribution_draw(const ThLanguage *l, ThRng *r, int **word, size_t *cap, int *n,
                          ThStop *stop, ThError *err);
