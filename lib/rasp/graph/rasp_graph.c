#include "rasp/graph/rasp_graph.h"

#include "rasp/graph/graph_impl.h"

/* A call that is under way: it becomes an origin when the first node is made in it. */
typedef struct {
    uint32_t label, origin; /* origin: 0 until then */
    int line, col;
} Frame;

typedef struct {
    uint32_t label, outer;
    int line, col;
} Origin;

struct ThRaspGraph {
    ThRaspAtoms *atoms;
    ThRaspNodeInfo *node;
    size_t n, cap;
    ThRaspSop *arg; /* of all nodes, end to end */
    size_t n_args, arg_cap;
    ThIntern structure; /* of the classes, in the order of their first nodes */
    ThRaspSop *first;   /* (structure.n): the first node of each */
    size_t first_cap;
    ThIntern table; /* a head and atoms, see add_table */
    ThRaspFunctionOf *function;
    size_t n_functions, function_cap;
    ThIntern label; /* of origins and nodes, each with its end; number 0 is "" */
    Frame *frame;
    size_t n_frames, frame_cap;
    Origin *origin; /* number 0 is nobody */
    size_t n_origins, origin_cap;
    uint64_t serial;
};

ThRaspGraph *th_rasp_graph_new(ThRaspAtoms *atoms, ThError *err)
{
    ThRaspGraph *g = th_alloc(1, sizeof *g, err);
    size_t index;
    if (!g)
        return NULL;
    g->atoms = atoms;
    if (!th_intern(&g->label, "", 1, &index, err) ||
        !th_grow(&g->origin, &g->origin_cap, 1, sizeof *g->origin, err)) {
        th_rasp_graph_free(g);
        return NULL;
    }
    g->origin[g->n_origins++] = (Origin){0};
    return g;
}

static void release_functions(ThRaspGraph *g, size_t n)
{
    while (g->n_functions > n) {
        const ThRaspFunctionOf *f = &g->function[--g->n_functions];
        if (f->release)
            f->release(f->context);
    }
}

void th_rasp_graph_free(ThRaspGraph *g)
{
    if (!g)
        return;
    release_functions(g, 0);
    th_intern_free(&g->structure);
    th_intern_free(&g->table);
    th_intern_free(&g->label);
    TH_FREE(g->node, g->arg, g->first, g->function, g->frame, g->origin, g);
}

ThRaspAtoms *th_rasp_atoms(const ThRaspGraph *g)
{
    return g->atoms;
}

ThRaspSop th_rasp_nodes(const ThRaspGraph *g)
{
    return (ThRaspSop)g->n;
}

const ThRaspNodeInfo *th_rasp_node(const ThRaspGraph *g, ThRaspSop node)
{
    return &g->node[node];
}

ThRaspSop th_rasp_arg(const ThRaspGraph *g, ThRaspSop node, size_t i)
{
    return g->arg[g->node[node].first + i];
}

bool th_rasp_is_selector(const ThRaspGraph *g, ThRaspSop node)
{
    return g->node[node].selector;
}

const ThRaspFunctionOf *th_rasp_function(const ThRaspGraph *g, uint32_t function)
{
    return &g->function[function];
}

/* The head of a table is an int atom: 1 for a dictionary, whose n keys come before its n values. */
ThRaspTable th_rasp_table(const ThRaspGraph *g, uint32_t table)
{
    size_t size;
    const ThRaspAtom *all = th_intern_at(&g->table, table, &size);
    size_t n = size / sizeof *all - 1;
    if (!all->cell.i)
        return (ThRaspTable){NULL, all + 1, n};
    return (ThRaspTable){all + 1, all + 1 + n / 2, n / 2};
}

ThRaspSop *th_rasp_ancestors(const ThRaspGraph *g, ThRaspSop node, size_t *n, ThError *err)
{
    uint8_t *needed TH_OWNED(free) = th_alloc(node + 1, 1, err);
    ThRaspSop *list = needed ? th_alloc(node + 1, sizeof *list, err) : NULL;
    *n = 0;
    if (!list)
        return NULL;
    needed[node] = 1;
    for (size_t i = node + 1; i-- > 0;)
        for (size_t k = 0; needed[i] && k < g->node[i].n_args; k++)
            needed[g->arg[g->node[i].first + k]] = 1;
    for (ThRaspSop i = 0; i <= node; i++)
        if (needed[i])
            list[(*n)++] = i;
    return list;
}

void th_rasp_rewind(ThRaspGraph *g, ThRaspSop nodes)
{
    if (nodes >= g->n)
        return;
    size_t functions = g->n_functions, classes = g->structure.n;
    for (size_t i = g->n; i-- > nodes;)
        if (g->node[i].kind == TH_RASP_NODE_MAP || g->node[i].kind == TH_RASP_NODE_MATCH)
            functions = g->node[i].table;
    while (classes && g->first[classes - 1] >= nodes)
        classes--;
    release_functions(g, functions);
    th_intern_rewind(&g->structure, classes);
    g->n_args = g->node[nodes].first;
    g->n = nodes;
    if (g->n_frames)
        return;
    uint32_t origins = 0;
    for (size_t i = 0; i < g->n; i++)
        origins = g->node[i].origin > origins ? g->node[i].origin : origins;
    g->n_origins = origins + 1;
}

bool th_rasp_enter(ThRaspGraph *g, const char *label, int line, int col, ThError *err)
{
    size_t index;
    if (!th_grow(&g->frame, &g->frame_cap, g->n_frames + 1, sizeof *g->frame, err) ||
        !th_intern(&g->label, label, strlen(label) + 1, &index, err))
        return false;
    g->frame[g->n_frames++] = (Frame){(uint32_t)index, 0, line, col};
    return true;
}

void th_rasp_leave(ThRaspGraph *g)
{
    g->n_frames--;
}

/* Gives the calls under way their origins; *origin is the innermost one's. */
static bool place(ThRaspGraph *g, uint32_t *origin, ThError *err)
{
    size_t known = g->n_frames;
    while (known && !g->frame[known - 1].origin)
        known--;
    uint32_t outer = known ? g->frame[known - 1].origin : 0;
    if (!th_grow(&g->origin, &g->origin_cap, g->n_origins + g->n_frames - known, sizeof *g->origin,
                 err))
        return false;
    for (; known < g->n_frames; known++) {
        Frame *f = &g->frame[known];
        f->origin = (uint32_t)g->n_origins;
        g->origin[g->n_origins++] = (Origin){f->label, outer, f->line, f->col};
        outer = f->origin;
    }
    *origin = outer;
    return true;
}

ThRaspOrigin th_rasp_origin(const ThRaspGraph *g, uint32_t origin)
{
    const Origin *o = &g->origin[origin];
    return (ThRaspOrigin){th_intern_at(&g->label, o->label, NULL), o->line, o->col, o->outer};
}

bool th_rasp_name(ThRaspGraph *g, ThRaspSop node, const char *name, ThError *err)
{
    size_t index;
    if (!th_intern(&g->label, name, strlen(name) + 1, &index, err))
        return false;
    g->node[node].name = (uint32_t)index;
    return true;
}

const char *th_rasp_name_of(const ThRaspGraph *g, ThRaspSop node)
{
    uint32_t name = g->node[node].name;
    return name ? th_intern_at(&g->label, name, NULL) : NULL;
}

/* The number of layers below the values of a node (selectors: with the layer that uses them). */
static uint32_t depth_of(const ThRaspGraph *g, const ThRaspNodeInfo *node, const ThRaspSop *arg)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < node->n_args; i++) {
        uint32_t below = g->node[arg[i]].depth;
        /* An aggregate moves its values one layer up; its selector has been counted already. */
        below += node->kind == TH_RASP_NODE_SELECT || node->kind == TH_RASP_NODE_MATCH ||
                 (node->kind == TH_RASP_NODE_AGGREGATE && i == 1);
        depth = below > depth ? below : depth;
    }
    return depth;
}

/* Finds the class of a node that is about to get the number g->n. */
static bool classify(ThRaspGraph *g, ThRaspNodeInfo *node, const ThRaspSop *arg, uint64_t identity,
                     ThError *err)
{
    enum { HEAD = 4 };
    uint64_t key[HEAD + TH_RASP_MAP_ARGS] = {0};
    key[0] = (uint64_t)node->kind | (uint64_t)node->op << 8 | (uint64_t)node->causal << 16;
    key[1] = identity;
    key[2] = (uint64_t)node->atom.kind;
    key[3] = node->atom.cell.id;
    for (size_t i = 0; i < node->n_args; i++)
        key[HEAD + i] = g->node[arg[i]].canonical;
    if ((node->kind == TH_RASP_NODE_BOTH || node->kind == TH_RASP_NODE_EITHER) &&
        key[HEAD] > key[HEAD + 1]) {
        uint64_t first = key[HEAD];
        key[HEAD] = key[HEAD + 1];
        key[HEAD + 1] = first;
    }
    size_t classes = g->structure.n, index;
    if (!th_grow(&g->first, &g->first_cap, classes + 1, sizeof *g->first, err) ||
        !th_intern(&g->structure, key, (HEAD + node->n_args) * sizeof *key, &index, err))
        return false;
    if (index == classes)
        g->first[index] = (ThRaspSop)g->n;
    node->canonical = g->first[index];
    return true;
}

/* Adds a node; `identity` tells tables and functions apart.  Room is made first, so that a failure
 * leaves the graph as it was. */
static ThRaspSop add(ThRaspGraph *g, ThRaspNodeInfo node, const ThRaspSop *arg, uint64_t identity,
                     ThError *err)
{
    if (g->n >= TH_RASP_GRAPH_NODES) {
        th_fail(err, TH_ELIMIT, "more than %d s-ops and selectors", TH_RASP_GRAPH_NODES);
        return TH_RASP_NO_SOP;
    }
    if (!th_grow(&g->node, &g->cap, g->n + 1, sizeof *g->node, err) ||
        !th_grow(&g->arg, &g->arg_cap, g->n_args + node.n_args, sizeof *g->arg, err) ||
        !place(g, &node.origin, err) || !classify(g, &node, arg, identity, err))
        return TH_RASP_NO_SOP;
    node.depth = depth_of(g, &node, arg);
    node.first = (uint32_t)g->n_args;
    node.serial = ++g->serial;
    if (arg && node.n_args)
        memcpy(g->arg + g->n_args, arg, node.n_args * sizeof *arg);
    g->n_args += node.n_args;
    g->node[g->n] = node;
    return (ThRaspSop)g->n++;
}

static bool all_values(const ThRaspGraph *g, const char *what, const ThRaspSop *x, size_t n,
                       ThError *err)
{
    for (size_t i = 0; i < n; i++)
        if (g->node[x[i]].selector)
            return th_fail(err, TH_EVALUE, "%s does not take a selector", what) ||
                   th_hint(err, "aggregate and selector_width turn selectors into s-ops");
    return true;
}

static bool want_selector(const ThRaspGraph *g, const char *what, ThRaspSop selector, ThError *err)
{
    if (g->node[selector].selector)
        return true;
    return th_fail(err, TH_EVALUE, "%s needs a selector, not an s-op", what) ||
           th_hint(err, "select(keys, queries, ==) makes one");
}

ThRaspSop th_rasp_tokens(ThRaspGraph *g, ThRaspTokensAs as, ThError *err)
{
    return add(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_TOKENS, .op = (uint8_t)as}, NULL, 0, err);
}

ThRaspSop th_rasp_indices(ThRaspGraph *g, ThError *err)
{
    return add(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_INDICES}, NULL, 0, err);
}

ThRaspSop th_rasp_constant(ThRaspGraph *g, ThRaspAtom atom, ThError *err)
{
    return add(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_CONSTANT, .atom = atom}, NULL, 0, err);
}

ThRaspSop th_rasp_unary(ThRaspGraph *g, ThRaspUnary op, ThRaspSop a, ThError *err)
{
    const ThRaspNodeInfo *x = &g->node[a];
    if (x->selector && op == TH_RASP_OP_NOT) {
        ThRaspNodeInfo node = {
            .kind = TH_RASP_NODE_OTHER, .selector = true, .causal = x->causal, .n_args = 1};
        return add(g, node, &a, 0, err);
    }
    if (!all_values(g, th_rasp_unary_name(op), &a, 1, err))
        return TH_RASP_NO_SOP;
    ThRaspNodeInfo node = {.kind = TH_RASP_NODE_UNARY, .op = (uint8_t)op, .n_args = 1};
    return add(g, node, &a, 0, err);
}

/* and, or of two selectors. */
static ThRaspSop join(ThRaspGraph *g, ThRaspBinary op, ThRaspSop a, ThRaspSop b, ThError *err)
{
    bool both = op == TH_RASP_OP_AND, x = g->node[a].causal, y = g->node[b].causal;
    ThRaspNodeInfo node = {.kind = both ? TH_RASP_NODE_BOTH : TH_RASP_NODE_EITHER,
                           .selector = true,
                           .causal = both ? x || y : x && y,
                           .n_args = 2};
    return add(g, node, (ThRaspSop[]){a, b}, 0, err);
}

ThRaspSop th_rasp_binary(ThRaspGraph *g, ThRaspBinary op, ThRaspSop a, ThRaspSop b, ThError *err)
{
    bool x = g->node[a].selector, y = g->node[b].selector;
    if (x && y && (op == TH_RASP_OP_AND || op == TH_RASP_OP_OR))
        return join(g, op, a, b, err);
    if (x != y && (op == TH_RASP_OP_AND || op == TH_RASP_OP_OR)) {
        th_fail(err, TH_EVALUE, "%s needs two selectors or two s-ops, not one of each",
                th_rasp_binary_name(op));
        th_hint(err, "aggregate and selector_width turn selectors into s-ops");
        return TH_RASP_NO_SOP;
    }
    if (!all_values(g, th_rasp_binary_name(op), (ThRaspSop[]){a, b}, 2, err))
        return TH_RASP_NO_SOP;
    ThRaspNodeInfo node = {.kind = TH_RASP_NODE_BINARY, .op = (uint8_t)op, .n_args = 2};
    return add(g, node, (ThRaspSop[]){a, b}, 0, err);
}

ThRaspSop th_rasp_choice(ThRaspGraph *g, ThRaspSop condition, ThRaspSop yes, ThRaspSop no,
                         ThError *err)
{
    ThRaspSop arg[] = {condition, yes, no};
    if (!all_values(g, "if … else", arg, 3, err))
        return TH_RASP_NO_SOP;
    return add(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_CHOICE, .n_args = 3}, arg, 0, err);
}

/* Adds the node of a list (key is NULL) or of a dictionary. */
static ThRaspSop add_table(ThRaspGraph *g, ThRaspNodeKind kind, ThRaspSop x, const ThRaspAtom *key,
                           const ThRaspAtom *value, size_t n, ThError *err)
{
    ThRaspAtom *all TH_OWNED(free) =
        th_alloc(1 + 2 * n, sizeof *all, err); /* zeroed: the bytes are compared */
    if (!all)
        return TH_RASP_NO_SOP;
    size_t m = 1, table;
    all[0].cell.i = key != NULL;
    for (size_t i = 0; key && i < n; i++, m++) {
        all[m].kind = key[i].kind;
        all[m].cell = key[i].cell;
    }
    for (size_t i = 0; i < n; i++, m++) {
        all[m].kind = value[i].kind;
        all[m].cell = value[i].cell;
    }
    bool ok = th_intern(&g->table, all, m * sizeof *all, &table, err);
    if (!ok)
        return TH_RASP_NO_SOP;
    ThRaspNodeInfo node = {.kind = kind, .n_args = 1, .table = (uint32_t)table};
    return add(g, node, &x, table, err);
}

ThRaspSop th_rasp_member(ThRaspGraph *g, ThRaspSop x, const ThRaspAtom *list, size_t n,
                         ThError *err)
{
    if (!all_values(g, "in", &x, 1, err))
        return TH_RASP_NO_SOP;
    return add_table(g, TH_RASP_NODE_MEMBER, x, NULL, list, n, err);
}

ThRaspSop th_rasp_list(ThRaspGraph *g, ThRaspSop x, const ThRaspAtom *list, size_t n, ThError *err)
{
    if (!all_values(g, "an index", &x, 1, err))
        return TH_RASP_NO_SOP;
    return add_table(g, TH_RASP_NODE_LOOKUP, x, NULL, list, n, err);
}

ThRaspSop th_rasp_dict(ThRaspGraph *g, ThRaspSop x, const ThRaspAtom *key, const ThRaspAtom *value,
                       size_t n, ThError *err)
{
    if (!all_values(g, "a key", &x, 1, err))
        return TH_RASP_NO_SOP;
    static const ThRaspAtom none = {0};
    return add_table(g, TH_RASP_NODE_LOOKUP, x, n ? key : &none, value, n, err);
}

static bool few_enough(size_t n, ThError *err)
{
    if (n && n <= TH_RASP_MAP_ARGS)
        return true;
    return th_fail(err, TH_ELIMIT, "%zu s-ops: 1 to %d can be taken together", n, TH_RASP_MAP_ARGS);
}

ThRaspSop th_rasp_tuple(ThRaspGraph *g, const ThRaspSop *x, size_t n, ThError *err)
{
    if (!few_enough(n, err) || !all_values(g, "a tuple", x, n, err))
        return TH_RASP_NO_SOP;
    return add(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_TUPLE, .n_args = (uint16_t)n}, x, 0, err);
}

/* Adds the node of a function, which the graph owns from then on. */
static ThRaspSop add_function(ThRaspGraph *g, ThRaspNodeInfo node, ThRaspFunctionOf f,
                              const ThRaspSop *x, ThError *err)
{
    if (!th_grow(&g->function, &g->function_cap, g->n_functions + 1, sizeof *g->function, err))
        return TH_RASP_NO_SOP;
    node.table = (uint32_t)g->n_functions;
    ThRaspSop new = add(g, node, x, f.identity, err);
    if (new != TH_RASP_NO_SOP)
        g->function[g->n_functions++] = f;
    return new;
}

ThRaspSop th_rasp_map(ThRaspGraph *g, const ThRaspFunctionOf *f, const ThRaspSop *x, size_t n,
                      ThError *err)
{
    if (!few_enough(n, err) || !all_values(g, "a function of elements", x, n, err))
        return TH_RASP_NO_SOP;
    return add_function(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_MAP, .n_args = (uint16_t)n}, *f, x,
                        err);
}

ThRaspSop th_rasp_match(ThRaspGraph *g, const ThRaspFunctionOf *f, ThRaspSop keys,
                        ThRaspSop queries, bool causal, ThError *err)
{
    ThRaspSop arg[] = {keys, queries};
    if (!all_values(g, "select", arg, 2, err))
        return TH_RASP_NO_SOP;
    ThRaspNodeInfo node = {
        .kind = TH_RASP_NODE_MATCH, .selector = true, .causal = causal, .n_args = 2};
    return add_function(g, node, *f, arg, err);
}

ThRaspSop th_rasp_select(ThRaspGraph *g, ThRaspSop keys, ThRaspSop queries, ThRaspBinary op,
                         bool causal, ThError *err)
{
    ThRaspSop arg[] = {keys, queries};
    if (!all_values(g, "select", arg, 2, err))
        return TH_RASP_NO_SOP;
    if (op > TH_RASP_OP_GE) {
        th_fail(err, TH_EVALUE, "select does not take %s", th_rasp_binary_name(op));
        th_hint(err, "it takes == != < <= > and >=");
        return TH_RASP_NO_SOP;
    }
    ThRaspNodeInfo node = {.kind = TH_RASP_NODE_SELECT,
                           .op = (uint8_t)op,
                           .selector = true,
                           .causal = causal,
                           .n_args = 2};
    return add(g, node, arg, 0, err);
}

ThRaspSop th_rasp_aggregate(ThRaspGraph *g, ThRaspSop selector, ThRaspSop values,
                            const ThRaspAtom *missing, ThRaspReduction how, ThError *err)
{
    if (!want_selector(g, "aggregate", selector, err) ||
        !all_values(g, "aggregate", &values, 1, err))
        return TH_RASP_NO_SOP;
    ThRaspNodeInfo node = {.kind = TH_RASP_NODE_AGGREGATE,
                           .op = (uint8_t)how,
                           .has_default = missing != NULL,
                           .n_args = 2,
                           .atom = missing ? *missing : th_rasp_int(0)};
    return add(g, node, (ThRaspSop[]){selector, values}, 0, err);
}

ThRaspSop th_rasp_width(ThRaspGraph *g, ThRaspSop selector, ThError *err)
{
    if (!want_selector(g, "selector_width", selector, err))
        return TH_RASP_NO_SOP;
    return add(g, (ThRaspNodeInfo){.kind = TH_RASP_NODE_WIDTH, .n_args = 1}, &selector, 0, err);
}
