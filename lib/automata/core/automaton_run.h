/* automaton_run.h - what an automaton does on one word, prefix by prefix.
 *
 *     ThAutomatonRun r;
 *     if (th_automaton_run_word(&r, a, word, length, stop, &err))
 *         path = r.accepted ? th_automaton_run_path(&r, &n, &err) : NULL;
 *     th_automaton_run_free(&r);
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"

/* A state that some prefix reaches, and one way there. */
typedef struct {
    int state;
    int output;    /* of the transition that led here, or TH_AUTOMATON_NO_OUTPUT */
    int symbol;    /* of that transition: index, TH_AUTOMATON_EPSILON, or -2 for a start */
    size_t parent; /* node before; SIZE_MAX for a start */
} ThAutomatonRunNode;

typedef struct {
    int length; /* symbols of the word */
    int read;   /* symbols read before no state was left; length if that never happened */
    bool accepted;
    ThAutomatonRunNode
        *node; /* the nodes of prefix i are node[layer[i]] … node[layer[i + 1] - 1] */
    size_t n_nodes, node_cap;
    size_t *layer; /* (length + 2), filled up to read + 1 */
    size_t last;   /* end of the path to show: it accepts if any does */
} ThAutomatonRun;

enum { TH_AUTOMATON_RUN_START = -2 };

/* Fills *r, to be freed also after a failure.  Among several ways to a state the one is kept that
 * is found first in the order of arcs, with few empty moves.  O(length · arcs). */
bool th_automaton_run_word(ThAutomatonRun *r, const ThAutomaton *a, const int *word, int length,
                           ThStop *stop, ThError *err);
void th_automaton_run_free(ThAutomatonRun *r);
TH_RELEASES_VALUE(th_automaton_run_free, ThAutomatonRun)

/* Returns new: the nodes of the path to r->last, *n of them, the start first. */
size_t *th_automaton_run_path(const ThAutomatonRun *r, size_t *n, ThError *err);
