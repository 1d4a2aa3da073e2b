/* build.h - making an automaton piece by piece.
 *
 *     ThBuild b = {0};
 *     int even = th_build_state(&b, "even"), a = th_build_symbol(&b, "a");
 *     th_build_start(&b, even);
 *     th_build_arc(&b, (ThArc){even, a, even, TH_NO_OUTPUT});
 *     ThAutomaton *result = th_build_finish(&b, &err);
 *
 * Memory running out is remembered and reported once, by th_build_finish.
 */
#ifndef TH_BUILD_H
#define TH_BUILD_H

#include "automata/automaton.h"
#include "base/intern.h"

typedef struct {
    bool start, accept;
    int moore;
} ThBuildState;

/* Zero-initialised it is empty. */
typedef struct {
    ThIntern symbol, output, state; /* names with their ends */
    ThBuildState *info;             /* (states) */
    size_t info_cap;
    ThArc *arc;
    size_t n_arcs, arc_cap;
    bool failed;
} ThBuild;

/* The number of a name, which is added if it is new.  Numbers follow the order of first mention. */
int th_build_symbol(ThBuild *b, const char *name);
int th_build_output(ThBuild *b, const char *name);
int th_build_state(ThBuild *b, const char *name);

void th_build_start(ThBuild *b, int q);
void th_build_accept(ThBuild *b, int q);
void th_build_moore(ThBuild *b, int q, int output);
void th_build_arc(ThBuild *b, ThArc arc);

/* Returns new, with the arcs sorted and none twice; *b is empty afterwards in any case. */
ThAutomaton *th_build_finish(ThBuild *b, ThError *err);
void th_build_free(ThBuild *b);

/* Sorts the arcs of an automaton whose sizes and arcs are set, drops those that are there twice and
 * fills `first`.  Linear: counting sorts. */
bool th_automaton_sort(ThAutomaton *a, ThError *err);

#endif
