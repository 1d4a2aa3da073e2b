#include "automata/core/automaton_run.h"

enum { MAX_NODES = 100000000 };

/* Adds a node unless its state is in the layer already. */
static bool add(ThAutomatonRun *r, ThAutomatonRunNode node, int layer, int *seen, ThError *err)
{
    if (seen[node.state] == layer + 1)
        return true;
    seen[node.state] = layer + 1;
    if (r->n_nodes == MAX_NODES)
        return th_fail(err, TH_ELIMIT, "the run has more than %d steps", MAX_NODES);
    return TH_APPEND(r->node, r->n_nodes, r->node_cap, err, node);
}

/* Follows the arcs with a symbol from a node into a layer. */
static bool follow(ThAutomatonRun *r, const ThAutomaton *a, size_t from, int symbol, int layer,
                   int *seen, ThError *err)
{
    int q = r->node[from].state;
    for (size_t j = a->first[q]; j < a->first[q + 1] && a->arc[j].symbol <= symbol; j++) {
        const ThAutomatonArc *arc = &a->arc[j];
        if (arc->symbol == symbol &&
            !add(r, (ThAutomatonRunNode){arc->to, arc->output, symbol, from}, layer, seen, err))
            return false;
    }
    return true;
}

/* Empty moves from the nodes of the last layer, which starts at r->layer[layer]. */
static bool close_layer(ThAutomatonRun *r, const ThAutomaton *a, int layer, int *seen, ThError *err)
{
    for (size_t i = r->layer[layer]; i < r->n_nodes; i++)
        if (!follow(r, a, i, TH_AUTOMATON_EPSILON, layer, seen, err))
            return false;
    r->layer[layer + 1] = r->n_nodes;
    return true;
}

static bool first_layer(ThAutomatonRun *r, const ThAutomaton *a, int *seen, ThError *err)
{
    for (int q = 0; q < a->n_states; q++) {
        ThAutomatonRunNode start = {q, TH_AUTOMATON_NO_OUTPUT, TH_AUTOMATON_RUN_START, SIZE_MAX};
        if (a->start[q] && !add(r, start, 0, seen, err))
            return false;
    }
    return close_layer(r, a, 0, seen, err);
}

static bool read_symbol(ThAutomatonRun *r, const ThAutomaton *a, int symbol, int *seen,
                        ThError *err)
{
    int layer = r->read + 1;
    for (size_t i = r->layer[layer - 1]; i < r->layer[layer]; i++)
        if (!follow(r, a, i, symbol, layer, seen, err))
            return false;
    if (!close_layer(r, a, layer, seen, err))
        return false;
    if (r->layer[layer + 1] > r->layer[layer])
        r->read = layer;
    return true;
}

/* Picks the end of the path: an accepting node if the whole word was read. */
static void choose_last(ThAutomatonRun *r, const ThAutomaton *a)
{
    r->last = r->layer[r->read];
    for (size_t i = r->last; r->read == r->length && i < r->n_nodes && !r->accepted; i++) {
        if (a->accept[r->node[i].state]) {
            r->accepted = true;
            r->last = i;
        }
    }
}

bool th_automaton_run_word(ThAutomatonRun *r, const ThAutomaton *a, const int *word, int length,
                           ThStop *stop, ThError *err)
{
    *r = (ThAutomatonRun){.length = length};
    int *seen TH_OWNED(free) = th_alloc((size_t)a->n_states, sizeof *seen, err);
    r->layer = th_alloc((size_t)length + 2, sizeof *r->layer, err);
    bool good = seen && r->layer && first_layer(r, a, seen, err);
    for (int i = 0; good && i < length && r->read == i; i++) {
        good = read_symbol(r, a, word[i], seen, err);
        if (i % 1024 == 1023 && th_stopped(stop, err))
            good = false;
    }
    if (good && r->n_nodes == 0)
        good = th_fail(err, TH_EVALUE, "the automaton has no start state");
    if (good)
        choose_last(r, a);
    return good;
}

void th_automaton_run_free(ThAutomatonRun *r)
{
    TH_FREE(r->node, r->layer);
    *r = (ThAutomatonRun){0};
}

size_t *th_automaton_run_path(const ThAutomatonRun *r, size_t *n, ThError *err)
{
    size_t count = 0;
    for (size_t i = r->last; i != SIZE_MAX; i = r->node[i].parent)
        count++;
    size_t *path = th_alloc(count, sizeof *path, err);
    if (!path)
        return NULL;
    *n = count;
    for (size_t i = r->last; i != SIZE_MAX; i = r->node[i].parent)
        path[--count] = i;
    return path;
}
