/* automaton.h - finite automata as a user defines them: named states and symbols, nondeterminism,
 * empty moves, Mealy and Moore outputs.
 *
 * A ThAutomaton is a plain struct that owns everything it points to.  Once finished its arcs are
 * sorted and without duplicates.  Computation happens on ThDfa (dfa.h); th_automaton_dfa leads
 * there, th_automaton_from_dfa back.
 *
 *     ThAutomaton *a = th_automaton_parse(text, &err);     // the inside of automaton NAME { … }
 *     ThDfa *d = th_automaton_dfa(a, 0, stop, &err);
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/option.h"
#include "base/text.h"

enum { TH_AUTOMATON_EPSILON = -1, TH_AUTOMATON_NO_OUTPUT = -1 };

typedef struct {
    int from, symbol, to; /* symbol: index or TH_AUTOMATON_EPSILON */
    int output;           /* Mealy output: index or TH_AUTOMATON_NO_OUTPUT */
} ThAutomatonArc;

typedef struct {
    int n_symbols, n_outputs, n_states;
    char *names;   /* all names, each with its end, in one block */
    char **symbol; /* (n_symbols): views into names, as are those below */
    char **output; /* (n_outputs): names of Mealy or Moore outputs; none for an acceptor */
    char **state;  /* (n_states) */
    bool *start;   /* (n_states) */
    bool *accept;  /* (n_states) */
    int *moore;    /* (n_states): output of a state or TH_AUTOMATON_NO_OUTPUT */
    size_t n_arcs;
    ThAutomatonArc *arc; /* (n_arcs), sorted by from, symbol, to, output */
    size_t *first;       /* (n_states + 1): arcs of state q are first[q] … first[q+1]-1 */
} ThAutomaton;

/* Returns new: zeroed arrays of these sizes and name_bytes for the names; no pointer to a name is
 * set.  For code that fills all of it itself; build.h is the comfortable way. */
ThAutomaton *th_automaton_alloc(const ThAutomaton *sizes, size_t name_bytes, ThError *err);

/* The same with names: those of symbols and outputs are copied, states are q0, q1, …; no state has
 * an output. */
ThAutomaton *th_automaton_named(const ThAutomaton *sizes, char *const *symbol, char *const *output,
                                ThError *err);

/* Calls the states q0, q1, …, with their names from `at` on in the block of names. */
void th_automaton_number_states(ThAutomaton *a, char *at);

/* Reads the inside of an `automaton NAME { … }` block: statements `alphabet A…`, `start Q…`,
 * `accept Q…`, `output STATE SYMBOL`, `FROM SYMBOL[,SYMBOL…] -> TO [/ OUTPUT]`, separated by
 * newlines or `;`, with # comments; `eps` is the empty move.  Without `alphabet` the symbols are
 * those used, in order of appearance; states are numbered as start and transitions mention them.
 * `states Q…` and `outputs X…` declare others and other orders.
 * A transducer without `accept` accepts wherever it can go.  Returns new.
 * Errors: TH_EPARSE with line and column inside the text (both from 1). */
ThAutomaton *th_automaton_parse(const char *text, ThError *err);

/* Appends the block that defines the automaton: `automaton NAME {` … `}`.  Reading it back gives
 * the same automaton, field by field. */
void th_automaton_write(ThText *t, const ThAutomaton *a, const char *name);

/* Does the word begin a statement of a block?  A state of that name is written in quotes. */
bool th_automaton_is_keyword(const char *name);

ThAutomaton *th_automaton_copy(const ThAutomaton *a, ThError *err);
void th_automaton_free(ThAutomaton *a); /* NULL is fine */
TH_RELEASES(th_automaton_free, ThAutomaton)

bool th_automaton_deterministic(const ThAutomaton *a); /* at most one start, no eps, one arc each */

bool th_automaton_moore(const ThAutomaton *a);      /* some state has an output */
bool th_automaton_mealy(const ThAutomaton *a);      /* some transition has an output */
bool th_automaton_transducer(const ThAutomaton *a); /* either */

/* Returns new: the complete deterministic machine by the subset construction; a sink is there only
 * if it is reached.  Classes: 0 and 1 for an acceptor; output + 1 for a Moore machine, 0 meaning
 * none (TH_EVALUE if nondeterministic).  TH_ELIMIT beyond max_states states (0: no limit). */
ThDfa *th_automaton_dfa(const ThAutomaton *a, size_t max_states, ThStop *stop, ThError *err);

/* The same with classes 0 = reject and 1 = accept, whatever the outputs. */
ThDfa *th_automaton_acceptor(const ThAutomaton *a, size_t max_states, ThStop *stop, ThError *err);

/* Returns new: an acceptor with the reachable states of d that can still reach class 1 (and the
 * start), named q0, q1, … breadth first.  symbol is borrowed and copied. */
ThAutomaton *th_automaton_from_dfa(const ThDfa *d, char *const *symbol, ThError *err);

/* Returns new: the states that are reachable and able to reach acceptance (in a Moore machine: or a
 * state with an output), and the start states. */
ThAutomaton *th_automaton_trim(const ThAutomaton *a, ThError *err);

/* Returns new: the minimal deterministic automaton with the same language and, for transducers, the
 * same outputs (TH_EVALUE if those are nondeterministic); canonical as th_dfa_minimize is. */
ThAutomaton *th_automaton_minimize(const ThAutomaton *a, size_t max_states, ThStop *stop,
                                   ThError *err);

/* States and transitions as counted for results: reachable, and able to reach acceptance (in a
 * Moore machine: or a state with an output).  Where memory runs out, all are counted. */
void th_automaton_size(const ThAutomaton *a, size_t *states, size_t *transitions);
