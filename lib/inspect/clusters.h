/* clusters.h - do a model's hidden vectors form one cluster per transition function?
 *
 * RegularGPT (Chi et al. 2023, §7.1 and Fig. 3): take the output vectors of every level for one
 * long string, project them on their first two principal components, and colour each by the
 * function on states that its segment of the input induces.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"
#include "models/model.h"

typedef struct {
    int layer, first, last; /* the segment [first, last] of the input */
    double x, y;            /* on the first two principal components */
    int cluster;            /* found from the vectors alone */
    int function;           /* index of the true transition function of the segment */
} ThClustersPoint;

typedef struct {
    int layer, points, clusters; /* clusters present in this layer */
    double purity;               /* share of points that have their cluster's majority function; the
                                    majority is that of all layers together */
} ThClustersLayer;

typedef struct {
    int length, *token; /* (length): the string */
    int n_points, n_layers, n_functions, n_clusters;
    ThClustersPoint *point;
    ThClustersLayer *layer;
    char **function;    /* (n_functions): a short word that induces each */
    double variance[2]; /* share of the total variance on each component */
    double purity;      /* over all points */
    double gap, spread; /* least distance of two cluster centres (0 for one cluster); root mean
                           square radius */
} ThClusters;

/* Returns new.  machine (minimal, so that functions are told apart only where answers are) gives
 * the true transition functions; symbol names its symbols; token is the trace's input.  The number
 * of clusters is found, not told: see linkage.h.  Errors: TH_EVALUE where the model has no layers
 * or they differ in width, TH_ENUMERIC for vectors that are not finite.  GSL's error handler must
 * be off. */
ThClusters *th_clusters(const ThModelTrace *trace, const ThDfa *machine, const int *token,
                        char *const *symbol, ThStop *stop, ThError *err);
void th_clusters_free(ThClusters *c); /* NULL is fine */
TH_RELEASES(th_clusters_free, ThClusters)
