/* construction_steps.h - the subset construction and the refinement of partitions, told step by
 * step.
 *
 * These are the construction of subset.c and the simple one for what minimize.c does, at the pace
 * of a lecture: every step is handed to a callback, which may end the tour by failing.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"

/* A set goes by a symbol to a set.  The first step has symbol -1 and no `from`: the start. */
typedef struct {
    const int *from, *to; /* states of the automaton, ascending */
    size_t n_from, n_to;
    int from_number, to_number, symbol;
    bool fresh;   /* the set `to` was not seen before */
    bool accepts; /* some state of `to` does */
} ThAutomatonSubsetStep;

typedef bool ThAutomatonSubsetWatch(void *context, const ThAutomatonSubsetStep *step, ThError *err);

/* Tells every step of the construction that th_automaton_acceptor makes, once it is done: sets in
 * the order in which they are found; *n gets the number of sets.  TH_ELIMIT beyond max_states (0:
 * no limit). */
bool th_automaton_subset_steps(const ThAutomaton *a, size_t max_states,
                               ThAutomatonSubsetWatch *watch, void *context, int *n, ThStop *stop,
                               ThError *err);

/* The blocks of one round of Moore's algorithm (1956).  Blocks keep their numbers while they are
 * split; new ones get the next. */
typedef struct {
    const ThDfa *d;
    int round, n_blocks;
    const bool *reachable; /* (n_states): others are in no block */
    const int *block;      /* (n_states) */
    const int *before;     /* (n_states): blocks of the round before; NULL in round 0 */
    const int *first;      /* (n_blocks): a state of each */
    const int *split_from; /* (n_blocks): a state of the block that it was split from in this
                              round, or -1 */
    const int *by;         /* (n_blocks): the symbol that tells the two apart */
} ThAutomatonPartitionStep;

typedef bool ThAutomatonPartitionWatch(void *context, const ThAutomatonPartitionStep *step,
                                       ThError *err);

/* Tells every round, the last of which changes nothing; *rounds gets its number, *blocks the number
 * of blocks.  O(rounds · states · symbols). */
bool th_automaton_partition_steps(const ThDfa *d, ThAutomatonPartitionWatch *watch, void *context,
                                  int *rounds, int *blocks, ThStop *stop, ThError *err);
