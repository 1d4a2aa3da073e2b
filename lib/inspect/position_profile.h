/* position_profile.h - what a positional encoding says by itself, without the words of any string.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef struct {
    int n, heads;     /* positions; heads, or 1 where the encoding says the same in all */
    double *logit;    /* (heads, n, n): of each query and key; -inf: it is not seen */
    const char *what; /* what the numbers are */
} ThInspectPositions;

/* Returns new: what the positions 0 … n-1 add to the logits of one layer, or mask.  Where they turn
 * queries and keys, the logit of a query and a key of ones; where they are vectors added to the
 * symbols, the product of two of them divided by the root of their width.  Drawn positions are
 * those of a string of n symbols.  TH_EVALUE for a model that is not bound, has no positional
 * encoding or no such layer or position; TH_ENOMEM, the model's bounds. */
ThInspectPositions *th_inspect_positions(const ThModel *m, int layer, int n, ThError *err);
void th_inspect_positions_free(ThInspectPositions *p); /* NULL is fine */
TH_RELEASES(th_inspect_positions_free, ThInspectPositions)

/* What the positions of a model cost, in all layers. */
typedef struct {
    const char *name;  /* of the encoding */
    long long numbers; /* parameters that it has added */
    long long pair;    /* multiply-adds for each symbol that a position sees */
    long long window;  /* at most this many more, by the heads that see the last few only */
    long long kept;    /* bytes of keys and values that generation keeps of a symbol; 0: none */
} ThInspectPositionCost;

/* False where a model is not bound or has no positional encoding. */
bool th_inspect_position_cost(const ThModel *m, ThInspectPositionCost *to);
