/* counters.h - deterministic machines with counters that read a symbol a step.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "language/language_kind.h"

enum { TH_COUNTERS_MOST = 8 };

typedef enum { TH_COUNTERS_ANY, TH_COUNTERS_ZERO, TH_COUNTERS_POSITIVE } ThCountersTest;

typedef struct {
    ThCountersTest test[TH_COUNTERS_MOST];
} ThCountersPattern;

typedef struct {
    int from, symbol, to, line, col;
    ThCountersPattern where;
    int change[TH_COUNTERS_MOST];
} ThCountersRule;

typedef struct {
    int state;
    ThCountersPattern where;
} ThCountersAccept;

typedef struct {
    int k, n_states;
    ThIntern state; /* names with their ends; number 0 is the start */
    ThCountersRule *rule;
    size_t n_rules, rule_cap;
    ThCountersAccept *accept;
    size_t n_accept, accept_cap;
    int *table;    /* (n_states, n_symbols, 2^k): rule or -1, by the set of counters above zero */
    bool *accepts; /* (n_states, 2^k) */
    bool *live;    /* (n_states): whatever the counters are, a state that accepts can be reached */
    bool empties;  /* acceptance needs all counters to be zero */
    int up, down;  /* the most that a rule adds to, or takes from, all counters together */
} ThCounters;

/* A state, -1 where no rule applied, and the counters. */
typedef struct {
    int state;
    int counter[TH_COUNTERS_MOST];
} ThCountersAt;

/* One symbol further.  A counter below zero ends the run, and so does one beyond 2^30. */
ThCountersAt th_counters_step(const ThCounters *c, int n_symbols, const ThCountersAt *x, int a);
bool th_counters_accept(const ThCounters *c, const ThCountersAt *x);

/* Counting and drawing; see ThLanguageKind. */
void *th_counters_words(const ThLanguage *l, int length, ThStop *stop, ThError *err);
double th_counters_log_words(const void *words);
bool th_counters_draw(const void *words, ThRng *r, int *word, ThError *err);
void th_counters_free_words(void *words);
bool th_counters_count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop,
                       ThError *err);
