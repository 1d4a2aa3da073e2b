/* build.h - making an automaton piece by piece.
 *
 *     ThAutomatonBuild b = {0};
 *     int even = th_automaton_build_state(&b, "even"), a = th_automaton_build_symbol(&b, "a");
 *     th_automaton_build_start(&b, even);
 *     th_automaton_build_arc(&b, (ThAutomatonArc){even, a, even, TH_AUTOMATON_NO_OUTPUT});
 *     ThAutomaton *result = th_automaton_build_finish(&b, &err);
 *
 * Memory running out is remembered and reported once, by th_automaton_build_finish.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "automata/core/automaton.h"
#include "base/intern.h"

typedef struct {
    bool start, accept;
    int moore;
} ThAutomatonBuildState;

/* Zero-initialised it is empty. */
typedef struct {
    ThIntern symbol, output, state; /* names with their ends */
    ThAutomatonBuildState *info;    /* (states) */
    size_t info_cap;
    ThAutomatonArc *arc;
    size_t n_arcs, arc_cap;
    bool failed;
} ThAutomatonBuild;

/* The number of a name, which is added if it is new.  Numbers follow the order of first mention. */
int th_automaton_build_symbol(ThAutomatonBuild *b, const char *name);
int th_automaton_build_output(ThAutomatonBuild *b, const char *name);
int th_automaton_build_state(ThAutomatonBuild *b, const char *name);

void th_automaton_build_start(ThAutomatonBuild *b, int q);
void th_automaton_build_accept(ThAutomatonBuild *b, int q);
void th_automaton_build_moore(ThAutomatonBuild *b, int q, int output);
void th_automaton_build_arc(ThAutomatonBuild *b, ThAutomatonArc arc);

/* Returns new, with the arcs sorted and none twice; *b is empty afterwards in any case. */
ThAutomaton *th_automaton_build_finish(ThAutomatonBuild *b, ThError *err);
void th_automaton_build_free(ThAutomatonBuild *b);

/* Sorts the arcs of an automaton whose sizes and arcs are set, drops those that are there twice and
 * fills `first`.  Linear: counting sorts. */
bool th_automaton_sort(ThAutomaton *a, ThError *err);
