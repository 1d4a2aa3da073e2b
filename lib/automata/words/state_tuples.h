/* state_tuples.h - tuples of states that read the same word: the graph on which it is decided how
 * ambiguous an automaton is, with its strong components and shortest words.
 *
 * An arc by a symbol leads from (p1 … pk) to (q1 … qk) where one leads from each p to its q.  Each
 * place may be held to some of the states.  The graph is never written out.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/automaton.h"
#include "automata/core/components.h"

enum { TH_WORDS_TUPLE_PLACES = 3, TH_WORDS_TUPLES_MOST = 1 << 24 };

typedef struct {
    const ThAutomaton *a;               /* without empty moves; borrowed */
    const size_t *by;                   /* of th_words_tuple_arcs; borrowed */
    int k;                              /* places: 1 to 3 */
    int *member[TH_WORDS_TUPLE_PLACES]; /* (size[i]): the states that place i may hold, ascending */
    int *number[TH_WORDS_TUPLE_PLACES]; /* (a->n_states): where a state is in member, or -1 */
    size_t size[TH_WORDS_TUPLE_PLACES];
    size_t nodes; /* product of the sizes */
    bool back;    /* three places: beside these arcs, one from (p, q, q) to (p, p, q), p ≠ q */
    ThStop *stop;
} ThWordsTuples;

/* Returns new, freed with free(): the arcs of state q by symbol c are a->arc[by[q·k + c]] … up to
 * by[q·k + c + 1], k symbols.  NULL and TH_ENOMEM. */
size_t *th_words_tuple_arcs(const ThAutomaton *a, ThError *err);

/* Makes *t ready; in[i] (a->n_states) marks what place i may hold, NULL: every state.  TH_ELIMIT
 * beyond TH_WORDS_TUPLES_MOST tuples, TH_ENOMEM.  To be freed in any case. */
bool th_words_tuples_begin(ThWordsTuples *t, const ThAutomaton *a, const size_t *by, int k,
                           const bool *const in[TH_WORDS_TUPLE_PLACES], ThStop *stop, ThError *err);
void th_words_tuples_free(ThWordsTuples *t);
TH_RELEASES_VALUE(th_words_tuples_free, ThWordsTuples)

/* The number of a tuple whose states are members, and the states of a number. */
size_t th_words_tuples_pack(const ThWordsTuples *t, const int state[TH_WORDS_TUPLE_PLACES]);
void th_words_tuples_unpack(const ThWordsTuples *t, size_t node, int state[TH_WORDS_TUPLE_PLACES]);

/* Tells the strong components of what can be reached from the roots (n of them). */
bool th_words_tuples_components(const ThWordsTuples *t, const uint32_t *root, size_t n,
                                ThAutomatonComponent *tell, void *context, ThError *err);

typedef bool ThWordsTupleGoal(void *context, size_t node);

/* From one of n roots to a goal; with `parting` on a way that passes a tuple whose first two states
 * differ. */
typedef struct {
    const uint32_t *root;
    size_t n;
    bool parting;
    ThWordsTupleGoal *goal;
    void *context;
} ThWordsTupleWay;

/* Returns new: the symbols of a shortest word on such a way, *length of them; *end gets the number
 * of the goal.  NULL and *length = -1 without an error where there is none; 0 where there is one.
 * 5 bytes a tuple, twice as many with parting, and some 20 for each that is met.  Back arcs are
 * left out. */
int *th_words_tuples_word(const ThWordsTuples *t, const ThWordsTupleWay *way, int *length,
                          size_t *end, ThError *err);
