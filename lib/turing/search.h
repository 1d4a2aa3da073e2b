/* search.h - all runs of a nondeterministic machine at once, breadth first.
 *
 * Configurations are nodes of a graph: those that are met again are merged, on two-way tapes also
 * where they differ in how far they have been shifted.  The first way to a node is a shortest one;
 * these ways are the tree of runs.
 *
 *     ThTmSearch x;
 *     th_tm_search_start(&x, m, &words, limits, false, &err);
 *     while (x.verdict == TH_TM_GOES_ON && th_tm_search_go(&x, 1000, stop, &err))
 *         …
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/intern.h"
#include "turing/engine.h"

#define TH_TM_NO_NODE UINT32_MAX

/* cells: of a configuration, from the outermost that is scanned or not blank to the other, of the
 * tapes together. */
typedef struct {
    uint64_t steps, cells, configurations;
} ThTmSearchLimits;

typedef struct {
    uint32_t to;
    int rule;   /* -1: the step that a machine makes where no rule applies */
    bool again; /* `to` was known */
} ThTmSearchEdge;

typedef struct {
    uint32_t parent; /* TH_TM_NO_NODE for the start */
    int rule;        /* that led here first */
    uint32_t depth;  /* steps from the start */
    ThTmVerdict verdict;
    size_t edges_end; /* its edges end here, those of the node before end where they begin */
} ThTmSearchNode;

typedef struct {
    const ThTm *machine; /* borrowed */
    ThTmSearchLimits limits;
    bool all; /* go on after the first accepting run */
    ThTmVerdict verdict;
    size_t n; /* nodes, in the order in which they were found */
    ThTmSearchNode *node;
    size_t node_cap;
    size_t expanded; /* so many have their edges */
    ThTmSearchEdge *edge;
    size_t n_edges, edge_cap;
    uint64_t again; /* edges to known nodes */
    uint32_t goal;  /* the end of the run that decides the verdict, or TH_TM_NO_NODE */
    uint32_t first[TH_TM_ENDLESS]; /* by verdict: the first node with it */
    bool cut[TH_TM_OUT_OF_TIME];   /* by limit: it kept runs from going on */
    ThIntern contents;
    ThText key;
    ThTmRunning scratch;
} ThTmSearch;

/* Starts on an input.  Nodes are at most 2^31 and their tapes about 1 GiB, whatever the limits.
 * TH_ENOMEM. */
bool th_tm_search_start(ThTmSearch *x, const ThTm *m, const ThTmTapeWords *words,
                        ThTmSearchLimits limits, bool all, ThError *err);
void th_tm_search_free(ThTmSearch *x);
TH_RELEASES_VALUE(th_tm_search_free, ThTmSearch)

/* Follows up to `work` nodes.  x->verdict is TH_TM_GOES_ON until it is settled:
 *   TH_TM_ACCEPTED   some run accepts; goal ends a shortest one
 *   TH_TM_HALTED     some run halts, a shortest one at goal, and none accepts: where the machine
 * has no accepting state this is settled at once, else when all runs have ended
 *   TH_TM_REJECTED   all runs end, rejecting
 *   TH_TM_AT_EDGE    all runs end, none accepts or halts, some at the edge
 *   TH_TM_ENDLESS    no run accepts, and some run has no end: it comes back to a configuration
 *   TH_OUT_OF_…   a limit left the rest open
 * False on TH_ENOMEM and TH_EINTERRUPTED only. */
bool th_tm_search_go(ThTmSearch *x, size_t work, ThStop *stop, ThError *err);

/* The greatest depth of a node. */
uint64_t th_tm_search_depth(const ThTmSearch *x);

/* A view of the edges of a node, *n of them; none where it was not followed. */
const ThTmSearchEdge *th_tm_search_edges(const ThTmSearch *x, uint32_t node, size_t *n);

/* A view, until the next call, of a node's configuration: as a run that stands there, for
 * configuration.h.  On two-way tapes positions count from the head.  NULL and TH_ENOMEM. */
const ThTmRunning *th_tm_search_configuration(ThTmSearch *x, uint32_t node, ThError *err);

/* Returns new: the rules that lead to a node, as many as its depth. */
int *th_tm_search_path(const ThTmSearch *x, uint32_t node, ThError *err);
