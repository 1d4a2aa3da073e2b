/* automaton.h - finite automata as a user defines them: named states and symbols, nondeterminism,
 * empty moves, Mealy and Moore outputs.
 *
 * A ThAutomaton is a plain struct that owns everything it points to.  Once finished its arcs are
 * sorted and without duplicates.  Computation happens on ThDfa (dfa.h); th_automaton_dfa leads
 * there, th_automaton_from_dfa back.
 *
 *     ThAutomaton *a = th_automaton_parse(text, &err);     // the inside of automaton NAME { … }
 *     ThDfa *d = th_automaton_dfa(a, NULL, &err);
 */
#ifndef TH_AUTOMATON_H
#define TH_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>

#include "automata/dfa.h"
#include "base/error.h"
#include "base/option.h"
#include "base/stop.h"
#include "base/text.h"

enum { TH_EPSILON = -1, TH_NO_OUTPUT = -1 };

typedef struct {
    int from, symbol, to; /* symbol: index or TH_EPSILON */
    int output;           /* Mealy output: index or TH_NO_OUTPUT */
} ThArc;

typedef struct {
    int n_symbols, n_outputs, n_states;
    char **symbol; /* (n_symbols) */
    char **output; /* (n_outputs): names of Mealy or Moore outputs; none for an acceptor */
    char **state;  /* (n_states) */
    bool *start;   /* (n_states) */
    bool *accept;  /* (n_states) */
    int *moore;    /* (n_states): output of a state or TH_NO_OUTPUT */
    size_t n_arcs;
    ThArc *arc;    /* (n_arcs), sorted by from, symbol, to, output */
    size_t *first; /* (n_states + 1): arcs of state q are first[q] … first[q+1]-1 */
} ThAutomaton;

/* Reads the inside of an `automaton NAME { … }` block: statements `alphabet A…`, `start Q…`,
 * `accept Q…`, `output STATE SYMBOL`, `FROM SYMBOL[,SYMBOL…] -> TO [/ OUTPUT]`, separated by
 * newlines or `;`, with # comments; `eps` is the empty move.  Returns new.
 * Errors: TH_EPARSE with line and column inside the text (both from 1). */
ThAutomaton *th_automaton_parse(const char *text, ThError *err);

/* Appends the block that defines the automaton: `automaton NAME {` … `}`. */
void th_automaton_write(ThText *t, const ThAutomaton *a, const char *name);

ThAutomaton *th_automaton_copy(const ThAutomaton *a, ThError *err);
void th_automaton_free(ThAutomaton *a); /* NULL is fine */

bool th_automaton_deterministic(const ThAutomaton *a); /* at most one start, no eps, one arc each */

/* Returns new: the complete deterministic machine by the subset construction.  Classes: 0 and 1 for
 * an acceptor; output + 1 for a Moore machine, 0 meaning none (TH_EVALUE if nondeterministic).
 * *limit-ed to max_states states: TH_ELIMIT says how many were reached. */
ThDfa *th_automaton_dfa(const ThAutomaton *a, size_t max_states, ThStop *stop, ThError *err);

/* Returns new: an acceptor with the reachable states of d that can still reach class 1 (and the
 * start), named q0, q1, …  symbol is borrowed and copied. */
ThAutomaton *th_automaton_from_dfa(const ThDfa *d, char *const *symbol, ThError *err);

/* States and transitions as counted for results: reachable, and able to reach acceptance. */
void th_automaton_size(const ThAutomaton *a, size_t *states, size_t *transitions);

/* A built-in automaton: parity, cycle(5), tomita(3), …  One table lists them. */
typedef struct {
    const char *name, *summary;
    int n_arguments;
    struct {
        const char *name;
        int least, most, fallback; /* fallback 0: must be given */
    } argument[2];
    ThAutomaton *(*build)(const int *argument, ThError *err); /* returns new */
} ThBuiltinAutomaton;

/* The table, in manual order; *n gets its length. */
const ThBuiltinAutomaton *th_builtin_automata(size_t *n);

/* Returns new: the value of an automaton expression: names (looked up by `find`, which returns a
 * view or NULL), built-ins with arguments in parentheses, minimize(…), and whatever operators the
 * language has.  Errors carry line and column inside the text. */
typedef const ThAutomaton *ThFindAutomaton(void *context, const char *name);
ThAutomaton *th_automaton_expression(const char *text, ThFindAutomaton *find, void *context,
                                     ThStop *stop, ThError *err);

#endif
