/* rpni.h - learning a machine from labelled words: RPNI (Oncina and García 1992) with its merges
 * in the order of evidence (Lang, Pearlmutter and Price 1998), and with a price on contradiction
 * where labels may be wrong.
 *
 * The words make a tree; states of the tree are merged, the pair with the most agreeing labels
 * first, as long as no word gets two classes.  With noise p > 0 an agreement is worth ln C nats and
 * a contradiction costs ln((1-p)/p); a state becomes one of its own where every merge would cost
 * more than describing another state does.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* n words with their classes; word i is symbol[start[i]] … symbol[start[i + 1] - 1]. */
typedef struct {
    int n_symbols, n_classes;
    size_t n;
    int *symbol;
    size_t *start; /* (n + 1) */
    int *label;    /* (n), in 0 … n_classes-1 */
} ThWordsSample;

/* One decision: a state merged into another, or (into = -1) kept as state number `state`. */
typedef struct {
    int depth;       /* symbols of the word that leads there */
    const int *word; /* that word */
    int state, into; /* numbers of states, in the order in which they were kept */
    double score; /* of the merge, or of the best one that was refused; -HUGE_VAL: none possible */
} ThRpniStep;

typedef struct {
    double noise;   /* share of wrong labels, 0 … 0.5; 0: no label is wrong */
    int max_states; /* 0: no limit.  With noise the states are merged as well as may be, else
                       TH_ELIMIT */
    void *context;
    void (*step)(void *context, const ThRpniStep *step); /* may be NULL */
} ThRpniOptions;

typedef struct {
    size_t tree; /* states of the tree of all words */
    long long tried, merges;
    size_t conflicts; /* words whose label the result contradicts */
    int states;       /* of the result, without a sink */
} ThRpniReport;

/* Returns new: a machine with n_classes + 1 classes: 0 for words that the sample says nothing
 * about, c + 1 for class c.  Transitions that no word takes lead to a sink of class 0.
 * Errors: TH_EVALUE where without noise a word has two classes; TH_ELIMIT; TH_ENOMEM. */
ThDfa *th_rpni(const ThWordsSample *sample, const ThRpniOptions *options, ThRpniReport *report,
               ThStop *stop, ThError *err);

void th_words_sample_free(ThWordsSample *s); /* leaves *s zero-initialised */
TH_RELEASES_VALUE(th_words_sample_free, ThWordsSample)
