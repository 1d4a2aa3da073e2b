/* words.h - the words of a language: in order, how many, any of them at random, how fast they
 * become more.  The language of a machine is its words of class 1.
 *
 *     ThWordsList *l = th_word_list(d, 0, 6, &err);
 *     while (th_word_list_next(l, &word, &length, stop, &err))
 *         …
 *     th_word_list_free(l);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/rng.h"

/* Returns new: the first word in length-lexicographic order that has a class; *length gets its
 * length.  If there is none, returns NULL with err untouched and *length = -1; after an error
 * *length is 0. */
int *th_dfa_shortest(const ThDfa *d, int label, int *length, ThError *err);

/* Words of one length after the other, each length in the order of the symbols. */
typedef struct ThWordsList ThWordsList;

/* Returns new: the words of length lo … hi; d is borrowed. */
ThWordsList *th_word_list(const ThDfa *d, int lo, int hi, ThError *err);

/* Gives a view of the next word; false at the end and after an error, which alone sets err.
 * O(length · symbols) a word; lengths without words cost O(states · symbols). */
bool th_word_list_next(ThWordsList *l, const int **word, int *length, ThStop *stop, ThError *err);
void th_word_list_free(ThWordsList *l); /* NULL is fine */
TH_RELEASES(th_word_list_free, ThWordsList)

/* Calls seen(context, length, digits) with the number of words of every length lo … hi in decimal
 * digits, which live until it returns; ends early when it returns false.  *total, where it is not
 * NULL, gets the sum of them as a new string. */
typedef bool ThWordCounted(void *context, int length, const char *digits);
typedef struct {
    int lo, hi;
    ThWordCounted *seen; /* may be NULL */
    void *context;
    ThStop *stop;
} ThWordCounting;
bool th_dfa_count(const ThDfa *d, const ThWordCounting *how, char **total, ThError *err);

/* Random words of a length, all with exactly the same probability. */
typedef struct ThWordSampler ThWordSampler;

/* Returns new; d is borrowed.  TH_EVALUE if there is no word of this length, TH_ELIMIT where the
 * numbers of words by state and length would take more than a GiB. */
ThWordSampler *th_word_sampler(const ThDfa *d, int length, ThStop *stop, ThError *err);
bool th_word_sample(const ThWordSampler *w, ThRng *r, int *word, ThError *err);
void th_word_sampler_free(ThWordSampler *w); /* NULL is fine */
TH_RELEASES(th_word_sampler_free, ThWordSampler)
