/* linkage.h - how many clusters do points form?
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"

/* Puts n points of d coordinates (row-major) into clusters, cluster[i] in 0 … *n_clusters-1 by
 * order of first appearance.  The number is found, not told: of all distances at which one might
 * cut the single-linkage hierarchy, the widest range over which the number of clusters stays the
 * same is taken.  Clusters below one per cent of the points, or four, do not count towards that
 * number; their points join the nearest that does.  Where no range is wide enough there is no
 * structure: one cluster.  O(n² d) time after duplicates are merged, O(n) memory. Errors: TH_EVALUE
 * for n = 0, TH_ENUMERIC for a coordinate that is not finite, TH_EINTERRUPTED. */
bool th_linkage(const double *point, size_t n, size_t d, int *cluster, int *n_clusters,
                ThStop *stop, ThError *err);
