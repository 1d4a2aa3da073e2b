/* learn.h - learning a machine from what it answers: Angluin's L* (1987) with Rivest and Schapire's
 * treatment of counterexamples (1993).
 *
 * The target is anything that gives every word a class: an acceptor, a Moore machine, a model.
 *
 *     ThOracle o = {.n_symbols = 2, .n_classes = 2, .context = …, .member = …, .equivalent = …};
 *     ThLearnReport report;
 *     ThDfa *d = th_learn(&o, &limits, &report, stop, &err);
 */
#ifndef TH_LEARN_H
#define TH_LEARN_H

#include "automata/dfa.h"
#include "base/error.h"
#include "base/stop.h"

/* The class of a word, in 0 … n_classes-1; the same answer for the same word. */
typedef bool ThMember(void *context, const int *word, int length, int *class, ThError *err);

/* A word whose class is not what the guess says: *word is new, freed by the learner; NULL where
 * there is none. */
typedef bool ThEquivalent(void *context, const ThDfa *guess, int **word, int *length, ThError *err);

/* The table of answers: a row a word, a column a suffix.  Row 0 is the empty word; row
 * 1 + i * n_symbols + a is the word of state i followed by symbol a. */
typedef struct {
    int n_symbols, n_states, n_suffixes;
    size_t n_rows;
    int **word, *length; /* (n_states): the words that lead to the states */
    size_t *row;         /* (n_states): their rows */
    int **suffix, *suffix_length;
    int **cell; /* (n_rows, n_suffixes) */
    int *state; /* (n_rows): the state with the same row */
} ThLearnTable;

typedef enum {
    TH_LEARN_STATE,          /* a row equals none before it: it becomes a state */
    TH_LEARN_GUESS,          /* the table is closed */
    TH_LEARN_COUNTEREXAMPLE, /* word refutes the guess */
    TH_LEARN_SUFFIX          /* word, its tail, became a column */
} ThLearnEvent;

typedef struct {
    ThLearnEvent event;
    const ThLearnTable *table;
    size_t row;         /* TH_LEARN_STATE */
    const ThDfa *guess; /* TH_LEARN_GUESS, TH_LEARN_COUNTEREXAMPLE, TH_LEARN_SUFFIX */
    const int *word;
    int length;
    int class; /* TH_LEARN_COUNTEREXAMPLE: by the oracle */
} ThLearnStep;

typedef struct {
    int n_symbols, n_classes;
    void *context;
    ThMember *member;
    ThEquivalent *equivalent;
    void (*step)(void *context, const ThLearnStep *step); /* may be NULL */
} ThOracle;

/* 0: no limit. */
typedef struct {
    int states;
    long long queries;
    bool keep_guess; /* at a limit the last guess is the result, not TH_ELIMIT */
} ThLearnLimits;

typedef struct {
    long long asked, repeated; /* words whose class was asked for; questions answered from memory */
    long long guesses, counterexamples;
    int longest; /* counterexample */
    int states, suffixes;
    bool limited; /* a limit was reached, and the result is the last guess */
} ThLearnReport;

/* Returns new: the machine that the oracle agrees to, its states those of the table.  Where the
 * oracle is right, it is minimal, after at most as many guesses as it has states, and
 * O(states² · symbols + states · log(longest counterexample)) questions.
 * Errors: TH_ELIMIT, with the size reached; TH_EVALUE for a counterexample that is none. */
ThDfa *th_learn(const ThOracle *o, const ThLearnLimits *limits, ThLearnReport *report, ThStop *stop,
                ThError *err);

#endif
