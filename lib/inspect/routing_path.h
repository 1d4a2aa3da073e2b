/* routing_path.h - which rows of a trace the last position's answer comes from.
 *
 * In a RegularGPT every node attends to a few listed positions, and the nodes that the last one
 * reaches downwards form the routing path of the paper's Fig. 1.  In a model whose rows attend to
 * every position there is nothing to follow: the path is the last position's row in each layer.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef struct {
    bool routed; /* keys are a few listed positions, not all of them */
    int n_layers;
    bool **row; /* (n_layers)(n_rows of the layer): on the path */
} ThPath;

/* Returns new.  Errors: TH_EVALUE if the model has no attention. */
ThPath *th_path_of_trace(const ThModelTrace *t, ThError *err);
void th_path_free(ThPath *r); /* NULL is fine */
TH_RELEASES(th_path_free, ThPath)

/* Weight of key k of row i: of one head, and the mean over heads. */
double th_path_weight(const ThModelTraceLayer *l, int head, int i, int k);
double th_path_mean_weight(const ThModelTraceLayer *l, int i, int k);
