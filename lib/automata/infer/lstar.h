/* lstar.h - learning a machine from what it answers: Angluin's L* (1987) with Rivest and Schapire's
 * treatment of counterexamples (1993).
 *
 * The target is anything that gives every word a class: an acceptor, a Moore machine, a model.
 *
 *     ThLstarOracle o = {.n_symbols = 2, .n_classes = 2, .context = …, .member = …, .equivalent =
 * …}; ThLstarReport report; ThDfa *d = th_lstar(&o, &limits, &report, stop, &err);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* The class of a word, in 0 … n_classes-1; the same answer for the same word. */
typedef bool ThLstarMember(void *context, const int *word, int length, int *label, ThError *err);

/* Several words at once: word i is symbol[start[i]] … symbol[start[i + 1] - 1]; label has room for
 * n classes. */
typedef struct {
    size_t n;
    const int *symbol;
    const size_t *start; /* (n + 1) */
} ThLstarWords;
typedef bool ThLstarMembers(void *context, const ThLstarWords *words, int *label, ThError *err);

/* A word whose class is not what the guess says: *word is new, freed by the learner; NULL where
 * there is none. */
typedef bool ThLstarEquivalent(void *context, const ThDfa *guess, int **word, int *length,
                               ThError *err);

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
} ThLstarTable;

typedef enum {
    TH_LSTAR_STATE,          /* a row equals none before it: it becomes a state */
    TH_LSTAR_GUESS,          /* the table is closed */
    TH_LSTAR_COUNTEREXAMPLE, /* word refutes the guess */
    TH_LSTAR_SUFFIX          /* word, its tail, became a column */
} ThLstarEvent;

typedef struct {
    ThLstarEvent event;
    const ThLstarTable *table;
    size_t row;         /* TH_LSTAR_STATE */
    const ThDfa *guess; /* TH_LSTAR_GUESS, TH_LSTAR_COUNTEREXAMPLE, TH_LSTAR_SUFFIX */
    const int *word;
    int length;
    int label; /* TH_LSTAR_COUNTEREXAMPLE: by the oracle */
} ThLstarStep;

typedef struct {
    int n_symbols, n_classes;
    void *context;
    ThLstarMember *member;
    ThLstarMembers *members; /* where many words cost less than one by one, else NULL */
    ThLstarEquivalent *equivalent;
    void (*step)(void *context, const ThLstarStep *step); /* may be NULL */
} ThLstarOracle;

/* 0: no limit. */
typedef struct {
    int states;
    long long queries;
    bool keep_guess; /* at a limit the last guess is the result, not TH_ELIMIT */
} ThLstarLimits;

typedef struct {
    long long asked, repeated; /* words whose class was asked for; questions answered from memory */
    long long guesses, counterexamples;
    int longest; /* counterexample */
    int states, suffixes;
    bool limited; /* a limit was reached, and the result is the last guess */
} ThLstarReport;

/* Returns new: the machine that the oracle agrees to, its states those of the table.  Where the
 * oracle is right, it is minimal, after at most as many guesses as it has states, and
 * O(states² · symbols + states · log(longest counterexample)) questions.
 * Errors: TH_ELIMIT, with the size reached; TH_EVALUE for a counterexample that is none. */
ThDfa *th_lstar(const ThLstarOracle *o, const ThLstarLimits *limits, ThLstarReport *report,
                ThStop *stop, ThError *err);
