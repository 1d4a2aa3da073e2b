/* search.h - all runs of a nondeterministic machine at once, breadth first.
 *
 * Configurations are nodes of a graph: those that are met again are merged, on two-way tapes also
 * where they differ in how far they have been shifted.  The first way to a node is a shortest one;
 * these ways are the tree of runs.
 *
 *     ThSearch x;
 *     th_search_start(&x, m, &words, limits, false, &err);
 *     while (x.verdict == TH_GOES_ON && th_search_go(&x, 1000, stop, &err))
 *         …
 */
#ifndef TH_TURING_SEARCH_H
#define TH_TURING_SEARCH_H

#include "base/intern.h"
#include "turing/engine.h"

#define TH_NO_NODE UINT32_MAX

/* cells: of a configuration, from the outermost that is scanned or not blank to the other, of the
 * tapes together. */
typedef struct {
    uint64_t steps, cells, configurations;
} ThSearchLimits;

typedef struct {
    uint32_t to;
    int rule;   /* -1: the step that a machine makes where no rule applies */
    bool again; /* `to` was known */
} ThSearchEdge;

typedef struct {
    uint32_t parent; /* TH_NO_NODE for the start */
    int rule;        /* that led here first */
    uint32_t depth;  /* steps from the start */
    ThVerdict verdict;
    size_t edges_end; /* its edges end here, those of the node before end where they begin */
} ThSearchNode;

typedef struct {
    const ThTuring *machine; /* borrowed */
    ThSearchLimits limits;
    bool all; /* go on after the first accepting run */
    ThVerdict verdict;
    size_t n; /* nodes, in the order in which they were found */
    ThSearchNode *node;
    size_t node_cap;
    size_t expanded; /* so many have their edges */
    ThSearchEdge *edge;
    size_t n_edges, edge_cap;
    uint64_t again;             /* edges to known nodes */
    uint32_t goal;              /* the end of the run that decides the verdict, or TH_NO_NODE */
    uint32_t first[TH_ENDLESS]; /* by verdict: the first node with it */
    bool cut[TH_OUT_OF_TIME];   /* by limit: it kept runs from going on */
    ThIntern contents;
    ThText key;
    ThRunning scratch;
} ThSearch;

/* Starts on an input.  Nodes are at most 2^31 and their tapes about 1 GiB, whatever the limits.
 * TH_ENOMEM. */
bool th_search_start(ThSearch *x, const ThTuring *m, const ThTapeWords *words,
                     ThSearchLimits limits, bool all, ThError *err);
void th_search_free(ThSearch *x);

/* Follows up to `work` nodes.  x->verdict is TH_GOES_ON until it is settled:
 *   TH_ACCEPTED   some run accepts; goal ends a shortest one
 *   TH_HALTED     some run halts, a shortest one at goal, and none accepts: where the machine has
 *                 no accepting state this is settled at once, else when all runs have ended
 *   TH_REJECTED   all runs end, rejecting
 *   TH_AT_EDGE    all runs end, none accepts or halts, some at the edge
 *   TH_ENDLESS    no run accepts, and some run has no end: it comes back to a configuration
 *   TH_OUT_OF_…   a limit left the rest open
 * False on TH_ENOMEM and TH_EINTERRUPTED only. */
bool th_search_go(ThSearch *x, size_t work, ThStop *stop, ThError *err);

/* The greatest depth of a node. */
uint64_t th_search_depth(const ThSearch *x);

/* A view of the edges of a node, *n of them; none where it was not followed. */
const ThSearchEdge *th_search_edges(const ThSearch *x, uint32_t node, size_t *n);

/* A view, until the next call, of a node's configuration: as a run that stands there, for
 * configuration.h.  On two-way tapes positions count from the head.  NULL and TH_ENOMEM. */
const ThRunning *th_search_configuration(ThSearch *x, uint32_t node, ThError *err);

/* Returns new: the rules that lead to a node, as many as its depth. */
int *th_search_path(const ThSearch *x, uint32_t node, ThError *err);

#endif
