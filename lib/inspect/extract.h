/* extract.h - a teacher's automaton: by asking (Angluin's L* with Rivest and Schapire's treatment
 * of counterexamples), and, where wrong answers are tolerated, by merging words that are drawn.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/infer/labelled.h"
#include "inspect/teacher.h"

typedef struct {
    int states;        /* of the result, at most */
    long long queries; /* membership queries at most; 0: no limit */
    double noise;      /* share of wrong answers or labels that is tolerated */
    long long samples; /* words on which the disagreement is measured, and that are merged */
    ThStop *stop;
    void *context; /* of the watchers, which may be NULL */
    void (*query)(void *context, const ThInspectTeacher *teacher, const ThLstarStep *step);
    void (*merge)(void *context, char *const *symbol, int n_symbols, const ThRpniStep *step);
} ThInspectExtraction;

typedef struct {
    ThAutomaton *automaton; /* own; the caller frees it with th_automaton_free */
    ThLstarReport queries;
    ThRpniReport merging;
    bool merged, exact;       /* by merging; the teacher agrees on every word */
    long long samples, wrong; /* measured on words drawn afterwards, or on those that were given */
    double low, high;         /* 95 % interval of wrong / samples; unless it is exact */
    size_t words;             /* labelled words that were merged */
} ThInspectExtracted;

/* Learns from a teacher.  Where noise is tolerated, asking and merging are both tried: the smaller
 * automaton wins if both are tolerated, else the one that is wrong less.  Fills *to in any case
 * with what is known.  Errors: TH_ELIMIT, TH_EINTERRUPTED, TH_ENUMERIC, TH_ENOMEM. */
bool th_inspect_extract(ThInspectTeacher *t, const ThInspectExtraction *how, ThInspectExtracted *to,
                        ThError *err);

/* The same without the automaton: returns new, the minimal machine in the teacher's classes. */
ThDfa *th_inspect_learn(ThInspectTeacher *t, const ThInspectExtraction *how, ThInspectExtracted *to,
                        ThError *err);

/* Returns new: a minimal machine in the classes of a teacher as an automaton: an acceptor, or with
 * the names of the classes as outputs. */
ThAutomaton *th_inspect_automaton(const ThInspectTeacher *t, const ThDfa *d, ThError *err);

/* Learns from labelled words by merging. */
bool th_inspect_merge(const ThWordsLabelled *l, const ThInspectExtraction *how,
                      ThInspectExtracted *to, ThError *err);
