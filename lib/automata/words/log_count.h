/* log_count.h - how many words of a length end in wanted states, and drawing one of them uniformly.
 *
 *     ThWordCount *c = th_words_count(d, wanted, 40, &err);
 *     if (th_words_log(c, d->start, 40) > -HUGE_VAL)
 *         th_words_draw(c, &rng, word, 40);
 *     th_words_free(c);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/rng.h"

typedef struct ThWordCount ThWordCount;

/* Returns new: the counts for every state of d and every length up to `length`.  wanted (n_states)
 * is read now only, d is borrowed.  O(length · states · symbols) time, O(length · states) memory.
 */
ThWordCount *th_words_count(const ThDfa *d, const bool *wanted, int length, ThError *err);

/* Natural logarithm of the number of words of this length that lead from q to a wanted state;
 * -HUGE_VAL if there are none. */
double th_words_log(const ThWordCount *c, int q, int length);

/* Probability that a uniform such word, read from q, goes on with symbol a. */
double th_words_next(const ThWordCount *c, int q, int length, int a);

/* Draws one word of this length from the start to a wanted state, each with the same probability up
 * to rounding: a relative error below 1e-12 at a thousand symbols.  There must be one. */
void th_words_draw(const ThWordCount *c, ThRng *r, int *word, int length);
void th_words_free(ThWordCount *c); /* NULL is fine */
TH_RELEASES(th_words_free, ThWordCount)

/* Calls seen(context, k, reached) for k = 0 … length with the set of states, (n_states), that some
 * word of exactly k symbols reaches; ends early when seen returns false. */
typedef bool ThAutomatonReached(void *context, int k, const bool *reached);
bool th_dfa_reach(const ThDfa *d, int length, ThAutomatonReached *seen, void *context,
                  ThError *err);
