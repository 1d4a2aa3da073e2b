/* pushdown_impl.h - what the files about pushdown automata share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "language/language_kind.h"
#include "language/pushdown.h"

/* Parts of `stack` of the automaton, the top first. */
typedef struct {
    int from, n;
} ThPushdownPart;

typedef struct {
    int from, symbol, to; /* symbol -1: nothing is read */
    ThPushdownPart pop, push;
} ThPushdownRule;

typedef struct {
    ThIntern state, on_stack; /* the start and the bottom are number 0 */
    ThPushdownRule *rule;
    size_t n_rules, rule_cap;
    int *stack; /* symbols of the rules' parts */
    size_t n_stack, stack_cap;
    bool *accepts;   /* (state.n) */
    bool by_emptied; /* accepts where the stack is empty, not by states */
    bool bottom;     /* one was named */
} ThPushdown;

const char *th_pushdown_state(const ThPushdown *p, int q);
const char *th_pushdown_symbol(const ThPushdown *p, int x);

/* See ThLanguageKind: states and what is on top of the stack, of a deterministic one. */
bool th_pushdown_states(const ThLanguage *l, char ***name, int *n, ThError *err);
bool th_pushdown_track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop,
                       ThError *err);
