#include "rasp/graph/cost.h"

static bool gathers(const ThRaspNodeInfo *node)
{
    return node->kind == TH_RASP_NODE_AGGREGATE || node->kind == TH_RASP_NODE_WIDTH;
}

static bool room_for(ThRaspCost *cost, uint32_t layers, size_t nodes, ThError *err)
{
    *cost = (ThRaspCost){.layers = layers};
    cost->heads = th_alloc(layers, sizeof *cost->heads, err);
    cost->merged = th_alloc(layers, sizeof *cost->merged, err);
    cost->force = th_alloc(layers, sizeof *cost->force, err);
    cost->head = th_alloc(nodes, sizeof *cost->head, err);
    return cost->heads && cost->merged && cost->force && cost->head;
}

void th_rasp_cost_free(ThRaspCost *cost)
{
    TH_FREE(cost->heads, cost->merged, cost->force, cost->head);
    *cost = (ThRaspCost){0};
}

static int by_layer(const void *a, const void *b)
{
    const ThRaspHead *x = a, *y = b;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->selector != y->selector)
        return x->selector < y->selector ? -1 : 1;
    return (x->user > y->user) - (x->user < y->user);
}

static int by_class(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Marks the heads that repeat another of their layer: sorts (layer, class, place). */
static bool merge(const ThRaspGraph *g, ThRaspCost *cost, ThError *err)
{
    uint64_t(*key)[2] = th_alloc(cost->n_heads, sizeof *key, err);
    if (!key)
        return false;
    for (size_t k = 0; k < cost->n_heads; k++) {
        const ThRaspHead *h = &cost->head[k];
        key[k][0] = (uint64_t)h->layer << 32 | th_rasp_node(g, h->selector)->canonical;
        key[k][1] = k;
    }
    /* Heads are in order of their numbers already; qsort may not keep it, but one of each class is
     * as good as another for counting, and the first is found below. */
    qsort(key, cost->n_heads, sizeof *key, by_class);
    for (size_t a = 0, b; a < cost->n_heads; a = b) {
        size_t first = key[a][1];
        for (b = a; b < cost->n_heads && key[b][0] == key[a][0]; b++)
            first = key[b][1] < first ? key[b][1] : first;
        for (size_t k = a; k < b; k++)
            cost->head[key[k][1]].again = key[k][1] != first;
    }
    free(key);
    return true;
}

/* Lists the different selectors of each layer. */
static bool list_heads(const ThRaspGraph *g, const ThRaspSop *list, size_t n, ThRaspCost *cost,
                       ThError *err)
{
    size_t all = 0;
    for (size_t k = 0; k < n; k++) {
        const ThRaspNodeInfo *node = th_rasp_node(g, list[k]);
        if (gathers(node))
            cost->head[all++] =
                (ThRaspHead){node->depth, th_rasp_arg(g, list[k], 0), list[k], false};
    }
    qsort(cost->head, all, sizeof *cost->head, by_layer);
    for (size_t k = 0; k < all; k++) {
        const ThRaspHead *last = cost->n_heads ? &cost->head[cost->n_heads - 1] : NULL,
                         *h = &cost->head[k];
        if (last && last->layer == h->layer && last->selector == h->selector)
            continue;
        cost->head[cost->n_heads++] = *h;
    }
    if (!merge(g, cost, err))
        return false;
    for (size_t k = 0; k < cost->n_heads; k++) {
        cost->heads[cost->head[k].layer - 1]++;
        cost->merged[cost->head[k].layer - 1] += !cost->head[k].again;
    }
    return true;
}

/* The argument of a node that has a depth; TH_RASP_NO_SOP if none has. */
static ThRaspSop arg_of_depth(const ThRaspGraph *g, ThRaspSop node, uint32_t depth)
{
    for (size_t k = 0; k < th_rasp_node(g, node)->n_args; k++) {
        ThRaspSop arg = th_rasp_arg(g, node, k);
        if (th_rasp_node(g, arg)->depth == depth)
            return arg;
    }
    return TH_RASP_NO_SOP;
}

/* Down from an element-wise s-op, or a combined selector, to what its depth comes from. */
static ThRaspSop descend(const ThRaspGraph *g, ThRaspSop at)
{
    for (;;) {
        const ThRaspNodeInfo *node = th_rasp_node(g, at);
        if (gathers(node) || node->kind == TH_RASP_NODE_SELECT ||
            node->kind == TH_RASP_NODE_MATCH || node->depth == 0)
            return at;
        at = arg_of_depth(g, at, node->depth);
    }
}

/* What a selector or an aggregate of some depth has to wait for. */
static ThRaspSop waits_for(const ThRaspGraph *g, ThRaspSop at, bool *by_values)
{
    const ThRaspNodeInfo *node = th_rasp_node(g, at);
    *by_values = false;
    if (node->kind == TH_RASP_NODE_AGGREGATE) {
        ThRaspSop values = th_rasp_arg(g, at, 1);
        *by_values = th_rasp_node(g, values)->depth + 1 == node->depth;
        /* In the first layer nothing is waited for; a selector is the better reason. */
        if (*by_values && th_rasp_node(g, th_rasp_arg(g, at, 0))->depth < node->depth)
            return values;
        *by_values = false;
    }
    ThRaspSop selector = node->selector ? at : th_rasp_arg(g, at, 0);
    selector = descend(g, selector);
    return arg_of_depth(g, selector, node->depth - 1);
}

/* One longest path, from the last layer to the first. */
static void follow(const ThRaspGraph *g, ThRaspSop node, ThRaspCost *cost)
{
    ThRaspSop at = descend(g, node);
    for (uint32_t layer = cost->layers; layer > 0; layer--) {
        ThRaspForce *f = &cost->force[layer - 1];
        f->aggregate = th_rasp_is_selector(g, at) ? TH_RASP_NO_SOP : at;
        f->waits_for = waits_for(g, at, &f->by_values);
        at = descend(g, f->waits_for);
        if (layer == 1)
            f->waits_for = TH_RASP_NO_SOP;
    }
}

bool th_rasp_cost(const ThRaspGraph *g, ThRaspSop node, ThRaspCost *cost, ThError *err)
{
    size_t n;
    ThRaspSop *list TH_OWNED(free) = th_rasp_ancestors(g, node, &n, err);
    bool ok = list && room_for(cost, th_rasp_node(g, node)->depth, n, err) &&
              list_heads(g, list, n, cost, err);
    if (!ok) {
        th_rasp_cost_free(cost);
        return false;
    }
    follow(g, node, cost);
    return true;
}
