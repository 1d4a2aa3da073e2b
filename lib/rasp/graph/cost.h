/* cost.h - what a transformer would need for an s-op: layers, heads, and whether its program is of
 * the kind that generalises to longer inputs.
 *
 * Layers and heads are counted as Weiss, Goldberg and Yahav (2021) do: inputs, indices and
 * constants have depth 0; an element-wise s-op the greatest depth of its arguments (feed-forward
 * sublayers cost nothing); a selector one more than its keys and queries, and combined ones the
 * greatest of theirs; an aggregate the greater of its selector's depth and its values' plus one. An
 * s-op's depth is its number of layers.  The heads of a layer are the different selectors that the
 * aggregates of that depth use: the same selector expression written twice is two heads, but one
 * after merging selectors that compute the same.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/graph/rasp_graph.h"

typedef struct {
    uint32_t layer; /* from 1 */
    ThRaspSop selector;
    ThRaspSop user; /* the first aggregate or width of the layer that uses it */
    bool again;     /* the same selection is a head of this layer already */
} ThRaspHead;

/* Why there is a layer: an aggregate on a longest path, and the argument that it has to wait for:
 * its values, or the keys or queries of its selector. */
typedef struct {
    ThRaspSop aggregate;
    ThRaspSop waits_for; /* of the layer below; TH_RASP_NO_SOP in layer 1 */
    bool by_values;
} ThRaspForce;

typedef struct {
    uint32_t layers;
    size_t *heads, *merged; /* (layers): of layer i + 1 */
    ThRaspForce *force;     /* (layers) */
    ThRaspHead *head;       /* by layer, then by number */
    size_t n_heads;
} ThRaspCost;

/* Fills *cost for an s-op, or for a selector (whose last layer is the one that can use it and has
 * no aggregate yet: force[layers-1].aggregate is TH_RASP_NO_SOP).  Time and memory linear in the
 * number of nodes.  Errors: TH_ENOMEM. */
bool th_rasp_cost(const ThRaspGraph *g, ThRaspSop node, ThRaspCost *cost, ThError *err);
void th_rasp_cost_free(ThRaspCost *cost); /* leaves *cost empty */
TH_RELEASES_VALUE(th_rasp_cost_free, ThRaspCost)

/* What keeps a program out of RASP-L (Zhou et al. 2023: What Algorithms can Transformers Learn?):
 * a head that looks ahead, arithmetic on indices other than ± 1, and numbers that grow with the
 * input.  Comparing and fetching indices is allowed. */
typedef enum { TH_RASP_LOOKS_AHEAD, TH_RASP_INDEX_ARITHMETIC, TH_RASP_UNBOUNDED } ThRaspBreak;

typedef struct {
    ThRaspBreak what;
    ThRaspSop node; /* the selector, the operator, or the s-op whose values grow */
} ThRaspBreach;

/* Returns new: the nodes that break a rule of RASP-L, in the order in which they were made; *n of
 * them, none for a program of RASP-L; freed with free().  What cannot be told from the program
 * counts as a breach: functions of unbounded values, selections whose keys come later by accident.
 * NULL and TH_ENOMEM. */
ThRaspBreach *th_rasp_breaches(const ThRaspGraph *g, ThRaspSop node, size_t *n, ThError *err);

/* In a few words: "looks ahead", … */
const char *th_rasp_break_name(ThRaspBreak what);
